"""The autograder of Classroom 50: grades the student's checkout, and writes result.json and release-body.md.

Put it into CLASSROOM/autograders/ASSIGNMENT/ with grade-submission.sh and grade.env (deploy/grading),
staff.toml, grade.toml, and the wheel of the referee. Add bubblewrap to `apt` in its runtime.
The platform publishes these files: the seed is no secret there, so change it for the final grade.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(os.environ.get("CLASSROOM50_BUNDLE_DIR") or Path(__file__).parent)


def main() -> int:
    """Install the referee unless there is one, and grade; the exit code is 0 if the bot was graded."""
    if "REFEREE" not in os.environ:
        wheels = sorted(map(str, HERE.glob("chicago_referee-*.whl")))
        install = [sys.executable, "-m", "pip", "install", "--quiet", *wheels]
        subprocess.run(install, check=True)  # noqa: S603 - the teacher's own files
    outputs = ["--format", "classroom50", "--out", str(Path.cwd() / "result.json")]
    outputs += ["--format", "markdown", "--out", str(Path.cwd() / "release-body.md")]
    script = ["bash", str(HERE / "grade-submission.sh"), str(HERE), ".", *outputs]
    return subprocess.run(script, check=False).returncode  # noqa: S603 - the teacher's own files


sys.exit(main())
