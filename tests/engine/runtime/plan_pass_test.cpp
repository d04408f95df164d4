// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/kernels/blockable_kernel.h"

#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/random.h"
#include "engine/onnx/graph_text.h"
#include "engine/ops/op_set.h"
#include "engine/runtime/graph_runner.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper::test {

class PlanPassTest : public QObject {
    Q_OBJECT

private slots:
    void stepsAreFused_data();
    void stepsAreFused();
    void fusedStepsGiveTheSameBits_data();
    void fusedStepsGiveTheSameBits();
    void rowsAreFused_data();
    void rowsAreFused();
    void fusedRowsGiveTheSameBits_data();
    void fusedRowsGiveTheSameBits();
    void valuesInsideTakeNoMemory();
    void cheapValuesAreRecomputed_data();
    void cheapValuesAreRecomputed();
    void masksAreMadeNextToTheirArray();
    void blockedImagesGiveTheSameBits_data();
    void blockedImagesGiveTheSameBits();
    void squeezeAndExcitationNeedsNoRearranging();
    void epiloguesGiveTheSameBits_data();
    void epiloguesGiveTheSameBits();
    void onlyPartwiseStepsAreEpilogues_data();
    void onlyPartwiseStepsAreEpilogues();
    void productsWithConstantsHaveEpilogues_data();
    void productsWithConstantsHaveEpilogues();
    void fewerOperationsGiveTheSameNumbers();
    void productsReadRoundedNumbers_data();
    void productsReadRoundedNumbers();
    void gradientsAreWrittenIntoTheirAccumulators_data();
    void gradientsAreWrittenIntoTheirAccumulators();
    void unknownPassesAreRefused();
    void theGraphIsChangedBeforeItsPlanIsMade();

private:
    /// The outputs for inputs in [-1, 1).
    std::vector<Tensor> run(const std::shared_ptr<const Graph>& graph, int threads,
                            const std::vector<std::string>& without) const;
    std::unique_ptr<Graph> graph(const std::string& nodes) const {
        return parseText("<ir_version: 8, opset_import: [\"\": 17]> g " + nodes);
    }
    std::shared_ptr<const ExecutionPlan> plan(const Graph& graph, int64_t size,
                                              const std::vector<std::string>& without = {}) const {
        InputTypes types;
        for (const Value* input : graph.inputs()) types[input->name()] = {{DType::Float32, {size}}};
        return ExecutionPlan::compile(graph, types, ops_.catalog, ops_.cpuKernels,
                                      {.withoutPasses = without});
    }

    OpSet ops_ = standardOps();
};

std::vector<std::string> allPasses() {
    std::vector<std::string> names;
    for (const PlanPass& pass : planPasses()) names.emplace_back(pass.name);
    return names;
}

void PlanPassTest::stepsAreFused_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        QTest::newRow(name) << QString(nodes) << steps;
    };
    row("a chain", "(float[N] x) => (c) { a = Exp(x)  b = Mul(a, x)  c = Neg(b) }",
        {"Exp+Mul+Neg"});
    row("two readers of one array", "(float[N] x) => (a, b) { a = Exp(x)  b = Neg(x) }",
        {"Exp+Neg"});
    row("strangers", "(float[N] x, float[N] y) => (a, b) { a = Exp(x)  b = Neg(y) }",
        {"Exp", "Neg"});
    row("two branches that meet",
        "(float[N] x, float[N] y) => (c) { a = Exp(x)  b = Neg(y)  c = Mul(a, b) }",
        {"Exp+Neg+Mul"});
    row("another operator in between",
        "(float[N] x) => (d) { a = Exp(x)  b = CumSum(a, i)  c = Mul(b, a)  d = Neg(c) }",
        {"Exp", "CumSum", "Mul+Neg"});
    row("another size", "(float[N] x) => (c) { a = Exp(x)  b = ReduceSum(a)  c = Neg(b) }",
        {"Exp", "ReduceSum", "Neg"});
    row("a number", "(float[N] x) => (c) { s = ReduceMax(x)  a = Sub(x, s)  c = Exp(a) }",
        {"ReduceMax", "Sub+Exp"});
}

void PlanPassTest::stepsAreFused() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    auto parsed = graph(nodes.replace(") => ", ", int64 i) => ").toStdString());
    parsed->inputToInitializer(parsed->at("i"), Tensor::scalar(int64_t{0}));
    QStringList found;
    const auto compiled = plan(*parsed, 100);
    for (const auto& step : compiled->steps()) found << QString::fromStdString(step.op);
    QCOMPARE(found, steps);
}

void PlanPassTest::fusedStepsGiveTheSameBits_data() {
    QTest::addColumn<qint64>("size");
    QTest::addColumn<int>("threads");
    for (const qint64 size : {0, 1, 7, 1023, 1024, 1025, 40000}) {
        for (const int threads : {1, 3})
            QTest::addRow("%lld elements, %d threads", size, threads) << size << threads;
    }
}

