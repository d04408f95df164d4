// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/proposals/loss_proposal.h"

#include <algorithm>
#include <ranges>

#include "engine/training/edits/head.h"
#include "engine/training/loss/double_activation.h"
#include "engine/training/loss/loss_function.h"
#include "ui/messages/problem.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// A class is one of several, a number anything else.
struct Target {
    std::string name;
    bool isClasses = false;
    int64_t classes = 0;  ///< 0 if unknown
    Shape shape;          ///< of one sample
    bool isYesOrNo = false;
};

/// An output with its classes along an axis.
struct ClassOutput {
    const Value* value = nullptr;
    size_t axis = 1;
    int64_t classes = 0;  ///< 0 if unknown
};

/// The numbers of a column among the first samples.
std::vector<double> firstNumbers(const LoadedData& data, size_t column) {
    const Tensor numbers = data.firstBatch[column].cast(DType::Float64);
    return {numbers.values<double>().begin(), numbers.values<double>().end()};
}

std::optional<Target> targetOf(const LoadedData& data) {
    const std::vector<Column>& columns = data.training()->columns();
    const auto found = std::ranges::find_if(columns, &Column::isTarget);
    if (found == columns.end()) return std::nullopt;
    Target target{found->name, !isFloating(found->dtype), std::ssize(found->classes), found->shape};
    const auto column = static_cast<size_t>(found - columns.begin());
    if (found->dtype == DType::String) return target;
    const std::vector<double> numbers = firstNumbers(data, column);
    target.isYesOrNo =
        std::ranges::all_of(numbers, [](double value) { return value == 0 || value == 1; });
    if (target.isClasses && target.classes == 0 && !numbers.empty())
        target.classes = static_cast<int64_t>(std::ranges::max(numbers)) + 1;
    return target;
}

std::vector<const Value*> readableOutputs(const Graph& graph) {
    std::vector<const Value*> outputs;
    for (const Value* output : graph.outputs())
        if (isFloating(output->type().dtype) && output->type().shape && output->type().isTensor())
            outputs.push_back(output);
    return outputs;
}

/// Whether the dimensions of a sample can be those of the shape.
bool mayEqual(const SymbolicShape& dims, const Shape& shape) {
    return std::ranges::equal(dims, shape, [](const Dim& dim, int64_t size) {
        return !dim.isNumber() || dim.value == size;
    });
}

SymbolicShape sampleOf(const Value& value) {
    const SymbolicShape& shape = *value.type().shape;
    return shape.empty() ? shape : SymbolicShape(shape.begin() + 1, shape.end());
}

/// An output with a number for each class of each label, the classes along axis 1 or the last.
std::optional<ClassOutput> classOutput(const Value& value, const Shape& labels) {
    const SymbolicShape& shape = *value.type().shape;
    if (shape.size() != labels.size() + 2) return std::nullopt;
    for (const size_t axis : {size_t{1}, shape.size() - 1}) {
        SymbolicShape rest = shape;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
        rest.erase(rest.begin());
        if (!mayEqual(rest, labels)) continue;
        return ClassOutput{&value, axis, shape[axis].isNumber() ? shape[axis].value : 0};
    }
    return std::nullopt;
}

/// The tensor before a softmax or sigmoid that the loss applies itself; else the value.
const Value* beforeActivation(const Value& value, ProbabilityFunction function,
                              const OpCatalog& catalog) {
    const Node* maker = makerOfNumbers(&value, catalog);
    if (maker == nullptr) return &value;
    const OperatorFacts& facts = catalog.facts(*maker);
    return facts.makesProbabilities && facts.applies == function ? maker->input(0) : &value;
}

