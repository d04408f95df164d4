// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/stop_gradient.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/training/golden_tensor.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {

/// The user's choice that gradients treat values as constants, like PyTorch's detach().
class StopGradientTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void gradientsAreThoseOfDetachedValues_data();
    void gradientsAreThoseOfDetachedValues();
    void parametersBeforeTheStopAreFrozenAndReported();
    void aNodeWithoutGradientNoLongerBlocks_data();
    void aNodeWithoutGradientNoLongerBlocks();
    void oneOutputOfANodeCanBeConstant();
    void operatorsMadeOfOthersStopToo();
    void choicesMeanNodesPatternsAndValues_data();
    void choicesMeanNodesPatternsAndValues();
    void aChoiceWithoutEffectIsAFinding();
    void choicesAreAddedAndRemovedByNode();
    void aStopIsEquivalentToFreezing();
    void theChoiceSurvivesJson();
    void ortTrainsTheArtifactsToTheSameLosses();

private:
    std::unique_ptr<Graph> model() const;
    Tensor golden(const QString& name) const;

    QJsonObject golden_;
};

static ArtifactSpec stoppingAt(std::vector<std::string> choices) {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.optimizer = {"sgd", {}};
    spec.stopGradient = std::move(choices);
    return spec;
}

void StopGradientTest::initTestCase() {
    QFile file(QStringLiteral(TEMPER_SOURCE_DIR
                              "/tests/engine/training/artifacts/stop_gradient_golden.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    golden_ = QJsonDocument::fromJson(file.readAll()).object();
}

Tensor StopGradientTest::golden(const QString& name) const {
    return goldenTensor(golden_["tensors"][name].toObject());
}

std::unique_ptr<Graph> StopGradientTest::model() const {
    auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        gated (float[batch, 3] x, float[3, 4] w1, float[4, 4] w2, float[4, 2] w3)
            => (float[batch, 2] y) {
            ["/first"] a = MatMul(x, w1)
            ["/act"] h = Tanh(a)
            ["/inner"] b = MatMul(h, w2)
            ["/gate"] g = Sigmoid(b)
            ["/mix"] m = Mul(h, g)
            ["/skip"] s = Add(m, h)
            ["/last"] y = MatMul(s, w3)
        })");
    for (const char* name : {"w1", "w2", "w3"})
        graph->inputToInitializer(graph->at(name), golden(name));
    return graph;
}

void StopGradientTest::gradientsAreThoseOfDetachedValues_data() {
    QTest::addColumn<QJsonObject>("golden");
    for (const auto value : golden_["cases"].toArray()) {
        QStringList stops;
        for (const auto stop : value.toObject()["stops"].toArray()) stops << stop.toString();
        QTest::newRow(stops.isEmpty() ? "none" : qPrintable(stops.join(", "))) << value.toObject();
    }
}

void StopGradientTest::gradientsAreThoseOfDetachedValues() {
    QFETCH(QJsonObject, golden);
    std::vector<std::string> stops;
    for (const auto stop : golden["stops"].toArray())
        stops.push_back(stop.toString().toStdString());
    const Artifacts artifacts = generateArtifacts(*model(), *allOps(), stoppingAt(stops));
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(artifacts, state, allOps());
    const Arrays data{{"x", this->golden("x")}, {"target", this->golden("target")}};
    const double loss = session.trainStep(feedsOf(session, data, 0))[0].toDouble();
    QVERIFY(std::abs(loss - golden["loss"].toDouble()) <= 1e-5 * std::abs(loss));
    const QJsonObject gradients = golden["gradients"].toObject();
    for (const Parameter& parameter : session.state().parameters()) {
        const QString name = QString::fromStdString(parameter.name);
        QCOMPARE(parameter.requiresGrad, gradients.contains(name));
        if (!parameter.requiresGrad) continue;
        const QJsonArray expected = gradients[name].toArray();
        const auto found = parameter.gradient.values<float>();
        QCOMPARE(static_cast<qsizetype>(found.size()), expected.size());
        for (qsizetype i = 0; i < expected.size(); ++i) {
            const double value = expected[i].toDouble();
            const double difference = std::abs(value - double{found[static_cast<size_t>(i)]});
            QVERIFY2(difference <= 1e-6 + 1e-5 * std::abs(value), qPrintable(name));
        }
    }
}

void StopGradientTest::parametersBeforeTheStopAreFrozenAndReported() {
    ArtifactSpec spec = stoppingAt({"/act"});
    const ArtifactPlan plan = planArtifacts(*model(), *allOps(), spec);
    QCOMPARE(plan.trainable, (std::vector<std::string>{"w2", "w3"}));
    QCOMPARE(plan.frozen, std::vector<std::string>{"w1"});
    QCOMPARE(plan.findings.size(), size_t{1});
    const Finding& told = plan.findings[0];
    QCOMPARE(told.code, std::string("G007"));
    QVERIFY(told.severity == Severity::Info);
    QCOMPARE(told.node, std::string("/act"));
    QCOMPARE(told.parameters, std::vector<std::string>{"w1"});
    // Also if it is named: the stop was chosen, too.
    spec.trainable = {"w*"};
    QCOMPARE(planArtifacts(*model(), *allOps(), spec).frozen, std::vector<std::string>{"w1"});
    spec.trainable = {"w1"};
    const ArtifactPlan nothing = planArtifacts(*model(), *allOps(), spec);
    QVERIFY(std::ranges::any_of(nothing.findings,
                                [](const Finding& finding) { return finding.code == "A007"; }));
}

void StopGradientTest::aNodeWithoutGradientNoLongerBlocks_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QString>("code");
    QTest::newRow("derivative of zero") << "Sign"
                                        << "G002";
    QTest::newRow("unknown operator") << "my.domain.Odd"
                                      << "G001";
}

