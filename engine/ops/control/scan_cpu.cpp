// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "engine/core/random.h"
#include "engine/core/saturated_cast.h"
#include "engine/ir/inlining.h"
#include "engine/ops/control/control.h"
#include "engine/runtime/cpu/scratch_layout.h"
#include "engine/runtime/execution_plan.h"

namespace temper {
namespace {

/// A tensor cut along an axis, in bytes: [outer, length, inner].
struct Cut {
    size_t outer = 1;
    size_t length = 0;
    size_t inner = 0;
    bool isReversed = false;

    static Cut of(const TensorType& type, const ScanAxis& scanAxis, const Shape& sample) {
        const auto axis = static_cast<size_t>(
            normalizeAxis(scanAxis.axis, static_cast<int64_t>(sample.size()), "The scan axis"));
        const std::span<const int64_t> dims(sample);
        return {static_cast<size_t>(numElements(dims.first(axis))),
                static_cast<size_t>(sample[axis]),
                static_cast<size_t>(numElements(dims.subspan(axis + 1))) * dtypeSize(type.dtype),
                scanAxis.isReversed};
    }

    size_t sliceBytes() const { return outer * inner; }
    size_t bytes() const { return outer * length * inner; }
    size_t position(size_t step) const { return isReversed ? length - 1 - step : step; }

    void copyOut(const std::byte* from, size_t step, std::byte* slice) const {
        from += position(step) * inner;
        for (size_t i = 0; i < outer && inner > 0; ++i) {
            std::memcpy(slice + i * inner, from + i * length * inner, inner);
        }
    }
    void copyIn(const std::byte* slice, size_t step, std::byte* to) const {
        to += position(step) * inner;
        for (size_t i = 0; i < outer && inner > 0; ++i) {
            std::memcpy(to + i * length * inner, slice + i * inner, inner);
        }
    }
};

/// The shape of one sample.
Shape sampleShape(const Shape& shape, bool isBatched) {
    return isBatched ? Shape(shape.begin() + 1, shape.end()) : shape;
}

/// Runs the plan of the body once per element of the sequences. Source: ONNX, docs/Operators.md,
/// Scan, and docs/Changelog.md, Scan-8.
class ScanKernel final : public Kernel {
public:
    explicit ScanKernel(const PrepareContext& context)
        : form_(scanForm(context.node(), context.opset())) {
        if (form_.isBatched && context.hasInput(0)) {
            context.fail(ErrorCode::Unsupported,
                         "Lengths of the sequences are given; expected none.",
                         "Export the model with opset 9 or later.");
        }
        batch_ = form_.isBatched
                     ? static_cast<size_t>(context.input(form_.scanInput(0)).shape.front())
                     : 1;
        compileBody(context);
        layOut(context);
    }

    void run(const RunContext& context) const override {
        auto* const addresses = reinterpret_cast<void**>(context.scratch() + addressesAt_);
        for (size_t i = 0; i < body_->buffers().size(); ++i) {
            const auto& buffer = body_->buffers()[i];
            addresses[i] = nullptr;
            if (buffer.kind == ExecutionPlan::BufferKind::Constant) {
                addresses[i] = constants_[i];
            } else if (buffer.kind == ExecutionPlan::BufferKind::Arena) {
                addresses[i] = context.scratch() + arenaAt_ + buffer.offset;
            }
        }
        for (size_t i = 0; i < captured_.size(); ++i) {
            const size_t port = form_.states + form_.inputs.size() + i;
            bind(addresses, port, context.in<std::byte>(captured_[i]));
        }
        for (size_t sample = 0; sample < batch_; ++sample) runSample(context, addresses, sample);
    }

private:
    TensorType sliceType(const PrepareContext& context, size_t i) {
        const TensorType& type = context.input(form_.scanInput(i));
        Shape sample = sampleShape(type.shape, form_.isBatched);
        inputs_.push_back(Cut::of(type, form_.inputs[i], sample));
        sample.erase(sample.begin() + normalizeAxis(form_.inputs[i].axis,
                                                    static_cast<int64_t>(sample.size()),
                                                    "The scan axis"));
        return {type.dtype, std::move(sample)};
    }

