// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QMessageBox>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>
#include <csignal>
#include <optional>

#include "engine/core/file.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "tests/ui/busy_workers.h"
#include "tests/ui/embedded_text.h"
#include "tests/ui/window_driver.h"
#include "ui/tasks/ordered_writer.h"
#include "ui/window/untitled_banner.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

void edit(StudioProject& project, int64_t epochs) {
    TrainingSpec spec = project.spec();
    spec.run.epochs = epochs;
    project.edit(QStringLiteral("Epochs"), spec);
}

/// What the window offers to continue; empty: nothing.
QString offer(WindowDriver& driver) {
    const auto* banner = driver.window().findChild<UntitledBanner*>();
    return banner->isVisible() ? banner->text() : QString();
}

/// Folders of untitled documents.
QStringList documents(const WindowDriver& driver) {
    return QDir(driver.filePath("unsaved")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
}

/// The lines of the start page.
QStringList listed(WindowDriver& driver) {
    const auto* list = driver.window().findChild<QListWidget*>("untitledDocuments");
    QStringList lines;
    for (int row = 0; row < list->count(); ++row) lines << list->item(row)->text();
    return lines;
}

bool clickWhenThere(WindowDriver& driver, const QString& name) {
    const auto isThere = [&] {
        const auto* button = driver.window().findChild<QAbstractButton*>(name);
        return button != nullptr && button->isVisible() && button->isEnabled();
    };
    return QTest::qWaitFor(isThere, kPatienceMs) && driver.click(name);
}

void close(WindowDriver& driver) {
    driver.window().work().commands.action("file.close")->trigger();
}

int64_t savedEpochs(const QString& folder) {
    return readProject(folder.toStdString()).spec.run.epochs;
}

}  // namespace

/// Nothing is ever lost: choices of a project are in its folder; those of a model, with all its
/// training, in an untitled document.
class AutosaveTest : public QObject {
    Q_OBJECT

private slots:
    void aProjectIsSavedAutomatically() {
        WindowDriver driver;
        const QString folder = saved(driver);
        edit(driver.project(), 41);
        QVERIFY(driver.window().windowTitle().contains('*'));
        QTRY_COMPARE_WITH_TIMEOUT(savedEpochs(folder), 41, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.window().windowTitle().contains('*'), kPatienceMs);
        // Saving does not clear the undo history.
        driver.project().undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(savedEpochs(folder) != 41, kPatienceMs);
    }

    void closingSavesWhatIsNotSavedYet_data() {
        QTest::addColumn<QString>("how");
        for (const char* how : {"close", "other", "quit"}) QTest::newRow(how) << QString(how);
    }
    void closingSavesWhatIsNotSavedYet() {
        QFETCH(QString, how);
        WindowDriver driver;
        const QString folder = saved(driver);
        edit(driver.project(), 42);
        if (how == "quit") driver.window().close();
        if (how == "close") driver.window().work().commands.action("file.close")->trigger();
        if (how == "other") QVERIFY(driver.openLesson("digits"));
        QCOMPARE(savedEpochs(folder), 42);
        QVERIFY(documents(driver).isEmpty());
        QVERIFY(offer(driver).isEmpty());
    }

