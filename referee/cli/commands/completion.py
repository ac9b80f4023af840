"""`referee completion`: prints a script with which a shell completes commands, games and options."""

import click
from click.shell_completion import get_completion_class

from referee.cli import examples, main

INSTALL = {
    "bash": "referee completion bash > ~/.local/share/bash-completion/completions/referee",
    "zsh": "referee completion zsh > ~/.zfunc/_referee   (with ~/.zfunc in fpath)",
    "fish": "referee completion fish > ~/.config/fish/completions/referee.fish",
}


@click.command(
    epilog=examples(
        "referee completion bash > ~/.local/share/bash-completion/completions/referee",
        "referee completion fish > ~/.config/fish/completions/referee.fish",
    )
)
@click.argument("shell", type=click.Choice(list(INSTALL)))
def completion(shell: str) -> None:
    """Print a completion script for bash, zsh or fish."""
    script = get_completion_class(shell)
    assert script is not None
    source = script(main, {}, "referee", "_REFEREE_COMPLETE").source().strip()
    remark = f"# To install: {INSTALL[shell]}"
    # zsh looks for its `#compdef` on the first line.
    first, _, rest = source.partition("\n")
    click.echo("\n".join([first, remark, rest] if first.startswith("#compdef") else [remark, source]))
