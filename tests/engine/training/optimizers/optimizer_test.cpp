// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/session/weight_average.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/oracle.h"

namespace temper::test {

namespace {

constexpr int kSteps = 20;

/// The inputs are the gradients of the parameters.
constexpr const char* kModel = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    linear (float[2, 3] along_matrix, float[3] along_bias) => (float loss)
    <float[2, 3] matrix = {0, 0, 0, 0, 0, 0}, float[3] bias = {0, 0, 0}>
    {
        a = Mul(matrix, along_matrix)
        b = Mul(bias, along_bias)
        c = ReduceSum<keepdims = 0>(a)
        d = ReduceSum<keepdims = 0>(b)
        loss = Add(c, d)
    })";

/// Like numbers() in make_optimizer_golden.py.
std::vector<float> numbers(size_t count, int64_t seed) {
    std::vector<float> found;
    int64_t state = seed;
    for (size_t i = 0; i < count; ++i) {
        state = (state * 1103515245 + 12345) % (int64_t{1} << 31);
        found.push_back(static_cast<float>((state >> 16) % 4096) / 2048 - 1);
    }
    return found;
}

std::vector<Tensor> gradientsOf(int step) {
    return {Tensor::of<float>({2, 3}, std::span<const float>(numbers(6, 1000 + 10 * step))),
            Tensor::of<float>({3}, std::span<const float>(numbers(3, 1001 + 10 * step)))};
}

QJsonArray goldenCases() {
    QFile file(TEMPER_SOURCE_DIR "/tests/engine/training/optimizers/optimizer_golden.json");
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll()).array();
}

ArtifactSpec specOf(const QJsonObject& golden) {
    ArtifactSpec spec;
    spec.loss = {"none", {}};
    spec.optimizer.key = golden["optimizer"].toString().toStdString();
    const QJsonObject values = golden["values"].toObject();
    for (auto i = values.begin(); i != values.end(); ++i) {
        spec.optimizer.values[i.key().toStdString()] = i.value().toDouble();
    }
    for (const QJsonValue& entry : golden["groups"].toArray()) {
        ParameterGroup& group = spec.parameterGroups.emplace_back();
        group.pattern = entry["pattern"].toString().toStdString();
        group.learningRateFactor = entry["lr"].toDouble();
        if (entry["weight_decay"].isDouble()) group.weightDecay = entry["weight_decay"].toDouble();
        group.startStep = entry["start_step"].toInt();
    }
    spec.decayBiasesAndNorms = golden["decay_biases_and_norms"].toBool();
    return spec;
}

Artifacts artifactsOf(const ArtifactSpec& spec) {
    const std::unique_ptr<Graph> model = parseText(kModel);
    model->setConstant(model->at("matrix"),
                       Tensor::of<float>({2, 3}, std::span<const float>(numbers(6, 17))));
    model->setConstant(model->at("bias"),
                       Tensor::of<float>({3}, std::span<const float>(numbers(3, 18))));
    return generateArtifacts(*model, *allOps(), spec);
}

/// A session and its state.
struct Run {
    explicit Run(Artifacts artifacts, int threads = 1)
        : state(std::make_shared<CheckpointState>(artifacts.checkpoint)),
          session(std::move(artifacts), state, allOps(), SessionOptions{threads, 0}) {}

    void step(int number) {
        session.trainStep(gradientsOf(number));
        session.optimizerStep();
        session.lazyResetGrad();
    }

    std::shared_ptr<CheckpointState> state;
    TrainingSession session;
};

/// 1e-5 relative; a millionth of the first weights' size for weights that end close to zero.
void compare(const Tensor& tensor, const QJsonArray& expected, const QString& what) {
    const auto values = tensor.values<float>();
    QCOMPARE(static_cast<qsizetype>(values.size()), expected.size());
    for (qsizetype i = 0; i < expected.size(); ++i) {
        const double wanted = expected[i].toDouble();
        const double found = values[static_cast<size_t>(i)];
        QVERIFY2(std::abs(found - wanted) <= 1e-5 * std::abs(wanted) + 1e-6,
                 qPrintable(QString("%1[%2]: %3, PyTorch %4")
                                .arg(what)
                                .arg(i)
                                .arg(found, 0, 'g', 9)
                                .arg(wanted, 0, 'g', 9)));
    }
}

