// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/block_table.h"

namespace temper {
namespace {

/// The pattern with `part` instead of every star.
std::string with(const std::string& pattern, const std::string& part) {
    std::string text;
    for (const char c : pattern) text += c == '*' ? part : std::string(1, c);
    return text;
}

/// Source: Hendrycks & Gimpel, Gaussian Error Linear Units (2016); sqrt(2 / pi) = 0.79788.
const std::string kGeluTanh =
    "Mul(0.5, x, Add(1, Tanh({Mul(0.797885, Add(x, {Mul(0.044715, Pow(x, 3)) | Mul(0.044715, x, x, "
    "x)})) | Mul(0.797885, x, Add(1, {Mul(0.044715, Pow(x, 2)) | Mul(0.044715, x, x)}))})))";
const std::string kErf = "Erf({Div(x, 1.414214) | Mul(x, 0.707107)})";

/// x - mean(x), and the mean of its square; the difference may be computed twice.
const std::string kDeviation = "Sub(x, m=ReduceMean(x))";
const std::string kVariance =
    "ReduceMean({Pow(" + kDeviation + ", 2) | Mul(" + kDeviation + ", " + kDeviation + ")})";
const std::string kNormalized = "{Div(" + kDeviation + ", Sqrt(Add(" + kVariance + ", #))) | Mul(" +
                                kDeviation + ", {Reciprocal(Sqrt(Add(" + kVariance +
                                ", #))) | Div(1, Sqrt(Add(" + kVariance + ", #)))})}";

const std::string kMeanSquare = "Add(ReduceMean({Pow(x, 2) | Mul(x, x)}), #)";
const std::string kRootMeanSquare = "Sqrt(" + kMeanSquare + ")";
const std::string kInverseRms = "{Reciprocal(" + kRootMeanSquare + ") | Div(1, " + kRootMeanSquare +
                                ") | Pow(" + kMeanSquare + ", -0.5)}";

const std::string kGroups = "Reshape(InstanceNormalization(Reshape(x, _), _, _), _)";

const std::string kProduct = "MatMul(q, k)";
const std::string kScaled =
    "{" + kProduct + " | Div(" + kProduct + ", _) | Mul(" + kProduct + ", #)}";
/// A mask is added, or selected by Where, or multiplied before a large number is subtracted.
const std::string kScores = with(
    "{* | Add(*, _) | Where(_, *, _) | Where(_, _, *) | Sub(Mul(*, _), _) | Add(Mul(*, _), _)}",
    kScaled);

}  // namespace

const std::vector<BlockEntry>& blockTable() {
    static const std::vector<BlockEntry> kTable = {
        {"LayerNorm", kNormalized},
        {"LayerNorm", "Mul(" + kNormalized + ", @)"},
        {"LayerNorm", "Add(Mul(" + kNormalized + ", @), @)"},
        {"RMSNorm", "{Div(x, " + kRootMeanSquare + ") | Mul(x, " + kInverseRms + ")}"},
        {"RMSNorm", "{Mul(Div(x, " + kRootMeanSquare + "), @) | Mul(x, " + kInverseRms + ", @)}"},
        {"GroupNorm", kGroups},
        {"GroupNorm", "Add(Mul(" + kGroups + ", @), @)"},
        {"GELU", "Mul(0.5, x, Add(1, " + kErf + "))"},
        {"GELU", kGeluTanh},
        {"SiLU", "Mul(x, Sigmoid(x))"},
        {"QuickGELU", "Mul(x, Sigmoid(Mul(x, 1.702)))"},
        {"HardSwish",
         "{Div(Mul(x, Clip(Add(x, 3), 0, 6)), 6) | Mul(x, Div(Clip(Add(x, 3), 0, 6), "
         "6)) | Mul(x, Clip(Add(x, 3), 0, 6), 0.166667)}"},
        {"HardSwish", "Mul(x, HardSigmoid(x))"},
        {"HardSigmoid", "{Div(Clip(Add(x, 3), 0, 6), 6) | Mul(Clip(Add(x, 3), 0, 6), 0.166667)}"},
        {"ReLU6", "Clip(Relu(x), 0, 6)"},
        {"Mish", "Mul(x, Tanh({Softplus(x) | Log(Add(Exp(x), 1))}))"},
        {"Softplus", "Log(Add(Exp(x), 1))"},
        {"Attention", "MatMul(Softmax(" + kScores + "), v)"},
        {"Linear", "Add(MatMul(x, @), @)"},
    };
    return kTable;
}

}  // namespace temper
