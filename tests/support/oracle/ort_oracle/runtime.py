# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime in its two builds, which are loaded only where a script asks for them.

training: the wheel onnxruntime-training-cpu. Its package onnxruntime.training needs PyTorch to be
imported, so this takes what that package wraps from the binding itself,
onnxruntime.capi._pybind_state.
native: the wheel onnxruntime, for inference only. It bears the same package name, so
setup_oracle.sh installs it into a folder of its own in the environment, and a process can load one
of the two only.
"""

from __future__ import annotations

import contextlib
import pathlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from .arrays import Arrays
from .models import is_ort_format

NATIVE, TRAINING = "native", "training"
RUNTIMES = [NATIVE, TRAINING]
LOG_LEVELS = ["verbose", "info", "warning", "error", "fatal"]
OPT_LEVELS = {
    "disabled": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "all": "ORT_ENABLE_ALL",
}
NATIVE_FOLDER = pathlib.Path(sys.prefix) / "native"

_loaded: dict[str, ModuleType] = {}


def add_runtime_options(parser: Any) -> None:
    """Adds the options that all scripts with a runtime share."""
    parser.add_argument(
        "--opt-level", choices=OPT_LEVELS, default="all", help="graph optimizations (default all)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        help="for what is random in the model (Dropout); default: another one with " "every run",
    )
    add_log_option(parser)


def add_log_option(parser: Any) -> None:
    parser.add_argument(
        "--log-level",
        choices=LOG_LEVELS,
        default="error",
        help="what the runtime logs on stderr (default error)",
    )


def load(build: str, log_level: str = "error") -> ModuleType:
    """Loads a build. Returns: the module onnxruntime. Raises: RuntimeError where it is not
    installed."""
    if build not in _loaded:
        if _loaded:
            raise RuntimeError(
                f"this process has loaded the build '{next(iter(_loaded))}' of ONNX Runtime already"
            )
        if build == NATIVE:
            sys.path.insert(0, str(NATIVE_FOLDER))
        try:
            import onnxruntime
        except ImportError as error:
            raise RuntimeError(
                f"ONNX Runtime is not installed here, see setup_oracle.sh ({error})"
            ) from error
        if build == NATIVE and NATIVE_FOLDER not in pathlib.Path(onnxruntime.__file__).parents:
            raise RuntimeError(
                f"the build for inference is not installed in {NATIVE_FOLDER}, see setup_oracle.sh"
            )
        _loaded[build] = onnxruntime
    onnxruntime = _loaded[build]
    onnxruntime.set_default_logger_severity(LOG_LEVELS.index(log_level))
    return onnxruntime


def version(build: str) -> str:
    """What the scripts print as "runtime"."""
    package = "onnxruntime" if build == NATIVE else "onnxruntime-training-cpu"
    return f"{package} {_loaded[build].__version__}"


@contextlib.contextmanager
def doing(what: str) -> Iterator[None]:
    """Puts before an error of the runtime what failed, and keeps what it prints off stdout."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    except Exception as error:
        raise RuntimeError(f"{what}: {str(error).strip()}") from error


def session_options(onnxruntime: ModuleType, options: Any, threads: int = 1) -> Any:
    """The runtime's options from a script's. One thread gives the same bits with every run. Also
    sets the seed."""
    if options.seed is not None:
        onnxruntime.set_seed(options.seed)
    result = onnxruntime.SessionOptions()
    result.intra_op_num_threads = threads
    result.inter_op_num_threads = 1
    result.log_severity_level = LOG_LEVELS.index(options.log_level)
    result.graph_optimization_level = getattr(
        onnxruntime.GraphOptimizationLevel, OPT_LEVELS[options.opt_level]
    )
    return result


class Session:
    """Inference, in either build."""

    def __init__(self, build: str, model: str | bytes, options: Any, threads: int = 1):
        """model: a path, so that external data beside it is found, or the bytes of an ONNX
        model."""
        self.build = NATIVE if build == NATIVE else TRAINING
        self.onnxruntime = load(self.build, options.log_level)
        given = session_options(self.onnxruntime, options, threads)
        if isinstance(model, str) and is_ort_format(model):
            given.add_session_config_entry(
                "session.load_model_format", "ORT"
            )  # whatever the file's ending
        with doing("cannot load the model"):
            self.session = self.onnxruntime.InferenceSession(
                model, given, providers=["CPUExecutionProvider"]
            )
        self.session.disable_fallback()
        self.input_names = [value.name for value in self.session.get_inputs()]
        self.output_names = [value.name for value in self.session.get_outputs()]

    def run(self, arrays: Arrays, names: list[str] | None = None) -> Arrays:
        names = names or self.output_names
        with doing("run"):
            outputs = self.session.run(names, {name: arrays[name] for name in self.input_names})
        for name, output in zip(names, outputs):
            if not isinstance(output, np.ndarray):
                raise RuntimeError(
                    f"the output '{name}' is no tensor but a {type(output).__name__}"
                )
        return dict(zip(names, outputs))

    def prepare(self, arrays: Arrays) -> dict[str, Any]:
        """The inputs for run_prepared()."""
        return {
            name: self.onnxruntime.OrtValue.ortvalue_from_numpy(arrays[name])
            for name in self.input_names
        }

    def run_prepared(self, prepared: dict[str, Any]) -> None:
        """Runs, and leaves the outputs where they are: for timing."""
        self.session.run_with_ort_values(self.output_names, prepared)


