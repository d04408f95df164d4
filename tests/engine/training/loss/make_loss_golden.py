# SPDX-License-Identifier: Apache-2.0
"""Writes loss_golden.json: values and gradients that PyTorch gives for losses, in float64.

A case is a formula over the outputs `a` and `b` and the targets it names; "gradients" are the
derivatives of the loss with respect to the outputs.
"""
import json
import pathlib

import torch
import torch.nn.functional as F

torch.manual_seed(7)


def numbers(*shape, scale=1.0):
    """Random numbers that float32 and short decimals hold exactly."""
    return (torch.randn(*shape, dtype=torch.float64) * scale * 64).round() / 64


LOGITS = numbers(6, 4, scale=2.0)
IMAGE = numbers(2, 3, 5, scale=2.0)
LABELS = torch.tensor([3, 0, 2, 2, 1, 0])
SOME = torch.tensor([3, -100, 2, 2, -100, 0])
IMAGE_LABELS = torch.tensor([[0, 1, 2, 0, 1], [2, 2, 1, 0, 0]])
WEIGHT = [0.5, 2.0, 1.25, 0.75]
IMAGE_WEIGHT = [0.5, 2.0, 1.25]
X, T = numbers(5, 3), numbers(5, 3)
YES = torch.tensor([[0, 1, 1], [1, 0, 0], [0.25, 1, 0], [0, 0, 1], [1, 1, 0.5]], dtype=torch.float64)
SIGNS = torch.tensor([[-1, 1, 1], [1, -1, -1], [1, 1, -1], [-1, -1, 1], [1, 1, -1]],
                     dtype=torch.float64)
FAR = torch.tensor([[40.0, -60.0, 100.0], [-100.0, 30.0, -0.5]], dtype=torch.float64)
FAR_YES = torch.tensor([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]], dtype=torch.float64)
PROBABILITIES = (F.softmax(numbers(5, 3), 1) * 64).round() / 64
PROBABILITIES[1] = torch.tensor([0.0, 1.0, 0.0])
SIDE = torch.tensor([1, -1, 1, -1, -1], dtype=torch.float64)

CASES = []


def case(formula, loss, outputs, targets):
    leaves = {name: value.clone().requires_grad_() for name, value in outputs.items()}
    result = loss(**leaves)
    result.backward()
    CASES.append({
        "formula": formula,
        "outputs": {name: entry(value) for name, value in outputs.items()},
        "targets": {name: entry(value) for name, value in targets.items()},
        "loss": result.item(),
        "gradients": {name: leaf.grad.flatten().tolist() for name, leaf in leaves.items()},
    })


def entry(value):
    return {"type": "float32" if value.is_floating_point() else "int64",
            "shape": list(value.shape), "values": value.flatten().tolist()}


def reductions(call, loss, outputs, targets, all_reductions=("mean", "sum")):
    """`call` lacks its closing parenthesis; `none` is averaged by the formula itself."""
    for reduction in all_reductions:
        case(f"{call}, reduction={reduction})", lambda **v: loss(reduction=reduction, **v), outputs,
             targets)
    case(f"mean({call}, reduction=none))", lambda **v: loss(reduction="none", **v).mean(), outputs,
         targets)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def number_losses():
    one = ({"a": X}, {"t": T})
    reductions("mse(a, t", lambda a, reduction: F.mse_loss(a, T, reduction=reduction), *one)
    reductions("l1(a, t", lambda a, reduction: F.l1_loss(a, T, reduction=reduction), *one)
    reductions("huber(a, t, delta=0.75",
               lambda a, reduction: F.huber_loss(a, T, delta=0.75, reduction=reduction), *one)
    case("huber(a, t)", lambda a: F.huber_loss(a, T), *one)
    reductions("smooth_l1(a, t, beta=0.5",
               lambda a, reduction: F.smooth_l1_loss(a, T, beta=0.5, reduction=reduction), *one)
    case("smooth_l1(a, t)", lambda a: F.smooth_l1_loss(a, T), *one)
    case("smooth_l1(a, t, beta=0)", lambda a: F.smooth_l1_loss(a, T, beta=0.0), *one)


