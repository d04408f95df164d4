// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/horizontal_split.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph_set.h"
#include "engine/ir/graph_table.h"
#include "engine/ir/type_inference.h"
#include "engine/training/ort_classic/collectives.h"

namespace temper::classic {
namespace {

constexpr size_t kWeight = 1;  ///< the input of a product that is its weight
constexpr size_t kBias = 2;    ///< of a Gemm

constexpr int64_t kSoftmaxAlongOneAxis = 13;  ///< since this opset

bool isGemm(const Node& node) { return node.opType() == "Gemm"; }
bool isTransposed(const Node& node) { return node.attribute<int64_t>("transB", 0) != 0; }
/// Of the weight: the units that a product makes, and those that it reads.
size_t madeAxis(const Node& node) { return isGemm(node) && isTransposed(node) ? 0 : 1; }
size_t readAxis(const Node& node) { return 1 - madeAxis(node); }

int64_t rankOf(const Value* value) { return value->type().rank(); }

std::optional<int64_t> sizeAt(const Value* value, int64_t axis) {
    const auto& shape = value->type().shape;
    if (!shape || axis < 0 || axis >= std::ssize(*shape)) return std::nullopt;
    const Dim& dim = (*shape)[static_cast<size_t>(axis)];
    return dim.isNumber() ? std::optional(dim.value) : std::nullopt;
}

/// Of the dimensions from `axis` on; nullopt if one of them is not known.
std::optional<int64_t> productFrom(const Value* value, int64_t axis) {
    int64_t product = 1;
    for (; axis < rankOf(value); ++axis) {
        const auto size = sizeAt(value, axis);
        if (!size) return std::nullopt;
        product *= *size;
    }
    return product;
}

/// Elements [begin, begin + count) of an axis, in memory of their own.
Tensor sliceOf(const Tensor& whole, size_t axis, int64_t begin, int64_t count) {
    Shape shape = whole.shape();
    int64_t outer = 1, inner = static_cast<int64_t>(dtypeSize(whole.dtype()));
    for (size_t i = 0; i < axis; ++i) outer *= shape[i];
    for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    const int64_t size = shape[axis];
    shape[axis] = count;
    Tensor slice(whole.dtype(), shape);
    for (int64_t i = 0; i < outer; ++i) {
        std::copy_n(whole.data() + (i * size + begin) * inner, count * inner,
                    slice.mutableData() + i * count * inner);
    }
    return slice;
}

/// What lies between the first products of a pair and the last one, and how it is cut.
struct Region {
    Node* last = nullptr;
    std::vector<Node*> first;
    std::vector<Node*> between;  ///< producers before readers
    ValueTable<int64_t> axes;    ///< of cut values: the axis; -1 or missing: whole
    struct Constant {
        Node* node = nullptr;
        size_t input = 0;
        size_t axis = 0;
    };
    std::vector<Constant> constants;  ///< to be cut, such as biases
    struct Target {
        Node* reshape = nullptr;
        size_t position = 0;  ///< in its shape
        int64_t size = 0;     ///< of a part
    };
    std::vector<Target> targets;
    /// Float operands that every rank has whole: their gradient is a sum over the ranks.
    std::vector<Value::Use> wholes;
};

class HorizontalSplit {
public:
    HorizontalSplit(Graph& model, const OpCatalog& catalog, int rank, int ranks)
        : model_(model), catalog_(catalog), rank_(rank), ranks_(ranks) {
        for (const Node* node : model.nodes()) {
            for (const Value* value : model.capturedBy(*node)) captured_.insert(value);
        }
        noteWhatDependsOnProducts();
    }

