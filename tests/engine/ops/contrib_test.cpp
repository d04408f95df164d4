// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/ort_record.h"

using namespace temper;
using namespace temper::test;

namespace {

// Operators of com.microsoft that optimizers and exporters for generation and images write.

const std::filesystem::path kRecord =
    std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops/data/contrib_ort.npz";

Tensor int32Tensor(const Shape& shape, std::initializer_list<int32_t> values) {
    return Tensor::of<int32_t>(shape, values);
}

Tensor bytes(const Shape& shape, uint64_t seed) {
    return randomTensor(shape, seed, 0, 256).cast(DType::UInt8);
}

/// Four query heads and two key heads of size 8, or as many as the attributes say; more feeds are
/// added. `total` is the longest sequence with its past.
OpCase grouped(const std::string& attributes, const std::string& inputs, int32_t total,
               Feeds more = {}) {
    more.insert({"q", randomTensor({2, 3, 32}, 1)});
    more.insert({"k", randomTensor({2, 3, 16}, 2)});
    more.insert({"v", randomTensor({2, 3, 16}, 3)});
    more.insert({"lengths", int32Tensor({2}, {total - 1, total - 1})});
    more.insert({"total", int32Tensor({1}, {total})});
    OpCase opCase{"y, nk, nv = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2" +
                      attributes + ">(" + inputs + ")",
                  std::move(more)};
    opCase.constants = {"total"};
    return opCase;
}

/// Head size 16, of which ONNX Runtime rotates at least 16.
OpCase groupedRotary(const std::string& attributes, const std::string& inputs, int32_t total,
                     Feeds more = {}) {
    more.insert({"q", randomTensor({2, 3, 64}, 1)});
    more.insert({"k", randomTensor({2, 3, 32}, 2)});
    more.insert({"v", randomTensor({2, 3, 32}, 3)});
    more.insert({"cosines", randomTensor({16, 8}, 4)});
    more.insert({"sines", randomTensor({16, 8}, 5)});
    return grouped(", do_rotary = 1" + attributes, inputs, total, std::move(more));
}

/// A past of five positions; each sequence uses as many as its length says.
Feeds past(const Tensor& lengths) {
    return {{"pk", randomTensor({2, 2, 5, 8}, 6)},
            {"pv", randomTensor({2, 2, 5, 8}, 7)},
            {"lengths", lengths}};
}

OpCase oneByOne(OpCase opCase) {
    for (const auto& [name, width] : {std::pair("q", 32), std::pair("k", 16), std::pair("v", 16)}) {
        opCase.feeds.insert_or_assign(name, randomTensor({2, 1, width}, 9));
    }
    return opCase;
}

std::vector<GradientCase> groupedCases() {
    const std::string inputs = "q, k, v, \"\", \"\", lengths, total";
    const std::string withPast = "q, k, v, pk, pv, lengths, total";
    return {
        {"grouped attention", grouped("", inputs, 3)},
        {"grouped attention with a scale", grouped(", scale = 0.3", inputs, 3)},
        {"grouped attention with a window", grouped(", local_window_size = 1", inputs, 3)},
        {"grouped attention, packed", grouped("", "qkv, \"\", \"\", \"\", \"\", lengths, total", 3,
                                              {{"qkv", randomTensor({2, 3, 64}, 8)}})},
        {"grouped attention, as many keys as queries",
         {"y, nk, nv = com.microsoft.GroupQueryAttention<num_heads = 2, kv_num_heads = 2>(" +
              inputs + ")",
          grouped("", inputs, 3, {{"q", randomTensor({2, 3, 16}, 1)}}).feeds}},
        {"grouped attention, rotated", groupedRotary("", inputs + ", cosines, sines", 3)},
        {"grouped attention, rotated in pairs",
         groupedRotary(", rotary_interleaved = 1", inputs + ", cosines, sines", 3)},
        {"grouped attention, one more after a past",
         oneByOne(grouped("", withPast, 6, past(int32Tensor({2}, {5, 5}))))},
        {"grouped attention, one more after pasts of other lengths",
         oneByOne(grouped("", withPast, 6, past(int32Tensor({2}, {5, 3}))))},
        {"grouped attention, one more within a window",
         oneByOne(grouped(", local_window_size = 2", withPast, 6, past(int32Tensor({2}, {5, 5}))))},
    };
}

/// Inputs that were added after ONNX Runtime 1.19.
Feeds newerInputs() {
    return {{"bias", randomTensor({2, 1, 3, 3}, 11)},
            {"sinks", randomTensor({4}, 12)},
            {"qn", randomTensor({8}, 13, 0.5F, 1.5F)},
            {"kn", randomTensor({8}, 14, 0.5F, 1.5F)},
            {"places", Tensor::of<int64_t>({2, 3}, {4, 0, 7, 1, 1, 9})}};
}

/// Forms that ONNX Runtime 1.19 rejects or has for other devices only.
std::vector<GradientCase> groupedCasesElsewhere() {
    const std::string inputs = "q, k, v, \"\", \"\", lengths, total";
    return {
        {"grouped attention with capped scores", grouped(", softcap = 1.5", inputs, 3)},
        {"grouped attention that sees all", grouped(", causal = 0", inputs, 3)},
        {"grouped attention with a bias of the scores",
         grouped("", inputs + ", \"\", \"\", \"\", bias", 3, newerInputs())},
        {"grouped attention with sinks",
         grouped("", inputs + ", \"\", \"\", \"\", \"\", sinks", 3, newerInputs())},
        {"grouped attention with a smooth softmax", grouped(", smooth_softmax = 1", inputs, 3)},
        {"grouped attention with norms of queries and keys",
         grouped(", qk_norm_epsilon = 0.01",
                 inputs + ", \"\", \"\", \"\", \"\", \"\", \"\", \"\", qn, kn", 3, newerInputs())},
        {"grouped attention, rotated by positions",
         groupedRotary("", inputs + ", cosines, sines, places", 3, newerInputs())},
        {"grouped attention, three more after pasts of other lengths",
         grouped("", "q, k, v, pk, pv, lengths, total", 8, past(int32Tensor({2}, {7, 5})))},
    };
}

/// Weights of 12 rows and 40 columns in blocks of 16; the last one is not full.
OpCase nBits(const std::string& inputs, const std::string& attributes = "bits = 4, ",
             int64_t bits = 4) {
    const int64_t packedZeros = (3 * bits + 7) / 8;
    OpCase opCase{"y = com.microsoft.MatMulNBits<" + attributes +
                      "K = 40, N = 12, block_size = 16>(" + inputs + ")",
                  {{"x", randomTensor({2, 3, 40}, 1)},
                   {"w", bytes({12, 3, 2 * bits}, 2)},
                   {"s", randomTensor({36}, 3, 0.1F, 0.5F)},
                   {"z", bytes({12 * packedZeros}, 4)},
                   {"fz", randomTensor({36}, 5, 4, 9)},
                   {"b", randomTensor({12}, 6)}}};
    opCase.constants = {"w", "z"};
    return opCase;
}

OpCase bnb4(const std::string& attributes, int64_t width) {
    OpCase opCase{"y = com.microsoft.MatMulBnb4<K = 20, N = 12, block_size = 16, " + attributes +
                      ">(x, w, s)",
                  {{"x", randomTensor({2, 3, width}, 1)},
                   {"w", bytes({120}, 2)},
                   {"s", randomTensor({15}, 3, 0.1F, 0.5F)}}};
    opCase.constants = {"w", "s"};
    return opCase;
}

/// Gradients go to the input and to the bias, not to the scales.
std::vector<GradientCase> withoutScales(std::vector<GradientCase> cases) {
    for (GradientCase& oneCase : cases) {
        oneCase.options.inputs = {"x"};
        if (oneCase.opCase.nodes.ends_with(", b)")) oneCase.options.inputs.push_back("b");
    }
    return cases;
}

std::vector<GradientCase> quantizedWeightCases() {
    return withoutScales({
        {"weights of 4 bits", nBits("x, w, s")},
        {"weights of 4 bits with zero points", nBits("x, w, s, z")},
        {"weights of 4 bits with zero points of floats", nBits("x, w, s, fz")},
        {"FP4 weights", bnb4("quant_type = 0", 20)},
        {"NF4 weights", bnb4("quant_type = 1", 20)},
    });
}

std::vector<GradientCase> quantizedWeightCasesElsewhere() {
    return withoutScales({
        {"weights of 4 bits, bits by default", nBits("x, w, s", "")},
        {"weights of 4 bits with bias", nBits("x, w, s, z, \"\", b")},
        {"NF4 weights as they lie", bnb4("quant_type = 1, transB = 0", 12)},
        {"weights of 2 bits", nBits("x, w, s, z", "bits = 2, ", 2)},
        {"weights of 8 bits", nBits("x, w, s, z", "bits = 8, ", 8)},
    });
}

OpCase fusedMatMul(const std::string& attributes, const Shape& a, const Shape& b) {
    return {"y = com.microsoft.FusedMatMulActivation<" + attributes + ">(a, b)",
            {{"a", distinctTensor(a, 1)}, {"b", distinctTensor(b, 2)}}};
}

OpCase channelsLastConv(const std::string& attributes, const std::string& op,
                        const std::string& inputs) {
    const bool areLast = op == "NhwcConv";
    return {"y = com.microsoft." + op + "<" + attributes + ">(" + inputs + ")",
            {{"x", randomTensor({1, 5, 6, 4}, 1)},
             {"w", randomTensor(areLast ? Shape{6, 3, 3, 2} : Shape{6, 2, 3, 3}, 2)},
             {"b", randomTensor({6}, 3)},
             {"z", randomTensor({1, 3, 4, 6}, 4)}}};
}

OpCase groupNorm(const std::string& attributes, const Shape& x) {
    return {"y = com.microsoft.GroupNorm<groups = 2, epsilon = 0.01, " + attributes +
                ">(x, gamma, beta)",
            {{"x", randomTensor(x, 1)},
             {"gamma", randomTensor({4}, 2, 0.5F, 1.5F)},
             {"beta", randomTensor({4}, 3)}}};
}

OpCase skipGroupNorm(const std::string& attributes, const Shape& x, const Shape& skip,
                     const std::string& inputs) {
    OpCase opCase = groupNorm(attributes, x);
    opCase.feeds.insert({"skip", randomTensor(skip, 4)});
    opCase.feeds.insert({"bias", randomTensor({4}, 5)});
    opCase.nodes = "y, total = com.microsoft.SkipGroupNorm<groups = 2, epsilon = 0.01, " +
                   attributes + ">(" + inputs + ")";
    return opCase;
}

/// Operators that ONNX Runtime has for other devices only.
std::vector<GradientCase> imageCasesElsewhere() {
    const std::string strided = "group = 2, pads = [1, 0, 0, 1], strides = [2, 1]";
    return {
        {"channels last, conv", channelsLastConv(strided, "NhwcConv", "x, w, b")},
        {"channels last, conv without bias", channelsLastConv("group = 2", "NhwcConv", "x, w")},
        {"channels last, fused conv",
         channelsLastConv(strided + ", activation = \"Tanh\"", "NhwcFusedConv", "x, w, b")},
        {"channels last, fused conv with a sum",
         channelsLastConv("group = 2, activation = \"Sigmoid\"", "NhwcFusedConv", "x, w, b, z")},
        {"group norm, channels last", groupNorm("activation = 0", {2, 3, 2, 4})},
        {"group norm, channels last, SiLU",
         groupNorm("activation = 1, channels_last = 1", {2, 3, 2, 4})},
        {"group norm, channels first, SiLU",
         groupNorm("activation = 1, channels_last = 0", {2, 4, 3, 2})},
        {"skip group norm",
         skipGroupNorm("activation = 1", {2, 3, 2, 4}, {2, 3, 2, 4}, "x, gamma, beta, skip, bias")},
        {"skip group norm, a skip by channel",
         skipGroupNorm("activation = 0", {2, 3, 2, 4}, {2, 4}, "x, gamma, beta, skip")},
        {"skip group norm, channels first",
         skipGroupNorm("activation = 0, channels_last = 0", {2, 4, 3, 2}, {2, 4},
                       "x, gamma, beta, skip, bias")},
    };
}

OpCase withOpset(OpCase opCase, int64_t opset) {
    opCase.opset = opset;
    return opCase;
}

OpCase padding(const std::string& attributes, const std::string& inputs, const Shape& shape) {
    return {"y = com.microsoft.Pad" + attributes + "(" + inputs + ")",
            {{"x", randomTensor({2, 3, 4}, 1)},
             {"p", integerTensor({0, 1, 2, 0, 0, 1}).reshaped(shape)},
             {"c", Tensor::of<float>({1}, {0.5F})}},
            17,
            {"p"}};
}

OpCase gridSample(const std::string& attributes) {
    return {"y = com.microsoft.GridSample" + attributes + "(x, grid)",
            {{"x", randomTensor({2, 2, 4, 3}, 1)}, {"grid", randomTensor({2, 3, 2, 2}, 2)}}};
}

OpCase transposedConv(const std::string& attributes, const std::string& inputs) {
    return {"y = com.microsoft.ConvTransposeWithDynamicPads<" + attributes + ">(" + inputs + ")",
            {{"x", randomTensor({1, 2, 3, 3}, 1)},
             {"w", randomTensor({2, 3, 3, 3}, 2)},
             {"p", integerTensor({1, 0, 1, 1})},
             {"b", randomTensor({3}, 3)}},
            17,
            {"p"}};
}

OpCase distances(const std::string& attributes) {
    return {"y = com.microsoft.CDist" + attributes + "(a, b)",
            {{"a", randomTensor({4, 3}, 1)}, {"b", randomTensor({5, 3}, 2)}}};
}

OpCase expandDims(int32_t axis) {
    return {"y = com.microsoft.ExpandDims(x, a)",
            {{"x", randomTensor({2, 3}, 1)}, {"a", Tensor::scalar<int32_t>(axis)}},
            17,
            {"a"}};
}

OpCase gatherND(const Shape& indices, std::initializer_list<int64_t> values) {
    return {"y = com.microsoft.GatherND(x, i)",
            {{"x", randomTensor({3, 2, 4}, 1)}, {"i", Tensor::of<int64_t>(indices, values)}}};
}

std::vector<GradientCase> formCases() {
    return {
        {"elements by tuples", gatherND({2, 3}, {0, 1, 2, 2, 0, 3})},
        {"slices by tuples", gatherND({2, 1, 2}, {0, 1, 2, 1})},
        {"pads of zeros", padding("", "x, p", {6})},
        {"pads of a value, in a row of a matrix",
         padding("", "x, p, c", {1, 6}),
         {.inputs = {"x"}}},
        {"pads by reflection", padding("<mode = \"reflect\">", "x, p", {6})},
        {"pads of the edge", padding("<mode = \"edge\">", "x, p", {6})},
        {"grid, bilinear", gridSample("")},
        {"grid, aligned corners, border",
         gridSample("<align_corners = 1, padding_mode = \"border\">")},
        {"grid, nearest", gridSample("<mode = \"nearest\">")},
        {"grid, bicubic, reflection",
         gridSample("<mode = \"bicubic\", padding_mode = \"reflection\">")},
        {"grid, bicubic, opset 20", withOpset(gridSample("<mode = \"bicubic\">"), 20)},
        {"transposed conv with pads",
         transposedConv("strides = [2, 2]", "x, w, p"),
         {.alsoSymbolic = false}},
        {"transposed conv with pads and bias",
         transposedConv("strides = [2, 1], output_padding = [1, 0]", "x, w, p, b"),
         {.alsoSymbolic = false}},
        {"distances, squared", distances("<metric = \"sqeuclidean\">")},
        {"distances", distances("<metric = \"euclidean\">")},
    };
}

OpCase complexProduct(const std::string& op) {
    return {"y = com.microsoft." + op + "(a, b)",
            {{"a", randomTensor({2, 3, 2}, 1)}, {"b", randomTensor({3, 2}, 2)}}};
}

/// Operators that ONNX Runtime has for other devices only, or on which it crashes.
std::vector<GradientCase> formulaCasesElsewhere() {
    return {
        {"a dimension in front", expandDims(0), {.alsoSymbolic = false}},
        {"a dimension at the end", expandDims(-1), {.alsoSymbolic = false}},
        {"windows",
         {"y = com.microsoft.UnfoldTensor<dim = 1, size = 3, step = 2>(x)",
          {{"x", randomTensor({2, 7, 3}, 1)}}},
         {.alsoSymbolic = false}},
        {"windows of the last dimension",
         {"y = com.microsoft.UnfoldTensor<size = 2>(x)", {{"x", randomTensor({2, 5}, 1)}}},
         {.alsoSymbolic = false}},
        {"product and Tanh",
         fusedMatMul("transB = 1, alpha = 0.5, activation = \"Tanh\"", {2, 3, 4}, {2, 5, 4})},
        {"product and LeakyRelu",
         fusedMatMul("activation = \"LeakyRelu\", activation_alpha = 0.3", {3, 4}, {4, 5})},
        {"product and fast gelu",
         {"y = com.microsoft.GemmFastGelu(x, w, b)",
          {{"x", randomTensor({2, 3, 4}, 1)},
           {"w", randomTensor({4, 5}, 2)},
           {"b", randomTensor({5}, 3)}}}},
        {"product and fast gelu without bias",
         {"y = com.microsoft.GemmFastGelu(x, w)",
          {{"x", randomTensor({3, 4}, 1)}, {"w", randomTensor({4, 5}, 2)}}}},
        {"complex product", complexProduct("ComplexMul")},
        {"complex product, conjugate", complexProduct("ComplexMulConj")},
        {"rotation of queries and keys",
         {"yq, yk = com.microsoft.GemmaRotaryEmbedding(e, q, qr, k, kr)",
          {{"e", randomTensor({2, 3, 4}, 1)},
           {"q", randomTensor({2, 2, 3, 4}, 2)},
           {"qr", randomTensor({2, 2, 3, 4}, 3)},
           {"k", randomTensor({2, 2, 3, 4}, 4)},
           {"kr", randomTensor({2, 2, 3, 4}, 5)}}}},
        {"gated bias of positions",
         {"y = com.microsoft.GatedRelativePositionBias<num_heads = 2>(q, qb, pos, w, b, a)",
          {{"q", randomTensor({2, 3, 8}, 1)},
           {"qb", randomTensor({8}, 2)},
           {"pos", randomTensor({1, 2, 3, 3}, 3)},
           {"w", randomTensor({4, 6}, 4)},
           {"b", randomTensor({6}, 5)},
           {"a", randomTensor({1, 2, 1, 1}, 6)}}}},
    };
}

/// Equivalent nodes of operators that are checked elsewhere, which give the same `y`.
struct Equivalent {
    const char* name;
    OpCase opCase;
    std::string nodes;
    int64_t opset = 17;
};

/// Images from channels-last to channels-first, and back.
std::string channelsFirst(const std::string& nodes) {
    return "xf = Transpose<perm = [0, 3, 1, 2]>(x) " + nodes +
           " y = Transpose<perm = [0, 2, 3, 1]>(yf)";
}

std::vector<Equivalent> imageEquivalents() {
    const std::string strided = "group = 2, pads = [1, 0, 0, 1], strides = [2, 1]";
    const std::string norm = "GroupNormalization<num_groups = 2, epsilon = 0.01>";
    return {
        {"channels last, conv", channelsLastConv(strided, "NhwcConv", "x, w, b"),
         channelsFirst("wf = Transpose<perm = [0, 3, 1, 2]>(w) yf = Conv<" + strided +
                       ">(xf, wf, b)")},
        {"channels last, fused conv",
         channelsLastConv("group = 2, activation = \"Sigmoid\"", "NhwcFusedConv", "x, w, b, z"),
         channelsFirst("c = Conv<group = 2>(xf, w, b) zf = Transpose<perm = [0, 3, 1, 2]>(z) "
                       "t = Add(c, zf) yf = Sigmoid(t)")},
        {"group norm, channels last", groupNorm("activation = 0", {2, 3, 2, 4}),
         channelsFirst("yf = " + norm + "(xf, gamma, beta)"), 21},
        {"group norm, channels first, SiLU",
         groupNorm("activation = 1, channels_last = 0", {2, 4, 3, 2}),
         "n = " + norm + "(x, gamma, beta) s = Sigmoid(n) y = Mul(n, s)", 21},
        {"skip group norm",
         skipGroupNorm("activation = 0", {2, 3, 2, 4}, {2, 3, 2, 4}, "x, gamma, beta, skip, bias"),
         "a = Add(x, skip) t = Add(a, bias) tf = Transpose<perm = [0, 3, 1, 2]>(t) yf = " + norm +
             "(tf, gamma, beta) y = Transpose<perm = [0, 2, 3, 1]>(yf)",
         21},
        {"skip group norm, a skip by channel",
         skipGroupNorm("activation = 0, channels_last = 0", {2, 4, 3, 2}, {2, 4},
                       "x, gamma, beta, skip"),
         "i = Constant<value_ints = [2, 3]>() u = Unsqueeze(skip, i) t = Add(x, u) y = " + norm +
             "(t, gamma, beta)",
         21},
    };
}

/// Causal attention of four heads in simple operators; `sink` is an additional term of the
/// softmax's denominator.
std::string byProducts(const std::string& sink) {
    return "sinkShape = Constant<value_ints = [4, 1, 1]>() " + sink +
           "qi = Constant<value_ints = [2, 3, 4, 8]>() qh = Reshape(q, qi) "
           "qt = Transpose<perm = [0, 2, 1, 3]>(qh) "
           "twice = Constant<value_ints = [0, 0, 1, 1]>() ki = Constant<value_ints = [2, 3, 2, "
           "8]>() "
           "kh = Reshape(k, ki) kg = Gather<axis = 2>(kh, twice) "
           "kt = Transpose<perm = [0, 2, 3, 1]>(kg) vh = Reshape(v, ki) "
           "vg = Gather<axis = 2>(vh, twice) vt = Transpose<perm = [0, 2, 1, 3]>(vg) "
           "products = MatMul(qt, kt) root = Constant<value_float = 0.35355339>() "
           "scores = Mul(products, root) powers = Exp(scores) seen = Trilu<upper = 0>(powers) "
           "axis = Constant<value_ints = [3]>() sums = ReduceSum(seen, axis) "
           "all = Add(sums, sink) p = Div(seen, all) o = MatMul(p, vt) "
           "ot = Transpose<perm = [0, 2, 1, 3]>(o) f = Constant<value_ints = [2, 3, 32]>() "
           "y = Reshape(ot, f)";
}

std::vector<Equivalent> attentionEquivalents() {
    const std::string inputs = "q, k, v, \"\", \"\", lengths, total";
    const std::string onnx = "y = Attention<q_num_heads = 4, kv_num_heads = 2";
    const std::string byPosition =
        "i = Constant<value_ints = [2, 5, 16]>() kt = Transpose<perm = [0, 2, 1, 3]>(pk) "
        "kr = Reshape(kt, i) ka = Concat<axis = 1>(kr, k) vt = Transpose<perm = [0, 2, 1, 3]>(pv) "
        "vr = Reshape(vt, i) va = Concat<axis = 1>(vr, v) qa = Concat<axis = 1>(q, q, q) ";
    return {
        {"grouped attention with capped scores", grouped(", softcap = 1.5", inputs, 3),
         onnx + ", softcap = 1.5, is_causal = 1>(q, k, v)", 23},
        {"grouped attention that sees all", grouped(", causal = 0", inputs, 3), onnx + ">(q, k, v)",
         23},
        {"grouped attention with a bias of the scores",
         grouped("", inputs + ", \"\", \"\", \"\", bias", 3, newerInputs()),
         onnx + ", is_causal = 1>(q, k, v, bias)", 23},
        {"grouped attention with sinks",
         grouped("", inputs + ", \"\", \"\", \"\", \"\", sinks", 3, newerInputs()),
         byProducts("sr = Reshape(sinks, sinkShape) sink = Exp(sr) ")},
        {"grouped attention with a smooth softmax", grouped(", smooth_softmax = 1", inputs, 3),
         byProducts("sink = Constant<value_float = 1.0>() ")},
        {"grouped attention with norms of queries and keys",
         grouped(", qk_norm_epsilon = 0.01",
                 inputs + ", \"\", \"\", \"\", \"\", \"\", \"\", \"\", qn, kn", 3, newerInputs()),
         "qi = Constant<value_ints = [2, 3, 4, 8]>() qh = Reshape(q, qi) "
         "qm = SimplifiedLayerNormalization<axis = -1, epsilon = 0.01>(qh, qn) "
         "ki = Constant<value_ints = [2, 3, 2, 8]>() kh = Reshape(k, ki) "
         "km = SimplifiedLayerNormalization<axis = -1, epsilon = 0.01>(kh, kn) "
         "f = Constant<value_ints = [2, 3, -1]>() qf = Reshape(qm, f) kf = Reshape(km, f) "
         "y, k2, v2 = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2>("
         "qf, kf, v, \"\", \"\", lengths, total)"},
        {"grouped attention, rotated by positions",
         groupedRotary("", inputs + ", cosines, sines, places", 3, newerInputs()),
         "qr = com.microsoft.RotaryEmbedding(q, places, cosines, sines) "
         "kr = com.microsoft.RotaryEmbedding(k, places, cosines, sines) "
         "y, k2, v2 = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2>("
         "qr, kr, v, \"\", \"\", lengths, total)"},
        // The last three of nine queries see what the queries after a past see.
        {"grouped attention, three more after a past",
         grouped("", "q, k, v, pk, pv, lengths, total", 8, past(int32Tensor({2}, {7, 7}))),
         byPosition + "s = Constant<value_ints = [1]>() e = Constant<value_ints = [9]>() "
                      "a = Constant<value_ints = [1]>() qs = Slice(qa, s, e, a) "
                      "l = Constant<value_ints = [7, 7]>() lc = Cast<to = 6>(l) "
                      "all = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads = 2>("
                      "qs, ka, va, \"\", \"\", lc, total) f = Constant<value_ints = [5]>() "
                      "y = Slice(all, f, e, a)"},
    };
}

std::vector<Equivalent> formulaEquivalents() {
    const auto caseOf = [](const char* name) {
        for (const GradientCase& oneCase : formulaCasesElsewhere()) {
            if (std::string_view(oneCase.name) == name) return oneCase.opCase;
        }
        throw Error(ErrorCode::Internal, std::string("There is no case '") + name + "'.");
    };
    const auto equivalent = [&](const char* name, const std::string& nodes) {
        return Equivalent{name, caseOf(name), nodes};
    };
    const std::string pairs =
        "ar, ai = Split<axis = -1>(a) br, bi = Split<axis = -1>(b) "
        "rr = Mul(ar, br) ii = Mul(ai, bi) ri = Mul(ar, bi) ir = Mul(ai, br) ";
    return {
        equivalent("product and Tanh",
                   "t = Transpose<perm = [0, 2, 1]>(b) p = MatMul(a, t) "
                   "h = Constant<value_float = 0.5>() s = Mul(p, h) "
                   "y = Tanh(s)"),
        equivalent("product and LeakyRelu", "p = MatMul(a, b) y = LeakyRelu<alpha = 0.3>(p)"),
        equivalent("product and fast gelu", "p = MatMul(x, w) y = com.microsoft.FastGelu(p, b)"),
        equivalent("complex product",
                   pairs + "r = Sub(rr, ii) i = Add(ri, ir) y = Concat<axis = -1>(r, i)"),
        equivalent("complex product, conjugate",
                   pairs + "r = Add(rr, ii) i = Sub(ir, ri) y = Concat<axis = -1>(r, i)"),
        equivalent("a dimension in front", "i = Constant<value_ints = [0]>() y = Unsqueeze(x, i)"),
        equivalent("a dimension at the end",
                   "i = Constant<value_ints = [2]>() y = Unsqueeze(x, i)"),
        equivalent("windows of the last dimension",
                   "i = Constant<value_ints = [0, 1, 1, 2, 2, 3, 3, 4]>() "
                   "g = Gather<axis = 1>(x, i) s = Constant<value_ints = [2, 4, 2]>() "
                   "y = Reshape(g, s)"),
        equivalent("windows",
                   "i = Constant<value_ints = [0, 1, 2, 2, 3, 4, 4, 5, 6]>() "
                   "g = Gather<axis = 1>(x, i) s = Constant<value_ints = [2, 3, 3, 3]>() "
                   "r = Reshape(g, s) y = Transpose<perm = [0, 1, 3, 2]>(r)"),
        equivalent("rotation of queries and keys",
                   "s = Sin(e) c = Cos(e) i = Constant<value_ints = [1]>() su = Unsqueeze(s, i) "
                   "cu = Unsqueeze(c, i) qc = Mul(q, cu) qs = Mul(qr, su) yq = Add(qc, qs) "
                   "kc = Mul(k, cu) ks = Mul(kr, su) yk = Add(kc, ks)"),
        equivalent("gated bias of positions",
                   "qa = Add(q, qb) i = Constant<value_ints = [2, 3, 2, 4]>() qi = Reshape(qa, i) "
                   "qt = Transpose<perm = [0, 2, 1, 3]>(qi) m = MatMul(qt, w) mb = Add(m, b) "
                   "j = Constant<value_ints = [2, 2, 3, 2, 3]>() mj = Reshape(mb, j) "
                   "four = Constant<value_ints = [4]>() su = ReduceSum<keepdims = 0>(mj, four) "
                   "g = Sigmoid(su) u, r = Split<axis = -1>(g) ra = Mul(r, a) "
                   "one = Constant<value_float = 1.0>() two = Constant<value_float = 2.0>() "
                   "rb = Sub(ra, one) ur = Mul(u, rb) ub = Add(ur, two) y = Mul(ub, pos)"),
        // The weights that the same operator multiplies by, obtained with an identity matrix.
        {"NF4 weights as they lie", bnb4("quant_type = 1, transB = 0", 12),
         "n = Constant<value_ints = [20, 20]>() z = ConstantOfShape(n) i = EyeLike(z) "
         "wt = com.microsoft.MatMulBnb4<K = 20, N = 12, block_size = 16, quant_type = 1>(i, w, s) "
         "p = Transpose<perm = [1, 0]>(wt) y = MatMul(x, p)"},
    };
}

/// The weights of nBits() by their definition.
Tensor weightsOf(const OpCase& opCase, int64_t bits) {
    const auto data = [&](const char* name) { return opCase.feeds.at(name).tensors.front(); };
    const Tensor w = data("w"), s = data("s"), z = data("z");
    const auto numberAt = [&](const Tensor& packed, int64_t row, int64_t width, int64_t i) {
        const int64_t byte = row * width + i * bits / 8;
        const int shift = static_cast<int>(i * bits % 8);
        return (packed.values<uint8_t>()[static_cast<size_t>(byte)] >> shift) & ((1 << bits) - 1);
    };
    std::vector<float> weights(40 * 12);
    for (int64_t row = 0; row < 12; ++row) {
        for (int64_t column = 0; column < 40; ++column) {
            const int64_t block = row * 3 + column / 16;
            const int number = numberAt(w, block, 2 * bits, column % 16);
            const int zero = numberAt(z, row, (3 * bits + 7) / 8, column / 16);
            weights[static_cast<size_t>(column * 12 + row)] =
                static_cast<float>(number - zero) * s.values<float>()[static_cast<size_t>(block)];
        }
    }
    return Tensor::of<float>({40, 12}, weights);
}

std::vector<Equivalent> equivalents() {
    std::vector<Equivalent> all;
    for (const auto& list : {imageEquivalents(), attentionEquivalents(), formulaEquivalents()}) {
        all.insert(all.end(), list.begin(), list.end());
    }
    return all;
}

/// Sizes of weights and heads determine the operators: they must be known.
std::vector<GradientCase> withFixedShapes(std::vector<GradientCase> cases) {
    for (GradientCase& oneCase : cases) oneCase.options.alsoSymbolic = false;
    return cases;
}

/// Removes unused feeds: they would be inputs that nothing reads.
GradientCase trimmed(GradientCase oneCase) {
    OpCase& opCase = oneCase.opCase;
    const auto isRead = [&](const std::string& name) {
        for (const char* before : {"(", ", "}) {
            for (const char* behind : {")", ","}) {
                if (opCase.nodes.find(before + name + behind) != std::string::npos) return true;
            }
        }
        return false;
    };
    std::erase_if(opCase.feeds, [&](const auto& feed) { return !isRead(feed.first); });
    std::erase_if(opCase.constants, [&](const std::string& name) { return !isRead(name); });
    return oneCase;
}

std::vector<GradientCase> joined(std::initializer_list<std::vector<GradientCase>> lists) {
    std::vector<GradientCase> all;
    for (const auto& list : lists) {
        for (const GradientCase& oneCase : list) all.push_back(trimmed(oneCase));
    }
    return all;
}

std::vector<GradientCase> recordedCases() {
    return joined(
        {withFixedShapes(groupedCases()), withFixedShapes(quantizedWeightCases()), formCases()});
}

std::vector<GradientCase> allCases() {
    return joined({withFixedShapes(groupedCases()), withFixedShapes(groupedCasesElsewhere()),
                   withFixedShapes(quantizedWeightCases()),
                   withFixedShapes(quantizedWeightCasesElsewhere()), formCases(),
                   withFixedShapes(imageCasesElsewhere()),
                   withFixedShapes(formulaCasesElsewhere())});
}

}  // namespace

class ContribTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (qEnvironmentVariableIsSet("TEMPER_RECORD_ORT")) recordOrt(recordedCases(), kRecord);
    }

    void resultsAreThoseOfOnnxRuntime_data() { addRows(recordedCases()); }
    void resultsAreThoseOfOnnxRuntime() {
        QFETCH(int, row);
        QCOMPARE(differenceFromOrt(recordedCases().at(static_cast<size_t>(row)), kRecord),
                 QString());
    }

    /// Forms that ONNX Runtime has for other devices only.
    void resultsAreThoseOfOtherOperators_data() {
        QTest::addColumn<int>("row");
        const auto all = equivalents();
        for (size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].name) << static_cast<int>(i);
        }
    }
    void resultsAreThoseOfOtherOperators() {
        QFETCH(int, row);
        const Equivalent one = equivalents().at(static_cast<size_t>(row));
        const OpCase opCase = trimmed({"", one.opCase}).opCase;
        const Results found = runOp(opCase);
        OpCase other = one.opCase;
        other.nodes = one.nodes;
        other.opset = one.opset;
        for (const auto& [name, expected] : runOp(trimmed({"", other}).opCase)) {
            if (!found.contains(name)) continue;
            QCOMPARE(QString::fromStdString(difference(found.at(name), expected, {1e-5, 1e-5})),
                     QString());
        }
    }

    void weightsAreUnpackedByTheirBits_data() {
        QTest::addColumn<int>("bits");
        for (const int bits : {2, 4, 8}) QTest::addRow("%d bits", bits) << bits;
    }
    void weightsAreUnpackedByTheirBits() {
        QFETCH(int, bits);
        const OpCase opCase =
            nBits("x, w, s, z, \"\", b", "bits = " + std::to_string(bits) + ", ", bits);
        const Tensor found = runOp(trimmed({"", opCase}).opCase).at("y");
        const Feeds feeds{{"x", opCase.feeds.at("x")},
                          {"w", weightsOf(opCase, bits)},
                          {"b", opCase.feeds.at("b")}};
        const Tensor expected = runOp({"p = MatMul(x, w) y = Add(p, b)", feeds}).at("y");
        QCOMPARE(QString::fromStdString(difference(found, expected, {1e-5, 1e-4})), QString());
    }

    void formsThatCanNotBeExpressedAreRefusedByName_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("named");
        const auto refuse = [](const char* name, const std::string& nodes, const char* named) {
            QTest::newRow(name) << QString::fromStdString(nodes) << QString(named);
        };
        const std::string inputs = "q, k, v, \"\", \"\", lengths, total";
        refuse("scores as an output", grouped(", qk_output = 1", inputs, 3).nodes, "qk_output");
        refuse("quantized cache", grouped(", k_quant_type = \"PER_TENSOR\"", inputs, 3).nodes,
               "k_quant_type");
        refuse("scales of a quantized cache",
               grouped("", inputs + ", \"\", \"\", \"\", \"\", \"\", q", 3).nodes, "k_scale");
        refuse("rotation without tables", grouped(", do_rotary = 1", inputs, 3).nodes, "do_rotary");
        refuse("heads that share no keys",
               "y = com.microsoft.GroupQueryAttention<num_heads = 3, kv_num_heads = 2>(" + inputs +
                   ")",
               "kv_num_heads");
    }
    void formsThatCanNotBeExpressedAreRefusedByName() {
        QFETCH(QString, nodes);
        QFETCH(QString, named);
        OpCase opCase = grouped("", "", 3);
        opCase.nodes = nodes.toStdString();
        try {
            runOp(trimmed({"", opCase}).opCase);
            QFAIL("it ran");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(named), error.what());
            QVERIFY(!error.hint().empty());
        }
    }

    void gradientsMatchFiniteDifferences_data() { addRows(allCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(allCases(), row), QString());
    }

    void singlePrecisionAgreesWithDouble_data() { addRows(allCases()); }
    void singlePrecisionAgreesWithDouble() {
        QFETCH(int, row);
        const OpCase opCase = allCases().at(static_cast<size_t>(row)).opCase;
        QCOMPARE(QString::fromStdString(differenceOfPrecisions(opCase, {1e-4, 1e-5})), QString());
        QVERIFY(isIndependentOfThreads(opCase));
    }
};

QTEST_GUILESS_MAIN(ContribTest)
#include "contrib_test.moc"
