// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/label_shapes.h"

#include "engine/core/counted.h"
#include "engine/ir/type_inference.h"

namespace temper {
namespace {

/// The shape of the logits for inputs of these shapes; absent if it can't be determined.
std::optional<SymbolicShape> shapeOfLogits(const Graph& model, const OpCatalog& catalog,
                                           const std::string& logits,
                                           const std::map<std::string, Shape>& shapes) {
    const std::unique_ptr<Graph> forward = model.clone();
    Value* value = forward->find(logits);
    if (value == nullptr) return std::nullopt;
    forward->setOutputs({value});
    forward->removeUnused();
    for (Value* input : forward->inputs()) {
        const auto known = shapes.find(input->name());
        if (known == shapes.end()) continue;
        input->setType({input->type().dtype, symbolicShape(known->second), false});
    }
    if (hasErrors(inferTypes(*forward, catalog))) return std::nullopt;
    return forward->at(logits)->type().shape;
}

SymbolicShape withoutAxis(SymbolicShape shape, size_t axis) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return shape;
}

/// The number of dimensions does not depend on the fed data.
bool hasFewerDimensions(const Value* value, int64_t count) {
    return value != nullptr && value->type().shape && value->type().rank() < count;
}

/// Whether labels may have this shape; unknown dimensions match anything.
bool labelsFit(const Shape& labels, const SymbolicShape& expected) {
    if (labels.size() != expected.size()) return false;
    for (size_t i = 0; i < labels.size(); ++i) {
        if (expected[i].isNumber() && expected[i].value != labels[i]) return false;
    }
    return true;
}

bool areShorterLabels(const Shape& labels, const SymbolicShape& logits) {
    return labels.size() == 2 && logits.size() == 3 && logits[1].isNumber() &&
           labels[1] < logits[1].value;
}

std::string describeLabels(const std::string& logits, const SymbolicShape& shape,
                           const std::string& target, const Shape& labels) {
    return "The loss reads the classes along axis 1 of '" + logits + "', which is " +
           formatShape(shape) + ", but '" + target + "' is " + formatShape(labels) + "; expected " +
           formatShape(withoutAxis(shape, 1)) + ".";
}

/// The shapes of whole batches.
struct LabelShapes {
    Shape labels;
    SymbolicShape logits;  ///< three dimensions or more
};

/// Absent if the loss does not read its classes along axis 1 of at least three dimensions, or if
/// that is unknown.
std::optional<LabelShapes> labelShapes(const Graph& model, const OpCatalog& catalog,
                                       const LossInfo& loss,
                                       const std::map<std::string, Shape>& shapes) {
    const auto given = shapes.find(loss.target);
    const bool movesClasses =
        loss.predictions.size() != 1 || loss.predictions[0] != loss.prediction;
    if (loss.kind != "cross-entropy" || given == shapes.end() || movesClasses) return std::nullopt;
    if (hasFewerDimensions(model.find(loss.prediction), 3)) return std::nullopt;
    auto logits = shapeOfLogits(model, catalog, loss.prediction, shapes);
    if (!logits || logits->size() < 3) return std::nullopt;
    return LabelShapes{given->second, std::move(*logits)};
}

}  // namespace

std::optional<LossObjection> objectionToLabels(const Graph& model, const OpCatalog& catalog,
                                               const LossInfo& loss,
                                               const std::map<std::string, Shape>& shapes) {
    const auto found = labelShapes(model, catalog, loss, shapes);
    if (!found || labelsFit(found->labels, withoutAxis(found->logits, 1))) return std::nullopt;
    const auto& [labels, logits] = *found;
    const std::string message = describeLabels(loss.prediction, logits, loss.target, labels);
    if (labelsFit(labels, withoutAxis(logits, logits.size() - 1))) {
        return LossObjection{message,
                             "The labels match classes along the last axis: generate the artifacts "
                             "with --axis -1, or with axis=-1 in a formula."};
    }
    if (!areShorterLabels(labels, logits)) return std::nullopt;
    return LossObjection{
        message,
        "Labels that are shorter than the " + counted(logits[1].value, "step") +
            " of the prediction and are not aligned with them need the CTC loss:\n"
            "    temper artifacts MODEL --loss ctc --out DIR\n"
            "    If each label belongs to a step, fill the other steps with a class for no label, "
            "or with -100:\n"
            "    temper artifacts MODEL --axis -1 --ignore-index -100 --out DIR"};
}

std::optional<LossObjection> doubtAboutLabels(const Graph& model, const OpCatalog& catalog,
                                              const LossInfo& loss,
                                              const std::map<std::string, Shape>& shapes) {
    const auto found = labelShapes(model, catalog, loss, shapes);
    if (!found) return std::nullopt;
    const Shape& labels = found->labels;
    const SymbolicShape& logits = found->logits;
    const auto areLabels = [&labels](const SymbolicShape& shape) {
        return concreteShape(shape) == labels;
    };
    const size_t last = logits.size() - 1;
    if (!areLabels(withoutAxis(logits, 1)) || !areLabels(withoutAxis(logits, last)))
        return std::nullopt;
    return LossObjection{
        "'" + loss.prediction + "' is " + formatShape(logits) + " and '" + loss.target + "' is " +
            formatShape(labels) +
            ": the classes may be along axis 1, where the loss reads them, or along the last axis.",
        "If they are along the last axis, as in [batch, steps, classes], generate the artifacts "
        "with --axis -1, or with axis=-1 in a formula. If they are along axis 1, no change is "
        "needed."};
}

}  // namespace temper
