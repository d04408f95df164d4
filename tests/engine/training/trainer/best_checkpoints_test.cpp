// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/best_checkpoints.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <limits>
#include <thread>

#include "engine/core/file.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/projects/project_file.h"
#include "tests/engine/training/lesson_run.h"

using namespace temper;
using namespace temper::test;

namespace {

namespace fs = std::filesystem;

/// A state after `step` steps; its only weight is their number.
CheckpointState stateAt(int64_t step) {
    CheckpointState state;
    state.addParameter({"weight", Tensor(DType::Float32, {1}), {}, true});
    state.parameters()[0].data.mutableValues<float>()[0] = static_cast<float>(step);
    state.setHasOptimizerState(true);
    state.optimizerState().step = step;
    return state;
}

void advance(CheckpointState& state, int64_t step) {
    state.optimizerState().step = step;
    state.parameters()[0].data.mutableValues<float>()[0] = static_cast<float>(step);
}

QStringList filesIn(const QTemporaryDir& folder) {
    return QDir(folder.path()).entryList(QDir::Files, QDir::Name);
}

fs::path pathIn(const QTemporaryDir& folder, const char* name) {
    return fs::path(folder.path().toStdString()) / name;
}

/// What a run does after an evaluation.
void evaluate(BestCheckpoints& best, double value) {
    if (best.isAmongBest(value)) best.save(value);
    while (best.removeSurplus()) {
    }
}

std::string nameOfStep(int64_t step) { return checkpointName("best", step); }

/// Names of the `count` best evaluations; of equal ones the earlier.
QStringList bestOf(std::vector<EvalEvent> evaluations, size_t count) {
    std::ranges::stable_sort(evaluations, {}, &EvalEvent::loss);
    evaluations.resize(std::min(count, evaluations.size()));
    QStringList names;
    for (const EvalEvent& each : evaluations)
        names += QString::fromStdString(nameOfStep(each.step));
    names.sort();
    return names;
}

/// Iris at a rate that is too high: the loss jumps up and down.
void letJump(LessonRun& run, const QTemporaryDir& folder, int64_t keep) {
    run.spec.epochs = 12;
    run.spec.learningRate = 0.3;
    run.spec.schedule = {"constant", {}};
    run.spec.keepBest = keep;
    run.spec.saveFolder = folder.path().toStdString();
}

QStringList keptIn(const QTemporaryDir& folder) {
    return QDir(folder.path()).entryList({"best-*.ckpt"}, QDir::Files, QDir::Name);
}

}  // namespace

class BestCheckpointsTest : public QObject {
    Q_OBJECT

private slots:
    void theBestStay_data() {
        QTest::addColumn<bool>("higherIsBetter");
        QTest::addColumn<std::vector<double>>("values");
        QTest::addColumn<QStringList>("kept");
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double infinity = std::numeric_limits<double>::infinity();
        const auto names = [](std::initializer_list<int64_t> steps) {
            QStringList list;
            for (const int64_t step : steps) list += QString::fromStdString(nameOfStep(step));
            return list;
        };
        QTest::newRow("none yet") << false << std::vector<double>{} << names({});
        QTest::newRow("fewer than are kept") << false << std::vector{2.0, 1.0} << names({1, 2});
        QTest::newRow("falling") << false << std::vector{5.0, 4.0, 3.0, 2.0} << names({2, 3, 4});
        QTest::newRow("rising") << false << std::vector{1.0, 2.0, 3.0, 4.0} << names({1, 2, 3});
        QTest::newRow("higher is better")
            << true << std::vector{0.5, 0.9, 0.1, 0.7, 0.8} << names({2, 4, 5});
        QTest::newRow("of two that are the same the earlier one")
            << false << std::vector{1.0, 1.0, 1.0, 1.0} << names({1, 2, 3});
        QTest::newRow("not finite") << false << std::vector{nan, 1.0, infinity} << names({2});
        QTest::newRow("negative") << false << std::vector{-1.0, -3.0, 2.0, -2.0}
                                  << names({1, 2, 4});
    }

