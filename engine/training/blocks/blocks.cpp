// SPDX-License-Identifier: Apache-2.0
#include "engine/training/blocks/blocks.h"

#include "engine/core/random.h"

namespace temper::blocks {
namespace {

/// Since these opsets, former attributes are inputs.
constexpr int64_t kClipBoundsAreInputs = 11;
constexpr int64_t kReduceSumAxesAreInputs = 13;
constexpr int64_t kReduceMeanAxesAreInputs = 18;
/// Earlier, softmax normalized over the chosen axis and all axes after it together.
constexpr int64_t kSoftmaxHasOneAxis = 13;

Value* clipByAttributes(BlockModel& model, Value* x, std::optional<float> minimum,
                        std::optional<float> maximum) {
    Attributes attributes;
    if (minimum) attributes.emplace("min", *minimum);
    if (maximum) attributes.emplace("max", *maximum);
    return model.op("Clip", {x}, std::move(attributes));
}

Value* reduceOver(BlockModel& model, const char* op, int64_t axesAreInputs, Value* x,
                  const std::vector<int64_t>& axes) {
    Attributes attributes = {{"keepdims", int64_t{0}}};
    Values inputs = {x};
    if (model.opset() >= axesAreInputs) {
        const Shape shape = {static_cast<int64_t>(axes.size())};
        inputs.push_back(
            model.initializer("axes", Tensor::of<int64_t>(shape, std::span<const int64_t>(axes))));
    } else {
        attributes.emplace("axes", axes);
    }
    return model.op(op, std::move(inputs), std::move(attributes));
}

Value* alongAxis(BlockModel& model, const char* op, Value* x, int64_t axis) {
    const int64_t rank = x->type().rank();
    const bool isLast = axis == -1 || (rank >= 0 && axis == rank - 1);
    if (model.opset() < kSoftmaxHasOneAxis && !isLast) {
        throw Error(ErrorCode::Unsupported,
                    std::string(op) + " along axis " + std::to_string(axis) + " of '" + x->name() +
                        "', " + formatType(x->type()) + ", needs opset 13; the model has " +
                        std::to_string(model.opset()) + ".",
                    "Export the model for opset 13 or newer.");
    }
    return model.op(op, {x}, {{"axis", axis}});
}

template <typename T>
void addList(Attributes& attributes, const char* name, const std::vector<T>& list) {
    if (!list.empty()) attributes.emplace(name, list);
}

DType resultOf(const LabelEncoding& encoding) {
    if (!encoding.intValues.empty()) return DType::Int64;
    return encoding.floatValues.empty() ? DType::String : DType::Float32;
}

Tensor normalTensor(Shape shape, Random& random) {
    Tensor tensor(DType::Float32, std::move(shape));
    for (float& value : tensor.mutableValues<float>()) value = random.normal();
    return tensor;
}

}  // namespace

Value* add(BlockModel& model, Value* a, Value* b) { return model.op("Add", {a, b}); }
Value* sub(BlockModel& model, Value* a, Value* b) { return model.op("Sub", {a, b}); }
Value* mul(BlockModel& model, Value* a, Value* b) { return model.op("Mul", {a, b}); }
Value* div(BlockModel& model, Value* a, Value* b) { return model.op("Div", {a, b}); }
Value* sigmoid(BlockModel& model, Value* x) { return model.op("Sigmoid", {x}); }
Value* log(BlockModel& model, Value* x) { return model.op("Log", {x}); }
Value* neg(BlockModel& model, Value* x) { return model.op("Neg", {x}); }
Value* abs(BlockModel& model, Value* x) { return model.op("Abs", {x}); }
Value* exp(BlockModel& model, Value* x) { return model.op("Exp", {x}); }
Value* sqrt(BlockModel& model, Value* x) { return model.op("Sqrt", {x}); }
Value* relu(BlockModel& model, Value* x) { return model.op("Relu", {x}); }
Value* softplus(BlockModel& model, Value* x) { return model.op("Softplus", {x}); }

Value* pow(BlockModel& model, Value* x, float exponent) {
    Value* power = model.initializer("pow_exponent", Tensor::of<float>({1}, {exponent}));
    return model.op("Pow", {x, power});
}

Value* clip(BlockModel& model, Value* x, std::optional<float> minimum,
            std::optional<float> maximum) {
    if (model.opset() < kClipBoundsAreInputs) return clipByAttributes(model, x, minimum, maximum);
    const auto bound = [&](const char* token, std::optional<float> value) -> Value* {
        if (!value) return nullptr;
        // ONNX requires rank 0; ORT's generator writes [1], which its kernel rejects.
        return model.initializer(token, Tensor::scalar(*value));
    };
    Value* low = bound("clip_min", minimum);
    Value* high = bound("clip_max", maximum);
    Values inputs = {x, low, high};
    while (inputs.back() == nullptr) inputs.pop_back();
    return model.op("Clip", std::move(inputs));
}

Value* cast(BlockModel& model, Value* x, DType dtype) {
    NodeSpec spec;
    spec.opType = "Cast";
    spec.inputs = {x};
    spec.outputs = {model.names().next("cast.output")};
    spec.attributes = {{"to", static_cast<int64_t>(dtype)}};
    spec.name = model.names().next("Cast");
    return model.add(std::move(spec))->output(0);
}

Value* reduceMean(BlockModel& model, Value* x, bool keepDims) {
    return model.op("ReduceMean", {x}, {{"keepdims", int64_t{keepDims}}});
}

Value* reduceSum(BlockModel& model, Value* x, bool keepDims) {
    return model.op("ReduceSum", {x}, {{"keepdims", int64_t{keepDims}}});
}

Value* constant(BlockModel& model, float value) {
    return model.initializer("initializer", Tensor::of<float>({1}, {value}));
}

Value* scalar(BlockModel& model, float value) {
    return model.initializer("initializer", Tensor::scalar(value));
}

Value* inputLike(BlockModel& model, const Value* like, const std::string& name) {
    return model.graph().addInput(name.empty() ? model.names().next("input") : name, like->type());
}

Values passThrough(const Values& values) { return values; }

Value* sequenceConstruct(BlockModel& model, const Values& values) {
    return model.op("SequenceConstruct", values);
}

Value* reduceAllL2(BlockModel& model, const Values& values) {
    NodeSpec spec;
    spec.opType = "ReduceAllL2";
    spec.inputs = values;
    spec.outputs = {model.names().next("reducealll2_output")};
    spec.domain = std::string(kMicrosoftDomain);
    spec.name = model.names().next("ReduceAllL2");
    return model.add(std::move(spec))->output(0);
}

Value* labelEncoder(BlockModel& model, Value* x, const LabelEncoding& encoding) {
    NodeSpec spec;
    spec.opType = "LabelEncoder";
    spec.domain = "ai.onnx.ml";
    spec.inputs = {x};
    spec.outputs = {model.names().next("label_encoder.output")};
    spec.attributes = {{"default_float", encoding.defaultFloat},
                       {"default_int64", encoding.defaultInt},
                       {"default_string", encoding.defaultString}};
    addList(spec.attributes, "keys_floats", encoding.floatKeys);
    addList(spec.attributes, "keys_int64s", encoding.intKeys);
    addList(spec.attributes, "keys_strings", encoding.stringKeys);
    addList(spec.attributes, "values_floats", encoding.floatValues);
    addList(spec.attributes, "values_int64s", encoding.intValues);
    addList(spec.attributes, "values_strings", encoding.stringValues);
    spec.name = model.names().next("LabelEncoder");
    Value* encoded = model.add(std::move(spec))->output(0);
    encoded->setType({resultOf(encoding), x->type().shape, false});
    return encoded;
}

Value* linear(BlockModel& model, Value* x, const LinearOptions& options) {
    Random random(options.seed);
    Values inputs = {
        x, model.initializer("linear.weight",
                             normalTensor({options.inFeatures, options.outFeatures}, random))};
    if (options.hasBias) {
        inputs.push_back(
            model.initializer("linear.bias", normalTensor({options.outFeatures}, random)));
    }
    NodeSpec spec;
    spec.opType = "Gemm";
    spec.inputs = std::move(inputs);
    spec.outputs = {model.names().next("linear.output")};
    spec.attributes = {{"alpha", options.alpha}, {"beta", options.beta}};
    spec.name = model.names().next("linear");
    return model.add(std::move(spec))->output(0);
}

Value* softmax(BlockModel& model, Value* x, int64_t axis) {
    return alongAxis(model, "Softmax", x, axis);
}

Value* logSoftmax(BlockModel& model, Value* x, int64_t axis) {
    return alongAxis(model, "LogSoftmax", x, axis);
}

Value* sumOver(BlockModel& model, Value* x, const std::vector<int64_t>& axes) {
    return reduceOver(model, "ReduceSum", kReduceSumAxesAreInputs, x, axes);
}

Value* meanOver(BlockModel& model, Value* x, const std::vector<int64_t>& axes) {
    return reduceOver(model, "ReduceMean", kReduceMeanAxesAreInputs, x, axes);
}

}  // namespace temper::blocks
