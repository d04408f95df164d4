# SPDX-License-Identifier: Apache-2.0
"""How much longer steps take while another process keeps a core busy."""
import contextlib
import copy
import os
import sys

from pairing import (EVERY_CORE, ending, find_speed, process_in_block, ratio_head, ratio_row,
                     ratio_text, take_turns)

# Checks now and then for its parent, so that it also ends if that was killed.
BUSY_LOOP = """
import os, sys
while os.getppid() == int(sys.argv[1]):
    for _ in range(1000000):
        pass
"""


@contextlib.contextmanager
def busy_process(doing):
    """A process that keeps a core busy as long as the block runs."""
    with process_in_block([sys.executable, "-c", BUSY_LOOP, str(os.getpid())]) as process:
        yield
        if process.poll() is not None:
            sys.exit(f"the busy loop beside {doing} ended ({ending(process.returncode)}); its "
                     "message, if any, is above.")


class BesideBusyCore:
    """A side whose turns run beside a busy loop."""

    def __init__(self, side):
        self.side = side

    def measure(self, threads, seconds):
        with busy_process(self.side.doing):
            return self.side.measure(threads, seconds)


def slow_down(arguments, name, side):
    """Returns: the row of a model, whose side is Temper's."""
    sides = {"idle": side, "busy": BesideBusyCore(copy.copy(side))}
    threads = dict.fromkeys(sides, EVERY_CORE)
    find_speed(sides, threads, arguments)
    turns = take_turns(sides, threads, arguments)
    used = {key: turns[0][key]["threads"] for key in sides}
    return ratio_row(name, turns, used, "busy", "idle")


def head():
    return ("Temper's median ms a step (threads), one core busy / idle machine\n"
            f"{ratio_head('busy', 'idle')}")


def row_text(row):
    return ratio_text(row, "busy", "idle")