    WeightSlices run() {
        for (Node* node : model_.topologicalOrder()) {
            if (!isProduct(*node) || wasCut_.contains(node)) continue;
            Region region;
            region.last = node;
            if (collect(node->input(0), region) && !region.first.empty() && plan(region))
                cut(region);
        }
        if (slices_.empty()) refuse();
        model_.info().opsetImports.try_emplace(std::string(kMicrosoftDomain), 1);
        for (const Finding& finding : inferTypes(model_, catalog_)) {
            if (finding.severity == Severity::Error)
                throw Error(ErrorCode::Internal, "The part of a rank contradicts itself at '" +
                                                     finding.node + "': " + finding.message);
        }
        return std::move(slices_);
    }

private:
    /// A product with a weight of two dimensions, in its plain form.
    bool isProduct(const Node& node) const {
        if (catalog_.facts(node).family != OperatorFamily::Product || !node.domain().empty())
            return false;
        const Value* weight = node.input(kWeight);
        if (weight == nullptr || !weight->isInitializer() || rankOf(weight) != 2 ||
            weight->type().dtype != DType::Float32 || isReadElsewhere(weight))
            return false;
        if (!isGemm(node)) return true;
        return node.attribute<int64_t>("transA", 0) == 0 &&
               node.attribute<float>("alpha", 1) == 1 && node.attribute<float>("beta", 1) == 1;
    }

    /// By other nodes, the bodies of nodes, or as an output of the model.
    bool isReadElsewhere(const Value* value) const {
        return value->uses().size() != 1 || value->isGraphOutput() || captured_.contains(value);
    }

    void noteWhatDependsOnProducts() {
        for (const Node* node : model_.topologicalOrder()) {
            const bool depends =
                isProduct(*node) || std::ranges::any_of(node->inputs(), [&](const Value* input) {
                    return dependent_.contains(input);
                });
            if (!depends) continue;
            for (const Value* output : node->outputs()) dependent_.insert(output);
        }
    }

    // ---- what is between two products ----------------------------------------------------------

    /// Follows a value back to the products that it is computed from. False: something is in the
    /// way.
    bool collect(Value* value, Region& region) {
        if (value == nullptr || !dependent_.contains(value)) return true;  // whole on each rank
        Node* node = value->producer();
        if (std::ranges::find(region.between, node) != region.between.end() ||
            std::ranges::find(region.first, node) != region.first.end())
            return true;
        if (isProduct(*node)) {
            if (wasCut_.contains(node)) return false;
            region.first.push_back(node);
            return true;
        }
        if (!mayBeBetween(*node)) {
            note(node->describe() + " is between two products");
            return false;
        }
        for (Value* input : node->inputs()) {
            if (!collect(input, region)) return false;
        }
        region.between.push_back(node);
        return true;
    }

    static bool isCalled(const Node& node, const char* op) {
        return node.domain().empty() && node.opType() == op;
    }
    /// Of probabilities or their logarithms along one axis. Before opset 13, it takes all axes from
    /// one on.
    bool isSoftmax(const Node& node) const {
        return catalog_.facts(node).applies == ProbabilityFunction::Softmax &&
               node.domain().empty() && node.inputs().size() == 1 &&
               model_.info().onnxOpset() >= kSoftmaxAlongOneAxis;
    }
    /// Dropout would drop the same units of each part.
    bool mayBeBetween(const Node& node) const {
        const OperatorFacts& facts = catalog_.facts(node);
        if (facts.isRandom || facts.family == OperatorFamily::Regularization) return false;
        return facts.isElementwise || isSoftmax(node) || isCalled(node, "MatMul") ||
               isCalled(node, "Transpose") || isCalled(node, "Reshape");
    }

    // ---- how it is cut -------------------------------------------------------------------------

