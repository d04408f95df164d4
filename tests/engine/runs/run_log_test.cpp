// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <limits>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/runs/run_log.h"
#include "tests/support/bad_files.h"

namespace temper::test {

namespace fs = std::filesystem;

RunEvent evaluationEvent() {
    auto confusion = std::make_shared<ConfusionMatrix>();
    confusion->classes = {"cat", "dog"};
    confusion->counts = {5, 1, 2, 4};
    return {2.5, EvalEvent{20, 2, 0.5, {{"accuracy", 0.75}, {"f1", 0.7}}, 12, confusion, true, 3}};
}

std::shared_ptr<const std::vector<LayerStatistics>> sampleLayers() {
    return std::make_shared<std::vector<LayerStatistics>>(
        std::vector<LayerStatistics>{{"fc1.weight", 12, 1.5, 0.25, 1e-3, 0, 0.5, 64, 12}});
}

/// One event of each kind.
std::vector<RunEvent> sampleEvents() {
    return {{0, StartedEvent{100, 12, 40, 10, 0, 55, 60}},
            {0.1, StepEvent{1, 0.1, 1.0 / 3.0, 1e-3, 2.25, 32, 0.01, 0.002, 4096}},
            {1.5, EpochEvent{1, 10, 0.6, 1.4}},
            evaluationEvent(),
            {2.6, CheckpointEvent{20, "best", "out/\"best\"\n"}},
            {2.65, CheckpointRemovedEvent{20, "out/best-000010.ckpt"}},
            {2.7, WarningEvent{20, "The loss rises.", "Lower the rate."}},
            {2.8, PausedEvent{20}},
            {2.9, ResumedEvent{20}},
            {2.92, LearningRateEvent{20, 1e-4, false}},
            {2.94, RolledBackEvent{20, 25}},
            {2.96, LayersEvent{20, 7, 0.01, sampleLayers()}},
            {3, EndEvent{RunOutcome::Failed, 21, 3, "Loss is NaN.", "Look at it.", "/fc1/Gemm",
                         "R001"}}};
}

QJsonObject parsed(const RunEvent& event) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(toJsonLine(event))).object();
}

class RunLogTest : public QObject {
    Q_OBJECT

private slots:
    void stepLinesHaveTheDocumentedFields();
    void evaluationLinesHaveMetricsAndConfusionMatrix();
    void numbersThatAreNotFiniteAreNull();
    void everyKindOfEventSurvivesWritingAndReading();
    void stepsThatWereRolledBackDoNotCount();
    void checkpointsThatAreGoneDoNotCount();
    void aCheckpointThatIsOverwrittenCountsOnce();
    void aLookWithoutUnitsIsRead();
    void anEvaluationNeedNotSayWhetherItIsTheBest();
    void badLinesAreRefusedByName_data();
    void badLinesAreRefusedByName();
    void logFilesGiveTheRecordOfTheRun();
    void aLineThatWasCutOffIsLeftOut();
    void damagedLogsAreRefusedByLine();
    void unwritableLogsAreRefused();
    void theBestEvaluationDependsOnTheMetric();

private:
    fs::path path(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }
    QTemporaryDir dir_;
};

void RunLogTest::stepLinesHaveTheDocumentedFields() {
    const QJsonObject line = parsed(sampleEvents()[1]);
    QCOMPARE(line["event"].toString(), QString("step"));
    QCOMPARE(line["time"].toDouble(), 0.1);
    QCOMPARE(line["step"].toInt(), 1);
    QCOMPARE(line["epoch"].toDouble(), 0.1);
    QVERIFY(line["loss"].toDouble() == 1.0 / 3.0);
    QCOMPARE(line["learning_rate"].toDouble(), 1e-3);
    QCOMPARE(line["grad_norm"].toDouble(), 2.25);
}

void RunLogTest::evaluationLinesHaveMetricsAndConfusionMatrix() {
    const QJsonObject line = parsed(evaluationEvent());
    QCOMPARE(line["event"].toString(), QString("eval"));
    QCOMPARE(line["metrics"]["accuracy"].toDouble(), 0.75);
    QCOMPARE(line["confusion_matrix"].toArray(), (QJsonArray{QJsonArray{5, 1}, QJsonArray{2, 4}}));
    QCOMPARE(line["classes"].toArray(), (QJsonArray{"cat", "dog"}));
}

