// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "engine/ops/attention/attention_form.h"
#include "engine/ops/fused/fused.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

// Products with weights of 2 to 8 bits. The weights are unpacked, scaled and multiplied; gradients
// flow to the other factor and to the bias, as in ONNX Runtime.

/// The sizes of the weights, [rows, columns], and of the blocks that share a scale.
struct BlockForm {
    int64_t columns = 0;  ///< K
    int64_t rows = 0;     ///< N
    int64_t block = 0;
    int64_t bits = 4;

    int64_t blocksOf(int64_t count) const {
        return (count + block - 1) / std::max<int64_t>(block, 1);
    }

    static BlockForm of(const Node& node) {
        return {node.attribute<int64_t>("K", 0), node.attribute<int64_t>("N", 0),
                node.attribute<int64_t>("block_size", 0), node.attribute<int64_t>("bits", 4)};
    }
};

/// The integers of 2, 4 or 8 bits in bytes, the lowest bits first: [..., count] to
/// [..., count * 8 / bits].
Var unpacked(Var bytes, int64_t bits, DType dtype) {
    const int64_t parts = 8 / bits, modulus = int64_t{1} << bits;
    const int64_t axis = bytes.rank();
    std::vector<Var> numbers;
    Var rest = cast(bytes, dtype);
    for (int64_t i = 1; i < parts; ++i) {
        const Var high = bytes.emitter().op("Floor", {rest / static_cast<double>(modulus)});
        numbers.push_back(unsqueeze(rest - high * static_cast<double>(modulus), {axis}));
        rest = high;
    }
    numbers.push_back(unsqueeze(rest, {axis}));
    std::vector<int64_t> shape(static_cast<size_t>(axis), 0);
    shape.back() = -1;
    return reshapeTo(concat(numbers, axis), shape);
}

/// The zero points, [rows, blocks, 1]; 2^(bits - 1) if there are none.
Var zeroPoints(const LoweringContext& node, const BlockForm& form) {
    const DType dtype = node.input(0).dtype();
    const int64_t blocks = form.blocksOf(form.columns);
    if (!node.hasInput(3)) {
        return node.emitter().number(static_cast<double>(int64_t{1} << (form.bits - 1)), dtype);
    }
    Var zeros = node.input(3);
    if (zeros.dtype() == DType::UInt8) {
        zeros = unpacked(reshapeTo(zeros, {form.rows, -1}), form.bits, dtype);
        zeros = slice(zeros, 1, 0, blocks);
    }
    return reshapeTo(zeros, {form.rows, blocks, 1});
}

/// Inputs: x [..., K], bytes [N, blocks, bytes of a block], scales, zero points?, (groups),
/// bias [N]?. y = x wT + bias, w = (numbers - zero points) scales.
std::vector<Var> lowerMatMulNBits(const LoweringContext& node) {
    const BlockForm form = BlockForm::of(node.node());
    if (node.hasInput(4)) {
        node.refuse("Input 'g_idx', the groups of the columns, is not supported.",
                    "Quantize the model without reordering its columns.");
    }
    if (node.attribute<int64_t>("weight_prepacked", 0) != 0) {
        node.refuse("Attribute 'weight_prepacked' is not supported.",
                    "Quantize the model without packing weights for a device.");
    }
    const int64_t blocks = form.blocksOf(form.columns);
    const Var bytes = reshapeTo(node.input(1), {form.rows, blocks, form.block * form.bits / 8});
    const Var numbers = unpacked(bytes, form.bits, node.input(0).dtype());
    const Var scales = reshapeTo(node.input(2), {form.rows, blocks, 1});
    Var weights = reshapeTo((numbers - zeroPoints(node, form)) * scales, {form.rows, -1});
    if (blocks * form.block != form.columns) weights = slice(weights, 1, 0, form.columns);
    const Var y = matMul(node.input(0), transpose(weights, {1, 0}));
    return {node.hasInput(5) ? y + node.input(5) : y};
}

/// The numbers that four bits stand for: floats of one sign, two exponent and one mantissa bit as
/// bitsandbytes has them, or the 16 quantiles of a normal distribution.
/// Source: Dettmers et al., QLoRA (2023), appendix E.
const std::array<float, 16>& codeBook(int64_t type) {
    static constexpr std::array<float, 16> kFloat = {
        0.0F,  0.00520833333F,  2.0F / 3,  1.0F,  1.0F / 3,  0.5F,  1.0F / 6,  0.25F,
        -0.0F, -0.00520833333F, -2.0F / 3, -1.0F, -1.0F / 3, -0.5F, -1.0F / 6, -0.25F};
    static constexpr std::array<float, 16> kNormal = {
        -1.0F,        -0.69619280F, -0.52507305F, -0.39491749F, -0.28444138F, -0.18477343F,
        -0.09105004F, 0.0F,         0.07958030F,  0.16093020F,  0.24611230F,  0.33791524F,
        0.44070983F,  0.56261700F,  0.72295684F,  1.0F};
    return type == 0 ? kFloat : kNormal;
}