    void theBestStay() {
        QFETCH(bool, higherIsBetter);
        QFETCH(std::vector<double>, values);
        QFETCH(QStringList, kept);
        QTemporaryDir folder;
        CheckpointState state = stateAt(0);
        BestCheckpoints best(state, folder.path().toStdString(), "figure", higherIsBetter, 3);
        for (size_t i = 0; i < values.size(); ++i) {
            advance(state, static_cast<int64_t>(i) + 1);
            evaluate(best, values[i]);
        }
        QCOMPARE(filesIn(folder), kept);
        for (const QString& name : kept) {
            const CheckpointFile file = readCheckpoint(pathIn(folder, name.toUtf8().data()));
            QCOMPARE(QString::fromStdString(nameOfStep(file.optimizerGroups.at(0).step)), name);
        }
    }

    /// Wherever a run was killed, it continues with the best existing checkpoints, and nothing is
    /// left over in the end.
    void aRunContinuesFromTheExistingCheckpoints_data() {
        QTest::addColumn<std::function<void(const QTemporaryDir&, CheckpointState&)>>("meanwhile");
        QTest::addColumn<QStringList>("kept");
        using Meanwhile = std::function<void(const QTemporaryDir&, CheckpointState&)>;
        const QStringList usual{"best-000002.ckpt", "best-000003.ckpt"};
        QTest::newRow("nothing happened")
            << Meanwhile([](const QTemporaryDir&, CheckpointState&) {}) << usual;
        QTest::newRow("killed between save and delete")
            << Meanwhile([](const QTemporaryDir& folder, CheckpointState& state) {
                   // The state says so, too: it is written with one more than are kept.
                   advance(state, 3);
                   BestCheckpoints(state, folder.path().toStdString(), "loss", false, 2).save(1);
               })
            << usual;
        QTest::newRow("killed there, and goes on from an older state")
            << Meanwhile([](const QTemporaryDir& folder, CheckpointState& state) {
                   CheckpointState lost = CheckpointState(state.toFile(true));
                   advance(lost, 3);
                   BestCheckpoints(lost, folder.path().toStdString(), "loss", false, 2).save(1);
               })
            << usual;
        QTest::newRow("one was moved away")
            << Meanwhile([](const QTemporaryDir& folder, CheckpointState&) {
                   fs::remove(pathIn(folder, "best-000002.ckpt"));
               })
            << QStringList{"best-000001.ckpt", "best-000003.ckpt"};
    }

    void aRunContinuesFromTheExistingCheckpoints() {
        using Meanwhile = std::function<void(const QTemporaryDir&, CheckpointState&)>;
        QFETCH(Meanwhile, meanwhile);
        QFETCH(QStringList, kept);
        QTemporaryDir folder;
        CheckpointState state = stateAt(1);
        const std::string path = folder.path().toStdString();
        BestCheckpoints before(state, path, "loss", false, 2);
        evaluate(before, 3);
        advance(state, 2);
        evaluate(before, 2);
        meanwhile(folder, state);

        CheckpointState next(state.toFile(true));
        BestCheckpoints after(next, path, "loss", false, 2);
        after.restore();
        while (after.removeSurplus()) {
        }
        advance(next, 3);
        evaluate(after, 1);
        QCOMPARE(filesIn(folder), kept);
        advance(next, 4);
        evaluate(after, 2.5);  // third
        QCOMPARE(filesIn(folder).contains("best-000004.ckpt"), !kept.contains("best-000002.ckpt"));
        QCOMPARE(filesIn(folder).size(), 2);
    }

    void whatOthersWroteIsNeverDeleted() {
        QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        // A file with such a name, a checkpoint of another run and one of no run.
        writeFileAtomically(pathIn(folder, "best-000001.ckpt"), "mine");
        stateAt(2).save(pathIn(folder, "best-000002.ckpt"), true);
        CheckpointState other = stateAt(3);
        BestCheckpoints(other, path, "loss", false, 5).save(9);
        CheckpointState state = stateAt(10);
        state.setProperty("temper.kept_loss", std::string("1:7 2:8 3:9.5"));
        BestCheckpoints best(state, path, "loss", false, 2);
        QVERIFY(best.restore().empty());
        for (int64_t step = 11; step < 20; ++step) {
            advance(state, step);
            evaluate(best, 1.0 / double(step));
        }
        QCOMPARE(filesIn(folder),
                 (QStringList{"best-000001.ckpt", "best-000002.ckpt", "best-000003.ckpt",
                              "best-000018.ckpt", "best-000019.ckpt"}));
        QCOMPARE(readFile(pathIn(folder, "best-000001.ckpt")), std::string("mine"));
    }

