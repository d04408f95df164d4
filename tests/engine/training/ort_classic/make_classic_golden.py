# SPDX-License-Identifier: Apache-2.0
"""Writes classic_golden.npz beside this script: a small network with two outputs, its gradients and
its training, computed by PyTorch. The test files hold the same network as ONNX text.

    python3 make_classic_golden.py
"""

import pathlib

import numpy as np
import torch

torch.manual_seed(7)
PARAMETERS = {"w1": (4, 5), "b1": (5,), "w2": (5, 2), "b2": (2,)}
STEPS, ACCUMULATE, BATCH = 4, 2, 3


def network(p, x):
    hidden = torch.tanh(x @ p["w1"] + p["b1"])
    scores = hidden @ p["w2"] + p["b2"]
    energy = (hidden * hidden).sum(1)
    return hidden, scores, energy


def loss_of(p, x, target):
    return ((network(p, x)[1] - target) ** 2).mean()


def fresh():
    return {name: value.clone().requires_grad_() for name, value in initial.items()}


def gradients(golden):
    """Gradients of the loss, and the vector-Jacobian product of both outputs with fed seeds."""
    p = fresh()
    loss_of(p, data["x"][0], data["target"][0]).backward()
    for name, value in p.items():
        golden["loss/" + name] = value.grad
    p = fresh()
    x = data["x"][0].clone().requires_grad_()
    hidden, scores, energy = network(p, x)
    hidden.retain_grad()
    torch.autograd.backward([scores, energy], [data["scores_seed"], data["energy_seed"]])
    for name, value in {**p, "x": x, "h": hidden}.items():
        if value.grad is not None:
            golden["vjp/" + name] = value.grad


class Lamb(torch.optim.Optimizer):
    """You et al., Large Batch Optimization for Deep Learning (2020), algorithm 2."""

    def __init__(self, params, lr, decay, eps=1e-6, betas=(0.9, 0.999)):
        super().__init__(params, {"lr": lr})
        self.decay, self.eps, self.betas, self.t = decay, eps, betas, 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        for group in self.param_groups:
            for w in group["params"]:
                state = self.state[w]
                for key, beta, value in zip(("exp_avg", "exp_avg_sq"), self.betas,
                                            (w.grad, w.grad ** 2)):
                    state[key] = beta * state.get(key, 0) + (1 - beta) * value
                m, v = (state[key] / (1 - beta ** self.t)
                        for key, beta in zip(("exp_avg", "exp_avg_sq"), self.betas))
                change = m / (v.sqrt() + self.eps) + self.decay * w
                w -= group["lr"] * w.norm() / change.norm() * change


class DecayAfter(torch.optim.Optimizer):
    """Adam without bias correction that decays the weights after its step (weight_decay_mode 1)."""

    def __init__(self, params, lr, decay, eps=1e-6, betas=(0.9, 0.999)):
        super().__init__(params, {"lr": lr})
        self.decay, self.eps, self.betas = decay, eps, betas

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for w in group["params"]:
                state = self.state[w]
                for key, beta, value in zip(("exp_avg", "exp_avg_sq"), self.betas,
                                            (w.grad, w.grad ** 2)):
                    state[key] = beta * state.get(key, 0) + (1 - beta) * value
                w -= group["lr"] * state["exp_avg"] / (state["exp_avg_sq"].sqrt() + self.eps)
                w -= group["lr"] * self.decay * w


def narrow_moments(optimizer, parameters, dtype):
    for value in parameters.values():
        for moment in ("exp_avg", "exp_avg_sq"):
            kept = optimizer.state[value][moment]
            kept.copy_(kept.to(dtype).float())


def train(golden, key, optimizer, parameters, clip, moments=None):
    losses = []
    for step in range(STEPS):
        optimizer.zero_grad()
        for i in range(step * ACCUMULATE, (step + 1) * ACCUMULATE):
            loss = loss_of(parameters, data["x"][i], data["target"][i])
            (loss / ACCUMULATE).backward()
            losses.append(loss.item())
        if clip:
            torch.nn.utils.clip_grad_norm_(list(parameters.values()), clip)
        optimizer.step()
        if moments:
            narrow_moments(optimizer, parameters, moments)
    golden[key + "/losses"] = torch.tensor(losses)
    for name, value in parameters.items():
        golden[key + "/" + name] = value
        for k, moment in enumerate(("exp_avg", "exp_avg_sq"), 1):
            if moment in optimizer.state[value]:
                golden[f"{key}/Moment_{k}_{name}"] = optimizer.state[value][moment]


def optimize(golden):
    p = fresh()
    train(golden, "sgd", torch.optim.SGD(list(p.values()), lr=0.1), p, 0.5)
    p = fresh()
    train(golden, "adam", torch.optim.AdamW(list(p.values()), lr=0.01, weight_decay=0, eps=1e-8),
          p, 0)
    p = fresh()
    train(golden, "lamb", Lamb(list(p.values()), lr=0.01, decay=0.1), p, 0.5)
    p = fresh()
    train(golden, "after", DecayAfter(list(p.values()), lr=0.01, decay=0.1), p, 0.5)
    for key, dtype in (("float16", torch.float16), ("bfloat16", torch.bfloat16)):
        p = fresh()
        adam = torch.optim.AdamW(list(p.values()), lr=0.01, weight_decay=0, eps=1e-8)
        train(golden, key, adam, p, 0, dtype)
    p = fresh()
    groups = [{"params": [p["w1"], p["w2"]], "weight_decay": 0.1, "betas": (0.8, 0.99)},
              {"params": [p["b1"], p["b2"]], "weight_decay": 0.0, "betas": (0.9, 0.999)}]
    train(golden, "groups", torch.optim.AdamW(groups, lr=0.01, eps=1e-6), p, 0.5)


initial = {name: torch.randn(shape) * 0.5 for name, shape in PARAMETERS.items()}
data = {"x": torch.randn(STEPS * ACCUMULATE, BATCH, 4),
        "target": torch.randn(STEPS * ACCUMULATE, BATCH, 2),
        "scores_seed": torch.randn(BATCH, 2), "energy_seed": torch.randn(BATCH)}
arrays = {}
gradients(arrays)
optimize(arrays)
arrays.update({"initial/" + name: value for name, value in initial.items()}, **data)
arrays = {name: value.detach().numpy().astype(np.float32) for name, value in arrays.items()}
np.savez(pathlib.Path(__file__).with_name("classic_golden.npz"), **arrays)
