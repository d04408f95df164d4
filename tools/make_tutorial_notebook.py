#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/tutorial.ipynb, the notebook of a page: code blocks become cells, and the blocks of
text that follow them their outputs. test_guides.py compares, and runs the cells.

usage: tools/make_tutorial_notebook.py [docs/tutorial.md] > docs/tutorial.ipynb
"""
import json
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)


def lines_of(text):
    """The source of a cell: lines with their ends, except for the last."""
    return text.strip("\n").splitlines(keepends=True)


def cells_of(page):
    cells = []

    def add(kind, text, **more):
        name = f"cell-{len(cells) + 1}"
        cells.append({"cell_type": kind, "id": name, "metadata": {}, **more,
                      "source": lines_of(text)})

    end = 0
    for block in BLOCK.finditer(page):
        before, (language, text) = page[end:block.start()], block.groups()
        end = block.end()
        if before.strip():
            add("markdown", before)
        if language == "python":
            add("code", text, execution_count=None, outputs=[])
        elif language == "text" and cells and cells[-1]["cell_type"] == "code":
            cells[-1]["outputs"].append({"name": "stdout", "output_type": "stream",
                                         "text": text.splitlines(keepends=True)})
        else:
            sys.exit(f"a notebook has no place for this block: {text}")
    if page[end:].strip():
        add("markdown", page[end:])
    return cells


def notebook_of(page):
    return {
        "cells": cells_of(page),
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


page = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
print(json.dumps(notebook_of(page.read_text()), indent=1, ensure_ascii=False))