    void aMeaninglessPropertyIsIgnored_data() {
        QTest::addColumn<QString>("property");
        for (const char* text : {"", " ", "1", ":", "a:b", "1:", ":2", "1:nan", "1:2x", "9e9:1"})
            QTest::newRow(text) << QString(text);
    }

    void aMeaninglessPropertyIsIgnored() {
        QFETCH(QString, property);
        QTemporaryDir folder;
        CheckpointState state = stateAt(7);
        state.setProperty("temper.kept_loss", property.toStdString());
        BestCheckpoints best(state, folder.path().toStdString(), "loss", false, 2);
        QVERIFY(best.restore().empty());
        QVERIFY(!state.hasProperty("temper.kept_loss"));
        QVERIFY(best.isAmongBest(1));
    }

    void aFolderThatCanNotBeWrittenChangesNothing() {
        CheckpointState state = stateAt(7);
        BestCheckpoints best(state, "/proc/no/such/folder", "loss", false, 2);
        QVERIFY_THROWS_EXCEPTION(Error, best.save(1));
        QVERIFY(!state.hasProperty("temper.kept_loss"));
    }

    /// Compared with sorting all evaluations of the run.
    void aRunKeepsItsBest_data() {
        QTest::addColumn<int>("keep");
        for (const int keep : {1, 2, 3, 100}) QTest::newRow(std::to_string(keep).c_str()) << keep;
    }

    void aRunKeepsItsBest() {
        QFETCH(int, keep);
        QTemporaryDir folder;
        LessonRun run("iris");
        letJump(run, folder, keep);
        QCOMPARE(run.run(), RunOutcome::Finished);
        const auto evaluations = run.all<EvalEvent>();
        QCOMPARE(evaluations.size(), size_t{12});
        QCOMPARE(keptIn(folder), keep == 1 ? QStringList() : bestOf(evaluations, size_t(keep)));
        if (keep == 1) return;
        // best.ckpt equals the best of them, to the byte.
        const std::string first = bestOf(evaluations, 1).front().toStdString();
        QVERIFY(readFile(pathIn(folder, "best.ckpt")) == readFile(pathIn(folder, first.c_str())));
        // The reported checkpoints are those that exist.
        QStringList told;
        for (const RunEvent& event : run.events) {
            if (const auto* saved = std::get_if<CheckpointEvent>(&event.fact))
                if (saved->kind == "kept") told += QString::fromStdString(saved->path);
            if (const auto* removed = std::get_if<CheckpointRemovedEvent>(&event.fact))
                QVERIFY(told.removeOne(QString::fromStdString(removed->path)));
        }
        for (QString& path : told) path = QFileInfo(path).fileName();
        told.sort();
        QCOMPARE(told, keptIn(folder));
    }

    /// From any of its checkpoints, in a separate process, as if it had not been interrupted.
    void aRunThatContinuesKeepsTheSame_data() {
        QTest::addColumn<QString>("from");
        QTest::newRow("the last") << "last.ckpt";
        QTest::newRow("one on the way") << "step-000040.ckpt";
    }

