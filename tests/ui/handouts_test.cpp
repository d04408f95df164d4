// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QLineEdit>
#include <QProcess>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <algorithm>

#include "engine/training/spec/training_spec.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/runs/run_table_model.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/graph_view/graph_view.h"
#include "ui/run/python_script.h"
#include "ui/window/actions/picture_actions.h"
#include "ui/window/defect_report.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

QString copied(WindowDriver& driver, const char* command) {
    QGuiApplication::clipboard()->clear();
    driver.window().work().commands.action(command)->trigger();
    return QGuiApplication::clipboard()->text();
}

/// Chooses this path in the file dialog that opens next.
class PathAnswer : public QTimer {
public:
    explicit PathAnswer(const QString& path) {
        connect(this, &QTimer::timeout, this, [this, path] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr) return;
            stop();
            auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
            name->setText(path);
            QTest::keyClick(name, Qt::Key_Return);
        });
        start(10);
    }
};

}  // namespace

/// What a person exports from the window to continue elsewhere.
class HandoutsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
#ifndef __SANITIZE_THREAD__  // which can't start programs
        python_ = QStandardPaths::findExecutable("python3");
#endif
    }

    void theScriptTrainsTheSame() {
        if (python_.isEmpty()) QSKIP("python3 can't be started here");
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 2;
        driver.project().edit("Two epochs", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(copied(driver, "file.copyScript").isEmpty());  // a lesson without a folder
        const QString place = driver.filePath("it's \"mine\" \\ 100 %");
        driver.project().saveAs(place);
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().store().folder(), place, kPatienceMs);
        const QString script = copied(driver, "file.copyScript");
        QVERIFY2(script.startsWith("#!/usr/bin/env python3\n"), qPrintable(script));
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        const QString here = QString::number(*driver.run().bestValidationLoss(), 'g', 6);

        const QString folder = driver.filePath("scripted");
        QVERIFY(QDir().mkpath(folder));
        QProcess python;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PATH",
                           QFileInfo(TEMPER_PROGRAM).path() + ":" + environment.value("PATH"));
        python.setProcessEnvironment(environment);
        python.setWorkingDirectory(folder);
        python.start(python_, {"-c", script});
        QVERIFY(python.waitForFinished(kPatienceMs));
        const QString said = QString::fromUtf8(python.readAllStandardOutput());
        QVERIFY2(python.exitCode() == 0,
                 qPrintable(said + QString::fromUtf8(python.readAllStandardError())));
        QVERIFY2(said.contains(QString("%1 steps, the last loss ").arg(driver.run().step())),
                 qPrintable(said));
        QVERIFY2(said.contains("loss " + here + ","), qPrintable(here + " is not in\n" + said));
    }

    void quotesAndLineBreaksStayInTheScript() {
        if (python_.isEmpty()) QSKIP("python3 can't be started here");
        TrainingSpec spec;
        spec.model = "a \"quoted\" \\ 'model'\nof two lines && more.onnx";
        spec.run.data = "npz:it's.npz";
        QString script = pythonScriptOf(spec, {}, "two\nlines");
        script.replace("if __name__ == \"__main__\":",
                       "print(commands()[0][2], end='')\nif False:");
        QProcess python;
        python.start(python_, {"-c", script});
        QVERIFY(python.waitForFinished(kPatienceMs));
        QCOMPARE(python.readAllStandardError(), QByteArray());
        QCOMPARE(QString::fromUtf8(python.readAllStandardOutput()),
                 QString::fromStdString(spec.model));
    }

    void theReportSaysWhatDevelopersAsk() {
        WindowDriver driver;
        const QString without = copied(driver, "help.report");
        QVERIFY2(without.contains("No model is open."), qPrintable(without));
        driver.window().files().openLesson("broken");
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().preparation() && !driver.project().isPreparing(),
                                 kPatienceMs);
        driver.window().work().log.add(Severity::Info,
                                       "Opened " + QDir::homePath() + "/secret/model.onnx");
        const QString report = copied(driver, "help.report");
        for (const QString& part :
             {QString("## What happened"), "Temper Studio " + QGuiApplication::applicationVersion(),
              QString("Qt 6."), QString("Round 1"), QString("error G002: Node '/quantize/Round'"),
              QString("Opened ~/secret/model.onnx")})
            QVERIFY2(report.contains(part), qPrintable(part + " is not in\n" + report));
        QVERIFY(!report.contains(QDir::homePath()));
        // The choices are complete: whoever has the model can train the same.
        const QRegularExpression choices("## Choices\n\n```\n(.*?)\n```",
                                         QRegularExpression::DotMatchesEverythingOption);
        const std::string json = choices.match(report).captured(1).toStdString();
        QVERIFY(trainingSpecFromJson(json) == driver.project().spec());
    }

    void aPictureOfTheWindowIsAsLargeAsTheWindow() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const QString path = driver.filePath("window.png");
        driver.window().pictures().save(driver.window().grab().toImage(), path);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(path), kPatienceMs);
        QCOMPARE(QImage(path).size(), driver.window().size() * driver.window().devicePixelRatioF());
        driver.window().pictures().save(driver.window().grab().toImage(),
                                        "/nowhere/at/all/window.png");
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("/nowhere/at/all"), kPatienceMs);
    }

    void aPictureSaysWhereItIs_data() {
        QTest::addColumn<QString>("page");
        QTest::addColumn<bool>("isOfPlot");
        QTest::addColumn<QString>("entry");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* title, const QString& page, bool isOfPlot,
                            const QString& entry, const QString& name) {
            QTest::newRow(title) << page << isOfPlot << entry << name;
        };
        row("the window", "train", false, "Save a picture…", "window.png");
        row("the graph", "model", false, "Save picture…", "graph.svg");
        row("a plot", "train", true, "Save image…", "plot.png");
        row("its numbers", "train", true, "Save data as CSV…", "plot.csv");
    }
    void aPictureSaysWhereItIs() {
        QFETCH(QString, page);
        QFETCH(bool, isOfPlot);
        QFETCH(QString, entry);
        QFETCH(QString, name);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo(page));
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        const auto* graph = driver.window().findChild<GraphView*>();
        QTRY_VERIFY_WITH_TIMEOUT(page != "model" || graph->drawing() != nullptr, kPatienceMs);
        const QWidget* from =
            isOfPlot ? driver.trainPanel().lossPlot() : static_cast<QWidget*>(&driver.window());
        auto actions = from->findChildren<QAction*>();
        actions << driver.window().work().commands.action("window.picture");
        const auto action = std::ranges::find(actions, entry, &QAction::text);
        QVERIFY(action != actions.end() && (*action)->isEnabled());
        const QString path = driver.filePath(name);
        const PathAnswer answer(path);
        (*action)->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(driver.message().contains("Saved as " + path),
                                  qPrintable(driver.message()), kPatienceMs);
        QVERIFY(QFileInfo::exists(path));
        const QSignalSpy asked(&driver.window().work().navigator, &Navigator::folderRequested);
        QVERIFY(driver.click("showWritten"));
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toString(), path);
    }

    void aReportSaysWhereItIs_data() {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("place");
        QTest::newRow("a page for a browser") << "runs.report"
                                              << "report.html";
        QTest::newRow("an event file in a folder") << "runs.tensorboard"
                                                   << "events";
    }
    void aReportSaysWhereItIs() {
        QFETCH(QString, command);
        QFETCH(QString, place);
        WindowDriver driver;
        place = driver.filePath(place);
        if (!place.contains('.')) QVERIFY(QDir().mkpath(place));
        QVERIFY(driver.openLesson("iris"));
        driver.window().work().training.start()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        driver.window().docks().show("runs");
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        auto* dock = driver.window().findChild<RunsDock*>();
        QTRY_COMPARE_WITH_TIMEOUT(dock->model()->rowCount(), 1, kPatienceMs);
        dock->findChild<QTableView*>("runTable")->selectRow(0);
        const PathAnswer answer(place);
        driver.window().work().commands.action(command)->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(driver.message().contains("Saved as " + place),
                                  qPrintable(driver.message()), kPatienceMs);
        const QSignalSpy asked(&driver.window().work().navigator, &Navigator::folderRequested);
        QVERIFY(driver.click("showWritten"));
        QCOMPARE(asked.size(), 1);
        const QString file = asked[0][0].toString();
        QVERIFY2(file.startsWith(place) && QFileInfo(file).isFile(), qPrintable(file));
    }

private:
    QString python_;
};

QTEST_MAIN(HandoutsTest)
#include "handouts_test.moc"