QByteArray savedBytes(const CheckpointState& state) {
    const QTemporaryDir folder;
    state.save(folder.filePath("checkpoint").toStdString(), true);
    QFile file(folder.filePath("checkpoint"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool isGrouped(const QJsonObject& golden) {
    return !golden["groups"].toArray().isEmpty() || !golden["decay_biases_and_norms"].toBool();
}

}  // namespace

class OptimizerTest : public QObject {
    Q_OBJECT

private slots:
    void parametersAreThoseOfPyTorch_data();
    void parametersAreThoseOfPyTorch();
    void groupsAsListsAreThoseOfPyTorch_data();
    void groupsAsListsAreThoseOfPyTorch();
    void everyOptimizerIsTestedAgainstPyTorch();
    void stateOutlivesTheProcess_data() { parametersAreThoseOfPyTorch_data(); }
    void stateOutlivesTheProcess();
    void optimizersStepTheSameThere_data() { parametersAreThoseOfPyTorch_data(); }
    void optimizersStepTheSameThere();
    void groupsAreRefusedThere();
    void theAverageIsUsedAndLeft();
    void valuesAreClippedInTheSession();
    void wrongGroupsAreFindings();
    void damagedMetadataAreNamed();

private:
    static void compareWithOracle(const Run& run, const QString& folder, const QString& checkpoint,
                                  int first, int steps);
};

void OptimizerTest::parametersAreThoseOfPyTorch_data() {
    QTest::addColumn<QJsonObject>("golden");
    int number = 0;
    for (const QJsonValue& golden : goldenCases()) {
        QTest::addRow("%s, case %d", qPrintable(golden["optimizer"].toString()), ++number)
            << golden.toObject();
    }
    QVERIFY2(number >= 26, qPrintable(QString::number(number)));
}

void OptimizerTest::parametersAreThoseOfPyTorch() {
    QFETCH(QJsonObject, golden);
    Run run(artifactsOf(specOf(golden)));
    run.session.setLearningRate(static_cast<float>(golden["rate"].toDouble()));
    run.session.setWeightAverage(golden["average_decay"].toDouble());
    const QJsonArray steps = golden["steps"].toArray();
    QCOMPARE(steps.size(), kSteps);
    for (int step = 0; step < kSteps; ++step) {
        run.step(step);
        for (const char* name : {"matrix", "bias"}) {
            compare(run.state->parameter(name).data, steps[step].toObject()[name].toArray(),
                    QString("step %1, %2").arg(step + 1).arg(name));
            if (QTest::currentTestFailed()) return;
        }
    }
    QCOMPARE(WeightAverage::isThere(*run.state), golden.contains("average"));
    const AveragedWeights averaged(*run.state);
    for (const char* name : {"matrix", "bias"}) {
        if (!golden.contains("average")) continue;
        compare(run.state->parameter(name).data, golden["average"].toObject()[name].toArray(),
                QString("average of %1").arg(name));
    }
}

/// The golden groups, written differently.
void OptimizerTest::groupsAsListsAreThoseOfPyTorch_data() {
    QTest::addColumn<QJsonObject>("golden");
    QTest::addColumn<QString>("spelling");
    int number = 0;
    for (const QJsonValue& each : goldenCases()) {
        const QJsonArray groups = each["groups"].toArray();
        if (groups.isEmpty()) continue;
        ++number;
        const QString name = groups[0]["pattern"].toString();
        const QString other = name == "bias" ? "matrix" : "bias";
        for (const char* spelling :
             {"\"%1\"", "no such, %1", "*, !%2", "!%2", "%2, %1, !%2", "*, !*, %1"})
            QTest::addRow("%s, %d, %s", qPrintable(each["optimizer"].toString()), number, spelling)
                << each.toObject() << QString(spelling).replace("%1", name).replace("%2", other);
    }
    QVERIFY2(number >= 5, qPrintable(QString::number(number)));
}

void OptimizerTest::groupsAsListsAreThoseOfPyTorch() {
    QFETCH(QJsonObject, golden);
    QFETCH(QString, spelling);
    ArtifactSpec spec = specOf(golden);
    spec.parameterGroups[0].pattern = spelling.toStdString();
    Run run(artifactsOf(spec));
    run.session.setLearningRate(static_cast<float>(golden["rate"].toDouble()));
    run.session.setWeightAverage(golden["average_decay"].toDouble());
    const QJsonArray steps = golden["steps"].toArray();
    QCOMPARE(steps.size(), kSteps);
    for (int step = 0; step < kSteps; ++step) run.step(step);
    for (const char* name : {"matrix", "bias"}) {
        compare(run.state->parameter(name).data, steps[kSteps - 1].toObject()[name].toArray(),
                name);
        if (QTest::currentTestFailed()) return;
    }
}

void OptimizerTest::everyOptimizerIsTestedAgainstPyTorch() {
    const auto cases = goldenCases();
    for (const Choice& choice : optimizerChoices()) {
        if (choice.key == "none" || choice.key == "adamw") continue;  // "adamw" is only ORT's
        QVERIFY2(std::any_of(cases.begin(), cases.end(),
                             [&](const QJsonValue& golden) {
                                 return golden["optimizer"].toString().toStdString() == choice.key;
                             }),
                 choice.key.c_str());
    }
}

/// Half of the steps, files, the other half: the same bits; likewise with three threads.
void OptimizerTest::stateOutlivesTheProcess() {
    QFETCH(QJsonObject, golden);
    const QTemporaryDir folder;
    const ArtifactSpec spec = specOf(golden);
    const double average = golden["average_decay"].toDouble();
    Run whole(artifactsOf(spec));
    whole.session.setWeightAverage(average);
    whole.session.setLearningRate(0.01F);
    for (int step = 0; step < kSteps; ++step) whole.step(step);

    const Artifacts artifacts = artifactsOf(spec);
    const ArtifactPaths paths = saveArtifacts(artifacts, folder.path().toStdString(), spec);
    Run first(loadArtifacts(paths, *allOps()), 3);
    first.session.setWeightAverage(average);
    first.session.setLearningRate(0.01F);
    for (int step = 0; step < kSteps / 2; ++step) first.step(step);
    first.state->save(paths.checkpoint, true);
    Run second(loadArtifacts(paths, *allOps()));
    second.session.setWeightAverage(average);
    for (int step = kSteps / 2; step < kSteps; ++step) second.step(step);
    QCOMPARE(savedBytes(*second.state), savedBytes(*whole.state));
}

void OptimizerTest::compareWithOracle(const Run& run, const QString& folder,
                                      const QString& checkpoint, int first, int steps) {
    Arrays feeds;
    feeds["along_matrix"] = Tensor(DType::Float32, {steps, 2, 3});
    feeds["along_bias"] = Tensor(DType::Float32, {steps, 3});
    for (int i = 0; i < steps; ++i) {
        const std::vector<Tensor> gradients = gradientsOf(first + i);
        std::ranges::copy(gradients[0].values<float>(),
                          feeds["along_matrix"].mutableValues<float>().begin() + 6 * i);
        std::ranges::copy(gradients[1].values<float>(),
                          feeds["along_bias"].mutableValues<float>().begin() + 3 * i);
    }
    writeNpz((folder + "/feeds.npz").toStdString(), feeds);
    const OracleResult result = runOracle(
        "train.py", {"--train", folder + "/training_model.onnx", "--eval",
                     folder + "/eval_model.onnx", "--optimizer", folder + "/optimizer_model.onnx",
                     "--checkpoint", folder + "/" + checkpoint, "--feeds", folder + "/feeds.npz",
                     "--steps", QString::number(steps), "--params-out", folder + "/params.npz"});
    QVERIFY2(result.succeeded(), qPrintable(result.log));
    const Arrays there = readNpz((folder + "/params.npz").toStdString());
    for (const Parameter& parameter : run.state->parameters()) {
        const double worst = worstRatio(parameter.data, there.at(parameter.name), 1e-6, 1e-5);
        QVERIFY2(worst <= 1, qPrintable(QString("%1 from '%2': %3 of the tolerance")
                                            .arg(parameter.name.c_str(), checkpoint)
                                            .arg(worst)));
    }
}

/// ONNX Runtime steps with the composed models, from the start and from our checkpoint.
void OptimizerTest::optimizersStepTheSameThere() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    QFETCH(QJsonObject, golden);
    if (isGrouped(golden)) QSKIP("a model for ONNX Runtime can not tell the parameters apart");
    const QTemporaryDir folder;
    const ArtifactSpec spec = specOf(golden);
    Artifacts artifacts = artifactsOf(spec);
    saveArtifacts(artifacts, folder.path().toStdString(), spec);
    Run run(std::move(artifacts));
    run.session.setLearningRate(1e-3F);  // the runtime's own
    run.session.setWeightAverage(golden["average_decay"].toDouble());
    constexpr int kHere = 5;
    for (int step = 0; step < kHere; ++step) run.step(step);
    if (golden["values"].toObject().isEmpty()) {
        compareWithOracle(run, folder.path(), "checkpoint", 0, kHere);
        if (QTest::currentTestFailed()) return;
    }
    run.state->save(folder.filePath("trained").toStdString(), true);
    for (int step = kHere; step < kSteps; ++step) run.step(step);
    compareWithOracle(run, folder.path(), "trained", kHere, kSteps - kHere);
}

/// It refuses them instead of stepping wrongly.
void OptimizerTest::groupsAreRefusedThere() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
    const QTemporaryDir folder;
    ArtifactSpec spec;
    spec.loss = {"none", {}};
    spec.parameterGroups = {{"bias", 0.1}};
    saveArtifacts(artifactsOf(spec), folder.path().toStdString(), spec);
    const OracleResult result =
        runOracle("train.py", {"--train", folder.filePath("training_model.onnx"), "--checkpoint",
                               folder.filePath("checkpoint"), "--optimizer",
                               folder.filePath("optimizer_model.onnx"), "--steps", "0"});
    QVERIFY(!result.succeeded());
    QVERIFY2(result.log.contains("temper"), qPrintable(result.log));
}

