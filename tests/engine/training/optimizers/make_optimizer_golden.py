# SPDX-License-Identifier: Apache-2.0
"""Writes optimizer_golden.json: parameters after each of 20 steps of an optimizer.

The gradients are synthetic, not those of a model: gradient(step, parameter) below, in single
precision, as the test makes them. PyTorch's optimizers take the steps in single precision; Lion
and LAMB, which it lacks, are written here by the formulas of their papers.
"""
import json
import pathlib

import torch

STEPS = 20
RATE = 0.01
SHAPES = {"matrix": (2, 3), "bias": (3,)}


def numbers(count, seed):
    """In [-1, 1), the same everywhere: a multiple of 1/2048 each."""
    found = []
    state = seed
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        found.append((state >> 16) % 4096 / 2048 - 1)
    return found


def start(index, name):
    size = torch.Size(SHAPES[name])
    return torch.tensor(numbers(size.numel(), 17 + index)).reshape(size)


def gradient(step, index, name):
    size = torch.Size(SHAPES[name])
    return torch.tensor(numbers(size.numel(), 1000 + 10 * step + index)).reshape(size)


def listed(p):
    return [float(f"{x:.9g}") for x in p.detach().flatten().tolist()]


class Lion(torch.optim.Optimizer):
    """Chen et al., Symbolic Discovery of Optimization Algorithms, program 1."""

    def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                update = torch.sign(beta1 * m + (1 - beta1) * p.grad)
                p -= group["lr"] * (update + group["weight_decay"] * p)
                m.copy_(beta2 * m + (1 - beta2) * p.grad)