/// Everything that fusion must respect: arrays that are overwritten, read again or outputs;
/// booleans; numbers; sums of several.
void PlanPassTest::fusedStepsGiveTheSameBits() {
    QFETCH(qint64, size);
    QFETCH(int, threads);
    const std::shared_ptr<const Graph> both = graph(R"((float[N] x, float[N] y) => (e, h, m, r) {
        a = Exp(x)  b = Mul(a, y)  c = Relu(b)  d = Add(a, c)  e = Tanh(d)
        k = Less(x, y)  l = Not(k)  m = And(l, k)  n = Cast<to = 1>(l)  f = Mul(n, d)
        g = Where(l, f, x)  h = Sum(g, a, f, y)  p = Clip(x)  q = Sub(p, h)  r = Erf(q) })");
    std::vector<Tensor> feeds(2, Tensor(DType::Float32, {size}));
    for (size_t i = 0; i < 2; ++i) {
        feeds[i] = Tensor(DType::Float32, {size});
        Random random(i);
        for (float& value : feeds[i].mutableValues<float>()) value = 2 * random.uniform() - 1;
    }
    std::vector<std::vector<Tensor>> results;
    for (const auto& without : {std::vector<std::string>(), allPasses()}) {
        ThreadPool pool(threads);
        GraphRunner runner(both, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {.withoutPasses = without});
        results.emplace_back();
        for (const Tensor& output : runner.run(feeds)) results.back().push_back(output.clone());
    }
    QVERIFY(plan(*both, 100)->steps().size() < plan(*both, 100, allPasses())->steps().size());
    for (size_t i = 0; i < results[0].size(); ++i) {
        const Tensor &fused = results[0][i], &single = results[1][i];
        QCOMPARE(fused.byteSize(), single.byteSize());
        QVERIFY(size == 0 || std::memcmp(fused.data(), single.data(), fused.byteSize()) == 0);
    }
}

std::vector<Tensor> PlanPassTest::run(const std::shared_ptr<const Graph>& graph, int threads,
                                      const std::vector<std::string>& without) const {
    std::vector<Tensor> feeds;
    for (const Value* input : graph->inputs()) {
        feeds.emplace_back(input->type().dtype, *concreteShape(*input->type().shape));
        Random random(feeds.size());
        for (float& value : feeds.back().mutableValues<float>()) value = 2 * random.uniform() - 1;
    }
    ThreadPool pool(threads);
    GraphRunner runner(graph, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                       {.withoutPasses = without});
    std::vector<Tensor> results;
    for (const Tensor& output : runner.run(feeds)) results.push_back(output.clone());
    return results;
}

/// Values that an Identity produces are in the arena, where other values may overwrite them.
constexpr const char* kLayerNorm = R"((float[R, C] fed, float[C] scale, float[C] bias) => (y) {
    x = Identity(fed)
    two = Constant<value_float = 2.0>()  e = Constant<value_float = 0.00001>()
    m = ReduceMean<axes = [-1]>(x)  d = Sub(x, m)  p = Pow(d, two)
    v = ReduceMean<axes = [-1]>(p)  w = Add(v, e)  s = Sqrt(w)
    n = Div(d, s)  k = Mul(n, scale)  y = Add(k, bias) })";

/// Its gradients as autodiff writes them, and steps that read inner values.
constexpr const char* kLayerNormGradient =
    R"((float[R, C] fed, float[R, C] normal, float[R, C] d, float[R, 1] s, float[C] scale, float[C] more) =>
    (dx, dscale, dbias, inside, outside) {
    dy = Identity(fed)  n = Identity(normal)
    count = Constant<value_float = 7.0>()  two = Constant<value_float = 2.0>()
    shape = Constant<value_ints = [R, C]>()  zero = Constant<value_ints = [0]>()
    last = Constant<value_ints = [1]>()
    dbias = ReduceSum<keepdims = 0>(dy, zero)  a = Mul(dy, scale)  b = Mul(dy, n)
    dscale = ReduceSum<keepdims = 0>(b, zero)  dd = Div(a, s)  f = Mul(dd, n)  g = Neg(f)
    h = ReduceSum(g, last)  i = Mul(s, two)  j = Div(h, i)  k = Div(j, count)  l = Expand(k, shape)
    o = Mul(l, two)  p = Mul(o, d)  q = Sum(dd, p)  r = Neg(q)  t = ReduceSum(r, last)
    u = Div(t, count)  w = Expand(u, shape)  dx = Sum(q, w)
    z = Mul(more, dscale)  inside = Add(dx, z)  y = CumSum(dd, last)  outside = Add(y, dx) })";

/// Rows that are read in other ways: a mask for several rows, a softmax, column sums.
constexpr const char* kAttention =
    R"((float[2, R, 3, C] fed, float[2, 1, 1, C] mask, float[R, 3, C] table, float[2, 1, 3, 1] gains) =>
    (y, da, columns, largest, t) {
    x = Identity(fed)
    eight = Constant<value_float = 8.0>()  first = Constant<value_ints = [0, 1, 2]>()
    zero = Constant<value_float = 0.0>()  isKept = Greater(mask, zero)
    a = Div(x, eight)  d = Add(a, mask)  b = Where(isKept, d, mask)  c = Softmax(b)  e = Add(c, table)  y = Mul(e, gains)
    da = com.microsoft.SoftmaxGrad_13(e, c)  columns = ReduceSum<keepdims = 0>(da, first)
    largest = ReduceMax<axes = [-1]>(da)  r = ReduceMean<axes = [0, 1, 2]>(e)  t = Exp(r) })";

std::string withSizes(std::string nodes, qint64 rows, qint64 columns) {
    const auto text = QString::fromStdString(nodes);
    return QString(text)
        .replace(QRegularExpression("\\bR\\b"), QString::number(rows))
        .replace(QRegularExpression("\\bC\\b"), QString::number(columns))
        .toStdString();
}

