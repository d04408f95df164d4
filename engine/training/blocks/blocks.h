// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/blocks/block_model.h"

/// The building blocks of `onnxruntime.training.onnxblock.blocks`: each adds its nodes to a model
/// and returns their result. Names of nodes and values are ORT's (spec/artifacts.md section 8), so
/// that blocks called in the same order give the same model. Write one statement per block to fix
/// that order, as C++ does not specify which argument of a call is evaluated first.
/// All throw Error(InvalidInput) if the types of the inputs do not suit the operator.
namespace temper::blocks {

using Values = std::vector<Value*>;

// Elementwise, with broadcasting.
Value* add(BlockModel& model, Value* a, Value* b);
Value* sub(BlockModel& model, Value* a, Value* b);
Value* mul(BlockModel& model, Value* a, Value* b);
Value* div(BlockModel& model, Value* a, Value* b);
Value* pow(BlockModel& model, Value* x, float exponent);
Value* sigmoid(BlockModel& model, Value* x);
Value* log(BlockModel& model, Value* x);
Value* neg(BlockModel& model, Value* x);
Value* abs(BlockModel& model, Value* x);
/// Either bound may be absent. Below opset 11 the bounds are attributes.
Value* clip(BlockModel& model, Value* x, std::optional<float> minimum,
            std::optional<float> maximum);
Value* cast(BlockModel& model, Value* x, DType dtype);

/// Over all axes. Shapes: [1, 1, ...], or [] without `keepDims`.
Value* reduceMean(BlockModel& model, Value* x, bool keepDims = true);
Value* reduceSum(BlockModel& model, Value* x, bool keepDims = true);

/// A float32 initializer. Shapes: [1].
Value* constant(BlockModel& model, float value);
/// A new graph input of the type of `like`; without a name it is called `onnx::input::k`.
/// Throws: Error(InvalidInput) if the name is taken.
Value* inputLike(BlockModel& model, const Value* like, const std::string& name = {});
/// Adds nothing; returns its arguments.
Values passThrough(const Values& values);

Value* sequenceConstruct(BlockModel& model, const Values& values);
/// The norm of all elements of all values, com.microsoft. Shapes: [].
Value* reduceAllL2(BlockModel& model, const Values& values);

/// Keys and their values, one kind of each; anything that is not a key gets the default.
struct LabelEncoding {
    std::vector<int64_t> intKeys = {};
    std::vector<float> floatKeys = {};
    std::vector<std::string> stringKeys = {};
    std::vector<int64_t> intValues = {};
    std::vector<float> floatValues = {};
    std::vector<std::string> stringValues = {};
    int64_t defaultInt = -1;
    float defaultFloat = 0;
    std::string defaultString = "_Unused";
};
/// LabelEncoder of ai.onnx.ml.
Value* labelEncoder(BlockModel& model, Value* x, const LabelEncoding& encoding);

struct LinearOptions {
    int64_t inFeatures = 0;
    int64_t outFeatures = 0;
    bool hasBias = true;
    float alpha = 1;
    float beta = 1;
    uint64_t seed = 0;  ///< of the initial weights and biases, which are standard normal
};
/// Gemm with a new weight [in, out] and bias [out].
Value* linear(BlockModel& model, Value* x, const LinearOptions& options);

// Not in ORT.
Value* exp(BlockModel& model, Value* x);
Value* sqrt(BlockModel& model, Value* x);
Value* relu(BlockModel& model, Value* x);
Value* softplus(BlockModel& model, Value* x);
/// Along one axis; below opset 13 only along the last one.
/// Throws: Error(Unsupported) for other axes there.
Value* softmax(BlockModel& model, Value* x, int64_t axis = 1);
Value* logSoftmax(BlockModel& model, Value* x, int64_t axis = 1);
/// A float32 initializer. Shapes: [].
Value* scalar(BlockModel& model, float value);
/// Sum or mean over some axes, which are removed.
Value* sumOver(BlockModel& model, Value* x, const std::vector<int64_t>& axes);
Value* meanOver(BlockModel& model, Value* x, const std::vector<int64_t>& axes);

}  // namespace temper::blocks
