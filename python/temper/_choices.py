# SPDX-License-Identifier: Apache-2.0
"""Objects that stand for losses, optimizers and schedules of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from temper import _temper
from temper._choice_descriptions import class_name, default_of, documentation
from temper._errors import ArgumentTypeError, InvalidInputError

if TYPE_CHECKING:
    import inspect

_Given = dict[str, Any]
_Kind = TypeVar("_Kind", bound="Choice")


class _SignatureOfChoice:
    """The signature of a class, made when it is asked for: importing inspect takes time."""

    def __get__(self, instance: object, owner: type[Choice]) -> inspect.Signature:
        if "_parameters" not in vars(owner):  # not made from a description
            raise AttributeError("__signature__")
        import inspect

        keyword_only = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter(name, keyword_only, default=default_of(parameter))
            for name, parameter in owner._parameters.items()
        ]
        if owner.family == "optimizer":
            parameters.insert(0, inspect.Parameter("lr", keyword_only, default=None))
        return inspect.Signature(parameters)


class Choice:
    """A choice with the hyperparameters that were given; the others have the engine's defaults.

    It does not change; equal ones compare equal, and it can be pickled.
    """

    #: "loss", "optimizer" or "schedule"
    family: ClassVar[str]
    #: The choice's name in specifications and on the command line.
    key: str
    _parameters: ClassVar[Mapping[str, _temper.HyperParameter]] = {}
    __signature__ = _SignatureOfChoice()
    __slots__ = ("_given",)
    _given: _Given

    def __init__(self, **given: Any) -> None:
        unknown = [name for name in given if name not in self._parameters]
        if unknown:
            names = ", ".join(self._parameters) or "none"
            raise ArgumentTypeError(
                f"{type(self).__name__} has no argument '{unknown[0]}'.", f"It has: {names}."
            )
        values = {name: self._converted(name, value) for name, value in given.items()}
        object.__setattr__(self, "_given", values)
        _temper.require_valid(self.family, self.key, self._values(), self._lists())

    def _converted(self, name: str, value: Any) -> Any:
        kind = self._parameters[name].kind
        try:
            if kind == "list":
                return tuple(float(number) for number in value)
            return _switch(value) if kind == "switch" else float(value)
        except (TypeError, ValueError):
            expected = {"list": "numbers", "switch": "True or False"}.get(kind, "a number")
            raise ArgumentTypeError(
                f"'{name}' of {type(self).__name__} is {value!r}; expected {expected}."
            ) from None

    @property
    def options(self) -> dict[str, Any]:
        """The hyperparameters that were given, by name."""
        return dict(self._given)

    def _values(self) -> dict[str, float]:
        return {
            name: float(value)
            for name, value in self._given.items()
            if self._parameters[name].kind != "list"
        }

    def _lists(self) -> dict[str, list[float]]:
        return {
            name: list(value)
            for name, value in self._given.items()
            if self._parameters[name].kind == "list"
        }

    def selection(self) -> dict[str, Any]:
        """As in the JSON of specifications: {"key": ..., "values": ..., "lists": ...}."""
        chosen: dict[str, Any] = {"key": self.key}
        if self._values():
            chosen["values"] = self._values()
        if self._lists():
            chosen["lists"] = self._lists()
        return chosen

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} can't be changed; make another one.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Choice):
            return NotImplemented
        return type(self) is type(other) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self), self._identity()))

    def _identity(self) -> tuple[Any, ...]:
        return self.key, tuple(sorted(self._given.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._arguments())

    def _arguments(self) -> _Given:
        """What the constructor takes to make an equal one."""
        return dict(self._given)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={_text(value)}" for name, value in self._arguments().items())
        return f"{type(self).__name__}({arguments})"


def _restored(kind: type[_Kind], arguments: _Given) -> _Kind:
    return kind(**arguments)


def _switch(value: Any) -> bool:
    """Raises ValueError for anything but True and False: bool() takes "False" as true."""
    if isinstance(value, str) or value not in (False, True):
        raise ValueError(value)
    return bool(value)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_text, value)) + "]"
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)


class Loss(Choice):
    """What training makes small. The classes below it are the engine's losses.

    >>> import temper
    >>> temper.losses.CrossEntropy(label_smoothing=0.1)
    CrossEntropy(label_smoothing=0.1)
    >>> made = temper.artifacts(mlp_path, loss=temper.losses.Focal(gamma=1.5))
    """

    family = "loss"
    __slots__ = ()


class Formula(Loss):
    """A loss that is a formula of losses: ``Formula("0.4*mse(a, x) + 0.6*l1(b, y)")``.

    ``temper artifacts --help`` lists the losses that formulas may call.
    """

    __slots__ = ("_formula",)
    _formula: str

    def __init__(self, formula: str) -> None:
        if not isinstance(formula, str):
            raise ArgumentTypeError(f"Expected a formula as text; found {formula!r}.")
        object.__setattr__(self, "_formula", formula)
        object.__setattr__(self, "_given", {})

    @property
    def key(self) -> str:  # type: ignore[override]
        """The formula."""
        return self._formula

    def _arguments(self) -> _Given:
        return {"formula": self._formula}

    def __repr__(self) -> str:
        return f"Formula({self._formula!r})"


class Optimizer(Choice):
    """How gradients change parameters. The classes below it are the engine's optimizers.

    ``lr`` is the learning rate that sessions begin with; the artifacts' checkpoint keeps it.

    >>> import temper
    >>> optimizer = temper.optimizers.AdamW(lr=0.25, weight_decay=0.01)
    >>> optimizer
    AdamW(lr=0.25, weight_decay=0.01)
    >>> optimizer.beta1
    0.9
    >>> temper.Session(temper.artifacts(mlp_path, optimizer=optimizer)).learning_rate
    0.25
    """

    family = "optimizer"
    __slots__ = ("_lr",)
    _lr: float | None

    def __init__(self, *, lr: float | None = None, **given: Any) -> None:
        if lr is not None:
            try:
                lr = float(lr)
            except (TypeError, ValueError):
                raise ArgumentTypeError(f"'lr' is {lr!r}; expected a number.") from None
            if not 0 <= lr < float("inf"):
                raise InvalidInputError(f"The learning rate is {lr}; expected 0 or more.")
        object.__setattr__(self, "_lr", lr)
        super().__init__(**given)

    @property
    def lr(self) -> float | None:
        """The learning rate, or None: 0.001."""
        return self._lr

    def _identity(self) -> tuple[Any, ...]:
        return (*super()._identity(), self._lr)

    def _arguments(self) -> _Given:
        return {**({} if self._lr is None else {"lr": self._lr}), **self._given}


class Schedule(Choice):
    """How the learning rate changes from step to step.

    >>> import temper
    >>> cosine = temper.schedules.Cosine(warmup_steps=10)
    >>> [cosine.rate(step, lr=0.5, total_steps=110) for step in (0, 5, 10, 60, 110)]
    [0.0, 0.25, 0.5, 0.25, 0.0]
    """

    family = "schedule"
    __slots__ = ()

    def rate(self, step: int, lr: float, total_steps: int) -> float:
        """The learning rate of the optimizer step after ``step`` steps.

        ``lr`` is the full rate and ``total_steps`` how many steps there are. A schedule that
        follows evaluations stays as it begins.
        """
        return _temper.schedule_rate(
            self.key, self._values(), self._lists(), float(lr), total_steps, step
        )


def _reader(parameter: _temper.HyperParameter) -> property:
    default = default_of(parameter)
    return property(lambda self: self._given.get(parameter.key, default), doc=parameter.help)


def classes(base: type[Choice], module: str) -> dict[str, type[Choice]]:
    """A class below ``base`` for each of the engine's choices, by the class's name."""
    made = {}
    for choice in _temper.choices(base.family):
        if choice.key == "none":  # which None is for
            continue
        members: dict[str, Any] = {
            parameter.key: _reader(parameter) for parameter in choice.hyperparameters
        }
        members.update(
            __module__=module,
            __doc__=documentation(choice),
            __slots__=(),
            key=choice.key,
            _parameters={parameter.key: parameter for parameter in choice.hyperparameters},
        )
        name = class_name(choice)
        made[name] = type(name, (base,), members)
    return made