void PlanPassTest::rowsAreFused_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        QTest::newRow(name) << QString(nodes) << steps;
    };
    row("layer normalization", kLayerNorm,
        {"Identity", "ReduceMean+Sub+Pow+ReduceMean+Add+Sqrt+Div+Mul+Add"});
    row("a number for each row",
        "(float[R, C] x, float[R, 1] s) => (b) { a = Exp(x)  b = Mul(a, s) }", {"Exp+Mul"});
    row("a softmax", "(float[R, C] x) => (b) { a = Neg(x)  b = Softmax(a) }", {"Neg+Softmax"});
    row("a softmax behind a mask",
        "(float[R, C] x, float[C] m) => (b) { z = Constant<value_float = 0.0>()"
        "  c = Greater(m, z)  a = Where(c, x, z)  b = Softmax(a) }",
        {"Greater", "Where+Softmax"});
    row("sums of columns in the end",
        "(float[R, C] x) => (b, c) { z = Constant<value_ints = [0]>()  a = Exp(x)"
        "  b = ReduceSum<keepdims = 0>(a, z)  c = Neg(b) }",
        {"Exp+ReduceSum", "Neg"});
    row("another axis", "(float[R, C] x) => (b) { a = Exp(x)  b = Softmax<axis = 0>(a) }",
        {"Exp", "Softmax"});
    row("columns of what is made",
        "(float[C, C] x) => (c) { a = Exp(x)  b = ReduceMean<axes = [1], keepdims = 0>(a)"
        "  c = Sub(a, b) }",
        {"Exp+ReduceMean", "Sub"});
}

void PlanPassTest::rowsAreFused() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    const auto parsed = graph(withSizes(nodes.toStdString(), 40, 64));
    InputTypes types;
    for (const Value* input : parsed->inputs())
        types[input->name()] = {{DType::Float32, *concreteShape(*input->type().shape)}};
    const auto compiled = ExecutionPlan::compile(*parsed, types, ops_.catalog, ops_.cpuKernels);
    QStringList found;
    for (const auto& step : compiled->steps()) found << QString::fromStdString(step.op);
    QCOMPARE(found, steps);
}

void PlanPassTest::fusedRowsGiveTheSameBits_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("columns");
    const std::pair<const char*, const char*> graphs[] = {{"layer normalization", kLayerNorm},
                                                          {"its gradient", kLayerNormGradient},
                                                          {"attention", kAttention}};
    for (const auto& [name, nodes] : graphs) {
        for (const qint64 rows : {1, 3, 64, 257, 1000}) {
            for (const qint64 columns : {1, 2, 7, 16, 64, 257, 1025}) {
                QTest::addRow("%s of %lld x %lld", name, rows, columns)
                    << QString(nodes) << rows << columns;
            }
        }
        QTest::addRow("%s of long rows", name) << QString(nodes) << qint64{3} << qint64{40000};
    }
}

void PlanPassTest::fusedRowsGiveTheSameBits() {
    QFETCH(QString, nodes);
    QFETCH(qint64, rows);
    QFETCH(qint64, columns);
    const std::shared_ptr<const Graph> parsed =
        graph(withSizes(nodes.toStdString(), rows, columns));
    const auto expected = run(parsed, 1, allPasses());
    for (const int threads : {1, 3}) {
        const auto found = run(parsed, threads, {});
        for (size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(found[i].byteSize(), expected[i].byteSize());
            QVERIFY2(std::memcmp(found[i].data(), expected[i].data(), expected[i].byteSize()) == 0,
                     parsed->outputs()[i]->name().c_str());
        }
    }
}

void PlanPassTest::valuesInsideTakeNoMemory() {
    const auto chain =
        graph("(float[N] x, float[N] y) => (c) { a = Exp(x)  b = Neg(y)  c = Mul(a, b) }");
    QCOMPARE(plan(*chain, 1024)->arenaBytes(), size_t{4096});
    QCOMPARE(plan(*chain, 1024, {"fuse-elementwise"})->arenaBytes(), size_t{8192});
}

void PlanPassTest::cheapValuesAreRecomputed_data() {
    QTest::addColumn<QString>("last");
    QTest::addColumn<QString>("steps");
    const auto row = [](const char* name, const char* last, const char* steps) {
        QTest::newRow(name) << QString(last)
                            << "CumSum Div+Erf+Add+Mul Softmax SoftmaxGrad_13 " + QString(steps);
    };
    row("from what is kept", "f = Mul(e, a)  dh = Add(f, h)", "Div+Erf+Add+Mul+Mul+Add ");
    row("from one of them", "f = Mul(e, a)  dh = Add(f, e)", "Erf+Add+Mul+Mul+Add ");
    row("one that a matrix product reads", "f = Mul(e, e)  dh = MatMul(a, f)",
        "Erf+Add+Mul+Mul MatMul ");
    row("nothing is kept", "f = Mul(e, e)  dh = Add(f, g)", "Mul+Mul+Add ");
}

/// The GELU of a value; `dh` and the nodes that lead to it are the backward pass.
void PlanPassTest::cheapValuesAreRecomputed() {
    QFETCH(QString, last);
    QFETCH(QString, steps);
    const std::shared_ptr<Graph> gelu =
        graph(R"((float[512, 512] x, float[512, 512] dy) => (y, dh) {
        two = Constant<value_float = 3.0>()  one = Constant<value_float = 1.0>()
        axis = Constant<value_ints = [0]>()
        h = CumSum(x, axis)  a = Div(h, two)  b = Erf(a)  c = Add(b, one)  d = Mul(h, c)
        y = Softmax<axis = 0>(d)  g = com.microsoft.SoftmaxGrad_13<axis = 0>(dy, y)
        e = Mul(g, c)  )" +
              last.toStdString() + " }");
    for (const char* name : {"g", "e", "f", "dh"}) gelu->at(name)->producer()->setBackward(true);
    const auto compile = [&](const std::vector<std::string>& without) {
        InputTypes types;
        for (const char* name : {"x", "dy"}) types[name] = {{DType::Float32, {512, 512}}};
        return ExecutionPlan::compile(*gelu, types, ops_.catalog, ops_.cpuKernels,
                                      {.withoutPasses = without});
    };
    QString found;
    const auto plan = compile({});
    for (const auto& step : plan->steps())
        found += QString::fromStdString(step.op).remove("com.microsoft.") + " ";
    QCOMPARE(found, steps);
    const bool isRemade = found.count("Erf") > 1;
    QCOMPARE(plan->activationBytes() < compile({"remake-values"})->activationBytes(), isRemade);
    const auto made = run(gelu, 2, {}), kept = run(gelu, 1, allPasses());
    for (size_t i = 0; i < kept.size(); ++i)
        QVERIFY(std::memcmp(made[i].data(), kept[i].data(), kept[i].byteSize()) == 0);
}

