// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/runtime/passes/plan_pass.h"

using namespace temper;

namespace {

constexpr int64_t kCount = 3001;

const std::string kNumbers = R"(half = Constant<value_float = 0.5>()
    one = Constant<value_float = 1.0>()  root = Constant<value_float = 1.4142135>()
    inverse = Constant<value_float = 0.70710677>()  k = Constant<value_float = 1.1283792>() )";

/// GELU as PyTorch exports it.
const std::string kForward = "u = Div(x, root)  e = Erf(u)  a = Add(e, one)  p = Mul(x, a)";
/// Its gradient as autodiff (ours and ORT's) writes it.
const std::string kBackward =
    "g = Mul(dy, half)  b = Mul(g, a)  c = Mul(g, x)  s = Mul(u, u)  n = Neg(s)  f = Exp(n) "
    "h = Mul(f, k)  i = Mul(c, h)  j = Div(i, root)  dx = Sum(b, j)";

const std::string kTanhNumbers = R"(half = Constant<value_float = 0.5>()
    one = Constant<value_float = 1.0>()  two = Constant<value_float = 2.0>()
    three = Constant<value_float = 3.0>()  k = Constant<value_float = 0.044715>()
    r = Constant<value_float = 0.7978845608>() )";
/// GELU with tanh as GPT-2 and as PyTorch's exporter write it, and the gradients of both.
const std::string kPowerForward =
    "h = Mul(x, half)  c = Pow(x, three)  kc = Mul(c, k)  s = Add(x, kc)  i = Mul(s, r) "
    "t = Tanh(i)  o = Add(t, one)  y = Mul(h, o) ";
const std::string kPowerBackward =
    "gh = Mul(dy, o)  go = Mul(dy, h)  gi = com.microsoft.TanhGrad(go, t)  gs = Mul(gi, r) "
    "gc = Mul(gs, k)  e = Sub(three, one)  g3 = Mul(gc, three)  q = Pow(x, e)  p = Mul(g3, q) "
    "gx = Mul(gh, half)  dx = Sum(gs, p, gx) ";
const std::string kProductForward =
    "c2 = Mul(x, x)  c = Mul(x, c2)  kc = Mul(k, c)  s = Add(x, kc)  i = Mul(r, s)  t = Tanh(i) "
    "o = Add(one, t)  h = Mul(x, o)  y = Mul(half, h) ";
const std::string kProductBackward =
    "gh = Mul(dy, half)  a0 = Mul(gh, o)  go = Mul(gh, x)  gi = com.microsoft.TanhGrad(go, t) "
    "gs = Mul(gi, r)  gc = Mul(gs, k)  a2 = Mul(gc, c2)  g2 = Mul(gc, x)  a3 = Mul(g2, x) "
    "a4 = Mul(g2, x)  dx = Sum(a0, gs, a2, a3, a4) ";
const std::string kSiluForward = "s = Sigmoid(x)  y = Mul(x, s) ";
const std::string kSiluBackward =
    "a = Mul(dy, s)  g = Mul(dy, x)  b = com.microsoft.SigmoidGrad(g, s)  dx = Sum(a, b) ";

const std::string kBounds = R"(low = Constant<value_float = 0.0>()
    high = Constant<value_float = 6.0>()  half = Constant<value_float = 0.5>()
    three = Constant<value_float = 3.0>()  minus = Constant<value_float = -3.0>() )";
/// The gradients of Clip and HardSwish as autodiff writes them.
const std::string kClipBackward =
    "a = Less(x, low)  b = Not(a)  c = Greater(x, high)  d = Not(c)  m = And(b, d) "
    "f = Cast<to = 1>(m)  dx = Mul(dy, f)";
const std::string kHardSwishBackward =
    "g = Greater(x, minus)  l = Less(x, three)  q = Div(x, three)  a = Add(q, half) "
    "p = Mul(dy, a)  m = Where(l, p, dy)  dx = Where(g, m, low)";

/// What group and instance normalization do before scale and bias, and the gradient of it, as
/// autodiff writes them.
const std::string kStandardization =
    "s = ReduceSum(x, axes)  m = Div(s, n)  c = Sub(x, m)  q = Mul(c, c)  t = ReduceSum(q, axes) "
    "v = Div(t, n)  w = Add(v, e)  d = Sqrt(w)  r = Div(one, d)  h = Mul(c, r) ";
