# SPDX-License-Identifier: Apache-2.0
"""Writes schedule_golden.json: the learning rates that PyTorch's schedulers give.

Each case names a schedule of ours with its hyperparameters and lists the rate of each step; those
with "losses" give the schedule one evaluation before each step but the first.
"""
import json
import pathlib

import torch
from torch.optim import lr_scheduler as lrs

STEPS = 20
RATE = 0.1


def make_optimizer():
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=RATE)


def rates(make_scheduler, losses=None):
    optimizer = make_optimizer()
    scheduler = make_scheduler(optimizer)
    found = []
    for step in range(STEPS):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if step + 1 == STEPS:
            break
        if losses:
            scheduler.step(losses[step])
        else:
            scheduler.step()
    return found


def case(key, values, make_scheduler, lists=None, losses=None):
    entry = {"schedule": key, "values": values, "lists": lists or {}, "rate": RATE,
             "steps": STEPS, "rates": rates(make_scheduler, losses)}
    if losses:
        entry["losses"] = losses
    return entry


def warm(optimizer, steps, after):
    up = lrs.LambdaLR(optimizer, lambda step: step / steps)
    return lrs.SequentialLR(optimizer, [up, after(optimizer)], milestones=[steps])


LOSSES = [1.0, 0.9, 0.9, 0.95, 0.91, 0.5, 0.4999999, 0.6, 0.6, 0.6, 0.3, 0.31, 0.3, 0.3, 0.3, 0.3,
          0.3, 0.2, 0.3]

CASES = [
    case("constant", {}, lambda o: lrs.ConstantLR(o, factor=1.0)),
    case("constant", {"warmup_steps": 6},
         lambda o: warm(o, 6, lambda p: lrs.ConstantLR(p, factor=1.0))),
    case("linear", {}, lambda o: lrs.LinearLR(o, 1.0, 0.0, total_iters=STEPS)),
    case("cosine", {}, lambda o: lrs.CosineAnnealingLR(o, T_max=STEPS)),
    case("cosine", {"min_rate": 0.01}, lambda o: lrs.CosineAnnealingLR(o, STEPS, eta_min=0.01)),
    case("cosine-restarts", {"cycle_steps": 6, "min_rate": 0.001},
         lambda o: lrs.CosineAnnealingWarmRestarts(o, T_0=6, eta_min=0.001)),
    case("cosine-restarts", {"cycle_steps": 3, "cycle_growth": 2},
         lambda o: lrs.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2)),
    case("step", {"step_size": 4, "gamma": 0.5}, lambda o: lrs.StepLR(o, 4, gamma=0.5)),
    case("step", {"warmup_steps": 5, "step_size": 4, "gamma": 0.5},
         lambda o: warm(o, 5, lambda p: lrs.StepLR(p, 4, gamma=0.5))),
    case("multi-step", {"gamma": 0.3}, lambda o: lrs.MultiStepLR(o, [2, 7, 11], gamma=0.3),
         lists={"milestones": [2, 7, 11]}),
    case("exponential", {"decay": 0.9}, lambda o: lrs.ExponentialLR(o, gamma=0.9)),
    case("polynomial", {}, lambda o: lrs.PolynomialLR(o, total_iters=STEPS)),
    case("polynomial", {"power": 2.5}, lambda o: lrs.PolynomialLR(o, total_iters=STEPS, power=2.5)),
    case("one-cycle", {}, lambda o: lrs.OneCycleLR(o, RATE, total_steps=STEPS,
                                                   cycle_momentum=False)),
    case("one-cycle", {"straight": 1, "rising_share": 0.4, "initial_divisor": 10,
                       "final_divisor": 100},
         lambda o: lrs.OneCycleLR(o, RATE, total_steps=STEPS, pct_start=0.4, div_factor=10,
                                  final_div_factor=100, anneal_strategy="linear",
                                  cycle_momentum=False)),
    case("one-cycle", {"three_phases": 1},
         lambda o: lrs.OneCycleLR(o, RATE, total_steps=STEPS, three_phase=True,
                                  cycle_momentum=False)),
    case("plateau", {"factor": 0.5, "patience": 2},
         lambda o: lrs.ReduceLROnPlateau(o, factor=0.5, patience=2), losses=LOSSES),
    case("plateau", {"factor": 0.2, "patience": 1, "cooldown": 2, "min_rate": 0.003},
         lambda o: lrs.ReduceLROnPlateau(o, factor=0.2, patience=1, cooldown=2, min_lr=0.003),
         losses=LOSSES),
    case("plateau", {"factor": 0.5, "patience": 0, "threshold": 0.15, "absolute_threshold": 1},
         lambda o: lrs.ReduceLROnPlateau(o, factor=0.5, patience=0, threshold=0.15,
                                         threshold_mode="abs"), losses=LOSSES),
]

out = pathlib.Path(__file__).with_name("schedule_golden.json")
out.write_text(json.dumps(CASES, indent=1) + "\n")
