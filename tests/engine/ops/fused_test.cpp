// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/ort_record.h"

using namespace temper;
using namespace temper::test;

namespace {

const std::filesystem::path kRecord =
    std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops/data/fused_ort.npz";

Tensor int32Tensor(const Shape& shape, std::initializer_list<int32_t> values) {
    return Tensor::of<int32_t>(shape, values);
}

/// Batch 2, sequence 3, hidden size 8, two heads; more feeds are added.
OpCase attention(const std::string& attributes, const std::string& inputs, Feeds more = {}) {
    more.insert({"x", randomTensor({2, 3, 8}, 1)});
    more.insert({"w", randomTensor({8, 24}, 2)});
    more.insert({"b", randomTensor({24}, 3)});
    return {"y = com.microsoft.Attention<num_heads = 2" + attributes + ">(" + inputs + ")",
            std::move(more)};
}

/// Outputs y and present; the past has four positions.
OpCase attentionWithPast(const std::string& attributes, const std::string& inputs,
                         Feeds more = {}) {
    more.insert({"past", randomTensor({2, 2, 2, 4, 4}, 4)});
    OpCase opCase = attention(attributes, inputs, std::move(more));
    opCase.nodes = "y, present" + opCase.nodes.substr(1);
    return opCase;
}

/// Two heads of size 4; three queries, five keys.
OpCase multiHead(const std::string& attributes, const std::string& inputs, Feeds more = {}) {
    more.insert({"q", randomTensor({2, 3, 8}, 1)});
    more.insert({"k", randomTensor({2, 5, 8}, 2)});
    more.insert({"v", randomTensor({2, 5, 8}, 3)});
    return {"y = com.microsoft.MultiHeadAttention<num_heads = 2" + attributes + ">(" + inputs + ")",
            std::move(more)};
}

OpCase skipNorm(const std::string& nodes, const Shape& skip) {
    return {nodes,
            {{"x", randomTensor({2, 3, 8}, 1)},
             {"skip", randomTensor(skip, 2)},
             {"gamma", randomTensor({8}, 3, 0.5F, 1.5F)},
             {"beta", randomTensor({8}, 4)},
             {"bias", randomTensor({8}, 5)}}};
}

OpCase embedding(const std::string& outputs, const std::string& inputs) {
    const std::string node = outputs + " = com.microsoft.EmbedLayerNormalization<epsilon = 0.001>(";
    return {node + inputs + ")",
            {{"ids", int32Tensor({2, 3}, {1, 4, 0, 2, 2, 3})},
             {"segments", int32Tensor({2, 3}, {0, 0, 1, 1, 0, 1})},
             {"words", randomTensor({6, 4}, 1)},
             {"positions", randomTensor({5, 4}, 2)},
             {"kinds", randomTensor({2, 4}, 3)},
             {"gamma", randomTensor({4}, 4, 0.5F, 1.5F)},
             {"beta", randomTensor({4}, 5)},
             {"mask", int32Tensor({2, 3}, {1, 1, 0, 1, 1, 1})},
             {"places", int32Tensor({2, 3}, {0, 1, 2, 2, 4, 1})}}};
}

/// Removes unused feeds: they would be inputs that nothing reads.
GradientCase trimmed(GradientCase oneCase) {
    const std::string& nodes = oneCase.opCase.nodes;
    std::erase_if(oneCase.opCase.feeds, [&](const auto& feed) {
        for (const char* before : {"(", ", "}) {
            for (const char* behind : {")", ","}) {
                if (nodes.find(before + feed.first + behind) != std::string::npos) return false;
            }
        }
        return true;
    });
    return oneCase;
}

OpCase rotary(const std::string& attributes, const Shape& x, const Tensor& positions,
              int64_t turned) {
    return {"y = com.microsoft.RotaryEmbedding<" + attributes + ">(x, p, c, s)",
            {{"x", randomTensor(x, 1)},
             {"p", positions},
             {"c", randomTensor({8, turned / 2}, 2)},
             {"s", randomTensor({8, turned / 2}, 3)}}};
}

OpCase fusedConv(const std::string& attributes, const std::string& inputs) {
    return {"y = com.microsoft.FusedConv<" + attributes + ">(" + inputs + ")",
            {{"x", randomTensor({1, 2, 5, 5}, 1)},
             {"w", randomTensor({3, 2, 3, 3}, 2)},
             {"b", randomTensor({3}, 3)},
             {"z", randomTensor({1, 3, 3, 3}, 4)}}};
}

OpCase fusedGemm(const std::string& attributes, const std::string& inputs = "a, b, c") {
    return {"y = com.microsoft.FusedGemm<" + attributes + ">(" + inputs + ")",
            {{"a", randomTensor({3, 4}, 1)},
             {"b", randomTensor({4, 5}, 2)},
             {"c", randomTensor({5}, 3)}}};
}

OpCase withOpset(OpCase opCase, int64_t opset) {
    opCase.opset = opset;
    return opCase;
}

const Tensor& rawMask() {
    static const Tensor kMask = int32Tensor({2, 3}, {1, 1, 0, 1, 1, 1});
    return kMask;
}

std::vector<GradientCase> attentionCases() {
    return {
        {"attention", attention("", "x, w, b")},
        {"attention with a scale of its own", attention(", scale = 0.3", "x, w, b")},
        {"attention, raw mask", attention("", "x, w, b, mask", {{"mask", rawMask()}})},
        {"attention, another filter value",
         attention(", mask_filter_value = -3.0", "x, w, b, mask", {{"mask", rawMask()}})},
        {"attention, ends of the sequences",
         attention("", "x, w, b, mask", {{"mask", int32Tensor({2}, {2, 3})}})},
        {"attention, ends and starts of the sequences",
         attention("", "x, w, b, mask", {{"mask", int32Tensor({4}, {2, 3, 0, 1})}})},
        {"attention, mask by row",
         attention("", "x, w, b, mask",
                   {{"mask", int32Tensor({2, 3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0,
                                                     0, 1})}})},
        {"attention, causal", attention(", unidirectional = 1", "x, w, b")},
        {"attention, causal, opset 13",
         withOpset(attention(", unidirectional = 1", "x, w, b"), 13)},
        {"attention, causal, opset 11",
         withOpset(attention(", unidirectional = 1", "x, w, b"), 11)},
        {"attention, causal, opset 9", withOpset(attention(", unidirectional = 1", "x, w, b"), 9)},
        {"attention, causal with raw mask",
         attention(", unidirectional = 1", "x, w, b, mask", {{"mask", rawMask()}})},
        {"attention with a past", attentionWithPast("", "x, w, b, \"\", past")},
        {"attention with a past, causal, raw mask",
         attentionWithPast(", unidirectional = 1", "x, w, b, mask, past",
                           {{"mask", int32Tensor({2, 7}, {1, 0, 1, 1, 1, 1, 1,  //
                                                          0, 1, 1, 1, 1, 1, 0})}})},
        {"attention with a bias of the scores",
         attention("", "x, w, b, \"\", \"\", bias", {{"bias", randomTensor({2, 2, 3, 3}, 6)}})},
        {"attention with sizes of Q, K and V",
         attention(", qkv_hidden_sizes = [4, 4, 16]", "x, w, b")},
        {"multi-head attention", multiHead("", "q, k, v")},
        {"multi-head attention with bias",
         multiHead("", "q, k, v, b", {{"b", randomTensor({24}, 4)}})},
        {"multi-head attention, key mask",
         multiHead("", "k, k, v, \"\", mask",
                   {{"mask", int32Tensor({2, 5}, {1, 1, 1, 0, 0, 1, 1, 1, 1, 0})}})},
        {"multi-head attention, bias of the scores and scale",
         multiHead(", scale = 0.7", "q, k, v, \"\", \"\", bias",
                   {{"bias", randomTensor({2, 2, 3, 5}, 4)}})},
        {"multi-head attention, keys and values by head",
         multiHead("", "q, k4, v4",
                   {{"k4", randomTensor({2, 2, 5, 4}, 5)}, {"v4", randomTensor({2, 2, 5, 4}, 6)}})},
    };
}

/// Forms that ONNX Runtime has for other devices only: compared by their gradients and with the
/// forms above.
std::vector<GradientCase> attentionCasesElsewhere() {
    OpCase past =
        multiHead("", "q, k, v, \"\", \"\", \"\", pk, pv",
                  {{"pk", randomTensor({2, 2, 2, 4}, 5)}, {"pv", randomTensor({2, 2, 2, 4}, 6)}});
    past.nodes = "y, nk, nv" + past.nodes.substr(1);
    return {
        {"multi-head attention with a past", past},
        {"attention without bias", attention("", "x, w")},
        {"packed keys and values",
         multiHead("", "q, kv", {{"kv", randomTensor({2, 5, 2, 2, 4}, 5)}})},
        {"packed queries, keys and values",
         multiHead(", unidirectional = 1", "qkv, \"\", \"\", b",
                   {{"qkv", randomTensor({2, 3, 2, 3, 4}, 5)}, {"b", randomTensor({24}, 4)}}),
         {.alsoSymbolic = false}},
        {"attention, mask for the longest sequence",
         attentionWithPast("", "x, w, b, mask, past",
                           {{"mask", randomTensor({2, 1, 9, 9}, 8, 0, 2).cast(DType::Int32)}})},
    };
}

std::vector<GradientCase> normalizationCases() {
    const std::string norm = "com.microsoft.SkipLayerNormalization<epsilon = 0.01>";
    const std::string simple = "com.microsoft.SkipSimplifiedLayerNormalization<epsilon = 0.01>";
    return {
        {"skip layer norm", skipNorm("y = " + norm + "(x, skip, gamma, beta, bias)", {2, 3, 8})},
        {"skip layer norm without beta", skipNorm("y = " + norm + "(x, skip, gamma)", {2, 3, 8})},
        {"skip layer norm, one skip for the batch",
         skipNorm("y = " + norm + "(x, skip, gamma, beta)", {1, 3, 8}),
         {.alsoSymbolic = false}},
        {"skip layer norm, a skip without batch",
         skipNorm("y = " + norm + "(x, skip, gamma, beta)", {3, 8}),
         {.alsoSymbolic = false}},
        {"skip layer norm and its sum",
         skipNorm("y, \"\", \"\", total = " + norm + "(x, skip, gamma, beta, bias)", {2, 3, 8})},
        {"skip simplified layer norm",
         skipNorm("y, \"\", \"\", total = " + simple + "(x, skip, gamma)", {2, 3, 8})},
        {"embeddings",
         embedding("y, index", "ids, segments, words, positions, kinds, gamma, beta")},
        {"embeddings with mask and sum",
         embedding("y, index, total", "ids, segments, words, positions, kinds, gamma, beta, mask")},
        {"embeddings without segments",
         embedding("y, index", "ids, \"\", words, positions, \"\", gamma, beta, mask, places")},
    };
}

std::vector<GradientCase> otherCases() {
    const Tensor positions = Tensor::of<int64_t>({2, 3}, {0, 1, 2, 5, 3, 7});
    return {
        {"rotary embedding", rotary("interleaved = 0", {2, 3, 8}, positions, 4)},
        {"rotary embedding, pairs", rotary("interleaved = 1", {2, 3, 8}, positions, 4)},
        {"rotary embedding, heads first", rotary("interleaved = 0", {2, 2, 3, 4}, positions, 4)},
        {"rotary embedding from a position on",
         rotary("interleaved = 0", {2, 3, 8}, Tensor::of<int64_t>({1}, {2}), 4)},
        {"rotary embedding of a part of each head",
         rotary("rotary_embedding_dim = 4, num_heads = 2", {2, 3, 12}, positions, 4)},
        {"fused conv, Relu", fusedConv("activation = \"Relu\"", "x, w, b")},
        {"fused conv, LeakyRelu",
         fusedConv("activation = \"LeakyRelu\", activation_params = [0.2]", "x, w, b")},
        {"fused conv, Clip",
         fusedConv("activation = \"Clip\", activation_params = [-1.0, 1.5]", "x, w, b")},
        {"fused conv, HardSigmoid",
         fusedConv("activation = \"HardSigmoid\", activation_params = [0.3, 0.4]", "x, w")},
        {"fused conv with a sum", fusedConv("activation = \"Relu\"", "x, w, b, z")},
        {"fused gemm, Tanh", fusedGemm("activation = \"Tanh\"")},
        {"fused gemm, LeakyRelu",
         fusedGemm("activation = \"LeakyRelu\", activation_alpha = 0.3, alpha = 0.5")},
        {"fused gemm without C", fusedGemm("activation = \"Relu\"", "a, b")},
    };
}

/// Operators that ONNX Runtime has for other devices only.
std::vector<GradientCase> otherCasesElsewhere() {
    return {
        // ONNX Runtime 1.19 ignores this bias.
        {"skip simplified layer norm with bias",
         skipNorm("y, \"\", \"\", total = com.microsoft.SkipSimplifiedLayerNormalization("
                  "x, skip, gamma, bias)",
                  {2, 3, 8}),
         {.alsoSymbolic = false}},
        {"bias and skip",
         {"y = com.microsoft.BiasAdd(x, b, s)",
          {{"x", randomTensor({2, 3, 4}, 1)},
           {"b", randomTensor({4}, 2)},
           {"s", randomTensor({2, 3, 4}, 3)}}}},
        {"bias, split, gelu",
         {"y = com.microsoft.BiasSplitGelu(x, b)",
          {{"x", randomTensor({2, 3, 8}, 1)}, {"b", randomTensor({8}, 2)}}},
         {.alsoSymbolic = false}},
        {"bias softmax of the last dimension",
         {"y = com.microsoft.BiasSoftmax<axis = 3, is_inner_broadcast = 0>(x, b)",
          {{"x", randomTensor({2, 2, 3, 4}, 1)}, {"b", randomTensor({2, 1, 1, 4}, 2)}}},
         {.alsoSymbolic = false}},
        {"bias softmax of two dimensions",
         {"y = com.microsoft.BiasSoftmax<axis = 1, is_inner_broadcast = 1>(x, b)",
          {{"x", randomTensor({2, 3, 4}, 1)}, {"b", randomTensor({1, 3, 4}, 2)}}},
         {.alsoSymbolic = false}},
        {"bias dropout that drops nothing",
         {"y = com.microsoft.BiasDropout(x, b, r)",
          {{"x", randomTensor({2, 3, 4}, 1)},
           {"b", randomTensor({4}, 2)},
           {"r", randomTensor({2, 3, 4}, 3)}}}},
    };
}

/// Sizes of weights and heads determine the operators: they must be known.
std::vector<GradientCase> withFixedShapes(std::vector<GradientCase> cases) {
    for (GradientCase& oneCase : cases) oneCase.options.alsoSymbolic = false;
    return cases;
}

/// Batch and sequence are symbols, as exporters leave them.
std::vector<GradientCase> symbolicCases() {
    std::vector<GradientCase> cases = {
        {"batch and sequence of attention",
         attention(", unidirectional = 1", "x, w, b, mask", {{"mask", rawMask()}})},
        {"batch and sequence of attention with a past",
         attentionWithPast(", unidirectional = 1", "x, w, b, \"\", past")},
        {"batch and sequence of attention, mask by row",
         attention("", "x, w, b, mask",
                   {{"mask", randomTensor({2, 3, 3}, 8, 0, 2).cast(DType::Int32)}})},
        {"all sizes of multi-head attention", multiHead("", "q, k, v")},
    };
    for (GradientCase& oneCase : cases) {
        if (oneCase.opCase.feeds.contains("w")) oneCase.opCase.constants = {"w", "b"};
    }
    return cases;
}

std::vector<GradientCase> joined(std::initializer_list<std::vector<GradientCase>> lists) {
    std::vector<GradientCase> all;
    for (const auto& list : lists) {
        for (const GradientCase& oneCase : list) all.push_back(trimmed(oneCase));
    }
    return all;
}

std::vector<GradientCase> recordedCases() {
    return joined({attentionCases(), normalizationCases(), otherCases(), symbolicCases()});
}

std::vector<GradientCase> allCases() {
    return joined({withFixedShapes(attentionCases()), normalizationCases(),
                   withFixedShapes(otherCases()), withFixedShapes(attentionCasesElsewhere()),
                   withFixedShapes(otherCasesElsewhere()), symbolicCases()});
}

/// The numbers of `x`, produced by an operator other than the one under test.
Tensor resultOf(const std::string& nodes, Feeds feeds) {
    return runOp({nodes, std::move(feeds)}).at("y");
}

}  // namespace