class Lamb(torch.optim.Optimizer):
    """You et al., Large Batch Optimization for Deep Learning, algorithm 2, phi(x) = x."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps,
                                  "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                state = self.state[p]
                t = state["t"] = state.get("t", 0) + 1
                m = state.setdefault("m", torch.zeros_like(p))
                v = state.setdefault("v", torch.zeros_like(p))
                m.copy_(beta1 * m + (1 - beta1) * p.grad)
                v.copy_(beta2 * v + (1 - beta2) * p.grad * p.grad)
                r = (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt() + group["eps"])
                r = r + group["weight_decay"] * p
                weights, changes = p.norm(), r.norm()
                ratio = weights / changes if weights > 0 and changes > 0 else 1.0
                p -= group["lr"] * ratio * r


def case(key, values, make, clip_norm=0, clip_value=0, groups=None, decays_vectors=True,
         average=0):
    starts = {name: group.pop("start_step", 0) for name, group in (groups or {}).items()}
    params = {name: torch.nn.Parameter(start(i, name)) for i, name in enumerate(SHAPES)}
    if groups or not decays_vectors:
        optimizer = make([dict({"params": [p]}, **(groups or {}).get(name, {}),
                               **({} if decays_vectors or p.ndim > 1 else {"weight_decay": 0.0}))
                          for name, p in params.items()])
    else:
        optimizer = make(list(params.values()))
    holder = torch.nn.ParameterList(params.values())
    averaged = torch.optim.swa_utils.AveragedModel(
        holder, avg_fn=lambda mean, weight, _: average * mean + (1 - average) * weight)
    steps = []
    for step in range(STEPS):
        for i, (name, p) in enumerate(params.items()):
            p.grad = gradient(step, i, name)
        if clip_norm:
            torch.nn.utils.clip_grad_norm_(params.values(), clip_norm)
        if clip_value:
            torch.nn.utils.clip_grad_value_(params.values(), clip_value)
        rates = [group["lr"] for group in optimizer.param_groups]
        if groups:
            for group, name in zip(optimizer.param_groups, params):
                group["lr"] *= step >= starts.get(name, 0)
        optimizer.step()
        for group, rate in zip(optimizer.param_groups, rates):
            group["lr"] = rate
        averaged.update_parameters(holder)
        steps.append({name: listed(p) for name, p in params.items()})
    entry = {"optimizer": key, "values": dict(values), "rate": RATE, "steps": steps,
             "groups": [dict(pattern=name, **{"lr": g.get("lr", RATE) / RATE},
                             **({"weight_decay": g["weight_decay"]} if "weight_decay" in g else {}),
                             **({"start_step": starts[name]} if starts[name] else {}))
                        for name, g in (groups or {}).items()],
             "decay_biases_and_norms": decays_vectors, "average_decay": average}
    if average:
        entry["average"] = {name: listed(p)
                            for name, p in zip(params, averaged.module)}
    if clip_norm:
        entry["values"]["clip_norm"] = clip_norm
    if clip_value:
        entry["values"]["clip_value"] = clip_value
    return entry


O = torch.optim
CASES = [
    case("adamw-torch", {}, lambda p: O.AdamW(p, RATE)),
    case("adamw-torch", {}, lambda p: O.AdamW(p, RATE), clip_value=0.3),
    case("adamw-torch", {"weight_decay": 0.2}, lambda p: O.AdamW(p, RATE, weight_decay=0.2),
         clip_norm=0.5, clip_value=0.1),
    case("adamw-torch", {"weight_decay": 0.2}, lambda p: O.AdamW(p, RATE, weight_decay=0.2),
         decays_vectors=False),
    case("adamw-torch", {"weight_decay": 0.2}, lambda p: O.AdamW(p, RATE, weight_decay=0.2),
         groups={"bias": {"lr": 0.1 * RATE, "weight_decay": 0.5}}),
    case("adamw-torch", {"weight_decay": 0.2}, lambda p: O.AdamW(p, RATE, weight_decay=0.2),
         groups={"matrix": {"lr": 0.5 * RATE, "start_step": 7}}),
    case("momentum", {"weight_decay": 0.1}, lambda p: O.SGD(p, RATE, momentum=0.9, weight_decay=0.1),
         groups={"bias": {"start_step": 12}}, clip_norm=0.5),
    case("sgd", {}, lambda p: O.SGD(p, RATE), average=0.9),
    case("sgd", {"weight_decay": 0.1}, lambda p: O.SGD(p, RATE, weight_decay=0.1)),
    case("sgd", {}, lambda p: O.SGD(p, RATE), groups={"matrix": {"lr": 2 * RATE}}),
    case("momentum", {}, lambda p: O.SGD(p, RATE, momentum=0.9)),
    case("momentum", {"momentum": 0.7, "weight_decay": 0.1},
         lambda p: O.SGD(p, RATE, momentum=0.7, weight_decay=0.1)),
    case("momentum", {}, lambda p: O.SGD(p, RATE, momentum=0.9), clip_norm=0.5),
    case("nesterov", {}, lambda p: O.SGD(p, RATE, momentum=0.9, nesterov=True)),
    case("nesterov", {"momentum": 0.7, "weight_decay": 0.1},
         lambda p: O.SGD(p, RATE, momentum=0.7, weight_decay=0.1, nesterov=True)),
    case("adam", {}, lambda p: O.Adam(p, RATE)),
    case("adam", {"weight_decay": 0.1, "beta1": 0.8, "beta2": 0.99},
         lambda p: O.Adam(p, RATE, weight_decay=0.1, betas=(0.8, 0.99))),
    case("rmsprop", {}, lambda p: O.RMSprop(p, RATE)),
    case("rmsprop", {"alpha": 0.9, "momentum": 0.5, "weight_decay": 0.1},
         lambda p: O.RMSprop(p, RATE, alpha=0.9, momentum=0.5, weight_decay=0.1)),
    case("adagrad", {}, lambda p: O.Adagrad(p, RATE)),
    case("adagrad", {"rate_decay": 0.1, "initial_accumulator": 0.3, "weight_decay": 0.1},
         lambda p: O.Adagrad(p, RATE, lr_decay=0.1, initial_accumulator_value=0.3,
                             weight_decay=0.1)),
    case("lion", {}, lambda p: Lion(p, RATE)),
    case("lion", {"beta1": 0.95, "beta2": 0.98, "weight_decay": 0.1},
         lambda p: Lion(p, RATE, betas=(0.95, 0.98), weight_decay=0.1)),
    case("lamb", {}, lambda p: Lamb(p, RATE)),
    case("lamb", {"weight_decay": 0.1}, lambda p: Lamb(p, RATE, weight_decay=0.1)),
    case("lamb", {"weight_decay": 0.1}, lambda p: Lamb(p, RATE, weight_decay=0.1),
         groups={"bias": {"lr": 0.5 * RATE, "weight_decay": 0.0}}, average=0.8),
]

out = pathlib.Path(__file__).with_name("optimizer_golden.json")
out.write_text("[\n" + ",\n".join(json.dumps(case) for case in CASES) + "\n]\n")
