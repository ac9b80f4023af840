"""A bot with many busy processes has the share of one bot, so its opponent is not late for it."""

import os
import sys
from pathlib import Path

import pytest

from referee.process.spec import Level
from tests.end_to_end.boxes import BOXED, kept, needs_box, own
from tests.end_to_end.hubs import processes

__all__ = ["own"]

SPINNERS = 50
MOST_TIMES = 6
"""Of the opponent's time. A fair share is once that time; with a share for each process it is 50 times."""

SETTING = Path("/proc/sys/kernel/sched_autogroup_enabled")
needs_sessions = pytest.mark.skipif(
    not SETTING.is_file() or SETTING.read_text().strip() != "1",
    reason="this kernel does not share processors by session: kernel.sched_autogroup_enabled is not 1",
)

PROCESSOR = min(os.sched_getaffinity(0))
SPINS = f"""
import os, time
os.sched_setaffinity(0, [{PROCESSOR}])
for _ in range({SPINNERS}):
    if os.fork() == 0:
        os.setsid()
        while time.process_time() < 20:
            pass
        os._exit(0)
print("spinning", flush=True)
time.sleep(600)
"""
DECIDES = f"""
import os, time
os.sched_setaffinity(0, [{PROCESSOR}])
print("asked", flush=True)
while time.process_time() < 0.3:
    pass
print("answered", flush=True)
"""


def processor_s(mark: str) -> float:
    """Return the processor time of all processes with a mark."""
    total = 0
    for pid in processes(mark):
        _, _, about = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        total += sum(map(int, about.split()[11:13]))
    return total / os.sysconf("SC_CLK_TCK")


def has_a_share_each(level: Level, folder: Path, mark: str) -> bool:
    """Return whether the spinning bot has far more of a processor than its opponent, which needs 0.3 s."""
    with kept([sys.executable, "-c", SPINS], folder, level, MARK=mark) as spinning:
        spinning.hear("spinning")
        with kept([sys.executable, "-c", DECIDES], folder, level) as opponent:
            opponent.hear("asked")
            most_s = processor_s(mark) + 0.3 * MOST_TIMES
            while processor_s(mark) < most_s:
                if opponent.has_written("answered", within_s=0.1):
                    return False
            return True


@needs_box
@needs_sessions
@pytest.mark.parametrize("level", BOXED)
def test_fifty_busy_processes_have_the_share_of_one_bot(level: Level, own: Path) -> None:
    assert not has_a_share_each(level, own, f"spin-{level}-{os.getpid()}")


@needs_sessions
def test_where_nothing_holds_them_they_have_a_share_each(own: Path) -> None:
    assert has_a_share_each("trusted", own, f"spin-trusted-{os.getpid()}")