/// The mask of a Clip is computed directly after the Clip's input, which the Clip then overwrites.
void PlanPassTest::masksAreMadeNextToTheirArray() {
    const auto clip = graph(R"((float[N] x, float[N] dy) => (c, d) {
        a = Exp(x)  s = ReduceSum(a)  e = Sub(a, s)  b = Clip(e)  c = Softmax(b)  t = Add(c, b)
        k = Less(e, s)  l = Not(k)  m = Cast<to = 1>(l)  d = Mul(t, m) })");
    for (const char* name : {"k", "l", "m", "d"}) clip->at(name)->producer()->setBackward(true);
    const auto opsOf = [&](const std::vector<std::string>& without) {
        std::string ops;
        const auto compiled = plan(*clip, 64, without);
        for (const auto& step : compiled->steps()) ops += step.op + " ";
        return ops;
    };
    QCOMPARE(opsOf(allPasses()),
             std::string("Exp ReduceSum Sub Clip Softmax Add Less Not Cast Mul "));
    QCOMPARE(opsOf({"fuse-elementwise"}),
             std::string("Exp ReduceSum Sub Less Not Clip Softmax Add Cast Mul "));
}

/// Convolutions of 1 x 1 and of single channels, forward and backward.
constexpr const char* kSqueezeAndExcitation = R"((float[2, 24, 9, 7] x, float[32, 24, 1, 1] w,
    float[32, 1, 3, 3] k, float[16, 32, 1, 1] v) => (p, dx, dw, dk, dv)
    <int64[2] axes = {2, 3}, int64[4] shape = {2, 32, 9, 7}> {
    a = Conv(x, w)  d = Conv<group = 32, pads = [1, 1, 1, 1]>(a, k)  r = Relu(d)
    m = GlobalAveragePool(r)  s = Sigmoid(m)  e = Mul(r, s)  y = Conv(e, v)  p = GlobalMaxPool(y)
    de, dv = com.microsoft.ConvGrad(y, e, v)
    t = Mul(de, r)  ds = ReduceSum(t, axes)  dm = Mul(ds, s)
    f = Mul(s, de)  g = Expand(dm, shape)  dr = Add(f, g)
    dd = com.microsoft.ReluGrad(dr, r)
    da, dk = com.microsoft.ConvGrad<group = 32, pads = [1, 1, 1, 1]>(dd, a, k)
    dx, dw = com.microsoft.ConvGrad(da, x, w) })";

void PlanPassTest::blockedImagesGiveTheSameBits_data() {
    QTest::addColumn<QString>("nodes");
    // Forward and backward; a final maximum over pixels that needs plain images.
    QTest::newRow("batch normalization") << R"((float[4, 16, 9, 7] x, float[32, 16, 3, 3] w,
        float[32] scale, float[32] bias, float[32] mean, float[32] variance,
        float[32, 32, 3, 3] v) => (p, dx, dw, dscale, db) {
        a = Conv<pads = [1, 1, 1, 1]>(x, w)
        b, m2, v2, m, r = com.microsoft.BatchNormInternal<training_mode = 1>(a, scale, bias, mean, variance)
        c = Relu(b)  d = Conv<pads = [1, 1, 1, 1]>(c, v)  e = Add(d, c)  p = GlobalMaxPool(e)
        dc, dv = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(e, c, v)
        dr = com.microsoft.ReluGrad(dc, c)
        da, dscale, db = com.microsoft.BatchNormalizationGrad<epsilon = 0.00001>(dr, a, scale, m, r)
        dx, dw = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(da, x, w) })";
    QTest::newRow("batch normalization by running statistics") << R"((float[4, 16, 9, 7] x,
        float[32, 16, 3, 3] w, float[32] scale, float[32] bias, float[32] mean, float[32] variance,
        float[32, 32, 3, 3] v) => (p, dx, dw) {
        a = Conv<pads = [1, 1, 1, 1]>(x, w)
        b = BatchNormalization(a, scale, bias, mean, variance)
        c = Relu(b)  d = Conv<pads = [1, 1, 1, 1]>(c, v)  p = GlobalMaxPool(d)
        dc, dv = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(d, c, v)
        dx, dw = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(dc, x, w) })";
    // Indices are in blocks, too; overlapping windows, padding, a bias.
    QTest::newRow("max pool") << R"((float[3, 5, 11, 9] x, float[32, 5, 3, 3] w, float[32] bias,
        float[16, 32, 3, 3] v) => (dx, dw, db, dv, s) <float[3, 32, 11, 9] db1> {
        a = Conv<pads = [1, 1, 1, 1]>(x, w, bias)  b = Relu(a)
        c, i = MaxPool<kernel_shape = [3, 2], strides = [2, 2], pads = [1, 0, 1, 1]>(b)
        d = Conv<pads = [1, 1, 1, 1]>(c, v)  s = ReduceSum(d)
        dc, dv = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(d, c, v)
        db1 = MaxPoolGrad(dc, i)  e = com.microsoft.ReluGrad(db1, b)
        dx, dw, db = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(e, x, w) })";
    QTest::newRow("max pool, windows apart") << R"((float[3, 5, 11, 9] x, float[32, 5, 3, 3] w,
        float[32] bias, float[16, 32, 3, 3] v) => (dx, dw, db, dv, s) <float[3, 32, 11, 9] db1> {
        a = Conv<pads = [1, 1, 1, 1]>(x, w, bias)  b = Relu(a)
        c, i = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(b)
        d = Conv<pads = [1, 1, 1, 1]>(c, v)  s = ReduceSum(d)
        dc, dv = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(d, c, v)
        db1 = MaxPoolGrad<kernel_shape = [2, 2], strides = [2, 2]>(dc, i)
        e = com.microsoft.ReluGrad(db1, b)
        dx, dw, db = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(e, x, w) })";
    // With one of its images blocked, ConvGrad needs more scratch memory than with none.
    QTest::newRow("transposed convolution") << R"((float[1, 32, 6, 5] x, float[32, 1, 3, 3] w,
        float[32, 2, 3, 3] v, float[1, 32, 5, 5] t) => (dx, dw, dv, s, p) {
        a = Conv<group = 32, dilations = [2, 2], pads = [2, 1, 2, 1], strides = [2, 1]>(x, w)
        y = ConvTranspose<group = 16, dilations = [2, 2], pads = [2, 1, 2, 1], strides = [2, 1]>(a, v)
        e = Sub(y, t)
        d = Conv<group = 16, dilations = [2, 2], pads = [2, 1, 2, 1], strides = [2, 1]>(e, v)
        da, dv = com.microsoft.ConvGrad<group = 16, dilations = [2, 2], pads = [2, 1, 2, 1],
                                        strides = [2, 1]>(a, e, v)
        s = ReduceSum(e)  p = GlobalMaxPool(a)
        dx, dw = com.microsoft.ConvGrad<group = 32, dilations = [2, 2], pads = [2, 1, 2, 1],
                                        strides = [2, 1]>(d, x, w) })";
    QTest::newRow("squeeze and excitation") << kSqueezeAndExcitation;
    QTest::newRow("a factor for each channel, one for each sample") << R"((float[3, 24, 5, 7] x,
        float[32, 24, 1, 1] w, float[32, 1, 1] c, float[3, 1, 1, 1] n, float[16, 32, 1, 1] v) =>
        (p, dx, dw) {
        a = Conv(x, w)  b = Mul(a, c)  d = Mul(n, b)  y = Conv(d, v)  p = GlobalMaxPool(y)
        dd, dv = com.microsoft.ConvGrad(y, d, v)  db = Mul(dd, n)  da = Mul(c, db)
        dx, dw = com.microsoft.ConvGrad(da, x, w) })";
}

