// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parameters/trainable_choice.h"

#include <QTest>
#include <chrono>

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/parameters/name_expression.h"
#include "engine/training/parameters/parameter_selection.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// Parameters chosen by kind and by name.
class TrainableChoiceTest : public QObject {
    Q_OBJECT

private slots:
    void presetsChoose_data();
    void presetsChoose();
    void constantsTrainIfTheyAreChosen();
    void bytesAreCounted();
    void faultsHaveAPlace_data();
    void faultsHaveAPlace();
    void namesMatch_data();
    void namesMatch();
    void aNastyExpressionTakesNoTime();

private:
    static std::unique_ptr<Graph> typed(const QString& text) {
        auto graph = parseText(text.toStdString());
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
    static QStringList sorted(const std::set<std::string>& names) {
        QStringList list;
        for (const std::string& name : names) list << QString::fromStdString(name);
        return list;
    }
};

void TrainableChoiceTest::presetsChoose_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QStringList>("norms");
    QTest::addColumn<QStringList>("biases");
    QTest::addColumn<QStringList>("last");
    QTest::newRow("one operator")
        << R"(<opset_import: ["" : 17]> g (float[N, 2] x) => (float[N, 2] y)
        <float[2, 2] w = {1, 2, 3, 4}, float[2] b = {1, 2}, float[2] s = {1, 1}, float[2] t = {0, 0}>
        { h = LayerNormalization(x, s, t) y = Gemm(h, w, b) })"
        << QStringList{"s", "t"} << QStringList{"b", "t"} << QStringList{"b", "w"};
    QTest::newRow("taken apart")
        << R"(<opset_import: ["" : 13]> g (float[N, 2] x) => (float[N, 2] y)
        <float[2, 2] w = {1, 2, 3, 4}, float[2] b = {1, 2}, float[2] s = {1, 1}, float[2] t = {0, 0},
         float e = {0.00001}, float two = {2}>
        { m = ReduceMean<axes = [-1]>(x) d = Sub(x, m) q = Pow(d, two)
          v = ReduceMean<axes = [-1]>(q) a = Add(v, e) r = Sqrt(a) n = Div(d, r)
          k = Mul(n, s) h = Add(k, t) p = MatMul(h, w) y = Add(p, b) })"
        << QStringList{"s", "t"} << QStringList{"b", "t"} << QStringList{"b", "w"};
    QTest::newRow("no norm") << R"(g (float[N, 2] x) => (float[N, 2] y)
        <float[2, 2] w = {1, 2, 3, 4}> { y = MatMul(x, w) })"
                             << QStringList{} << QStringList{} << QStringList{"w"};
}

void TrainableChoiceTest::presetsChoose() {
    QFETCH(QString, model);
    const auto graph = typed(model);
    const auto parameters = classifyParameters(*graph, allOps()->catalog);
    const std::vector<Block> blocks = recognizeBlocks(*graph, allOps()->catalog);
    const auto chosen = [&](TrainablePreset preset) {
        return sorted(presetParameters(*graph, allOps()->catalog, parameters, blocks, preset));
    };
    QTEST(chosen(TrainablePreset::Norms), "norms");
    QTEST(chosen(TrainablePreset::Biases), "biases");
    QTEST(chosen(TrainablePreset::LastLayer), "last");
    QCOMPARE(chosen(TrainablePreset::All), sorted(trainedParameters(parameters, {})));
    QVERIFY(chosen(TrainablePreset::None).isEmpty());
}

/// A weight in a Constant node trains if it is chosen, with others or as the only one.
void TrainableChoiceTest::constantsTrainIfTheyAreChosen() {
    const auto graph = typed(R"(<opset_import: ["" : 17]> g (float[N, 2] x) => (float[N, 2] y)
        <float[2] b = {1, 2}> {
            c = Constant<value = float[2, 2] {1, 2, 3, 4}>()
            h = MatMul(x, c) y = Add(h, b) })");
    const auto parameters = classifyParameters(*graph, allOps()->catalog);
    QCOMPARE(sorted(trainedParameters(parameters, {})), QStringList{"b"});
    for (const std::set<std::string>& chosen :
         {std::set<std::string>{"b", "c"}, {"c"}, {"b"}, {}}) {
        const ArtifactSpec spec = withTrainedParameters({}, parameters, chosen);
        QCOMPARE(sorted(trainedParameters(parameters, spec)), sorted(chosen));
        const ParameterSelection selection = selectParameters(parameters, spec);
        QVERIFY(selection.findings.empty());
        QCOMPARE(countParameters(parameters, chosen).trainedTensors,
                 static_cast<int64_t>(chosen.size()));
    }
}

