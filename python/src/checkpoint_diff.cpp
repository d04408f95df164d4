// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/checkpoint_diff.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/src/shared_state.h"

namespace temper::python {
namespace {

/// The parameters in memory of their own.
CheckpointFile copyOf(SharedState& state) {
    const Turn turn(state);
    CheckpointFile file = state.state().toFile(false);
    for (auto* list : {&file.trainable, &file.frozen}) {
        for (NamedTensor& tensor : *list) tensor.data = tensor.data.clone();
    }
    return file;
}

using Difference =
    std::tuple<std::vector<ParameterDiff>, std::vector<std::string>, std::vector<std::string>>;

/// One state at a time is locked: both may be the same.
Difference compareStates(SharedState& first, SharedState& second) {
    const CheckpointFile before = copyOf(first);
    const Turn turn(second);
    CheckpointDiff diff = compareCheckpoints(before, second.state().toFile(false));
    return {std::move(diff.parameters), std::move(diff.onlyInFirst), std::move(diff.onlyInSecond)};
}

using DiffState =
    std::tuple<std::string, std::string, std::string, std::vector<double>, std::vector<int64_t>>;

DiffState stateOfDiff(const ParameterDiff& diff) {
    return {diff.name,
            diff.type,
            diff.mismatch,
            {diff.firstNorm, diff.secondNorm, diff.changeNorm, diff.maxChange, diff.relative,
             diff.cosine},
            diff.histogram};
}

void restoreDiff(ParameterDiff& diff, const DiffState& state) {
    const auto& [name, type, mismatch, numbers, histogram] = state;
    new (&diff)
        ParameterDiff{name,          type,          mismatch,      numbers.at(0), numbers.at(1),
                      numbers.at(2), numbers.at(3), numbers.at(4), numbers.at(5), histogram};
}

std::string diffText(const ParameterDiff& diff) {
    const std::string start = "<ParameterDiff '" + diff.name + "': ";
    if (!diff.mismatch.empty()) return start + diff.mismatch + ">";
    return start + "relative " + std::to_string(diff.relative) + ", max_change " +
           std::to_string(diff.maxChange) + ">";
}

}  // namespace

void bindCheckpointDiff(nb::module_& module) {
    nb::class_<ParameterDiff>(module, "ParameterDiff",
                              "How a parameter differs between two checkpoints, a and b.\n\n"
                              ">>> import temper\n"
                              ">>> checkpoint = temper.Checkpoint.of(temper.artifacts(mlp_path))\n"
                              ">>> temper.diff(checkpoint, checkpoint)['fc1.bias'].is_same\n"
                              "True")
        .def_ro("name", &ParameterDiff::name, "The parameter's.")
        .def_ro("type", &ParameterDiff::type, "'float32[3, 4]', of the first.")
        .def_ro("mismatch", &ParameterDiff::mismatch,
                "Why they can't be compared (element type, shape), or ''.")
        .def_ro("first_norm", &ParameterDiff::firstNorm, "|a|, Euclidean.")
        .def_ro("second_norm", &ParameterDiff::secondNorm, "|b|.")
        .def_ro("change_norm", &ParameterDiff::changeNorm, "|b - a|.")
        .def_ro("max_change", &ParameterDiff::maxChange, "The largest |b[i] - a[i]|.")
        .def_ro("relative", &ParameterDiff::relative, "|b - a| / |a|.")
        .def_ro("cosine", &ParameterDiff::cosine, "a.b / (|a| |b|).")
        .def_ro("histogram", &ParameterDiff::histogram,
                "Of b[i] - a[i]: equal bins from -max_change to max_change.")
        .def_prop_ro("is_same", &ParameterDiff::isSame, "Whether nothing differs.")
        .def("__getstate__", &stateOfDiff)
        .def("__setstate__", &restoreDiff)
        .def("__repr__", &diffText);
    module.def("compare_states", &compareStates, nb::arg("first"), nb::arg("second"));
}

}  // namespace temper::python
