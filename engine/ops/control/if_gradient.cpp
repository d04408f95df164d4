// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/reachability.h"
#include "engine/ir/inlining.h"
#include "engine/ir/type_inference.h"
#include "engine/ops/control/backward_body.h"
#include "engine/ops/control/control.h"

namespace temper {
namespace {

constexpr const char* kAdvice =
    "Freeze the parameters before it, or write the If as both branches and Where (--replace If).";

/// A branch of the backward If: the forward branch, and the gradients of what it reads from the
/// graph around it.
class BackwardBranch {
public:
    BackwardBranch(const GradientContext& context, const char* branch)
        : context_(context),
          branch_(branch),
          graph_(context.emitter().graph()),
          catalog_(context.emitter().catalog()),
          body_(bodyOf(context.node(), branch).clone()) {
        requireRepeatable(*body_, context.rules(), "the branch of an If", kAdvice);
        body_->info() = graph_.info();
        typeCaptures(*body_, graph_);
        inferTypes(*body_, catalog_);
        addSeeds();
        for (const GradientSeed& seed : seeds_) {
            for (const Value* value : reachingTo(*body_, catalog_, seed.value))
                reached_.insert(value);
        }
    }

    /// Whether a gradient may arrive at a value of the graph around.
    bool reaches(const Value& outside) const {
        const Value* inside = body_->find(outside.name());
        return inside != nullptr && inside->isCaptured() && reached_.contains(inside);
    }

    /// The body that computes the gradients of `targets`, zeros for what the branch does not depend
    /// on.
    std::shared_ptr<const Graph> build(const std::vector<Value*>& targets) {
        std::vector<Value*> inside;
        for (const Value* target : targets) {
            if (reaches(*target)) inside.push_back(body_->at(target->name()));
        }
        std::vector<Value*> gradients;
        if (!inside.empty()) gradients = differentiate(inside);
        std::vector<Value*> outputs;
        size_t next = 0;
        for (const Value* target : targets) {
            outputs.push_back(reaches(*target) ? gradients.at(next++) : zeros(*target));
        }
        body_->setOutputs(std::move(outputs));
        body_->removeUnused();
        for (Node* node : body_->nodes()) node->setBackward(true);
        nameApart(*body_, prefix());
        return std::move(body_);
    }

private:
    /// The gradients of the branch's outputs start from those of the node's outputs.
    void addSeeds() {
        for (size_t i = 0; i < context_.outputCount(); ++i) {
            const Var gradient = context_.outputGradient(i);
            if (!gradient) continue;
            Value* output = body_->outputs().at(i);
            // The branch may know more about the shape than both together; a scalar stands for any.
            const auto& shape = gradient.type().shape;
            const bool isOutputs = output->type().shape && !(shape && shape->empty());
            const ValueType& type = isOutputs ? output->type() : gradient.type();
            seeds_.push_back({output, captureOf(*body_, *gradient.value(), type)});
        }
    }

    std::vector<Value*> differentiate(const std::vector<Value*>& inside) {
        std::vector<Value*> outputs;
        for (const GradientSeed& seed : seeds_) outputs.push_back(seed.value);
        applyTrainingForms(*body_, catalog_, context_.rules(), outputs, inside);
        return buildGradients(*body_, catalog_, context_.rules(), seeds_, inside);
    }

    Value* zeros(const Value& outside) {
        return zerosOf(*body_, captureOf(*body_, outside, outside.type()));
    }

    std::string prefix() const {
        const auto& results = context_.node().outputs();
        const auto first =
            std::ranges::find_if(results, [](const Value* v) { return v != nullptr; });
        return (*first)->name() + "_Grad/" + branch_ + "/";
    }

    const GradientContext& context_;
    std::string branch_;
    const Graph& graph_;
    const OpCatalog& catalog_;
    std::shared_ptr<Graph> body_;
    std::vector<GradientSeed> seeds_;
    ValueSet reached_;
};

/// y = If(c, a, b)  =>  dx = If(c, dy * da/dx, dy * db/dx) for each x that a branch reads: the
/// branch that was not taken is not computed, and what only it reads gets zeros.
Gradients ifGradient(const GradientContext& context) {
    BackwardBranch yes(context, "then_branch"), no(context, "else_branch");
    std::vector<Value*> targets;
    std::vector<size_t> positions;
    // What both branches read is captured twice.
    for (size_t i = 0; i < context.captures().size(); ++i) {
        Value* value = context.captures()[i];
        const bool isNew = std::ranges::find(targets, value) == targets.end();
        const size_t position = context.inputCount() + i;
        if (!isNew || !context.needs(position) || !(yes.reaches(*value) || no.reaches(*value)))
            continue;
        targets.push_back(value);
        positions.push_back(position);
    }
    if (targets.empty()) return {};
    const std::vector<Var> made = context.emitter().add(
        kOnnxDomain, "If", {context.input(0)},
        {{"then_branch", yes.build(targets)}, {"else_branch", no.build(targets)}},
        std::vector<bool>(targets.size(), true));
    Gradients gradients(context.inputCount() + context.captures().size());
    for (size_t i = 0; i < made.size(); ++i) {
        made[i].value()->setType(targets[i]->type());
        gradients[positions[i]] = made[i];
    }
    return gradients;
}

}  // namespace

void registerIfGradient(GradientRules& rules) { rules.add(kOnnxDomain, "If", ifGradient); }

}  // namespace temper