void RunLogTest::numbersThatAreNotFiniteAreNull() {
    const RunEvent event{0, StepEvent{.step = 1, .loss = std::nan("")}};
    QVERIFY(parsed(event)["loss"].isNull());
    const RunEvent copy = runEventFromJsonLine(toJsonLine(event));
    QVERIFY(std::isnan(std::get<StepEvent>(copy.fact).loss));
}

void RunLogTest::everyKindOfEventSurvivesWritingAndReading() {
    for (const RunEvent& event : sampleEvents()) {
        const std::string line = toJsonLine(event);
        QVERIFY(line.find('\n') == std::string::npos);
        const RunEvent copy = runEventFromJsonLine(line);
        QCOMPARE(copy.fact.index(), event.fact.index());
        QCOMPARE(toJsonLine(copy), line);
    }
}

void RunLogTest::checkpointsThatAreGoneDoNotCount() {
    RunRecord record;
    for (const char* path : {"a/1", "a/2"}) record.add({0, CheckpointEvent{1, "kept", path}});
    record.add({0, CheckpointRemovedEvent{2, "a/1"}});
    QCOMPARE(record.checkpoints.size(), size_t{1});
    QCOMPARE(record.checkpoints[0].path, std::string("a/2"));
}

void RunLogTest::aCheckpointThatIsOverwrittenCountsOnce() {
    RunRecord record;
    for (const int64_t step : {10, 20}) record.add({0, CheckpointEvent{step, "last", "last.ckpt"}});
    record.add({0, CheckpointEvent{20, "best", "best.ckpt"}});
    record.add({0, CheckpointEvent{30, "last", "last.ckpt"}});
    QCOMPARE(record.checkpoints.size(), size_t{2});
    QCOMPARE(record.checkpoints[0].path, std::string("best.ckpt"));
    QCOMPARE(record.checkpoints[1].step, int64_t{30});
}

/// From a log that was written before units were counted.
void RunLogTest::aLookWithoutUnitsIsRead() {
    const RunEvent event = runEventFromJsonLine(
        R"({"event": "layers", "time": 1, "step": 2, "interval": 1, "cost_share": 0, "layers": [
        {"name": "w", "elements": 3, "weight_norm": 1, "grad_norm": 1, "update_ratio": 0.1,
        "zero_weights": 0, "zero_gradients": 0.5}]})");
    const LayerStatistics layer = std::get<LayersEvent>(event.fact).layers->at(0);
    QCOMPARE(layer.zeroGradients, 0.5);
    QCOMPARE(layer.units, int64_t{0});
}

void RunLogTest::stepsThatWereRolledBackDoNotCount() {
    RunRecord record;
    for (int64_t step = 1; step <= 5; ++step) record.add({0, StepEvent{.step = step}});
    record.add({0, EvalEvent{.step = 5}});
    record.add({0, RolledBackEvent{3, 5}});
    record.add({0, StepEvent{.step = 4, .loss = 7}});
    QCOMPARE(record.steps.size(), size_t{4});
    QCOMPARE(record.steps.back().loss, 7.0);
    QVERIFY(record.evaluations.empty());
}

/// Logs from before the run reported which evaluation is the best.
void RunLogTest::anEvaluationNeedNotSayWhetherItIsTheBest() {
    const RunEvent event = runEventFromJsonLine(
        R"({"event":"eval","time":0,"step":1,"epoch":1,"loss":0.5,"metrics":{},"samples":1})");
    const auto& evaluation = std::get<EvalEvent>(event.fact);
    QCOMPARE(evaluation.loss, 0.5);
    QVERIFY(!evaluation.isBest);
    QCOMPARE(evaluation.withoutImprovement, int64_t{0});
}

void RunLogTest::badLinesAreRefusedByName_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("message");
    QTest::newRow("empty") << ""
                           << "not a JSON object";
    QTest::newRow("array") << "[1]"
                           << "not a JSON object";
    QTest::newRow("no event") << R"({"time":0})"
                              << "'event'";
    QTest::newRow("unknown event") << R"({"event":"dance","time":0})"
                                   << "'dance'";
    QTest::newRow("no time") << R"({"event":"pause","step":1})"
                             << "'time'";
    QTest::newRow("text for a number") << R"({"event":"pause","time":"now","step":1})"
                                       << "'time'";
    QTest::newRow("fraction for a step") << R"({"event":"pause","time":0,"step":1.5})"
                                         << "'step'";
    QTest::newRow("unknown outcome")
        << R"({"event":"end","time":0,"step":1,"seconds":1,"outcome":"won"})"
        << "'won'";
    QTest::newRow("matrix that is not square")
        << R"({"event":"eval","time":0,"step":1,"epoch":1,"loss":0,"metrics":{},"samples":1,)"
           R"("confusion_matrix":[[1,2]],"classes":["a","b"]})"
        << "'confusion_matrix'";
}

