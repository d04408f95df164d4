// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/free_batch.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/core/counted.h"
#include "engine/ir/type_inference.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;

constexpr size_t kRecurrentStates = 5;  // initial_h and, for an LSTM, initial_c

bool hasRank(const Value& value, int64_t rank) {
    return value.type().isTensor() && value.type().rank() == rank;
}

int64_t highestRank(const Graph& model) {
    int64_t rank = 0;
    for (const Value* input : model.inputs()) rank = std::max(rank, input->type().rank());
    return rank;
}

[[noreturn]] void fail(const std::string& reason, int64_t batch) {
    throw Error(ErrorCode::Unsupported,
                "The model takes " + counted(batch, "sample") +
                    " at a time, which can't be changed: " + reason,
                "Train it with batches of " + std::to_string(batch) +
                    ", or export it again with a free batch dimension.");
}

bool isCalled(const Node& node, const char* op) {
    return node.domain().empty() && node.opType() == op;
}

/// Gives the inputs a named dimension and then, round by round, fixes the nodes that would stop it,
/// until the types of all values follow from it.
class BatchFreeing {
public:
    BatchFreeing(Graph& model, const OpCatalog& catalog, int64_t batch)
        : model_(model), catalog_(catalog), batch_(batch), symbol_(newSymbol()) {
        for (const Value* value : model.values()) before_[value->index()] = value->type();
    }

    void run() {
        nameInputs();
        do {
            infer();
        } while (mendAll());
        for (const Value* output : model_.outputs()) requireFree(*output);
    }

private:
    std::string newSymbol() const {
        std::set<std::string> used;
        for (const Value* value : model_.values()) {
            if (!value->type().shape) continue;
            for (const Dim& dim : *value->type().shape) used.insert(dim.symbol);
        }
        std::string symbol = "batch";
        for (int number = 2; used.contains(symbol); ++number)
            symbol = "batch_" + std::to_string(number);
        return symbol;
    }

    Dim batchDim() const { return Dim::named(symbol_); }

    void nameInputs() {
        for (Value* input : model_.inputs()) {
            ValueType type = input->type();
            if (!type.isTensor() || type.rank() < 2 || type.shape->front() != Dim::of(batch_))
                continue;
            type.shape->front() = batchDim();
            input->setType(std::move(type));
        }
    }

    /// Types that were inferred or declared before contain the number: they are cleared, except for
    /// the outputs of unknown operators.
    void infer() {
        for (const Node* node : model_.nodes()) {
            if (catalog_.find(node->domain(), node->opType()) == nullptr) continue;
            for (Value* output : node->outputs())
                if (output != nullptr) output->setType({});
        }
        errors_.clear();
        for (const Finding& finding : inferTypes(model_, catalog_))
            if (finding.severity == Severity::Error) errors_[finding.node] = finding.message;
    }

    bool carries(const Value* value) const {
        if (value == nullptr || !value->type().shape) return false;
        return std::ranges::any_of(*value->type().shape, [&](const Dim& dim) {
            return dim.symbol.find(symbol_) != std::string::npos;
        });
    }
    bool hasBatchAt(const Value* value, size_t axis) const {
        return value != nullptr && value->type().rank() > static_cast<int64_t>(axis) &&
               (*value->type().shape)[axis] == batchDim();
    }
    bool hasNumberAt(const Value* value, size_t axis) const {
        return value != nullptr && value->type().rank() > static_cast<int64_t>(axis) &&
               (*value->type().shape)[axis] == Dim::of(batch_);
    }

    bool mendAll() {
        bool isChanged = false;
        for (Node* node : model_.topologicalOrder()) isChanged = mend(*node) || isChanged;
        return isChanged;
    }

    bool mend(Node& node) {
        if (isCalled(node, "Reshape")) return mendReshape(node);
        if (isCalled(node, "Flatten")) return mendFlatten(node);
        if (isCalled(node, "Expand")) return mendExpand(node);
        if (isCalled(node, "Resize")) return mendSizes(node);
        if (isCalled(node, "Concat")) return mendConcat(node);
        const bool isRecurrent = catalog_.facts(node).family == OperatorFamily::Recurrent;
        return isRecurrent && mendStates(node);
    }