bool hasHead(const LoadedModel& model, const OpSet& ops, const Value& output) {
    try {
        findHead(*model.graph, ops.catalog, output.name());
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// Names the tensor unless it is the model's only output, which the loss reads anyway.
void readFrom(const Value& value, const Graph& graph, LossProposal& proposal) {
    const bool isObvious = graph.outputs().size() == 1 && graph.outputs().front() == &value;
    if (!isObvious) proposal.inputs = {value.name()};
}

void noteActivation(const Value& read, const Value& output, const QString& function,
                    LossProposal& proposal) {
    if (&read == &output) return;
    proposal.choice.why +=
        QLatin1Char(' ') + tr("It applies %1 itself, so it reads “%2”, before the model does.")
                               .arg(function, text(read.name()));
}

void describe(LossProposal& proposal) {
    const LossFunction* loss = findLossFunction(proposal.loss.key);
    proposal.choice.id = QStringLiteral("loss");
    proposal.choice.title = tr("Loss");
    proposal.choice.value = engineText(loss->choice.label);
    proposal.choice.page = QStringLiteral("objective");
}

LossProposal crossEntropyOf(const ClassOutput& found, const Target& target,
                            const LoadedModel& model, const OpSet& ops) {
    LossProposal proposal;
    proposal.loss.key = "cross-entropy";
    if (found.axis != 1) proposal.loss.values["axis"] = -1;
    describe(proposal);
    proposal.choice.why = tr("“%1” has a number for each class of “%2”.")
                              .arg(text(found.value->name()), text(target.name));
    const Value* read = beforeActivation(*found.value, ProbabilityFunction::Softmax, ops.catalog);
    readFrom(*read, *model.graph, proposal);
    noteActivation(*read, *found.value, tr("softmax"), proposal);
    const bool differs = target.classes > 1 && found.classes != target.classes;
    if (differs && hasHead(model, ops, *found.value)) proposal.headClasses = target.classes;
    return proposal;
}

LossProposal binaryOf(const Value& output, const QString& why, const LoadedModel& model,
                      const OpSet& ops) {
    LossProposal proposal;
    proposal.loss.key = "bce-with-logits";
    describe(proposal);
    proposal.choice.why = why;
    const Value* read = beforeActivation(output, ProbabilityFunction::Sigmoid, ops.catalog);
    readFrom(*read, *model.graph, proposal);
    noteActivation(*read, output, tr("sigmoid"), proposal);
    return proposal;
}

/// The output whose classes are those of the labels, else one with more of them, else any.
std::optional<ClassOutput> bestClassOutput(const std::vector<const Value*>& outputs,
                                           const Target& target) {
    const auto rank = [&](const ClassOutput& found) {
        if (found.classes == target.classes) return 0;
        return found.classes == 0 ? 1 : found.classes > target.classes ? 2 : 3;
    };
    std::optional<ClassOutput> best;
    for (const Value* output : outputs) {
        const auto found = classOutput(*output, target.shape);
        if (!found || found->classes == 1) continue;
        if (!best || rank(*found) < rank(*best)) best = found;
    }
    return best;
}

std::optional<LossProposal> forClasses(const LoadedModel& model, const Target& target,
                                       const OpSet& ops) {
    const std::vector<const Value*> outputs = readableOutputs(*model.graph);
    if (const auto found = bestClassOutput(outputs, target)) {
        LossProposal proposal = crossEntropyOf(*found, target, model, ops);
        // Labels beyond the classes would fail, and there is no other layer to learn them.
        const bool isTooSmall = found->classes > 0 && found->classes < target.classes;
        if (isTooSmall && proposal.headClasses == 0) return std::nullopt;
        return proposal;
    }
    if (target.classes != 2) return std::nullopt;
    for (const Value* output : outputs) {
        SymbolicShape sample = sampleOf(*output);
        if (!sample.empty() && sample.back().isNumber() && sample.back().value == 1)
            sample.pop_back();
        if (!mayEqual(sample, target.shape)) continue;
        const QString why = tr("“%1” is one number for the two classes of “%2”.")
                                .arg(text(output->name()), text(target.name));
        return binaryOf(*output, why, model, ops);
    }
    return std::nullopt;
}

std::optional<LossProposal> forNumbers(const LoadedModel& model, const Target& target,
                                       const OpSet& ops) {
    for (const Value* output : readableOutputs(*model.graph)) {
        const bool fits = mayEqual(sampleOf(*output), target.shape) ||
                          (numElements(target.shape) == 1 &&
                           mayEqual(sampleOf(*output), target.shape.empty() ? Shape{1} : Shape{}));
        if (!fits) continue;
        if (target.isYesOrNo) {
            const QString why = tr("“%1” holds only zeros and ones, one for each number of “%2”.")
                                    .arg(text(target.name), text(output->name()));
            return binaryOf(*output, why, model, ops);
        }
        LossProposal proposal;
        proposal.loss.key = "mse";
        describe(proposal);
        proposal.choice.why = tr("“%1” holds numbers, one for each number of “%2”.")
                                  .arg(text(target.name), text(output->name()));
        readFrom(*output, *model.graph, proposal);
        return proposal;
    }
    return std::nullopt;
}

/// Logits [N, T, vocabulary] for tokens [N, T].
std::optional<LossProposal> forTokens(const LoadedModel& model) {
    const auto isTokens = [](const Value* input) {
        return isInteger(input->type().dtype) && input->type().shape &&
               input->type().shape->size() == 2;
    };
    if (std::ranges::none_of(model.graph->inputs(), isTokens)) return std::nullopt;
    for (const Value* output : readableOutputs(*model.graph)) {
        if (output->type().shape->size() != 3) continue;
        LossProposal proposal;
        proposal.loss.key = "next-token";
        describe(proposal);
        proposal.choice.why =
            tr("The data has no target: the model learns to predict the next token from “%1”.")
                .arg(text(output->name()));
        readFrom(*output, *model.graph, proposal);
        return proposal;
    }
    return std::nullopt;
}

}  // namespace

std::optional<LossProposal> proposeLoss(const LoadedModel& model, const LoadedData& data,
                                        const OpSet& ops) {
    const std::optional<Target> target = targetOf(data);
    if (!target) return forTokens(model);
    return target->isClasses ? forClasses(model, *target, ops) : forNumbers(model, *target, ops);
}

}  // namespace temper::ui
