// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>
#include <string>

#include "engine/onnx/graph_text.h"
#include "engine/runtime/graph_runner.h"

namespace temper::test {

/// Operators of the domain "toy", just enough to show what a plan does.
struct ToyOps {
    OpCatalog catalog;
    KernelRegistry kernels;

    ToyOps() {
        addElementwise("Double", [](const RunContext& c, int64_t n) {
            for (int64_t i = 0; i < n; ++i) c.out<float>(0)[i] = 2 * c.in<float>(0)[i];
        });
        addElementwise("Add", [](const RunContext& c, int64_t n) {
            for (int64_t i = 0; i < n; ++i)
                c.out<float>(0)[i] = c.in<float>(0)[i] + c.in<float>(1)[i];
        });
        addElementwise("Overflow", [](const RunContext& c, int64_t n) {
            for (int64_t i = 0; i < n; ++i) c.out<float>(0)[i] = c.in<float>(0)[i] * 1e38F * 10;
        });
        add("View", sameType, [](const PrepareContext&) {
            return makeKernel([](const RunContext&) { std::abort(); }, {.views = {{0, 0}}});
        });
        add("Refuse", sameType, [](const PrepareContext&) {
            return makeKernel([](const RunContext&) {
                throw Error(ErrorCode::InvalidInput, "Label 7 is outside [0, 3).");
            });
        });
        add("Dice", sameType, [](const PrepareContext& context) {
            const int64_t n = context.output(0).numElements();
            return makeKernel(
                [n](const RunContext& c) {
                    for (int64_t i = 0; i < n; ++i) {
                        c.out<float>(0)[i] = static_cast<float>(c.seed() % 1000003);
                    }
                },
                {.isRandom = true});
        });
        add("Accumulate", flagType, [](const PrepareContext& context) {
            const int64_t n = context.input(0).numElements();
            return makeKernel(
                [n](const RunContext& c) {
                    for (int64_t i = 0; i < n; ++i) c.mutableIn<float>(0)[i] += c.in<float>(1)[i];
                    c.out<bool>(0)[0] = true;
                },
                {.mutatedInputs = {0}});
        });
        add("Pack", sequenceType, [](const PrepareContext& context) {
            KernelTraits traits;
            for (size_t i = 0; i < context.inputCount(); ++i) traits.views.emplace_back(i, 0);
            return makeKernel([](const RunContext&) {}, traits);
        });
        add("Total", scalarType,
            [](const PrepareContext& context) {
                std::vector<int64_t> counts;
                for (const TensorType& t : context.sequence(0)) counts.push_back(t.numElements());
                return makeKernel([counts](const RunContext& c) {
                    float sum = 0;
                    for (size_t e = 0; e < c.sequenceLength(0); ++e) {
                        for (int64_t i = 0; i < counts[e]; ++i) sum += c.sequence<float>(0, e)[i];
                    }
                    c.out<float>(0)[0] = sum;
                });
            },
            {.sequenceInputs = {0}});
        add(
            "Unknown", [](InferenceContext& c) { c.setOutput(0, DType::Float32, std::nullopt); },
            [](const PrepareContext&) { return makeKernel([](const RunContext&) {}); });
    }

private:
    static void sameType(InferenceContext& c) { c.setOutput(0, c.inputType(0)); }
    static void flagType(InferenceContext& c) {
        c.setOutput(0, DType::Bool, SymbolicShape{Dim::of(1)});
    }
    static void scalarType(InferenceContext& c) { c.setOutput(0, DType::Float32, SymbolicShape{}); }
    static void sequenceType(InferenceContext& c) {
        c.setOutput(0, ValueType{DType::Float32, std::nullopt, true});
    }

    void add(const std::string& op, TypeInference infer, KernelFactory factory,
             OperatorFacts facts = {}) {
        OpInfo info;
        info.domain = "toy";
        info.opType = op;
        info.infer = std::move(infer);
        catalog.add(std::move(info), std::move(facts));
        kernels.add("toy", op, std::move(factory));
    }

