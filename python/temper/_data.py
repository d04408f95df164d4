# SPDX-License-Identifier: Apache-2.0
"""Data of a run: specifications, arrays, batches, and samples by index."""

from __future__ import annotations

import inspect
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Union

import numpy

from temper import _temper
from temper._errors import ArgumentTypeError, InvalidInputError

Arrays = dict[str, Any]

_KINDS = (
    "Pass arrays in a tuple or a dictionary, an iterable of batches, samples by index, or the text "
    "of a data specification."
)


class Batches:
    """Batches of arrays by column, pass by pass; what the engine's stream reads.

    ``passes`` returns the batches of an epoch, from 0. ``batches`` and ``samples`` of a pass are
    None and 0 if they are unknown.
    """

    def __init__(
        self,
        passes: Callable[[int], Iterator[Any]],
        names: list[str],
        *,
        batches: int | None = None,
        samples: int = 0,
        repeats: bool = True,
        varies: bool = False,
    ) -> None:
        self.batches = batches
        self.samples = samples
        self.repeats = repeats  # whether there can be another pass
        self._varies = varies  # whether the passes differ
        self._passes = passes
        self._names = names
        self._pass: Iterator[Any] = iter(())
        self._peeked: list[Any] | None = None
        self._begun = 0

    def peek(self) -> Arrays | None:
        """The first batch of the first pass, which the pass still has; None without batches."""
        if self._peeked is None:
            self._pass = self._passes(0)
            self._peeked = list(itertools.islice(self._pass, 1))
        return columns_of(self._peeked[0], self._names) if self._peeked else None

    def begin(self, epoch: int) -> None:
        """Starts a pass. Raises InvalidInputError if the data can't be iterated again."""
        self._begun += 1
        peeked, self._peeked = self._peeked, None
        if peeked is not None and (epoch == 0 or not self._varies):
            self._pass = itertools.chain(peeked, self._pass)
            return
        if not self.repeats and self._begun > 1:
            raise InvalidInputError(
                "The data has ended before the run: it can be iterated only once.",
                "Pass a function that returns a new iterator, or fewer steps.",
            )
        self._pass = self._passes(epoch)

    def next(self) -> Arrays | None:
        """The next batch; None after the last one of the pass."""
        for batch in self._pass:
            return columns_of(batch, self._names)
        return None

    def all(self) -> Arrays:
        """One pass as a whole: the batches of each column one after the other."""
        found = [columns_of(batch, self._names) for batch in self._passes(0)]
        if not found:
            raise InvalidInputError("The evaluation data has no batches.")
        try:
            return {name: numpy.concatenate([each[name] for each in found]) for name in found[0]}
        except (ValueError, KeyError) as error:
            raise InvalidInputError(
                f"The batches of the evaluation data do not fit together: {error}.",
                "They need the same columns and sample shapes.",
            ) from None


#: What fit() trains on, once it is told apart.
Taken = Union[str, Arrays, Batches]


def taken(
    data: Any, names: list[str], batch_size: int, seed: int | None = None, fixed: int | None = None
) -> Taken:
    """The data as a specification, as arrays by column, or as batches.

    Args:
        names: of the model's inputs, in whose order arrays without names come.
        batch_size: how many samples by index make up a batch.
        seed: of their order, which differs between epochs; None for that of the data.
        fixed: the only size of batches that the model takes, if there is one.

    Raises ArgumentTypeError for anything that is not data.
    """
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    if isinstance(data, Mapping) or is_array(data):
        return columns_of(data, names)
    if isinstance(data, tuple) and data and all(is_array(each) for each in data):
        return columns_of(data, names)
    if isinstance(data, list) and data and all(is_array(each) for each in data):
        raise ArgumentTypeError(
            "A list of arrays could be columns or batches.",
            "Pass columns in a tuple, and batches as tuples or dictionaries.",
        )
    if isinstance(data, Sequence):  # of batches: a list, a deque
        return Batches(lambda _: iter(data), names, batches=len(data))
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        return _by_index(data, names, batch_size, seed, fixed)
    if _iterates_samples(data):
        size = fixed or batch_size
        return Batches(
            lambda _: iter(data.iter(batch_size=size, drop_last_batch=fixed is not None)), names
        )
    if isinstance(data, Iterator):
        return Batches(lambda _: data, names, repeats=False)
    if isinstance(data, Iterable):
        return Batches(lambda _: iter(data), names, batches=_length(data))
    if callable(data) and not inspect.isclass(data):
        make: Any = data
        return Batches(lambda _: iter(make()), names)
    raise ArgumentTypeError(f"Expected data; found {type(data).__name__}.", _KINDS)


