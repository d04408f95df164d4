// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "engine/core/random.h"
#include "engine/core/tensor.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/projects/project_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

constexpr const char* kModel = TEMPER_SOURCE_DIR "/resources/lessons/iris/model.onnx";
constexpr const char* kIris = "lesson:iris/train.csv?target=species";
constexpr int64_t kBatch = 8;

/// The times and roofline figures that bench and train report, and the traces that they write.
class CliProfileTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void benchComparesOperatorsWithTheRoofline();
    void benchReportsNodes();
    void tracesAreWritten_data();
    void tracesAreWritten();
    void runsAreTheSameBitsWithAndWithoutProfile();
    void runsPrintTheirOperators();
    void runsOfProjectsAreProfiled();
    void runsOfAModelAreTimed();
    void batchNormsAreFoldedByDefault();
    void filesThatCannotBeWrittenAreRefusedAtOnce_data();
    void filesThatCannotBeWrittenAreRefusedAtOnce();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    ProgramResult bench(const QStringList& more) const {
        return runTemper(QStringList{"bench", kModel, "--feeds", path("feeds.npz"), "--steps", "7",
                                     "--threads", "2"} +
                         more);
    }
    ProgramResult train(const QStringList& more) const {
        return runTemper(QStringList{"train", path("iris"), "--data", kIris, "--batch-size", "16",
                                     "--steps", "40"} +
                         more);
    }

    QTemporaryDir dir_;
};

QJsonArray eventsIn(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QJsonDocument::fromJson(file.readAll())["traceEvents"].toArray();
}

