// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <filesystem>

#include "engine/autodiff/trainability.h"
#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"

using namespace temper;
using namespace temper::test;

namespace {

Tensor number(int64_t value) { return Tensor::scalar<int64_t>(value); }

/// The data determine the number of layers, which share their weights.
OpCase layers(int64_t trips, int64_t opset = 17) {
    return {R"(y = Loop<body = step (i, c, s) => (go, next) {
                   go = Identity(c) p = MatMul(s, w) q = Add(p, b) next = Tanh(q)
               }>(m, yes, x))",
            {{"m", number(trips)},
             {"yes", Tensor::scalar<bool>(true)},
             {"x", randomTensor({4, 3}, 1)},
             {"w", randomTensor({3, 3}, 2)},
             {"b", randomTensor({3}, 3)}},
            opset};
}

/// Doubles until the sum is large enough.
OpCase untilLarge(float limit) {
    return {R"(y, n = Loop<body = step (i, c, s, k) => (go, next, k2) {
                   a = Mul(s, s) b = Mul(a, w) next = Add(s, b)
                   total = ReduceSum<keepdims = 0>(next) go = Less(total, limit)
                   k2 = Add(k, one)
               }>("", start, x, zero)
               z = Mul(y, x))",
            {{"start", Tensor::scalar<bool>(true)},
             {"x", randomTensor({2, 3}, 1, 0.5F, 1.0F)},
             {"w", randomTensor({3}, 2, 0.5F, 1.0F)},
             {"limit", Tensor::scalar(limit)},
             {"zero", number(0)},
             {"one", number(1)}},
            17};
}

/// Rows of a sequence, one per iteration, and the outputs of all iterations.
OpCase rows(int64_t trips) {
    return {R"(h, ys, zs = Loop<body = step (i, c, s) => (go, next, y, z) {
                   go = Identity(c) row = Gather(x, i) p = Mul(row, w) q = Add(s, p)
                   next = Sin(q) y = Mul(next, s) z = Exp(p)
               }>(m, "", h0))",
            {{"m", number(trips)},
             {"h0", randomTensor({3}, 1)},
             {"x", randomTensor({5, 3}, 2)},
             {"w", randomTensor({3}, 3)}},
            17};
}

/// Nothing is carried: the body is a map.
OpCase mapping() {
    return {R"(ys = Loop<body = step (i, c) => (go, y) {
                   go = Identity(c) row = Gather(x, i) y = Mul(row, row)
               }>(m, ""))",
            {{"m", number(3)}, {"x", randomTensor({3, 2}, 1)}},
            17};
}

/// Weights are carried unchanged, two states swap places, and one counts.
OpCase carrying() {
    return {R"(a2, wn, b2, n = Loop<body = step (i, c, a, v, b, k) => (go, b3, v2, a3, k2) {
                   go = Identity(c) v2 = Identity(v) f = CastLike(k, a) g = Mul(a, f)
                   a3 = Add(g, v) b3 = Mul(b, v) k2 = Add(k, one)
               }>(m, "", a1, w, b1, one))",
            {{"m", number(3)},
             {"a1", randomTensor({2, 3}, 1)},
             {"w", randomTensor({3}, 2)},
             {"b1", randomTensor({2, 3}, 3)},
             {"one", number(1)}},
            17};
}

/// The state is read only in a way that has no derivative, and its gradient passes through.
OpCase passingBy() {
    return {R"(y, z = Loop<body = step (i, c, s, t) => (go, s2, t2) {
                   go = Identity(c) r = Floor(s) s2 = Mul(r, w) u = Mul(t, w) t2 = Add(u, s2)
               }>(m, "", x, v))",
            {{"m", number(2)},
             {"x", randomTensor({3}, 1, 1.2F, 1.8F)},
             {"w", randomTensor({3}, 2, 1.1F, 1.4F)},
             {"v", randomTensor({3}, 3)}},
            17};
}

