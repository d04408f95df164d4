// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/hidden_layers.h"

#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/edits/dense_layers.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/training/fixtures.h"
#include "tests/engine/training/lesson_run.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Hidden layers, found, resized, added and removed.
class HiddenLayersTest : public QObject {
    Q_OBJECT

private slots:
    void layersAreFound_data();
    void layersAreFound();
    void theUnitsAreThoseAskedFor_data();
    void theUnitsAreThoseAskedFor();
    void unchangedUnitsChangeNothing();
    void unitsThatStayKeepTheirWeights();
    void anAddedLayerActsAsTheLastOne();
    void theSameSeedGivesTheSameWeights();
    void aResizedModelTrains_data();
    void aResizedModelTrains();
    void unitsAreWrittenAsPeopleType_data();
    void unitsAreWrittenAsPeopleType();
    void whatCannotBeChangedIsNamed_data();
    void whatCannotBeChangedIsNamed();

private:
    static std::unique_ptr<Graph> typed(const QString& text) {
        auto graph = parseText(text.toStdString());
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
    static std::unique_ptr<Graph> lesson(const std::string& name) {
        auto graph = loadLessonModel(findLesson(name));
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
    static std::vector<int64_t> unitsOf(const Graph& graph) {
        std::vector<int64_t> units;
        for (const DenseLayer& layer : findDenseLayers(graph, allOps()->catalog))
            units.push_back(layer.units());
        return units;
    }
    static QString words(const std::vector<int64_t>& units) {
        QStringList list;
        for (const int64_t count : units) list << QString::number(count);
        return list.join(' ');
    }
    static std::vector<int64_t> numbers(const QString& text) {
        std::vector<int64_t> units;
        for (const QString& count : text.split(' ', Qt::SkipEmptyParts))
            units.push_back(count.toLongLong());
        return units;
    }
    /// What the model makes of one sample, computed from its layers in double.
    static std::vector<double> byHand(const Graph& graph, std::vector<double> values);
};

using Matrix = std::vector<std::vector<double>>;

/// A parameter as a matrix; a vector is one row.
Matrix matrixOf(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::Float64);
    const auto columns = static_cast<size_t>(tensor.shape().back());
    Matrix rows;
    for (size_t at = 0; at < wide.values<double>().size(); at += columns) {
        const auto row = wide.values<double>().subspan(at, columns);
        rows.emplace_back(row.begin(), row.end());
    }
    return rows;
}

double activated(const std::string& op, double value) {
    if (op == "Relu") return std::max(0.0, value);
    if (op == "Tanh") return std::tanh(value);
    if (op == "Sigmoid") return 1 / (1 + std::exp(-value));
    throw std::logic_error("no formula for " + op);
}

std::vector<double> HiddenLayersTest::byHand(const Graph& graph, std::vector<double> values) {
    for (const DenseLayer& layer : findDenseLayers(graph, allOps()->catalog)) {
        const Matrix weight = matrixOf(layer.weight->constant());
        const Matrix bias = layer.bias == nullptr ? Matrix{} : matrixOf(layer.bias->constant());
        std::vector<double> next;
        for (size_t unit = 0; unit < static_cast<size_t>(layer.units()); ++unit) {
            double sum = bias.empty() ? 0 : bias.front()[unit];
            for (size_t from = 0; from < values.size(); ++from)
                sum +=
                    values[from] * (layer.unitAxis == 0 ? weight[unit][from] : weight[from][unit]);
            for (const Node* node : layer.activation) sum = activated(node->opType(), sum);
            next.push_back(sum);
        }
        values = std::move(next);
    }
    return values;
}

void HiddenLayersTest::layersAreFound_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("units");
    QTest::addColumn<QString>("outputs");
    QTest::newRow("no hidden layer")
        << "g (float[N, 2] x) => (float[N, 3] y) <float[2, 3] w = {1, 2, 3, 4, 5, 6}>"
           "{ y = MatMul(x, w) }"
        << "3"
        << "y";
    QTest::newRow("Gemm, both ways") << R"(g (float[N, 2] x) => (float[N, 1] y)
        <float[3, 2] v = {1, 2, 3, 4, 5, 6}, float[3] c = {1, 2, 3}, float[3, 1] w = {1, 2, 3}>
        { s = Gemm<transB = 1>(x, v, c) h = Tanh(s) y = Gemm(h, w) })"
                                     << "3 1"
                                     << "h y";
    QTest::newRow("MatMul and Add, dropout") << R"(g (float[N, 2] x) => (float[N, 1] y)
        <float[2, 3] v = {1, 2, 3, 4, 5, 6}, float[3] c = {1, 2, 3}, float[3, 1] w = {1, 2, 3},
         float p = {0.5}>
        { m = MatMul(x, v) s = Add(c, m) r = Relu(s) h = Dropout(r, p) y = MatMul(h, w) })"
                                             << "3 1"
                                             << "h y";
    QTest::newRow("probabilities after the head") << R"(g (float[N, 2] x) => (float[N, 2] y)
        <float[2, 2] v = {1, 2, 3, 4}, float[2, 2] w = {1, 2, 3, 4}>
        { s = MatMul(x, v) h = Sigmoid(s) z = MatMul(h, w) y = Softmax(z) })"
                                                  << "2 2"
                                                  << "h z";
    QTest::newRow("a unit that is also read elsewhere") << R"(g (float[N, 2] x) => (float[N, 2] y)
        <float[2, 2] u = {1, 2, 3, 4}, float[2, 2] v = {1, 2, 3, 4}, float[2, 2] w = {1, 2, 3, 4}>
        { a = MatMul(x, u) b = Relu(a) c = MatMul(b, v) d = Relu(c) e = Add(d, b)
          y = MatMul(e, w) })"
                                                        << "2"
                                                        << "y";
    QTest::newRow("a softmax between") << R"(g (float[N, 2] x) => (float[N, 2] y)
        <float[2, 2] v = {1, 2, 3, 4}, float[2, 2] w = {1, 2, 3, 4}>
        { s = MatMul(x, v) h = Softmax(s) y = MatMul(h, w) })"
                                       << "2"
                                       << "y";
    QTest::newRow("a slope for each unit") << R"(g (float[N, 2] x) => (float[N, 2] y)
        <float[2, 2] v = {1, 2, 3, 4}, float[2] a = {0.1, 0.2}, float[2, 2] w = {1, 2, 3, 4}>
        { s = MatMul(x, v) h = PRelu(s, a) y = MatMul(h, w) })"
                                           << "2"
                                           << "y";
    QTest::newRow("a convolution") << R"(g (float[N, 1, 2, 2] x) => (float[N, 3, 2, 2] y)
        <float[3, 1, 1, 1] w = {1, 2, 3}> { y = Conv(x, w) })"
                                   << ""
                                   << "";
}