    void choicesOfAModelAreOfferedAgain() {
        WindowDriver driver;
        QVERIFY(open(driver));
        QVERIFY(!driver.window().windowTitle().contains('*'));
        edit(driver.project(), 43);
        close(driver);
        QTRY_COMPARE_WITH_TIMEOUT(listed(driver).size(), 1, kPatienceMs);
        QVERIFY2(listed(driver).front().contains("own.onnx") &&
                     listed(driver).front().contains("choices"),
                 qPrintable(listed(driver).front()));
        QVERIFY2(offer(driver).isEmpty(), "the list is enough on the start page");
        QVERIFY(open(driver));
        QVERIFY(driver.project().spec().run.epochs != 43);
        QTRY_VERIFY_WITH_TIMEOUT(offer(driver).startsWith("Found unsaved choices for own.onnx"),
                                 kPatienceMs);
        QVERIFY(driver.click("openDocument"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().spec().run.epochs, 43, kPatienceMs);
        QVERIFY(driver.window().windowTitle().contains("own.onnx*"));
        QVERIFY(offer(driver).isEmpty());
        QCOMPARE(documents(driver).size(), 1);
        QVERIFY(driver.window().work().recent.paths().front().endsWith("own.onnx"));
    }

    void theStartPageRestoresModelAndChoices() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        edit(driver.project(), 44);
        close(driver);
        QVERIFY(openFromList(driver));
        QTRY_COMPARE(driver.project().spec().run.epochs, 44);
        QVERIFY(driver.project().lesson().has_value());
        QVERIFY(offer(driver).isEmpty());
    }

