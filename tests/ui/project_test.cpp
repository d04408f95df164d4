// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTest>
#include <algorithm>

#include "engine/core/file.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/model_file.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "tests/ui/busy_workers.h"
#include "tests/ui/embedded_text.h"
#include "tests/ui/window_driver.h"
#include "ui/document/project_folder.h"
#include "ui/panels/export/export_weights.h"
#include "ui/widgets/banner.h"
#include "ui/window/stage_rail.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

std::vector<double> losses(const RunModel& run) {
    std::vector<double> values;
    for (const Curve::Point& point : run.loss().points()) values.push_back(point.y);
    return values;
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Presses the button of the message at the top of the window.
bool acceptOffer(MainWindow& window) {
    for (auto* banner : window.findChildren<Banner*>()) {
        if (!banner->isVisible()) continue;
        for (auto* button : banner->findChildren<QPushButton*>())
            if (button->isVisible() && !button->text().isEmpty()) return button->click(), true;
    }
    return false;
}

void trainToTheEnd(WindowDriver& driver) {
    QVERIFY(driver.goTo("train"));
    QVERIFY(driver.click("startButton"));
    QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
}

}  // namespace

/// The project as a folder: saved, opened unchanged, locked, watched; its runs recorded.
class ProjectTest : public QObject {
    Q_OBJECT

private slots:
    void aProjectOpensAgainAsItWas() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 3;
        spec.artifacts.optimizer = {"sgd", {}};
        driver.project().edit("Choose", spec);
        QVERIFY(driver.window().windowTitle().contains('*'));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        trainToTheEnd(driver);
        const std::vector<double> curve = losses(driver.run());
        const QString folder = driver.filePath("flowers");
        driver.project().saveAs(folder);
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), folder, kPatienceMs);
        QVERIFY(driver.window().windowTitle().startsWith("flowers –"));
        QVERIFY(QFileInfo::exists(folder + "/runs/0001/last.ckpt"));

        driver.project().closeModel();
        QCOMPARE(driver.window().pages().current(), QString("start"));
        QVERIFY(driver.project().model() == nullptr);
        driver.window().files().open(folder);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.project().spec() == spec);
        QCOMPARE(driver.window().pages().current(), QString("train"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(losses(driver.run()) == curve);
        QCOMPARE(driver.window().work().recent.paths().front(), folder);
    }

    void checkpointsAreExportedAfterARestart_data() {
        QTest::addColumn<bool>("isSaved");
        QTest::newRow("a project") << true;
        QTest::newRow("an untitled document") << false;
    }
    /// Without training again.
    void checkpointsAreExportedAfterARestart() {
        QFETCH(bool, isSaved);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        trainToTheEnd(driver);
        if (QTest::currentTestFailed()) return;
        if (isSaved) {
            driver.project().saveAs(driver.filePath("flowers"));
            QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), driver.filePath("flowers"),
                                      kPatienceMs);
        }
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        const QString folder = driver.project().store().folder();
        driver.reopen();
        driver.window().files().open(folder);
        const auto* stage = driver.window().findChild<StageButton*>("stage-export");
        QTRY_COMPARE_WITH_TIMEOUT(stage->status().text, QString("Ready to export"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(!driver.window().work().controller.hasSession());
        QVERIFY(driver.goTo("export"));
        const ExportWeights& weights = *driver.exportPanel().weights();
        QVERIFY2(weights.currentText().startsWith("Best: step "),
                 qPrintable(weights.currentText()));
        const QString file = driver.filePath("flowers.onnx");
        driver.exportPanel().exportTo(file);
        const ExportResult& result = driver.exportPanel().result();
        QTRY_VERIFY2_WITH_TIMEOUT(!result.path.empty(), qPrintable(driver.message()), kPatienceMs);
        QVERIFY(result.isVerified());
        QCOMPARE(stage->status().text, QString("Exported"));
        const auto graph = loadModel(file.toStdString());
        for (const NamedTensor& saved :
             loadCheckpoint(weights.checkpoint().toStdString()).trainable)
            QVERIFY2(std::ranges::equal(graph->at(saved.name)->constant().values<float>(),
                                        saved.data.values<float>()),
                     saved.name.c_str());
        QVERIFY(driver.click("exportTryIt"));
        const auto* caption = driver.window().findChild<QLabel*>("tryCaption");
        const QString said = QString("With the weights after step %1.").arg(result.step);
        QTRY_VERIFY2_WITH_TIMEOUT(caption->text().startsWith(said), qPrintable(caption->text()),
                                  kPatienceMs);
    }

    void aProjectIsOneFile_data() {
        QTest::addColumn<bool>("withRuns");
        QTest::newRow("with its runs") << true;
        QTest::newRow("to hand out") << false;
    }

    void aProjectIsOneFile() {
        QFETCH(bool, withRuns);
        WindowDriver author;
        QVERIFY(author.openLesson("iris"));
        TrainingSpec spec = author.project().spec();
        spec.run.epochs = 3;
        author.project().edit("Epochs", spec);
        QTRY_VERIFY_WITH_TIMEOUT(author.project().isReadyToTrain(), kPatienceMs);
        trainToTheEnd(author);
        const QString path = author.filePath("flowers.temper");
        QSignalSpy saved(&author.project(), &StudioProject::archiveSaved);
        author.project().saveArchive(path, withRuns);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, kPatienceMs);
        QCOMPARE(saved[0][1].toLongLong(), QFileInfo(path).size());
        QVERIFY(saved[0][2].toStringList().isEmpty());

        WindowDriver student;
        student.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(student.project().isReadyToTrain(), kPatienceMs);
        QCOMPARE(student.project().store().folder(), author.filePath("flowers"));
        QCOMPARE(student.project().spec().run.epochs, 3);
        QCOMPARE(student.window().pages().current(), QString("train"));
        QCOMPARE(student.project().name(), QString("flowers"));
        QTRY_COMPARE_WITH_TIMEOUT(student.window().work().history.runs()->size(),
                                  size_t{withRuns ? 1U : 0U}, kPatienceMs);
        // The student continues and opens the file again.
        spec = student.project().spec();
        spec.run.epochs = 5;
        student.project().edit("Epochs", spec);
        student.project().save();
        QTRY_VERIFY_WITH_TIMEOUT(student.project().undoStack()->isClean(), kPatienceMs);
        QSignalSpy opened(&student.project(), &StudioProject::archiveOpened);
        student.window().files().open(path);
        QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 1, kPatienceMs);
        QVERIFY(opened[0][1].toBool());
        QCOMPARE(student.project().spec().run.epochs, 5);
    }

    void aBadProjectFileIsRefused() {
        WindowDriver driver;
        const QString path = driver.filePath("bad.temper");
        writeFileAtomically(path.toStdString(), "no archive");
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("is not a project as one file"),
                                 kPatienceMs);
        QVERIFY(!QFileInfo::exists(driver.filePath("bad")));
    }

    void everyRunIsInTheHistory() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        trainToTheEnd(driver);
        if (QTest::currentTestFailed()) return;
        TrainingSpec spec = driver.project().spec();
        spec.run.learningRate *= 2;
        driver.project().edit("Faster", spec);
        trainToTheEnd(driver);
        if (QTest::currentTestFailed()) return;
        const RunHistory& history = driver.window().work().history;
        QTRY_VERIFY_WITH_TIMEOUT(
            history.runs()->size() == 2 && history.runs()->front().status == RunStatus::Finished,
            kPatienceMs);
        const StoredRun& newest = history.runs()->front();
        QCOMPARE(newest.id, history.current());
        QCOMPARE(newest.step, driver.run().step());
        const auto record = readRunLog(runLogPath(history.folderOf(newest).toStdString()));
        std::vector<double> logged;
        for (const StepEvent& step : record.steps) logged.push_back(step.loss);
        QVERIFY(logged == losses(driver.run()));
        driver.window().work().history.useSettingsOf(1);
        QCOMPARE(driver.project().spec().run.learningRate, spec.run.learningRate / 2);
        driver.project().undoStack()->undo();
        QVERIFY(driver.project().spec() == spec);
    }

    void aStoppedRunContinuesInItsOwnLog() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 60, kPatienceMs);
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        const int64_t stopped = driver.run().step();
        RunHistory& history = driver.window().work().history;
        QTRY_VERIFY_WITH_TIMEOUT(
            !history.runs()->empty() && history.runs()->front().status == RunStatus::Stopped,
            kPatienceMs);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(history.runs()->front().status, RunStatus::Finished, kPatienceMs);
        QCOMPARE(history.runs()->size(), size_t{1});
        const auto steps =
            readRunLog(runLogPath(history.folderOf(history.runs()->front()).toStdString())).steps;
        QVERIFY(stopped < static_cast<int64_t>(steps.size()));
        for (size_t i = 0; i < steps.size(); ++i)
            QCOMPARE(steps[i].step, static_cast<int64_t>(i + 1));
    }

    void notesAndTheTrashAreKept() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        trainToTheEnd(driver);
        if (QTest::currentTestFailed()) return;
        RunHistory& history = driver.window().work().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.runs()->size(), size_t{1}, kPatienceMs);
        history.label({1}, [](StoredRun& run) {
            run.notes = "the one";
            run.isTrashed = true;
        });
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        const RunStore store(runStorePath(driver.project().store().folder().toStdString()));
        QCOMPARE(store.run(1).notes, std::string("the one"));
        QVERIFY(store.run(1).isTrashed);
    }

    /// Both workers are busy until the window is gone.
    void aNameGivenLastIsKept() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        trainToTheEnd(driver);
        if (QTest::currentTestFailed()) return;
        RunHistory& history = driver.window().work().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.runs()->size(), size_t{1}, kPatienceMs);
        const QString folder = driver.project().store().folder();
        const BusyWorkers workers(*driver.project().tasks());
        history.edit("Rename", {1}, [](StoredRun& run) { run.name = "the one"; });
        history.edit("Notes", {1}, [](StoredRun& run) { run.notes = "of all"; });
        driver.reopen();
        const RunStore store(runStorePath(folder.toStdString()));
        QCOMPARE(store.run(1).name, std::string("the one"));
        QCOMPARE(store.run(1).notes, std::string("of all"));
    }

    /// The data of the first is gone, so its run waits for it; the second has the same model.
    void aRunIsNotContinuedInTheNextProject() {
        WindowDriver driver;
        for (const char* name : {"first", "second"}) {
            trainAndStop(driver, name);
            if (QTest::currentTestFailed()) return;
        }
        QVERIFY(QFile::remove(driver.filePath("first.csv")));
        QVERIFY(openFolder(driver, driver.filePath("first")));
        RunHistory& history = driver.window().work().history;
        QTRY_VERIFY_WITH_TIMEOUT(!history.runs()->empty(), kPatienceMs);
        history.resume(1);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        QVERIFY(history.isResuming());
        QVERIFY(!driver.project().data());
        const QString log = driver.filePath("second/runs/0001/run.jsonl");
        const QByteArray before = contentOf(log);
        QVERIFY(!before.isEmpty());
        QVERIFY(openFolder(driver, driver.filePath("second")));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QTest::qWait(500);
        QVERIFY(!driver.run().isActive());
        QVERIFY(!history.isResuming());
        QCOMPARE(contentOf(log), before);
        // It can be continued in its own.
        history.resume(1);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Running, kPatienceMs);
        driver.window().work().training.stop()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
    }

    void savingSaysWhere() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const QString folder = driver.filePath("flowers");
        driver.project().saveAs(folder);
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), folder, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        const QString said = "The project is saved in " + folder;
        // Nobody asked: it was saved automatically.
        QVERIFY(!driver.window().work().log.plainText().contains(said));
        driver.window().work().commands.action("file.save")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.window().statusBar()->currentMessage().startsWith(said),
                                 kPatienceMs);
        QVERIFY(driver.window().work().log.plainText().contains(said));
    }

    void aProjectThatIsOpenElsewhereIsRefused() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const QString folder = driver.filePath("shared");
        driver.project().saveAs(folder);
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), folder, kPatienceMs);
        WindowDriver other;
        other.window().files().open(folder);
        QTRY_VERIFY_WITH_TIMEOUT(other.message().contains("already open"), kPatienceMs);
        QVERIFY(other.project().model() == nullptr);
        driver.project().closeModel();
        other.window().files().open(folder);
        QTRY_VERIFY_WITH_TIMEOUT(other.project().model() != nullptr, kPatienceMs);
    }

    void aFileChangedByOthersIsOffered() {
        WindowDriver driver;
        const QString path = driver.filePath("own.onnx");
        writeFileAtomically(path.toStdString(), embeddedText("lessons/iris/model.onnx"));
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        const int before = driver.project().generation();
        writeFileAtomically(path.toStdString(), embeddedText("lessons/digits/model.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("own.onnx was changed"), kPatienceMs);
        QVERIFY(acceptOffer(driver.window()));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().generation() > before, kPatienceMs);
        QCOMPARE(driver.project().model()->graph->outputs().front()->name(), std::string("logits"));
    }

    void theCommandOfAProjectIsCopied() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QGuiApplication::clipboard()->setText("before");
        driver.window().work().commands.action("file.copyCommand")->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("before"));
        QVERIFY(driver.window().work().log.plainText().contains("embedded in the program"));
        const QString folder = driver.filePath("it's mine");
        driver.project().saveAs(folder);
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), folder, kPatienceMs);
        driver.window().work().commands.action("file.copyCommand")->trigger();
        QVERIFY(QGuiApplication::clipboard()->text().startsWith("temper train '"));
    }

    void theCommandOfAModelIsCopied() {
        WindowDriver driver;
        const QString path = driver.filePath("model.onnx");
        writeFileAtomically(path.toStdString(), embeddedText("lessons/iris/model.onnx"));
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        driver.window().work().commands.action("file.copyCommand")->trigger();
        QVERIFY2(QGuiApplication::clipboard()->text().startsWith("temper artifacts " + path),
                 qPrintable(QGuiApplication::clipboard()->text()));
    }

    void pagesSurviveAClosedProject() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        driver.window().work().commands.action("file.close")->trigger();
        for (const PanelInfo& panel : panels()) {
            QVERIFY(driver.goTo(panel.id));
            QCoreApplication::processEvents();
            driver.window().grab();
        }
        QVERIFY(driver.openLesson("digits"));
    }