QByteArray bytesIn(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void CliProfileTest::initTestCase() {
    writeNpz(path("feeds.npz").toStdString(), {{"input", Tensor(DType::Float32, {kBatch, 4})},
                                               {"labels", Tensor(DType::Int64, {kBatch})}});
    const ProgramResult made = runTemper({"artifacts", kModel, "--out", path("iris")});
    QVERIFY2(made.exitStatus == 0, made.all());
}

void CliProfileTest::benchComparesOperatorsWithTheRoofline() {
    const ProgramResult result = bench({"--json"});
    QVERIFY2(result.exitStatus == 0, result.all());
    const QJsonObject document = result.json();
    const QJsonObject roofline = document["roofline"].toObject();
    for (const char* key : {"gflops", "gbytes", "share", "bound_ms"}) {
        QVERIFY2(roofline[key].toDouble() > 0, key);
    }
    const double bound = roofline["bound_ms"].toDouble();
    QVERIFY(qFuzzyCompare(roofline["share"].toDouble(), bound / document["median_ms"].toDouble()));
    qint64 flops = 0, bytes = 0;
    for (const QJsonValue& op : document["operators"].toArray()) {
        QVERIFY(op["roofline_share"].toDouble() > 0);
        flops += op["flops"].toInteger();
        bytes += op["bytes"].toInteger();
    }
    QVERIFY(flops > 0 && bytes > 0);
    QCOMPARE(document["flops"].toInteger(), flops);
    QCOMPARE(document["bytes"].toInteger(), bytes);
    QVERIFY(!document.contains("nodes"));
}

void CliProfileTest::benchReportsNodes() {
    const ProgramResult json = bench({"--json", "--by-node"});
    QVERIFY2(json.exitStatus == 0, json.all());
    const QJsonArray nodes = json.json()["nodes"].toArray();
    QVERIFY(nodes.size() >= json.json()["operators"].toArray().size());
    for (const QJsonValue& node : nodes) QVERIFY(!node["node"].toString().isEmpty());
    const ProgramResult text = bench({"--by-node"});
    QVERIFY2(text.exitStatus == 0, text.all());
    for (const char* word : {"GFLOP/s", "GB/s", "roofline", "node"}) {
        QVERIFY2(text.out.contains(word), text.all());
    }
    QVERIFY(text.out.contains(nodes[0]["node"].toString().toUtf8()));
}

void CliProfileTest::tracesAreWritten_data() {
    QTest::addColumn<bool>("isRun");
    QTest::addColumn<int>("steps");
    QTest::newRow("bench --trace") << false << 5;
    QTest::newRow("train --profile") << true << 20;
}

void CliProfileTest::tracesAreWritten() {
    QFETCH(bool, isRun);
    QFETCH(int, steps);
    const QString file = path(isRun ? "run.json" : "bench.json");
    const ProgramResult result = isRun ? train({"--profile", file}) : bench({"--trace", file});
    QVERIFY2(result.exitStatus == 0, result.all());
    int spans = 0, calls = 0;
    double last = 0, spanEnd = 0;
    for (const QJsonValue& event : eventsIn(file)) {
        if (event["ph"].toString() == "M") continue;
        QVERIFY(event["ts"].toDouble() >= last);
        last = event["ts"].toDouble();
        const double end = last + event["dur"].toDouble();
        const bool isStep = event["cat"].toString() == "step";
        if (isStep) spanEnd = end;
        // doubles from decimal fractions
        QVERIFY(end <= spanEnd + 1e-3);
        (isStep ? spans : calls) += 1;
        if (!isStep) QVERIFY(event["args"]["bytes"].toInteger() > 0);
    }
    QCOMPARE(spans, steps);
    QVERIFY(calls > steps && calls % steps == 0);
}

void CliProfileTest::runsAreTheSameBitsWithAndWithoutProfile() {
    const ProgramResult plain = train({"--save", path("plain")});
    const ProgramResult profiled =
        train({"--save", path("profiled"), "--profile", path("same.json")});
    QVERIFY2(plain.exitStatus == 0 && profiled.exitStatus == 0, profiled.all());
    QVERIFY(!bytesIn(path("plain/last.ckpt")).isEmpty());
    QCOMPARE(bytesIn(path("profiled/last.ckpt")), bytesIn(path("plain/last.ckpt")));
}

void CliProfileTest::runsPrintTheirOperators() {
    const ProgramResult result = train({"--profile", path("table.json")});
    QVERIFY2(result.exitStatus == 0, result.all());
    QVERIFY2(result.err.contains("profile of 20 steps"), result.all());
    for (const char* word : {"operator", "Gemm", "GFLOP/s", "roofline"}) {
        QVERIFY2(result.err.contains(word) && !result.out.contains(word), result.all());
    }
}

void CliProfileTest::runsOfProjectsAreProfiled() {
    ProjectFile project;
    project.spec.model = kModel;
    project.spec.run.data = kIris;
    project.spec.run.steps = 12;
    QVERIFY(QDir().mkpath(path("project")));
    writeProject(project, path("project").toStdString());
    const ProgramResult result =
        runTemper({"train", path("project"), "--profile", path("project.json")});
    QVERIFY2(result.exitStatus == 0, result.all());
    QVERIFY2(result.err.contains("profile of 12 steps"), result.all());
    QVERIFY(eventsIn(path("project.json")).size() > 12);
}

void CliProfileTest::runsOfAModelAreTimed() {
    writeNpz(path("inputs.npz").toStdString(), {{"input", Tensor(DType::Float32, {kBatch, 4})}});
    const QStringList command{"run", kModel, "--feeds", path("inputs.npz"), "--bench", "5"};
    const ProgramResult json = runTemper(command + QStringList{"--json"});
    QVERIFY2(json.exitStatus == 0, json.all());
    QCOMPARE(json.json()["runs"].toInteger(), qint64{5});
    const double median = json.json()["median_ms"].toDouble();
    QVERIFY(median > 0 && json.json()["p10_ms"].toDouble() <= median &&
            median <= json.json()["p90_ms"].toDouble());
    const ProgramResult text = runTemper(command);
    QVERIFY2(text.exitStatus == 0 && text.out.contains("median_ms"), text.all());
    QCOMPARE(runTemper(command.mid(0, 4)).exitStatus, 2);  // neither --out nor --bench
    QCOMPARE(
        runTemper(command.mid(0, 4) + QStringList{"--json", "--out", path("o.npz")}).exitStatus, 2);
}

/// A model with a batch norm after a convolution: the results differ by rounding only.
void CliProfileTest::batchNormsAreFoldedByDefault() {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["": 15]> g
        (float[2, 3, 6, 6] x, float[4, 3, 3, 3] w) => (y) <float[4] scale = {0.5, 2, 1.5, 1},
        float[4] bias = {1, -1, 0.5, 0}, float[4] mean = {0.1, 0.2, -0.3, 0},
        float[4] variance = {0.7, 1.3, 2, 1}> {
        a = Conv(x, w)  b = BatchNormalization(a, scale, bias, mean, variance)  y = Relu(b) })");
    Tensor weights(DType::Float32, {4, 3, 3, 3}), images(DType::Float32, {2, 3, 6, 6});
    Random random(7);
    for (float& weight : weights.mutableValues<float>()) weight = random.uniform() - 0.5F;
    for (float& pixel : images.mutableValues<float>()) pixel = 2 * random.uniform() - 1;
    model->inputToInitializer(model->at("w"), weights);
    saveModel(*model, path("norm.onnx").toStdString());
    writeNpz(path("images.npz").toStdString(), {{"x", images}});
    const QStringList command{"run",   path("norm.onnx"), "--feeds", path("images.npz"),
                              "--out", path("y.npz")};
    const auto outputOf = [&](const QStringList& more) {
        const ProgramResult result = runTemper(command + more);
        const auto arrays = result.exitStatus == 0 ? readNpz(path("y.npz").toStdString())
                                                   : std::map<std::string, Tensor>();
        return arrays.contains("y") ? arrays.at("y") : Tensor();
    };
    const Tensor folded = outputOf({}), kept = outputOf({"--without-pass", "fold-batch-norms"});
    QCOMPARE(folded.shape(), (Shape{2, 4, 4, 4}));
    QVERIFY(kept.shape() == folded.shape());
    for (int64_t i = 0; i < kept.numElements(); ++i)
        QVERIFY(std::abs(folded.values<float>()[i] - kept.values<float>()[i]) < 1e-5F);
    const ProgramResult unknown = runTemper(command + QStringList{"--without-pass", "fold"});
    QVERIFY2(unknown.exitStatus == 2 && unknown.err.contains("fold-transposes"), unknown.all());
}

