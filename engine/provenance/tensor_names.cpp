// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/tensor_names.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

namespace temper {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool isAllDigits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, isDigit);
}

/// Without TensorFlow's output number: "kernel:0" becomes "kernel".
std::string_view withoutOutput(std::string_view name) {
    const size_t colon = name.rfind(':');
    const bool isNumber = colon != std::string_view::npos && isAllDigits(name.substr(colon + 1));
    return isNumber && colon > 0 && name[colon - 1] != ':' ? name.substr(0, colon) : name;
}

/// Without the number of a copy: "kernel_1" becomes "kernel".
std::string_view withoutCount(std::string_view name) {
    const size_t line = name.rfind('_');
    if (line == std::string_view::npos || line == 0) return name;
    return isAllDigits(name.substr(line + 1)) ? name.substr(0, line) : name;
}

std::string_view lastPart(std::string_view name) {
    const std::string_view whole = withoutOutput(name);
    const size_t end = whole.find_last_of("./");
    return end == std::string_view::npos ? whole : whole.substr(end + 1);
}

bool isWordOfParameter(std::string_view word) {
    static const std::set<std::string_view> kWords = {"weight",
                                                      "weights",
                                                      "bias",
                                                      "biases",
                                                      "kernel",
                                                      "gamma",
                                                      "beta",
                                                      "embeddings",
                                                      "depthwise_kernel",
                                                      "pointwise_kernel",
                                                      "recurrent_kernel",
                                                      "logit_scale"};
    return kWords.contains(word) || word.ends_with("_weight") || word.ends_with("_bias") ||
           word.starts_with("weight_") || word.starts_with("bias_");
}

/// "linear_0.w_0", "batch_norm_3.b_0".
bool isPaddles(std::string_view last, std::string_view name) {
    return last.size() < name.size() && (last.starts_with("w_") || last.starts_with("b_")) &&
           isAllDigits(last.substr(2));
}

/// Words between dots: "encoder.layers.0.gain".
bool isModulePath(std::string_view name) {
    const bool hasDot = name.find('.') != std::string_view::npos;
    const auto fits = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    return hasDot && !name.starts_with('.') && !name.ends_with('.') &&
           name.find("..") == std::string_view::npos && std::ranges::all_of(name, fits);
}

/// Returns: whether it had this ending.
bool cutEnding(std::string_view& name, std::string_view ending) {
    if (!name.ends_with(ending)) return false;
    name.remove_suffix(ending.size());
    return true;
}

/// PyTorch's exporter names values after operations, with numbers.
bool isOperation(std::string_view name) {
    static const std::set<std::string_view> kOperations = {"val",
                                                           "scalar_tensor_default",
                                                           "zeros",
                                                           "ones",
                                                           "full",
                                                           "arange",
                                                           "mul",
                                                           "add",
                                                           "sub",
                                                           "div",
                                                           "exp",
                                                           "sqrt",
                                                           "rsqrt",
                                                           "pow",
                                                           "pow_tensor_scalar",
                                                           "neg",
                                                           "log",
                                                           "cos",
                                                           "sin",
                                                           "clone",
                                                           "expand",
                                                           "unsqueeze",
                                                           "squeeze",
                                                           "index",
                                                           "permute",
                                                           "transpose",
                                                           "view",
                                                           "cat",
                                                           "select",
                                                           "lift_fresh_copy",
                                                           "convert_element_type_default",
                                                           "_to_copy",
                                                           "masked_fill",
                                                           "where",
                                                           "full_like",
                                                           "zeros_like",
                                                           "ones_like",
                                                           "slice_scatter"};
    return kOperations.contains(withoutCount(name)) || kOperations.contains(name) ||
           withoutCount(name) == "tmp" || name.ends_with("_cast");
}

/// tf2onnx names numbers after the operation that reads them, and "x" or "y".
bool isOperandOfTensorFlow(std::string_view name) {
    const std::string_view whole = withoutOutput(name);
    if (whole.size() == name.size()) return false;
    const std::string_view last = lastPart(name);
    return last == "x" || last == "y" || withoutCount(last) == "Const";
}

}  // namespace

