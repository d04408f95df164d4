// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>
#include <map>

#include "engine/data/npz_file.h"
#include "engine/ir/inlining.h"
#include "engine/ir/lowering.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

struct Heads {
    int64_t queries = 3;
    int64_t keys = 4;
    int64_t queryHeads = 2;
    int64_t keyHeads = 2;
    int64_t size = 5;
    int64_t valueSize = 3;
};

/// y = Attention<attributes>(inputs) with q, k, v [2, heads, sequence, size] and more feeds.
OpCase byHead(const Heads& heads, const std::string& attributes, const std::string& inputs,
              Feeds more = {}, int64_t opset = 23) {
    more.insert({"q", randomTensor({2, heads.queryHeads, heads.queries, heads.size}, 1, -2, 2)});
    more.insert({"k", randomTensor({2, heads.keyHeads, heads.keys, heads.size}, 2, -2, 2)});
    more.insert({"v", randomTensor({2, heads.keyHeads, heads.keys, heads.valueSize}, 3)});
    return {"y = Attention<" + attributes + ">(" + inputs + ")", std::move(more), opset};
}

/// The same with the heads in the last dimension.
OpCase byRow(const Heads& heads, const std::string& attributes) {
    return {"y = Attention<q_num_heads = " + std::to_string(heads.queryHeads) +
                ", kv_num_heads = " + std::to_string(heads.keyHeads) + attributes + ">(q, k, v)",
            {{"q", randomTensor({2, heads.queries, heads.queryHeads * heads.size}, 1, -2, 2)},
             {"k", randomTensor({2, heads.keys, heads.keyHeads * heads.size}, 2, -2, 2)},
             {"v", randomTensor({2, heads.keys, heads.keyHeads * heads.valueSize}, 3)}},
            23};
}

Tensor booleans(const Shape& shape, std::initializer_list<bool> values) {
    return Tensor::of<bool>(shape, values);
}

/// The second query sees no key.
const Tensor kBlindMask =
    booleans({3, 4}, {true, false, true, true, false, false, false, false, true, true, true, true});

OpCase rotary(const std::string& attributes, const Shape& x, const Shape& table,
              bool hasPositions) {
    OpCase opCase{
        "y = RotaryEmbedding<" + attributes + ">(x, c, s" +
            std::string(hasPositions ? ", p)" : ")"),
        {{"x", randomTensor(x, 1)}, {"c", randomTensor(table, 2)}, {"s", randomTensor(table, 3)}},
        23};
    if (hasPositions) {
        opCase.feeds.emplace("p", Tensor::of<int64_t>({2, 3}, {0, 1, 2, 4, 3, 0}));
        opCase.constants = {"p"};
    }
    return opCase;
}

/// Two heads of keys [2, 3, 2 * 3], four of queries.
OpCase linear(const std::string& attributes, const std::string& inputs) {
    OpCase opCase{"y, s = LinearAttention<q_num_heads = 4, kv_num_heads = 2" + attributes + ">(" +
                      inputs + ")",
                  {{"q", randomTensor({2, 3, 12}, 1)},
                   {"k", randomTensor({2, 3, 6}, 2)},
                   {"v", randomTensor({2, 3, 4}, 3)}},
                  27};
    if (inputs.find("p,") != std::string::npos)
        opCase.feeds.emplace("p", randomTensor({2, 2, 3, 2}, 4));
    if (inputs.find("g") != std::string::npos)
        opCase.feeds.emplace("g", randomTensor({2, 3, 6}, 5, -1, 0));
    if (inputs.find("b") != std::string::npos)
        opCase.feeds.emplace("b", randomTensor({2, 3, 2}, 6, 0, 1));
    return opCase;
}