def binary_losses():
    one = ({"a": X}, {"t": YES})
    bce = F.binary_cross_entropy_with_logits
    weight, positive = tensor([0.5, 1.0, 3.0]), tensor([2.0, 0.25, 1.0])
    reductions("bce_with_logits(a, t", lambda a, reduction: bce(a, YES, reduction=reduction), *one)
    reductions("bce_with_logits(a, t, weight=[0.5, 1, 3]",
               lambda a, reduction: bce(a, YES, weight=weight, reduction=reduction), *one)
    reductions("bce_with_logits(a, t, pos_weight=[2, 0.25, 1]",
               lambda a, reduction: bce(a, YES, pos_weight=positive, reduction=reduction), *one)
    case("bce_with_logits(a, t, pos_weight=3, weight=[0.5, 1, 3])",
         lambda a: bce(a, YES, weight=weight, pos_weight=tensor([3.0])), *one)
    far = ({"a": FAR}, {"t": FAR_YES})
    case("bce_with_logits(a, t)", lambda a: bce(a, FAR_YES), *far)
    case("bce_with_logits(a, t, pos_weight=3)",
         lambda a: bce(a, FAR_YES, pos_weight=tensor([3.0])), *far)

    def focal(a, alpha=0.25, gamma=2.0, reduction="mean"):
        """As torchvision.ops.sigmoid_focal_loss."""
        p = torch.sigmoid(a)
        missing = 1 - (p * YES + (1 - p) * (1 - YES))
        loss = bce(a, YES, reduction="none") * missing ** gamma
        if alpha >= 0:
            loss = (alpha * YES + (1 - alpha) * (1 - YES)) * loss
        return {"mean": loss.mean(), "sum": loss.sum(), "none": loss}[reduction]

    reductions("binary_focal(a, t", focal, *one)
    case("binary_focal(a, t, focal_alpha=-1, gamma=1.5)", lambda a: focal(a, -1, 1.5), *one)
    case("binary_focal(a, t, focal_alpha=0.6, gamma=0)", lambda a: focal(a, 0.6, 0.0), *one)

    def hinge(a, margin=1.0, reduction="mean"):
        loss = torch.relu(margin - a * SIGNS)
        return {"mean": loss.mean(), "sum": loss.sum(), "none": loss}[reduction]

    reductions("hinge(a, t", hinge, {"a": X}, {"t": SIGNS})
    case("hinge(a, t, margin=0.25)", lambda a: hinge(a, 0.25), {"a": X}, {"t": SIGNS})