    bool plan(Region& region) {
        for (Node* node : region.first) {
            if (!dividesOrNote(node->input(kWeight), madeAxis(*node))) return false;
            region.axes[node->output(0)] = rankOf(node->output(0)) - 1;
            if (isGemm(*node) && node->input(kBias) != nullptr &&
                !planWhole(*node, kBias, rankOf(node->input(kBias)) - 1, region)) {
                note("The bias of " + node->describe() + " can't be cut");
                return false;
            }
        }
        for (Node* node : region.between) {
            const std::optional<int64_t> axis = axisAfter(*node, region);
            if (!axis) {
                note(node->describe() + " can't be computed in parts");
                return false;
            }
            region.axes[node->output(0)] = *axis;
        }
        if (!isReadOnlyInside(region)) {
            note("A value between two products is read elsewhere");
            return false;
        }
        if (axisOf(region.last->input(0), region) != rankOf(region.last->input(0)) - 1) {
            note(region.last->describe() + " does not add up what the products before it make");
            return false;
        }
        return dividesOrNote(region.last->input(kWeight), readAxis(*region.last));
    }

    bool dividesOrNote(const Value* weight, size_t axis) {
        const int64_t size = weight->constant().shape()[axis];
        if (size % ranks_ == 0) return true;
        note("The weight '" + weight->name() + "' has " + std::to_string(size) + " units, which " +
             std::to_string(ranks_) + " ranks do not divide");
        return false;
    }

    int64_t axisOf(const Value* value, const Region& region) const {
        const int64_t* axis = region.axes.find(value);
        return axis == nullptr ? -1 : *axis;
    }

    /// Of the output; nullopt if its parts don't follow from the parts of the inputs.
    std::optional<int64_t> axisAfter(Node& node, Region& region) {
        if (isCalled(node, "Transpose")) return afterTranspose(node, region);
        if (isCalled(node, "Reshape")) return afterReshape(node, region);
        if (isCalled(node, "MatMul")) return afterProduct(node, region);
        if (catalog_.facts(node).isElementwise) return afterElementwise(node, region);
        const int64_t axis = axisOf(node.input(0), region), rank = rankOf(node.input(0));
        int64_t along = node.attribute<int64_t>("axis", -1);
        if (along < 0) along += rank;
        return axis >= 0 && along != axis ? std::optional(axis) : std::nullopt;
    }

    std::optional<int64_t> afterElementwise(Node& node, Region& region) {
        std::optional<int64_t> fromEnd;  // of the axis, counted from the last one
        for (const Value* input : node.inputs()) {
            if (input == nullptr || axisOf(input, region) < 0) continue;
            const int64_t distance = rankOf(input) - axisOf(input, region);
            if (fromEnd && *fromEnd != distance) return std::nullopt;
            fromEnd = distance;
        }
        if (!fromEnd) return std::nullopt;
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            const Value* input = node.input(i);
            if (input == nullptr || axisOf(input, region) >= 0) continue;
            if (!input->type().shape || !planWhole(node, i, rankOf(input) - *fromEnd, region))
                return std::nullopt;
        }
        return rankOf(node.output(0)) - *fromEnd;
    }

    /// An operand that every rank has whole so far: what is broadcast along the axis stays so; a
    /// constant of the axis' size is cut.
    bool planWhole(Node& node, size_t input, int64_t axis, Region& region) const {
        const Value* value = node.input(input);
        const auto size = axis < 0 ? std::optional<int64_t>(1) : sizeAt(value, axis);
        if (size == 1) {
            if (isFloating(value->type().dtype)) region.wholes.push_back({&node, input});
            return true;
        }
        if (!size || !value->isInitializer() || isReadElsewhere(value) || *size % ranks_ != 0)
            return false;
        region.constants.push_back({&node, input, static_cast<size_t>(axis)});
        return true;
    }

    std::optional<int64_t> afterTranspose(const Node& node, const Region& region) const {
        const int64_t axis = axisOf(node.input(0), region), rank = rankOf(node.input(0));
        if (axis < 0) return std::nullopt;
        const auto order = node.attribute<std::vector<int64_t>>("perm");
        if (!order) return rank - 1 - axis;
        return std::ranges::find(*order, axis) - order->begin();
    }