    void compileBody(const PrepareContext& context) {
        const std::unique_ptr<Graph> body = bodyOf(context.node(), "body").clone();
        body->info() = context.bodyTools().info;
        InputTypes types;
        for (size_t i = 0; i < form_.states; ++i) {
            const TensorType& type = context.input(form_.firstInput + i);
            types[body->inputs()[i]->name()] = {
                {type.dtype, sampleShape(type.shape, form_.isBatched)}};
        }
        for (size_t i = 0; i < form_.inputs.size(); ++i) {
            types[body->inputs()[form_.states + i]->name()] = {sliceType(context, i)};
        }
        takeCaptures(context, *body, types);
        for (Value* input : body->inputs()) {
            input->setType({input->type().dtype, std::nullopt, false});
        }
        // The graph around the body determines their types.
        for (Value* capture : body->captures()) capture->setType({});
        body_ = ExecutionPlan::compile(*body, types, context.bodyTools().catalog,
                                       context.bodyTools().kernels);
        for (const auto& buffer : body_->buffers()) {
            Tensor constant = buffer.constant;
            constants_.push_back(constant.empty() ? nullptr : constant.mutableData());
        }
    }

    /// Integers that are known become part of the body: axes, shapes.
    void takeCaptures(const PrepareContext& context, Graph& body, InputTypes& types) {
        const size_t first = context.node().inputs().size();
        const std::vector<Value*> captures = body.captures();
        for (size_t i = 0; i < captures.size(); ++i) {
            if (context.inputs()[first + i].isSequence) {
                context.fail(ErrorCode::Unsupported,
                             "The body reads the sequence '" + captures[i]->name() + "'.",
                             "Pass it tensors.");
            }
            const Tensor* known = context.constant(first + i);
            if (known != nullptr && isInteger(known->dtype())) {
                body.makeInitializer(captures[i], *known);
                continue;
            }
            types[captures[i]->name()] = {context.input(first + i)};
            captured_.push_back(first + i);
        }
    }

    void layOut(const PrepareContext& context) {
        length_ = inputs_.front().length;
        ScratchLayout layout;
        addressesAt_ = layout.add(body_->buffers().size() * sizeof(void*));
        arenaAt_ = layout.add(body_->arenaBytes());
        for (size_t i = 0; i < form_.states; ++i) {
            const TensorType& type = body_->outputs()[i].types.front();
            requireSameState(context, i, type);
            stateBytes_.push_back(type.byteSize());
            statesAt_.push_back({layout.add(type.byteSize()), layout.add(type.byteSize())});
        }
        for (const Cut& cut : inputs_) {
            slicesAt_.push_back(cut.outer > 1 ? layout.add(cut.sliceBytes()) : 0);
        }
        for (size_t i = form_.states; i < body_->outputs().size(); ++i) {
            outputs_.push_back({});
            if (!context.hasOutput(i)) continue;
            const TensorType& type = context.output(i);
            outputs_.back() = Cut::of(type, form_.outputs[i - form_.states],
                                      sampleShape(type.shape, form_.isBatched));
        }
        traits_.scratchBytes = layout.bytes();
        double flops = 0;
        for (const auto& step : body_->steps()) {
            flops += static_cast<double>(step.kernel->traits().flops) *
                     static_cast<double>(length_ * batch_);
            traits_.isRandom = traits_.isRandom || step.kernel->traits().isRandom;
        }
        traits_.flops = saturatedCast<int64_t>(std::min(flops, 0x1p60));
    }

    void requireSameState(const PrepareContext& context, size_t i, const TensorType& type) const {
        const TensorType& given = context.input(form_.firstInput + i);
        if (given.dtype == type.dtype && sampleShape(given.shape, form_.isBatched) == type.shape) {
            return;
        }
        context.fail(ErrorCode::InvalidInput,
                     "State " + std::to_string(i) + " is " + std::string(dtypeName(given.dtype)) +
                         formatShape(given.shape) + " before and " +
                         std::string(dtypeName(type.dtype)) + formatShape(type.shape) +
                         " after an iteration; expected one type.");
    }

    void bind(void** addresses, size_t port, const void* data) const {
        const auto& buffers = body_->inputs()[port].buffers;
        if (!buffers.empty()) addresses[buffers.front()] = const_cast<void*>(data);
    }

    const std::byte* outputOf(void* const* addresses, size_t i) const {
        return static_cast<const std::byte*>(addresses[body_->outputs()[i].buffers.front()]);
    }