def class_losses():
    ce, weight, image_weight = F.cross_entropy, tensor(WEIGHT), tensor(IMAGE_WEIGHT)
    plain = ({"a": LOGITS}, {"t": LABELS})
    some = ({"a": LOGITS}, {"t": SOME})
    image = ({"a": IMAGE}, {"t": IMAGE_LABELS})
    for smoothing in (0, 0.1):
        text = f", label_smoothing={smoothing}" if smoothing else ""
        reductions(f"cross_entropy(a, t{text}",
                   lambda a, reduction: ce(a, LABELS, label_smoothing=smoothing,
                                           reduction=reduction), *plain)
        reductions(f"cross_entropy(a, t, weight={WEIGHT}{text}",
                   lambda a, reduction: ce(a, LABELS, weight=weight, label_smoothing=smoothing,
                                           reduction=reduction), *plain)
        reductions(f"cross_entropy(a, t, ignore_index=-100{text}",
                   lambda a, reduction: ce(a, SOME, label_smoothing=smoothing,
                                           reduction=reduction), *some)
        reductions(f"cross_entropy(a, t, ignore_index=2, weight={WEIGHT}{text}",
                   lambda a, reduction: ce(a, LABELS, weight=weight, ignore_index=2,
                                           label_smoothing=smoothing, reduction=reduction), *plain)
        case(f"cross_entropy(a, t, ignore_index=0, weight={IMAGE_WEIGHT}{text})",
             lambda a: ce(a, IMAGE_LABELS, weight=image_weight, ignore_index=0,
                          label_smoothing=smoothing), *image)

    def nll(a, labels=LABELS, reduction="mean", **options):
        return F.nll_loss(F.log_softmax(a, 1), labels, reduction=reduction, **options)

    reductions("nll(log_softmax(a), t", nll, *plain)
    reductions(f"nll(log_softmax(a), t, weight={WEIGHT}",
               lambda a, reduction: nll(a, weight=weight, reduction=reduction), *plain)
    case(f"nll(log_softmax(a), t, weight={WEIGHT}, ignore_index=-100)",
         lambda a: nll(a, SOME, weight=weight), *some)
    case("nll(log_softmax(a), t)", lambda a: nll(a, IMAGE_LABELS), *image)

    def focal(a, labels=LABELS, gamma=2.0, weights=None, ignore=-100, reduction="mean"):
        """Lin et al. (2017), equation 5, with the class weights for alpha."""
        entropy = ce(a, labels, ignore_index=ignore, reduction="none")
        loss = (1 - torch.exp(-entropy)) ** gamma * entropy
        counts = labels != ignore
        if weights is not None:
            loss = loss * weights[torch.where(counts, labels, 0)]
        total = torch.where(counts, loss, 0.0)
        return {"mean": total.sum() / counts.sum(), "sum": total.sum(), "none": total}[reduction]

    reductions("focal(a, t", focal, *plain)
    reductions(f"focal(a, t, gamma=1.5, weight={WEIGHT}",
               lambda a, reduction: focal(a, gamma=1.5, weights=weight, reduction=reduction), *plain)
    reductions(f"focal(a, t, weight={WEIGHT}, ignore_index=-100",
               lambda a, reduction: focal(a, SOME, weights=weight, reduction=reduction), *some)
    case("focal(a, t, gamma=0)", lambda a: focal(a, gamma=0.0), *plain)
    case(f"focal(a, t, weight={IMAGE_WEIGHT}, ignore_index=1)",
         lambda a: focal(a, IMAGE_LABELS, weights=image_weight, ignore=1), *image)

    # PyTorch always has the classes along axis 1.
    last = ({"a": IMAGE.transpose(1, 2).contiguous()}, {"t": IMAGE_LABELS})
    case(f"cross_entropy(a, t, axis=-1, ignore_index=0, weight={IMAGE_WEIGHT}, label_smoothing=0.1)",
         lambda a: ce(a.transpose(1, 2), IMAGE_LABELS, weight=image_weight, ignore_index=0,
                      label_smoothing=0.1), *last)
    case("cross_entropy(a, t, axis=2)", lambda a: ce(a.transpose(1, 2), IMAGE_LABELS), *last)
    case("nll(a, t, axis=-1)", lambda a: F.nll_loss(a.transpose(1, 2), IMAGE_LABELS), *last)
    case("focal(a, t, axis=-1)", lambda a: focal(a.transpose(1, 2), IMAGE_LABELS), *last)


def other_losses():
    def kl(a, reduction):
        return F.kl_div(F.log_softmax(a, 1), PROBABILITIES, reduction=reduction)

    reductions("kl_div(log_softmax(a), t", kl, {"a": X}, {"t": PROBABILITIES},
               ("mean", "sum", "batchmean"))
    pair = ({"a": X, "b": T}, {"t": SIDE})
    reductions("cosine_embedding(a, b, t",
               lambda a, b, reduction: F.cosine_embedding_loss(a, b, SIDE, reduction=reduction),
               *pair)
    case("cosine_embedding(a, b, t, margin=0.25)",
         lambda a, b: F.cosine_embedding_loss(a, b, SIDE, margin=0.25), *pair)