void addWithState(std::vector<GradientCase>& cases) {
    const GradientOptions known{.alsoSymbolic = false};
    cases.push_back({"linear", linear(", update_rule = \"linear\"", "q, k, v"), known});
    cases.push_back({"linear, gated",
                     linear(", update_rule = \"gated\", scale = 0.3", "q, k, v, p, g"), known});
    cases.push_back(
        {"linear, delta rule", linear(", update_rule = \"delta\"", "q, k, v, , , b"), known});
    cases.push_back({"linear, gated delta rule", linear("", "q, k, v, p, g, b"), known});
    OpCase flexible = byHead({.queryHeads = 4}, "", "q, k, v", {}, 26);
    flexible.nodes =
        "y = ai.onnx.preview.FlexAttention<scale = 0.4, "
        "score_mod = scores (float s) => (t) { t = Tanh(s) }, "
        "prob_mod = squares (float p) => (h) { h = Mul(p, p) }>(q, k, v)";
    cases.push_back({"flexible", flexible, known});
    cases.push_back({"causal convolution",
                     {"y, s = CausalConvWithState<activation = \"silu\">(x, w, b, p)",
                      {{"x", randomTensor({2, 3, 4}, 1)},
                       {"w", randomTensor({3, 1, 3}, 2)},
                       {"b", randomTensor({3}, 3)},
                       {"p", randomTensor({2, 3, 2}, 4)}},
                      27},
                     known});
    cases.push_back({"a cache that is written",
                     {"y = TensorScatter<mode = \"circular\">(c, u, i)",
                      {{"c", randomTensor({2, 2, 4, 3}, 1)},
                       {"u", randomTensor({2, 2, 2, 3}, 2)},
                       {"i", integerTensor({1, 3})}},
                      24},
                     known});
}

void addMasked(std::vector<GradientCase>& cases) {
    const GradientOptions qkv{.inputs = {"q", "k", "v"}, .alsoSymbolic = false};
    const std::string masked = "q, k, v, m";
    cases.push_back({"booleans that hide all keys of a query",
                     byHead({}, "is_causal = 0", masked, {{"m", kBlindMask}})});
    cases.push_back({"numbers that are learned, too",
                     byHead({}, "is_causal = 0", masked, {{"m", randomTensor({2, 3, 4}, 4)}})});
    cases.push_back({"numbers for all heads and a cap",
                     byHead({}, "softcap = 2.0", masked, {{"m", randomTensor({3, 4}, 4)}})});
    cases.push_back({"numbers that hide keys",
                     byHead({.queries = 1}, "is_causal = 0", masked,
                            {{"m", Tensor::of<float>({2, 1, 1, 4}, {0, kHidden, 1, 0, kHidden,
                                                                    kHidden, kHidden, kHidden})}}),
                     qkv});
    cases.push_back({"a mask that ends before the keys",
                     byHead({}, "is_causal = 1", masked, {{"m", randomTensor({3, 2}, 4)}}), qkv});
    cases.push_back(
        {"lengths of the sequences",
         byHead({}, "is_causal = 1", "q, k, v, , , , n", {{"n", integerTensor({2, 4})}}, 24), qkv});
    cases.push_back(
        {"a window", byHead({.queries = 5, .keys = 4},
                            "left_window_size = 1, right_window_size = 0", "q, k, v", {}, 25)});
}

std::vector<GradientCase> gradientCases() {
    std::vector<GradientCase> cases = {
        {"plain", byHead({}, "is_causal = 0", "q, k, v")},
        {"scaled", byHead({}, "scale = 0.3", "q, k, v")},
        {"causal", byHead({}, "is_causal = 1", "q, k, v")},
        {"grouped", byHead({.queryHeads = 6}, "is_causal = 1", "q, k, v")},
        {"one head of keys", byHead({.queryHeads = 3, .keyHeads = 1}, "softcap = 1.5", "q, k, v")},
        {"heads in the last dimension", byRow({}, ", is_causal = 1")},
        {"grouped heads in the last dimension", byRow({.queryHeads = 4}, ", softcap = 3.0")},
        {"a cache",
         byHead({}, "is_causal = 1", "q, k, v, , pk, pv",
                {{"pk", randomTensor({2, 2, 2, 5}, 4)}, {"pv", randomTensor({2, 2, 2, 3}, 5)}})},
        {"rotary", rotary("interleaved = 0", {2, 2, 3, 4}, {6, 2}, true)},
        {"rotary pairs", rotary("interleaved = 1", {2, 2, 3, 4}, {2, 3, 2}, false)},
        {"rotary of a part",
         rotary("rotary_embedding_dim = 2, num_heads = 2", {2, 3, 8}, {6, 1}, true)},
    };
    for (GradientCase& each : cases) {
        if (std::string(each.name).starts_with("rotary")) each.options.alsoSymbolic = false;
    }
    addMasked(cases);
    addWithState(cases);
    return cases;
}

