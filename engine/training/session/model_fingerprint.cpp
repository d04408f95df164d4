// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/model_fingerprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "engine/core/string_tensor.h"
#include "engine/data/hash.h"
#include "engine/training/loss/loss_nodes.h"
#include "engine/training/session/training_session.h"

namespace temper {
namespace {

const std::string kModelFingerprint = "temper.model_fingerprint";

/// Precedes the number; to be changed with what goes into it, so that older ones do not count.
constexpr const char* kVersion = "1-";

/// Constants of up to this many elements are bounds, axes, shapes and the like, whose values
/// matter; larger ones are weights.
constexpr int64_t kSmall = 64;

/// What a value can be besides the output of a node.
enum class Source : uint64_t { None = 1, Input, Parameter, Constant, Node };

/// Collects numbers and texts into one number.
class Hash {
public:
    Hash& add(uint64_t number) {
        state_ = mixed(state_, number);
        return *this;
    }
    Hash& add(std::string_view text) {
        state_ = hashBytes(std::as_bytes(std::span(text.data(), text.size())), state_);
        return *this;
    }
    Hash& add(Source source) { return add(static_cast<uint64_t>(source)); }
    Hash& addType(const Tensor& tensor) {
        add(static_cast<uint64_t>(tensor.dtype())).add(tensor.shape().size());
        for (const int64_t size : tensor.shape()) add(static_cast<uint64_t>(size));
        return *this;
    }
    Hash& addTensor(const Tensor& tensor) {
        addType(tensor);
        if (tensor.numElements() > kSmall) return *this;
        if (tensor.dtype() == DType::String) {
            for (const std::string_view text : tensor.values<std::string_view>()) add(text);
            return *this;
        }
        const Tensor values = tensor.onHost();
        state_ = hashBytes({values.data(), values.byteSize()}, state_);
        return *this;
    }
    uint64_t value() const { return state_; }

private:
    uint64_t state_ = 0;
};

/// Each value of a graph as a number that says how it is computed.
class ValueHashes {
public:
    using Numbers = std::unordered_map<std::string, uint64_t>;

    /// `given`: of the values that are not computed here; for the body of a node, its captures.
    ValueHashes(const Graph& graph, const CheckpointState* state, const Numbers& given)
        : state_(state) {
        for (const Value* input : graph.inputs()) take(*input, inputHash(*input, inputs_++));
        for (const Value* constant : graph.initializers()) take(*constant, constantHash(*constant));
        for (const Value* capture : graph.captures()) {
            const auto outer = given.find(capture->name());
            take(*capture, outer == given.end() ? Hash().add(Source::None).value() : outer->second);
        }
        for (const Node* node : graph.topologicalOrder()) takeNode(*node);
    }

    uint64_t of(const Value* value) const {
        return value == nullptr ? Hash().add(Source::None).value() : numbers_.at(value->name());
    }

private:
    void take(const Value& value, uint64_t number) { numbers_[value.name()] = number; }

    static uint64_t parameterHash(const Parameter& parameter) {
        return Hash().add(Source::Parameter).add(parameter.name).addType(parameter.data).value();
    }

    /// Of the model, inputs have no order: data columns are bound by name.
    uint64_t inputHash(const Value& input, uint64_t index) const {
        if (state_ == nullptr) return Hash().add(Source::Input).add(index).value();
        if (state_->hasParameter(input.name()))
            return parameterHash(state_->parameter(input.name()));
        return Hash().add(Source::Input).add(static_cast<uint64_t>(input.type().dtype)).value();
    }

    uint64_t constantHash(const Value& constant) const {
        if (state_ != nullptr && state_->hasParameter(constant.name()))
            return parameterHash(state_->parameter(constant.name()));
        return Hash().add(Source::Constant).addTensor(constant.constant()).value();
    }

