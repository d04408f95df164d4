// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/trainer.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <future>
#include <limits>
#include <numeric>
#include <thread>

#include "engine/core/file_lock.h"
#include "engine/data/npy_file.h"
#include "engine/data/npy_rows.h"
#include "engine/training/evaluation/evaluation.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += std::pow(double{a[i]} - double{b[i]}, 2);
    return std::sqrt(sum);
}

/// The lesson's training data with NaN as the first number of one sample.
std::shared_ptr<const Dataset> poisoned(const Dataset& data, int64_t sample) {
    std::vector<int64_t> all(static_cast<size_t>(data.size()));
    std::iota(all.begin(), all.end(), 0);
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < data.columns().size(); ++i) tensors.push_back(data.batch(i, all));
    const auto at = static_cast<size_t>(sample * data.columns()[0].elementsPerSample());
    tensors[0].mutableValues<float>()[at] = std::numeric_limits<float>::quiet_NaN();
    return std::make_shared<TensorDataset>(data.columns(), tensors);
}

/// The table with its class as three numbers, 0 or 1.
std::shared_ptr<const Dataset> oneHot(const Dataset& data) {
    std::vector<int64_t> all(static_cast<size_t>(data.size()));
    std::iota(all.begin(), all.end(), 0);
    const Tensor labels = data.batch(1, all);
    Tensor target(DType::Float32, {data.size(), 3});
    for (size_t i = 0; i < all.size(); ++i) {
        target.mutableValues<float>()[3 * i + size_t(labels.values<int64_t>()[i])] = 1;
    }
    std::vector<Column> columns = data.columns();
    columns[1].classes.clear();
    return std::make_shared<TensorDataset>(columns,
                                           std::vector<Tensor>{data.batch(0, all), target});
}

std::string messageOf(const LessonRun& run) { return run.all<EndEvent>().back().message; }

}  // namespace

class TrainerTest : public QObject {
    Q_OBJECT

private slots:
    void eventsDescribeTheWholeRun() {
        LessonRun run("iris");
        run.spec.epochs = 3;
        QCOMPARE(run.run(), RunOutcome::Finished);
        const StartedEvent started = run.all<StartedEvent>().at(0);
        QCOMPARE(started.trainSamples, int64_t{120});
        QCOMPARE(started.evalSamples, int64_t{30});
        QCOMPARE(started.stepsPerEpoch, int64_t{8});
        QCOMPARE(started.totalSteps, int64_t{24});
        QCOMPARE(started.parameters, run.session->parametersSize(false));
        const std::vector<StepEvent> steps = run.all<StepEvent>();
        QCOMPARE(steps.size(), size_t{24});
        QCOMPARE(steps[7].step, int64_t{8});
        QCOMPARE(steps[7].samples, int64_t{120 - 7 * 16});
        QCOMPARE(steps[11].epoch, 1.5);
        QVERIFY(steps[0].gradientNorm > 0 && steps[0].stepSeconds > 0);
        QVERIFY(steps[0].arenaBytes > 0);
        QCOMPARE(steps.back().arenaBytes, run.session->memoryUse().arenaBytes);
        const std::vector<EpochEvent> epochs = run.all<EpochEvent>();
        QCOMPARE(epochs.size(), size_t{3});
        double sum = 0;
        for (size_t i = 8; i < 16; ++i) sum += steps[i].loss * double(steps[i].samples);
        QVERIFY(std::abs(epochs[1].meanLoss - sum / 120) < 1e-12);
        QCOMPARE(run.all<EvalEvent>().size(), size_t{3});
        QCOMPARE(run.all<EvalEvent>()[0].samples, int64_t{30});
        QCOMPARE(run.all<EndEvent>().size(), size_t{1});
        QVERIFY(std::holds_alternative<EndEvent>(run.events.back().fact));
        QVERIFY(steps.back().loss < steps.front().loss);
        QVERIFY(run.all<CheckpointEvent>().empty());
    }