def is_array(value: Any) -> bool:
    """Whether it has elements in a shape, as arrays of all libraries do."""
    return isinstance(value, numpy.ndarray) or (
        hasattr(value, "__dlpack__") and hasattr(value, "shape")
    )


def columns_of(batch: Any, names: list[str]) -> Arrays:
    """Arrays by column. Columns of texts are left out: nothing trains on them.

    Raises InvalidInputError for another number of arrays than the model has inputs.
    """
    if is_array(batch):
        batch = (batch,)
    if isinstance(batch, Mapping):
        named = {str(name): _array(value, str(name)) for name, value in batch.items()}
        return {name: array for name, array in named.items() if not _holds_texts(array)}
    if not isinstance(batch, (tuple, list)):
        raise ArgumentTypeError(
            f"Expected a batch of arrays; found {type(batch).__name__}.",
            "A batch is a tuple of arrays, or a dictionary of them.",
        )
    if len(batch) != len(names):
        raise InvalidInputError(
            f"The model takes {len(names)} inputs ({', '.join(names)}); found {len(batch)} arrays.",
            "Pass one array for each, or a dictionary of arrays.",
        )
    return {name: _array(value, name) for name, value in zip(names, batch)}


def _array(value: Any, name: str) -> Any:
    if is_array(value):
        return value
    try:
        return numpy.asarray(value)
    except ValueError:
        raise InvalidInputError(
            f"The samples of column '{name}' differ in shape.", "Pad them to the same shape."
        ) from None


def _holds_texts(array: Any) -> bool:
    return isinstance(array, numpy.ndarray) and array.dtype.kind in "USO"


def _length(data: Any) -> int | None:
    try:
        return len(data)
    except (TypeError, NotImplementedError):  # as PyTorch's loaders of streams
        return None


def _iterates_samples(data: Any) -> bool:
    """A Hugging Face data set that is read from its beginning to its end."""
    return callable(getattr(data, "iter", None)) and hasattr(data, "with_format")


def _by_index(
    data: Any, names: list[str], batch_size: int, seed: int | None, fixed: int | None
) -> Batches:
    """Samples of a PyTorch or Hugging Face data set, shuffled as the engine shuffles arrays."""
    count = len(data)
    size = fixed or batch_size
    if count == 0 or size < 1:
        return Batches(lambda _: iter(()), names, batches=0)
    batches = count // size if fixed else -(-count // size)
    collate = _collated(data)

    def batches_of(epoch: int) -> Iterator[Any]:
        order = numpy.arange(count)
        if seed is not None:
            order = _temper.epoch_order(count, seed, epoch)
        for begin in range(0, batches * size, size):
            yield collate(order[begin : begin + size].tolist(), names)

    return Batches(batches_of, names, batches=batches, samples=count, varies=True)


def _collated(data: Any) -> Callable[[list[int], list[str]], Arrays]:
    """A function that returns the samples of these indices, stacked."""
    if hasattr(data, "with_format"):  # Hugging Face: several at once
        formatted = data.with_format("numpy")
        return lambda indices, names: columns_of(formatted[indices], names)

    def stack(indices: list[int], names: list[str]) -> Arrays:
        samples = [_named(data[index], names) for index in indices]
        columns = {}
        for name in samples[0]:
            values = [numpy.asarray(sample[name]) for sample in samples]
            if any(value.shape != values[0].shape for value in values):
                raise InvalidInputError(
                    f"The samples of column '{name}' differ in shape.",
                    "Pad them to the same shape.",
                )
            columns[name] = numpy.stack(values)
        return {name: array for name, array in columns.items() if not _holds_texts(array)}

    return stack


def _named(sample: Any, names: list[str]) -> Mapping[str, Any]:
    if isinstance(sample, Mapping):
        return sample
    parts = sample if isinstance(sample, (tuple, list)) else (sample,)
    if len(parts) != len(names):
        raise InvalidInputError(
            f"The model takes {len(names)} inputs ({', '.join(names)}); a sample has {len(parts)} "
            "parts.",
            "Let the data set return one for each input, or a dictionary.",
        )
    return dict(zip(names, parts))
