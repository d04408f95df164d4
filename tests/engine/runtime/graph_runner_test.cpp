// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/graph_runner.h"
#include "engine/runtime/specialization.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ops/op_set.h"

namespace temper::test {

/// Graphs whose shapes depend on data, and control flow.
class GraphRunnerTest : public QObject {
    Q_OBJECT

private slots:
    void shapesMayDependOnData_data();
    void shapesMayDependOnData();
    void theSameDataCompilesNothingAgain();
    void dataThatDecidesMayChange();
    void aChainOfDecisionsIsFollowed();
    void fixedInputsMayDecide();
    void aNodeWithAnOutputThatDecidesMakesTheOthers();
    void loopsRunToTheirLimitOrCondition_data();
    void loopsRunToTheirLimitOrCondition();
    void bodiesReadTheValuesAroundThem();
    void sequencesOfAnyLengthAreFed();
    void tensorsOfASequenceHaveItsType_data();
    void tensorsOfASequenceHaveItsType();
    void optionalsAreFedOrNot();
    void outputsThatAreNoTensorsAreNamed();
    void halfPrecisionIsComputedInFloat32_data();
    void halfPrecisionIsComputedInFloat32();
    void errorsNameTheNode();
    void aModelThatIsCutOffWhileItRunsIsNamed();

private:
    GraphRunner runner(const std::string& text) {
        return {std::shared_ptr<const Graph>(
                    parseText("<ir_version: 8, opset_import: [\"\": 17]> g " + text)),
                ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool_};
    }

    OpSet ops_ = standardOps();
    ThreadPool pool_{2};
};

std::vector<float> numbers(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::Float32);
    const auto values = wide.values<float>();
    return {values.begin(), values.end()};
}

Tensor floats(std::initializer_list<float> values) {
    return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

Tensor integers(std::initializer_list<int64_t> values) {
    return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

/// The maxima are known, but their indices are needed, too.
void GraphRunnerTest::aNodeWithAnOutputThatDecidesMakesTheOthers() {
    const auto graph = parseText(
        "<ir_version: 8, opset_import: [\"\": 17]> g (float[1, 1, 2] x) => (float[1, 1, 1] z, "
        "int64[1, 1, 1] i) { y, i = MaxPool<kernel_shape = [2]>(x) z = Neg(y) }");
    std::shared_ptr<const Graph> special =
        specialize(*graph, {{"y", Tensor::of<float>({1, 1, 1}, {7})}}, ops_.catalog,
                   ops_.cpuKernels, pool_, 0);
    GraphRunner runner(special, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool_);
    const std::vector<Tensor> feeds{Tensor::of<float>({1, 1, 2}, {4, 7})};
    const std::span<const Tensor> outputs = runner.run(feeds);
    QCOMPARE(numbers(outputs[0]), std::vector<float>{-7});
    QCOMPARE(numbers(outputs[1]), std::vector<float>{1});
}

void GraphRunnerTest::shapesMayDependOnData_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QList<qint64>>("shape");
    QTest::addColumn<QList<float>>("expected");
    const auto row = [](const char* name, const char* nodes, const QList<qint64>& shape,
                        const QList<float>& expected) {
        QTest::newRow(name) << QString(nodes) << shape << expected;
    };
    row("a fed shape", "y = Reshape(x, n)", {2, 2}, {1, 0, 3, 0});
    row("a computed shape", "m = Mul(n, n)  y = Expand(x, m)", {4, 4},
        {1, 0, 3, 0, 1, 0, 3, 0, 1, 0, 3, 0, 1, 0, 3, 0});
    row("NonZero", "i = NonZero(x)  y = Cast<to = 1>(i)", {1, 2}, {0, 2});
    row("Compress", "b = Cast<to = 9>(x)  y = Compress(x, b)", {2}, {1, 3});
    row("Unique", "y = Unique(x)", {3}, {0, 1, 3});
    row("Unique, unsorted", "y, f, i, c = Unique<sorted = 0>(x)", {3}, {1, 0, 3});
    row("Range",
        "l = ReduceSum<keepdims = 0>(x)  a = Constant<value_float = 1.0>()  "
        "y = Range(a, l, a)",
        {3}, {1, 2, 3});
    row("behind NonZero", "i = NonZero(x)  t = Transpose(i)  g = GatherND(x, t)  y = Add(g, g)",
        {2}, {2, 6});
}

void GraphRunnerTest::shapesMayDependOnData() {
    QFETCH(QString, nodes);
    QFETCH(QList<qint64>, shape);
    QFETCH(QList<float>, expected);
    GraphRunner run = runner("(float[4] x, int64[2] n) => (y) {" + nodes.toStdString() + "}");
    const std::vector<Tensor> feeds{floats({1, 0, 3, 0}), integers({2, 2})};
    const Tensor y = run.run(feeds).front();
    QCOMPARE(y.shape(), Shape(shape.begin(), shape.end()));
    QCOMPARE(numbers(y), std::vector<float>(expected.begin(), expected.end()));
}

void GraphRunnerTest::theSameDataCompilesNothingAgain() {
    GraphRunner run =
        runner("(float[N] x, int64[2] n) => (y) { r = Reshape(x, n)  y = Add(r, r) }");
    const std::vector<Tensor> feeds{floats({1, 2, 3, 4}), integers({2, 2})};
    const std::byte* first = run.run(feeds).front().data();
    QCOMPARE(run.run(feeds).front().data(), first);
}

void GraphRunnerTest::dataThatDecidesMayChange() {
    GraphRunner run = runner("(float[N] x) => (y) { b = Cast<to = 9>(x)  y = Compress(x, b) }");
    for (const auto& [given, expected] :
         std::vector<std::pair<Tensor, std::vector<float>>>{{floats({1, 0, 2}), {1, 2}},
                                                            {floats({0, 0, 0}), {}},
                                                            {floats({1, 0, 2}), {1, 2}},
                                                            {floats({3, 4}), {3, 4}}}) {
        QCOMPARE(numbers(run.run({&given, 1}).front()), expected);
    }
}

void GraphRunnerTest::aChainOfDecisionsIsFollowed() {
    GraphRunner run = runner(R"((float[N] x) => (y) {
        b = Cast<to = 9>(x)  c = Compress(x, b)
        one = Constant<value_float = 1.0>()  d = Sub(c, one)  e = Cast<to = 9>(d)
        f = Compress(d, e)  y = Mul(f, f) })");
    const Tensor x = floats({0, 1, 3, 0, 5});
    QCOMPARE(numbers(run.run({&x, 1}).front()), (std::vector<float>{4, 16}));
}

