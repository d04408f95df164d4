# SPDX-License-Identifier: Apache-2.0
"""What notebooks show."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy
import pytest

import temper

VOID = {"br", "hr", "img", "meta", "line", "path", "circle", "rect"}


class Tree(HTMLParser):
    """Checks that elements are closed in order, and keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def html_of(thing: Any) -> str:
    """What a notebook shows."""
    html: str = thing._repr_html_()
    return html


def parsed(html: str) -> Tree:
    tree = Tree()
    tree.feed(html)
    tree.close()
    assert tree.open == []
    return tree


@pytest.fixture(scope="module")
def run(mlp: temper.Model) -> temper.Run:
    random = numpy.random.default_rng(0)
    x = random.normal(size=(40, 4)).astype(numpy.float32)
    data = (x, (x[:, 0] > 0).astype(int))
    return temper.fit(mlp, data, eval_data=data, epochs=4, early_stop=9)


def test_a_run_shows_its_curves(run: temper.Run) -> None:
    tree = parsed(run._repr_html_())
    assert tree.seen.count("svg") == 3
    assert "Run, finished after 8 steps" in tree.text
    for each in run.evaluations:
        assert f"{each.loss:.6g}" in tree.text and f"{each.metrics['accuracy']:.6g}" in tree.text
    # two curves of losses: each has a point for each of its values
    (losses, _, _) = re.findall(r"<svg.*?</svg>", run._repr_html_(), re.DOTALL)
    paths = re.findall(r'class="line series-\d" d="([^"]*)"', losses)
    assert [len(re.findall(r"[ML]", path)) for path in paths] == [8, 4]


def test_the_style_is_limited_to_the_run(run: temper.Run) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", run._repr_html_(), re.DOTALL)
    rules = [rule.split("{")[0] for rule in style.split("}") if "{" in rule]
    selectors = [each.strip() for rule in rules for each in rule.split(",")]
    assert selectors and all(each.startswith(".temper-run ") for each in selectors)


def test_a_run_that_did_nothing_has_no_curves(run: temper.Run) -> None:
    data = (numpy.zeros([8, 4], numpy.float32), numpy.zeros(8, int))
    again = temper.fit(run.session, data, epochs=1)
    tree = parsed(again._repr_html_())
    assert "svg" not in tree.seen
    assert "nothing left to do" in tree.text and "nothing to train" in tree.text


def test_a_model_shows_its_ends_and_parameters(mlp: temper.Model) -> None:
    tree = parsed(html_of(mlp))
    for text in ("logits", "[batch, 3]", "float32", "fc1.weight", "[5, 4]", "4 parameters"):
        assert text in tree.text


def test_names_are_text_and_not_markup() -> None:
    model = temper.from_text(
        '(float[N, 2] "<script>x") => (y) <float[2, 2] w = {1.0, 2.0, 3.0, 4.0}> '
        '{ h = MatMul("<script>x", w) y = Round(h) }'
    )
    for html in (html_of(model), *(html_of(each) for each in model.findings)):
        assert "script" not in parsed(html).seen
    assert "<script>x" in parsed(html_of(model)).text


def test_a_finding_shows_code_message_and_hint() -> None:
    model = temper.from_text(
        "(float[N, 2] x) => (y) <float[2, 2] w = {1.0, 2.0, 3.0, 4.0}> "
        "{ h = MatMul(x, w) y = Round(h) }"
    )
    (found,) = [each for each in model.findings if each.severity == "error"]
    text = parsed(html_of(found)).text
    assert found.code in text and found.message in text and found.hint in text
    assert found.message in parsed(html_of(model)).text
