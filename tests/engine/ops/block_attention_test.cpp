// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "engine/autodiff/gradient_graph.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/graph_runner.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/support/recent_onnx_tests.h"

using namespace temper;
using namespace temper::test;

namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();
const std::string kPass = "fuse-attention";

/// Queries and keys that span several tiles and end within one.
struct Heads {
    int64_t queries = 70;
    int64_t keys = 150;
    int64_t queryHeads = 2;
    int64_t keyHeads = 2;
    int64_t size = 20;
    int64_t valueSize = 12;
};

OpCase attention(const Heads& heads, const std::string& attributes, const std::string& inputs,
                 Feeds more = {}, int64_t opset = 23) {
    more.insert({"q", randomTensor({2, heads.queryHeads, heads.queries, heads.size}, 1, -2, 2)});
    more.insert({"k", randomTensor({2, heads.keyHeads, heads.keys, heads.size}, 2, -2, 2)});
    more.insert({"v", randomTensor({2, heads.keyHeads, heads.keys, heads.valueSize}, 3)});
    return {"y = Attention<" + attributes + ">(" + inputs + ")", std::move(more), opset};
}

/// Pseudorandom; `blindRow`: a row of the last two dimensions that is entirely false.
Tensor booleans(const Shape& shape, int64_t blindRow = -1) {
    const Tensor numbers = randomTensor(shape, 9);
    Tensor result(DType::Bool, shape);
    const int64_t columns = shape.back(), rows = shape.size() > 1 ? shape[shape.size() - 2] : 1;
    for (int64_t i = 0; i < numbers.numElements(); ++i) {
        result.mutableValues<bool>()[i] =
            numbers.values<float>()[i] > -0.2F && i / columns % rows != blindRow;
    }
    return result;
}

/// Numbers, some of which are minus infinity.
Tensor biasThatHides(const Shape& shape, int64_t blindRow = -1) {
    Tensor bias = randomTensor(shape, 8);
    const Tensor seen = booleans(shape, blindRow);
    for (int64_t i = 0; i < bias.numElements(); ++i)
        if (!seen.values<bool>()[i]) bias.mutableValues<float>()[i] = kHidden;
    return bias;
}

struct FusedCase {
    const char* name;
    OpCase opCase;
    std::vector<std::string> inputs = {"q", "k", "v"};  ///< differentiated inputs
    bool isFused = true;
};

std::vector<FusedCase> maskedCases() {
    const std::string masked = "q, k, v, m";
    OpCase constantBias = attention({}, "scale = 0.4", masked, {{"m", randomTensor({70, 150}, 4)}});
    constantBias.constants = {"m"};
    return {
        {"booleans", attention({}, "is_causal = 0", masked, {{"m", booleans({70, 150})}})},
        {"booleans by head and a blind query",
         attention({}, "is_causal = 0", masked, {{"m", booleans({2, 2, 70, 150}, 65)}})},
        {"booleans for all queries",
         attention({}, "is_causal = 1", masked, {{"m", booleans({2, 1, 1, 150})}})},
        {"grouped heads, causal, booleans", attention({.queryHeads = 6}, "is_causal = 1", masked,
                                                      {{"m", booleans({2, 6, 70, 150}, 0)}})},
        {"booleans that end before the keys",
         attention({}, "is_causal = 0", masked, {{"m", booleans({70, 100})}})},
        {"numbers", attention({}, "is_causal = 0", masked, {{"m", randomTensor({2, 70, 150}, 4)}})},
        {"numbers that are known", constantBias},
        {"numbers that hide, a blind query and a cap",
         attention({}, "softcap = 2.0", masked, {{"m", biasThatHides({70, 150}, 3)}})},
        {"numbers that end before the keys",
         attention({.queryHeads = 4}, "is_causal = 1", masked, {{"m", biasThatHides({70, 90})}})},
        {"numbers that are learned",
         attention({}, "is_causal = 0", masked, {{"m", randomTensor({2, 70, 150}, 4)}}),
         {"q", "m"},
         false},
    };
}

/// Whether one of the nodes reads it.
bool isRead(const std::string& nodes, const std::string& name) {
    for (const char* before : {"(", ", "}) {
        for (const char* after : {")", ","})
            if (nodes.find(before + name + after) != std::string::npos) return true;
    }
    return false;
}