void OptimizerTest::theAverageIsUsedAndLeft() {
    ArtifactSpec spec;
    spec.loss = {"none", {}};
    spec.optimizer = {"sgd", {}};
    Run run(artifactsOf(spec));
    QVERIFY_EXCEPTION_THROWN(run.session.setWeightAverage(1), Error);
    run.session.setWeightAverage(0.5);
    run.session.setLearningRate(0.1F);
    run.step(0);
    const auto after1 = run.session.toBuffer(true).clone();
    run.step(1);
    const auto after2 = run.session.toBuffer(true).clone();
    {
        const AveragedWeights averaged(*run.state);
        const Tensor mean = run.session.toBuffer(true);
        const std::unique_ptr<Graph> model = run.session.inferenceModel({"loss"});
        for (size_t i = 0; i < mean.values<float>().size(); ++i) {
            QCOMPARE(mean.values<float>()[i],
                     0.5F * after1.values<float>()[i] + 0.5F * after2.values<float>()[i]);
        }
        QVERIFY(model->at("matrix")->constant().values<float>()[0] != after2.values<float>()[0]);
    }
    QVERIFY(std::ranges::equal(run.session.toBuffer(true).values<float>(), after2.values<float>()));
}

void OptimizerTest::valuesAreClippedInTheSession() {
    ArtifactSpec spec;
    spec.loss = {"none", {}};
    Run run(artifactsOf(spec));
    run.session.trainStep(gradientsOf(0));
    run.session.clampGradients(0.25F);
    const std::vector<float> raw = numbers(6, 1000);
    const auto clipped = run.state->parameter("matrix").gradient.values<float>();
    QVERIFY(std::ranges::any_of(raw, [](float x) { return std::abs(x) > 0.25F; }));
    for (size_t i = 0; i < raw.size(); ++i) {
        QCOMPARE(clipped[i], std::min(0.25F, std::max(-0.25F, raw[i])));
    }
}