    /// The parts stay whole if the axis becomes one that spans the same elements.
    std::optional<int64_t> afterReshape(Node& node, Region& region) {
        const Value *from = node.input(0), *to = node.output(0), *target = node.input(1);
        const int64_t axis = axisOf(from, region);
        if (axis < 0 || target == nullptr || !target->isInitializer()) return std::nullopt;
        const auto sizes = target->constant().values<int64_t>();
        const bool copies = node.attribute<int64_t>("allowzero", 0) == 0;
        const auto isCopiedAt = [&](int64_t i) {
            return copies && i < std::ssize(sizes) && sizes[static_cast<size_t>(i)] == 0;
        };
        const auto span = productFrom(from, axis);
        for (int64_t after = 0; span && after < rankOf(to); ++after) {
            const auto size = sizeAt(to, after);
            if (productFrom(to, after) != span || !size || *size % ranks_ != 0) continue;
            // A zero copies a size of the input, which at the axis is that of a part.
            if (isCopiedAt(after) != (isCopiedAt(axis) && after == axis)) return std::nullopt;
            if (isCopiedAt(axis) && after != axis) return std::nullopt;
            if (sizes[static_cast<size_t>(after)] > 0)
                region.targets.push_back({&node, static_cast<size_t>(after), *size / ranks_});
            return after;
        }
        return std::nullopt;
    }

    /// Of two computed operands: parts of the stack of matrices, of rows or of columns.
    std::optional<int64_t> afterProduct(Node& node, Region& region) const {
        const Value *a = node.input(0), *b = node.input(1), *out = node.output(0);
        const int64_t ofA = axisOf(a, region), ofB = axisOf(b, region);
        if (rankOf(a) < 2 || rankOf(b) < 2) return std::nullopt;
        const auto stack = [&](const Value* value, int64_t axis) -> std::optional<int64_t> {
            if (axis < 0 || axis >= rankOf(value) - 2) return std::nullopt;
            return axis + rankOf(out) - rankOf(value);
        };
        const auto stackOfA = stack(a, ofA), stackOfB = stack(b, ofB);
        if (stackOfA && stackOfA == stackOfB) return stackOfA;
        if (ofB < 0 && ofA == rankOf(a) - 2) {
            region.wholes.push_back({&node, 1});
            return rankOf(out) - 2;
        }
        if (ofA < 0 && ofB == rankOf(b) - 1) {
            region.wholes.push_back({&node, 0});
            return rankOf(out) - 1;
        }
        return std::nullopt;
    }

    /// All outputs of the nodes count, such as the mask of a Dropout.
    bool isReadOnlyInside(const Region& region) const {
        const GraphSet<Node> inside(region.between.begin(), region.between.end());
        const auto isInside = [&](const Node* node) {
            return std::ranges::all_of(node->outputs(), [&](const Value* output) {
                if (output == nullptr) return true;
                if (output->isGraphOutput() || captured_.contains(output)) return false;
                return std::ranges::all_of(output->uses(), [&](const Value::Use& use) {
                    return use.node == region.last || inside.contains(use.node);
                });
            });
        };
        return std::ranges::all_of(region.first, isInside) &&
               std::ranges::all_of(region.between, isInside);
    }

    // ---- cutting -------------------------------------------------------------------------------

    void cut(const Region& region) {
        for (const Region::Constant& constant : region.constants)
            cutConstant(constant.node->input(constant.input), constant.axis);
        for (const Region::Target& target : region.targets) setTarget(target);
        for (Node* node : region.first) {
            cutConstant(node->input(kWeight), madeAxis(*node));
            copyForward({node, 0});
            wasCut_.insert(node);
        }
        for (const Value::Use& use : region.wholes) copyForward(use);
        cutConstant(region.last->input(kWeight), readAxis(*region.last));
        // The types of parts are other ones; the sum is again what it was.
        for (const Node* node : region.first) node->output(0)->setType({});
        for (const Node* node : region.between) {
            for (Value* output : node->outputs()) {
                if (output != nullptr) output->setType({});
            }
        }
        sumUp(*region.last);
        wasCut_.insert(region.last);
    }