void StopGradientTest::aNodeWithoutGradientNoLongerBlocks() {
    QFETCH(QString, op);
    QFETCH(QString, code);
    const QString words = QString(R"(
        <ir_version: 8, opset_import: ["" : 17, "my.domain" : 1]>
        odd (float[batch, 2] x) => (float[batch, 2] y)
            <float[2, 2] w = {1.5, -0.5, 0.25, 2.0}, float[2, 2] v = {1.0, 2.0, 3.0, -4.0}> {
            ["/first"] a = MatMul(x, w)
            ["/odd"] b = %1(a)
            ["/second"] y = MatMul(b, v)
        })")
                              .arg(op);
    const auto graph = parseText(words.toStdString());
    graph->at("b")->setType(
        {DType::Float32, SymbolicShape{Dim::named("batch"), Dim::of(2)}, false});
    const ArtifactPlan blocked = planArtifacts(*graph, *allOps(), stoppingAt({}));
    QVERIFY(std::ranges::any_of(blocked.findings, [&](const Finding& finding) {
        return finding.code == code.toStdString() && finding.severity == Severity::Error;
    }));
    const ArtifactPlan stopped = planArtifacts(*graph, *allOps(), stoppingAt({"/odd"}));
    QVERIFY(!hasErrors(stopped.findings));
    QVERIFY(generateArtifacts(*graph, *allOps(), stoppingAt({"/odd"})).trainingModel != nullptr);
    QCOMPARE(stopped.trainable, std::vector<std::string>{"v"});
    QCOMPARE(stopped.frozen, std::vector<std::string>{"w"});
}

/// Split outputs two values; only one of them is treated as a constant.
void StopGradientTest::oneOutputOfANodeCanBeConstant() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        halves (float[2, 4] x) => (float[2, 2] y)
            <float[4] u = {1.5, -0.5, 0.25, 2.0}, int64[2] sizes = {2, 2}> {
            a = Mul(x, u)
            ["/halves"] l, r = Split<axis = 1>(a, sizes)
            y = Mul(l, r)
        })");
    const auto gradientOf = [&](std::vector<std::string> stops) {
        const Artifacts artifacts =
            generateArtifacts(*graph, *allOps(), stoppingAt(std::move(stops)));
        auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        TrainingSession session(artifacts, state, allOps());
        const Arrays data{{"x", Tensor::of<float>({2, 4}, {1, 2, 3, 4, -1, -2, 0.5F, 1})},
                          {"target", Tensor(DType::Float32, {2, 2})}};
        session.trainStep(feedsOf(session, data, 0));
        const auto values = session.state().parameter("u").gradient.clone();
        return std::vector<float>(values.values<float>().begin(), values.values<float>().end());
    };
    const std::vector<float> whole = gradientOf({}), left = gradientOf({"r"});
    QCOMPARE(left[0], whole[0]);
    QCOMPARE(left[1], whole[1]);
    QCOMPARE(left[2], 0.0F);
    QCOMPARE(left[3], 0.0F);
    QVERIFY(whole[2] != 0 && whole[3] != 0);
}

/// SkipLayerNormalization is decomposed into other operators; its sum is its fourth output.
void StopGradientTest::operatorsMadeOfOthersStopToo() {
    const auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
        skip (float[2, 3, 4] x) => (float[2, 3, 4] y)
            <float[4] u = {1.5, -0.5, 0.25, 2.0}, float[4] g = {1.0, 1.5, 0.5, 2.0},
             float[4] beta = {0.1, 0.2, 0.3, 0.4}> {
            a = Mul(x, u)
            ["/norm"] n, "", "", sum = com.microsoft.SkipLayerNormalization(a, x, g, beta)
            y = Add(n, sum)
        })");
    const auto lossesOf = [&](std::vector<std::string> stops) {
        ArtifactSpec spec = stoppingAt(std::move(stops));
        const Artifacts artifacts = generateArtifacts(*graph, *allOps(), spec);
        auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        TrainingSession session(artifacts, state, allOps());
        Tensor x(DType::Float32, {2, 3, 4});
        float next = -1;
        for (float& value : x.mutableValues<float>()) value = next += 0.37F * next * next - 0.3F;
        const Arrays data{{"x", x}, {"target", Tensor(DType::Float32, {2, 3, 4})}};
        session.trainStep(feedsOf(session, data, 0));
        return session.state().parameter("u").gradient.values<float>()[0];
    };
    const float whole = lossesOf({}), norm = lossesOf({"sum"}), sum = lossesOf({"n"});
    QVERIFY(whole != norm && norm != sum && norm != 0 && sum != 0);
    // The loss's derivative is linear in what arrives by the two paths.
    QVERIFY2(std::abs(whole - norm - sum) <= 1e-4 * (std::abs(norm) + std::abs(sum)),
             qPrintable(QString("%1 = %2 + %3").arg(whole).arg(norm).arg(sum)));
}

