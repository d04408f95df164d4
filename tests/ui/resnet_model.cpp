// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/resnet_model.h"

#include <cmath>

#include "engine/core/random.h"

namespace temper::ui {
namespace {

class ResNetMaker {
public:
    ResNetMaker() : graph_(std::make_unique<Graph>()) {
        graph_->info().opsetImports[""] = 17;
        Value* x = graph_->addInput(
            "x",
            {DType::Float32,
             SymbolicShape{Dim::named("batch"), Dim::of(3), Dim::of(224), Dim::of(224)}, false});
        x = relu(normalized(x, "conv1", "bn1", 3, 64, 7, 2), "relu");
        x = add("MaxPool", {x}, "maxpool",
                {{"kernel_shape", std::vector<int64_t>{3, 3}},
                 {"strides", std::vector<int64_t>{2, 2}},
                 {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
        int64_t channels = 64;
        for (int layer = 1; layer <= 4; ++layer) {
            const int64_t made = int64_t{64} << (layer - 1);
            const std::string scope = "layer" + std::to_string(layer);
            x = block(x, scope + ".0", channels, made);
            x = block(x, scope + ".1", made, made);
            channels = made;
        }
        x = add("GlobalAveragePool", {x}, "avgpool");
        x = add("Flatten", {x}, "flatten");
        x = add("Gemm",
                {x, weight("fc.weight", {1000, 512}, 512), constant("fc.bias", {1000}, 0.0F)}, "fc",
                {{"transB", int64_t{1}}}, "logits");
        graph_->addOutput(x);
    }
    std::unique_ptr<Graph> take() { return std::move(graph_); }

private:
    Value* block(Value* x, const std::string& scope, int64_t in, int64_t out) {
        const int64_t stride = in == out ? 1 : 2;
        Value* made = normalized(x, scope + ".conv1", scope + ".bn1", in, out, 3, stride);
        made = relu(made, scope + ".relu");
        made = normalized(made, scope + ".conv2", scope + ".bn2", out, out, 3, 1);
        if (in != out) {
            x = normalized(x, scope + ".downsample.0", scope + ".downsample.1", in, out, 1, stride);
        }
        return relu(add("Add", {made, x}, scope + ".add"), scope + ".relu_1");
    }

    /// A convolution of `kernel` x `kernel` and the normalization of its result.
    Value* normalized(Value* x, const std::string& conv, const std::string& norm, int64_t in,
                      int64_t out, int64_t kernel, int64_t stride) {
        const int64_t pad = kernel / 2;
        x = add("Conv",
                {x, weight(conv + ".weight", {out, in, kernel, kernel}, in * kernel * kernel)},
                conv,
                {{"kernel_shape", std::vector<int64_t>{kernel, kernel}},
                 {"strides", std::vector<int64_t>{stride, stride}},
                 {"pads", std::vector<int64_t>{pad, pad, pad, pad}}});
        return add(
            "BatchNormalization",
            {x, constant(norm + ".weight", {out}, 1.0F), constant(norm + ".bias", {out}, 0.0F),
             constant(norm + ".running_mean", {out}, 0.0F),
             constant(norm + ".running_var", {out}, 1.0F)},
            norm);
    }

    Value* relu(Value* x, const std::string& name) { return add("Relu", {x}, name); }

    /// Normal with variance 2 / `fanIn` (He initialization).
    Value* weight(const std::string& name, const Shape& shape, int64_t fanIn) {
        Tensor values(DType::Float32, shape);
        const float scale = std::sqrt(2.0F / static_cast<float>(fanIn));
        for (float& value : values.mutableValues<float>()) value = scale * random_.normal();
        return graph_->addInitializer(name, std::move(values));
    }
    Value* constant(const std::string& name, const Shape& shape, float value) {
        Tensor values(DType::Float32, shape);
        for (float& number : values.mutableValues<float>()) number = value;
        return graph_->addInitializer(name, std::move(values));
    }
    Value* add(const std::string& op, std::vector<Value*> inputs, const std::string& name,
               Attributes attributes = {}, std::string output = "") {
        if (output.empty()) output = name + "_output";
        graph_->addNode({.opType = op,
                         .inputs = std::move(inputs),
                         .outputs = {output},
                         .attributes = std::move(attributes),
                         .name = name});
        return graph_->at(output);
    }

    std::unique_ptr<Graph> graph_;
    Random random_{18};
};

}  // namespace

std::unique_ptr<Graph> resnet18() { return ResNetMaker().take(); }

}  // namespace temper::ui