def formulas():
    both = ({"a": X, "b": LOGITS}, {"t": T, "labels": LABELS})
    case("0.4*mse(a, t) + 0.6*cross_entropy(b, labels)",
         lambda a, b: 0.4 * F.mse_loss(a, T) + 0.6 * F.cross_entropy(b, LABELS), *both)
    case("(mse(a, t) - 2) / (1 + l1(a, t)) - -3*2",
         lambda a: (F.mse_loss(a, T) - 2) / (1 + F.l1_loss(a, T)) + 6, {"a": X}, {"t": T})
    case("mse(a, t) + 0.01*l2(parameter_a) + 0.02*l1reg('parameter_*')",
         lambda a, b: F.mse_loss(a, T) + 0.01 * (a ** 2).sum() +
         0.02 * (a.abs().sum() + b.abs().sum()), {"a": X, "b": T}, {"t": T})
    case("mse(a, b)", lambda a, b: F.mse_loss(a, b), {"a": X, "b": T}, {})
    case("kl_div(log_softmax(a), log_softmax(b), log_target=1, reduction=batchmean)",
         lambda a, b: F.kl_div(F.log_softmax(a, 1), F.log_softmax(b, 1), log_target=True,
                               reduction="batchmean"), {"a": X, "b": T}, {})
    case("sum(sqrt(exp(a))) + mean(log(sigmoid(b))) + sum(abs(a)) + sum(softmax(b)*a)",
         lambda a, b: torch.exp(a).sqrt().sum() + torch.sigmoid(b).log().mean() + a.abs().sum() +
         (F.softmax(b, 1) * a).sum(), {"a": X, "b": T}, {})


def sample_weights():
    """A loss of each sample is the mean (or sum) of its elements; the weighted ones are averaged."""
    w, v = numbers(5).abs() + 0.5, numbers(5).abs() + 0.5
    classes, images = numbers(6).abs() + 0.5, numbers(2).abs() + 0.5
    ce, bce = F.cross_entropy, F.binary_cross_entropy_with_logits
    one = ({"a": X}, {"t": T, "w": w})

    def square(a):
        return F.mse_loss(a, T, reduction="none")

    case("w * mse(a, t)", lambda a: (w * square(a).mean(dim=1)).mean(), *one)
    case("mse(a, t) * w", lambda a: (w * square(a).mean(dim=1)).mean(), *one)
    case("mse(a, t) / w", lambda a: (square(a).mean(dim=1) / w).mean(), *one)
    case("w * mean((a - t)^2)", lambda a: (w * square(a).mean(dim=1)).mean(), *one)
    case("w * mse(a, t, reduction=sum)", lambda a: (w * square(a).sum(dim=1)).sum(), *one)
    case("(1 - 0.5*w) * l1(a, t) / 2",
         lambda a: ((1 - 0.5 * w) * F.l1_loss(a, T, reduction="none").mean(dim=1)).mean() / 2, *one)
    case("w * v * huber(a, t)",
         lambda a: (w * v * F.huber_loss(a, T, reduction="none").mean(dim=1)).mean(), {"a": X},
         {"t": T, "w": w, "v": v})
    case("w * (0.4*mse(a, t) - smooth_l1(a, t)) + 0.01*l2(parameter_a)",
         lambda a: (w * (0.4 * square(a) - F.smooth_l1_loss(a, T, reduction="none")).mean(dim=1))
         .mean() + 0.01 * (a ** 2).sum(), *one)
    case("w * mse(a, t) + v * l1(a, t)",
         lambda a: (w * square(a).mean(dim=1)).mean() +
         (v * F.l1_loss(a, T, reduction="none").mean(dim=1)).mean(), {"a": X},
         {"t": T, "w": w, "v": v})
    case("w * bce_with_logits(a, t, pos_weight=2)",
         lambda a: (w * bce(a, YES, pos_weight=tensor([2.0]), reduction="none").mean(dim=1)).mean(),
         {"a": X}, {"t": YES, "w": w})
    case("w * kl_div(log_softmax(a), t, reduction=batchmean)",
         lambda a: (w * F.kl_div(F.log_softmax(a, 1), PROBABILITIES, reduction="none").sum(dim=1))
         .mean(), {"a": X}, {"t": PROBABILITIES, "w": w})
    case("w * cosine_embedding(a, b, t)",
         lambda a, b: (w * F.cosine_embedding_loss(a, b, SIDE, reduction="none")).mean(),
         {"a": X, "b": T}, {"t": SIDE, "w": w})
    case("w * cross_entropy(a, t, label_smoothing=0.2)",
         lambda a: (classes * ce(a, LABELS, label_smoothing=0.2, reduction="none")).mean(),
         {"a": LOGITS}, {"t": LABELS, "w": classes})
    case("w * cross_entropy(a, t)",
         lambda a: (images * ce(a, IMAGE_LABELS, reduction="none").mean(dim=1)).mean(),
         {"a": IMAGE}, {"t": IMAGE_LABELS, "w": images})
    case("w * nll(log_softmax(a), t)",
         lambda a: (classes * F.nll_loss(F.log_softmax(a, 1), LABELS, reduction="none")).mean(),
         {"a": LOGITS}, {"t": LABELS, "w": classes})
    case(f"sum(w * cross_entropy(a, t, weight={WEIGHT}, reduction=none)) / sum(w)",
         lambda a: (classes * ce(a, LABELS, weight=tensor(WEIGHT), reduction="none")).sum() /
         classes.sum(), {"a": LOGITS}, {"t": LABELS, "w": classes})