/// Attention as exporters write it, from queries, keys and values of `heads`.
OpCase exported(const std::string& nodes, Feeds constants = {}, const Heads& heads = {}) {
    OpCase opCase = attention(heads, "", "");
    opCase.nodes = nodes;
    opCase.opset = 18;
    constants.insert({"c", Tensor::of<float>({1}, {0.4F})});
    constants.insert({"zero", Tensor::scalar(0.0F)});
    constants.insert({"low", Tensor::scalar(std::numeric_limits<float>::lowest())});
    constants.insert({"far", Tensor::scalar(-1e9F)});
    constants.insert({"infinite", Tensor::scalar(kHidden)});
    for (auto& [name, feed] : constants) {
        if (!isRead(nodes, name)) continue;
        opCase.constants.push_back(name);
        opCase.feeds.insert({name, std::move(feed)});
    }
    return opCase;
}

OpCase withFeed(OpCase opCase, const std::string& name, Tensor tensor) {
    opCase.feeds.insert({name, std::move(tensor)});
    return opCase;
}

OpCase withKeys(OpCase opCase, const Shape& shape) {
    opCase.feeds.at("k") = randomTensor(shape, 2, -2, 2);
    return opCase;
}

OpCase withConstant(OpCase opCase, const std::string& name) {
    opCase.constants.push_back(name);
    return opCase;
}

/// 0 if a key is seen, `low` if not: those up to `after` after the query, from `before` before it.
Tensor bandOf(const Shape& shape, int64_t before, int64_t after, float low) {
    Tensor bias(DType::Float32, shape);
    const int64_t keys = shape.back(), queries = shape[shape.size() - 2];
    for (int64_t i = 0; i < bias.numElements(); ++i) {
        const int64_t gap = i % keys - i / keys % queries;
        bias.mutableValues<float>()[i] = gap < -before || gap > after ? low : 0;
    }
    return bias;
}

/// Attention whose keys are [..., size, keys] when they are multiplied, without a Transpose.
std::vector<FusedCase> keysBySizeCases() {
    const std::string end = "p = Softmax<axis = -1>(h) y = MatMul(p, v)",
                      products = "a = MatMul(q, k) h = Mul(a, c) " + end;
    const Shape bySize = {2, 2, 20, 150};
    return {
        {"keys by size", withKeys(exported(products), bySize)},
        {"keys by size, only keys learn", withKeys(exported(products), bySize), {"k"}},
        {"keys by size, causal",
         withKeys(exported("a = MatMul(q, k) s = Mul(a, c) h = Add(s, m) " + end,
                           {{"m", bandOf({70, 150}, 100, 0, kHidden)}}),
                  bySize)},
        {"keys by size, known",
         withConstant(withKeys(exported(products), bySize), "k"),
         {"q", "v"}},
        {"a known Transpose of keys, scaled",
         withConstant(exported("t = Transpose<perm = [0, 1, 3, 2]>(k) a = Mul(q, c) "
                               "b = Mul(t, c) h = MatMul(a, b) " +
                               end),
                      "k"),
         {"q", "v"}},
        {"keys by size from a product, reshaped and scaled",
         withFeed(withKeys(exported("x = MatMul(w1, k) r = Reshape(x, whole) b = Mul(r, c) "
                                    "h = MatMul(q, b) " +
                                        end,
                                    {{"whole", integerTensor({2, 2, 20, 150})}}),
                           {4, 6, 150}),
                  "w1", randomTensor({20, 6}, 5))},
        {"a Transpose that leaves keys by size",
         withKeys(exported("t = Transpose<perm = [1, 0, 2, 3]>(k) a = MatMul(q, t) "
                           "h = Mul(a, c) " +
                           end),
                  bySize)},
        {"a Transpose without perm",
         withKeys(exported("t = Transpose(k) a = MatMul(q, t) h = Mul(a, c) " + end),
                  {150, 20, 2, 2})},
        {"keys repeated for groups of queries",
         withKeys(exported("u = Unsqueeze(k, two) e = Expand(u, groups) r = Reshape(e, heads) "
                           "t = Transpose<perm = [0, 1, 3, 2]>(r) a = MatMul(q, t) "
                           "h = Mul(a, c) " +
                               end,
                           {{"two", integerTensor({2})},
                            {"groups", integerTensor({2, 1, 2, 150, 20})},
                            {"heads", integerTensor({2, 2, 150, 20})}}),
                  {2, 1, 150, 20})},
    };
}

