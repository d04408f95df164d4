// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "engine/core/random.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/edits/free_batch.h"

namespace temper {
namespace {

using Tensors = std::vector<Tensor>;

constexpr int64_t kBatches = 2;
constexpr int64_t kFreeLength = 8;  ///< of dimensions that are already free
constexpr uint64_t kSeed = 1;
/// Another batch size may select other kernels, which round differently.
constexpr double kRoundings = 1e-3;

/// Floats are normally distributed, integers 0 or 1.
Tensor madeUp(DType dtype, const Shape& shape, uint64_t stream) {
    Random random(kSeed, stream);
    Tensor numbers(DType::Float32, shape);
    for (float& value : numbers.mutableValues<float>())
        value = isFloating(dtype) ? random.normal() : static_cast<float>(random.below(2));
    return numbers.cast(dtype);
}

/// The position of the batch in a type; absent if it has none.
std::optional<size_t> batchAxis(const ValueType& freed, const ValueType& given) {
    if (!freed.shape || !given.shape || freed.shape->size() != given.shape->size()) return {};
    for (size_t axis = 0; axis < freed.shape->size(); ++axis) {
        if ((*freed.shape)[axis].isSymbol() && (*given.shape)[axis].isNumber()) return axis;
    }
    return {};
}

/// The part of one batch, of several that are concatenated along the axis.
Tensor partOf(const Tensor& whole, size_t axis, int64_t part) {
    Shape shape = whole.shape();
    shape[axis] /= kBatches;
    Tensor result(whole.dtype(), shape);
    const size_t block =
        result.byteSize() / static_cast<size_t>(numElements(Shape(
                                shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis))));
    const size_t blocks = block == 0 ? 0 : result.byteSize() / block;
    for (size_t i = 0; i < blocks; ++i) {
        const size_t from = (i * kBatches + static_cast<size_t>(part)) * block;
        std::memcpy(result.mutableData() + i * block, whole.data() + from, block);
    }
    return result;
}

bool areAlike(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) return false;
    const Tensor x = a.cast(DType::Float64), y = b.cast(DType::Float64);
    double largest = 0, apart = 0;
    for (int64_t i = 0; i < x.numElements(); ++i) {
        const double left = x.values<double>()[static_cast<size_t>(i)];
        const double right = y.values<double>()[static_cast<size_t>(i)];
        if (!std::isfinite(left) || !std::isfinite(right)) continue;
        largest = std::max(largest, std::abs(right));
        apart = std::max(apart, std::abs(left - right));
    }
    return apart <= kRoundings * std::max(largest, 1e-6);
}

class Comparison {
public:
    Comparison(const Graph& given, const Graph& freed, const OpSet& ops)
        : given_(given.clone()), freed_(freed.clone()), ops_(ops), pool_(1) {}

    void run() {
        keepTensors();
        if (given_->outputs().empty()) return;
        Tensors both;
        for (size_t i = 0; i < freed_->inputs().size(); ++i) both.push_back(inputFor(i));
        std::vector<Tensors> alone;
        try {
            for (int64_t part = 0; part < kBatches; ++part)
                alone.push_back(outputsOf(given_, partsOf(both, part)));
        } catch (const Error&) {
            return;  // it rejects generated inputs: there is nothing to compare with
        }
        const Tensors together = outputsOf(freed_, both);
        for (int64_t part = 0; part < kBatches; ++part)
            compare(together, alone[static_cast<size_t>(part)], part);
    }

private:
    /// Sequences and optionals are not compared.
    void keepTensors() {
        std::vector<Value*> given, freed;
        for (size_t i = 0; i < given_->outputs().size(); ++i) {
            if (!given_->outputs()[i]->type().isTensor()) continue;
            given.push_back(given_->outputs()[i]);
            freed.push_back(freed_->outputs()[i]);
        }
        given_->setOutputs(std::move(given));
        freed_->setOutputs(std::move(freed));
    }

    Tensor inputFor(size_t input) const {
        const ValueType& type = given_->inputs()[input]->type();
        Shape shape;
        for (const Dim& dim : *type.shape)
            shape.push_back(dim.isNumber() ? dim.value : kFreeLength);
        if (const auto axis = axisOf(input)) shape[*axis] *= kBatches;
        return madeUp(type.dtype, shape, input);
    }
    std::optional<size_t> axisOf(size_t input) const {
        return batchAxis(freed_->inputs()[input]->type(), given_->inputs()[input]->type());
    }

    Tensors outputsOf(const std::shared_ptr<Graph>& model, const Tensors& inputs) {
        GraphRunner runner(model, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool_);
        Tensors results;
        for (const Tensor& output : runner.run(inputs)) results.push_back(output.clone());
        return results;
    }

    Tensors partsOf(const Tensors& inputs, int64_t part) const {
        Tensors parts;
        for (size_t i = 0; i < inputs.size(); ++i) {
            const auto axis = axisOf(i);
            parts.push_back(axis ? partOf(inputs[i], *axis, part) : inputs[i]);
        }
        return parts;
    }

    void compare(const Tensors& together, const Tensors& alone, int64_t part) const {
        for (size_t i = 0; i < alone.size(); ++i) {
            const Value& output = *freed_->outputs()[i];
            const auto axis = batchAxis(output.type(), given_->outputs()[i]->type());
            const Tensor now = axis ? partOf(together[i], *axis, part) : together[i];
            if (areAlike(now, alone[i])) continue;
            throw Error(
                ErrorCode::Unsupported,
                "The batch dimension can't be made free: for two batches at once, output '" +
                    output.name() + "' differs from that of each batch.",
                "Samples of one batch influence each other's results, or the model relies on their "
                "number. Train it with its original batch size, or export it again with a free "
                "batch dimension.");
        }
    }

    std::shared_ptr<Graph> given_;
    std::shared_ptr<Graph> freed_;
    const OpSet& ops_;
    ThreadPool pool_;
};

/// Whether inputs can be generated: tensors of numbers of a known rank.
bool canBeFed(const Graph& model) {
    return std::ranges::all_of(model.inputs(), [](const Value* input) {
        const ValueType& type = input->type();
        return type.shape && type.isTensor() && type.dtype != DType::String &&
               type.dtype != DType::Undefined;
    });
}

}  // namespace

void requireFreeableBatch(const Graph& model, const OpSet& ops, const FixedInputs& fixed) {
    const std::unique_ptr<Graph> given = model.clone();
    inferTypes(*given, ops.catalog);
    fixInputs(*given, ops, fixed);
    const std::unique_ptr<Graph> freed = given->clone();
    freeBatch(*freed, ops.catalog);
    if (canBeFed(*given)) Comparison(*given, *freed, ops).run();
}

}  // namespace temper
