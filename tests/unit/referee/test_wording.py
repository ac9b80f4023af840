"""Text for people: commands that are printed can be pasted."""

import os
import subprocess

from referee.wording import shell_line

WORDS = [
    "plain",
    "a b's",
    "",
    "--x=$HOME",
    "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MICROSCOPE} 100%'s \\n `id` $HOME",
    "-\N{ZERO WIDTH JOINER}%s",
    "\x1b[2J",
    os.fsdecode(b"caf\xe9"),
]


def test_a_line_for_a_shell_is_safe_to_print_and_has_the_same_words() -> None:
    line = shell_line(WORDS)
    assert line.isprintable()
    said = subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, check=True).stdout
    assert said.split(b"\n")[:-1] == [os.fsencode(word) for word in WORDS]