void OptimizerTest::wrongGroupsAreFindings() {
    ArtifactSpec spec;
    spec.loss = {"none", {}};
    spec.parameterGroups = {{"head.*", 0.1}, {"bias", -1}, {"matrix", 1, {}, -1}};
    const ArtifactPlan plan = planArtifacts(*parseText(kModel), *allOps(), spec);
    std::vector<std::string> codes;
    for (const Finding& finding : plan.findings) codes.push_back(finding.code);
    QCOMPARE(codes, (std::vector<std::string>{"A001", "A012", "A012", "W008"}));
    QVERIFY_EXCEPTION_THROWN(artifactsOf(spec), Error);
    TrainingSpec training;
    training.artifacts = spec;
    training.artifacts.decayBiasesAndNorms = false;
    training.artifacts.parameterGroups[0].weightDecay = 0.25;
    training.artifacts.parameterGroups[1].startStep = 40;
    QVERIFY(trainingSpecFromJson(toJson(training)) == training);
}

void OptimizerTest::damagedMetadataAreNamed() {
    ArtifactSpec spec;
    spec.loss = {"none", {}};
    spec.optimizer = {"lion", {}};
    Artifacts artifacts = artifactsOf(spec);
    std::shared_ptr<Graph> model = artifacts.optimizerModel->clone();
    QVERIFY(model->info().metadata.contains("temper.optimizer"));
    model->info().metadata["temper.optimizer"] = "lion";
    artifacts.optimizerModel = model;
    try {
        const Run run(std::move(artifacts));
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY(QString(error.what()).contains("'temper.optimizer' is 'lion'"));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OptimizerTest)
#include "optimizer_test.moc"