void HiddenLayersTest::layersAreFound() {
    QFETCH(QString, model);
    QFETCH(QString, units);
    QFETCH(QString, outputs);
    const auto graph = typed(model);
    QStringList found;
    for (const DenseLayer& layer : findDenseLayers(*graph, allOps()->catalog))
        found << QString::fromStdString(layer.output()->name());
    QCOMPARE(words(unitsOf(*graph)), units);
    QCOMPARE(found.join(' '), outputs);
}

void HiddenLayersTest::theUnitsAreThoseAskedFor_data() {
    QTest::addColumn<QString>("lesson");
    QTest::addColumn<QString>("units");
    for (const char* lesson : {"xor", "spirals", "sine", "iris", "digits"}) {
        for (const char* units : {"", "1", "5", "3 4", "9 2 7", "40 40 40 40"})
            QTest::addRow("%s, %s", lesson, *units == 0 ? "none" : units) << lesson << units;
    }
}

/// The model computes what its layers say, with the layers that were asked for.
void HiddenLayersTest::theUnitsAreThoseAskedFor() {
    QFETCH(QString, lesson);
    QFETCH(QString, units);
    const auto graph = HiddenLayersTest::lesson(lesson.toStdString());
    const int64_t outputs = unitsOf(*graph).back();
    const ValueType before = graph->outputs().front()->type();
    setHiddenUnits(*graph, allOps()->catalog, numbers(units), 1);
    std::vector<int64_t> expected = numbers(units);
    expected.push_back(outputs);
    QCOMPARE(words(unitsOf(*graph)), words(expected));
    QVERIFY(graph->outputs().front()->type() == before);
    if (lesson == "digits") return;  // convolutions come first
    const auto features = findDenseLayers(*graph, allOps()->catalog).front().inputs();
    Tensor sample(DType::Float32, {1, features});
    std::vector<double> values;
    for (float& value : sample.mutableValues<float>()) {
        value = 0.3F - 0.2F * static_cast<float>(values.size());
        values.push_back(double{value});
    }
    const Results results = runGraph(*graph, {{graph->inputs().front()->name(), sample}});
    const Tensor& output = results.at(graph->outputs().front()->name());
    const std::vector<double> byLayers = byHand(*graph, values);
    QCOMPARE(static_cast<size_t>(output.numElements()), byLayers.size());
    for (size_t at = 0; at < byLayers.size(); ++at)
        QVERIFY(std::abs(double{output.values<float>()[at]} - byLayers[at]) < 1e-5);
}

