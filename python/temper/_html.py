# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of models, findings and runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from temper import _temper

if TYPE_CHECKING:
    from temper._run import Run

_MOST_ROWS = 200
_COLOURS = ("#2a6fbb", "#d1662b", "#3a8f5c", "#8a56ac")
_SEVERITIES = {"error": "#c0392b", "warning": "#b7791f", "info": "#2a6fbb"}


def _text(value: object) -> str:
    return _temper.escape_html(str(value))


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    listed = list(rows)
    cells = "".join(f"<th>{_text(each)}</th>" for each in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>"
        for row in listed[:_MOST_ROWS]
    )
    more = len(listed) - _MOST_ROWS
    rest = f"<p>{more} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _shape(shape: Sequence[object] | None) -> str:
    if shape is None:
        return "?"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in shape) + "]"


def finding(found: _temper.Finding) -> str:
    """A finding: its severity in colour, code, message and hint."""
    colour = _SEVERITIES.get(found.severity, "inherit")
    hint = f'<br><span style="opacity: 0.75">{_text(found.hint)}</span>' if found.hint else ""
    return (
        f'<div><b style="color: {colour}">{_text(found.severity)} {_text(found.code)}</b> '
        f"{_text(found.message)}{hint}</div>"
    )


def model(shown: _temper.Model) -> str:
    """A model: inputs, outputs, findings, and its parameters, unfolded by a click."""
    ends = [("input", value) for value in shown.inputs]
    ends += [("output", value) for value in shown.outputs]
    values = _table(
        ["", "name", "type", "shape"],
        ((kind, value.name, value.dtype, _shape(value.shape)) for kind, value in ends),
    )
    parameters = _table(
        ["parameter", "type", "shape", "kind", "trains"],
        (
            (each.name, each.dtype, _shape(each.shape), each.kind, "yes" if each.trains else "no")
            for each in shown.parameters
        ),
    )
    findings = "".join(finding(found) for found in shown.findings)
    return (
        f"<div><b>{_text(repr(shown)[1:-1])}</b>{values}{findings}"
        f"<details><summary>{len(shown.parameters)} parameters</summary>{parameters}</details>"
        "</div>"
    )


def _chart(title: str, curves: list[tuple[str, list[float], list[float]]]) -> str:
    legend = " ".join(
        f'<span style="color: {_COLOURS[i % len(_COLOURS)]}">&#9632;</span> {_text(name)}'
        for i, (name, _, _) in enumerate(curves)
    )
    svg = _temper.line_chart(title, "step", curves)
    return f'<figure><figcaption>{_text(title)}: {legend}</figcaption>{svg}</figure>'


def _style(scope: str) -> str:
    """For what the engine draws; only inside elements of this class."""
    series = "".join(
        f".{scope} .line.series-{i} {{ stroke: {colour}; }} "
        f".{scope} .dot.series-{i} {{ fill: {colour}; }} "
        for i, colour in enumerate(_COLOURS)
    )
    return (
        f"<style>.{scope} svg {{ width: 100%; max-width: 44em; height: auto; }} "
        f".{scope} figure {{ margin: 0.5em 0; }} "
        f".{scope} .grid {{ stroke: currentColor; stroke-opacity: 0.15; }} "
        f".{scope} text {{ fill: currentColor; font-size: 11px; }} "
        f".{scope} .tick.y {{ text-anchor: end; }} "
        f".{scope} .tick.x, .{scope} .axis {{ text-anchor: middle; }} "
        f".{scope} .line {{ fill: none; stroke-width: 1.5; }} {series}</style>"
    )


def run(shown: Run) -> str:
    """A run: how it ended, the curves of losses, metrics and learning rate, and its evaluations."""
    steps = shown.history["step"].tolist()
    at = [float(each.step) for each in shown.evaluations]
    losses = [("training", steps, shown.losses.tolist())]
    if at:
        losses.append(("evaluation", at, [each.loss for each in shown.evaluations]))
    charts = _chart("Loss", losses) if steps or at else ""
    metrics = [(name, at, values.tolist()) for name, values in shown.metrics.items()]
    if metrics:
        charts += _chart("Metrics", metrics)
    if steps:
        charts += _chart("Learning rate", [("rate", steps, shown.learning_rates.tolist())])
    names = list(shown.metrics)
    evaluations = (
        _table(
            ["step", "epoch", "loss", *names],
            (
                (each.step, f"{each.epoch:g}", f"{each.loss:.6g}")
                + tuple(f"{each.metrics.get(name, float('nan')):.6g}" for name in names)
                for each in shown.evaluations
            ),
        )
        if at
        else ""
    )
    warnings = "".join(
        f'<div><b style="color: {_SEVERITIES["warning"]}">warning</b> {_text(each.message)}</div>'
        for each in shown.warnings
    )
    return (
        f'<div class="temper-run">{_style("temper-run")}<b>{_text(repr(shown)[1:-1])}</b>'
        f"{warnings}{charts}{evaluations}</div>"
    )