void PlanPassTest::blockedImagesGiveTheSameBits() {
    QFETCH(QString, nodes);
    const std::shared_ptr<const Graph> convs = graph(nodes.toStdString());
    std::vector<Tensor> feeds;
    for (const Value* input : convs->inputs()) {
        feeds.emplace_back(DType::Float32, *concreteShape(*input->type().shape));
        Random random(feeds.size());
        for (float& value : feeds.back().mutableValues<float>()) value = random.uniform();
    }
    std::vector<std::vector<Tensor>> results;
    for (const auto& without : {std::vector<std::string>(), allPasses()}) {
        ThreadPool pool(2);
        GraphRunner runner(convs, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {.withoutPasses = without});
        std::vector<Tensor> inputs;
        for (const Tensor& feed : feeds) inputs.push_back(feed.clone());
        results.emplace_back();
        for (const Tensor& output : runner.run(inputs)) results.back().push_back(output.clone());
    }
    for (size_t i = 0; i < results[0].size(); ++i) {
        const Tensor &blocked = results[0][i], &plain = results[1][i];
        QVERIFY(std::memcmp(blocked.data(), plain.data(), plain.byteSize()) == 0);
    }
    InputTypes types;
    for (size_t i = 0; i < feeds.size(); ++i)
        types[convs->inputs()[i]->name()] = {{DType::Float32, feeds[i].shape()}};
    const auto compiled = ExecutionPlan::compile(*convs, types, ops_.catalog, ops_.cpuKernels);
    QVERIFY(std::ranges::any_of(compiled->steps(), [](const auto& s) { return s.op == "Layout"; }));
    for (const auto& step : compiled->steps()) {
        const auto& scratch = compiled->buffers()[step.scratchBuffer];
        const size_t bytes = step.scratchBuffer == 0 ? 0 : scratch.type.byteSize();
        QCOMPARE(bytes, step.kernel->traits().scratchBytes);
    }
}

/// Only the maximum needs plain images.
void PlanPassTest::squeezeAndExcitationNeedsNoRearranging() {
    const std::shared_ptr<const Graph> convs = graph(kSqueezeAndExcitation);
    InputTypes types;
    for (const Value* input : convs->inputs())
        types[input->name()] = {{DType::Float32, *concreteShape(*input->type().shape)}};
    const auto compiled = ExecutionPlan::compile(*convs, types, ops_.catalog, ops_.cpuKernels);
    QCOMPARE(std::ranges::count(compiled->steps(), "Layout", &ExecutionPlan::Step::op), 1);
}