    void theSameSeedGivesTheSameCurveOnOneAndTwoThreads() {
        LessonRun one("digits", 1);
        LessonRun two("digits", 2);
        one.spec.steps = two.spec.steps = 20;
        QCOMPARE(one.run(), RunOutcome::Finished);
        QCOMPARE(two.run(), RunOutcome::Finished);
        QCOMPARE(one.losses(), two.losses());
        QCOMPARE(one.parameters(), two.parameters());
        QCOMPARE(one.all<EvalEvent>().back().loss, two.all<EvalEvent>().back().loss);
    }

    /// Their order is the seed's, wherever they are.
    void samplesThatStayInTheirFilesTrainAsThoseInMemory() {
        QTemporaryDir folder;
        LessonRun memory("digits");
        std::vector<int64_t> all(static_cast<size_t>(memory.data.training->size()));
        std::iota(all.begin(), all.end(), 0);
        std::vector<RowsPtr> files;
        for (size_t i = 0; i < memory.data.training->columns().size(); ++i) {
            const std::string path = folder.filePath(QString::number(i)).toStdString();
            writeNpy(path, memory.data.training->batch(i, all));
            files.push_back(openNpyRows(path, {}, 0));
        }
        LessonRun file("digits");
        file.data.training =
            std::make_shared<ArrayDataset>(memory.data.training->columns(), std::move(files));
        memory.spec.steps = file.spec.steps = 20;
        QCOMPARE(memory.run(), RunOutcome::Finished);
        QCOMPARE(file.run(), RunOutcome::Finished);
        QCOMPARE(file.losses(), memory.losses());
        QCOMPARE(file.parameters(), memory.parameters());
    }

    void anotherSeedGivesAnotherCurve() {
        LessonRun one("iris");
        LessonRun other("iris");
        one.spec.epochs = other.spec.epochs = 1;
        other.spec.session.seed = one.spec.session.seed + 1;
        one.run();
        other.run();
        QVERIFY(one.losses() != other.losses());
    }

    void aRunThatContinuesEqualsOneThatWasNotInterrupted_data() {
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("accumulate");
        QTest::newRow("at the end of an epoch") << 16 << 1;
        QTest::newRow("within an epoch") << 11 << 1;
        QTest::newRow("with accumulation") << 7 << 3;
    }