class FusedTest : public QObject {
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

    void gradientsMatchFiniteDifferences_data() { addRows(allCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(allCases(), row), QString());
    }

    /// ORT has packed inputs for other devices only.
    void packedKeysAndValuesAreThoseOfTheirParts() {
        const Tensor k = randomTensor({1, 2, 2, 1, 2}, 1), v = randomTensor({1, 2, 2, 1, 2}, 2);
        const Tensor q = randomTensor({1, 3, 4}, 3);
        const std::string head = "y = com.microsoft.MultiHeadAttention<num_heads = 2>";
        const Tensor packed = resultOf("kv = Concat<axis = 3>(k, v) " + head + "(q, kv)",
                                       {{"k", k}, {"v", v}, {"q", q}});
        const Tensor parts =
            resultOf(head + "(q, k, v)",
                     {{"k", k.reshaped({1, 2, 4})}, {"v", v.reshaped({1, 2, 4})}, {"q", q}});
        QCOMPARE(QString::fromStdString(difference(packed, parts, {1e-6, 1e-6})), QString());
    }

    void aPastIsWhatComesBeforeTheKeys() {
        const Tensor old = randomTensor({1, 2, 2, 3}, 1), now = randomTensor({1, 2, 4, 3}, 2);
        const Tensor q = randomTensor({1, 3, 6}, 3);
        const std::string head = "y = com.microsoft.MultiHeadAttention<num_heads = 2>";
        const Feeds feeds{{"old", old}, {"now", now}, {"q", q}};
        const Tensor past = resultOf(head + "(q, now, now, \"\", \"\", \"\", old, old)", feeds);
        const Tensor whole =
            resultOf("all = Concat<axis = 2>(old, now) " + head + "(q, all, all)", feeds);
        QCOMPARE(QString::fromStdString(difference(past, whole, {1e-6, 1e-6})), QString());
    }