    void whatIsThrownAwayStaysAway_data() {
        QTest::addColumn<bool>("fromBanner");
        QTest::newRow("from the banner") << true;
        QTest::newRow("from the start page") << false;
    }
    void whatIsThrownAwayStaysAway() {
        QFETCH(bool, fromBanner);
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 45);
        close(driver);
        QTRY_COMPARE_WITH_TIMEOUT(listed(driver).size(), 1, kPatienceMs);
        if (fromBanner) {
            QVERIFY(open(driver));
            QVERIFY(clickWhenThere(driver, "throwAwayDocument"));
        } else {
            driver.window().findChild<QListWidget*>("untitledDocuments")->setCurrentRow(0);
            QVERIFY(driver.click("throwAwayUntitled"));
        }
        QTRY_VERIFY_WITH_TIMEOUT(documents(driver).isEmpty(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(listed(driver).isEmpty(), kPatienceMs);
        QVERIFY(offer(driver).isEmpty());
    }

    void newChoicesLeaveThoseThatAreOffered() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 46);
        close(driver);
        QVERIFY(open(driver));
        edit(driver.project(), 47);
        driver.window().work().autosave.flush();
        QCOMPARE(documents(driver).size(), 2);
        QVERIFY(clickWhenThere(driver, "openDocument"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().spec().run.epochs, 46, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(listed(driver).size(), 2, kPatienceMs);
    }

    /// What is opened after a document is not modified by the changes to that document.
    void aModelAfterADocumentIsClean() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 54);
        close(driver);
        QVERIFY(openFromList(driver));
        QVERIFY(driver.window().windowTitle().contains('*'));
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(!driver.window().windowTitle().contains('*'));
        close(driver);
        QCOMPARE(documents(driver).size(), 1);
    }

    /// A model that was only viewed, or whose choices were all undone.
    void withoutAChoiceThereIsNoDocument() {
        WindowDriver driver;
        QVERIFY(open(driver));
        close(driver);
        QVERIFY(documents(driver).isEmpty());
        QVERIFY(open(driver));
        edit(driver.project(), 48);
        driver.window().work().autosave.flush();
        QCOMPARE(documents(driver).size(), 1);
        driver.project().undoStack()->undo();
        close(driver);
        QVERIFY(documents(driver).isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(listed(driver).isEmpty(), kPatienceMs);
    }

    void whatIsSavedIsNotUntitled() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 49);
        driver.window().work().autosave.flush();
        QCOMPARE(documents(driver).size(), 1);
        driver.project().saveAs(driver.filePath("project"));
        QTRY_VERIFY_WITH_TIMEOUT(documents(driver).isEmpty(), kPatienceMs);
        QCOMPARE(savedEpochs(driver.filePath("project")), 49);
    }

    void readingFilesAgainKeepsTheDocument() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 50);
        const int before = driver.project().generation();
        driver.project().reload();
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().generation() != before, kPatienceMs);
        QCOMPARE(driver.project().spec().run.epochs, 50);
        QVERIFY(driver.window().windowTitle().contains('*'));
        QVERIFY(offer(driver).isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(documents(driver).size(), 1, kPatienceMs);
    }

    void choicesOfAProjectThatCanNotBeWrittenAreKept() {
        WindowDriver driver;
        const QString folder = saved(driver);
        edit(driver.project(), 53);
        QVERIFY(QDir(folder).removeRecursively());
        QFile inTheWay(folder);
        QVERIFY(inTheWay.open(QIODevice::WriteOnly));
        close(driver);
        QTRY_COMPARE_WITH_TIMEOUT(listed(driver).size(), 1, kPatienceMs);
        QVERIFY(openFromList(driver));
        QTRY_COMPARE(driver.project().spec().run.epochs, 53);
    }

    // ---- what was trained ----------------------------------------------------------------------

    /// If another model is opened or the program is killed, its documents are as they were left.
    void whatWasTrainedIsFoundAgain_data() {
        QTest::addColumn<bool>("restarts");
        QTest::newRow("another model is open") << false;
        QTest::newRow("after a restart") << true;
    }
    void whatWasTrainedIsFoundAgain() {
        QFETCH(bool, restarts);
        WindowDriver driver;
        QVERIFY(open(driver) && train(driver));
        const int64_t steps = driver.run().step();
        if (restarts) driver.reopen();
        QVERIFY(driver.openLesson("digits"));
        // The history has the run, and names its document.
        const RunHistory& history = driver.window().work().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.runs()->size(), size_t{1}, kPatienceMs);
        const StoredRun run = history.runs()->front();
        QCOMPARE(run.step, steps);
        QCOMPARE(history.documentOf(run.id), QString("own.onnx"));
        QVERIFY(QFile::exists(history.folderOf(run) + "/last.ckpt"));
        // So does the start page, from which all of it can be restored.
        QVERIFY(driver.goTo("start"));
        QTRY_VERIFY_WITH_TIMEOUT(
            listed(driver).join('\n').contains(QString("trained weights, %1 steps").arg(steps)),
            kPatienceMs);
        QVERIFY(driver.savePicture("fault-06-start"));
        QVERIFY(openFromList(driver));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().step(), steps, kPatienceMs);
        QVERIFY(!driver.run().checkpoints().empty());
        for (const CheckpointEntry& entry : driver.run().checkpoints())
            QVERIFY2(QFile::exists(entry.path), qPrintable(entry.path));
        QVERIFY(history.documentOf(driver.window().work().history.runs()->front().id).isEmpty());
    }

    void aRunOfAnotherDocumentOpensIt() {
        WindowDriver driver;
        QVERIFY(open(driver) && train(driver));
        QVERIFY(driver.openLesson("digits"));
        RunHistory& history = driver.window().work().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.runs()->size(), size_t{1}, kPatienceMs);
        const int64_t id = history.runs()->front().id;
        history.label({id}, [](StoredRun& run) { run.notes = "the good one"; });
        history.resume(id);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() && driver.project().name() == "own.onnx",
                                 kPatienceMs);
        const auto notes = [&history] {
            return history.runs()->empty() ? std::string() : history.runs()->front().notes;
        };
        QTRY_COMPARE_WITH_TIMEOUT(notes(), std::string("the good one"), kPatienceMs);
    }

    void leavingTrainedWeightsAsks_data() {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("answer");  // a button's name
        QTest::addColumn<bool>("leaves");
        QTest::addColumn<int>("left");
        for (const char* how : {"close", "lesson", "model", "quit"}) {
            QTest::addRow("%s, keep", how) << how << "keepWeights" << true << 1;
            QTest::addRow("%s, throw away", how) << how << "throwAwayWeights" << true << 0;
            QTest::addRow("%s, cancel", how) << how << "" << false << 1;
        }
    }
    void leavingTrainedWeightsAsks() {
        QFETCH(QString, how);
        QFETCH(QString, answer);
        QFETCH(bool, leaves);
        QFETCH(int, left);
        WindowDriver driver;
        driver.settings().remove("keepsUntitledDocuments");
        QVERIFY(open(driver) && train(driver));
        const int generation = driver.project().generation();
        if (how == "quit") driver.window().close();
        if (how == "close") close(driver);
        if (how == "lesson") emit driver.window().work().navigator.lessonRequested("digits");
        if (how == "model") driver.window().files().open(driver.filePath("own.onnx"));
        auto* box = driver.window().findChild<QMessageBox*>("leaveDialog");
        QVERIFY(box != nullptr && box->isVisible());
        QVERIFY2(box->text().contains("own.onnx has trained weights"), qPrintable(box->text()));
        QVERIFY2(box->informativeText().contains(QString::number(driver.run().step())),
                 qPrintable(box->informativeText()));
        if (how == "close") QVERIFY(driver.savePicture("fault-06-leaving", box));
        auto* button = answer.isEmpty() ? box->button(QMessageBox::Cancel)
                                        : box->findChild<QAbstractButton*>(answer);
        QVERIFY(button != nullptr);
        button->click();
        const auto hasLeft = [&] {
            return how == "quit" ? !driver.window().isVisible()
                                 : driver.project().generation() != generation;
        };
        if (leaves) {
            QTRY_VERIFY_WITH_TIMEOUT(hasLeft(), kPatienceMs);
        } else {
            QVERIFY(!hasLeft());
        }
        QCOMPARE(documents(driver).size(), left);
    }

    void keepingWithoutAskingIsRemembered() {
        WindowDriver driver;
        driver.settings().remove("keepsUntitledDocuments");
        QVERIFY(open(driver) && train(driver));
        close(driver);
        auto* box = driver.window().findChild<QMessageBox*>("leaveDialog");
        box->findChild<QCheckBox*>("alwaysKeep")->setChecked(true);
        box->findChild<QAbstractButton*>("keepWeights")->click();
        QVERIFY(!driver.project().model());
        QVERIFY(openFromList(driver));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 0, kPatienceMs);
        close(driver);
        QVERIFY(!driver.project().model());
        QCOMPARE(documents(driver).size(), 1);
    }

    /// For an interrupted run: one message, not one for the choices and another for the run.
    void oneMessageOffersToContinue() {
        WindowDriver driver;
        QVERIFY(open(driver) && train(driver));
        const QString folder = driver.project().store().folder();
        const int64_t steps = driver.run().step();
        driver.reopen();
        {
            RunStore store(runStorePath(folder.toStdString()));
            StoredRun run = store.runs().front();
            run.status = RunStatus::Running;  // as left by a killed program
            store.updateProgress(run);
        }
        driver.settings().setValue("lastProject", folder);
        driver.reopen();
        const auto offers = [&driver] {
            QStringList texts;
            for (const Banner* banner : driver.window().findChildren<Banner*>())
                if (banner->isVisible()) texts << banner->text();
            return texts;
        };
        QTRY_COMPARE_WITH_TIMEOUT(offers().size(), 1, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(listed(driver).size(), 1, kPatienceMs);
        QCOMPARE(offers().size(), 1);
        QVERIFY2(listed(driver).front().contains("interrupted"),
                 qPrintable(listed(driver).front()));
        auto* button = driver.window().findChild<QPushButton*>("bannerAction");
        QCOMPARE(button->text(), QString("Continue at step %1").arg(steps));
        QVERIFY(driver.savePicture("fault-06-message"));
        // One click, and it continues.
        QVERIFY(driver.click("bannerAction"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY2(offers().size() <= 1, qPrintable(offers().join('\n')));
    }

    // ---- saved after training -----------------------------------------------------------------

    /// Saving takes its time; meanwhile another run of the untitled document begins.
    void aRunThatBeginsWhileTheProjectIsSavedIsKept() {
        WindowDriver driver;
        QVERIFY(open(driver) && train(driver));
        edit(driver.project(), 1'000'000);
        ProjectStore& store = driver.project().store();
        TrainingActions& training = driver.window().work().training;
        const QString place = driver.filePath("place");
        BusyWorkers workers(*driver.project().tasks());
        driver.project().saveAs(place);
        training.startOver()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Running, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        workers.release();
        QTRY_VERIFY_WITH_TIMEOUT(store.hasPlace(), kPatienceMs);
        QVERIFY2(store.isScratch(store.folder()), "the runs stay while one of them trains");
        training.stop()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(store.folder(), place, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        const RunHistory& history = driver.window().work().history;
        QCOMPARE(history.runs()->size(), size_t{2});
        for (const StoredRun& run : *history.runs())
            QVERIFY2(QFile::exists(history.folderOf(run) + "/last.ckpt"), run.name.c_str());
        QVERIFY(QFile::exists(place + "/runs/0002/last.ckpt"));
        QTRY_VERIFY_WITH_TIMEOUT(documents(driver).isEmpty(), kPatienceMs);
    }

    void nothingTrainsWhileTheRunsMove() {
        WindowDriver driver;
        QVERIFY(open(driver) && train(driver));
        const QString place = driver.filePath("place");
        std::optional<BusyWorkers> workers;
        saveAndHoldTheMove(driver, place, workers);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().store().isMovingRuns(), kPatienceMs);
        QAction* start = driver.window().work().training.start();
        QCOMPARE(start->text(), QString("Moving the runs…"));
        start->trigger();
        QVERIFY(!driver.run().isActive());
        workers->release();
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), place, kPatienceMs);
        QCOMPARE(start->text(), QString("Start training"));
        start->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(place + "/runs/0002/last.ckpt"), kPatienceMs);
        QVERIFY(QFile::exists(place + "/runs/0001/last.ckpt"));
    }

    void theRunsMoveThoughTheProjectIsClosed() {
        WindowDriver driver;
        QVERIFY(open(driver) && train(driver));
        const QString place = driver.filePath("place");
        std::optional<BusyWorkers> workers;
        saveAndHoldTheMove(driver, place, workers);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().store().isMovingRuns(), kPatienceMs);
        close(driver);
        QVERIFY(!driver.project().model() && !driver.project().store().isMovingRuns());
        workers->release();
        QTRY_VERIFY_WITH_TIMEOUT(documents(driver).isEmpty(), kPatienceMs);
        QVERIFY(QFile::exists(place + "/runs/0001/last.ckpt"));
        QTRY_VERIFY_WITH_TIMEOUT(listed(driver).isEmpty(), kPatienceMs);
        driver.window().files().open(place);
        const RunHistory& history = driver.window().work().history;
        QTRY_COMPARE_WITH_TIMEOUT(history.runs()->size(), size_t{1}, kPatienceMs);
    }

    // ---- several windows -----------------------------------------------------------------------

    void aDocumentThatIsOpenElsewhereIsNotOffered() {
#ifdef __SANITIZE_THREAD__
        QSKIP("the thread sanitizer does not survive the start of another program");
#endif
        // A process that holds the document like a window, and dies.
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 52);
        close(driver);
        const QString folder = driver.filePath("unsaved/") + documents(driver).front();
        QProcess holder;
        holder.start("sleep", {"600"});
        QVERIFY(holder.waitForStarted());
        const QByteArray lock = QByteArray::number(holder.processId()) + "\nsleep\n" +
                                QSysInfo::machineHostName().toUtf8() + '\n' +
                                QSysInfo::machineUniqueId() + '\n' + QSysInfo::bootUniqueId() +
                                '\n';
        writeFileAtomically((folder + "/.temper.lock").toStdString(), lock.toStdString());
        QVERIFY(open(driver));
        QTRY_VERIFY_WITH_TIMEOUT(listed(driver).join("").contains("open in another window"),
                                 kPatienceMs);
        QVERIFY(offer(driver).isEmpty());
        QVERIFY(holder.processId() > 0);
        ::kill(static_cast<pid_t>(holder.processId()), SIGKILL);
        QVERIFY(holder.waitForFinished());
        close(driver);
        QVERIFY(open(driver));
        QVERIFY(clickWhenThere(driver, "openDocument"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().spec().run.epochs, 52, kPatienceMs);
    }

    void aLateWriterDoesNotOverwriteALaterOne() {
        OrderedWriter writer;
        const int64_t first = writer.next(), second = writer.next();
        QString content;
        writer.write("file", second, [&] { content = "new"; });
        writer.write("file", first, [&] { content = "old"; });
        QCOMPARE(content, QString("new"));
        writer.write("other", first, [&] { content = "other"; });
        QCOMPARE(content, QString("other"));
    }

