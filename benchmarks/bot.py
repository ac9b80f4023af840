"""The bot the hub is measured with: it takes the first legal action, and is sent all there is to send."""

from protocol.client import Bot, run
from protocol.messages import View


class FirstBot(Bot):
    """One match of the bot."""

    def choose(self, view: View, legal: list[str]) -> str:
        """Return the first legal action."""
        del view
        return legal[0]


if __name__ == "__main__":
    run(FirstBot, name="bench", wants=["view", "legal", "events"], capacity=64)