void GraphRunnerTest::fixedInputsMayDecide() {
    GraphRunner run = runner("(float[N] x, int64[2] n) => (y) { y = Reshape(x, n) }");
    run.bindFixed("n", {integers({3, 1})});
    const Tensor x = floats({1, 2, 3});
    QCOMPARE(run.run({&x, 1}).front().shape(), (Shape{3, 1}));
}

/// A body that adds 1 to its state, collects it, and continues while it is below 4.
constexpr const char* kCountingBody = R"(
    <body = b (int64 i, bool c, float s) => (bool go, float next, float seen) {
        one = Constant<value_float = 1.0>()  next = Add(s, one)  seen = Identity(next)
        four = Constant<value_float = 4.0>()  go = Less(next, four) }>)";

void GraphRunnerTest::loopsRunToTheirLimitOrCondition_data() {
    QTest::addColumn<QString>("loop");
    QTest::addColumn<float>("last");
    QTest::addColumn<int>("iterations");
    QTest::newRow("limit") << "two" << 2.F << 2;
    QTest::newRow("condition") << "ten" << 4.F << 4;
    QTest::newRow("no limit") << "\"\"" << 4.F << 4;
    QTest::newRow("none") << "zero" << 0.F << 0;
}

void GraphRunnerTest::loopsRunToTheirLimitOrCondition() {
    QFETCH(QString, loop);
    QFETCH(float, last);
    QFETCH(int, iterations);
    GraphRunner run = runner(
        "(float s) => (last, all) { zero = Constant<value = int64 {0}>()  "
        "two = Constant<value = int64 {2}>()  ten = Constant<value = int64 {10}>()  "
        "yes = Constant<value = bool {1}>()  last, all = Loop " +
        std::string(kCountingBody) + "(" + loop.toStdString() + ", yes, s) }");
    const Tensor start = Tensor::scalar<float>(0);
    const auto outputs = run.run({&start, 1});
    QCOMPARE(outputs[0].toDouble(), static_cast<double>(last));
    QCOMPARE(outputs[1].numElements(), static_cast<int64_t>(iterations));
}