std::vector<FusedCase> exportedCases() {
    const std::string turned = "t = Transpose<perm = [0, 1, 3, 2]>(k) ",
                      scaled = turned + "a = MatMul(q, t) s = Mul(a, c) ",
                      end = "p = Softmax<axis = -1>(h) y = MatMul(p, v)",
                      guarded =
                          "p = Softmax<axis = -1>(h) n = IsNaN(p) "
                          "g = Where(n, zero, p) y = MatMul(g, v)";
    const std::string both =
        "r = Reshape(k, flat) t = Transpose<perm = [0, 2, 1]>(r) u = Reshape(t, whole) "
        "a = Mul(q, c) b = Mul(u, c) ";
    const Feeds shapes = {{"flat", integerTensor({-1, 150, 20})},
                          {"whole", integerTensor({2, 2, 20, 150})}};
    const std::string triangle =
        "e = Expand(one, sizes) l = Trilu<upper = 0>(e, diagonal) "
        "o = Equal(l, zero) m = Where(o, low, zero) ";
    const auto causal = [&](int64_t diagonal) {
        return Feeds{{"one", Tensor::of<float>({1}, {1.0F})},
                     {"sizes", integerTensor({70, 150})},
                     {"diagonal", Tensor::scalar(diagonal)}};
    };
    OpCase tall = exported(
        "t = Transpose<perm = [0, 2, 3, 1]>(k) d = Div(q, c) "
        "h = MatMul(d, t) " +
        end);
    tall.feeds.at("k") = randomTensor({2, 150, 2, 20}, 2, -1, 1);
    OpCase flat =
        exported("t = Transpose<perm = [1, 2, 0]>(k) a = Mul(q, c) h = MatMul(a, t) " + end);
    flat.feeds.at("q") = randomTensor({4, 70, 20}, 1, -2, 2);
    flat.feeds.at("k") = randomTensor({150, 4, 20}, 2, -2, 2);
    flat.feeds.at("v") = randomTensor({4, 150, 12}, 3);
    OpCase spread = exported(
        "t = Transpose<perm = [0, 2, 1]>(k) a = MatMul(q, t) f = Reshape(a, whole) "
        "s = Mul(f, c) h = Add(s, m) p = Softmax<axis = -1>(h) g = Reshape(p, flat) "
        "y = MatMul(g, v)",
        {{"whole", integerTensor({2, 2, 70, 150})}, {"flat", integerTensor({4, 70, 150})}});
    spread.feeds.at("q") = flat.feeds.at("q");
    spread.feeds.at("k") = randomTensor({4, 150, 20}, 2, -2, 2);
    spread.feeds.at("v") = flat.feeds.at("v");
    return {
        {"PyTorch's", exported(both + "h = MatMul(a, b) " + end, shapes)},
        {"PyTorch's, keys by tokens", tall},
        {"PyTorch's, causal, computed",
         exported(both + triangle + "s = MatMul(a, b) h = Add(s, m) " + end,
                  [&] {
                      Feeds all = causal(0);
                      all.insert(shapes.begin(), shapes.end());
                      return all;
                  }())},
        {"causal from another place",
         exported(scaled + triangle + "h = Add(m, s) " + end, causal(9))},
        {"an upper triangle of booleans",
         exported(scaled +
                      "e = Expand(one, sizes) m = Trilu(e, diagonal) "
                      "h = Where(m, infinite, s) " +
                      end,
                  {{"one", Tensor::of<bool>({1}, {true})},
                   {"sizes", integerTensor({70, 150})},
                   {"diagonal", Tensor::scalar(int64_t{1})}})},
        {"causal, known",
         exported(scaled + "h = Add(s, m) " + end, {{"m", bandOf({70, 150}, 100, 0, kHidden)}})},
        {"a window that is known",
         exported(scaled + "h = Add(s, m) " + guarded,
                  {{"m", bandOf({2, 1, 70, 150}, 20, 5, std::numeric_limits<float>::lowest())}})},
        {"numbers that hide no run of keys",
         exported(scaled + "h = Add(s, m) " + end, {{"m", biasThatHides({70, 150})}})},
        {"booleans", withFeed(exported(scaled + "b = Where(m, zero, low) h = Add(s, b) " + guarded),
                              "m", booleans({2, 1, 70, 150}))},
        {"booleans and what is known",
         withFeed(exported(scaled +
                               "f = Not(known) e = And(f, m) b = Where(e, zero, infinite) "
                               "h = Add(s, b) " +
                               guarded,
                           {{"known", bandOf({1, 1, 70, 150}, 200, 80, 1).cast(DType::Bool)}}),
                  "m", booleans({2, 1, 1, 150}))},
        {"booleans that hide", withFeed(exported(scaled + "h = Where(m, infinite, s) " + end), "m",
                                        booleans({2, 1, 1, 150}))},
        {"a scale by division, numbers",
         withFeed(exported(turned + "a = MatMul(q, t) s = Div(a, c) h = Add(s, m) " + end), "m",
                  randomTensor({2, 1, 1, 150}, 4))},
        {"three dimensions", flat},
        {"three dimensions, masked in four",
         withFeed(spread, "m", randomTensor({2, 1, 1, 150}, 4))},
        {"only keys learn", tall, {"k"}},
        {"copies between",
         exported(turned + "d = CastLike(c, q) i = Identity(t) a = MatMul(q, i) s = Mul(a, d) "
                           "h = CastLike(s, q) p = Softmax<axis = -1>(h) e = CastLike(p, q) "
                           "f = Identity(e) g = Dropout(f) y = MatMul(g, v)")},
        {"-1e9 in place of scores", withFeed(exported(scaled + "h = Where(m, s, far) " + end), "m",
                                             booleans({2, 1, 70, 150}))},
        {"-1e9 in place of scores plus a bias",
         withFeed(withFeed(exported(scaled + "b = Add(s, n) h = Where(m, b, far) " + end), "m",
                           booleans({2, 1, 70, 150})),
                  "n", randomTensor({70, 150}, 4)),
         {"q", "k", "v"},
         false},
        {"a scale of the bias, too",
         withFeed(exported(turned + "a = MatMul(q, t) s = Add(a, m) h = Mul(s, c) " + end), "m",
                  randomTensor({70, 150}, 4)),
         {"q", "k", "v"},
         false},
    };
}