    void runSample(const RunContext& context, void** addresses, size_t sample) const {
        for (size_t i = 0; i < form_.states; ++i) {
            bind(addresses, i,
                 context.in<std::byte>(form_.firstInput + i) + sample * stateBytes_[i]);
        }
        for (size_t step = 0; step < length_; ++step) {
            for (size_t i = 0; i < inputs_.size(); ++i) {
                bind(addresses, form_.states + i, slice(context, i, sample, step));
            }
            runBody(context, addresses, sample * length_ + step);
            collect(context, addresses, sample, step);
            moveStates(context, addresses, step);
        }
        for (size_t i = 0; i < form_.states; ++i) finishState(context, sample, i);
    }

    const std::byte* slice(const RunContext& context, size_t i, size_t sample, size_t step) const {
        const Cut& cut = inputs_[i];
        const auto* from = context.in<std::byte>(form_.scanInput(i)) + sample * cut.bytes();
        if (cut.outer == 1) return from + cut.position(step) * cut.inner;
        std::byte* to = context.scratch() + slicesAt_[i];
        cut.copyOut(from, step, to);
        return to;
    }

    void runBody(const RunContext& context, void** addresses, size_t iteration) const {
        for (const uint32_t part : body_->parts()) {
            const auto& buffer = body_->buffers()[part];
            addresses[part] = static_cast<std::byte*>(addresses[buffer.whole]) + buffer.offset;
        }
        for (const auto& [buffer, data] : body_->initialCopies()) {
            if (data.byteSize() > 0) std::memcpy(addresses[buffer], data.data(), data.byteSize());
        }
        const uint64_t seed = Random::at(context.seed(), iteration);
        for (const auto& step : body_->steps()) {
            step.kernel->run(RunContext(addresses, step.inputBuffers.data(),
                                        step.inputBegins.data(), step.outputBuffers.data(),
                                        static_cast<std::byte*>(addresses[step.scratchBuffer]),
                                        context.pool(), Random::at(seed, step.randomStream)));
        }
    }

    void collect(const RunContext& context, void* const* addresses, size_t sample,
                 size_t step) const {
        for (size_t i = 0; i < outputs_.size(); ++i) {
            auto* to = context.out<std::byte>(form_.states + i);
            if (to == nullptr) continue;
            outputs_[i].copyIn(outputOf(addresses, form_.states + i), step,
                               to + sample * outputs_[i].bytes());
        }
    }

    /// The output of one iteration is the input of the next: it goes to whichever of two places
    /// this iteration does not read.
    void moveStates(const RunContext& context, void** addresses, size_t step) const {
        for (size_t i = 0; i < form_.states; ++i) {
            std::byte* to = context.scratch() + statesAt_[i][step % 2];
            if (stateBytes_[i] > 0) std::memcpy(to, outputOf(addresses, i), stateBytes_[i]);
        }
        for (size_t i = 0; i < form_.states; ++i) {
            bind(addresses, i, context.scratch() + statesAt_[i][step % 2]);
        }
    }

    void finishState(const RunContext& context, size_t sample, size_t i) const {
        auto* to = context.out<std::byte>(i);
        if (to == nullptr || stateBytes_[i] == 0) return;
        const std::byte* from =
            context.in<std::byte>(form_.firstInput + i) + sample * stateBytes_[i];
        if (length_ > 0) from = context.scratch() + statesAt_[i][(length_ - 1) % 2];
        std::memcpy(to + sample * stateBytes_[i], from, stateBytes_[i]);
    }

    ScanForm form_;
    std::vector<size_t> captured_;  ///< the node's inputs that the body captures, in its order
    size_t batch_ = 1;
    size_t length_ = 0;
    std::shared_ptr<const ExecutionPlan> body_;
    std::vector<std::byte*> constants_;  ///< per buffer of the body
    std::vector<Cut> inputs_;
    std::vector<Cut> outputs_;
    std::vector<size_t> stateBytes_;
    size_t addressesAt_ = 0;
    size_t arenaAt_ = 0;
    std::vector<std::array<size_t, 2>> statesAt_;
    std::vector<size_t> slicesAt_;
};

}  // namespace

void registerScanKernel(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "Scan", [](const PrepareContext& context) {
        return std::make_unique<ScanKernel>(context);
    });
}

}  // namespace temper
