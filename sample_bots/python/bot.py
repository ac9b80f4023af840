"""A bot for every game of the referee, written with its Python kit. README.md says how to run it."""

import random
import sys

import msgspec

from protocol.client import Bot, run
from protocol.codec import Encoding, encode
from protocol.messages import FromBot, FromReferee, View


class RandomBot(Bot):
    """One match; the kit makes an object for each, so a bot may remember what it likes."""

    def choose(self, view: View, legal: list[str]) -> str:
        """Return one of the legal actions: your idea goes here."""
        del view
        return random.choice(legal)  # noqa: S311 - a game, no secret


def first(view: View, legal: list[str]) -> str:
    """Return the first legal action. A bot without memory needs nothing but such a function."""
    del view
    return legal[0]


def echo() -> None:
    """Read messages in hexadecimal, a line each, and write them again: for tests."""
    decode = msgspec.msgpack.Decoder(FromBot | FromReferee).decode
    for line in sys.stdin:
        sys.stdout.write(encode(decode(bytes.fromhex(line)), Encoding.MSGPACK).hex() + "\n")


def main() -> None:
    """Play until the referee says goodbye."""
    mode = sys.argv[1] if len(sys.argv) > 1 else "random"
    if mode == "echo":
        echo()
    else:
        # With nothing to remember, many matches at once are easy.
        run(first if mode == "first" else RandomBot, name="python", wants=["legal"], capacity=64)


if __name__ == "__main__":
    main()
