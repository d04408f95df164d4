# SPDX-License-Identifier: Apache-2.0
"""Temper trains ONNX models.

    import temper

    run = temper.fit("model.onnx", (x, labels), epochs=20)
    run.export("trained.onnx")

Step by step:

    made = temper.artifacts("model.onnx", loss="cross-entropy")
    session = temper.Session(made)
    for x, y in batches:
        loss = session.train_step(x, y).loss
        session.optimizer_step()
        session.reset_gradients()
    session.export("trained.onnx")

Code for onnxruntime-training runs after one line: ``temper.as_onnxruntime_training()``.
"""

from temper import losses, optimizers, schedules
from temper._artifacts import artifacts, load_artifacts
from temper._checkpoint import Checkpoint, Parameter, Properties
from temper._checkpoint_diff import CheckpointDiff, diff
from temper._errors import (
    ArgumentTypeError,
    ArtifactsError,
    Error,
    FileError,
    InvalidInputError,
    MissingFileError,
    NotFoundError,
    NumericError,
    StateError,
    UnsupportedError,
)
from temper._fit import fit
from temper._gradient_check import GradientChecks, gradcheck
from temper._inference import InferenceSession, run
from temper._models import from_text, open
from temper._outputs import Outputs
from temper._plugins import Plugin, load_plugins
from temper._programs import studio
from temper._run import Epoch, Evaluation, OperatorCost, Run, RunWarning, SavedCheckpoint, Step
from temper._session import Gradients, Session, export
from temper._temper import (
    Artifacts,
    Finding,
    GradientCheck,
    Model,
    ParameterDiff,
    ParameterInfo,
    Value,
)
from temper._temper import version as __version__
from temper._training_names import as_onnxruntime_training

__all__ = [
    "ArgumentTypeError",
    "Artifacts",
    "ArtifactsError",
    "Checkpoint",
    "CheckpointDiff",
    "Epoch",
    "Error",
    "Evaluation",
    "FileError",
    "Finding",
    "GradientCheck",
    "GradientChecks",
    "Gradients",
    "InferenceSession",
    "InvalidInputError",
    "MissingFileError",
    "Model",
    "NotFoundError",
    "NumericError",
    "OperatorCost",
    "Outputs",
    "Parameter",
    "ParameterDiff",
    "ParameterInfo",
    "Plugin",
    "Properties",
    "Run",
    "RunWarning",
    "SavedCheckpoint",
    "Session",
    "StateError",
    "Step",
    "UnsupportedError",
    "Value",
    "__version__",
    "artifacts",
    "as_onnxruntime_training",
    "diff",
    "export",
    "fit",
    "from_text",
    "gradcheck",
    "load_artifacts",
    "load_plugins",
    "losses",
    "open",
    "optimizers",
    "run",
    "schedules",
    "studio",
]


def __dir__() -> list[str]:
    return __all__