    std::optional<Integers> integersOf(const Value* value) const {
        if (value == nullptr) return std::nullopt;
        if (!value->isInitializer()) return knownIntegers(model_, *value, catalog_);
        if (value->type().dtype != DType::Int64) return std::nullopt;
        const auto numbers = value->constant().values<int64_t>();
        return Integers(numbers.begin(), numbers.end());
    }

    bool mendReshape(Node& node) {
        const Value* from = node.input(0);
        std::optional<Integers> target = integersOf(node.input(1));
        if (!target || target->empty() || !carries(from) || target->front() <= 0 ||
            target->front() % batch_ != 0)
            return false;
        const bool copies = node.attribute<int64_t>("allowzero", 0) == 0;
        if (hasBatchAt(from, 0) && target->front() == batch_ && copies) {
            target->front() = 0;
        } else if (!leaveFirstOpen(*target, node.output(0)->index())) {
            return false;
        }
        setIntegers(node, 1, *target);
        return true;
    }

    /// The first dimension is inferred from the number of elements and the other dimensions, which
    /// do not change.
    bool leaveFirstOpen(Integers& target, uint32_t output) const {
        const auto& before = before_.at(output).shape;
        for (size_t axis = 1; axis < target.size(); ++axis) {
            if (target[axis] > 0) continue;
            if (!before || before->size() != target.size() || !(*before)[axis].isNumber())
                return false;
            target[axis] = (*before)[axis].value;
        }
        target.front() = -1;
        return true;
    }

    /// Flattens each sample to one row.
    bool mendFlatten(Node& node) {
        const Value* from = node.input(0);
        if (batch_ != 1 || !hasBatchAt(from, 0)) return false;
        const auto axis = node.attribute<int64_t>("axis", 1);
        if (axis != 0 && axis != -from->type().rank()) return false;
        node.setAttribute("axis", int64_t{1});
        return true;
    }

    /// A dimension of 1 expands to the size of the input's.
    bool mendExpand(Node& node) {
        std::optional<Integers> target = integersOf(node.input(1));
        const bool ends = target && !target->empty() && target->front() == batch_ && batch_ > 1 &&
                          hasBatchAt(node.input(0), 0) &&
                          hasRank(*node.input(0), static_cast<int64_t>(target->size()));
        if (!ends) return false;
        target->front() = 1;
        setIntegers(node, 1, *target);
        return true;
    }

    bool mendSizes(Node& node) {
        constexpr size_t kSizes = 3;
        const std::optional<Integers> sizes = integersOf(node.input(kSizes));
        if (!sizes || sizes->empty() || sizes->front() != batch_ || !hasBatchAt(node.input(0), 0))
            return false;
        model_.setInput(&node, kSizes, shapeWithBatch(*sizes, 0, node.input(0), 0));
        return true;
    }