/// Conditions, a Loop and a Scan in the body, which read states and outer values.
OpCase conditionInside(int64_t trips) {
    return {R"(y = Loop<body = step (i, c, s) => (go, next) {
                   go = Identity(c) m1 = ReduceMean<keepdims = 0>(s) positive = Greater(m1, zero)
                   next = If<then_branch = a () => (t) { p = Mul(s, w) t = Sub(p, one) },
                             else_branch = e () => (u) { q = Mul(s, v) u = Add(q, one) }>(positive)
               }>(m, "", x))",
            {{"m", number(trips)},
             {"x", randomTensor({2, 3}, 1)},
             {"w", randomTensor({3}, 2)},
             {"v", randomTensor({3}, 3)},
             {"zero", Tensor::scalar(0.0F)},
             {"one", Tensor::scalar(1.0F)}},
            17};
}

OpCase loopInside() {
    return {R"(y, all = Loop<body = step (i, c, s) => (go, next, h) {
                   go = Identity(c) k = Add(i, one) h = Mul(s, w)
                   next = Loop<body = inner (j, d, t) => (go2, t2) {
                       go2 = Identity(d) p = MatMul(t, v) q = Add(p, h) t2 = Tanh(q)
                   }>(k, "", h)
               }>(m, "", x))",
            {{"m", number(3)},
             {"x", randomTensor({2, 3}, 1)},
             {"w", randomTensor({3}, 2)},
             {"v", randomTensor({3, 3}, 3)},
             {"one", number(1)}},
            17};
}

OpCase scanInside() {
    return {R"(y = Loop<body = step (i, c, s) => (go, next) {
                   go = Identity(c)
                   last, next = Scan<num_scan_inputs = 1, body = row (h, xt) => (h2, z) {
                       p = Mul(xt, w) h2 = Add(h, p) z = Tanh(h2)
                   }>(h0, s)
               }>(m, "", x))",
            {{"m", number(2)},
             {"x", randomTensor({4, 3}, 1)},
             {"w", randomTensor({3}, 2)},
             {"h0", randomTensor({3}, 3)}},
            17};
}

OpCase inCondition(bool condition) {
    return {R"(y = If<then_branch = a () => (t) {
                       t = Loop<body = step (i, c, s) => (go, next) {
                           go = Identity(c) p = Mul(s, w) next = Sin(p)
                       }>(m, "", x)
                   },
                   else_branch = e () => (u) { u = Mul(x, v) }>(k))",
            {{"k", Tensor::scalar<bool>(condition)},
             {"m", number(3)},
             {"x", randomTensor({2, 3}, 1)},
             {"w", randomTensor({3}, 2)},
             {"v", randomTensor({3}, 3)}},
            17};
}

/// A form of an operator that only the backward pass needs.
OpCase trainingForm() {
    return {R"(y = Loop<body = step (i, c, s) => (go, next) {
                   go = Identity(c) p = MaxPool<kernel_shape = [2], strides = [1], pads = [0, 1]>(s)
                   next = Mul(p, w)
               }>(m, "", x))",
            {{"m", number(2)}, {"x", distinctTensor({1, 2, 5}, 1)}, {"w", distinctTensor({5}, 2)}},
            17};
}

std::vector<GradientCase> gradientCases() {
    return {
        {"layers", layers(3)},
        {"one iteration", layers(1)},
        {"no iteration", layers(0)},
        {"opset 11", layers(2, 11)},
        {"some of the inputs", layers(3), {.inputs = {"w"}}},
        {"the state alone", layers(3), {.inputs = {"x"}}},
        {"until the data are large enough", untilLarge(30), {.inputs = {"x", "w"}}},
        {"large enough at once", untilLarge(0.1F), {.inputs = {"x", "w"}}},
        {"rows and scan outputs", rows(4)},
        {"scan outputs of no iteration", rows(0)},
        {"no state", mapping()},
        {"states that are handed on and change places", carrying()},
        {"a state with a derivative of zero", passingBy()},
        {"a condition in the body", conditionInside(4), {.inputs = {"x", "w", "v"}}},
        {"a Loop in the body", loopInside()},
        {"a Scan in the body", scanInside()},
        {"in a branch that is taken", inCondition(true)},
        {"in a branch that is not taken", inCondition(false)},
        {"a form for training", trainingForm()},
    };
}

