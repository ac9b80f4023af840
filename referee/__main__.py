"""Lets `python -m referee` be the `referee` command."""

from referee.cli import main

if __name__ == "__main__":
    main(prog_name="referee")