/// Which steps run on parts of the results of others, and which do not.
void PlanPassTest::epiloguesGiveTheSameBits_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        QTest::newRow(name) << QString(
                                   "(float[6, 5, 9, 7] x, float[8, 5, 3, 3] w, float[8] v, "
                                   "float[6, 8, 7, 5] y, float[8, 5, 3, 3] u, "
                                   "float[8, 1, 1] k, float[7, 5] l) => ") +
                                   nodes
                            << steps;
    };
    row("a chain behind a convolution", "(c) { a = Conv(x, w, v)  b = Relu(a)  c = Mul(b, y) }",
        {"Conv+Relu+Mul"});
    row("its output is read elsewhere",
        "(b, s) { a = Conv(x, w, v)  b = Relu(a)  s = ReduceSum(a) }", {"Conv+Relu", "ReduceSum"});
    row("its output is given out", "(a, b) { a = Conv(x, w, v)  b = Relu(a) }", {"Conv+Relu"});
    row("an input made behind it",
        "(c, d) { a = Conv(x, w, v)  b = Conv(x, u, v)  c = Add(a, b)  d = Neg(b) }",
        {"Conv", "Conv+Add+Neg"});
    row("an array that both read",
        "(c) { a = Relu(y)  b = ConvTranspose(a, w)  r = Sub(x, b)  c = Mul(r, x) }",
        {"Relu", "ConvTranspose+Sub+Mul"});
    row("a number for each channel", "(b) { a = Conv(x, w, v)  b = Mul(a, k) }", {"Conv+Mul"});
    row("a chain with one image for all", "(c) { a = Conv(x, w, v)  b = Add(a, l)  c = Relu(b) }",
        {"Conv+Add+Relu"});
    row("a number of its output", "(c) { a = Conv(x, w, v)  s = ReduceMax(a)  c = Sub(a, s) }",
        {"Conv", "ReduceMax", "Sub"});
    row("batch normalization and gradients", R"((dx, dw, dscale, db) {
        a = Conv(x, w)
        b, m2, v2, m, r = com.microsoft.BatchNormInternal<training_mode = 1>(a, v, v, v, v)
        c = Relu(b)  e = Mul(c, y)  f = com.microsoft.ReluGrad(e, c)
        da, dscale, db = com.microsoft.BatchNormalizationGrad<epsilon = 0.00001>(f, a, v, m, r)
        g = Mul(da, y)
        dh, dw = com.microsoft.ConvGrad<kernel_shape = [3, 3]>(g, x, w)  dx = Sub(dh, x) })",
        {"Conv", "BatchNormInternal+Relu+Mul+ReluGrad", "BatchNormalizationGrad+Mul",
         "ConvGrad+Sub"});
}

void PlanPassTest::epiloguesGiveTheSameBits() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    const std::shared_ptr<const Graph> parsed = graph(nodes.toStdString());
    InputTypes types;
    std::vector<Tensor> feeds;
    for (const Value* input : parsed->inputs()) {
        feeds.emplace_back(DType::Float32, *concreteShape(*input->type().shape));
        types[input->name()] = {{DType::Float32, feeds.back().shape()}};
        Random random(feeds.size());
        for (float& value : feeds.back().mutableValues<float>())
            value = 2 * random.uniform() - 0.5F;
    }
    QStringList found;
    const auto compiled = ExecutionPlan::compile(*parsed, types, ops_.catalog, ops_.cpuKernels);
    for (const auto& step : compiled->steps())
        found << QString::fromStdString(step.op).remove("com.microsoft.");
    QCOMPARE(found, steps);
    std::vector<std::vector<Tensor>> results;
    for (const auto& [without, threads] :
         {std::pair(std::vector<std::string>(), 1), std::pair(std::vector<std::string>(), 3),
          std::pair(allPasses(), 2)}) {
        ThreadPool pool(threads);
        GraphRunner runner(parsed, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {.withoutPasses = without});
        std::vector<Tensor> inputs;
        for (const Tensor& feed : feeds) inputs.push_back(feed.clone());
        results.emplace_back();
        for (const Tensor& output : runner.run(inputs)) results.back().push_back(output.clone());
    }
    for (const auto& other : {results[1], results[2]}) {
        for (size_t i = 0; i < other.size(); ++i)
            QVERIFY(std::memcmp(results[0][i].data(), other[i].data(), other[i].byteSize()) == 0);
    }
}

void PlanPassTest::onlyPartwiseStepsAreEpilogues_data() {
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<QString>("reader");
    QTest::addColumn<QStringList>("steps");
    QTest::newRow("an activation") << qint64{2} << "Relu" << QStringList{"BatchNormalization+Relu"};
    for (const qint64 batch : {2, 0}) {
        QTest::addRow("a sum, batch of %lld", batch)
            << batch << "ReduceSum" << QStringList{"BatchNormalization", "ReduceSum"};
    }
}

/// A sum has no parts, not even over an empty array.
void PlanPassTest::onlyPartwiseStepsAreEpilogues() {
    QFETCH(qint64, batch);
    QFETCH(QString, reader);
    const auto parsed = graph(
        "(float[N, 3, 4, 4] x, float[3] s) => (z) "
        "{ y = BatchNormalization(x, s, s, s, s)  z = " +
        reader.toStdString() + "(y) }");
    const InputTypes types = {{"x", {{DType::Float32, {batch, 3, 4, 4}}}},
                              {"s", {{DType::Float32, {3}}}}};
    const auto compiled = ExecutionPlan::compile(*parsed, types, ops_.catalog, ops_.cpuKernels);
    QStringList found;
    for (const auto& step : compiled->steps()) found << QString::fromStdString(step.op);
    QTEST(found, "steps");
}

