"""A bot in three lines: it takes the first legal action. It plays every game, and badly."""

from protocol.client import run
from protocol.messages import View


def choose(view: View, legal: list[str]) -> str:
    """Return the action for one decision."""
    del view
    return legal[0]


def main() -> None:
    """Play until the referee says goodbye."""
    run(choose, name="first", wants=["legal"], capacity=64)


if __name__ == "__main__":
    main()
