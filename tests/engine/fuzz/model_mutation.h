// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/onnx/proto.h"

namespace temper::test {

/// Changes a model as faulty exporters and editors do, so that it remains well-formed: an operator
/// renamed, an input dropped, doubled or crossed, an attribute changed, a rank changed, an output
/// added to a body, the nodes of another model inserted. The same for the same seed.
class ModelMutator {
public:
    /// `operators` are the names that a node may get, `donors` serialized models whose nodes may be
    /// inserted. Both outlive the mutator.
    ModelMutator(const std::vector<std::string>& operators, const std::vector<std::string>& donors,
                 uint64_t seed);

    /// Makes one to four changes. Input that is not a model stays as it is.
    std::string mutated(const std::string& model);

    /// `model` with a part of `other`: its nodes, the operator and attributes of one of them, or
    /// the data of an initializer. Input that is not a model stays as it is.
    std::string crossed(const std::string& model, const std::string& other);

private:
    static int64_t opsetOf(const onnx::ModelProto& model);
    void change(onnx::ModelProto& model);
    void changeNode(onnx::GraphProto& graph);
    void rename(onnx::NodeProto& node);
    void changeInputs(onnx::NodeProto& node, const onnx::GraphProto& graph);
    void changeOutputs(onnx::NodeProto& node);
    void changeAttribute(onnx::NodeProto& node);
    void addAttribute(onnx::NodeProto& node);
    void dropUnknownAttributes(onnx::NodeProto& node) const;
    void changeValue(onnx::AttributeProto& attribute);
    void changeKind(onnx::AttributeProto& attribute);
    void setValue(onnx::AttributeProto& attribute);
    void changeInterface(onnx::GraphProto& graph);
    void changeRank(onnx::GraphProto& graph);
    void changeNumber(onnx::GraphProto& graph);
    void changeList(onnx::GraphProto& graph);
    void takeInAny(onnx::GraphProto& graph);
    void takeIn(onnx::GraphProto& graph, const onnx::GraphProto& donor);
    void takeOperator(onnx::GraphProto& graph, const onnx::GraphProto& donor);
    void takeData(onnx::GraphProto& graph, const onnx::GraphProto& donor);

    size_t below(int end);
    int64_t number();
    std::string valueOf(const onnx::GraphProto& graph);
    onnx::GraphProto& anyGraph(onnx::GraphProto& graph);

    const std::vector<std::string>& operators_;
    const std::vector<std::string>& donors_;
    std::mt19937_64 random_;
    int64_t opset_ = 1;  ///< of the current model
};

}  // namespace temper::test