void PlanPassTest::productsWithConstantsHaveEpilogues_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const auto row = [](const char* name, const char* nodes, const QStringList& steps) {
        QTest::newRow(name)
            << QString(
                   "(float[3, 30, 70] x, float[70, 410] w, float[410] v, float[90, 70] z, "
                   "float[3, 30, 410] r) => ") +
                   nodes
            << steps;
    };
    row("bias and activation", "(b) { a = MatMul(x, w)  c = Add(a, v)  b = Relu(c) }",
        {"MatMul+Add+Relu"});
    row("and what is added to it",
        "(d) { a = MatMul(x, w)  b = Add(v, a)  c = Tanh(b)  d = Add(c, r) }",
        {"MatMul+Add+Tanh+Add"});
    row("read elsewhere, too", "(b, s) { a = MatMul(x, w)  b = Relu(a)  s = ReduceSum(a) }",
        {"MatMul+Relu", "ReduceSum"});
    row("Gemm", "(b) { a = Gemm<beta = 2.0>(z, w, v)  b = Sigmoid(a) }", {"Gemm+Sigmoid"});
    row("a whole row", "(b) { a = MatMul(x, w)  b = Softmax(a) }", {"MatMul", "Softmax"});
}

void PlanPassTest::productsWithConstantsHaveEpilogues() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    auto parsed = graph(nodes.toStdString());
    for (const char* name : {"w", "v"}) {
        Tensor values(DType::Float32, *concreteShape(*parsed->at(name)->type().shape));
        Random random(9);
        for (float& value : values.mutableValues<float>()) value = random.uniform() - 0.5F;
        parsed->inputToInitializer(parsed->at(name), values);
    }
    InputTypes types;
    for (const Value* input : parsed->inputs())
        types[input->name()] = {{DType::Float32, *concreteShape(*input->type().shape)}};
    const auto compiled = ExecutionPlan::compile(*parsed, types, ops_.catalog, ops_.cpuKernels);
    QStringList found;
    for (const auto& step : compiled->steps()) found << QString::fromStdString(step.op);
    QCOMPARE(found, steps);
    const std::shared_ptr<const Graph> shared = std::move(parsed);
    const std::vector<Tensor> fused = run(shared, 3, {}), single = run(shared, 1, allPasses());
    for (size_t i = 0; i < fused.size(); ++i)
        QVERIFY(std::memcmp(fused[i].data(), single[i].data(), fused[i].byteSize()) == 0);
}

/// Forward and backward: the bits differ, within the rounding errors of Winograd's algorithm.
void PlanPassTest::fewerOperationsGiveTheSameNumbers() {
    const std::shared_ptr<const Graph> convs = graph(R"((float[4, 32, 28, 30] x,
        float[64, 32, 3, 3] w, float[64] bias, float[4, 64, 28, 30] dy) => (y, dx, dw) {
        y = Conv<pads = [1, 1, 1, 1]>(x, w, bias)
        dx, dw = com.microsoft.ConvGrad<pads = [1, 1, 1, 1]>(dy, x, w) })");
    InputTypes types;
    std::vector<Tensor> feeds;
    for (const Value* input : convs->inputs()) {
        feeds.emplace_back(DType::Float32, *concreteShape(*input->type().shape));
        types[input->name()] = {{DType::Float32, feeds.back().shape()}};
        Random random(feeds.size());
        for (float& value : feeds.back().mutableValues<float>()) value = random.uniform() - 0.5F;
    }
    const auto direct = ExecutionPlan::compile(*convs, types, ops_.catalog, ops_.cpuKernels,
                                               {.withoutPasses = allPasses()});
    for (const auto& step : direct->steps())
        QVERIFY(step.kernel->capabilities().blockable->inFewerOperations() != nullptr);
    std::vector<std::vector<Tensor>> results;
    for (const auto& without : {std::vector<std::string>(), {"fewer-operations"}}) {
        ThreadPool pool(2);
        GraphRunner runner(convs, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {.withoutPasses = without});
        results.emplace_back();
        for (const Tensor& output : runner.run(feeds)) results.back().push_back(output.clone());
    }
    for (size_t i = 0; i < results[0].size(); ++i) {
        const auto fewer = results[0][i].values<float>(), all = results[1][i].values<float>();
        double squares = 0, largest = 0;
        for (size_t k = 0; k < all.size(); ++k) {
            squares += static_cast<double>(all[k]) * all[k];
            largest = std::max(largest, std::abs(static_cast<double>(fewer[k]) - all[k]));
        }
        // winograd_test has the errors for many shapes.
        const double usual = std::sqrt(squares / static_cast<double>(all.size()));
        QVERIFY2(largest > 0 && largest < 2.5e-5 * usual,
                 qPrintable(QString::number(largest / usual)));
    }
}

void PlanPassTest::productsReadRoundedNumbers_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QStringList>("steps");
    const QString product =
        "(float[8, 16] x, float[16, 16] w) => (y) {"
        " a = Exp(x)  b = MatMul(a, w)  y = Neg(b) }";
    QTest::newRow("a product") << product << QStringList{"Cast", "Exp+Cast", "MatMul", "Neg"};
    // Scores are not kept, whatever the precision.
    QTest::newRow("attention") << "(float[2, 8, 4] q, float[2, 8, 4] k, float[2, 8, 4] v) => (y) {"
                                  " t = Transpose<perm = [0, 2, 1]>(k)  s = MatMul(q, t)"
                                  " p = Softmax(s)  y = MatMul(p, v) }"
                               << QStringList{"temper.BlockAttention"};
}

void PlanPassTest::productsReadRoundedNumbers() {
    QFETCH(QString, nodes);
    QFETCH(QStringList, steps);
    const auto parsed = graph(nodes.toStdString());
    InputTypes types;
    for (const Value* input : parsed->inputs())
        types[input->name()] = {{DType::Float32, *concreteShape(*input->type().shape)}};
    QStringList found;
    const auto compiled =
        ExecutionPlan::compile(*parsed, types, ops_.catalog, ops_.cpuKernels,
                               {.multipliesBFloat16 = true, .isAttentionAlwaysInBlocks = true});
    for (const auto& step : compiled->steps()) found << QString::fromStdString(step.op);
    found.sort();
    QCOMPARE(found, steps);
}