void StopGradientTest::choicesMeanNodesPatternsAndValues_data() {
    QTest::addColumn<QStringList>("choices");
    QTest::addColumn<QStringList>("values");
    QTest::newRow("a node") << QStringList{"/act"} << QStringList{"h"};
    QTest::newRow("a pattern") << QStringList{"/*i*"} << QStringList{"a", "b", "m", "s"};
    QTest::newRow("a value") << QStringList{"g"} << QStringList{"g"};
    QTest::newRow("twice the same") << QStringList{"/act", "h"} << QStringList{"h"};
}

void StopGradientTest::choicesMeanNodesPatternsAndValues() {
    QFETCH(QStringList, choices);
    QFETCH(QStringList, values);
    std::vector<std::string> words;
    for (const QString& choice : choices) words.push_back(choice.toStdString());
    const StoppedValues found = resolveStopGradient(*model(), words);
    QVERIFY(found.findings.empty());
    QStringList names;
    for (const std::string& name : found.names) names << QString::fromStdString(name);
    QCOMPARE(names, values);
}

void StopGradientTest::aChoiceWithoutEffectIsAFinding() {
    for (const char* choice : {"/nowhere", "Tanh", "x", "w1"}) {
        const ArtifactPlan plan = planArtifacts(*model(), *allOps(), stoppingAt({choice}));
        QCOMPARE(plan.findings.size(), size_t{1});
        QCOMPARE(plan.findings[0].code, std::string("A014"));
        QVERIFY(plan.findings[0].message.find(choice) != std::string::npos);
    }
}

void StopGradientTest::choicesAreAddedAndRemovedByNode() {
    const auto graph = model();
    const auto nodeOf = [&](const char* output) -> const Node& {
        return *graph->at(output)->producer();
    };
    using Choices = std::vector<std::string>;
    Choices choices = withStopAt(*graph, {}, nodeOf("h"));
    QCOMPARE(choices, Choices{"/act"});
    QCOMPARE(withStopAt(*graph, choices, nodeOf("h")), choices);
    QCOMPARE(withoutStopAt(*graph, choices, nodeOf("h")), Choices{});
    QCOMPARE(withoutStopAt(*graph, {"h", "g"}, nodeOf("h")), Choices{"g"});
    QCOMPARE(withoutStopAt(*graph, {"/*i*"}, nodeOf("m")), (Choices{"/first", "/inner", "/skip"}));
    // A name that two nodes share refers to both: then the value is named instead.
    graph->renameNode(graph->at("g")->producer(), "/act");
    QCOMPARE(withStopAt(*graph, {}, nodeOf("g")), Choices{"g"});
}

/// If only the parameter precedes the stop, the bytes are the same.
void StopGradientTest::aStopIsEquivalentToFreezing() {
    ArtifactSpec freezing = stoppingAt({});
    freezing.frozen = {"w1"};
    const Artifacts frozen = generateArtifacts(*model(), *allOps(), freezing);
    const Artifacts stopped = generateArtifacts(*model(), *allOps(), stoppingAt({"/act"}));
    QCOMPARE(serializeModel(*stopped.trainingModel), serializeModel(*frozen.trainingModel));
    QCOMPARE(serializeModel(*stopped.evalModel), serializeModel(*frozen.evalModel));
}

void StopGradientTest::theChoiceSurvivesJson() {
    TrainingSpec spec;
    spec.artifacts.stopGradient = {"/act", "/blocks/*"};
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
}

void StopGradientTest::ortTrainsTheArtifactsToTheSameLosses() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    const ArtifactSpec spec = stoppingAt({"/gate"});
    saveArtifacts(generateArtifacts(*model(), *allOps(), spec), folder.path().toStdString(), spec);
    const Arrays data{{"x", golden("x")}, {"target", golden("target")}};
    writeNpz(folder.filePath("data.npz").toStdString(), data);
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", folder.filePath("data.npz"), 5);
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, trainHere(*sessionIn(folder.path()), data, 5));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::StopGradientTest)
#include "stop_gradient_test.moc"