void GraphRunnerTest::bodiesReadTheValuesAroundThem() {
    GraphRunner run = runner(R"((float[2] x, bool c) => (y) {
        k = Constant<value_float = 3.0>()  m = Mul(x, k)
        y = If <then_branch = t () => (float[2] a) { a = Add(m, k) },
                else_branch = e () => (float[2] b) { b = Sub(m, k) }> (c) })");
    const std::vector<Tensor> yes{floats({1, 2}), Tensor::scalar<bool>(true)};
    QCOMPARE(numbers(run.run(yes).front()), (std::vector<float>{6, 9}));
    const std::vector<Tensor> no{floats({1, 2}), Tensor::scalar<bool>(false)};
    QCOMPARE(numbers(run.run(no).front()), (std::vector<float>{0, 3}));
}

void GraphRunnerTest::sequencesOfAnyLengthAreFed() {
    GraphRunner run = runner(R"((seq(float[]) s, float[N] x, int64 p) => (t, n) {
        t = SequenceInsert(s, x, p)  n = SequenceLength(t) })");
    const ValueData last{Tensor::scalar<int64_t>(-1)};
    for (const std::vector<Tensor>& given :
         {std::vector<Tensor>{floats({1}), floats({2, 3})},
          std::vector<Tensor>{floats({1}), floats({4}), floats({5, 6})},
          std::vector<Tensor>{floats({7}), floats({8, 9})}}) {
        const std::vector<ValueData> feeds{ValueData::sequence(given), floats({0}), last};
        const std::vector<ValueData> outputs = run.runOn(feeds);
        QVERIFY(outputs[0].isSequence && outputs[1].isTensor());
        QCOMPARE(outputs[1].tensor().toInt64(), static_cast<int64_t>(given.size() + 1));
        std::vector<Tensor> expected = given;
        expected.insert(expected.end() - 1, floats({0}));
        QCOMPARE(outputs[0].tensors.size(), expected.size());
        for (size_t i = 0; i < expected.size(); ++i)
            QCOMPARE(numbers(outputs[0].tensors[i]), numbers(expected[i]));
    }
}

void GraphRunnerTest::tensorsOfASequenceHaveItsType_data() {
    QTest::addColumn<std::vector<Tensor>>("tensors");
    QTest::addColumn<QString>("found");
    using Tensors = std::vector<Tensor>;
    const Tensor fits(DType::Float32, {2, 3});
    QTest::newRow("as declared") << Tensors{fits, Tensor(DType::Float32, {4, 3})} << "";
    QTest::newRow("none") << Tensors{} << "";
    QTest::newRow("another size") << Tensors{fits, Tensor(DType::Float32, {5, 7})}
                                  << "seq(float32[5, 7])";
    QTest::newRow("another rank") << Tensors{Tensor(DType::Float32, {3}), fits}
                                  << "seq(float32[3])";
    QTest::newRow("another element type")
        << Tensors{Tensor(DType::Int64, {2, 3})} << "seq(int64[2, 3])";
}

void GraphRunnerTest::tensorsOfASequenceHaveItsType() {
    QFETCH(std::vector<Tensor>, tensors);
    QFETCH(QString, found);
    GraphRunner run = runner("(seq(float[N, 3]) s) => (n) { n = SequenceLength(s) }");
    const std::vector<ValueData> feeds{ValueData::sequence(tensors)};
    try {
        const std::vector<ValueData> outputs = run.runOn(feeds);
        QVERIFY(found.isEmpty());
        QCOMPARE(outputs[0].tensor().toInt64(), static_cast<int64_t>(tensors.size()));
    } catch (const Error& error) {
        QVERIFY2(!found.isEmpty(), error.what());
        const QString expected =
            "Input 's' is " + found + "; the model expects seq(float32[N, 3]).";
        QVERIFY2(QString(error.what()).contains(expected), error.what());
    }
}

void GraphRunnerTest::outputsThatAreNoTensorsAreNamed() {
    const auto messageOf = [](GraphRunner run, const Tensor& feed) {
        try {
            run.run(std::vector<Tensor>{feed});
        } catch (const Error& error) {
            return QString::fromStdString(error.message());
        }
        return QString("it ran");
    };
    QCOMPARE(messageOf(runner("(float[N] x) => (y, q) { y = Neg(x)  q = SequenceConstruct(x, y) }"),
                       floats({1, 2})),
             QString("Output 'q' is a sequence; expected a tensor."));
    const char* optional = "(optional(float[2]) o) => (p) { p = Identity(o) }";
    QCOMPARE(messageOf(runner(optional), Tensor()),
             QString("Output 'p' is an optional without content; expected a tensor."));
    QCOMPARE(messageOf(runner(optional), floats({1, 2})), QString("it ran"));
}