private:
    static bool openFolder(WindowDriver& driver, const QString& folder) {
        driver.window().files().open(folder);
        return QTest::qWaitFor(
            [&] {
                return driver.project().store().folder() == folder &&
                       !driver.project().tasks()->isBusy();
            },
            kPatienceMs);
    }

    /// A project in a folder of this name, with its own data and a run that was stopped.
    static void trainAndStop(WindowDriver& driver, const QString& name) {
        const QString model = driver.filePath("own.onnx"), data = driver.filePath(name + ".csv");
        writeFileAtomically(model.toStdString(), embeddedText("lessons/iris/model.onnx"));
        writeFileAtomically(data.toStdString(), embeddedText("lessons/iris/train.csv"));
        const int before = driver.project().generation();
        driver.window().files().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().generation() != before, kPatienceMs);
        TrainingSpec spec = findLesson("iris").spec;
        spec.model = driver.project().spec().model;
        spec.run.data = data.toStdString() + "?target=species&split=0.8";
        spec.run.evalData.clear();
        spec.run.epochs = 1'000'000;
        driver.project().edit("Train", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.window().work().training.start()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        driver.window().work().training.stop()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        driver.project().saveAs(driver.filePath(name));
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), driver.filePath(name),
                                  kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
    }
};

QTEST_MAIN(ProjectTest)
#include "project_test.moc"
