// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/pipeline_stage.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "engine/core/error.h"
#include "engine/ir/captures.h"
#include "engine/ir/graph_table.h"

namespace temper::classic {
namespace {

constexpr const char* kCutHint = "Change 'pipeline_cut_info_string'.";

std::string numberedStage(size_t stage) { return "stage " + std::to_string(stage); }

/// Whether a kernel computes something else the second time, in training: it draws numbers, or
/// updates running statistics.
bool changesInTraining(const Node& node, const OpCatalog& catalog) {
    const OpInfo* info = catalog.find(node);
    if (info == nullptr) return false;
    const bool hasStatistics = info->facts.family == OperatorFamily::Normalization &&
                               !info->nonDifferentiableInputs.empty();
    return info->facts.isRandom || info->facts.family == OperatorFamily::Regularization ||
           hasStatistics;
}

class StageMaker {
public:
    StageMaker(const Graph& model, const OpCatalog& catalog, const std::vector<PipelineCut>& cuts,
               const std::vector<std::string>& trained)
        : model_(model), catalog_(catalog), cuts_(cuts), trained_(trained.begin(), trained.end()) {
        for (size_t i = 0; i < cuts_.size(); ++i) {
            const size_t before = count_;
            for (const PipelineEdge& edge : cuts_[i]) claim(valueOf(edge), i);
            requireNodes(i, before);
        }
        const size_t before = count_;
        for (const Value* output : model_.outputs()) claim(output, cuts_.size());
        requireNodes(cuts_.size(), before);
        for (const Node* node : model_.nodes()) requireReadable(*node);
        for (size_t i = 0; i < cuts_.size(); ++i) {
            requirePassedOn(i);
            requireReaders(i);
        }
    }

    PipelineStage make(size_t index) const {
        PipelineStage stage;
        if (index > 0) stage.received = namesOfCut(index - 1);
        if (index < cuts_.size()) stage.sent = namesOfCut(index);
        std::shared_ptr<Graph> part = model_.clone();
        for (const std::string& name : stage.received) makeInput(*part, name);
        if (index < cuts_.size()) {
            std::vector<Value*> outputs;
            for (const std::string& name : stage.sent) {
                if (part->at(name)->producer() != nullptr) outputs.push_back(part->at(name));
            }
            part->setOutputs(std::move(outputs));
        }
        part->removeUnused();
        removeUnreadInputs(*part);
        if (index < cuts_.size()) requireSameInTraining(*part, index);
        stage.model = std::move(part);
        return stage;
    }

private:
    const Value* valueOf(const PipelineEdge& edge) const {
        const Value* value = model_.find(edge.valueName);
        if (value == nullptr || value->producer() == nullptr) {
            throw Error(ErrorCode::NotFound,
                        "The model computes no value '" + edge.valueName +
                            "', which 'pipeline_cut_info_string' names.",
                        "Name outputs of nodes.");
        }
        const ValueType& type = value->type();
        const bool isExchanged =
            type.dtype == DType::Float32 || type.dtype == DType::Bool || isInteger(type.dtype);
        if (isExchanged && type.isTensor()) return value;
        throw Error(ErrorCode::Unsupported,
                    "The value '" + edge.valueName +
                        "', which 'pipeline_cut_info_string' names, is " + formatType(type) +
                        "; stages exchange tensors of float32, integers and bools.",
                    kCutHint);
    }

    /// The nodes that it needs are of this stage, unless an earlier one has them.
    void claim(const Value* value, size_t stage) {
        std::vector<const Value*> open{value};
        while (!open.empty()) {
            const Node* node = open.back()->producer();
            open.pop_back();
            if (node == nullptr || stages_.find(node) != nullptr) continue;
            stages_[node] = stage;
            ++count_;
            for (const Value* input : node->inputs()) {
                if (input != nullptr) open.push_back(input);
            }
            for (const Value* captured : model_.capturedBy(*node)) open.push_back(captured);
        }
    }
    void requireNodes(size_t stage, size_t before) const {
        if (count_ > before) return;
        throw Error(ErrorCode::InvalidInput,
                    "Stage " + std::to_string(stage) + " of the pipeline has no nodes.", kCutHint);
    }

    bool isCut(const std::string& name, size_t cut) const {
        return std::ranges::any_of(
            cuts_[cut], [&](const PipelineEdge& edge) { return edge.valueName == name; });
    }

