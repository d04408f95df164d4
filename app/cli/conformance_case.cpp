// SPDX-License-Identifier: Apache-2.0
#include "app/cli/conformance_case.h"

#include <algorithm>

#include "app/cli/model_runner.h"
#include "app/cli/random_support.h"
#include "app/cli/tensor_compare.h"
#include "app/cli/value_compare.h"
#include "engine/core/counted.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/tensor_file.h"
#include "engine/training/opset/opset_conversion.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

/// Those of ONNX's own backend tests.
constexpr Tolerance kTolerance{.relative = 1e-3, .absolute = 1e-7};

using CaseData = std::vector<ValueData>;

/// The tests store bfloat16 numbers in files of uint16.
void restoreBFloat16(Tensor& tensor, DType declared) {
    if (declared != DType::BFloat16 || tensor.dtype() != DType::UInt16) return;
    const auto owner = std::make_shared<Tensor>(tensor);
    tensor = Tensor::wrap(DType::BFloat16, owner->shape(), owner, owner->mutableData());
}

/// input_0.pb, input_1.pb, ... of a data set.
CaseData readCaseData(const fs::path& folder, const std::string& stem,
                      const std::vector<Value*>& values) {
    CaseData data;
    for (const Value* value : values) {
        const fs::path path = folder / (stem + std::to_string(data.size()) + ".pb");
        if (!fs::exists(path)) return data;
        data.push_back(readValueFile(path, value->type()));
        for (Tensor& tensor : data.back().tensors) restoreBFloat16(tensor, value->type().dtype);
    }
    return data;
}

/// Empty ones in place of sequences: they are not drawn.
std::vector<Tensor> caseTensors(const CaseData& data) {
    std::vector<Tensor> tensors;
    for (const ValueData& value : data)
        tensors.push_back(value.isTensor() ? value.tensor() : Tensor());
    return tensors;
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
    CaseData inputs;
    CaseData outputs;
};

/// A drawn output has the recorded type and shape; both it and the record are in the support.
std::string drawProblem(const Graph& model, const DataSet& set, const CaseData& actual,
                        size_t output) {
    const Tensor& found = actual[output].tensor();
    const Tensor& recorded = set.outputs[output].tensor();
    if (found.dtype() != recorded.dtype() || found.shape() != recorded.shape()) {
        return mismatch(found, recorded, kTolerance);
    }
    const std::vector<Tensor> inputs = caseTensors(set.inputs);
    const std::string why = supportProblem(model, inputs, caseTensors(actual), output);
    if (!why.empty()) return why;
    const std::string own = supportProblem(model, inputs, caseTensors(set.outputs), output);
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
CaseResult compareOutputs(const Graph& model, const DataSet& set, const CaseData& actual) {
    const auto differ = [](const Tensor& found, const Tensor& recorded) {
        return mismatch(found, recorded, toleranceOf(recorded));
    };
    CaseResult result;
    if (actual.size() != set.outputs.size()) {
        result.problem = "there are " + counted(actual.size(), "output") + ", expected " +
                         std::to_string(set.outputs.size());
    }
    for (size_t i = 0; i < set.outputs.size() && result.problem.empty(); ++i) {
        const bool drawn = isDrawn(model, i, caseTensors(set.inputs));
        result.isDrawn = result.isDrawn || drawn;
        const std::string why = drawn ? drawProblem(model, set, actual, i)
                                      : differenceOf(actual[i], set.outputs[i], differ);
        if (!why.empty()) result.problem = "output '" + model.outputs()[i]->name() + "': " + why;
    }
    return result;
}

std::vector<DataSet> readDataSets(const fs::path& folder, const Graph& model) {
    std::vector<DataSet> sets;
    for (const fs::path& path : dataSetsOf(folder)) {
        sets.push_back({readCaseData(path, "input_", model.inputs()),
                        readCaseData(path, "output_", model.outputs())});
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
            const auto& shape = input->type().shape;
            const auto& fed = set.inputs[i].tensors;
            if (!shape || std::ranges::all_of(fed, [&](const Tensor& tensor) {
                    return fits(*shape, tensor.shape());
                })) {
                continue;
            }
            input->setType(input->type().withoutShape());
        }
    }
}

}  // namespace

bool isConformanceCase(const fs::path& folder) {
    return fs::is_regular_file(folder / "model.onnx") && !dataSetsOf(folder).empty();
}

CaseResult runConformanceCase(const fs::path& folder, std::shared_ptr<const OpSet> ops,
                              int threads) {
    std::unique_ptr<Graph> model =
        loadModel(folder / "model.onnx", {.unifyOpsets = opsetUnifier(ops->catalog)});
    const std::vector<DataSet> sets = readDataSets(folder, *model);
    followRecordedShapes(*model, sets);
    ModelRunner runner(std::move(model), std::move(ops), threads);
    CaseResult result;
    for (const DataSet& set : sets) {
        const CaseResult next = compareOutputs(runner.model(), set, runner.runOn(set.inputs));
        result.isDrawn = result.isDrawn || next.isDrawn;
        result.problem = next.problem;
        if (!result.problem.empty()) break;
    }
    return result;
}

}  // namespace temper::cli