std::vector<FusedCase> fusedCases() {
    std::vector<FusedCase> cases = {
        {"plain", attention({}, "is_causal = 0", "q, k, v")},
        {"of small sizes",
         attention({.queries = 3, .keys = 5, .size = 3, .valueSize = 2}, "scale = 0.3", "q, k, v")},
        {"one query and one key", attention({.queries = 1, .keys = 1}, "softcap = 1.0", "q, k, v")},
        {"whole tiles", attention({.queries = 128, .keys = 256, .size = 64, .valueSize = 64},
                                  "is_causal = 1", "q, k, v")},
        {"causal", attention({.queries = 200, .keys = 200}, "is_causal = 1", "q, k, v")},
        {"causal, more queries than keys",
         attention({.queries = 200, .keys = 40}, "is_causal = 1", "q, k, v")},
        {"a cap", attention({}, "softcap = 1.5", "q, k, v")},
        {"grouped", attention({.queryHeads = 6}, "is_causal = 1", "q, k, v")},
        {"one head of keys, a cap",
         attention({.queryHeads = 3, .keyHeads = 1}, "softcap = 1.5", "q, k, v")},
        {"only queries learn", attention({}, "is_causal = 0", "q, k, v"), {"q"}},
        {"only keys learn", attention({}, "is_causal = 1", "q, k, v"), {"k"}},
        {"all but values learn", attention({}, "is_causal = 0", "q, k, v"), {"q", "k"}},
        {"a cache",
         attention(
             {.queries = 70, .keys = 70}, "is_causal = 1", "q, k, v, , pk, pv",
             {{"pk", randomTensor({2, 2, 90, 20}, 4)}, {"pv", randomTensor({2, 2, 90, 12}, 5)}}),
         {"q", "k", "v", "pk", "pv"}},
        {"lengths of the sequences",
         attention({}, "is_causal = 1", "q, k, v, , , , n", {{"n", integerTensor({90, 31})}}, 24)},
        {"lengths, not causal",
         attention({}, "is_causal = 0", "q, k, v, , , , n", {{"n", integerTensor({150, 0})}}, 24)},
        {"a window", attention({.queries = 150}, "left_window_size = 20, right_window_size = 7",
                               "q, k, v", {}, 25)},
        {"a softmax of another type",
         attention({}, "softmax_precision = 11", "q, k, v"),
         {"q", "k", "v"},
         false},
    };
    for (FusedCase& each : maskedCases()) cases.push_back(std::move(each));
    for (FusedCase& each : keysBySizeCases()) cases.push_back(std::move(each));
    for (FusedCase& each : exportedCases()) cases.push_back(std::move(each));
    return cases;
}

/// y, and the gradients of sum(w y) by some of the inputs, w being fed as well.
std::unique_ptr<Graph> trainingGraph(const OpCase& opCase, const std::vector<std::string>& inputs) {
    OpCase weighted = opCase;
    weighted.nodes += " z = Mul(y, w) loss = ReduceSum<keepdims = 0>(z)";
    auto graph = graphOf(weighted);
    inferTypes(*graph, ops().catalog);
    std::vector<Value*> parameters;
    for (const std::string& name : inputs) parameters.push_back(graph->at(name));
    Value* loss = graph->at("loss");
    applyTrainingForms(*graph, ops().catalog, ops().gradients, loss, parameters);
    std::vector<Value*> outputs = {graph->at("y")};
    for (Value* gradient :
         buildGradients(*graph, ops().catalog, ops().gradients, loss, parameters)) {
        outputs.push_back(gradient);
    }
    graph->setOutputs(outputs);
    graph->removeUnused();
    return graph;
}

