// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/onnx/proto.h"

namespace temper::test {

/// Changes a model as faulty exporters and editors do, so that it stays one in form: an operator
/// renamed, an input dropped, doubled or crossed, an attribute changed, a rank changed, an output
/// added to a body, the nodes of another model taken in. The same for the same seed.
class ModelMutator {
public:
    /// `operators` are those that a node may be renamed to, `donors` serialized models whose nodes
    /// may come in. Both outlive the mutator.
    ModelMutator(const std::vector<std::string>& operators, const std::vector<std::string>& donors,
                 uint64_t seed);

    /// One to four changes. What is no model stays as it is.
    std::string mutated(const std::string& model);

    /// `model` with something of `other`: its nodes, the operator and attributes of one of them,
    /// or the data of an initializer. What is no model stays as it is.
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
    int64_t opset_ = 1;  ///< of the model in hand
};

}  // namespace temper::test