/// Inputs: x, bytes [(N K + 1) / 2] with the first number in the higher bits, the greatest
/// magnitude of each block. y = x wT, or x w with transB = 0; w is [N, K].
std::vector<Var> lowerMatMulBnb4(const LoweringContext& node) {
    const BlockForm form = BlockForm::of(node.node());
    GradientEmitter& emitter = node.emitter();
    const DType dtype = node.input(0).dtype();
    const int64_t count = form.rows * form.columns, blocks = form.blocksOf(count);
    const Var bytes = cast(reshapeTo(node.input(1), {-1, 1}), DType::Float32);
    const Var high = emitter.op("Floor", {bytes / 16.0});
    const Var codes = cast(reshapeTo(concat({high, bytes - high * 16.0}, 1), {-1}), DType::Int64);
    const auto& book = codeBook(node.attribute<int64_t>("quant_type", 0));
    const Tensor table = Tensor::of<float>({static_cast<int64_t>(book.size())}, book);
    const Var numbers = emitter.op(
        "Gather", {emitter.constant(table.cast(dtype), "numbers"), slice(codes, 0, 0, count)});
    const Var scales = reshapeTo(
        expand(reshapeTo(node.input(2), {blocks, 1}), emitter.integers({blocks, form.block})),
        {-1});
    const Var weights = reshapeTo(numbers * slice(scales, 0, 0, count), {form.rows, form.columns});
    const bool isTransposed = node.attribute<int64_t>("transB", 1) != 0;
    return {matMul(node.input(0), isTransposed ? transpose(weights, {1, 0}) : weights)};
}

void checkBlocks(const InferenceContext& context, const BlockForm& form) {
    const auto isSize = [](int64_t size) {
        return size > 0 && size <= std::numeric_limits<int32_t>::max();
    };
    const bool isPower = form.block >= 16 && (form.block & (form.block - 1)) == 0;
    if (isSize(form.columns) && isSize(form.rows) && isSize(form.block) && isPower) return;
    context.fail("Attributes 'K', 'N' and 'block_size' are " + std::to_string(form.columns) + ", " +
                     std::to_string(form.rows) + " and " + std::to_string(form.block) +
                     "; expected the sizes of the weights and a power of two of at least 16.",
                 "Quantize the model again: an attribute is wrong or missing.");
}

/// The result has the rows of x and this many columns.
void setProduct(InferenceContext& context, int64_t inner, int64_t columns) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 2);
    auto shape = context.shape(0);
    if (shape && shape->empty()) context.fail("The input is a scalar; expected rows.");
    if (shape) {
        mergeDims(context, shape->back(), Dim::of(inner),
                  "The last dimension of the input and that of the weights");
        shape->back() = Dim::of(columns);
    }
    context.setOutput(0, context.dtype(0), shape);
}

bool isUInt8(DType dtype) { return dtype == DType::UInt8; }

void inferMatMulNBits(InferenceContext& context) {
    const BlockForm form = BlockForm::of(context.node());
    checkBlocks(context, form);
    if (form.bits != 2 && form.bits != 4 && form.bits != 8) {
        context.fail("Attribute 'bits' is " + std::to_string(form.bits) + "; expected 2, 4 or 8.",
                     "Quantize the model to one of these.");
    }
    requireDType(context, 1, isUInt8, "uint8");
    if (context.dtype(3) != DType::UInt8) requireSameDType(context, 0, 3);
    requireSameDType(context, 0, 5);
    setProduct(context, form.columns, form.rows);
}

void inferMatMulBnb4(InferenceContext& context) {
    const BlockForm form = BlockForm::of(context.node());
    checkBlocks(context, form);
    const auto type = context.node().attribute<int64_t>("quant_type", -1);
    if (type != 0 && type != 1) {
        context.fail("Attribute 'quant_type' is " + std::to_string(type) +
                         "; expected 0 for FP4 or 1 for NF4.",
                     "Quantize the model to one of these.");
    }
    requireDType(context, 1, isUInt8, "uint8");
    if (context.node().attribute<int64_t>("transB", 1) != 0) {
        return setProduct(context, form.columns, form.rows);
    }
    setProduct(context, form.rows, form.columns);
}

}  // namespace

void registerBlockQuantized(OpSet& ops) {
    OpInfo nBits = microsoftOp("MatMulNBits", inferMatMulNBits, 3, 6);
    nBits.nonDifferentiableInputs = {1, 2, 3, 4};
    addLowered(ops, std::move(nBits), lowerMatMulNBits);
    OpInfo bnb4 = microsoftOp("MatMulBnb4", inferMatMulBnb4, 3, 3);
    bnb4.nonDifferentiableInputs = {1, 2};
    addLowered(ops, std::move(bnb4), lowerMatMulBnb4);
}

}  // namespace temper