bool isNamedAsParameter(const std::string& name) {
    if (isNamedAsBuffer(name) || name.starts_with("onnx::")) return false;
    if (name.find("ReadVariableOp") != std::string::npos) return true;
    const std::string_view last = lastPart(name);
    return isWordOfParameter(last) || isWordOfParameter(withoutCount(last)) ||
           isPaddles(last, withoutOutput(name)) || isModulePath(withoutOutput(name));
}

bool isNamedAsBuffer(const std::string& name) {
    static const std::set<std::string_view> kWords = {"inv_freq",
                                                      "original_inv_freq",
                                                      "cos_cached",
                                                      "sin_cached",
                                                      "position_ids",
                                                      "attn_mask",
                                                      "attention_mask",
                                                      "causal_mask",
                                                      "mask",
                                                      "pixel_mean",
                                                      "pixel_std",
                                                      "num_batches_tracked",
                                                      "mean",
                                                      "std",
                                                      "relative_position_index",
                                                      "relative_coords_table"};
    return kWords.contains(lastPart(name));
}

bool isMadeUp(const std::string& name) {
    return isAllDigits(name) || name.starts_with("onnx::") || isOperation(name) ||
           name.find("const_fold_opt") != std::string::npos ||
           name.find("Constant_") != std::string::npos || name.ends_with("_fused_bn") ||
           isOperandOfTensorFlow(name);
}

bool isNamedAsComputed(const std::string& name) {
    static const std::set<std::string_view> kComputing = {
        "add",           "sub",         "mul",        "div",
        "exp",           "neg",         "pow",        "log",
        "sqrt",          "rsqrt",       "clamp",      "sum",
        "mean",          "mv",          "dot",        "mm",
        "matmul",        "linear",      "norm",       "linalg_vector_norm",
        "where",         "softmax",     "sigmoid",    "tanh",
        "relu",          "layer_norm",  "conv2d",     "conv1d",
        "slice_scatter", "masked_fill", "batch_norm", "reciprocal",
        "softplus"};
    static const std::set<std::string_view> kMerged = {"add", "sub", "mul", "div"};
    std::string_view layer = name;
    if (cutEnding(layer, "_fused")) return cutEnding(layer, "_weight") || cutEnding(layer, "_bias");
    if (cutEnding(layer, "_weight") || cutEnding(layer, "_bias"))
        return kMerged.contains(withoutCount(layer));
    return kComputing.contains(operationIn(name));
}

std::string operationIn(const std::string& name) {
    std::string_view operation = name;
    while (withoutCount(operation).size() < operation.size()) operation = withoutCount(operation);
    return std::string(operation);
}

bool isNamedAsReshaped(const std::string& name) {
    static const std::set<std::string_view> kReshaping = {"view", "_unsafe_view", "reshape"};
    return kReshaping.contains(withoutCount(name));
}

bool isNamedAsSlice(const std::string& name) { return withoutCount(name) == "slice"; }

bool isNamedAsResult(const std::string& name) {
    return name.starts_with("val_") && isAllDigits(std::string_view(name).substr(4));
}

bool isNamedAsTemporary(const std::string& name) {
    constexpr std::string_view kTemporary = "tmp";
    return name.starts_with(kTemporary) &&
           name.find_first_not_of("_0123456789", kTemporary.size()) == std::string::npos;
}

bool isNamedAsGenerator(const std::string& name) {
    static const std::set<std::string, std::less<>> kGenerators = {
        "zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "new_zeros", "new_full"};
    const size_t end = name.find_last_not_of("0123456789");
    if (end == std::string::npos) return false;
    const bool isCounted = end + 1 < name.size() && name[end] == '_';
    return kGenerators.contains(isCounted ? name.substr(0, end) : name);
}

}  // namespace temper