OpCase withWeights(OpCase opCase) {
    const Tensor y = runOp(opCase).at("y");
    opCase.feeds.insert({"w", randomTensor(y.shape(), 7)});
    return opCase;
}

std::vector<Tensor> runWith(const Graph& graph, const Feeds& feeds, int threads,
                            const std::vector<std::string>& without) {
    ThreadPool pool(threads);
    GraphRunner runner(graph.clone(), ops().catalog, ops().cpuKernels, std::make_shared<Arena>(),
                       pool, {.withoutPasses = without, .isAttentionAlwaysInBlocks = true});
    std::vector<Tensor> fed;
    for (const std::string& name : runner.fedInputs())
        fed.push_back(feeds.at(name).tensors.front());
    std::vector<Tensor> results;
    for (const Tensor& result : runner.run(fed)) results.push_back(result.clone());
    return results;
}

std::set<std::string> operatorsOf(const Graph& graph, const Feeds& feeds) {
    InputTypes types;
    for (const Value* input : graph.inputs()) {
        const Tensor& tensor = feeds.at(input->name()).tensors.front();
        types[input->name()] = {{tensor.dtype(), tensor.shape()}};
    }
    const auto plan = ExecutionPlan::compile(graph, types, ops().catalog, ops().cpuKernels,
                                             {.isAttentionAlwaysInBlocks = true});
    std::set<std::string> operators;
    for (const auto& step : plan->steps()) operators.insert(step.op);
    return operators;
}

double lossOf(const OpCase& weighted) {
    double loss = 0;
    const Tensor y = runOp(weighted).at("y");
    const Tensor& w = weighted.feeds.at("w").tensors.front();
    for (int64_t i = 0; i < y.numElements(); ++i)
        loss += y.values<double>()[i] * w.values<double>()[i];
    return loss;
}

/// The case in float64, which compiles to simple operators.
OpCase widened(OpCase opCase) {
    for (auto& [name, feed] : opCase.feeds) {
        Tensor& tensor = feed.tensors.front();
        if (tensor.dtype() == DType::Float32) tensor = tensor.cast(DType::Float64);
    }
    return opCase;
}

}  // namespace

/// Attention in blocks (the pass fuse-attention) compared with the operators that it replaces.
class BlockAttentionTest : public QObject {
    Q_OBJECT

private slots:
    void resultsAndGradientsAreThoseOfSimpleOperators_data() { addCases(); }
    void resultsAndGradientsAreThoseOfSimpleOperators() {
        QFETCH(int, row);
        const FusedCase each = fusedCases()[static_cast<size_t>(row)];
        const OpCase weighted = withWeights(each.opCase);
        const auto graph = trainingGraph(weighted, each.inputs);
        const auto operators = operatorsOf(*graph, weighted.feeds);
        QCOMPARE(operators.contains("temper.BlockAttention"), each.isFused);
        QCOMPARE(operators.contains("temper.BlockAttentionGrad"), each.isFused);
        const auto found = runWith(*graph, weighted.feeds, 1, {}),
                   expected = runWith(*graph, weighted.feeds, 1, {kPass}),
                   others = runWith(*graph, weighted.feeds, 3, {});
        for (size_t i = 0; i < found.size(); ++i) {
            const std::string problem = difference(found[i], expected[i], {2e-5, 2e-5});
            QVERIFY2(problem.empty(), (graph->outputs()[i]->name() + ": " + problem).c_str());
            QVERIFY(std::equal(found[i].data(), found[i].data() + found[i].byteSize(),
                               others[i].data()));
        }
    }

    void gradientsAreFiniteDifferencesInFloat64_data() { addCases(); }
    void gradientsAreFiniteDifferencesInFloat64() {
        QFETCH(int, row);
        const FusedCase each = fusedCases()[static_cast<size_t>(row)];
        const OpCase weighted = withWeights(each.opCase);
        const auto graph = trainingGraph(weighted, each.inputs);
        const auto gradients = runWith(*graph, weighted.feeds, 2, {});
        OpCase wide = widened(weighted);
        for (size_t i = 0; i < each.inputs.size(); ++i) {
            Tensor& input = wide.feeds.at(each.inputs[i]).tensors.front();
            constexpr double kStep = 1e-4;
            const int64_t count = input.numElements(), step = std::max<int64_t>(1, count / 5 - 1);
            for (int64_t at = 0; at < count; at += step) {
                const double before = input.values<double>()[at];
                input.mutableValues<double>()[at] = before + kStep;
                const double above = lossOf(wide);
                input.mutableValues<double>()[at] = before - kStep;
                const double below = lossOf(wide);
                input.mutableValues<double>()[at] = before;
                const double expected = (above - below) / (2 * kStep);
                const double found = gradients[i + 1].values<float>()[at];
                QVERIFY2(std::abs(found - expected) <= 2e-5 + 2e-5 * std::abs(expected),
                         qPrintable(QString("%1[%2]: %3, not %4")
                                        .arg(QString::fromStdString(each.inputs[i]))
                                        .arg(at)
                                        .arg(found)
                                        .arg(expected)));
            }
        }
    }

