// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QDir>
#include <QProcess>
#include <QTest>
#include <csignal>

#include "engine/core/file.h"
#include "engine/training/projects/project_file.h"
#include "resources/embedded.h"
#include "tests/ui/window_driver.h"
#include "ui/tasks/ordered_writer.h"
#include "ui/window/draft_banner.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

std::string embeddedText(const char* path) {
    const auto bytes = embeddedFile(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void edit(StudioProject& project, int64_t epochs) {
    TrainingSpec spec = project.spec();
    spec.run.epochs = epochs;
    project.edit(QStringLiteral("Epochs"), spec);
}

/// What the window offers to bring back; empty: nothing.
QString offer(WindowDriver& driver) {
    const auto* banner = driver.window().findChild<DraftBanner*>();
    return banner->isVisible() ? banner->text() : QString();
}

QStringList drafts(const WindowDriver& driver) {
    return QDir(driver.filePath("unsaved/drafts")).entryList({"*.json"}, QDir::Files);
}

int64_t savedEpochs(const QString& folder) {
    return readProject(folder.toStdString()).spec.run.epochs;
}

}  // namespace

/// Choices are never lost: those of a project are in its folder, those of a model in a draft.
class AutosaveTest : public QObject {
    Q_OBJECT

private slots:
    void aProjectIsSavedByItself() {
        WindowDriver driver;
        const QString folder = saved(driver);
        edit(driver.project(), 41);
        QVERIFY(driver.window().windowTitle().contains('*'));
        QTRY_COMPARE_WITH_TIMEOUT(savedEpochs(folder), 41, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.window().windowTitle().contains('*'), kPatienceMs);
        // Saving does not end what can be taken back.
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
        QVERIFY(drafts(driver).isEmpty());
        QVERIFY(offer(driver).isEmpty());
    }

    void choicesOfAModelAreOfferedAgain() {
        WindowDriver driver;
        QVERIFY(open(driver));
        QVERIFY(!driver.window().windowTitle().contains('*'));
        edit(driver.project(), 43);
        driver.window().work().commands.action("file.close")->trigger();
        QVERIFY2(offer(driver).contains("own.onnx"), qPrintable(offer(driver)));
        QVERIFY(open(driver));
        QVERIFY(driver.project().spec().run.epochs != 43);
        QVERIFY(offer(driver).startsWith("Unsaved choices of own.onnx"));
        QVERIFY(driver.click("restoreDraft"));
        QCOMPARE(driver.project().spec().run.epochs, 43);
        QVERIFY(driver.window().windowTitle().contains('*'));
        QVERIFY(offer(driver).isEmpty());
        driver.project().undoStack()->undo();
        QVERIFY(driver.project().spec().run.epochs != 43);
    }

    void theStartPageBringsModelAndChoicesBack() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        edit(driver.project(), 44);
        driver.window().work().commands.action("file.close")->trigger();
        QVERIFY(!offer(driver).isEmpty());
        QVERIFY(driver.click("restoreDraft"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        QTRY_COMPARE(driver.project().spec().run.epochs, 44);
        QVERIFY(driver.project().lesson().has_value());
        QVERIFY(offer(driver).isEmpty());
    }

    void discardedChoicesStayAway() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 45);
        driver.project().closeModel();
        QVERIFY(driver.click("discardDraft"));
        QVERIFY(offer(driver).isEmpty());
        QVERIFY(drafts(driver).isEmpty());
        QVERIFY(open(driver));
        QVERIFY(offer(driver).isEmpty());
    }

    void newChoicesLeaveThoseThatAreOffered() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 46);
        driver.project().closeModel();
        QVERIFY(open(driver));
        edit(driver.project(), 47);
        driver.window().work().autosave.flush();
        QCOMPARE(drafts(driver).size(), 2);
        QVERIFY(driver.click("restoreDraft"));
        QCOMPARE(driver.project().spec().run.epochs, 46);
        driver.project().undoStack()->undo();
        QCOMPARE(driver.project().spec().run.epochs, 47);
    }

    void whatIsSavedIsNoDraft() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 48);
        driver.window().work().autosave.flush();
        QCOMPARE(drafts(driver).size(), 1);
        driver.project().undoStack()->undo();
        QVERIFY(drafts(driver).isEmpty());
        edit(driver.project(), 49);
        driver.window().work().autosave.flush();
        QCOMPARE(drafts(driver).size(), 1);
        driver.project().saveAs(driver.filePath("project"), true);
        QTRY_VERIFY_WITH_TIMEOUT(drafts(driver).isEmpty(), kPatienceMs);
        QCOMPARE(savedEpochs(driver.filePath("project")), 49);
    }

    void readingFilesAgainKeepsTheDraft() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 50);
        const int before = driver.project().generation();
        driver.project().reload();
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().generation() != before, kPatienceMs);
        QCOMPARE(driver.project().spec().run.epochs, 50);
        QVERIFY(driver.window().windowTitle().contains('*'));
        QVERIFY(offer(driver).isEmpty());
        QCOMPARE(drafts(driver).size(), 1);
    }

    void aWindowIsNotOfferedWhatAnotherOneWrites() {
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 51);
        driver.window().work().autosave.flush();
        StudioProject project;
        const Autosave other(project, driver.filePath("unsaved/drafts"));
        QVERIFY(!other.offered());
    }

    void aStudioThatIsKilledOffersItsChoices() {
#ifdef __SANITIZE_THREAD__
        QSKIP("the thread sanitizer does not survive the start of another program");
#endif
        // A process that holds the draft as a window does, and dies.
        WindowDriver driver;
        QVERIFY(open(driver));
        edit(driver.project(), 52);
        driver.project().closeModel();
        const QString draft = driver.filePath("unsaved/drafts/") + drafts(driver).front();
        QProcess holder;
        holder.start("sleep", {"600"});
        QVERIFY(holder.waitForStarted());
        const QByteArray lock = QByteArray::number(holder.processId()) + "\nsleep\n" +
                                QSysInfo::machineHostName().toUtf8() + '\n' +
                                QSysInfo::machineUniqueId() + '\n' + QSysInfo::bootUniqueId() +
                                '\n';
        writeFileAtomically((draft + ".lock").toStdString(), lock.toStdString());
        QVERIFY(open(driver));
        QVERIFY(offer(driver).isEmpty());
        QVERIFY(holder.processId() > 0);
        ::kill(static_cast<pid_t>(holder.processId()), SIGKILL);
        QVERIFY(holder.waitForFinished());
        driver.project().closeModel();
        QVERIFY(open(driver));
        QVERIFY(driver.click("restoreDraft"));
        QCOMPARE(driver.project().spec().run.epochs, 52);
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
    static QString saved(WindowDriver& driver) {
        const QString folder = driver.filePath("saved");
        if (!driver.openLesson("iris")) return {};
        driver.project().saveAs(folder, true);
        const auto isSaved = [&] { return driver.project().store().folder() == folder; };
        return QTest::qWaitFor(isSaved, kPatienceMs) ? folder : QString();
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
