# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package. Each is a RuntimeError, as ONNX Runtime's are."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    from temper._temper import Finding


class Error(RuntimeError):
    """Something that Temper could not do.

    ``message`` says what was found and what was expected, ``hint`` what to do (it may be empty).
    The text of the error is the message, followed by the hint in a line of its own.

    >>> import temper
    >>> error = temper.Error("The label is 12; expected 0 to 9.", "Check the data.")
    >>> print(error)
    The label is 12; expected 0 to 9.
    Check the data.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint)


class InvalidInputError(Error, ValueError):
    """A file, an argument or data is wrong.

    >>> import temper
    >>> try:
    ...     temper.optimizers.SGD(lr=-1)
    ... except temper.InvalidInputError as error:
    ...     print(error.message)
    The learning rate is -1.0; expected 0 or more.
    """


class NotFoundError(Error, KeyError):
    """A name does not exist: of a parameter, a property, a value of a model.

    >>> import temper
    >>> checkpoint = temper.Checkpoint.of(temper.artifacts(mlp_path))
    >>> try:
    ...     checkpoint["fc9.bias"]
    ... except temper.NotFoundError as error:
    ...     print(error)
    Parameter fc9.bias not found.
    """

    # KeyError would show the message in quotes
    __str__ = Error.__str__


class UnsupportedError(Error, NotImplementedError):
    """It is valid, but Temper can't do it.

    >>> import temper
    >>> issubclass(temper.UnsupportedError, NotImplementedError)
    True
    """


class NumericError(Error, ArithmeticError):
    """A number is NaN or infinite and must not be.

    >>> import temper
    >>> issubclass(temper.NumericError, ArithmeticError)
    True
    """


class StateError(Error):
    """The call is not possible now.

    >>> import temper
    >>> session = temper.Session(temper.artifacts(mlp_path))
    >>> session.close()
    >>> try:
    ...     session.optimizer_step()
    ... except temper.StateError as error:
    ...     print(error.message)
    The session is closed.
    """


class ArgumentTypeError(Error, TypeError):
    """An argument is of a wrong kind.

    >>> import temper
    >>> try:
    ...     temper.open(3)
    ... except TypeError as error:
    ...     print(error)
    Expected a model; found int.
    Pass a path, the bytes of a model, or an onnx.ModelProto.
    """


class FileError(Error, OSError):
    """The operating system refused something.

    >>> import temper
    >>> issubclass(temper.FileError, OSError)
    True
    """

    def __init__(self, message: str, hint: str = "") -> None:
        OSError.__init__(self, message)
        self.message = message
        self.hint = hint

    __str__ = Error.__str__


class MissingFileError(FileError, FileNotFoundError):
    """A file does not exist. ``filename`` is its path.

    >>> import temper
    >>> try:
    ...     temper.open("none.onnx")
    ... except FileNotFoundError as error:
    ...     print(error.filename)
    none.onnx
    """

    def __init__(self, message: str, hint: str = "", path: str = "") -> None:
        FileError.__init__(self, message, hint)
        self.errno = errno.ENOENT
        self.strerror = os.strerror(errno.ENOENT)
        self.filename = path

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint, self.filename)


class ArtifactsError(InvalidInputError):
    """Artifacts can't be made. ``findings`` are all problems, errors first.

    >>> import temper
    >>> try:
    ...     temper.artifacts(mlp_path, train=["fc2.*", "fc8.*", "fc9.*"])
    ... except temper.ArtifactsError as error:
    ...     print([finding.code for finding in error.findings])
    ['A001', 'A001']
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        errors = [finding for finding in findings if finding.severity == "error"]
        others = [finding for finding in findings if finding.severity != "error"]
        hint = errors[0].hint if errors else ""
        super().__init__(" ".join(finding.message for finding in errors), hint)
        self.findings = errors + others

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.findings,)


_BY_CODE: dict[str, type[Error]] = {
    "invalid_input": InvalidInputError,
    "not_found": NotFoundError,
    "unsupported": UnsupportedError,
    "io": FileError,
    "numeric": NumericError,
    "state": StateError,
    "internal": Error,
}


def from_engine(code: str, message: str, hint: str) -> Error:
    """The exception for an error of the engine; the module calls it."""
    return _BY_CODE[code](message, hint)