    void aRunThatContinuesKeepsTheSame() {
        QFETCH(QString, from);
        QTemporaryDir folder, straightFolder;
        LessonRun straight("iris");
        letJump(straight, straightFolder, 3);
        QCOMPARE(straight.run(), RunOutcome::Finished);

        LessonRun first("iris");
        letJump(first, folder, 3);
        first.spec.saveEvery = 8;
        first.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && step->step == 60) first.control.stop(false);
        };
        QCOMPARE(first.run(), RunOutcome::Stopped);
        LessonRun second("iris");
        letJump(second, folder, 3);
        second.state->assign(readCheckpoint(pathIn(folder, from.toUtf8().data())));
        QCOMPARE(second.run(), RunOutcome::Finished);
        QCOMPARE(keptIn(folder), keptIn(straightFolder));
        const CheckpointState best = CheckpointState::load(pathIn(folder, "best.ckpt"));
        const CheckpointState other = CheckpointState::load(pathIn(straightFolder, "best.ckpt"));
        QCOMPARE(best.optimizerState().step, other.optimizerState().step);
        for (const Parameter& each : best.parameters())
            QVERIFY(std::ranges::equal(each.data.values<float>(),
                                       other.parameter(each.name).data.values<float>()));
    }

    void aRunThatContinuesWithFewerDeletesTheRest() {
        QTemporaryDir folder;
        LessonRun run("iris");
        letJump(run, folder, 4);
        QCOMPARE(run.run(), RunOutcome::Finished);
        QCOMPARE(keptIn(folder).size(), 4);
        const QStringList best = bestOf(run.all<EvalEvent>(), 2);
        run.spec.keepBest = 2;
        RunControl again;
        QCOMPARE(run.run(again), RunOutcome::Finished);
        QCOMPARE(keptIn(folder), best);
        QCOMPARE(run.all<StartedEvent>().size(), size_t{2});
    }

    void aRunThatStartsAfreshLeavesOthersAlone() {
        QTemporaryDir folder;
        LessonRun first("iris");
        letJump(first, folder, 2);
        QCOMPARE(first.run(), RunOutcome::Finished);
        const QStringList before = keptIn(folder);
        LessonRun second("iris");
        letJump(second, folder, 2);
        second.spec.evaluateEvery = 5;  // at steps that the first run did not have
        QCOMPARE(second.run(), RunOutcome::Finished);
        QStringList expected = before + bestOf(second.all<EvalEvent>(), 2);
        expected.removeDuplicates();
        expected.sort();
        QCOMPARE(keptIn(folder), expected);
    }

    void aPauseIsSavedOnRequest_data() {
        QTest::addColumn<bool>("saves");
        QTest::addColumn<bool>("hasFolder");
        QTest::newRow("asked for") << true << true;
        QTest::newRow("not asked for") << false << true;
        QTest::newRow("no folder") << true << false;
    }

    void aPauseIsSavedOnRequest() {
        QFETCH(bool, saves);
        QFETCH(bool, hasFolder);
        QTemporaryDir folder;
        LessonRun run("iris");
        run.spec.epochs = 2;
        run.spec.saveOnPause = saves;
        if (hasFolder) run.spec.saveFolder = folder.path().toStdString();
        std::jthread other;
        run.onEvent = [&](const RunEvent& event) {
            const auto* step = std::get_if<StepEvent>(&event.fact);
            if (step != nullptr && (step->step == 3 || step->step == 9)) run.control.pause();
            if (!std::holds_alternative<PausedEvent>(event.fact)) return;
            other = std::jthread([&run] { run.control.resume(); });
        };
        QCOMPARE(run.run(), RunOutcome::Finished);
        QCOMPARE(run.all<PausedEvent>().size(), size_t{2});
        const bool writes = saves && hasFolder;
        const QStringList files =
            QDir(folder.path()).entryList({"pause-*.ckpt"}, QDir::Files, QDir::Name);
        QCOMPARE(files,
                 writes ? QStringList({"pause-000003.ckpt", "pause-000009.ckpt"}) : QStringList());
        if (!writes) return;
        const CheckpointFile file = readCheckpoint(pathIn(folder, "pause-000009.ckpt"));
        QCOMPARE(file.optimizerGroups.at(0).step, int64_t{9});
    }

    void keepingNoneIsRefused() {
        LessonRun run("iris");
        run.spec.keepBest = 0;
        QCOMPARE(run.run(), RunOutcome::Failed);
        const std::string message = run.all<EndEvent>().back().message;
        QVERIFY2(
            message.find("'Best checkpoints kept' is 0; expected 1 or more") != std::string::npos,
            message.c_str());
    }

    void projectsAndCommandsHaveTheChoices() {
        ProjectFile project;
        project.spec.run.keepBest = 5;
        project.spec.run.saveOnPause = true;
        QVERIFY(projectFromJson(toJson(project, "/home/a/p"), "/home/a/p") == project);
        const std::string command = commandLineOf(project.spec, {});
        QVERIFY2(command.find("--keep-best 5") != std::string::npos, command.c_str());
        project.spec.run.keepBest = 1;
        QVERIFY(commandLineOf(project.spec, {}).find("--keep-best") == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(BestCheckpointsTest)
#include "best_checkpoints_test.moc"