def names_before_values():
    """A new input also gets its type from operands after it."""
    w = numbers(5, 3)
    one = ({"a": X}, {"t": T, "w": w})
    case("mean(w * (a - t)^2)", lambda a: (w * (a - T) ** 2).mean(), *one)
    case("mean(w*abs(a-t))", lambda a: (w * (a - T).abs()).mean(), *one)
    case("sum(w * (t - a))", lambda a: (w * (T - a)).sum(), *one)
    case("1 / sum(w) * sum(w * (a - t)^2)", lambda a: (w * (a - T) ** 2).sum() / w.sum(), *one)


def sequence_losses():
    def ctc(a, labels, blank=0, time_axis=1, reduction="mean", zero_infinity=False):
        counts = (labels >= 0) & (labels != blank)
        shares = F.log_softmax(a, 2)
        if time_axis == 1:
            shares = shares.transpose(0, 1)
        steps = torch.full((labels.shape[0],), shares.shape[0])
        return F.ctc_loss(shares, torch.where(counts, labels, blank + 1), steps, counts.sum(1),
                          blank, reduction, zero_infinity)

    logits = numbers(4, 7, 5, scale=2.0)
    labels = torch.tensor([[1, 2, 2, -1], [3, -1, -1, -1], [4, 1, 2, 3], [0, 0, 0, 0]])
    one = ({"a": logits}, {"t": labels})
    reductions("ctc(a, t", lambda a, reduction: ctc(a, labels, reduction=reduction), *one)
    turned = logits.transpose(0, 1).contiguous()
    case("ctc(a, t, time_axis=0)", lambda a: ctc(a, labels, time_axis=0), {"a": turned},
         {"t": labels})
    last = torch.where(labels > 0, labels - 1, -100)
    last[0, 3] = 4
    case("ctc(a, t, blank=4)", lambda a: ctc(a, last, blank=4), {"a": logits}, {"t": last})
    many = torch.tensor([[1, 1, 1, 2], [1, 1, 1, -1], [3, 3, 2, -1], [1, 2, 3, 4]])
    case("ctc(a, t, zero_infinity=1)", lambda a: ctc(a, many, zero_infinity=True),
         {"a": logits[:, :4].contiguous()}, {"t": many})
    single = torch.tensor([[2], [-1], [4], [1]])
    case("ctc(a, t)", lambda a: ctc(a, single), {"a": logits[:, :1].contiguous()}, {"t": single})
    w = tensor([1.0, 0.5, 2.0, 1.5])
    case("mean(w * ctc(a, t, reduction=none))",
         lambda a: (w * ctc(a, labels, reduction="none")).mean(), {"a": logits},
         {"t": labels, "w": w})


number_losses()
binary_losses()
class_losses()
other_losses()
formulas()
sample_weights()
names_before_values()
sequence_losses()
path = pathlib.Path(__file__).with_name("loss_golden.json")
lines = ",\n".join(json.dumps(one) for one in CASES)
path.write_text(f"[\n{lines}\n]\n")
print(f"{len(CASES)} cases")