void HiddenLayersTest::unchangedUnitsChangeNothing() {
    const auto graph = lesson("spirals"), same = lesson("spirals");
    std::vector<int64_t> units = unitsOf(*graph);
    units.pop_back();
    setHiddenUnits(*same, allOps()->catalog, units, 7);
    QCOMPARE(toText(*same), toText(*graph));
}

void HiddenLayersTest::unitsThatStayKeepTheirWeights() {
    const auto graph = typed(R"(g (float[N, 2] x) => (float[N, 2] y)
        <float[3, 2] v = {1, 2, 3, 4, 5, 6}, float[3] c = {7, 8, 9},
         float[3, 2] w = {11, 12, 13, 14, 15, 16}, float[2] b = {17, 18}>
        { s = Gemm<transB = 1>(x, v, c) h = Relu(s) y = Gemm(h, w, b) })");
    setHiddenUnits(*graph, allOps()->catalog, {4}, 1);
    const auto numbersOf = [&](const char* name) { return matrixOf(graph->at(name)->constant()); };
    Matrix weight = numbersOf("v"), bias = numbersOf("c"), next = numbersOf("w");
    QCOMPARE(weight.size(), size_t{4});
    QCOMPARE(next.size(), size_t{4});
    const double ownBound = 1 / std::sqrt(2.0), nextBound = 1 / std::sqrt(4.0);
    for (const double fresh : {weight[3][0], weight[3][1], bias[0][3]})
        QVERIFY(fresh != 0 && std::abs(fresh) <= ownBound);
    for (const double fresh : next[3]) QVERIFY(fresh != 0 && std::abs(fresh) <= nextBound);
    weight.pop_back();
    bias[0].pop_back();
    next.pop_back();
    QCOMPARE(weight, (Matrix{{1, 2}, {3, 4}, {5, 6}}));
    QCOMPARE(bias, (Matrix{{7, 8, 9}}));
    QCOMPARE(next, (Matrix{{11, 12}, {13, 14}, {15, 16}}));
    QCOMPARE(numbersOf("b"), (Matrix{{17, 18}}));

    setHiddenUnits(*graph, allOps()->catalog, {2}, 1);
    QCOMPARE(numbersOf("v"), (Matrix{{1, 2}, {3, 4}}));
    QCOMPARE(numbersOf("c"), (Matrix{{7, 8}}));
    QCOMPARE(numbersOf("w"), (Matrix{{11, 12}, {13, 14}}));
}

void HiddenLayersTest::anAddedLayerActsAsTheLastOne() {
    const auto graph = typed(R"(g (float[N, 2] x) => (float[N, 1] y)
        <float[2, 2] v = {1, 2, 3, 4}, float[2, 1] w = {1, 2}>
        { s = MatMul(x, v) h = LeakyRelu<alpha = 0.25>(s) y = MatMul(h, w) })");
    setHiddenUnits(*graph, allOps()->catalog, {2, 3}, 1);
    const DenseLayer added = findDenseLayers(*graph, allOps()->catalog)[1];
    QCOMPARE(added.activation.size(), size_t{1});
    QCOMPARE(added.activation.front()->opType(), std::string("LeakyRelu"));
    QCOMPARE(added.activation.front()->attribute<float>("alpha", 0), 0.25F);
    QCOMPARE(added.weight->name(), std::string("hidden2.weight"));
    QCOMPARE(added.bias->name(), std::string("hidden2.bias"));
    QVERIFY(added.biasAdd != nullptr);
}

