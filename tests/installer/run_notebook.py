# SPDX-License-Identifier: Apache-2.0
"""Runs the code of a notebook in the current folder, and compares what it prints with what the
notebook shows: for check_wheel.sh.

usage: run_notebook.py NOTEBOOK
"""
import contextlib
import io
import json
import pathlib
import sys

cells = json.loads(pathlib.Path(sys.argv[1]).read_text())["cells"]
names = {"__name__": "__main__"}
run = 0
for cell in cells:
    if cell["cell_type"] != "code":
        continue
    expected = "".join(text for output in cell["outputs"] for text in output["text"])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    if printed.getvalue() != expected:
        sys.exit(f"{cell['id']} prints\n{printed.getvalue()}instead of\n{expected}")
    run += 1
print(f"{run} cells of {names['temper'].__file__}")