void RunLogTest::badLinesAreRefusedByName() {
    QFETCH(QString, line);
    QFETCH(QString, message);
    try {
        runEventFromJsonLine(line.toStdString());
        QFAIL("it was accepted");
    } catch (const Error& error) {
        QCOMPARE(error.code(), ErrorCode::InvalidInput);
        QVERIFY2(QString(error.what()).contains(message), error.what());
        compareWithBadFiles("Run log, line", QString::fromStdString(std::string(error.what()) +
                                                                    " | " + error.hint()));
    }
}

void RunLogTest::logFilesGiveTheRecordOfTheRun() {
    RunSettings settings{"digits", "temper train out --data 'idx:x'", {{"loss", "mse"}}, {}};
    {
        RunLog log(path("run.jsonl"));
        log.write(settings);
        for (const RunEvent& event : sampleEvents()) log.write(event);
    }
    const RunRecord record = readRunLog(path("run.jsonl"));
    QCOMPARE(record.settings.title, settings.title);
    QCOMPARE(record.settings.command, settings.command);
    QVERIFY(record.settings.choices == settings.choices);
    QVERIFY(record.started && record.started->trainSamples == 100);
    QCOMPARE(record.steps.size(), size_t{1});
    QCOMPARE(record.epochs.size(), size_t{1});
    QCOMPARE(record.evaluations.at(0).confusion->at(1, 0), int64_t{2});
    QCOMPARE(record.checkpoints.at(0).path, std::string("out/\"best\"\n"));
    QCOMPARE(record.warnings.size(), size_t{1});
    QCOMPARE(record.end->node, std::string("/fc1/Gemm"));
}

void RunLogTest::aLineThatWasCutOffIsLeftOut() {
    const std::string line = toJsonLine(sampleEvents()[1]);
    writeFileAtomically(path("cut.jsonl"), line + "\n" + line.substr(0, 20));
    QCOMPARE(readRunLog(path("cut.jsonl")).steps.size(), size_t{1});
}

void RunLogTest::damagedLogsAreRefusedByLine() {
    const std::string line = toJsonLine(sampleEvents()[1]);
    writeFileAtomically(path("bad.jsonl"), line + "\nnonsense\n");
    try {
        readRunLog(path("bad.jsonl"));
        QFAIL("it was accepted");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains("bad.jsonl', line 2"), error.what());
    }
    writeFileAtomically(path("empty.jsonl"), "");
    QVERIFY_EXCEPTION_THROWN(readRunLog(path("empty.jsonl")), Error);
    QVERIFY_EXCEPTION_THROWN(readRunLog(path("absent.jsonl")), Error);
}

void RunLogTest::unwritableLogsAreRefused() {
    QVERIFY_EXCEPTION_THROWN(RunLog(path("absent") / "run.jsonl"), Error);
    if (!fs::exists("/dev/full")) QSKIP("/dev/full is absent");
    RunLog log("/dev/full");
    QVERIFY_EXCEPTION_THROWN(log.write(RunSettings{}), Error);
    log.write(RunEvent{1, StepEvent{.step = 1}});  // buffered: the disk may have space again
    QVERIFY_EXCEPTION_THROWN(log.write(RunEvent{2, EndEvent{}}), Error);
}

void RunLogTest::theBestEvaluationDependsOnTheMetric() {
    RunRecord record;
    const auto add = [&](int64_t step, double loss, double accuracy) {
        record.add({0, EvalEvent{.step = step, .loss = loss, .metrics = {{"accuracy", accuracy}}}});
    };
    add(1, std::nan(""), 0.2);
    add(2, 0.5, 0.8);
    add(3, 0.4, 0.7);
    add(4, 0.6, 0.8);
    QCOMPARE(bestEvaluation(record, "loss")->step, int64_t{3});
    QCOMPARE(bestEvaluation(record, "accuracy")->step, int64_t{2});
    QVERIFY(bestEvaluation(record, "f1") == nullptr);
    QVERIFY(!isHigherBetter("rmse"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::RunLogTest)
#include "run_log_test.moc"
