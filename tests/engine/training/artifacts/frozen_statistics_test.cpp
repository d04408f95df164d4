// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <set>

#include "engine/core/name_pattern.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/artifacts/frozen_statistics.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/training/golden_tensor.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {

/// The user's choice that batch normalizations keep their statistics in training. Expected values
/// are PyTorch's, see make_frozen_statistics_golden.py.
class FrozenStatisticsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void trainingIsThatOfPyTorch_data();
    void trainingIsThatOfPyTorch();
    void choicesAreNamesOfNodesAndTensors_data();
    void choicesAreNamesOfNodesAndTensors();
    void aChoiceWithoutEffectIsAFinding();
    void modelsInTrainingModeAreFrozen();
    void theChoiceSurvivesJson();
    void ortTrainsTheArtifactsToTheSameLosses();

private:
    std::unique_ptr<Graph> model() const;
    Tensor golden(const std::string& name) const;
    Arrays samples() const { return {{"x", golden("x")}, {"target", golden("target")}}; }

    QJsonObject golden_;
};

static ArtifactSpec keeping(std::vector<std::string> choices) {
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.optimizer = {"sgd", {}};
    spec.frozenStatistics = std::move(choices);
    return spec;
}

void FrozenStatisticsTest::initTestCase() {
    QFile file(QStringLiteral(TEMPER_SOURCE_DIR
                              "/tests/engine/training/artifacts/frozen_statistics_golden.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    golden_ = QJsonDocument::fromJson(file.readAll()).object();
}

Tensor FrozenStatisticsTest::golden(const std::string& name) const {
    return goldenTensor(golden_["tensors"][QString::fromStdString(name)].toObject());
}

std::unique_ptr<Graph> FrozenStatisticsTest::model() const {
    auto graph = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        normed (float[batch, 2, 5, 5] x, float[4, 2, 3, 3] "conv.weight", float[3, 4] "head.weight",
                float[4] "bn1.weight", float[4] "bn1.bias", float[4] "bn1.running_mean",
                float[4] "bn1.running_var", float[3] "bn2.weight", float[3] "bn2.bias",
                float[3] "bn2.running_mean", float[3] "bn2.running_var")
            => (float[batch, 3] y) {
            ["/conv"] a = Conv(x, "conv.weight")
            ["/one/norm"] b = BatchNormalization(a, "bn1.weight", "bn1.bias", "bn1.running_mean",
                                                 "bn1.running_var")
            ["/relu"] c = Relu(b)
            ["/pool"] d = GlobalAveragePool(c)
            ["/flat"] e = Flatten(d)
            ["/head"] f = Gemm<transB = 1>(e, "head.weight")
            ["/two/norm"] y = BatchNormalization(f, "bn2.weight", "bn2.bias", "bn2.running_mean",
                                                 "bn2.running_var")
        })");
    for (const Value* input : std::vector<Value*>(graph->inputs())) {
        const std::string name = input->name();
        if (name != "x") graph->inputToInitializer(graph->at(name), golden(name));
    }
    return graph;
}

void FrozenStatisticsTest::trainingIsThatOfPyTorch_data() {
    QTest::addColumn<QJsonObject>("expected");
    for (const auto value : golden_["cases"].toArray()) {
        QStringList frozen;
        for (const auto name : value.toObject()["frozen"].toArray()) frozen << name.toString();
        QTest::newRow(frozen.isEmpty() ? "none" : qPrintable(frozen.join(", ")))
            << value.toObject();
    }
}

static void compareGradient(const Parameter& parameter, const QJsonArray& expected) {
    const auto found = parameter.gradient.values<float>();
    QCOMPARE(static_cast<qsizetype>(found.size()), expected.size());
    double norm = 0, distance = 0;
    for (qsizetype i = 0; i < expected.size(); ++i) {
        const double value = expected[i].toDouble();
        norm = std::hypot(norm, value);
        distance = std::hypot(distance, value - double{found[static_cast<size_t>(i)]});
    }
    // A convolution before batch statistics has gradients at rounding level: hence the absolute
    // part.
    QVERIFY2(distance <= 1e-6 + 1e-5 * norm, parameter.name.c_str());
}

/// Kept statistics are unchanged to the bit; others moved.
static void compareStatistics(const Parameter& parameter, const Tensor& before, bool isKept) {
    const auto now = parameter.data.values<float>(), then = before.values<float>();
    QVERIFY2(std::equal(now.begin(), now.end(), then.begin()) == isKept, parameter.name.c_str());
}

void FrozenStatisticsTest::trainingIsThatOfPyTorch() {
    QFETCH(QJsonObject, expected);
    std::vector<std::string> choices;
    for (const auto name : expected["frozen"].toArray())
        choices.push_back(name.toString().toStdString() + ".*");
    const Artifacts artifacts = generateArtifacts(*model(), *allOps(), keeping(choices));
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(artifacts, state, allOps());
    session.setLearningRate(static_cast<float>(golden_["rate"].toDouble()));
    const QJsonArray losses = expected["losses"].toArray();
    const QJsonObject gradients = expected["gradients"].toObject();
    for (qsizetype step = 0; step < losses.size(); ++step) {
        const double loss = session.trainStep(feedsOf(session, samples(), 0))[0].toDouble();
        QVERIFY(std::abs(loss - losses[step].toDouble()) <= 1e-5 * losses[step].toDouble());
        for (const Parameter& parameter : session.state().parameters()) {
            const QString name = QString::fromStdString(parameter.name);
            QCOMPARE(parameter.requiresGrad, gradients.contains(name));
            if (step == 0 && parameter.requiresGrad)
                compareGradient(parameter, gradients[name].toArray());
        }
        session.optimizerStep();
        session.lazyResetGrad();
    }
    const auto isKept = [&](const std::string& name) {
        return std::ranges::any_of(
            choices, [&](const std::string& choice) { return matchesPattern(choice, name); });
    };
    for (const Parameter& parameter : session.state().parameters())
        if (parameter.name.find("running") != std::string::npos)
            compareStatistics(parameter, golden(parameter.name), isKept(parameter.name));
}

void FrozenStatisticsTest::choicesAreNamesOfNodesAndTensors_data() {
    QTest::addColumn<QString>("choice");
    QTest::addColumn<QString>("outputs");
    QTest::newRow("all") << "*"
                         << "b y";
    QTest::newRow("a node") << "/one/norm"
                            << "b";
    QTest::newRow("a pattern of nodes") << "/two/*"
                                        << "y";
    QTest::newRow("an output") << "y"
                               << "y";
    QTest::newRow("a tensor") << "bn1.running_mean"
                              << "b";
    QTest::newRow("a pattern of tensors") << "bn2.*"
                                          << "y";
}

void FrozenStatisticsTest::choicesAreNamesOfNodesAndTensors() {
    QFETCH(QString, choice);
    QFETCH(QString, outputs);
    const FrozenStatistics kept = resolveFrozenStatistics(*model(), {choice.toStdString()});
    QStringList found;
    for (const std::string& name : kept.outputs) found << QString::fromStdString(name);
    QCOMPARE(found.join(' '), outputs);
    QVERIFY(kept.findings.empty());
}

void FrozenStatisticsTest::aChoiceWithoutEffectIsAFinding() {
    const ArtifactPlan plan = planArtifacts(*model(), *allOps(), keeping({"bn1.*", "/head"}));
    QCOMPARE(plan.findings.size(), size_t{1});
    QCOMPARE(plan.findings[0].code, std::string("A015"));
    const QString text = QString::fromStdString(plan.findings[0].message + plan.findings[0].hint);
    QVERIFY2(text.contains("'/head'") && text.contains("2 batch normalizations") &&
                 text.contains("/one/norm") && text.contains("'*' means all"),
             qPrintable(text));
}

/// A model exported in training mode, whose normalizations output new statistics.
void FrozenStatisticsTest::modelsInTrainingModeAreFrozen() {
    auto training = model();
    Node* norm = training->at("b")->producer();
    norm->setAttribute("training_mode", int64_t{1});
    training->addOutputTo(norm, 1, "new_mean");
    training->addOutputTo(norm, 2, "new_variance");
    const Artifacts there = generateArtifacts(*training, *allOps(), keeping({"*"}));
    const Artifacts here = generateArtifacts(*model(), *allOps(), keeping({"*"}));
    std::string loss[2];
    for (const Artifacts* artifacts : {&there, &here}) {
        TrainingSession session(*artifacts,
                                std::make_shared<CheckpointState>(artifacts->checkpoint), allOps());
        const double value = session.trainStep(feedsOf(session, samples(), 0))[0].toDouble();
        loss[artifacts == &there ? 0 : 1] = std::to_string(value);
    }
    QCOMPARE(loss[0], loss[1]);
}

void FrozenStatisticsTest::theChoiceSurvivesJson() {
    TrainingSpec spec;
    spec.artifacts.frozenStatistics = {"bn*", "/layer/*"};
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
}

void FrozenStatisticsTest::ortTrainsTheArtifactsToTheSameLosses() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    const ArtifactSpec spec = keeping({"*"});
    saveArtifacts(generateArtifacts(*model(), *allOps(), spec), folder.path().toStdString(), spec);
    writeNpz(folder.filePath("data.npz").toStdString(), samples());
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", folder.filePath("data.npz"), 5);
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, trainHere(*sessionIn(folder.path()), samples(), 5));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::FrozenStatisticsTest)
#include "frozen_statistics_test.moc"
