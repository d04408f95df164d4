#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training-step baseline: the same forward models, trained by PyTorch on the CPU.

Exports each model to ONNX (so that another engine can train exactly the same graph on the same
batch) and times one full training step in PyTorch: forward + loss + backward + AdamW update +
zero_grad.

    tests/bench/torch_baseline.py --out DIR [--models mlp,lenet,...] [--variants eager,...]
                                  [--threads 1,2] [--seconds S] [--export-only] [--head-only]

PyTorch is given its best chance: each variant in VARIANTS is tried with each number of threads, and
the fastest is the baseline. Needs PyPI's torch (2.15 when this was written), torchvision, onnx,
numpy, and a C++ compiler for the compiled variants. Unset OPENBLAS_CORETYPE where it is set.

Writes DIR/<model>.onnx (unless it is there already) and DIR/<model>.npz (input_0.. and labels, or
target for MSELoss: the names artifact generation gives) and prints one JSON object per model,
variant and number of threads:
    {"model", "variant", "threads", "batch", "steps", "median_ms", "p10_ms", "p90_ms",
     "peak_rss_mb", "first_step_s", "loss_first", "loss_last"}
Losses: CrossEntropyLoss (mean) over the first output, with the class axis 1 (so [N, C] or [N, C,
...]); 'autoencoder' has MSELoss. 'peak_rss_mb' is of the whole process: run one model a process to
compare it.
"""

import argparse
import json
import os
import resource
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

VARIANTS = ("eager", "channels_last", "compile", "compile_channels_last")


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)
        )

    def forward(self, x):
        return self.net(x)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 32, 5, padding=2), nn.Conv2d(32, 64, 5, padding=2)
        self.f1, self.f2 = nn.Linear(64 * 7 * 7, 256), nn.Linear(256, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.f2(F.relu(self.f1(torch.flatten(x, 1))))


class Block(nn.Module):
    """A transformer layer of 4 heads: post-norm and GELU as in BERT, or pre-norm and causal as in
    GPT-2."""

    def __init__(self, d, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.f1, self.f2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def attend(self, x):
        q, k, v = (self.split(m(x)) for m in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.o(y.transpose(1, 2).reshape(x.shape))

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x):
        if self.causal:
            x = x + self.attend(self.n1(x))
            return x + self.f2(F.gelu(self.f1(self.n2(x)), approximate="tanh"))
        x = self.n1(x + self.attend(x))
        return self.n2(x + self.f2(F.gelu(self.f1(x))))


class Encoder(nn.Module):
    """BERT-mini shaped encoder classifier: 4 layers, hidden 256, 4 heads, sequence 128."""

    def __init__(self, vocab=8192, d=256, heads=4, layers=4, seq=128, classes=4):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Parameter(torch.randn(1, seq, d) * 0.02)
        self.layers = nn.ModuleList(Block(d, heads, causal=False) for _ in range(layers))
        self.out = nn.Linear(d, classes)

    def forward(self, ids):
        x = self.tok(ids) + self.pos
        for layer in self.layers:
            x = layer(x)
        return self.out(x.mean(1))


class Gpt(nn.Module):
    """A small causal language model, next token at each place: logits [N, vocabulary, sequence]."""

    def __init__(self, vocab=2048, d=192, heads=6, layers=4, seq=256):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Parameter(torch.randn(1, seq, d) * 0.02)
        self.layers = nn.ModuleList(Block(d, heads, causal=True) for _ in range(layers))
        self.norm, self.out = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)

    def forward(self, ids):
        x = self.tok(ids) + self.pos
        for layer in self.layers:
            x = layer(x)
        return self.out(self.norm(x)).transpose(1, 2)


class LSTMNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.LSTM(32, 128, batch_first=False), nn.Linear(128, 6)

    def forward(self, x):
        y, _ = self.rnn(x)
        return self.out(y[-1])


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.ReLU()
        )
        self.dec = nn.Sequential(
            nn.ConvTranspose2d(64, 32, 4, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 3, 4, 2, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.dec(self.enc(x))


class UNet(nn.Module):
    """Segmentation: three scales, GroupNorm and SiLU, transposed convolutions; logits [N, 4, H,
    W]."""

    def __init__(self, c=24, classes=4):
        super().__init__()
        conv = lambda i, o: nn.Sequential(
            nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(8, o), nn.SiLU()
        )
        self.d1, self.d2, self.mid = conv(3, c), conv(c, 2 * c), conv(2 * c, 4 * c)
        self.u2, self.u1 = nn.ConvTranspose2d(4 * c, 2 * c, 2, 2), nn.ConvTranspose2d(
            2 * c, c, 2, 2
        )
        self.e2, self.e1, self.out = conv(4 * c, 2 * c), conv(2 * c, c), nn.Conv2d(c, classes, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        y = self.u2(self.mid(F.max_pool2d(b, 2)))
        y = self.u1(self.e2(torch.cat([y, b], 1)))
        return self.out(self.e1(torch.cat([y, a], 1)))


class Keywords(nn.Module):
    """Keyword spotting on mel spectrograms [N, 1, 40, 100]: depthwise separable convolutions."""

    def __init__(self, c=64, blocks=4, classes=12):
        super().__init__()
        layers = [nn.Conv2d(1, c, (4, 10), 2, (1, 4), bias=False), nn.BatchNorm2d(c), nn.ReLU()]
        for _ in range(blocks):
            layers += [
                nn.Conv2d(c, c, 3, 1, 1, groups=c, bias=False),
                nn.BatchNorm2d(c),
                nn.ReLU(),
                nn.Conv2d(c, c, 1, bias=False),
                nn.BatchNorm2d(c),
                nn.ReLU(),
            ]
        self.body, self.out = nn.Sequential(*layers), nn.Linear(c, classes)

    def forward(self, x):
        return self.out(self.body(x).mean((2, 3)))


class Tabular(nn.Module):
    """A table of 8 categories (of up to 1,000 values) and 24 numbers, as click and fraud models
    have it."""

    def __init__(self, d=16, classes=2):
        super().__init__()
        self.tables = nn.ModuleList(
            nn.Embedding(n, d) for n in (1000, 500, 200, 100, 50, 20, 10, 5)
        )
        self.net = nn.Sequential(
            nn.Linear(8 * d + 24, 256),
            nn.BatchNorm1d(256),
            nn.ReLU(),
            nn.Linear(256, 128),
            nn.ReLU(),
            nn.Linear(128, classes),
        )

    def forward(self, categories, numbers):
        x = [table(categories[:, k]) for k, table in enumerate(self.tables)]
        return self.net(torch.cat(x + [numbers], 1))


def vit():
    from torchvision.models import VisionTransformer

    return VisionTransformer(
        image_size=224,
        patch_size=16,
        num_layers=6,
        num_heads=3,
        hidden_dim=192,
        mlp_dim=768,
        num_classes=10,
    )


def torchvision_model(name, classes):
    import torchvision

    return getattr(torchvision.models, name)(num_classes=classes)


def catalogue():
    """name -> (maker, inputs, labels; None where the target is the first input)."""
    g = torch.Generator().manual_seed(7)
    r = lambda *s: torch.randn(*s, generator=g)
    i = lambda hi, *s: torch.randint(0, hi, s, generator=g)
    sizes = torch.tensor([1000, 500, 200, 100, 50, 20, 10, 5])
    return {
        "mlp": (MLP, [r(64, 784)], i(10, 64)),
        "lenet": (LeNet, [r(64, 1, 28, 28)], i(10, 64)),
        "resnet18": (lambda: torchvision_model("resnet18", 10), [r(8, 3, 224, 224)], i(10, 8)),
        "mobilenetv2": (lambda: torchvision_model("mobilenet_v2", 4), [r(8, 3, 224, 224)], i(4, 8)),
        "encoder": (Encoder, [i(8192, 8, 128)], i(4, 8)),
        "lstm": (LSTMNet, [r(64, 32, 32)], i(6, 32)),
        "autoencoder": (AutoEncoder, [torch.rand(16, 3, 64, 64, generator=g)], None),
        "gpt": (Gpt, [i(2048, 4, 256)], i(2048, 4, 256)),
        "vit": (vit, [r(8, 3, 224, 224)], i(10, 8)),
        "efficientnet": (
            lambda: torchvision_model("efficientnet_b0", 4),
            [r(8, 3, 224, 224)],
            i(4, 8),
        ),
        "unet": (UNet, [r(4, 3, 128, 128)], i(4, 4, 128, 128)),
        "keywords": (Keywords, [r(64, 1, 40, 100)], i(12, 64)),
        "tabular": (
            Tabular,
            [torch.rand(512, 8, generator=g).mul(sizes).long(), r(512, 24)],
            i(2, 512),
        ),
    }


def export(name, folder):
    """Writes NAME.onnx (batch normalization and dropout in training mode) and NAME.npz."""
    make, inputs, labels = catalogue()[name]
    torch.manual_seed(0)
    torch.onnx.export(
        make().train(),
        tuple(inputs),
        os.path.join(folder, name + ".onnx"),
        opset_version=17,
        dynamo=False,
        training=torch.onnx.TrainingMode.TRAINING,
        do_constant_folding=False,
        input_names=[f"input_{k}" for k in range(len(inputs))],
        output_names=["output"],
    )
    named = {f"input_{k}": t.numpy() for k, t in enumerate(inputs)}
    named["target" if labels is None else "labels"] = (
        inputs[0] if labels is None else labels
    ).numpy()
    np.savez(os.path.join(folder, name + ".npz"), **named)


def training_step(name, variant="eager", head_only=False):
    """Returns: a function that does one training step of PyTorch and returns the loss."""
    make, inputs, labels = catalogue()[name]
    torch.manual_seed(0)
    model = make().train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    parameters = list(model.parameters())
    if head_only:
        for p in parameters[:-2]:
            p.requires_grad_(False)
        parameters = parameters[-2:]
    if "channels_last" in variant:
        model = model.to(memory_format=torch.channels_last)
        inputs = [x.to(memory_format=torch.channels_last) if x.dim() == 4 else x for x in inputs]
    target = inputs[0] if labels is None else labels
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.01, fused=True)

    def loss_of(*x):
        y = model(*x)
        return F.mse_loss(y, target) if labels is None else F.cross_entropy(y, target)

    forward = torch.compile(loss_of) if variant.startswith("compile") else loss_of

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = forward(*inputs)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def measure(name, variant, threads, seconds, head_only):
    torch.set_num_threads(threads)
    step = training_step(name, variant, head_only)
    begin = time.perf_counter()
    first = step()
    first_step = time.perf_counter() - begin
    for _ in range(3):
        step()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin = time.perf_counter()
        last = step()
        times.append((time.perf_counter() - begin) * 1e3)
    p10, median, p90 = (round(float(q), 3) for q in np.quantile(times, [0.1, 0.5, 0.9]))
    return dict(
        model=name,
        variant=variant,
        threads=threads,
        batch=len(catalogue()[name][1][0]),
        steps=len(times),
        median_ms=median,
        p10_ms=p10,
        p90_ms=p90,
        first_step_s=round(first_step, 3),
        peak_rss_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        loss_first=first,
        loss_last=last,
    )


def main():
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ap.add_argument("--out", required=True)
    ap.add_argument("--models", default="")
    ap.add_argument("--variants", default="eager")
    ap.add_argument("--threads", default=str(os.cpu_count()))
    ap.add_argument("--seconds", type=float, default=8)
    ap.add_argument("--export-only", action="store_true")
    ap.add_argument(
        "--head-only",
        action="store_true",
        help="train only the last layer's parameters (fine-tuning)",
    )
    a = ap.parse_args()
    names = [n for n in a.models.split(",") if n] or list(catalogue())
    unknown = [n for n in names if n not in catalogue()] + [
        v for v in a.variants.split(",") if v not in VARIANTS
    ]
    if unknown:
        sys.exit(
            f"unknown: {', '.join(unknown)}; models: {', '.join(catalogue())}; "
            f"variants: {', '.join(VARIANTS)}"
        )
    os.makedirs(a.out, exist_ok=True)
    for name in names:
        if a.export_only or not os.path.exists(os.path.join(a.out, name + ".onnx")):
            export(name, a.out)
        if a.export_only:
            continue
        for variant in a.variants.split(","):
            for threads in a.threads.split(","):
                print(
                    json.dumps(measure(name, variant, int(threads), a.seconds, a.head_only)),
                    flush=True,
                )


if __name__ == "__main__":
    main()
