#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains with the real ONNX Runtime Training: train step, optimizer step, lazy reset of the
gradients; prints JSON."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ort_oracle import runtime
from ort_oracle.arrays import Arrays, read_single, summarize_all, write_arrays, write_npy
from ort_oracle.checkpoint import parse_property, read_checkpoint
from ort_oracle.cli import UsageError, finite, make_parser, names, need_file, print_json, run_script
from ort_oracle.feeds import FEEDS_HELP, MODES, match_feeds, read_feeds, step_feeds
from ort_oracle.models import Model, infos_of, is_ort_format, read_model


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = make_parser(__doc__)
    add = parser.add_argument
    add("--train", required=True, help="training model (.onnx or .ort)")
    add("--checkpoint", required=True)
    add("--eval", help="eval model; run once after the last step (see --eval-every)")
    add("--optimizer", help="optimizer model; without it the parameters never change")
    add(
        "--feeds",
        action="append",
        default=[],
        help=f"{FEEDS_HELP}. An array with one dimension more than the "
        "model's input has a leading step dimension.",
    )
    add(
        "--eval-feeds",
        action="append",
        default=[],
        help="other inputs for the eval model (default: those of the " "last step)",
    )
    add(
        "--feeds-mode",
        choices=MODES,
        default="auto",
        help="auto (default), steps (every array has a step " "dimension) or reuse (none has)",
    )
    add(
        "--steps",
        type=int,
        default=1,
        help="steps to run (default 1; 0 only loads the artifacts and shows what they " "are)",
    )
    add(
        "--lr",
        type=names,
        help="learning rate, or a list by optimizer step: 0.1,0.05 (the last one stays); a "
        "resumed checkpoint goes on in the list. Default: what the runtime starts with (0.001).",
    )
    add(
        "--schedule",
        metavar="linear:WARMUP:TOTAL",
        help="the runtime's linear schedule, from the rate --lr (default "
        "0.001); it steps after each optimizer step",
    )
    add(
        "--accumulate",
        type=int,
        default=1,
        help="train steps for each optimizer step (default 1): gradients add up " "in between",
    )
    add(
        "--eval-every",
        type=int,
        default=0,
        help="also run the eval model after every so many steps",
    )
    add(
        "--load-params",
        metavar="FILE",
        help="contiguous float32 parameters (.npy) to load before the first step",
    )
    add(
        "--params-out", metavar="FILE", help="final parameters: .npy (contiguous) or .npz (by name)"
    )
    add(
        "--trainable-only",
        action="store_true",
        help="--load-params and --params-out mean the trainable parameters " "only",
    )
    add(
        "--outputs-out",
        metavar="FILE",
        help=".npz with all outputs: train/NAME (stacked by step), eval/NAME",
    )
    add(
        "--save-checkpoint",
        metavar="FILE",
        help="checkpoint after the last step, as the runtime writes it",
    )
    add("--save-optimizer-state", action="store_true", help="... with the optimizer's state")
    add(
        "--property",
        action="append",
        default=[],
        help="NAME=INTEGER, NAME=FLOAT (with a point) or NAME=TEXT for "
        "--save-checkpoint; may be given several times",
    )
    runtime.add_runtime_options(parser)
    return parser.parse_args(arguments)


def check(options: argparse.Namespace) -> None:
    """Raises: UsageError."""
    for name in ("train", "eval", "checkpoint", "optimizer"):
        if getattr(options, name) is not None:
            need_file(getattr(options, name), name)
    if options.steps < 0 or options.accumulate < 1:
        raise UsageError("--steps and --accumulate must be positive")
    if options.steps > 0 and not options.feeds:
        raise UsageError("option --feeds is required")
    for option in ("lr", "schedule", "save_optimizer_state"):
        if getattr(options, option) and options.optimizer is None:
            raise UsageError(f"--{option.replace('_', '-')} needs --optimizer")
    for option in ("save_optimizer_state", "property"):
        if getattr(options, option) and options.save_checkpoint is None:
            raise UsageError(f"--{option.replace('_', '-')} needs --save-checkpoint")


def rates_of(options: argparse.Namespace) -> list[float] | None:
    try:
        return [finite(text) for text in options.lr] if options.lr else None
    except ValueError as error:
        raise UsageError(f"--lr: {error}") from error


class Schedule:
    """Sets the learning rates before the optimizer steps. `rate` is None where nothing was asked
    for."""

    def __init__(self, options: argparse.Namespace, trainer: runtime.Trainer):
        self.trainer = trainer
        self.rates = rates_of(options)
        self.linear = None
        self.step = 0
        if options.schedule is not None:
            self.linear = trainer.linear_schedule(*self._linear_arguments(options.schedule))
        elif self.rates:
            groups = read_checkpoint(options.checkpoint).groups
            self.step = groups[0].step if groups else 0

    def _linear_arguments(self, text: str) -> tuple[int, int, float]:
        kind, *counts = text.split(":")
        if kind != "linear" or len(counts) != 2 or not all(count.isdecimal() for count in counts):
            raise UsageError(f"--schedule: '{text}' is not linear:WARMUP:TOTAL")
        if self.rates and len(self.rates) > 1:
            raise UsageError("--schedule takes one --lr, not a list")
        return (
            int(counts[0]),
            int(counts[1]),
            self.rates[0] if self.rates else self.trainer.learning_rate(),
        )

    def before_step(self) -> float | None:
        if self.linear is None and self.rates:
            self.trainer.set_learning_rate(self.rates[min(self.step, len(self.rates) - 1)])
        return self.trainer.learning_rate() if self.linear is not None or self.rates else None

    def after_step(self) -> None:
        self.step += 1
        if self.linear is not None:
            self.linear.scheduler_step()