void CliProfileTest::filesThatCannotBeWrittenAreRefusedAtOnce_data() {
    QTest::addColumn<bool>("isRun");
    QTest::addColumn<QString>("file");
    for (const bool isRun : {false, true}) {
        const QByteArray command = isRun ? "train, " : "bench, ";
        QTest::newRow(command + "no such folder") << isRun << path("nowhere/trace.json");
        QTest::newRow(command + "below a file") << isRun << path("feeds.npz/trace.json");
        QTest::newRow(command + "a folder") << isRun << dir_.path();
    }
}

void CliProfileTest::filesThatCannotBeWrittenAreRefusedAtOnce() {
    QFETCH(bool, isRun);
    QFETCH(QString, file);
    const ProgramResult result = isRun ? train({"--profile", file, "--log", path("refused.jsonl")})
                                       : bench({"--trace", file});
    QVERIFY2(result.exitStatus == 1, result.all());
    QVERIFY2(isFriendlyError(result), result.all());
    QVERIFY2(result.err.contains(file.toUtf8()) && result.err.contains("hint: "), result.all());
    QVERIFY2(result.out.isEmpty(), result.all());
    QVERIFY(!QFileInfo::exists(path("refused.jsonl")));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliProfileTest)
#include "cli_profile_test.moc"