    /// Constants that are concatenated with the batch, e.g. a class token, are repeated for each
    /// sample.
    bool mendConcat(Node& node) {
        if (batch_ != 1 || node.attribute<int64_t>("axis", 0) == 0) return false;
        const auto with = std::ranges::find_if(
            node.inputs(), [&](const Value* input) { return hasBatchAt(input, 0); });
        if (with == node.inputs().end()) return false;
        Value* like = *with;
        bool isChanged = false;
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            Value* part = node.input(i);
            if (!hasNumberAt(part, 0)) continue;
            model_.setInput(&node, i, repeated(part, 0, like, 0));
            isChanged = true;
        }
        return isChanged;
    }

    bool mendStates(Node& node) {
        const bool batchFirst = node.attribute<int64_t>("layout", 0) == 1;
        const size_t axis = batchFirst ? 0 : 1;
        if (batch_ != 1 || !hasBatchAt(node.input(0), axis)) return false;
        bool isChanged = false;
        for (size_t i = kRecurrentStates; i < node.inputs().size(); ++i) {
            Value* state = node.input(i);
            if (!hasRank(*node.input(0), 3) || !hasNumberAt(state, axis)) continue;
            model_.setInput(&node, i, repeated(state, axis, node.input(0), axis));
            isChanged = true;
        }
        return isChanged;
    }

    void setIntegers(Node& node, size_t input, const Integers& numbers) {
        model_.setInput(&node, input, literal(node.input(input)->name(), numbers));
    }
    Value* literal(const std::string& name, const Integers& numbers) {
        return model_.addLiteral(model_.uniqueName(name),
                                 Tensor::of<int64_t>({static_cast<int64_t>(numbers.size())},
                                                     std::span<const int64_t>(numbers)));
    }
    Value* made(const char* op, const std::string& name, std::vector<Value*> inputs,
                Attributes attributes = {}) {
        return model_
            .addNode({.opType = op,
                      .inputs = std::move(inputs),
                      .outputs = {model_.uniqueName(name)},
                      .attributes = std::move(attributes)})
            ->output(0);
    }

    /// These sizes, with the one at `axis` replaced by the length of an axis of `like`.
    Value* shapeWithBatch(const Integers& sizes, size_t axis, Value* like, size_t likeAxis) {
        const std::string name = like->name() + "_batch";
        Value* shape = made("Shape", name + "_shape", {like});
        Value* place = literal(name + "_axis", {static_cast<int64_t>(likeAxis)});
        Value* length = made("Gather", name, {shape, place}, {{"axis", int64_t{0}}});
        const auto cut = sizes.begin() + static_cast<std::ptrdiff_t>(axis);
        std::vector<Value*> parts;
        if (axis > 0) parts.push_back(literal(name + "_before", {sizes.begin(), cut}));
        parts.push_back(length);
        if (axis + 1 < sizes.size())
            parts.push_back(literal(name + "_after", {cut + 1, sizes.end()}));
        return parts.size() == 1
                   ? length
                   : made("Concat", name + "_sizes", std::move(parts), {{"axis", int64_t{0}}});
    }

    Value* repeated(Value* value, size_t axis, Value* like, size_t likeAxis) {
        const Integers ones(static_cast<size_t>(value->type().rank()), 1);
        Value* shape = shapeWithBatch(ones, axis, like, likeAxis);
        return made("Expand", value->name() + "_repeated", {value, shape});
    }

    /// An output whose first dimension was the number has to start with the name.
    void requireFree(const Value& output) const {
        if (!errors_.empty()) fail(errors_.begin()->second, batch_);
        const ValueType& before = before_.at(output.index());
        const bool counted = before.rank() > 0 && before.shape->front() == Dim::of(batch_);
        const ValueType& now = output.type();
        if (!counted || now.rank() < 1 || !now.shape->front().isNumber()) return;
        for (const Node* node : model_.topologicalOrder()) {
            const auto from = std::ranges::find_if(
                node->inputs(), [&](const Value* input) { return carries(input); });
            const auto free = [&](const Value* made) { return made == nullptr || carries(made); };
            if (from == node->inputs().end() || catalog_.facts(*node).measuresShape) continue;
            if (std::ranges::all_of(node->outputs(), free)) continue;
            fail(node->describe() + " makes " + formatType(node->output(0)->type()) + " of " +
                     formatType((*from)->type()) + ".",
                 batch_);
        }
        fail("the output '" + output.name() + "' does not depend on the inputs.", batch_);
    }

    Graph& model_;
    const OpCatalog& catalog_;
    const int64_t batch_;
    const std::string symbol_;
    std::map<uint32_t, ValueType> before_;
    std::map<std::string, std::string> errors_;  ///< by node
};

}  // namespace

std::optional<int64_t> fixedBatch(const Graph& model) {
    const int64_t rank = highestRank(model);
    std::optional<int64_t> batch;
    for (const Value* input : model.inputs()) {
        if (rank < 2 || !hasRank(*input, rank)) continue;
        const Dim& first = input->type().shape->front();
        if (!first.isNumber() || first.value == 0 || (batch && *batch != first.value))
            return std::nullopt;
        batch = first.value;
    }
    return batch;
}

std::optional<Finding> remarkOnFixedBatch(const Graph& model) {
    const std::optional<int64_t> batch = fixedBatch(model);
    if (!batch) return std::nullopt;
    Finding found;
    found.code = "W008";
    found.severity = Severity::Info;
    found.message = "The model takes " + counted(*batch, "sample") + " at a time.";
    found.hint = "Train it with batches of " + std::to_string(*batch) +
                 ", or free the batch dimension with --free-batch.";
    return found;
}

void freeBatch(Graph& model, const OpCatalog& catalog) {
    const std::optional<int64_t> batch = fixedBatch(model);
    if (batch) BatchFreeing(model, catalog, *batch).run();
}

}  // namespace temper