void GraphRunnerTest::optionalsAreFedOrNot() {
    GraphRunner run = runner(R"((optional(float[2]) o, float[2] x) => (y, p) {
        h = OptionalHasElement(o)  p = Identity(o)
        y = If <then_branch = t () => (a) { g = OptionalGetElement(o)  a = Mul(g, x) },
                else_branch = e () => (b) { b = Neg(x) }> (h) })");
    const Tensor x = floats({2, 3});
    for (int round = 0; round < 2; ++round) {
        const std::vector<ValueData> without{ValueData(), x};
        const std::vector<ValueData> nothing = run.runOn(without);
        QCOMPARE(numbers(nothing[0].tensor()), (std::vector<float>{-2, -3}));
        QVERIFY(nothing[1].isNothing());
        const std::vector<ValueData> with{floats({4, 5}), x};
        const std::vector<ValueData> product = run.runOn(with);
        QCOMPARE(numbers(product[0].tensor()), (std::vector<float>{8, 15}));
        QCOMPARE(numbers(product[1].tensor()), (std::vector<float>{4, 5}));
    }
    const std::vector<Tensor> wrong{floats({1, 2, 3}), x};
    QVERIFY_EXCEPTION_THROWN(run.run(wrong), Error);
}

void GraphRunnerTest::halfPrecisionIsComputedInFloat32_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<float>("large");
    // The next larger number is 2 away: adding 1 twice changes nothing, but the exact sum is a
    // number.
    QTest::newRow("float16") << static_cast<int>(DType::Float16) << 2048.F;
    QTest::newRow("bfloat16") << static_cast<int>(DType::BFloat16) << 256.F;
}

void GraphRunnerTest::halfPrecisionIsComputedInFloat32() {
    QFETCH(int, dtype);
    QFETCH(float, large);
    const std::string to = std::to_string(dtype);
    GraphRunner run = runner("(float[3] x) => (y) { h = Cast<to = " + to +
                             ">(x)  s = ReduceSum<keepdims = 0>(h)  y = Cast<to = 1>(s) }");
    const Tensor x = floats({large, 1, 1});
    QCOMPARE(run.run({&x, 1}).front().toDouble(), static_cast<double>(large) + 2);
}

void GraphRunnerTest::errorsNameTheNode() {
    GraphRunner run = runner("(float[4] x, int64[2] n) => (y) { y = Reshape(x, n) }");
    const std::vector<Tensor> feeds{floats({1, 0, 3, 0}), integers({3, 3})};
    try {
        run.run(feeds);
        QFAIL("a Reshape to another number of elements was accepted");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("Reshape"), error.what());
    }
}

void GraphRunnerTest::aModelThatIsCutOffWhileItRunsIsNamed() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("model.onnx").toStdString();
    const std::string ones = QString("1, ").repeated(59'999).toStdString() + "1";
    const auto graph = parseText(
        "<ir_version: 8, opset_import: [\"\": 17]> g (float[N, 1] x) => (float[N, 60000] y)"
        "<float[1, 60000] w = {" +
        ones + "}> { y = MatMul(x, w) }");
    saveModel(*graph, path, {.externalData = true});
    const std::shared_ptr<const Graph> model = loadModel(path);
    QVERIFY(QFile::resize(folder.filePath("model.onnx.data"), 200));
    const QString expected = "model.onnx.data' was cut off or replaced";
    const auto messageOf = [](auto&& action) -> QString {
        try {
            action();
        } catch (const Error& error) {
            return QString::fromUtf8(error.what());
        }
        return "no error";
    };
    const QString run = messageOf([&] {
        GraphRunner(model, ops_.catalog, ops_.cpuKernels, std::make_shared<Arena>(), pool_)
            .run(std::vector{Tensor::of<float>({1, 1}, {1})});
    });
    QVERIFY2(run.contains(expected), qPrintable(run));
    const QString save =
        messageOf([&] { saveModel(*model, folder.filePath("copy.onnx").toStdString()); });
    QVERIFY2(save.contains(expected), qPrintable(save));
    QVERIFY(!QFile::exists(folder.filePath("copy.onnx")));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::GraphRunnerTest)
#include "graph_runner_test.moc"