const std::string kStandardizationBackward =
    "gh = Mul(g, h)  u = ReduceSum(gh, axes)  um = Div(u, n)  hu = Mul(h, um) "
    "gs = ReduceSum(g, axes)  gm = Div(gs, n)  a = Sub(g, gm)  b = Sub(a, hu)  dx = Mul(r, b) ";

double distribution(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
double geluOf(double x) { return x * distribution(x); }
double slopeOf(double x) {
    return distribution(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
}

}  // namespace

class FormulaFusionTest : public QObject {
    Q_OBJECT

private slots:
    void formulasBecomeOneOperator_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QStringList>("operators");
        const auto row = [](const char* name, const std::string& nodes,
                            const QStringList& operators) {
            QTest::newRow(name) << QString::fromStdString(nodes) << operators;
        };
        const QStringList gelu{"com.microsoft.Gelu"};
        const std::string in = "(float[N] x) => (y) { " + kNumbers;
        row("as PyTorch writes it", in + kForward + " y = Mul(p, half) }", gelu);
        row("a half of x",
            in + "h = Mul(half, x)  u = Div(x, root)  e = Erf(u)  a = Add(one, e)  y = Mul(a, h) }",
            gelu);
        row("the root as a factor",
            in +
                "u = Mul(x, inverse)  e = Erf(u)  a = Add(e, one)  h = Mul(a, half)  y = Mul(x, h) "
                "}",
            gelu);
        row("two, one behind the other",
            in + kForward +
                " z = Mul(p, half)  u2 = Div(z, root)  e2 = Erf(u2)  a2 = Add(e2, one)  "
                "p2 = Mul(z, a2)  y = Mul(p2, half) }",
            gelu + gelu);

        const QStringList asWritten{"Div", "Erf", "Add", "Mul", "Mul"};
        row("another number",
            in + "w = Constant<value_float = 1.4142>()  u = Div(x, w)  e = Erf(u)  a = Add(e, one) "
                 "p = Mul(x, a)  y = Mul(p, half) }",
            asWritten);
        row("a number of a higher rank",
            "(float[N] x) => (y) <float[1, 1] one = {1}> { root = Constant<value_float = "
            "1.4142135>() "
            "half = Constant<value_float = 0.5>() " +
                kForward + " y = Mul(p, half) }",
            asWritten);
        row("another x",
            "(float[N] x, float[N] z) => (y) { " + kNumbers +
                "u = Div(x, root)  e = Erf(u)  a = Add(e, one)  p = Mul(z, a)  y = Mul(p, half) }",
            asWritten);
        row("what lies inside is asked for",
            "(float[N] x) => (y, e) { " + kNumbers + kForward + " y = Mul(p, half) }", asWritten);
        row("what lies inside is read",
            "(float[N] x) => (y, r) { " + kNumbers + kForward + " y = Mul(p, half)  r = Neg(a) }",
            asWritten + QStringList{"Neg"});
        row("something lies between",
            in + "u = Div(x, root)  e = Erf(u)  t = Cast<to = 11>(e)  q = Cast<to = 1>(t) "
                 "a = Add(q, one)  p = Mul(x, a)  y = Mul(p, half) }",
            {"Div", "Erf", "Cast", "Cast", "Add", "Mul", "Mul"});

        const std::string both = "(float[N] x, float[N] dy) => (y, dx) { " + kNumbers + kForward;
        const QStringList trained{"com.microsoft.Gelu", "com.microsoft.GeluGrad"};
        row("with its gradient", both + " y = Mul(p, half) " + kBackward + " }", trained);
        row("with its gradient, terms the other way round",
            both +
                " y = Mul(p, half) g = Mul(dy, half)  b = Mul(g, a)  c = Mul(g, x) "
                "s = Mul(u, u)  n = Neg(s)  f = Exp(n)  h = Mul(f, k)  i = Mul(c, h) "
                "j = Div(i, root)  dx = Sum(j, b) }",
            trained);
        row("with its gradient, the root as a factor",
            "(float[N] x, float[N] dy) => (y, dx) { " + kNumbers +
                "u = Mul(x, inverse)  e = Erf(u)  a = Add(e, one)  p = Mul(x, a)  y = Mul(p, half) "
                "g = Mul(dy, half)  b = Mul(g, a)  c = Mul(g, x)  s = Mul(u, u)  n = Neg(s) "
                "f = Exp(n)  h = Mul(f, k)  i = Mul(c, h)  j = Mul(i, inverse)  dx = Sum(b, j) }",
            trained);
        const std::string backward = "(float[N] x, float[N] dy) => (dx) { " + kBounds;
        row("the mask of a Clip", backward + kClipBackward + " }",
            {"temper.IsWithin", "Cast", "Mul"});
        row("the mask of a Clip between arrays",
            "(float[N] x, float[N] dy, float[N] low) => (dx) { "
            "high = Constant<value_float = 6.0>() " +
                kClipBackward + " }",
            {"Less", "Not", "Greater", "Not", "And", "Cast", "Mul"});
        row("a hard swish", backward + kHardSwishBackward + " }", {"temper.HardSwishGrad"});
        row("a hard swish with another bound",
            backward +
                "four = Constant<value_float = 4.0>()  g = Greater(x, minus) "
                "l = Less(x, four)  q = Div(x, three)  a = Add(q, half)  p = Mul(dy, a) "
                "m = Where(l, p, dy)  dx = Where(g, m, low) }",
            {"Greater", "Less", "Div", "Add", "Mul", "Where", "Where"});

        const std::string onlyX = "(float[N] x) => (y) { ";
        const std::string andDy = "(float[N] x, float[N] dy) => (y, dx) { ";
        const QStringList fast{"com.microsoft.FastGelu"}, quick{"com.microsoft.QuickGelu"};
        row("with tanh, a power", onlyX + kTanhNumbers + kPowerForward + " }", fast);
        row("with tanh, products", onlyX + kTanhNumbers + kProductForward + " }", fast);
        row("with tanh, a power, and its gradient",
            andDy + kTanhNumbers + kPowerForward + kPowerBackward + " }",
            fast + QStringList{"com.microsoft.FastGeluGrad"});
        row("with tanh, products, and its gradient",
            andDy + kTanhNumbers + kProductForward + kProductBackward + " }",
            fast + QStringList{"com.microsoft.FastGeluGrad"});
        row("SiLU", onlyX + kSiluForward + " }", quick);
        row("SiLU and its gradient", andDy + kSiluForward + kSiluBackward + " }",
            quick + QStringList{"com.microsoft.QuickGeluGrad"});
        row("a gate", "(float[N] x, float[N] z) => (y) { s = Sigmoid(z)  y = Mul(x, s) }",
            {"Sigmoid", "Mul"});
        row("another exponent",
            onlyX + kTanhNumbers +
                "h = Mul(x, half)  c = Pow(x, two)  kc = Mul(c, k)  s = Add(x, kc)  i = Mul(s, r) "
                "t = Tanh(i)  o = Add(t, one)  y = Mul(h, o) }",
            {"Mul", "Pow", "Mul", "Add", "Mul", "Tanh", "Add", "Mul"});

        // The gradient needs an inner value, which is then available to the result, too.
        row("with another gradient", both + " y = Mul(p, half) g = Mul(dy, half)  dx = Mul(g, a) }",
            asWritten + QStringList{"Mul", "Mul"});
    }
    void formulasBecomeOneOperator() {
        QFETCH(QString, nodes);
        QFETCH(QStringList, operators);
        const auto graph = parse(nodes.toStdString());
        InputTypes types;
        for (const Value* input : graph->inputs())
            types[input->name()] = {{DType::Float32, {kCount}}};
        const auto plan = ExecutionPlan::compile(*graph, types, ops_.catalog, ops_.cpuKernels,
                                                 {.withoutPasses = allButFormulas()});
        QStringList found;
        for (const auto& step : plan->steps()) found << QString::fromStdString(step.op);
        found.sort();
        operators.sort();
        QCOMPARE(found, operators);
    }

    void standardizationsBecomeOneOperator_data() {
        QTest::addColumn<QString>("outputs");
        QTest::addColumn<QString>("axes");
        QTest::addColumn<double>("count");
        QTest::addColumn<QStringList>("operators");  ///< of plans alone
        const QStringList gradient{"temper.GroupNormGrad"};
        const auto row = [](const char* name, const char* outputs, const char* axes, double count,
                            const QStringList& operators) {
            QTest::newRow(name) << outputs << axes << count << operators;
        };
        row("the last axes", "dx", "[2, 3]", 117, gradient);
        row("the last axis", "dx", "[-1]", 13, gradient);
        row("in another order", "dx", "[3, 2, 1]", 351, gradient);
        row("its result is read, too", "dx, h", "[2, 3]", 117,
            QStringList{"temper.GroupNorm"} + gradient);
        row("what lies inside is read, too", "dx, r", "[2, 3]", 117, {});
        row("axes in between", "dx", "[1, 2]", 27, {});
        row("no means", "dx", "[2, 3]", 100, {});
    }
    void standardizationsBecomeOneOperator() {
        QFETCH(QString, outputs);
        QFETCH(QString, axes);
        QFETCH(double, count);
        QFETCH(QStringList, operators);
        const QString numbers =
            QString(
                "axes = Constant<value_ints = %1>()  n = Constant<value_float = %2>() "
                "e = Constant<value_float = 0.001>()  one = Constant<value_float = 1.0>() ")
                .arg(axes, QString::number(count, 'f', 1));
        const std::shared_ptr<const Graph> graph = parse(
            "(float[2, 3, 9, 13] x, float[2, 3, 9, 13] g) => (" + outputs.toStdString() + ") { " +
            numbers.toStdString() + kStandardization + kStandardizationBackward + " }");
        std::vector<Tensor> feeds;
        InputTypes types;
        for (const Value* input : graph->inputs()) {
            feeds.emplace_back(DType::Float32, Shape{2, 3, 9, 13});
            types[input->name()] = {{DType::Float32, feeds.back().shape()}};
            Random random(feeds.size());
            for (float& value : feeds.back().mutableValues<float>())
                value = 3 * random.uniform() - 1;
        }
        const auto plan = ExecutionPlan::compile(*graph, types, ops_.catalog, ops_.cpuKernels,
                                                 {.withoutPasses = allButFormulas()});
        QStringList found;
        for (const auto& step : plan->steps()) {
            if (step.op.starts_with("temper.")) found << QString::fromStdString(step.op);
        }
        found.sort();
        QCOMPARE(found, operators);
        ThreadPool pool(2);
        std::vector<std::vector<Tensor>> results;
        for (const auto& without :
             {std::vector<std::string>(), std::vector<std::string>{"fuse-formulas"}}) {
            GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(),
                               pool, {.withoutPasses = without});
            results.emplace_back();
            for (const Tensor& result : runner.run(feeds)) results.back().push_back(result.clone());
        }
        for (size_t output = 0; output < results[0].size(); ++output) {
            const auto fused = results[0][output].values<float>(),
                       single = results[1][output].values<float>();
            for (size_t i = 0; i < fused.size(); ++i)
                QVERIFY(std::abs(fused[i] - single[i]) <=
                        1e-5F * std::max(1.0F, std::abs(single[i])));
        }
    }

    void aGradientThatIsBroadcastStaysAsItIs() {
        const std::shared_ptr<const Graph> graph =
            parse("(float[N] x, float[M] dy) => (dx) { " + kNumbers +
                  "u = Div(x, root)  e = Erf(u)  a = Add(e, one) " + kBackward + " }");
        const std::vector<Tensor> feeds = {Tensor::of<float>({3}, {-1, 0.5F, 2}),
                                           Tensor::of<float>({1}, {3})};
        ThreadPool pool(1);
        GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {});
        const auto results = runner.run(feeds);
        QCOMPARE(results[0].shape(), Shape{3});
        for (size_t i = 0; i < 3; ++i) {
            const double expected = 3 * slopeOf(feeds[0].values<float>()[i]);
            QVERIFY(std::abs(results[0].values<float>()[i] - expected) < 2e-6);
        }
    }

    void masksAndSlopesKeepTheBits_data() {
        QTest::addColumn<QString>("backward");
        QTest::newRow("Clip") << QString::fromStdString(kClipBackward);
        QTest::newRow("HardSwish") << QString::fromStdString(kHardSwishBackward);
    }
    void masksAndSlopesKeepTheBits() {
        QFETCH(QString, backward);
        const std::shared_ptr<const Graph> graph =
            parse("(float[N] x, float[N] dy) => (dx) { " + kBounds + backward.toStdString() + " }");
        std::vector<Tensor> feeds(2, Tensor(DType::Float32, {kCount}));
        Random random(1);
        for (int64_t i = 0; i < kCount; ++i) {
            // Among them the bounds themselves.
            feeds[0].mutableValues<float>()[i] = static_cast<float>(i % 41 - 20) / 2;
            feeds[1].mutableValues<float>()[i] = random.uniform() - 0.5F;
        }
        feeds[0].mutableValues<float>()[7] = std::numeric_limits<float>::quiet_NaN();
        ThreadPool pool(2);
        const auto resultWithout = [&](const std::vector<std::string>& passes) {
            GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(),
                               pool, {.withoutPasses = passes});
            return runner.run(feeds).front().clone();
        };
        const Tensor fused = resultWithout({}), plain = resultWithout({"fuse-formulas"});
        QCOMPARE(fused.byteSize(), plain.byteSize());
        QVERIFY(std::equal(fused.data(), fused.data() + fused.byteSize(), plain.data()));
    }

    void theirNumbersAreThoseOfTheNodes_data() {
        QTest::addColumn<QString>("nodes");
        const auto row = [](const char* name, const std::string& nodes) {
            QTest::newRow(name) << QString::fromStdString(nodes);
        };
        row("tanh, a power", kTanhNumbers + kPowerForward + kPowerBackward);
        row("tanh, products", kTanhNumbers + kProductForward + kProductBackward);
        row("SiLU", kSiluForward + kSiluBackward);
    }
    void theirNumbersAreThoseOfTheNodes() {
        QFETCH(QString, nodes);
        const std::shared_ptr<const Graph> graph =
            parse("(float[N] x, float[N] dy) => (y, dx) { " + nodes.toStdString() + " }");
        std::vector<Tensor> feeds(2, Tensor(DType::Float32, {kCount}));
        for (int64_t i = 0; i < kCount; ++i) {
            feeds[0].mutableValues<float>()[i] = static_cast<float>(i - kCount / 2) / 300.0F;
            feeds[1].mutableValues<float>()[i] = static_cast<float>(i % 7) / 3.0F - 1;
        }
        ThreadPool pool(2);
        const auto resultsWithout = [&](const std::vector<std::string>& passes) {
            GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(),
                               pool, {.withoutPasses = passes});
            std::vector<Tensor> results;
            for (const Tensor& result : runner.run(feeds)) results.push_back(result.clone());
            return results;
        };
        const auto fused = resultsWithout({}), single = resultsWithout({"fuse-formulas"});
        for (size_t output = 0; output < 2; ++output) {
            const auto found = fused[output].values<float>(),
                       expected = single[output].values<float>();
            for (size_t i = 0; i < found.size(); ++i) {
                const float error = std::abs(found[i] - expected[i]);
                QVERIFY2(error <= 2e-6F * std::max(1.0F, std::abs(expected[i])),
                         qPrintable(QString("%1: %2").arg(i).arg(error)));
            }
        }
    }

    void theirNumbersAreThoseOfTheFormula() {
        const std::shared_ptr<const Graph> graph =
            parse("(float[N] x, float[N] dy) => (y, dx) { " + kNumbers + kForward +
                  " y = Mul(p, half) " + kBackward + " }");
        std::vector<Tensor> feeds(2, Tensor(DType::Float32, {kCount}));
        for (int64_t i = 0; i < kCount; ++i) {
            feeds[0].mutableValues<float>()[i] = static_cast<float>(i - kCount / 2) / 150.0F;
            feeds[1].mutableValues<float>()[i] = 1;
        }
        ThreadPool pool(2);
        GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {});
        const auto results = runner.run(feeds);
        const auto x = feeds[0].values<float>();
        const auto y = results[0].values<float>(), dx = results[1].values<float>();
        for (size_t i = 0; i < x.size(); ++i) {
            const double at = x[i];
            // The exponent is rounded: the error in the tail grows with it.
            const double limit = 1e-7 * (4 + at * at);
            QVERIFY2(std::abs(y[i] - geluOf(at)) <= limit * std::abs(geluOf(at)),
                     qPrintable(QString("%1: %2").arg(at).arg(y[i] / geluOf(at) - 1)));
            QVERIFY2(std::abs(dx[i] - slopeOf(at)) <= 4e-7,
                     qPrintable(QString("%1: %2").arg(at).arg(dx[i] - slopeOf(at))));
        }
    }

private:
    std::unique_ptr<Graph> parse(const std::string& nodes) const {
        return parseText("<ir_version: 8, opset_import: [\"\": 17]> g " + nodes);
    }
    static std::vector<std::string> allButFormulas() {
        std::vector<std::string> names;
        for (const PlanPass& pass : planPasses()) {
            if (pass.rewrite == nullptr) names.emplace_back(pass.name);
        }
        return names;
    }

    OpSet ops_ = standardOps();
};

QTEST_GUILESS_MAIN(FormulaFusionTest)
#include "formula_fusion_test.moc"
