"""Groups of commands of which one is understood: `referee site PATH` is `referee site show PATH`."""

from typing import Any

import click


class DefaultGroup(click.Group):
    """Commands of which one is understood where another word, such as a path, stands in its place."""

    def __init__(self, *words: Any, default: str, **settings: Any) -> None:
        super().__init__(*words, **settings)
        self._default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; the default is understood."""
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = [self._default, *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, or the default."""
        return super().get_command(ctx, cmd_name) or self.commands[self._default]