    /// What a node reads is of its stage, cut on the way there, or a weight of this stage alone.
    void requireReadable(const Node& node) {
        const size_t* stage = stages_.find(&node);
        if (stage == nullptr) return;  // nothing needs it
        std::vector<const Value*> read(node.inputs().begin(), node.inputs().end());
        for (const Value* captured : model_.capturedBy(node)) read.push_back(captured);
        for (const Value* value : read) {
            if (value == nullptr) continue;
            if (value->producer() != nullptr) {
                requireCut(*value, *stage,
                           "read by " + node.describe() + " in " + numberedStage(*stage));
            } else if (trained_.contains(value->name())) {
                requireOneStage(*value, *stage);
            }
        }
    }
    /// A stage passes on what it makes, or gets from the stage before.
    void requirePassedOn(size_t cut) const {
        for (const PipelineEdge& edge : cuts_[cut])
            requireCut(*model_.at(edge.valueName), cut, "in cut " + std::to_string(cut));
    }
    /// It is passed on up to the stage.
    void requireCut(const Value& value, size_t stage, const std::string& use) const {
        const size_t made = stages_.at(value.producer());
        for (size_t cut = made; cut < stage; ++cut) {
            if (isCut(value.name(), cut)) continue;
            throw Error(ErrorCode::InvalidInput,
                        "The value '" + value.name() + "' of " + numberedStage(made) + " is " +
                            use + ", but cut " + std::to_string(cut) + " does not pass it on.",
                        "Add it to the cut in 'pipeline_cut_info_string'.");
        }
    }
    void requireOneStage(const Value& weight, size_t stage) {
        const size_t* other = weights_.find(&weight);
        if (other == nullptr) {
            weights_[&weight] = stage;
        } else if (*other != stage) {
            throw Error(ErrorCode::Unsupported,
                        "The weight '" + weight.name() + "' is read in " + numberedStage(*other) +
                            " and " + numberedStage(stage) +
                            " of the pipeline; it trains, so that "
                            "one stage has to have it.",
                        "Cut the model so that one stage reads it, or do not train it.");
        }
    }
    /// Readers follow from the model; those that are given have to be in a later stage.
    void requireReaders(size_t cut) const {
        for (const PipelineEdge& edge : cuts_[cut]) {
            for (const std::string& reader : edge.readers) {
                const auto isReader = [&](const Node* node) {
                    const Value* output = node->output(0);
                    return node->name() == reader ||
                           (output != nullptr && output->name() == reader);
                };
                const std::vector<Node*> nodes = model_.nodes();
                const auto found = std::ranges::find_if(nodes, isReader);
                const size_t* stage = found == nodes.end() ? nullptr : stages_.find(*found);
                if (stage != nullptr && *stage > cut) continue;
                throw Error(ErrorCode::InvalidInput,
                            "The reader '" + reader + "' of '" + edge.valueName +
                                "' is not a node after " + numberedStage(cut) + ".",
                            kCutHint);
            }
        }
    }

    std::vector<std::string> namesOfCut(size_t cut) const {
        std::vector<std::string> names;
        for (const PipelineEdge& edge : cuts_[cut]) names.push_back(edge.valueName);
        return names;
    }

    /// The value comes from outside instead of its node.
    static void makeInput(Graph& part, const std::string& name) {
        Value* made = part.at(name);
        part.renameValue(made, part.uniqueName(name + "_made"));
        Value* input = part.addInput(name, made->type());
        part.replaceUses(made, input);
    }

    void requireSameInTraining(const Graph& part, size_t stage) const {
        for (const Node* node : part.nodes()) {
            for (const auto& [name, attribute] : node->attributes()) {
                const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
                if (body != nullptr && *body != nullptr) requireSameInTraining(**body, stage);
            }
            if (!changesInTraining(*node, catalog_)) continue;
            throw Error(ErrorCode::Unsupported,
                        node->describe() + " in " + numberedStage(stage) +
                            " of the pipeline computes something else in training.",
                        "Cut the model before it, so that it is in the last stage.");
        }
    }

    const Graph& model_;
    const OpCatalog& catalog_;
    const std::vector<PipelineCut>& cuts_;
    const std::set<std::string> trained_;
    NodeTable<size_t> stages_;
    ValueTable<size_t> weights_;  ///< trained ones: the stage that reads it
    size_t count_ = 0;            ///< nodes that have a stage
};

}  // namespace

PipelineStage stageOf(const Graph& model, const OpCatalog& catalog,
                      const std::vector<PipelineCut>& cuts, const std::vector<std::string>& trained,
                      size_t index) {
    return StageMaker(model, catalog, cuts, trained).make(index);
}

}  // namespace temper::classic