    void theBiasOfASimplifiedNormIsAdded() {
        const Feeds feeds{{"x", randomTensor({2, 4}, 1)},
                          {"skip", randomTensor({2, 4}, 2)},
                          {"gamma", randomTensor({4}, 3)},
                          {"bias", randomTensor({4}, 4)}};
        const std::string norm = "y = com.microsoft.SkipSimplifiedLayerNormalization";
        const Tensor found = resultOf(norm + "(x, skip, gamma, bias)", feeds);
        const Tensor expected =
            resultOf("moved = Add(x, bias) " + norm + "(moved, skip, gamma)", feeds);
        QCOMPARE(QString::fromStdString(difference(found, expected, {1e-6, 1e-6})), QString());
    }

    void transposedConvolutionsBackward() {
        const std::string attributes = "strides = [2, 2], pads = [1, 0, 1, 1], group = 2";
        const Feeds feeds{{"dy", randomTensor({2, 4, 5, 6}, 1)},
                          {"x", randomTensor({2, 2, 3, 3}, 2)},
                          {"w", randomTensor({2, 2, 3, 3}, 3)}};
        const Results found = runOp(
            {"dx, dw, db = com.microsoft.ConvTransposeGrad<" + attributes + ">(dy, x, w)", feeds});
        const Results expected =
            runOp({"dx = Conv<" + attributes + ">(dy, w) skipped, dw = com.microsoft.ConvGrad<" +
                       attributes +
                       ">(x, dy, w) axes = Constant<value_ints = [0, 2, 3]>() "
                       "db = ReduceSum<keepdims = 0>(dy, axes)",
                   feeds});
        for (const char* name : {"dx", "dw", "db"}) {
            QCOMPARE(
                QString::fromStdString(difference(found.at(name), expected.at(name), {1e-6, 1e-6})),
                QString());
        }
    }

    void formsThatCanNotBeExpressedAreRefusedByName() {
        for (const char* attribute : {", do_rotary = 1", ", past_present_share_buffer = 1"}) {
            const GradientCase oneCase = trimmed({"", attention(attribute, "x, w, b")});
            try {
                runOp(oneCase.opCase);
                QFAIL("it ran");
            } catch (const Error& error) {
                QVERIFY2(QString(error.what()).contains("not supported"), error.what());
            }
        }
    }

    void singlePrecisionAgreesWithDouble_data() { addRows(allCases()); }
    void singlePrecisionAgreesWithDouble() {
        QFETCH(int, row);
        const OpCase opCase = allCases().at(static_cast<size_t>(row)).opCase;
        QCOMPARE(QString::fromStdString(differenceOfPrecisions(opCase, {1e-4, 1e-5})), QString());
        QVERIFY(isIndependentOfThreads(opCase));
    }
};

QTEST_GUILESS_MAIN(FusedTest)
#include "fused_test.moc"