/// What PyTorch computes, from make_attention_golden.py beside this file.
const std::map<std::string, Tensor>& golden() {
    static const std::map<std::string, Tensor> kArrays = readNpz(
        std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops/data/attention_golden.npz");
    return kArrays;
}

struct GoldenCase {
    const char* name;
    const char* node;
};

constexpr GoldenCase kGolden[] = {
    {"plain", "y = Attention(q, k, v)"},
    {"values_of_another_size", "y = Attention(q, k, v)"},
    {"scaled", "y = Attention<scale = 0.25>(q, k, v)"},
    {"causal", "y = Attention<is_causal = 1>(q, k, v)"},
    {"grouped", "y = Attention<is_causal = 1>(q, k, v)"},
    {"mask", "y = Attention(q, k, v, mask)"},
    {"bias", "y = Attention(q, k, v, bias)"},
    {"infinite_bias", "y = Attention(q, k, v, bias)"},
};

}  // namespace

class AttentionTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(gradientCases(), row), QString());
    }

    void rotationsOfHiddenValuesNeedTheNumberOfHeads() {
        for (const char* attributes : {"", "<num_heads = 0>", "<num_heads = -2>"}) {
            const auto graph = parseText(
                std::string(R"(<ir_version: 10, opset_import: ["" : 23]> g (float[1, 2, 8] x,
                    float[2, 4] c, float[2, 4] s, int64[1, 2] p) => (float[1, 2, 8] y) {
                    y = RotaryEmbedding)") +
                attributes + "(x, c, s, p) }");
            const std::vector<Finding> findings = inferTypes(*graph, ops().catalog);
            QCOMPARE(findings.size(), size_t{1});
            QVERIFY2(findings[0].message.find("num_heads") != std::string::npos,
                     findings[0].message.c_str());
        }
    }

    void resultsAndGradientsAreThoseOfPyTorch_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < std::size(kGolden); ++i)
            QTest::newRow(kGolden[i].name) << static_cast<int>(i);
    }
    void resultsAndGradientsAreThoseOfPyTorch() {
        QFETCH(int, row);
        const GoldenCase& each = kGolden[row];
        const std::string prefix = std::string(each.name) + "/";
        OpCase opCase{each.node, {}, 23};
        std::vector<std::string> names;
        for (const auto& [key, tensor] : golden()) {
            const std::string name = key.substr(key.find('/') + 1);
            if (!key.starts_with(prefix) || name == "y" || name == "w") continue;
            if (!golden().contains(prefix + "d" + name) && name.size() > 1 && name[0] == 'd')
                continue;
            opCase.feeds.emplace(name, tensor);
            if (golden().contains(prefix + "d" + name)) names.push_back(name);
        }
        QCOMPARE(difference(runOp(opCase).at("y"), golden().at(prefix + "y"), {1e-12, 1e-14}),
                 std::string());
        opCase.feeds.emplace("w", golden().at(prefix + "w"));
        QVERIFY(names.size() >= 3);
        for (const auto& [name, gradient] : trainingResults(opCase, names).gradients) {
            const std::string problem =
                difference(gradient, golden().at(prefix + "d" + name), {1e-10, 1e-12});
            QVERIFY2(problem.empty(), (name + ": " + problem).c_str());
        }
    }

    /// Phases of a step, recomputation and passes go by this.
    void whatReplacesANodeOfTheForwardPassIsOfThatPass() {
        const auto graph = graphOf(linear("", "q, k, v, p, g, b"));
        QVERIFY(inferTypes(*graph, ops().catalog).empty());
        QVERIFY(lowerNodes(*graph, ops().catalog,
                           [](const Node& node) { return node.opType() == "LinearAttention"; }));
        size_t inBodies = 0;
        for (const Node* node : graph->nodes()) {
            QVERIFY2(!node->isBackward(), node->name().c_str());
            if (!hasBody(*node)) continue;
            for (const Node* inner : bodyOf(*node, "body").nodes()) {
                QVERIFY2(!inner->isBackward(), inner->name().c_str());
                ++inBodies;
            }
        }
        QVERIFY(inBodies > 5);
    }

    /// If a whole row is hidden, nothing of the query comes through: neither numbers nor NaN.
    void queriesWithoutKeysGiveZeros() {
        OpCase opCase = byHead({}, "is_causal = 0", "q, k, v, m", {{"m", kBlindMask}});
        Tensor q = opCase.feeds.at("q").tensors.front().clone();
        for (float& number : q.mutableValues<float>().subspan(5, 5))
            number = std::numeric_limits<float>::quiet_NaN();
        opCase.feeds.at("q") = Feed(q);
        const Tensor y = runOp(opCase).at("y");
        for (const float number : y.values<float>().subspan(3, 3)) QCOMPARE(number, 0.0F);
        for (const float number : y.values<float>().subspan(0, 3)) QVERIFY(number == number);
    }

    /// Bodies of FlexAttention change scores and probabilities.
    void bodiesChangeScoresAndProbabilities() {
        const OpCase plain = byHead({}, "softcap = 2.0", "q, k, v");
        const std::string text = R"(
            <ir_version: 10, opset_import: ["" : 26, "ai.onnx.preview" : 1]>
            m (float[2, 2, 3, 5] q, float[2, 2, 4, 5] k, float[2, 2, 4, 3] v, float[1] c) => (y) {
                y = ai.onnx.preview.FlexAttention<
                    score_mod = scores (float[2, 2, 3, 4] s) => (t) {
                        a = Div(s, c) b = Tanh(a) t = Mul(b, c) },
                    prob_mod = halves (float[2, 2, 3, 4] p) => (h) { h = Div(p, c) }
                >(q, k, v)
            })";
        Feeds feeds = plain.feeds;
        feeds.insert({"c", Tensor::of<float>({1}, {2})});
        const Tensor y = runText(text, feeds).at("y");
        Tensor twice = y.clone();
        for (float& number : twice.mutableValues<float>()) number *= 2;
        QCOMPARE(difference(twice, runOp(plain).at("y"), {}), std::string());
    }

    void badFormsAreNamed_data() {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<int>("queryHeads");
        QTest::addColumn<QString>("message");
        QTest::newRow("heads that can't share") << "is_causal = 1" << 3 << "expected a multiple";
        QTest::newRow("an unknown output")
            << "qk_matmul_output_mode = 7" << 2 << "'qk_matmul_output_mode' is 7";
        QTest::newRow("a softmax of integers")
            << "softmax_precision = 7" << 2 << "'softmax_precision' is 7";
        QTest::newRow("a window before itself") << "left_window_size = -3" << 2 << "-3 and -1";
    }
    void badFormsAreNamed() {
        QFETCH(QString, attributes);
        QFETCH(int, queryHeads);
        QFETCH(QString, message);
        try {
            runOp(byHead({.queryHeads = queryHeads}, attributes.toStdString(), "q, k, v", {}, 25));
            QFAIL("it was taken");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(message), error.what());
        }
    }
};

QTEST_APPLESS_MAIN(AttentionTest)
#include "attention_test.moc"
