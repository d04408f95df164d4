// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capi/include/temper/temper.h"
#include "capi/src/findings.h"
#include "engine/ir/graph.h"
#include "engine/training/artifacts/model_findings.h"

namespace temper::capi {

/// An input or output as C sees it.
class DescribedValue {
public:
    explicit DescribedValue(const Value& value);

    TemperValueInfo info() const;

private:
    std::string name_;
    std::vector<int64_t> shape_;
    std::vector<std::string> symbols_;  ///< "" for numbers and nameless dimensions
    int64_t rank_ = -1;
    DType dtype_ = DType::Undefined;
    mutable std::vector<const char*> pointers_;  ///< to the symbols
};

/// What gradients of a model reach, as C sees it.
struct ModelReport {
    TemperFindings findings;
    std::vector<ModelParameter> parameters;
};

}  // namespace temper::capi

/// An ONNX model with inferred types; it never changes.
struct TemperModel {
    /// Throws: Error(InvalidInput) for a model whose nodes contradict their operators.
    TemperModel(std::unique_ptr<temper::Graph> graph, const std::string& origin,
                std::vector<temper::Finding> remarks);
    /// A model whose types are known.
    explicit TemperModel(std::shared_ptr<const temper::Graph> graph);

    /// Made by the first call. Thread: any.
    const temper::capi::ModelReport& report() const;

    std::shared_ptr<const temper::Graph> graph;
    std::vector<std::unique_ptr<temper::capi::DescribedValue>> inputs;
    std::vector<std::unique_ptr<temper::capi::DescribedValue>> outputs;

private:
    void describe();

    std::vector<temper::Finding> remarks_;
    mutable std::once_flag reported_;
    mutable temper::capi::ModelReport report_;
};