    template <typename F>
    void addElementwise(const std::string& op, F body) {
        add(op, sameType, [body](const PrepareContext& context) {
            const int64_t n = context.output(0).numElements();
            return makeKernel([body, n](const RunContext& c) { body(c, n); },
                              {.mayShare = {{0, 0}}});
        });
    }
};

class ExecutionPlanTest : public QObject {
    Q_OBJECT

private slots:
    void aChainRunsInPlaceInOneBuffer();
    void anInputThatIsReadAgainIsNotOverwritten();
    void viewsCostNoStepAndKeepTheirOwnShape();
    void constantsAreComputedOnce();
    void constantsThatAreWrittenToStartAfreshInEachRun();
    void accumulatorsRunRightAfterTheProducerOfTheirInput();
    void sequencesAreTheMemoryOfTheirParts();
    void eachShapeGetsItsOwnPlan();
    void randomNodesDrawByNameAndSeed();
    void theFirstNonFiniteNodeIsNamed();
    void errors_data();
    void errors();
    void anErrorOfAKernelNamesItsNode();

private:
    std::shared_ptr<const ExecutionPlan> plan(const std::string& text, const Shape& shape) {
        const auto graph = parseText(text);
        return ExecutionPlan::compile(*graph, {{"x", {{DType::Float32, shape}}}}, ops_.catalog,
                                      ops_.kernels);
    }
    GraphRunner runner(const std::string& text) {
        return {std::shared_ptr<const Graph>(parseText(text)), ops_.catalog, ops_.kernels,
                std::make_shared<Arena>(), pool_};
    }

    ToyOps ops_;
    ThreadPool pool_{1};
};

std::vector<float> floats(const Tensor& tensor) {
    const auto values = tensor.values<float>();
    return {values.begin(), values.end()};
}

void ExecutionPlanTest::aChainRunsInPlaceInOneBuffer() {
    const auto compiled = plan(R"(g (float[N] x) => (d) {
        a = toy.Double(x)  b = toy.Double(a)  c = toy.Double(b)  d = toy.Double(c) })",
                               {256});
    QCOMPARE(compiled->steps().size(), size_t{4});
    QCOMPARE(compiled->arenaBytes(), 256 * sizeof(float));
}

void ExecutionPlanTest::anInputThatIsReadAgainIsNotOverwritten() {
    GraphRunner run = runner(R"(g (float[N] x) => (c) {
        a = toy.Double(x)  b = toy.Double(a)  c = toy.Add(a, b) })");
    const Tensor x = Tensor::of<float>({2}, {1, 10});
    QCOMPARE(floats(run.run({&x, 1})[0]), (std::vector<float>{6, 60}));
    QCOMPARE(floats(x), (std::vector<float>{1, 10}));
}

void ExecutionPlanTest::viewsCostNoStepAndKeepTheirOwnShape() {
    GraphRunner run = runner(R"(g (float[N] x) => (v, w) {
        a = toy.Double(x)  v = toy.View(a)  w = toy.View(x) })");
    const Tensor x = Tensor::of<float>({3}, {1, 2, 3});
    const auto outputs = run.run({&x, 1});
    QCOMPARE(floats(outputs[0]), (std::vector<float>{2, 4, 6}));
    QVERIFY(outputs[1].data() == x.data());
    const auto compiled = plan("g (float[N] x) => (v) { a = toy.Double(x)  v = toy.View(a) }", {3});
    QCOMPARE(compiled->steps().size(), size_t{1});
}

void ExecutionPlanTest::constantsAreComputedOnce() {
    const auto compiled = plan(R"(g (float[N] x) => (c) <float[2] k = {1.0, 2.0}> {
        a = toy.Double(k)  b = toy.View(a)  c = toy.Add(x, b) })",
                               {2});
    QCOMPARE(compiled->steps().size(), size_t{1});
}

void ExecutionPlanTest::constantsThatAreWrittenToStartAfreshInEachRun() {
    GraphRunner run = runner(R"(g (float[N] x) => (f, k2) <float[2] k = {1.0, 2.0}> {
        f = toy.Accumulate(k, x)  k2 = toy.View(k) })");
    const Tensor x = Tensor::of<float>({2}, {5, 5});
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(floats(run.run({&x, 1})[1]), (std::vector<float>{6, 7}));
    }
}

void ExecutionPlanTest::accumulatorsRunRightAfterTheProducerOfTheirInput() {
    const auto graph = parseText(R"(g (float[N] x, float[N] buffer) => (c, f) {
        a = toy.Double(x)  b = toy.Double(x)  c = toy.Double(b)  f = toy.Accumulate(buffer, a) })");
    const std::vector<TensorType> type = {{DType::Float32, {64}}};
    const auto compiled =
        ExecutionPlan::compile(*graph, {{"x", type}, {"buffer", type}}, ops_.catalog, ops_.kernels);
    QCOMPARE(compiled->steps()[1].op, std::string("toy.Accumulate"));
}

