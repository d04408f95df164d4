# SPDX-License-Identifier: Apache-2.0
"""A bar that shows how far a run is."""

from __future__ import annotations

import importlib
import sys
import time
import warnings
from typing import Any

_WIDTH = 24


class Progress:
    """A bar by tqdm if it is installed, otherwise a line on standard error. ``total`` steps; 0 if
    their number is unknown."""

    def __init__(self, total: int, done: int) -> None:
        bar = _tqdm(total, done)
        self._bar = _Line(total, done) if bar is None else bar  # tqdm's has no truth value

    def show(self, step: int, text: str) -> None:
        """Moves it to a step."""
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(step - self._bar.n)

    def close(self) -> None:
        """Leaves the bar as it is."""
        self._bar.close()


def _tqdm(total: int, done: int) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about widgets that a notebook lacks
            module = importlib.import_module("tqdm.auto")
    except ImportError:
        return None
    return module.tqdm(total=total or None, initial=done, unit="step")


class _Line:
    """What is used of tqdm, in plain text."""

    def __init__(self, total: int, done: int) -> None:
        self.n = done
        self._total = total
        self._first = done
        self._text = ""
        self._begin = time.monotonic()
        self._drawn = 0

    def set_postfix_str(self, text: str, refresh: bool) -> None:
        self._text = text

    def update(self, count: int) -> None:
        self.n += count
        line = f"{self._share()}  step {self.n}{self._of()}  {self._text}{self._left()}"
        print("\r" + line.ljust(self._drawn), end="", file=sys.stderr, flush=True)
        self._drawn = len(line)

    def close(self) -> None:
        if self._drawn:
            print(file=sys.stderr)

    def _of(self) -> str:
        return f" of {self._total}" if self._total else ""

    def _share(self) -> str:
        if not self._total:
            return ""
        full = min(_WIDTH, _WIDTH * self.n // self._total)
        return f"{100 * self.n // self._total:3d} % [{'#' * full}{'.' * (_WIDTH - full)}]"

    def _left(self) -> str:
        done = self.n - self._first
        if not self._total or done < 1:
            return ""
        seconds = (time.monotonic() - self._begin) / done * (self._total - self.n)
        return f"  {seconds:.0f} s left"