    void aRunThatContinuesEqualsOneThatWasNotInterrupted() {
        QFETCH(int, steps);
        QFETCH(int, accumulate);
        QTemporaryDir folder;
        LessonRun whole("iris");
        LessonRun first("iris");
        LessonRun second("iris");
        for (LessonRun* run : {&whole, &first, &second}) {
            run->spec.steps = 24;
            run->spec.accumulate = accumulate;
            run->spec.schedule = {"cosine", {{"warmup_steps", 3}}};
            run->spec.evaluateEvery = 4;
        }
        QCOMPARE(whole.run(), RunOutcome::Finished);
        first.spec.saveFolder = folder.path().toStdString();
        first.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == steps) first.control.stop();
        };
        QCOMPARE(first.run(), RunOutcome::Stopped);
        QCOMPARE(first.all<CheckpointEvent>().back().kind, std::string("last"));
        second.state->assign(readCheckpoint(first.all<CheckpointEvent>().back().path));
        QCOMPARE(second.run(), RunOutcome::Finished);
        QCOMPARE(second.all<StartedEvent>().at(0).firstStep, int64_t{steps});
        std::vector<double> losses = first.losses();
        for (const double loss : second.losses()) losses.push_back(loss);
        QCOMPARE(losses, whole.losses());
        QCOMPARE(second.parameters(), whole.parameters());
        QCOMPARE(second.all<EvalEvent>().back().loss, whole.all<EvalEvent>().back().loss);
        QVERIFY(second.state->properties() == whole.state->properties());
    }

    void aPausedRunObeysStepByStep() {
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.control.pause();
        std::promise<void> paused;
        std::promise<void> stepped;
        std::promise<void> task;
        run.onEvent = [&](const RunEvent& event) {
            if (std::holds_alternative<PausedEvent>(event.fact)) paused.set_value();
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 1) stepped.set_value();
        };
        RunOutcome outcome = RunOutcome::Failed;
        std::thread worker([&] { outcome = run.run(); });
        paused.get_future().wait();
        QVERIFY(run.control.isPaused());
        run.control.stepOnce();
        stepped.get_future().wait();
        int64_t seen = -1;
        run.control.atStepBorder([&](TrainingSession& session) {
            seen = session.state().optimizerState().step;
            task.set_value();
        });
        task.get_future().wait();
        QCOMPARE(seen, int64_t{1});
        QVERIFY(run.control.isPaused());
        run.control.resume();
        worker.join();
        QCOMPARE(outcome, RunOutcome::Finished);
        QCOMPARE(run.all<PausedEvent>().size(), size_t{1});
        QCOMPARE(run.all<ResumedEvent>().at(0).step, int64_t{1});
        QCOMPARE(run.all<StepEvent>().size(), size_t{8});
    }

    /// Slower steps are the same steps; the time between them does not count.
    void aPaceDelaysStepsAndChangesNothing() {
        LessonRun fast("iris"), slow("iris");
        fast.spec.epochs = slow.spec.epochs = 1;
        QCOMPARE(fast.run(), RunOutcome::Finished);
        slow.control.setPace(50);
        const auto begin = std::chrono::steady_clock::now();
        QCOMPARE(slow.run(), RunOutcome::Finished);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        QCOMPARE(slow.all<StepEvent>().size(), size_t{8});
        QVERIFY2(taken.count() >= 7 / 50.0, std::to_string(taken.count()).c_str());
        QVERIFY(slow.parameters() == fast.parameters());
    }

    /// Whoever asks for something does not wait for a step that is due in an hour.
    void aSlowPaceIsInterruptedByRequests() {
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.control.setPace(1 / 3600.0);
        std::promise<void> stepped;
        run.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 1) stepped.set_value();
        };
        RunOutcome outcome = RunOutcome::Failed;
        std::thread worker([&] { outcome = run.run(); });
        stepped.get_future().wait();
        std::promise<int64_t> task;
        run.control.atStepBorder([&](TrainingSession& session) {
            task.set_value(session.state().optimizerState().step);
        });
        QCOMPARE(task.get_future().get(), int64_t{1});
        run.control.setLearningRate(0.5);
        run.control.setPace(0);
        worker.join();
        QCOMPARE(outcome, RunOutcome::Finished);
        QCOMPARE(run.all<StepEvent>().size(), size_t{8});
        QCOMPARE(run.all<StepEvent>().back().learningRate, 0.5);
    }

    void checkpointsCanBeRequestedWhilePaused() {
        QTemporaryDir folder;
        LessonRun run("iris");
        const std::string path = folder.filePath(QStringLiteral("mine")).toStdString();
        run.control.pause();
        run.control.saveCheckpoint(path);
        run.control.saveCheckpoint("/proc/no/such/folder/x");
        run.onEvent = [&](const RunEvent& event) {
            if (std::holds_alternative<PausedEvent>(event.fact)) run.control.stop();
        };
        QCOMPARE(run.run(), RunOutcome::Stopped);
        QCOMPARE(run.all<CheckpointEvent>().at(0).kind, std::string("requested"));
        QCOMPARE(readCheckpoint(path).optimizerGroups.at(0).step, int64_t{0});
        QCOMPARE(run.all<WarningEvent>().size(), size_t{1});
    }

    void aStopWithoutSavingWritesNothing() {
        QTemporaryDir folder;
        LessonRun run("iris");
        run.spec.saveFolder = folder.path().toStdString();
        run.control.stop(false);
        QCOMPARE(run.run(), RunOutcome::Stopped);
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void aStopAfterTheEpochFinishesIt() {
        LessonRun run("iris");
        run.control.stopAfterEpoch();
        QCOMPARE(run.run(), RunOutcome::Stopped);
        QCOMPARE(run.all<StepEvent>().size(), size_t{8});
        QCOMPARE(run.all<EvalEvent>().size(), size_t{1});
    }

    void lastBestAndEveryCheckpointAreWritten() {
        QTemporaryDir folder;
        LessonRun run("iris");
        run.spec.epochs = 6;
        run.spec.learningRate = 0.3;  // too high: the loss jumps up and down
        run.spec.saveEvery = 10;
        run.spec.saveFolder = folder.path().toStdString();
        QCOMPARE(run.run(), RunOutcome::Finished);
        QStringList kinds;
        for (const CheckpointEvent& event : run.all<CheckpointEvent>()) {
            kinds += QString::fromStdString(event.kind);
            QVERIFY(QFile::exists(QString::fromStdString(event.path)));
        }
        QCOMPARE(kinds.count(QStringLiteral("every")), 4);
        QCOMPARE(kinds.last(), QStringLiteral("last"));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("step-000040.ckpt"))));
        const CheckpointFile last =
            readCheckpoint(folder.filePath(QStringLiteral("last.ckpt")).toStdString());
        QCOMPARE(last.optimizerGroups.at(0).step, int64_t{48});
        double best = std::numeric_limits<double>::infinity();
        for (const EvalEvent& event : run.all<EvalEvent>()) best = std::min(best, event.loss);
        run.state->assign(
            readCheckpoint(folder.filePath(QStringLiteral("best.ckpt")).toStdString()));
        const Evaluation again = evaluateDataset(*run.session, *run.data.evaluation,
                                                 run.data.binding, run.spec.batchSize, {});
        QCOMPARE(again.loss, best);
    }

    void aFolderThatCanNotBeWrittenFailsTheRunBeforeItsFirstStep() {
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.spec.saveFolder = "/proc/no/such/folder";
        QCOMPARE(run.run(), RunOutcome::Failed);
        QCOMPARE(run.all<StepEvent>().size(), size_t{0});
        QVERIFY(messageOf(run).find("/proc/no/such/folder") != std::string::npos);
    }

    void aFolderThatAnotherRunWritesToFailsTheRunBeforeItsFirstStep() {
        const QTemporaryDir folder;
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.spec.saveFolder = folder.path().toStdString();
        {
            const FolderLock other(run.spec.saveFolder);
            QCOMPARE(run.run(), RunOutcome::Failed);
            QCOMPARE(run.all<StepEvent>().size(), size_t{0});
            QVERIFY2(messageOf(run).find("is in use: ") != std::string::npos,
                     messageOf(run).c_str());
        }
        LessonRun next("iris");
        next.spec.epochs = 1;
        next.spec.saveFolder = folder.path().toStdString();
        QCOMPARE(next.run(), RunOutcome::Finished);
        const FolderLock free(run.spec.saveFolder);  // it is released with the run
    }

    void valuesThatAreNaNFailTheRunBeforeTheyReachTheParameters() {
        LessonRun run("iris");
        run.data.training = poisoned(*run.data.training, 50);
        QCOMPARE(run.run(), RunOutcome::Failed);
        const EndEvent end = run.all<EndEvent>().at(0);
        QCOMPARE(end.node, run.session->inputNames().at(0));
        QVERIFY(end.message.find("comes from input '" + end.node + "'.") != std::string::npos);
        QVERIFY2(end.message.find("The loss is NaN in step") == 0, end.message.c_str());
        QVERIFY(!end.hint.empty());
        QCOMPARE(end.step, int64_t(run.all<StepEvent>().size()));
        for (const float value : run.parameters()) QVERIFY(std::isfinite(value));
    }

    void aRateThatBlowsUpFailsTheRunAndNamesANode() {
        LessonRun run("iris");
        run.spec.learningRate = 1e30;
        QCOMPARE(run.run(), RunOutcome::Failed);
        const EndEvent end = run.all<EndEvent>().at(0);
        const std::vector<Node*> nodes = run.session->artifacts().trainingModel->nodes();
        QVERIFY2(std::any_of(nodes.begin(), nodes.end(),
                             [&](const Node* node) { return node->name() == end.node; }),
                 end.node.c_str());
        QVERIFY(end.message.find("comes from node '" + end.node + "' (") != std::string::npos);
    }

    void accumulatedBatchesEqualOneLargeBatch_data() {
        QTest::addColumn<int>("small");
        QTest::addColumn<int>("accumulate");
        QTest::newRow("2 x 8") << 8 << 2;
        QTest::newRow("4 x 30") << 30 << 4;
        QTest::newRow("3 x 7, the last ones 7, 7 and 1") << 7 << 3;
    }

    void accumulatedBatchesEqualOneLargeBatch() {
        QFETCH(int, small);
        QFETCH(int, accumulate);
        LessonRun parts("iris");
        LessonRun large("iris");
        parts.spec.epochs = large.spec.epochs = 2;
        parts.spec.batchSize = small;
        parts.spec.accumulate = accumulate;
        large.spec.batchSize = small * accumulate;
        QCOMPARE(parts.run(), RunOutcome::Finished);
        QCOMPARE(large.run(), RunOutcome::Finished);
        const std::vector<StepEvent> a = parts.all<StepEvent>();
        const std::vector<StepEvent> b = large.all<StepEvent>();
        QCOMPARE(a.size(), b.size());
        // float32 sums in another order; AdamW's square root magnifies small gradients
        for (size_t i = 0; i < a.size(); ++i) {
            QCOMPARE(a[i].samples, b[i].samples);
            QVERIFY(std::abs(a[i].loss - b[i].loss) < 1e-4);
            QVERIFY(std::abs(a[i].gradientNorm - b[i].gradientNorm) < 1e-3 * b[i].gradientNorm);
        }
    }

    void evaluationDoesNotDependOnTheBatchSize() {
        LessonRun run("digits");
        const auto evaluate = [&](int64_t batchSize) {
            return evaluateDataset(*run.session, *run.data.evaluation, run.data.binding, batchSize,
                                   {"accuracy", "top-5-accuracy", "loss"});
        };
        const Evaluation whole = evaluate(1000);
        QCOMPARE(whole.samples, int64_t{360});
        QCOMPARE(whole.metrics.at("loss"), whole.loss);
        for (const int64_t size : {1, 7, 64, 360}) {
            const Evaluation part = evaluate(size);
            QCOMPARE(part.samples, whole.samples);
            QVERIFY(std::abs(part.loss - whole.loss) < 1e-5);
            QCOMPARE(part.metrics.at("accuracy"), whole.metrics.at("accuracy"));
            QCOMPARE(part.metrics.at("top-5-accuracy"), whole.metrics.at("top-5-accuracy"));
            QCOMPARE(part.confusion->counts, whole.confusion->counts);
        }
        int64_t right = 0;
        for (size_t i = 0; i < 10; ++i) right += whole.confusion->at(i, i);
        QCOMPARE(double(right) / 360, whole.metrics.at("accuracy"));
    }

    void aCancelledEvaluationCoversTheSamplesSoFar() {
        LessonRun run("iris");
        int asked = 0;
        const Evaluation part =
            evaluateDataset(*run.session, *run.data.evaluation, run.data.binding, 8, {},
                            [&] { return ++asked > 2; });
        QCOMPARE(part.samples, int64_t{16});
    }

    void gradientsAreClippedToTheNorm() {
        TrainingSpec spec = findLesson("iris").spec;
        spec.artifacts.optimizer = {"sgd", {}};
        LessonRun run(spec, "iris");
        run.spec.steps = 1;
        run.spec.learningRate = 0.5;
        run.spec.clipNorm = 1e-3;
        const std::vector<float> before = run.parameters();
        QCOMPARE(run.run(), RunOutcome::Finished);
        QVERIFY(run.all<StepEvent>().at(0).gradientNorm > 1e-3);
        // SGD moves the parameters by rate * gradient
        QVERIFY(std::abs(distance(run.parameters(), before) - 0.5e-3) < 1e-7);
    }

    void theRateFollowsTheScheduleUntilItIsSet() {
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.spec.learningRate = 0.1;
        run.spec.schedule = {"linear", {{"warmup_steps", 2}}};
        run.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 5) run.control.setLearningRate(0.025);
        };
        QCOMPARE(run.run(), RunOutcome::Finished);
        const std::vector<double> expected = {0, 0.05, 0.1, 0.5 / 6, 0.4 / 6, 0.025, 0.025, 0.025};
        const std::vector<StepEvent> steps = run.all<StepEvent>();
        for (size_t i = 0; i < expected.size(); ++i) {
            QVERIFY(std::abs(steps.at(i).learningRate - expected[i]) < 1e-12);
        }
    }

    void aStateThatIsDoneTrainsNoMore() {
        LessonRun run("iris");
        run.spec.epochs = 1;
        run.run();
        run.events.clear();
        QCOMPARE(run.run(), RunOutcome::Finished);
        QVERIFY(run.all<StepEvent>().empty());
        QVERIFY(run.all<WarningEvent>().at(0).message.find("already done 8 of 8") !=
                std::string::npos);
    }

    void aModelWithAFixedBatchSizeLeavesOutWhatDoesNotFillABatch() {
        LessonRun run(findLesson("iris").spec, "iris", 1, [](Graph& model) {
            const ValueType& type = model.inputs()[0]->type();
            SymbolicShape shape = *type.shape;
            shape.front() = Dim::of(50);
            model.inputs()[0]->setType({type.dtype, std::move(shape), false});
        });
        QCOMPARE(fixedBatchSize(*run.session, true), std::optional<int64_t>(50));
        run.data.evaluation = run.data.training;
        run.spec.epochs = 1;
        QVERIFY2(run.run() == RunOutcome::Finished, messageOf(run).c_str());
        QCOMPARE(run.all<WarningEvent>().size(), size_t{1});
        QCOMPARE(run.all<StepEvent>().size(), size_t{2});
        QCOMPARE(run.all<EvalEvent>().at(0).samples, int64_t{100});
    }

    void otherLossesAreEvaluatedWithTheirMetrics_data() {
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QStringList>("metrics");
        QTest::newRow("mse") << "mse" << QStringList{"mae", "rmse"};
        QTest::newRow("l1") << "l1" << QStringList{"mae", "rmse"};
        QTest::newRow("bce") << "bce-with-logits" << QStringList{"accuracy"};
    }

    void otherLossesAreEvaluatedWithTheirMetrics() {
        QFETCH(QString, loss);
        QFETCH(QStringList, metrics);
        TrainingSpec spec = findLesson("iris").spec;
        spec.artifacts.loss = {loss.toStdString(), {}};
        spec.run.metrics.clear();
        LessonRun run(spec, "iris");
        run.data.training = run.data.evaluation = oneHot(*run.data.training);
        const BindingProposal proposal = proposeBinding(*run.session, *run.data.training, {});
        QVERIFY(proposal.findings.empty());
        run.data.binding = proposal.binding;
        run.spec.epochs = 2;
        QVERIFY2(run.run() == RunOutcome::Finished, messageOf(run).c_str());
        const EvalEvent last = run.all<EvalEvent>().back();
        QStringList keys;
        for (const auto& [key, value] : last.metrics) keys += QString::fromStdString(key);
        QCOMPARE(keys, metrics);
        QVERIFY(run.losses().back() < run.losses().front());
        // the loss itself determines one of the metrics
        if (loss == QStringLiteral("l1"))
            QVERIFY(std::abs(last.metrics.at("mae") - last.loss) < 1e-6);
        if (loss == QStringLiteral("mse")) {
            QVERIFY(std::abs(last.metrics.at("rmse") - std::sqrt(last.loss)) < 1e-6);
        }
    }

    void whatCanNotRunFailsAtOnceWithAReason_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("message");
        QTest::newRow("epochs") << "epochs"
                                << "'Epochs' is 0; expected 1 or more";
        QTest::newRow("batch size") << "batch"
                                    << "'Batch size' is 0; expected 1 or more";
        QTest::newRow("metric") << "metric"
                                << "Unknown metric 'beauty'";
        QTest::newRow("schedule") << "schedule"
                                  << "'zigzag'";
        QTest::newRow("binding") << "binding"
                                 << "not bound to a data column";
    }

    void whatCanNotRunFailsAtOnceWithAReason() {
        QFETCH(QString, what);
        QFETCH(QString, message);
        LessonRun run("iris");
        if (what == QStringLiteral("epochs")) run.spec.epochs = 0;
        if (what == QStringLiteral("batch")) run.spec.batchSize = 0;
        if (what == QStringLiteral("metric")) run.spec.metrics = {"beauty"};
        if (what == QStringLiteral("schedule")) run.spec.schedule.key = "zigzag";
        if (what == QStringLiteral("binding")) run.data.binding.clear();
        QCOMPARE(run.run(), RunOutcome::Failed);
        QVERIFY2(messageOf(run).find(message.toStdString()) != std::string::npos,
                 messageOf(run).c_str());
        QVERIFY(run.all<StepEvent>().empty());
    }
};

QTEST_APPLESS_MAIN(TrainerTest)
#include "trainer_test.moc"