    /// The gradient of a whole value is the sum over the parts that are computed from it. One node
    /// for all readers in regions.
    void copyForward(const Value::Use& use) {
        Value* value = use.node->input(use.input);
        if (value->isLiteral()) return;  // it has no gradient
        if (copies_.find(value) == nullptr) copies_[value] = add(kCopyForward, value);
        model_.setInput(use.node, use.input, copies_[value]);
    }

    void cutConstant(Value* value, size_t axis) {
        if (slices_.contains(value->name())) return;
        const Tensor& whole = value->constant();
        const int64_t count = whole.shape()[axis] / ranks_;
        const WeightSlice slice{whole.shape(), static_cast<int64_t>(axis), rank_ * count, count};
        slices_.emplace(value->name(), slice);
        model_.setConstant(value, sliceOf(whole, axis, slice.begin, count));
    }

    /// The shape may be that of other nodes, too.
    void setTarget(const Region::Target& target) {
        const Value* shape = target.reshape->input(1);
        const auto sizes = shape->constant().values<int64_t>();
        std::vector<int64_t> cut(sizes.begin(), sizes.end());
        cut[target.position] = target.size;
        const auto length = static_cast<int64_t>(cut.size());
        model_.setInput(target.reshape, 1,
                        model_.addLiteral(model_.uniqueName(shape->name() + "_part"),
                                          Tensor::of<int64_t>({length}, cut)));
    }

    Value* add(const char* op, Value* input) {
        const std::string name = model_.uniqueName(input->name() + "/" + op);
        return model_
            .addNode({.opType = op,
                      .inputs = {input},
                      .outputs = {name},
                      .domain = std::string(kMicrosoftDomain),
                      .name = name})
            ->output(0);
    }

    /// The product's output becomes the sum over the ranks; its bias is added after that, once.
    void sumUp(Node& node) {
        Value* bias = isGemm(node) ? node.input(kBias) : nullptr;
        if (bias != nullptr) model_.truncateInputs(&node, kBias);
        Value* part = node.output(0);
        const std::string name = part->name();
        model_.renameValue(part, model_.uniqueName(name + "_part"));
        const std::vector<Value::Use> readers = part->uses();
        Value* sum = add(kSumForward, part);
        if (bias != nullptr) {
            sum = model_
                      .addNode({.opType = "Add",
                                .inputs = {sum, bias},
                                .outputs = {model_.uniqueName(name + "_biased")},
                                .name = model_.uniqueName(node.name() + "/Add")})
                      ->output(0);
        }
        for (const Value::Use& use : readers) model_.setInput(use.node, use.input, sum);
        if (part->isGraphOutput()) replaceOutput(part, sum);
        model_.renameValue(sum, name);
    }

    void replaceOutput(Value* before, Value* after) {
        std::vector<Value*> outputs = model_.outputs();
        std::ranges::replace(outputs, before, after);
        model_.setOutputs(outputs);
    }

    void note(const std::string& reason) {
        if (reason_.empty()) reason_ = reason;
    }
    [[noreturn]] void refuse() const {
        throw Error(ErrorCode::Unsupported,
                    "The model has no matrix products that " + std::to_string(ranks_) +
                        " ranks can share out" +
                        (reason_.empty() ? std::string(".") : ": " + reason_ + "."),
                    "Omit horizontal_parallel_size, or use another number of ranks.");
    }

    Graph& model_;
    const OpCatalog& catalog_;
    const int rank_;
    const int ranks_;
    GraphSet<Value> captured_;   ///< by the bodies of nodes
    GraphSet<Value> dependent_;  ///< on a product
    ValueTable<Value*> copies_;  ///< what copyForward() made of values
    GraphSet<Node> wasCut_;
    WeightSlices slices_;
    std::string reason_;  ///< why the first candidate was not cut
};

}  // namespace

WeightSlices splitHorizontally(Graph& model, const OpCatalog& catalog, int rank, int ranks) {
    return HorizontalSplit(model, catalog, rank, ranks).run();
}

}  // namespace temper::classic