void ExecutionPlanTest::sequencesAreTheMemoryOfTheirParts() {
    GraphRunner run = runner(R"(g (float[N] x) => (t) {
        a = toy.Double(x)  s = toy.Pack(x, a, x)  t = toy.Total(s) })");
    const Tensor x = Tensor::of<float>({2}, {1, 2});
    QCOMPARE(floats(run.run({&x, 1})[0]), (std::vector<float>{12}));
}

void ExecutionPlanTest::eachShapeGetsItsOwnPlan() {
    GraphRunner run = runner("g (float[N] x) => (y) { a = toy.Double(x)  y = toy.Add(a, x) }");
    for (int64_t n : {4, 2, 4, 0, 1}) {
        Tensor x(DType::Float32, {n});
        for (float& value : x.mutableValues<float>()) value = 1;
        const Tensor y = run.run({&x, 1})[0];
        QCOMPARE(y.shape(), Shape{n});
        QCOMPARE(floats(y), std::vector<float>(static_cast<size_t>(n), 3));
    }
}

void ExecutionPlanTest::randomNodesDrawByNameAndSeed() {
    GraphRunner run = runner("g (float[N] x) => (a, b) { a = toy.Dice(x)  b = toy.Dice(x) }");
    const Tensor x = Tensor::of<float>({1}, {0});
    const std::vector<float> first = floats(run.run({&x, 1}, 1)[0]);
    const std::vector<float> again = floats(run.run({&x, 1}, 1)[0]);
    const std::vector<float> other = floats(run.run({&x, 1}, 2)[0]);
    QCOMPARE(again, first);
    QVERIFY(other != first);
}

void ExecutionPlanTest::theFirstNonFiniteNodeIsNamed() {
    GraphRunner run = runner(R"(g (float[N] x) => (y) {
        a = toy.Double(x)  [big] b = toy.Overflow(a)  y = toy.Double(b) })");
    const Tensor fine = Tensor::of<float>({1}, {0.01F});
    QCOMPARE(run.findNonFinite({&fine, 1}), std::string());
    const Tensor large = Tensor::of<float>({1}, {1});
    QVERIFY(run.findNonFinite({&large, 1}).find("Overflow") != std::string::npos);
    const Tensor broken = Tensor::of<float>({1}, {std::numeric_limits<float>::quiet_NaN()});
    QCOMPARE(run.findNonFinite({&broken, 1}), std::string("input 'x'"));
}

void ExecutionPlanTest::errors_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("another element type") << "g (int64[2] x) => (y) { y = toy.Double(x) }"
                                          << "Input 'x' is float32[2]; the model expects int64[2].";
    QTest::newRow("another rank") << "g (float[N, 3] x) => (y) { y = toy.Double(x) }"
                                  << "Input 'x' is float32[2]; the model expects float32[N, 3].";
    QTest::newRow("another size") << "g (float[3] x) => (y) { y = toy.Double(x) }"
                                  << "Input 'x' is float32[2]; the model expects float32[3].";
    QTest::newRow("a missing input") << "g (float[2] x, float[2] z) => (y) { y = toy.Add(x, z) }"
                                     << "Input 'z' (float32[2]) is missing.";
    QTest::newRow("an unknown operator") << "g (float[2] x) => (y) { y = toy.Nonsense(x) }"
                                         << "Operator toy.Nonsense is not supported";
    QTest::newRow("a shape that depends on data") << "g (float[2] x) => (y) { y = toy.Unknown(x) }"
                                                  << "depends on input data";
}

void ExecutionPlanTest::errors() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    try {
        plan(text.toStdString(), {2});
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
        QVERIFY(!error.hint().empty());
    }
}

void ExecutionPlanTest::anErrorOfAKernelNamesItsNode() {
    GraphRunner run = runner("g (float[N] x) => (y) { y = toy.Refuse(x) }");
    const Tensor x = Tensor::of<float>({1}, {0});
    try {
        run.run({&x, 1});
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("Refuse"), error.what());
        QVERIFY2(QString(error.what()).contains("Label 7 is outside"), error.what());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ExecutionPlanTest)
#include "execution_plan_test.moc"