private:
    /// The move of the runs waits for the workers.
    static void saveAndHoldTheMove(WindowDriver& driver, const QString& place,
                                   std::optional<BusyWorkers>& workers) {
        connect(
            &driver.project(), &StudioProject::fileOpened, &driver.window(),
            [&] { workers.emplace(*driver.project().tasks()); }, Qt::SingleShotConnection);
        driver.project().saveAs(place);
    }

    static QString saved(WindowDriver& driver) {
        const QString folder = driver.filePath("saved");
        if (!driver.openLesson("iris")) return {};
        driver.project().saveAs(folder);
        const auto isSaved = [&] { return driver.project().store().folder() == folder; };
        return QTest::qWaitFor(isSaved, kPatienceMs) ? folder : QString();
    }

    /// The first document in the list of the start page that is not open.
    static bool openFromList(WindowDriver& driver) {
        auto* list = driver.window().findChild<QListWidget*>("untitledDocuments");
        const auto closedOnes = [&driver] {
            return listed(driver).filter(QRegularExpression("(?<!open)$"));
        };
        if (!QTest::qWaitFor([&] { return !closedOnes().isEmpty(); }, kPatienceMs)) return false;
        const int generation = driver.project().generation();
        list->setCurrentRow(static_cast<int>(listed(driver).indexOf(closedOnes().front())));
        if (!driver.click("openUntitled")) return false;
        return QTest::qWaitFor(
            [&] {
                return driver.project().model() && driver.project().generation() > generation &&
                       !driver.project().tasks()->isBusy();
            },
            kPatienceMs);
    }

    /// A short run of the open model, on the flowers for which it was made.
    static bool train(WindowDriver& driver) {
        const QString data = driver.filePath("iris.csv");
        writeFileAtomically(data.toStdString(), embeddedText("lessons/iris/train.csv"));
        TrainingSpec spec = findLesson("iris").spec;
        spec.model = driver.project().spec().model;
        spec.run.data = data.toStdString() + "?target=species&split=0.8";
        spec.run.evalData.clear();
        spec.run.epochs = 3;
        driver.project().edit(QStringLiteral("Train"), spec);
        const auto isReady = [&] { return driver.project().isReadyToTrain(); };
        if (!QTest::qWaitFor(isReady, kPatienceMs)) return false;
        driver.window().work().training.start()->trigger();
        const auto isOver = [&] { return driver.run().state() == RunState::Finished; };
        return QTest::qWaitFor(isOver, kPatienceMs) && driver.run().step() > 0 &&
               QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs);
    }

    static bool open(WindowDriver& driver) {
        const QString path = driver.filePath("own.onnx");
        if (!QFile::exists(path))
            writeFileAtomically(path.toStdString(), embeddedText("lessons/iris/model.onnx"));
        driver.window().files().open(path);
        return QTest::qWaitFor(
            [&] { return driver.project().model() && !driver.project().tasks()->isBusy(); },
            kPatienceMs);
    }
};

QTEST_MAIN(AutosaveTest)
#include "autosave_test.moc"