    void takeNode(const Node& node) {
        Hash hash;
        hash.add(Source::Node).add(node.domain()).add(node.opType()).add(node.inputs().size());
        for (const Value* input : node.inputs()) hash.add(of(input));
        for (const auto& [name, attribute] : node.attributes()) {
            hash.add(name).add(attribute.index());
            std::visit([&](const auto& value) { addAttribute(hash, value); }, attribute);
        }
        for (size_t i = 0; i < node.outputs().size(); ++i) {
            if (const Value* output = node.output(i))
                take(*output, Hash().add(hash.value()).add(i).value());
        }
    }

    template <typename T>
    void addAttribute(Hash& hash, const T& value) const {
        if constexpr (std::is_same_v<T, std::string>) {
            hash.add(value);
        } else if constexpr (std::is_same_v<T, Tensor>) {
            hash.addTensor(value);
        } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
            const ValueHashes body(*value, nullptr, numbers_);
            for (const Value* output : value->outputs()) hash.add(body.of(output));
        } else if constexpr (std::is_same_v<T, ValueType>) {
            hash.add(formatType(value));
        } else if constexpr (std::is_same_v<T, int64_t>) {
            hash.add(static_cast<uint64_t>(value));
        } else if constexpr (std::is_same_v<T, float>) {
            hash.add(uint64_t{std::bit_cast<uint32_t>(value)});
        } else {
            hash.add(value.size());
            for (const auto& element : value) addAttribute(hash, element);
        }
    }

    const CheckpointState* state_;  ///< null for the body of a node
    Numbers numbers_;
    uint64_t inputs_ = 0;
};

/// The values that no other node of the model reads, whichever of them the loss reads.
std::vector<const Value*> rootsOf(const Graph& evalModel) {
    const std::vector<const Node*> nodes = lossNodes(evalModel);
    const std::unordered_set<const Node*> loss(nodes.begin(), nodes.end());
    const auto isOfLoss = [&](const Value::Use& use) { return loss.contains(use.node); };
    std::vector<const Value*> roots;
    for (const Node* node : evalModel.nodes()) {
        if (loss.contains(node)) continue;
        for (const Value* output : node->outputs())
            if (output != nullptr && std::ranges::all_of(output->uses(), isOfLoss))
                roots.push_back(output);
    }
    if (roots.empty()) roots.assign(evalModel.outputs().begin(), evalModel.outputs().end());
    return roots;
}

}  // namespace

std::string modelFingerprint(const Graph& evalModel, const CheckpointState& state) {
    const ValueHashes hashes(evalModel, &state, {});
    std::vector<uint64_t> roots;
    for (const Value* root : rootsOf(evalModel)) roots.push_back(hashes.of(root));
    std::ranges::sort(roots);
    Hash hash;
    for (const uint64_t root : roots) hash.add(root);
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx",
                  static_cast<unsigned long long>(hash.value()));
    return kVersion + std::string(text.data());
}

void keepModelFingerprint(TrainingSession& session) {
    const auto& evalModel = session.artifacts().evalModel;
    if (evalModel == nullptr) {
        session.state().properties().erase(kModelFingerprint);
        return;
    }
    session.state().setProperty(kModelFingerprint, modelFingerprint(*evalModel, session.state()));
}

std::vector<Finding> checkpointFindings(const Artifacts& artifacts, const CheckpointState& state) {
    const auto kept = state.propertyAs<std::string>(kModelFingerprint);
    if (!kept || !kept->starts_with(kVersion) || artifacts.evalModel == nullptr) return {};
    if (*kept == modelFingerprint(*artifacts.evalModel, state)) return {};
    return {{"C001",
             Severity::Warning,
             {},
             {},
             "The checkpoint belongs to another model: its parameters have the same names and "
             "shapes, but the operators that use them differ.",
             "Load it into the model it was saved from. If both compute the same, e.g. "
             "because the model was exported again, ignore this; checkpoints of later runs belong "
             "to this model.",
             {}}};
}

}  // namespace temper