    /// Without Attention's own rule of zeros, a query that sees no key gives the mean of the
    /// values, and zeros if PyTorch guards the softmax. (The simple operators' gradient has no
    /// value there.)
    void queriesWithoutKeysAreAsTheSoftmaxHasThem_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<bool>("isGuarded");
        const QString products = "t = Transpose<perm = [0, 1, 3, 2]>(k) s = MatMul(q, t) ",
                      end = "p = Softmax<axis = -1>(h) y = MatMul(p, v)";
        QTest::newRow("in place of scores") << products + "h = Where(m, s, low) " + end << false;
        QTest::newRow("-1e9 in place of scores")
            << products + "h = Where(m, s, far) " + end << false;
        QTest::newRow("added to scores")
            << products + "b = Where(m, zero, low) h = Add(s, b) " + end << false;
        QTest::newRow("guarded") << products +
                                        "b = Where(m, zero, infinite) h = Add(s, b) "
                                        "p = Softmax<axis = -1>(h) n = IsNaN(p) "
                                        "g = Where(n, zero, p) y = MatMul(g, v)"
                                 << true;
    }
    void queriesWithoutKeysAreAsTheSoftmaxHasThem() {
        QFETCH(QString, nodes);
        QFETCH(bool, isGuarded);
        const OpCase weighted =
            withWeights(withFeed(exported(nodes.toStdString()), "m", booleans({70, 150}, 65)));
        const auto graph = trainingGraph(weighted, {"q", "k", "v"});
        QVERIFY(operatorsOf(*graph, weighted.feeds).contains("temper.BlockAttentionGrad"));
        const auto found = runWith(*graph, weighted.feeds, 1, {}),
                   expected = runWith(*graph, weighted.feeds, 1, {kPass});
        for (size_t i = 0; i < (isGuarded ? 1 : found.size()); ++i)
            QCOMPARE(difference(found[i], expected[i], {2e-5, 2e-5}), std::string());
        if (!isGuarded) return;
        for (const Tensor& result : found) {
            QVERIFY(std::ranges::all_of(result.values<float>(),
                                        [](float number) { return std::isfinite(number); }));
        }
    }

    /// A mask that adds large numbers to all scores of a query does not make its softmax less
    /// exact.
    void largeNumbersForAllKeysCostNoPrecision() {
        Tensor bias = randomTensor({70, 150}, 4);
        for (int64_t i = 0; i < 150; ++i) bias.mutableValues<float>()[65 * 150 + i] = -1e7F;
        const OpCase weighted =
            withWeights(attention({}, "scale = 0.3", "q, k, v, m", {{"m", bias}}));
        const auto graph = trainingGraph(weighted, {"q", "k", "v"});
        const auto found = runWith(*graph, weighted.feeds, 1, {}),
                   expected = runWith(*graph, weighted.feeds, 1, {kPass});
        for (size_t i = 0; i < found.size(); ++i)
            QCOMPARE(difference(found[i], expected[i], {2e-5, 2e-5}), std::string());
    }

    /// Known keys are transposed when the plan is made, not when it runs.
    void knownKeysAreNotTransposedInRuns_data() {
        QTest::addColumn<bool>("isKnown");
        QTest::newRow("known") << true;
        QTest::newRow("fed") << false;
    }
    void knownKeysAreNotTransposedInRuns() {
        QFETCH(bool, isKnown);
        OpCase opCase =
            withKeys(exported("h = MatMul(q, k) p = Softmax<axis = -1>(h) y = MatMul(p, v)"),
                     {2, 2, 20, 150});
        if (isKnown) opCase = withConstant(opCase, "k");
        const auto operators = operatorsOf(*graphOf(opCase), opCase.feeds);
        QVERIFY(operators.contains("temper.BlockAttention"));
        QCOMPARE(operators.contains("Transpose"), !isKnown);
    }

    /// What changes nothing does not hide an attention; what rounds or drops must stay.
    void onlyCopiesAreSkipped_data() {
        QTest::addColumn<QString>("between");
        QTest::addColumn<bool>("isCopy");
        QTest::newRow("a Cast to the same type") << "g = Cast<to = 1>(p)" << true;
        QTest::newRow("a Cast that rounds") << "f = Cast<to = 10>(p) g = Cast<to = 1>(f)" << false;
        QTest::newRow("a Dropout that does not train") << "g = Dropout(p, half, no)" << true;
        QTest::newRow("a Dropout that trains") << "g = Dropout(p, half, yes)" << false;
        QTest::newRow("a Dropout whose mask is read") << "g, mask = Dropout(p, half)" << false;
    }
    void onlyCopiesAreSkipped() {
        QFETCH(QString, between);
        QFETCH(bool, isCopy);
        const OpCase opCase = exported(
            "t = Transpose<perm = [0, 1, 3, 2]>(k) h = MatMul(q, t) "
            "p = Softmax<axis = -1>(h) " +
                between.toStdString() + " y = MatMul(g, v)",
            {{"half", Tensor::scalar(0.5F)},
             {"no", Tensor::scalar(false)},
             {"yes", Tensor::scalar(true)}});
        const auto operators = operatorsOf(*graphOf(opCase), opCase.feeds);
        QCOMPARE(operators.contains("temper.BlockAttention"), isCopy);
    }

    /// Values that are read outside must exist.
    void scoresThatAreReadKeepTheOperators() {
        OpCase opCase = attention({}, "is_causal = 1", "q, k, v");
        opCase.nodes = "y, a, b, s = Attention<qk_matmul_output_mode = 3>(q, k, v)";
        const auto operators = operatorsOf(*graphOf(opCase), opCase.feeds);
        QVERIFY(!operators.contains("temper.BlockAttention"));
    }

    /// Few scores are kept: recomputing them would cost time.
    void shortSequencesKeepTheOperators_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<bool>("isInBlocks");
        QTest::newRow("short, plain") << 512 << "is_causal = 0" << false;
        QTest::newRow("long, plain") << 1024 << "is_causal = 0" << true;
        QTest::newRow("short, causal") << 511 << "is_causal = 1" << false;
        QTest::newRow("long, causal") << 512 << "is_causal = 1" << true;
    }
    void shortSequencesKeepTheOperators() {
        QFETCH(int, tokens);
        QFETCH(QString, attributes);
        QFETCH(bool, isInBlocks);
        const OpCase opCase = attention({.queries = tokens, .keys = tokens, .size = 4},
                                        attributes.toStdString(), "q, k, v");
        InputTypes types;
        for (const auto& [name, feed] : opCase.feeds)
            types[name] = {{DType::Float32, feed.tensors.front().shape()}};
        const auto plan =
            ExecutionPlan::compile(*graphOf(opCase), types, ops().catalog, ops().cpuKernels);
        QCOMPARE(
            std::ranges::any_of(
                plan->steps(), [](const auto& step) { return step.op == "temper.BlockAttention"; }),
            isInBlocks);
    }

    /// Twice the tokens take twice the memory, and the plan holds no buffer of the scores' size.
    void memoryGrowsWithTheTokens_data() {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<bool>("hasLengths");
        QTest::newRow("plain") << "is_causal = 0" << false;
        QTest::newRow("causal") << "is_causal = 1" << false;
        QTest::newRow("causal, lengths") << "is_causal = 1" << true;
        QTest::newRow("causal, PyTorch's") << "" << false;
    }
    void memoryGrowsWithTheTokens() {
        QFETCH(QString, attributes);
        QFETCH(bool, hasLengths);
        const auto bytesFor = [&](int64_t tokens) {
            Feeds more;
            if (hasLengths) more.insert({"n", integerTensor({tokens, tokens / 2})});
            OpCase opCase = attention({.queries = tokens, .keys = tokens}, attributes.toStdString(),
                                      hasLengths ? "q, k, v, , , , n" : "q, k, v", more, 24);
            if (attributes.isEmpty()) {
                opCase = exported(
                    "t = Transpose<perm = [0, 1, 3, 2]>(k) s = MatMul(q, t) "
                    "e = Expand(one, sizes) l = Trilu<upper = 0>(e) o = Equal(l, zero) "
                    "m = Where(o, infinite, zero) h = Add(s, m) p = Softmax<axis = -1>(h) "
                    "y = MatMul(p, v)",
                    {{"one", Tensor::scalar(1.0F)}, {"sizes", integerTensor({tokens, tokens})}},
                    {.queries = tokens, .keys = tokens});
            }
            opCase.feeds.insert({"w", Tensor(DType::Float32, {2, 2, tokens, 12})});
            const auto graph = trainingGraph(opCase, {"q", "k", "v"});
            InputTypes types;
            for (const Value* input : graph->inputs()) {
                const Tensor& tensor = opCase.feeds.at(input->name()).tensors.front();
                types[input->name()] = {{tensor.dtype(), tensor.shape()}};
            }
            const auto plan =
                ExecutionPlan::compile(*graph, types, ops().catalog, ops().cpuKernels);
            size_t bytes = plan->arenaBytes();
            for (const auto& buffer : plan->buffers())
                if (buffer.kind == ExecutionPlan::BufferKind::Constant)
                    bytes += buffer.constant.byteSize();
            return static_cast<double>(bytes);
        };
        const double once = bytesFor(1024), twice = bytesFor(2048);
        QVERIFY2(twice < 2.1 * once, qPrintable(QString("%1 and %2").arg(once).arg(twice)));
    }

    /// The plans that onnx_node_test runs for ONNX's tests of Attention are in blocks, unless
    /// scores are outputs or the softmax has another type.
    void plansOfOnnxTestsAreInBlocks() {
        const std::filesystem::path root = recentOnnxTests();
        if (root.empty()) QSKIP("ONNX's operator tests are not here");
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(root)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("test_attention_") || name.ends_with("_expanded")) continue;
            const auto model = loadModel(entry.path() / "model.onnx");
            const Node* node = model->nodes().front();
            if (node->output(3) != nullptr || node->hasAttribute("softmax_precision")) continue;
            InputTypes types;
            for (const Value* input : model->inputs()) {
                Shape shape;
                for (const Dim& dim : *input->type().shape) shape.push_back(dim.value);
                types[input->name()] = {{input->type().dtype, shape}};
            }
            const auto plan = ExecutionPlan::compile(*model, types, ops().catalog, ops().cpuKernels,
                                                     {.isAttentionAlwaysInBlocks = true});
            const bool isInBlocks = std::ranges::any_of(
                plan->steps(), [](const auto& step) { return step.op == "temper.BlockAttention"; });
            QVERIFY2(isInBlocks, name.c_str());
            ++count;
        }
        qInfo("%d tests of ONNX", count);
        QVERIFY(count > 0);
    }

    /// No file should have these operators, but one might.
    void badNodesAreNamed_data() {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<QString>("inputs");
        QTest::addColumn<QString>("message");
        QTest::newRow("no heads") << "batch = 2"
                                  << "q, k, v"
                                  << "for 0 heads";
        QTest::newRow("heads that can't share") << "batch = 2, heads = 3"
                                                << "q, k, v"
                                                << "for 3 heads";
        QTest::newRow("values of another length") << "batch = 2, heads = 2"
                                                  << "q, k, q"
                                                  << "groups of heads that share keys";
        QTest::newRow("a bias that does not fit") << "batch = 2, heads = 2"
                                                  << "q, k, v, q"
                                                  << "broadcasts to the scores' [2, 2, 3, 4]";
        QTest::newRow("a mask that does not fit") << "batch = 2, heads = 2, hides = 1"
                                                  << "q, k, v, , m"
                                                  << "broadcasts to the scores' [2, 2, 3, 4]";
        QTest::newRow("positions that are missing")
            << "batch = 2, heads = 2, hides = 1, strict = [0]"
            << "q, k, v"
            << "is missing";
        QTest::newRow("positions by key and query")
            << "batch = 2, heads = 2, hides = 1, strict = [0]"
            << "q, k, v, , , p, p"
            << "one position per key";
        QTest::newRow("no bias that could hide")
            << "batch = 2, heads = 2, hides = 1, infinite_hides = 1"
            << "q, k, v"
            << "is missing";
    }
    void badNodesAreNamed() {
        QFETCH(QString, attributes);
        QFETCH(QString, inputs);
        QFETCH(QString, message);
        const std::string text =
            "<ir_version: 8, opset_import: [\"\": 17, \"temper\": 1]> g (float[2, 2, 3, 5] q, "
            "float[2, 2, 4, 5] k, float[2, 2, 4, 6] v, bool[4, 4] m, int64[3, 4] p) => (y) { "
            "y = temper.BlockAttention<" +
            attributes.toStdString() + ">(" + inputs.toStdString() + ") }";
        try {
            runText(text, {{"q", randomTensor({2, 2, 3, 5})},
                           {"k", randomTensor({2, 2, 4, 5})},
                           {"v", randomTensor({2, 2, 4, 6})},
                           {"m", booleans({4, 4})},
                           {"p", Tensor(DType::Int64, {3, 4})}});
            QFAIL("it was taken");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(message), error.what());
        }
    }

private:
    static void addCases() {
        QTest::addColumn<int>("row");
        const auto cases = fusedCases();
        for (size_t i = 0; i < cases.size(); ++i)
            QTest::newRow(cases[i].name) << static_cast<int>(i);
    }
};

QTEST_APPLESS_MAIN(BlockAttentionTest)
#include "block_attention_test.moc"
