# SPDX-License-Identifier: Apache-2.0
"""Writes token_golden.json and language_model_golden.json: losses of next tokens.

The first has cases like those of make_loss_golden.py: values and gradients computed by NumPy in
float64. The second has the weights of language_model.txt, batches for it, and the losses: its
logits by ONNX Runtime, then the formula in float64. The formula is that of ForCausalLMLoss in
Transformers: labels shifted by one, -100 ignored, the mean over what is left.

    python make_token_golden.py        # needs numpy, onnx and onnxruntime
"""
import json
import pathlib

import numpy as np
import onnx
import onnxruntime

HERE = pathlib.Path(__file__).parent
IGNORED = -100
RENAMED = {"past_key": "past_key_values.0.key", "past_value": "past_key_values.0.value",
           "present_key": "present.0.key", "present_value": "present.0.value"}
random = np.random.default_rng(11)


def numbers(*shape, scale=1.0):
    """Random numbers that float32 and short decimals hold exactly."""
    return np.round(random.standard_normal(shape) * scale * 64) / 64


def losses(logits, labels, smoothing=0.0):
    """The loss of each position with a next label, otherwise 0; and the derivative of their sum.

    Shapes: [N, T - 1], [N, T, classes].
    """
    shifted, targets = logits[:, :-1], labels[:, 1:]
    counts = targets != IGNORED
    shares = np.exp(shifted - shifted.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    wanted = np.zeros_like(shares)
    np.put_along_axis(wanted, np.where(counts, targets, 0)[..., None], 1.0, -1)
    wanted = (1 - smoothing) * wanted + smoothing / logits.shape[-1]
    each = -(wanted * np.log(shares)).sum(-1) * counts
    slope = np.zeros_like(logits)
    slope[:, :-1] = (shares - wanted) * counts[..., None]
    return each, slope, counts.sum()


def check_slope(logits, labels, smoothing, slope):
    for _ in range(20):
        at = tuple(random.integers(0, size) for size in logits.shape)
        step = np.zeros_like(logits)
        step[at] = 1e-5
        above, below = (losses(logits + s, labels, smoothing)[0].sum() for s in (step, -step))
        assert abs((above - below) / 2e-5 - slope[at]) < 1e-8


def entry(value):
    kind = "float32" if value.dtype.kind == "f" else "int64"
    return {"type": kind, "shape": list(value.shape), "values": value.ravel().tolist()}


def case(options, tokens, logits, pad=None, smoothing=0.0, reduction="mean"):
    labels = np.where(tokens == pad, IGNORED, tokens)
    each, slope, count = losses(logits, labels, smoothing)
    check_slope(logits, labels, smoothing, slope)
    divisor = {"mean": count, "sum": 1, "none": tokens.size}[reduction]
    call = f"next_token(a, tokens{options})"
    return {"formula": f"mean({call})" if reduction == "none" else call,
            "outputs": {"a": entry(logits)}, "targets": {"tokens": entry(tokens)},
            "loss": each.sum() / divisor, "gradients": {"a": (slope / divisor).ravel().tolist()}}


def loss_cases():
    tokens = random.integers(0, 7, (3, 5))
    logits = numbers(3, 5, 7, scale=2.0)
    ended = tokens.copy()
    ended[0, 3:] = ended[2, 1:] = IGNORED
    padded = np.where(tokens == tokens[0, 0], 3, tokens)
    padded[1, 2:] = 0
    short = tokens[:, :2]
    return [
        case("", tokens, logits),
        case("", ended, logits),
        case("", short, logits[:, :2]),
        case(", pad_id=0", padded, logits, pad=0),
        case(", pad_id=0, label_smoothing=0.1", padded, logits, pad=0, smoothing=0.1),
        case(", label_smoothing=0.25", ended, logits, smoothing=0.25),
        case(", reduction=sum", ended, logits, reduction="sum"),
        case(", reduction=none, pad_id=3", padded, logits, pad=3, reduction="none"),
    ]


def language_model():
    model = onnx.parser.parse_model((HERE / "language_model.txt").read_text())
    graph = model.graph
    for value in [*graph.input, *graph.output]:
        value.name = RENAMED.get(value.name, value.name)
    for node in graph.node:
        node.input[:] = [RENAMED.get(name, name) for name in node.input]
        node.output[:] = [RENAMED.get(name, name) for name in node.output]
    weights = {}
    for value in [one for one in graph.input if one.name.endswith("_weight")]:
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        weights[value.name] = numbers(*shape, scale=0.5)
        graph.input.remove(value)
    for name, value in weights.items():
        graph.initializer.append(onnx.numpy_helper.from_array(value.astype(np.float32), name))
    onnx.checker.check_model(model)
    return onnxruntime.InferenceSession(model.SerializeToString()), weights


def batches():
    """Columns, labels and padding token (-1: none): all that a data set may have or lack."""
    ids = random.integers(1, 11, (6, 7))
    mask = np.ones_like(ids)
    mask[::2, 5:] = 0
    left = mask[:, ::-1]
    padded = np.where(mask == 0, 0, ids)
    cache = {name: numbers(6, 2, 3, 4) for name in ("past_key_values.0.key",
                                                    "past_key_values.0.value")}
    long_mask = np.concatenate([np.ones((6, 3), np.int64), mask], 1)
    own = np.where(random.random(ids.shape) < 0.3, IGNORED, random.integers(0, 11, ids.shape))
    yield "tokens alone", {"input_ids": ids}, ids, -1
    yield "a mask", {"input_ids": ids, "attention_mask": mask}, np.where(mask, ids, IGNORED), -1
    yield ("a mask in front", {"input_ids": ids, "attention_mask": left},
           np.where(left, ids, IGNORED), -1)
    yield "a padding token", {"input_ids": padded}, np.where(mask, ids, IGNORED), 0
    yield ("both", {"input_ids": padded, "attention_mask": mask}, np.where(mask, ids, IGNORED), 0)
    yield ("places", {"input_ids": ids, "position_ids": np.tile(np.arange(7)[::-1], (6, 1))},
           ids, -1)
    yield "a cache", {"input_ids": ids, **cache}, ids, -1
    yield ("a cache and a mask", {"input_ids": ids, "attention_mask": long_mask, **cache},
           np.where(mask, ids, IGNORED), -1)
    yield "labels of their own", {"input_ids": ids, "labels": own}, own, -1


def whole_feeds(columns):
    samples, length = columns["input_ids"].shape
    empty = np.zeros((samples, 2, 0, 4))
    feeds = {"past_key_values.0.key": empty, "past_key_values.0.value": empty, **columns}
    past = feeds["past_key_values.0.key"].shape[2]
    feeds.setdefault("attention_mask", np.ones((samples, past + length), np.int64))
    feeds.setdefault("position_ids", np.tile(np.arange(past, past + length), (samples, 1)))
    feeds.pop("labels", None)
    return {name: value.astype(np.float32) if value.dtype.kind == "f" else value
            for name, value in feeds.items()}


def model_golden():
    session, weights = language_model()
    golden = {"weights": {name: entry(value) for name, value in weights.items()}, "batches": []}
    for name, columns, labels, pad in batches():
        logits = session.run(["logits"], whole_feeds(columns))[0].astype(np.float64)
        each, _, count = losses(logits, labels)
        golden["batches"].append({"name": name, "pad_id": pad, "loss": each.sum() / count,
                                  "columns": {key: entry(value)
                                              for key, value in columns.items()}})
    return golden


def write(name, document):
    lines = ",\n".join(json.dumps(one) for one in document) if isinstance(document, list) else None
    text = f"[\n{lines}\n]\n" if lines else json.dumps(document, indent=None) + "\n"
    (HERE / name).write_text(text)


write("token_golden.json", loss_cases())
write("language_model_golden.json", model_golden())
