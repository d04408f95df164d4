// SPDX-License-Identifier: Apache-2.0
#include "app/cli/conformance_case.h"

#include <algorithm>

#include "app/cli/model_runner.h"
#include "app/cli/random_support.h"
#include "app/cli/tensor_compare.h"
#include "engine/core/counted.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/tensor_file.h"
#include "engine/training/opset/opset_conversion.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

/// Those of ONNX's own backend tests.
constexpr Tolerance kTolerance{.relative = 1e-3, .absolute = 1e-7};

/// input_0.pb, input_1.pb, ... of a data set.
std::vector<Tensor> readTensors(const fs::path& folder, const std::string& stem) {
    std::vector<Tensor> tensors;
    for (size_t i = 0;; ++i) {
        const fs::path path = folder / (stem + std::to_string(i) + ".pb");
        if (!fs::exists(path)) return tensors;
        tensors.push_back(readTensorFile(path));
    }
}

std::vector<fs::path> dataSetsOf(const fs::path& folder) {
    std::vector<fs::path> sets;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename().string().starts_with("test_data_set_")) {
            sets.push_back(entry.path());
        }
    }
    std::ranges::sort(sets);
    return sets;
}

/// One data set of a case: inputs and expected outputs.
struct DataSet {
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
};

/// A drawn output has the recorded type and shape; both it and the record are in the support.
std::string drawProblem(const Graph& model, const DataSet& set, std::span<const Tensor> actual,
                        size_t output) {
    const Tensor& found = actual[output];
    const Tensor& recorded = set.outputs[output];
    if (found.dtype() != recorded.dtype() || found.shape() != recorded.shape()) {
        return mismatch(found, recorded, kTolerance);
    }
    const std::string why = supportProblem(model, set.inputs, actual, output);
    if (!why.empty()) return why;
    const std::string own = supportProblem(model, set.inputs, set.outputs, output);
    return own.empty() ? own : "of the record, " + own;
}

/// ONNX's own backend tests allow two units in the last of 8 bits for bfloat16: its records round
/// after each operation, and some Casts truncate.
Tolerance toleranceOf(const Tensor& recorded) {
    Tolerance tolerance = kTolerance;
    if (recorded.dtype() == DType::BFloat16) tolerance.relative = 0x1p-6;
    return tolerance;
}

/// Why the outputs differ from the recorded ones.
CaseResult compareOutputs(const Graph& model, const DataSet& set, std::span<const Tensor> actual) {
    CaseResult result;
    if (actual.size() != set.outputs.size()) {
        result.problem = "there are " + counted(actual.size(), "output") + ", expected " +
                         std::to_string(set.outputs.size());
    }
    for (size_t i = 0; i < set.outputs.size() && result.problem.empty(); ++i) {
        const bool drawn = isDrawn(model, i, set.inputs);
        result.isDrawn = result.isDrawn || drawn;
        const std::string why =
            drawn ? drawProblem(model, set, actual, i)
                  : mismatch(actual[i], set.outputs[i], toleranceOf(set.outputs[i]));
        if (!why.empty()) result.problem = "output '" + model.outputs()[i]->name() + "': " + why;
    }
    return result;
}

/// The tests store bfloat16 numbers in files of uint16.
void restoreBFloat16(std::vector<Tensor>& tensors, const std::vector<DType>& declared) {
    for (size_t i = 0; i < std::min(tensors.size(), declared.size()); ++i) {
        if (declared[i] != DType::BFloat16 || tensors[i].dtype() != DType::UInt16) continue;
        const auto owner = std::make_shared<Tensor>(tensors[i]);
        tensors[i] = Tensor::wrap(DType::BFloat16, owner->shape(), owner, owner->mutableData());
    }
}

std::vector<DType> dtypesOf(const std::vector<Value*>& values) {
    std::vector<DType> dtypes;
    for (const Value* value : values) {
        if (value->type().isSequence) {
            throw Error(ErrorCode::Unsupported,
                        "'" + value->name() + "' is a sequence, which this command can't feed.");
        }
        dtypes.push_back(value->type().dtype);
    }
    return dtypes;
}

std::vector<DataSet> readDataSets(const fs::path& folder, const Graph& model) {
    const std::vector<DType> inputTypes = dtypesOf(model.inputs());
    const std::vector<DType> outputTypes = dtypesOf(model.outputs());
    std::vector<DataSet> sets;
    for (const fs::path& path : dataSetsOf(folder)) {
        DataSet set{readTensors(path, "input_"), readTensors(path, "output_")};
        restoreBFloat16(set.inputs, inputTypes);
        restoreBFloat16(set.outputs, outputTypes);
        sets.push_back(std::move(set));
    }
    return sets;
}

bool fits(const SymbolicShape& declared, const Shape& shape) {
    return std::ranges::equal(declared, shape, [](const Dim& dim, int64_t size) {
        return !dim.isNumber() || dim.value == size;
    });
}

/// ONNX's own runner feeds what is recorded, whatever shape the model declares for the input.
void followRecordedShapes(Graph& model, const std::vector<DataSet>& sets) {
    for (const DataSet& set : sets) {
        for (size_t i = 0; i < std::min(set.inputs.size(), model.inputs().size()); ++i) {
            Value* input = model.inputs()[i];
            ValueType type = input->type();
            if (!type.shape || fits(*type.shape, set.inputs[i].shape())) continue;
            type.shape.reset();
            input->setType(std::move(type));
        }
    }
}

}  // namespace

CaseResult runConformanceCase(const fs::path& folder, std::shared_ptr<const OpSet> ops,
                              int threads) {
    std::unique_ptr<Graph> model =
        loadModel(folder / "model.onnx", {.unifyOpsets = opsetUnifier(ops->catalog)});
    const std::vector<DataSet> sets = readDataSets(folder, *model);
    followRecordedShapes(*model, sets);
    ModelRunner runner(std::move(model), std::move(ops), threads);
    CaseResult result;
    for (const DataSet& set : sets) {
        const CaseResult next = compareOutputs(runner.model(), set, runner.run(set.inputs));
        result.isDrawn = result.isDrawn || next.isDrawn;
        result.problem = next.problem;
        if (!result.problem.empty()) break;
    }
    return result;
}

}  // namespace temper::cli
