// SPDX-License-Identifier: Apache-2.0
#include "capi/src/model.h"

#include <utility>

#include "capi/src/arguments.h"
#include "capi/src/failure.h"
#include "capi/src/operators.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/opset/opset_conversion.h"

namespace temper::capi {

std::shared_ptr<const OpSet> sharedOps() {
    static const auto kOps = std::make_shared<const OpSet>(standardOps());
    return kOps;
}

DescribedValue::DescribedValue(const Value& value)
    : name_(value.name()), dtype_(value.type().dtype) {
    if (!value.type().shape) return;
    for (const Dim& dim : *value.type().shape) {
        shape_.push_back(dim.isNumber() ? dim.value : -1);
        symbols_.push_back(dim.isSymbol() ? dim.symbol : std::string());
    }
    rank_ = static_cast<int64_t>(shape_.size());
    for (const std::string& symbol : symbols_)
        pointers_.push_back(symbol.empty() ? nullptr : symbol.c_str());
}

TemperValueInfo DescribedValue::info() const {
    TemperValueInfo info = {};
    info.name = name_.c_str();
    info.shape = shape_.data();
    info.symbols = pointers_.data();
    info.rank = rank_;
    info.dtype = static_cast<int32_t>(dtype_);
    return info;
}

namespace {

LoadOptions loadOptions(std::vector<Finding>& remarks) {
    return {.remarks = &remarks, .unifyOpsets = opsetUnifier(sharedOps()->catalog)};
}

TemperParameterInfo infoOf(const ModelParameter& parameter) {
    TemperParameterInfo info = {};
    info.name = parameter.info.name.c_str();
    info.kind = parameterClassName(parameter.info.parameterClass).data();
    info.reason = parameter.info.reason.c_str();
    info.shape = parameter.info.shape.data();
    info.rank = static_cast<int64_t>(parameter.info.shape.size());
    info.dtype = static_cast<int32_t>(parameter.info.dtype);
    info.trains = parameter.trains ? 1 : 0;
    return info;
}

}  // namespace

}  // namespace temper::capi

using namespace temper;
using namespace temper::capi;

TemperModel::TemperModel(std::unique_ptr<Graph> model, const std::string& origin,
                         std::vector<Finding> remarks)
    : remarks_(std::move(remarks)) {
    for (Finding& finding : inferTypes(*model, sharedOps()->catalog)) {
        if (finding.severity == Severity::Error) {
            Error error(ErrorCode::InvalidInput, finding.message, finding.hint);
            error.addContext("model '" + origin + "'");
            throw error;
        }
        remarks_.push_back(std::move(finding));
    }
    graph = std::move(model);
    describe();
}

TemperModel::TemperModel(std::shared_ptr<const Graph> model) : graph(std::move(model)) {
    describe();
}

void TemperModel::describe() {
    for (const Value* value : graph->inputs())
        inputs.push_back(std::make_unique<DescribedValue>(*value));
    for (const Value* value : graph->outputs())
        outputs.push_back(std::make_unique<DescribedValue>(*value));
}

const ModelReport& TemperModel::report() const {
    std::call_once(reported_, [this] {
        const std::vector<Finding> findings = findingsOfModel(*graph, *sharedOps(), remarks_);
        report_.parameters = parametersOfModel(*graph, *sharedOps(), findings);
        report_.findings = TemperFindings(findings);
    });
    return report_;
}

TemperStatus temper_model_open(const char* path, TemperModel** model, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(model, nullptr, "model");
        const std::filesystem::path file = requiredPath(path, "path");
        std::vector<Finding> remarks;
        auto graph = loadModel(file, loadOptions(remarks));
        *model = new TemperModel(std::move(graph), file.string(), std::move(remarks));
    });
}

TemperStatus temper_model_from_bytes(const void* bytes, int64_t size, TemperModel** model,
                                     TemperFailure** failure) {
    return guarded(failure, [&] {
        set(model, nullptr, "model");
        const auto data =
            bytesOf(&required(static_cast<const char*>(bytes), "bytes"), size, "bytes");
        std::vector<Finding> remarks;
        auto graph = parseModel(data, "(memory)", {}, loadOptions(remarks));
        *model = new TemperModel(std::move(graph), "(memory)", std::move(remarks));
    });
}

TemperStatus temper_model_from_text(const char* text, TemperModel** model,
                                    TemperFailure** failure) {
    return guarded(failure, [&] {
        set(model, nullptr, "model");
        *model = new TemperModel(parseText(requiredText(text, "text")), "(text)", {});
    });
}

TemperStatus temper_model_save(const TemperModel* model, const char* path,
                               TemperFailure** failure) {
    return guarded(failure,
                   [&] { saveModel(*required(model, "model").graph, requiredPath(path, "path")); });
}

TemperStatus temper_model_to_bytes(const TemperModel* model, void** bytes, int64_t* size,
                                   TemperFailure** failure) {
    return guarded(failure, [&] {
        set(bytes, nullptr, "bytes");
        set(size, 0, "size");
        const std::string data = serializeModel(*required(model, "model").graph);
        *bytes = copyForProgram(data);
        *size = static_cast<int64_t>(data.size());
    });
}

void temper_model_release(TemperModel* model) { delete model; }

TemperStatus temper_model_input_count(const TemperModel* model, int64_t* count,
                                      TemperFailure** failure) {
    return guarded(failure, [&] {
        set(count, static_cast<int64_t>(required(model, "model").inputs.size()), "count");
    });
}

TemperStatus temper_model_input(const TemperModel* model, int64_t index, TemperValueInfo* input,
                                TemperFailure** failure) {
    return guarded(failure, [&] {
        fill(input, elementAt(required(model, "model").inputs, index, "input")->info(), "input");
    });
}

TemperStatus temper_model_output_count(const TemperModel* model, int64_t* count,
                                       TemperFailure** failure) {
    return guarded(failure, [&] {
        set(count, static_cast<int64_t>(required(model, "model").outputs.size()), "count");
    });
}

TemperStatus temper_model_output(const TemperModel* model, int64_t index, TemperValueInfo* output,
                                 TemperFailure** failure) {
    return guarded(failure, [&] {
        fill(output, elementAt(required(model, "model").outputs, index, "output")->info(),
             "output");
    });
}

TemperStatus temper_model_parameter_count(const TemperModel* model, int64_t* count,
                                          TemperFailure** failure) {
    return guarded(failure, [&] {
        const auto& parameters = required(model, "model").report().parameters;
        set(count, static_cast<int64_t>(parameters.size()), "count");
    });
}

TemperStatus temper_model_parameter(const TemperModel* model, int64_t index,
                                    TemperParameterInfo* parameter, TemperFailure** failure) {
    return guarded(failure, [&] {
        const auto& parameters = required(model, "model").report().parameters;
        fill(parameter, infoOf(elementAt(parameters, index, "parameter")), "parameter");
    });
}

TemperStatus temper_model_findings(const TemperModel* model, const TemperFindings** findings,
                                   TemperFailure** failure) {
    return guarded(failure, [&] {
        set(findings, nullptr, "findings");
        *findings = &required(model, "model").report().findings;
    });
}