@dataclasses.dataclass
class Feeding:
    """The inputs by step, counted from 0; for_eval is None without an eval model."""

    for_train: Callable[[int], Arrays]
    for_eval: Callable[[int], Arrays] | None
    casts: dict[str, str]


def feeding_of(
    options: argparse.Namespace, trainer: runtime.Trainer, train: Model | None
) -> Feeding:
    feeds = read_feeds(options.feeds)
    arrays, casts = match_feeds(trainer.input_names(True), infos_of(train), feeds, "training")
    for_train, for_eval = step_feeds(arrays, infos_of(train), options.feeds_mode), None
    if trainer.has_eval:
        infos = infos_of(read_model(options.eval))
        others = read_feeds(options.eval_feeds) if options.eval_feeds else feeds
        arrays, _ = match_feeds(trainer.input_names(False), infos, others, "eval")
        for_eval = step_feeds(arrays, infos, options.feeds_mode)
    return Feeding(for_train, for_eval, casts)


def run_steps(
    options: argparse.Namespace,
    trainer: runtime.Trainer,
    schedule: Schedule,
    feeding: Feeding,
    outputs: dict[str, list[np.ndarray]],
) -> list[dict[str, Any]]:
    """Returns: what the JSON says of each step. The outputs go to `outputs` too, by name."""
    entries = []
    for step in range(options.steps):
        results = trainer.train_step(feeding.for_train(step))
        entry: dict[str, Any] = {"step": step + 1, "outputs": summarize_all(results)}
        for name, array in results.items():
            outputs.setdefault(name, []).append(array)
        if trainer.optimizer is not None and (step + 1) % options.accumulate == 0:
            rate = schedule.before_step()
            trainer.optimizer_step()
            schedule.after_step()
            entry["optimizerStep"] = True
            if rate is not None:
                entry["learningRate"] = rate
        if feeding.for_eval and options.eval_every > 0 and (step + 1) % options.eval_every == 0:
            entry["eval"] = summarize_all(trainer.eval_step(feeding.for_eval(step)))
        entries.append(entry)
    return entries


def stacked(name: str, arrays: list[np.ndarray]) -> Arrays:
    """The outputs of all steps as one array, or one array a step where the shapes differ."""
    if any(array.shape != arrays[0].shape for array in arrays):
        return {f"{name}/{step}": array for step, array in enumerate(arrays, 1)}
    return {name: np.stack(arrays)}


def write_parameters(options: argparse.Namespace, trainer: runtime.Trainer) -> None:
    if options.params_out.endswith(".npz"):
        write_arrays(options.params_out, trainer.named_parameters(options.trainable_only))
    else:
        write_npy(options.params_out, trainer.parameters(options.trainable_only))


def load_parameters(options: argparse.Namespace, trainer: runtime.Trainer) -> None:
    array = read_single(options.load_params)
    if array.dtype != np.float32:
        raise UsageError("--load-params: float32 values are needed")
    trainer.load_parameters(array, options.trainable_only)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    check(options)
    properties = dict(parse_property(text) for text in options.property)
    rates = rates_of(options)
    train = read_model(options.train)
    trainer = runtime.Trainer(options)
    schedule = Schedule(options, trainer)
    result: dict[str, Any] = {
        "runtime": runtime.version(runtime.TRAINING),
        "format": "ort" if is_ort_format(options.train) else "onnx",
        "inputs": trainer.input_names(True),
        "outputs": trainer.output_names(True),
        "evalInputs": trainer.input_names(False),
        "evalOutputs": trainer.output_names(False),
        "parameters": trainer.parameters_size(False),
        "trainableParameters": trainer.parameters_size(True),
        "learningRates": rates,
        "accumulate": options.accumulate,
        "steps": [],
    }
    if options.load_params is not None:
        load_parameters(options, trainer)
    outputs: dict[str, list[np.ndarray]] = {}
    final_eval: Arrays = {}
    if options.steps > 0:
        feeding = feeding_of(options, trainer, train)
        if feeding.casts:
            result["casts"] = feeding.casts
        result["steps"] = run_steps(options, trainer, schedule, feeding, outputs)
        if feeding.for_eval:
            final_eval = trainer.eval_step(feeding.for_eval(options.steps - 1))
            result["eval"] = summarize_all(final_eval)
    if options.params_out is not None:
        write_parameters(options, trainer)
    if options.outputs_out is not None:
        arrays = {f"eval/{name}": array for name, array in final_eval.items()}
        for name, list_of_one in outputs.items():
            arrays.update(stacked(f"train/{name}", list_of_one))
        write_arrays(options.outputs_out, arrays)
    if options.save_checkpoint is not None:
        trainer.save(options.save_checkpoint, options.save_optimizer_state, properties)
    print_json(result)
    return 0


if __name__ == "__main__":
    run_script(main)