void HiddenLayersTest::theSameSeedGivesTheSameWeights() {
    const auto text = [](uint64_t seed) {
        const auto graph = lesson("xor");
        setHiddenUnits(*graph, allOps()->catalog, {5, 3}, seed);
        return toText(*graph);
    };
    QCOMPARE(text(3), text(3));
    QVERIFY(text(3) != text(4));
}

void HiddenLayersTest::aResizedModelTrains_data() {
    QTest::addColumn<QString>("units");
    for (const char* units : {"12", "16 8"}) QTest::addRow("%s", units) << units;
}

void HiddenLayersTest::aResizedModelTrains() {
    QFETCH(QString, units);
    TrainingSpec spec = findLesson("xor").spec;
    spec.run.steps = 300;
    LessonRun run(spec, "xor", 1, [&](Graph& model) {
        setHiddenUnits(model, allOps()->catalog, numbers(units), 1);
    });
    QVERIFY(run.run() == RunOutcome::Finished);
    const std::vector<double> losses = run.losses();
    QVERIFY2(losses.back() < 0.5 * losses.front(),
             qPrintable(QString("%1 to %2").arg(losses.front()).arg(losses.back())));
}

void HiddenLayersTest::unitsAreWrittenAsPeopleType_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("written");  ///< empty: refused
    QTest::newRow("two layers") << "8, 4"
                                << "8,4";
    QTest::newRow("one layer") << "3"
                               << "3";
    QTest::newRow("no layers") << "none"
                               << "none";
    for (const char* wrong : {"8,,4", "8,", "eight", "0", "-3", "2.5", "70000"})
        QTest::newRow(wrong) << wrong << "";
}

/// The flag, the specification and the command that is copied.
void HiddenLayersTest::unitsAreWrittenAsPeopleType() {
    QFETCH(QString, typed);
    QFETCH(QString, written);
    if (written.isEmpty()) {
        QVERIFY_EXCEPTION_THROWN(parseHiddenUnits(typed.toStdString()), Error);
        return;
    }
    TrainingSpec spec;
    spec.model = "m.onnx";
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
    QVERIFY(commandLineOf(spec, "").find("--hidden-units") == std::string::npos);
    spec.hiddenUnits = parseHiddenUnits(typed.toStdString());
    QCOMPARE(hiddenUnitsText(spec.hiddenUnits), written.toStdString());
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
    QVERIFY(commandLineOf(spec, "").find("--hidden-units " + written.toStdString()) !=
            std::string::npos);
}

void HiddenLayersTest::whatCannotBeChangedIsNamed_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("units");
    QTest::addColumn<QString>("message");
    const char* plain =
        "g (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
        "{ y = MatMul(x, w) }";
    QTest::newRow("no units") << plain << "4 0"
                              << "0 units";
    QTest::newRow("too many units") << plain << "65537"
                                    << "65537 units";
    QTest::newRow("too many layers") << plain << QString("1 ").repeated(65) << "65 hidden layers";
    QTest::newRow("too many weights") << plain << "65536 65536"
                                      << "65536,65536 would have 4295098368 weights";
    QTest::newRow("no head") << "g (float[N, 2] x) => (float[N, 2] y) { y = Identity(x) }"
                             << "3"
                             << "the input 'x'";
    QTest::newRow("a convolution") << "g (float[N, 1, 2, 2] x) => (float[N, 1, 2, 2] y)"
                                      "<float[1, 1, 1, 1] w = {1}> { y = Conv(x, w) }"
                                   << "3"
                                   << "not fully connected";
    QTest::newRow("shared weights")
        << "g (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
           "{ s = MatMul(x, w) h = Relu(s) y = MatMul(h, w) }"
        << "3"
        << "'w' of the layer";
}

void HiddenLayersTest::whatCannotBeChangedIsNamed() {
    QFETCH(QString, model);
    QFETCH(QString, units);
    QFETCH(QString, message);
    const auto graph = typed(model);
    try {
        setHiddenUnits(*graph, allOps()->catalog, numbers(units), 1);
        QFAIL("it was changed");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
        QVERIFY(!error.hint().empty());
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::HiddenLayersTest)
#include "hidden_layers_test.moc"