void PlanPassTest::gradientsAreWrittenIntoTheirAccumulators_data() {
    QTest::addColumn<QString>("graph");
    QTest::addColumn<QStringList>("steps");
    const QString inputs =
        "(float[6, 40] x, float[6, 40] y, float[40, 40] a, float[40] b, "
        "float[40, 40] c, bool[1] reset, bool[1] other) ";
    const QString add = "com.microsoft.InPlaceAccumulatorV2";
    const auto row = [&](const char* name, const QString& nodes, const QStringList& steps) {
        QTest::newRow(name) << inputs + QString(nodes).replace("add(", add + "(")
                            << QStringList(steps).replaceInStrings("add", add);
    };
    row("a product", "=> (p) { w = Gemm<transA = 1>(x, y)  p = add(a, w, reset) }", {"Gemm+add"});
    row("a sum", "=> (p) { w = ReduceSum<keepdims = 0>(x, axis)  p = add(b, w, reset) }",
        {"ReduceSum+add"});
    row("two results of one step",
        "=> (p, q) { w, v = Split<axis = 0>(z)  p = add(a, w, reset)  q = add(c, v, reset) "
        " z = Concat<axis = 0>(s, s)  s = Gemm<transA = 1>(x, y) }",
        {"Gemm", "Concat", "Split+add+add"});
    row("a result in its operand's memory",
        "=> (p, k) { r = Gemm<transA = 1>(y, x)  s = Gemm<transA = 1>(x, y)  w = Neg(s) "
        " p = add(a, w, reset)  k = CumSum(r, axis) }",
        {"Gemm", "Gemm", "Neg+add", "CumSum"});
    row("two flags",
        "=> (p, q) { s = Gemm<transA = 1>(x, y)  z = Concat<axis = 0>(s, s) "
        " w, v = Split<axis = 0>(z)  p = add(a, w, reset)  q = add(c, v, other) }",
        {"Gemm", "Concat", "Split+add", "add"});
    row("another reader",
        "=> (p, n) { w = Gemm<transA = 1>(x, y)  p = add(a, w, reset)  n = Neg(w) }",
        {"Gemm", "add", "Neg"});
    row("given out", "=> (p, w) { w = Gemm<transA = 1>(x, y)  p = add(a, w, reset) }",
        {"Gemm", "add"});
    row("always added", "=> (p) { w = Gemm<transA = 1>(x, y)  p = add(a, w) }", {"Gemm", "add"});
    row("the sum is read",
        "=> (p, n) { w = Gemm<transA = 1>(x, y)  p, t = add(a, w, reset)  n = Neg(t) }",
        {"Gemm", "add", "Neg"});
    row("repeated",
        "=> (p) { w = Gemm<transA = 1>(x, y)  v = ReduceSum<keepdims = 0>(w, axis) "
        " p = add(c, v, reset) }",
        {"Gemm", "ReduceSum", "add"});
}

/// Overwritten, added and added again: buffers and outputs have the same bits as without the pass.
void PlanPassTest::gradientsAreWrittenIntoTheirAccumulators() {
    QFETCH(QString, graph);
    QFETCH(QStringList, steps);
    auto parsed = this->graph(QString(graph).replace(") =>", ", int64[1] axis) =>").toStdString());
    parsed->inputToInitializer(parsed->at("axis"), Tensor::of<int64_t>({1}, {0}));
    const std::shared_ptr<const Graph> shared = std::move(parsed);
    std::vector<std::vector<Tensor>> results;
    for (const auto& without : {std::vector<std::string>(), {"write-accumulators"}}) {
        InputTypes types;
        std::vector<Tensor> feeds;
        for (const Value* input : shared->inputs()) {
            feeds.emplace_back(input->type().dtype, *concreteShape(*input->type().shape));
            types[input->name()] = {{feeds.back().dtype(), feeds.back().shape()}};
            if (feeds.back().dtype() != DType::Float32) continue;
            Random random(feeds.size());
            for (float& value : feeds.back().mutableValues<float>()) value = random.uniform();
        }
        QStringList found;
        const auto compiled = ExecutionPlan::compile(*shared, types, ops_.catalog, ops_.cpuKernels,
                                                     {.withoutPasses = without});
        for (const auto& step : compiled->steps()) found << QString::fromStdString(step.op);
        if (without.empty()) QCOMPARE(found, steps);
        ThreadPool pool(2);
        GraphRunner runner(shared, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool,
                           {.withoutPasses = without});
        results.emplace_back();
        for (const bool reset : {true, false, false, true}) {
            for (Tensor& feed : feeds) {
                if (feed.dtype() == DType::Bool) *feed.mutableValues<bool>().data() = reset;
            }
            for (const Tensor& output : runner.run(feeds)) results.back().push_back(output.clone());
            for (const Tensor& feed : feeds) results.back().push_back(feed.clone());
        }
    }
    QCOMPARE(results[0].size(), results[1].size());
    for (size_t i = 0; i < results[0].size(); ++i) {
        QVERIFY(std::memcmp(results[0][i].data(), results[1][i].data(), results[0][i].byteSize()) ==
                0);
    }
}

void PlanPassTest::unknownPassesAreRefused() {
    try {
        requirePlanPasses({"fuse-elementwise", "fuse-everything"});
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("Unknown pass 'fuse-everything'"), error.what());
        QVERIFY2(QString(error.what()).contains("fuse-elementwise"), error.what());
    }
}

void PlanPassTest::theGraphIsChangedBeforeItsPlanIsMade() {
    QVERIFY(std::ranges::is_partitioned(
        planPasses(), [](const PlanPass& pass) { return pass.rewrite != nullptr; }));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::PlanPassTest)
#include "plan_pass_test.moc"