class Trainer:
    """A training session: the model, its checkpoint's state, and an optimizer where there is
    one."""

    def __init__(self, options: Any, threads: int = 1):
        """options: a script's --train, --checkpoint and, where given, --eval and --optimizer."""
        self.onnxruntime = load(TRAINING, options.log_level)
        from onnxruntime.capi import _pybind_state as binding

        self.binding = binding
        self.has_eval = options.eval is not None
        given = session_options(self.onnxruntime, options, threads)
        device = binding.OrtDevice(binding.OrtDevice.cpu(), binding.OrtDevice.default_memory(), 0)
        with doing("cannot create the training session"):
            self.state = binding.load_checkpoint(options.checkpoint)
            self.module = binding.Module(options.train, self.state, options.eval, device, given)
            self.optimizer = None
            if options.optimizer is not None:
                self.optimizer = binding.Optimizer(options.optimizer, self.state, device, given)

    def input_names(self, training: bool) -> list[str]:
        return self.module.input_names(training) if training or self.has_eval else []

    def output_names(self, training: bool) -> list[str]:
        return self.module.output_names(training) if training or self.has_eval else []

    def train_step(self, arrays: Arrays) -> Arrays:
        with doing("train step"):
            return self._step(arrays, True)

    def eval_step(self, arrays: Arrays) -> Arrays:
        with doing("eval step"):
            return self._step(arrays, False)

    def _step(self, arrays: Arrays, training: bool) -> Arrays:
        outputs = self.binding.OrtValueVector()
        step = self.module.train_step if training else self.module.eval_step
        step([arrays[name] for name in self.input_names(training)], outputs)
        return {name: value.numpy() for name, value in zip(self.output_names(training), outputs)}

    def optimizer_step(self) -> None:
        """Updates the parameters; the next train step overwrites the gradients."""
        with doing("optimizer step"):
            self.optimizer.optimizer_step()
        with doing("lazy reset of the gradients"):
            self.module.lazy_reset_grad()

    def learning_rate(self) -> float:
        return self.optimizer.get_learning_rate()

    def set_learning_rate(self, rate: float) -> None:
        self.optimizer.set_learning_rate(rate)

    def linear_schedule(self, warmup_steps: int, total_steps: int, initial_rate: float) -> Any:
        """The runtime's schedule, which sets the rate of the first step at once; then call its
        scheduler_step().

        The binding takes the total first. (onnxruntime.training.api.LinearLRScheduler of 1.19.2
        hands over the warmup first, so there the two are swapped.)
        """
        with doing("linear schedule"):
            return self.binding.LinearLRScheduler(
                self.optimizer, total_steps, warmup_steps, initial_rate
            )

    def parameters_size(self, trainable_only: bool) -> int:
        with doing("parameters size"):
            return self.module.get_parameters_size(trainable_only)

    def parameters(self, trainable_only: bool) -> np.ndarray:
        """The contiguous parameters."""
        shape = [self.parameters_size(trainable_only)]
        buffer = self.onnxruntime.OrtValue.ortvalue_from_shape_and_type(shape, np.float32, "cpu", 0)
        with doing("copy of the parameters"):
            self.module.copy_parameters_to_buffer(buffer._ortvalue, trainable_only)
        return buffer.numpy()

    def named_parameters(self, trainable_only: bool) -> Arrays:
        found = ((name, self.state.get_parameter(name)) for name in self.state.parameter_names())
        return {
            name: parameter.data.numpy()
            for name, parameter in found
            if parameter.requires_grad or not trainable_only
        }

    def load_parameters(self, array: np.ndarray, trainable_only: bool) -> None:
        buffer = self.onnxruntime.OrtValue.ortvalue_from_numpy(array)
        with doing("load of the parameters"):
            self.module.copy_buffer_to_parameters(buffer._ortvalue, trainable_only)

    def save(
        self, path: str, with_optimizer: bool, properties: dict[str, int | float | str]
    ) -> None:
        with doing("save of the checkpoint"):
            for name, value in properties.items():
                self.state.add_property(name, value)
            self.binding.save_checkpoint(self.state, path, with_optimizer)

    def export(self, path: str, outputs: list[str]) -> None:
        with doing("export for inference"):
            self.module.export_model_for_inferencing(path, outputs)


def load_artifacts_module(log_level: str) -> ModuleType:
    """onnxruntime.training.artifacts without PyTorch.

    The package onnxruntime.training imports PyTorch when it is initialized, its module `artifacts`
    needs none. A bare package in its place lets Python find that module without running the
    initialization.
    """
    onnxruntime = load(TRAINING, log_level)
    package = ModuleType("onnxruntime.training")
    package.__path__ = [str(pathlib.Path(onnxruntime.__file__).parent / "training")]
    sys.modules["onnxruntime.training"] = package
    from onnxruntime.training import artifacts
    from onnxruntime.training.onnxblock import _training_graph_utils

    def options_with_log_level() -> Any:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = LOG_LEVELS.index(log_level)
        return options

    _training_graph_utils.SessionOptions = (
        options_with_log_level  # its own make the optimizer log all it does
    )
    return artifacts