/// PyTorch's results, from make_loop_golden.py beside this file.
const std::map<std::string, Tensor>& golden() {
    static const std::map<std::string, Tensor> kArrays =
        readNpz(std::filesystem::path(TEMPER_SOURCE_DIR) / "tests/engine/ops/data/loop_golden.npz");
    return kArrays;
}

struct GoldenCase {
    const char* name;
    const char* nodes;
};

constexpr GoldenCase kGolden[] = {
    {"root", R"(
        y = Loop<body = step (i, c, s) => (go, next) {
            two = Constant<value = double {2}>() limit = Constant<value = double {0.001}>()
            q = Div(a, s) t = Add(s, q) next = Div(t, two)
            n2 = Mul(next, next) e = Sub(n2, a) e2 = Mul(e, e)
            error = ReduceSum<keepdims = 0>(e2) go = Greater(error, limit)
        }>("", "", x))"},
    {"pondering", R"(
        nothing = Constant<value = double {0}>() start = Sub(s, s)
        sn, y, total = Loop<body = step (i, c, s1, y1, t1) => (go, s2, y2, t2) {
            one = Constant<value = double {1}>()
            m = MatMul(s1, u) mv = Add(m, v) s2 = Tanh(mv) sh = Mul(s2, h)
            ssum = ReduceSum<keepdims = 0>(sh) p = Sigmoid(ssum)
            ps = Mul(p, s2) y2 = Add(y1, ps) t2 = Add(t1, p) go = Less(t2, one)
        }>("", "", s, start, nothing))"},
    {"growing", R"(
        two = Constant<value = double {2}>() xs = ReduceSum<keepdims = 0>(x) xd = Mul(xs, two)
        m = Cast<to = 7>(xd)
        last, y = Loop<body = step (i, c, s) => (go, next, all) {
            go = Identity(c) n = CastLike(i, s) sk = Mul(s, k) sn = Sin(sk) next = Add(sn, n)
            all = Identity(next)
        }>(m, "", x))"},
};

}  // namespace

class LoopGradientTest : public QObject {
    Q_OBJECT
private slots:
    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(gradientCases(), row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void resultsAndGradientsAreThoseOfPyTorch_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < std::size(kGolden); ++i)
            QTest::newRow(kGolden[i].name) << static_cast<int>(i);
    }
    void resultsAndGradientsAreThoseOfPyTorch() {
        QFETCH(int, row);
        const std::string prefix = kGolden[row].name + std::string("/");
        OpCase opCase{kGolden[row].nodes, {}};
        std::vector<std::string> names;
        for (const auto& [key, tensor] : golden()) {
            const std::string name = key.substr(key.find('/') + 1);
            if (!key.starts_with(prefix) || name == "y") continue;
            if (name.size() > 1) continue;  // the gradients
            opCase.feeds.emplace(name, tensor);
            if (name != "w") names.push_back(name);
        }
        const TrainingResults results = trainingResults(opCase, names);
        QCOMPARE(difference(results.y, golden().at(prefix + "y"), {1e-12, 1e-14}), std::string());
        for (const auto& [name, found] : results.gradients) {
            const std::string problem =
                difference(found, golden().at(prefix + "d" + name), {1e-12, 1e-14});
            QVERIFY2(problem.empty(), (name + ": " + problem).c_str());
        }
    }

    void weightsThatABodyReadsAreParameters() {
        OpCase net = layers(3);
        net.constants = {"w", "b"};
        const std::unique_ptr<Graph> graph = graphOf(net, true);
        inferTypes(*graph, ops().catalog);
        const auto findings =
            analyzeTrainability(*graph, ops().catalog, ops().gradients, {graph->at("y")},
                                {graph->at("w"), graph->at("b")});
        QVERIFY2(findings.empty(), findings.empty() ? "" : findings[0].message.c_str());
    }
};

QTEST_GUILESS_MAIN(LoopGradientTest)
#include "loop_gradient_test.moc"
