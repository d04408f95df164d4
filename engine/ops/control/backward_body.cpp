// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/control/backward_body.h"

#include <memory>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/ir/captures.h"

namespace temper {
namespace {

bool drawsNumbers(const Node& node) {
    static const std::set<std::string_view> kGenerators{"RandomNormal",  "RandomNormalLike",
                                                        "RandomUniform", "RandomUniformLike",
                                                        "Bernoulli",     "Multinomial"};
    constexpr size_t kTrainingMode = 2;
    if (!node.domain().empty()) return false;
    if (node.opType() == "Dropout") return node.input(kTrainingMode) != nullptr;
    return kGenerators.contains(node.opType());
}

}  // namespace

void requireRepeatable(const Graph& body, const GradientRules& rules, const std::string& place,
                       const std::string& advice) {
    for (const Node* node : body.nodes()) {
        std::string why;
        if (drawsNumbers(*node)) why = " draws random numbers in " + place;
        const GradientRules::FormEntry* form = rules.trainingForm(*node);
        if (form != nullptr && form->always) why = " has a training form, but not in " + place;
        if (!why.empty()) {
            throw Error(
                ErrorCode::Unsupported,
                node->describe() + why +
                    "; expected operators whose result can be recomputed in the backward pass.",
                advice);
        }
        for (const auto& [name, attribute] : node->attributes()) {
            const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute);
            if (inner != nullptr && *inner != nullptr)
                requireRepeatable(**inner, rules, place, advice);
        }
    }
}

void typeCaptures(Graph& body, const Graph& around) {
    for (Value* capture : body.captures()) capture->setType(around.at(capture->name())->type());
}

Value* captureOf(Graph& body, const Value& outside, const ValueType& type) {
    Value* taken = body.find(outside.name());
    if (taken != nullptr && taken->isCaptured()) return taken;
    if (taken != nullptr) body.renameValue(taken, body.uniqueName(outside.name()));
    return body.addCapture(outside.name(), type);
}

Value* zerosOf(Graph& body, Value* like) {
    const std::string& name = like->name();
    Value* shape = body.addNode({"Shape", {like}, {body.uniqueName(name + "_shape")}})->output(0);
    return body
        .addNode({"ConstantOfShape",
                  {shape},
                  {body.uniqueName(name + "_zeros")},
                  {{"value", Tensor(like->type().dtype, Shape{1})}}})
        ->output(0);
}

void removeUnreadCaptures(Graph& body) {
    const CapturingNodes capturing = capturingNodes(body);
    for (Value* capture : std::vector<Value*>(body.captures())) {
        const bool isRead = !capture->uses().empty() || capture->isGraphOutput();
        if (!isRead && !capturing.contains(capture)) body.removeInput(capture);
    }
}

void nameApart(Graph& body, const std::string& prefix) {
    std::unordered_set<const Value*> kept(body.captures().begin(), body.captures().end());
    for (const Node* node : body.nodes()) {
        for (const Value* value : body.capturedBy(*node)) kept.insert(value);
    }
    std::vector<std::string> names;
    for (const Value* value : body.values()) {
        if (!kept.contains(value)) names.push_back(value->name());
    }
    for (const std::string& name : names) {
        body.renameValue(body.at(name), body.uniqueName(prefix + name));
    }
}

}  // namespace temper