void TrainableChoiceTest::bytesAreCounted() {
    const auto graph = typed(R"(g (float[N, 2] x) => (float[N, 3] y)
        <float[2, 3] w = {1, 2, 3, 4, 5, 6}, float[3] b = {1, 2, 3}> { y = Gemm(x, w, b) })");
    const auto parameters = classifyParameters(*graph, allOps()->catalog);
    const ParameterCounts counts = countParameters(parameters, {"w"});
    QCOMPARE(counts.trainedBytes, int64_t{24});
    QCOMPARE(counts.frozenBytes, int64_t{12});
    QCOMPARE(sorted(matchingParameters(parameters, "^b$")), QStringList{"b"});
    QVERIFY_THROWS_EXCEPTION(Error, matchingParameters(parameters, "b("));
}

void TrainableChoiceTest::faultsHaveAPlace_data() {
    using Kind = ExpressionFault::Kind;
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("position");
    QTest::addColumn<int>("kind");
    const auto add = [](const char* text, int position, Kind kind) {
        QTest::newRow(text) << text << position << int(kind);
    };
    add("conv(a", 4, Kind::Parenthesis);
    add("(a)b)c", 4, Kind::Parenthesis);
    add("(a)((b)", 3, Kind::Parenthesis);
    add("conv[12", 4, Kind::Bracket);
    add("x|[z-a]y", 2, Kind::Range);
    add("*weight", 0, Kind::Repeat);
    add("a[[:nothing:]]", 1, Kind::CharacterClass);
    add("a{2,1}", 1, Kind::Brace);
    add("conv\\", 4, Kind::Escape);
    QTest::newRow("too long") << QString(600, 'a') << 500 << int(Kind::Length);
    QTest::newRow("too deep") << QString(600, '(') << 500 << int(Kind::Length);
    QTest::newRow("too large") << "(a{900}){900}" << 2 << int(Kind::Brace);
    add("ab(?=c)", 2, Kind::Other);
}

void TrainableChoiceTest::faultsHaveAPlace() {
    QFETCH(QString, text);
    const auto fault = NameExpression::findFault(text.toStdString());
    QVERIFY(fault.has_value());
    QTEST(static_cast<int>(fault->position), "position");
    QTEST(static_cast<int>(fault->kind), "kind");
    try {
        const NameExpression expression(text.toStdString());
        QFAIL("it was taken");
    } catch (const Error& error) {
        QVERIFY(error.message().find("character " + std::to_string(fault->position + 1) + ":") !=
                std::string::npos);
    }
}

void TrainableChoiceTest::namesMatch_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("matches");
    for (const char* text : {"", "v1", "^conv1", "weight$", "conv[0-3]\\.w", "(a|b|c)onv", "1.w"})
        QTest::newRow(text) << text << true;
    for (const char* text : {"V1", "^1", "conv$", "conv[^1]", "(a|b)onv"})
        QTest::newRow(text) << text << false;
}

void TrainableChoiceTest::namesMatch() {
    QFETCH(QString, text);
    QVERIFY(!NameExpression::findFault(text.toStdString()));
    QTEST(NameExpression(text.toStdString()).matches("conv1.weight"), "matches");
}

/// With backtracking, a match would take 2^60 steps.
void TrainableChoiceTest::aNastyExpressionTakesNoTime() {
    const auto begin = std::chrono::steady_clock::now();
    QVERIFY(!NameExpression("^(a*)*$").matches(std::string(60, 'a') + "b"));
    QVERIFY(std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TrainableChoiceTest)
#include "trainable_choice_test.moc"
