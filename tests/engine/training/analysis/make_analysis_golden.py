#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes analysis_golden.json: figures of scikit-learn for classes and numbers, and gradients of a
small network with respect to its input, from PyTorch. Needs python3-sklearn and python3-torch."""
import json
import pathlib

import numpy as np
import torch
from sklearn import metrics


def rounded(values):
    return [float(f"{v:.9g}") for v in np.asarray(values, dtype=np.float64).ravel()]


def class_case(name, logits, labels):
    probabilities = torch.softmax(torch.tensor(logits), 1).numpy()
    predicted = probabilities.argmax(1)
    classes = list(range(logits.shape[1]))
    figures = metrics.precision_recall_fscore_support(
        labels, predicted, labels=classes, zero_division=0)
    report = {average: rounded(metrics.precision_recall_fscore_support(
        labels, predicted, labels=classes, average=average, zero_division=0)[:3])
        for average in ("macro", "weighted")}
    curves = []
    for c in classes:
        truth = (labels == c).astype(int)
        if truth.min() == truth.max():
            curves.append(None)
            continue
        fpr, tpr, _ = metrics.roc_curve(truth, probabilities[:, c], drop_intermediate=False)
        curves.append({"fpr": rounded(fpr), "tpr": rounded(tpr),
                       "auc": float(metrics.roc_auc_score(truth, probabilities[:, c]))})
    confidence = probabilities.max(1)
    bins = np.clip(np.ceil(confidence.astype(np.float64) * 10).astype(int) - 1, 0, 9)
    right = predicted == labels
    error = sum(abs(right[bins == b].mean() - confidence[bins == b].mean()) * (bins == b).sum()
                for b in range(10) if (bins == b).any()) / len(labels)
    return {"name": name, "logits": rounded(logits), "classes": len(classes),
            "labels": labels.tolist(), "probabilities": rounded(probabilities),
            "confusion": metrics.confusion_matrix(labels, predicted, labels=classes).ravel().tolist(),
            "precision": rounded(figures[0]), "recall": rounded(figures[1]), "f1": rounded(figures[2]),
            "support": figures[3].tolist(), "accuracy": float(right.mean()),
            "macro": report["macro"], "weighted": report["weighted"], "roc": curves,
            "calibration": [int((bins == b).sum()) for b in range(10)], "ece": float(error),
            "losses": rounded(torch.nn.functional.cross_entropy(
                torch.tensor(logits), torch.tensor(labels), reduction="none"))}


def number_case(name, predicted, right):
    return {"name": name, "width": right.shape[1], "predicted": rounded(predicted),
            "right": rounded(right),
            "mae": float(metrics.mean_absolute_error(right, predicted)),
            "rmse": float(metrics.mean_squared_error(right, predicted) ** 0.5),
            "r2": float(metrics.r2_score(right, predicted)),
            "r2_first": float(metrics.r2_score(right[:, 0], predicted[:, 0]))}


def gradient_case():
    """Conv -> ReLU -> MaxPool -> flatten -> linear, and d logit / d input."""
    torch.manual_seed(3)
    conv = torch.nn.Conv2d(1, 2, 3, padding=1)
    linear = torch.nn.Linear(2 * 2 * 2, 3)
    x = torch.randn(2, 1, 4, 4, requires_grad=True)
    hidden = torch.nn.functional.max_pool2d(torch.relu(conv(x)), 2)
    logits = linear(hidden.flatten(1))
    gradients = []
    for output in range(3):
        (gradient,) = torch.autograd.grad(logits[:, output].sum(), x, retain_graph=True)
        gradients.append(rounded(gradient))
    return {"x": rounded(x.detach()), "conv_weight": rounded(conv.weight.detach()),
            "conv_bias": rounded(conv.bias.detach()), "weight": rounded(linear.weight.detach()),
            "bias": rounded(linear.bias.detach()), "logits": rounded(logits.detach()),
            "gradients": gradients}


def main():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 4, 60)
    logits = rng.normal(0, 1.5, (60, 4)).astype(np.float32)
    logits[np.arange(60), labels] += 1
    ties = np.round(rng.normal(0, 1, (40, 3))).astype(np.float32)
    rare = rng.integers(0, 2, 30)  # the third class never appears
    x = rng.normal(0, 2, (50, 2)).astype(np.float32)
    golden = {
        "classes": [class_case("four classes", logits, labels),
                    class_case("equal scores", ties, rng.integers(0, 3, 40)),
                    class_case("a class without samples",
                               rng.normal(0, 1, (30, 3)).astype(np.float32), rare)],
        "numbers": [number_case("two outputs", x + rng.normal(0, 0.7, x.shape).astype(np.float32), x),
                    number_case("worse than the mean", -x[:, :1], x[:, :1])],
        "gradient": gradient_case(),
    }
    path = pathlib.Path(__file__).parent / "analysis_golden.json"
    path.write_text(json.dumps(golden, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
