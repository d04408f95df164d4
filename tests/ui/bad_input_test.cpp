// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>

#include "engine/core/file.h"
#include "engine/core/random.h"
#include "engine/onnx/model_file.h"
#include "tests/ui/embedded_text.h"
#include "tests/ui/window_driver.h"
#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/checks/data_fixes.h"
#include "ui/panels/data/data_panel.h"
#include "ui/widgets/banner.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

void drop(QWidget& target, const QString& path) {
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(path)});
    const QPoint place(50, 50);
    QDragEnterEvent enter(place, Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(&target, &enter);
    QDropEvent event(place, Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(&target, &event);
}

/// A button whose file dialog would wait for a person.
bool asks(const QWidget& widget) {
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    return button != nullptr && (button->text().contains(u'…') || button->findChild<QMenu*>());
}

/// Any button but those that open a file dialog ("…") or close the window.
void clickAnything(QWidget& window, Random& random) {
    QList<QAbstractButton*> buttons;
    for (auto* button : window.findChildren<QAbstractButton*>())
        if (button->isVisible() && button->isEnabled() && !asks(*button)) buttons << button;
    if (!buttons.isEmpty()) buttons[random.below(buttons.size())]->click();
}

/// The data of the lesson in a file of its own.
void writeFlowers(const QString& path) {
    writeFileAtomically(path.toStdString(), embeddedText("lessons/iris/train.csv"));
}

DataPanel& dataPanel(WindowDriver& driver) {
    return *qobject_cast<DataPanel*>(driver.window().pages().page("data"));
}

std::string lessonModelBytes() { return serializeModel(*loadLessonModel(findLesson("digits"))); }

}  // namespace

/// Mistakes that people make: the window says what is wrong and stays usable.
class BadInputTest : public QObject {
    Q_OBJECT

private slots:
    void wrongFilesAreRefusedWithAMessage_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("content");
        const std::string model = lessonModelBytes();
        const QByteArray bytes(model.data(), static_cast<qsizetype>(model.size()));
        QTest::newRow("picture") << "picture.png"
                                 << QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
        QTest::newRow("empty model") << "empty.onnx" << QByteArray();
        QTest::newRow("truncated model") << "half.onnx" << bytes.left(bytes.size() / 2);
        QTest::newRow("random bytes") << "random.onnx" << QByteArray(500, '\xd7');
        QTest::newRow("choices that are no JSON") << "training.json" << QByteArray("{\"model\":");
        QTest::newRow("choices with a wrong key")
            << "training.json" << QByteArray("{\"model\": \"m.onnx\", \"modle\": 1}");
        QTest::newRow("data without a model") << "table.csv" << QByteArray("a,b\n1,2\n");
    }
    void wrongFilesAreRefusedWithAMessage() {
        QFETCH(QString, name);
        QFETCH(QByteArray, content);
        WindowDriver driver;
        const QString path = driver.filePath(name);
        writeFileAtomically(
            path.toStdString(),
            std::string_view(content.constData(), static_cast<size_t>(content.size())));
        drop(driver.window(), path);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.message().isEmpty(), kPatienceMs);
        QVERIFY(driver.project().model() == nullptr);
        QCOMPARE(driver.window().pages().current(), QString("start"));
        qInfo("%s", qPrintable(driver.message()));
    }

    void aMissingFileIsNamed() {
        WindowDriver driver;
        driver.window().files().open(driver.filePath("nothing.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("nothing.onnx"), kPatienceMs);
    }

    void aDamagedCheckpointIsExplainedInItsWindow() {
        WindowDriver driver;
        const QString path = driver.filePath("checkpoint");
        writeFileAtomically(path.toStdString(), std::string("\x10\0\0\0ODTC\xff\xff\xff", 11));
        drop(driver.window(), path);
        auto* dialog = driver.window().findChild<CheckpointDialog*>();
        QVERIFY(dialog != nullptr);
        auto* banner = dialog->findChild<Banner*>();
        QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), kPatienceMs);
        QVERIFY(!dialog->isLoaded());
        QVERIFY(!dialog->isModal());
        QVERIFY(banner->text().contains("checkpoint"));
    }

    void droppedFilesWithoutDataAreExplainedInTheWindow() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const QString path = driver.filePath("nothing.csv");
        writeFileAtomically(path.toStdString(), std::string());
        drop(driver.window(), path);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.message().isEmpty(), kPatienceMs);
        QVERIFY(driver.window().findChild<QDialog*>("problemDialog") == nullptr);
    }

    void dataOfAKindThatIsNotReadSaysWhatIs() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        TrainingSpec spec = driver.project().spec();
        spec.run.data = "text:reviews.txt";
        driver.project().edit("Data", spec);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().dataProblem().isEmpty(), kPatienceMs);
        QVERIFY(driver.goTo("data"));
        QVERIFY2(driver.message().contains("tokenizer"), qPrintable(driver.message()));
        QVERIFY2(driver.message().contains("jsonl"), qPrintable(driver.message()));
        driver.project().undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().dataProblem().isEmpty(), kPatienceMs);
    }

    void dataThatCanNotBeReadIsExplainedAndTrainingWaits() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const QString path = driver.filePath("broken.csv");
        writeFileAtomically(path.toStdString(), "a,b,species\n1,2,x\n1,2\n");
        drop(driver.window(), path);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().dataProblem().isEmpty(), kPatienceMs);
        QCOMPARE(driver.window().pages().current(), QString("data"));
        QVERIFY(driver.message().contains("broken.csv"));
        QVERIFY(!driver.project().isReadyToTrain());
        driver.project().undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
    }

    void optionsOfMissingDataStayAsTheyAre_data() {
        QTest::addColumn<QString>("data");
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("a lesson's") << "lesson:digits-transfer/train.npz e" << true;
        QTest::newRow("a file, told from its name") << "/nowhere/at/all.csv" << false;
        QTest::newRow("a kind that is none") << "xml:table.xml" << true;
    }
    void optionsOfMissingDataStayAsTheyAre() {
        QFETCH(QString, data);
        QFETCH(bool, isRefused);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.data = data.toStdString();
        driver.project().edit("Other data", spec);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().dataProblem().isEmpty(), kPatienceMs);
        QSignalSpy problems(&driver.project(), &StudioProject::problemFound);
        editDataOption(driver.project(), "Change", "normalize", "standard");
        QCOMPARE(problems.isEmpty(), !isRefused);
        if (!isRefused) spec.run.data = "csv:" + spec.run.data + "?normalize=standard";
        QCOMPARE(driver.project().spec().run.data, spec.run.data);
        if (isRefused) QVERIFY(driver.message().contains("The data could not be changed"));
    }

    void startLeadsToThePageThatIsIncomplete() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.data.clear();
        driver.project().edit("Forget data", spec);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QCOMPARE(driver.window().pages().current(), QString("data"));
        QCOMPARE(driver.run().state(), RunState::Idle);
    }

    /// A metric that fitted the previous loss need not fit the next one.
    void theDecidingMetricHasToFitTheLoss() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("objective"));
        auto* best = driver.window().findChild<QComboBox*>("best_metric");
        QVERIFY(best != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(best->findData("accuracy") > 0, kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.run.bestMetric = "mae";
        driver.project().edit("Change best", spec);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QCOMPARE(best->currentText(), QString("MAE"));
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QCOMPARE(driver.window().pages().current(), QString("objective"));
        best->setCurrentIndex(best->findData("accuracy"));
        emit best->activated(best->currentIndex());
        QCOMPARE(driver.project().spec().run.bestMetric, std::string("accuracy"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.project().undoStack()->undo();
        QCOMPARE(best->currentText(), QString("MAE"));
    }

    void freezingEverythingIsExplained() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.trainable.clear();
        spec.artifacts.frozen = {"*"};
        driver.project().edit("Freeze all", spec);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QVERIFY(!driver.project().isReadyToTrain());
        QCOMPARE(driver.window().work().training.start()->text(), QString("Nothing to train"));
    }

    void aLossCanBeWrittenAsAFormula() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("objective"));
        QComboBox* losses = nullptr;
        for (auto* box : driver.window().findChildren<QComboBox*>())
            if (box->findText("Formula") >= 0) losses = box;
        QVERIFY(losses != nullptr);
        losses->setCurrentIndex(losses->findText("Formula"));
        emit losses->activated(losses->currentIndex());
        auto* formula = driver.window().findChild<QLineEdit*>("formula");
        QVERIFY(formula != nullptr && formula->isVisible());
        QCOMPARE(formula->text(), QString("cross_entropy()"));
        formula->setText("cross_entropy() + 0.01*l3(\"*\")");
        emit formula->editingFinished();
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("Unknown loss 'l3'"), kPatienceMs);
        QVERIFY(!driver.project().isReadyToTrain());
        formula->setText("cross_entropy() + 0.01*l2(\"*\")");
        emit formula->editingFinished();
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QCOMPARE(driver.project().spec().artifacts.loss.key, formula->text().toStdString());
        driver.project().undoStack()->undo();
        QCOMPARE(formula->text(), QString("cross_entropy() + 0.01*l3(\"*\")"));
        losses->setCurrentIndex(losses->findData("cross-entropy"));
        emit losses->activated(losses->currentIndex());
        QVERIFY(!formula->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
    }

    void aCheckpointOfAnotherModelIsRefused() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        CheckpointFile file;
        file.trainable.push_back({"other.weight", Tensor::of<float>({1}, {1.0F})});
        const QString path = driver.filePath("other");
        writeCheckpoint(file, path.toStdString());
        QVERIFY(driver.goTo("train"));
        driver.trainPanel().checkpoints()->load(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("other.weight"), kPatienceMs);
    }

    void exportIntoAMissingFolderIsExplained() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QVERIFY(driver.goTo("export"));
        driver.exportPanel().exportTo("/proc/nowhere/model.onnx");
        QTRY_VERIFY_WITH_TIMEOUT(!driver.message().isEmpty(), kPatienceMs);
        QVERIFY(driver.exportPanel().result().path.empty());
    }

    void closingWhileTrainingAsksAndStops() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("train"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 100'000;
        driver.project().edit("Train long", spec);
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        QVERIFY(!driver.window().close());
        auto* question = driver.window().findChild<QMessageBox*>("runningDialog");
        QVERIFY(question != nullptr);
        question->buttons().back()->click();
        QVERIFY(driver.window().isVisible() && driver.run().isActive());
        QVERIFY(!driver.window().close());
        question = driver.window().findChild<QMessageBox*>("runningDialog");
        QAbstractButton* stop = nullptr;
        for (QAbstractButton* button : question->buttons())
            if (question->buttonRole(button) == QMessageBox::AcceptRole) stop = button;
        QVERIFY(stop != nullptr);
        stop->click();
        QTRY_VERIFY_WITH_TIMEOUT(!driver.window().isVisible(), kPatienceMs);
        QCOMPARE(driver.run().state(), RunState::Stopped);
    }

    void aRunWhoseModelIsChangedIsSaved_data() {
        QTest::addColumn<bool>("byUndo");
        QTest::newRow("by an edit") << false;
        QTest::newRow("by an undo") << true;
    }
    void aRunWhoseModelIsChangedIsSaved() {
        QFETCH(bool, byUndo);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 1'000'000;
        spec.run.saveEvery = 1'000'000'000;
        driver.project().edit("Train long", spec);
        spec.hiddenUnits = std::vector<int64_t>{5};
        if (byUndo) driver.project().edit("Other units", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        const HiddenUnits trained = driver.project().spec().hiddenUnits;
        const auto* classes = driver.window().findChild<QLineEdit*>("headClasses");
        QVERIFY(classes != nullptr && classes->isEnabled());
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        QVERIFY(!classes->isEnabled());
        const QString last = driver.project().store().folder() + "/runs/0001/last.ckpt";
        QVERIFY(!QFile::exists(last));
        const auto before = driver.project().model();
        if (byUndo) {
            driver.project().undoStack()->undo();
        } else {
            driver.project().edit("Other units", spec);
        }
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != before, kPatienceMs);
        QVERIFY(!driver.run().isActive() && classes->isEnabled());
        QVERIFY2(driver.message().contains("The run was stopped"), qPrintable(driver.message()));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(last), kPatienceMs);
        // As promised, it can be continued.
        RunHistory& history = driver.window().work().history;
        const auto isStopped = [&] {
            return history.runs()->size() == 1 &&
                   history.runs()->front().status == RunStatus::Stopped;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isStopped(), kPatienceMs);
        const int64_t saved = history.runs()->front().step;
        QVERIFY(saved > 3);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        history.resume(history.runs()->front().id);
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().isActive() && driver.run().step() > saved,
                                 kPatienceMs);
        QVERIFY(driver.project().spec().hiddenUnits == trained);
        QCOMPARE(history.runs()->size(), size_t{1});
    }

    void randomKeysAndClicksDoNoHarm() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        Random random(11);
        const Qt::Key keys[] = {Qt::Key_Tab,    Qt::Key_Space, Qt::Key_Return,  Qt::Key_Escape,
                                Qt::Key_Delete, Qt::Key_Up,    Qt::Key_Down,    Qt::Key_Left,
                                Qt::Key_Right,  Qt::Key_Home,  Qt::Key_9,       Qt::Key_Minus,
                                Qt::Key_E,      Qt::Key_F5,    Qt::Key_PageDown};
        constexpr int kActions = 600;
        for (int i = 0; i < kActions; ++i) {
            if (random.below(4) == 0) {
                clickAnything(driver.window(), random);
            } else if (QWidget* focus = QApplication::focusWidget(); focus && !asks(*focus)) {
                QTest::keyClick(focus, keys[random.below(std::size(keys))]);
            }
            QCoreApplication::processEvents();
        }
        while (driver.project().undoStack()->canUndo()) driver.project().undoStack()->undo();
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QVERIFY(driver.goTo("parameters"));
    }

    void theWindowCanBeDestroyedWhileTraining() {
        auto driver = std::make_unique<WindowDriver>();
        QVERIFY(driver->openLesson("digits"));
        QVERIFY(driver->goTo("train"));
        QVERIFY(driver->click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver->run().step() > 3, kPatienceMs);
        driver.reset();
    }

    void anotherModelReplacesARunThatIsStopped() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        driver.window().files().openLesson("iris");
        QTRY_COMPARE_WITH_TIMEOUT(driver.project().lesson()->name, std::string("iris"),
                                  kPatienceMs);
        QCOMPARE(driver.run().state(), RunState::Idle);
        QVERIFY(driver.run().loss().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
    }

    void dataWhoseReadingWasCancelledIsReadAgain_data() {
        QTest::addColumn<QString>("by");
        QTest::newRow("by the same choice") << "choice";
        QTest::newRow("by Enter in its field") << "enter";
        QTest::newRow("by the button of the message") << "button";
    }
    void dataWhoseReadingWasCancelledIsReadAgain() {
        QFETCH(QString, by);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("data"));
        DataPanel& panel = dataPanel(driver);
        TaskRunner& tasks = *driver.project().tasks();
        QTRY_VERIFY_WITH_TIMEOUT(!tasks.isBusy(), kPatienceMs);
        const QString path = driver.filePath("flowers.csv");
        writeFlowers(path);
        panel.chooseFile(path);
        QCOMPARE(tasks.shown().title, QString("Reading data"));
        tasks.interrupt(tasks.shown().id);
        QVERIFY(driver.project().dataProblem().isCancelled && !driver.project().data());
        const int edits = driver.project().undoStack()->count();
        if (by == "choice") {
            panel.chooseFile(path);
        } else if (by == "enter") {
            QTest::keyClick(panel.findChild<QLineEdit*>("trainingSource"), Qt::Key_Return);
        } else {
            auto* button = panel.findChild<QPushButton*>("bannerAction");
            QVERIFY(button != nullptr);
            QCOMPARE(button->text(), QString("Read again"));
            button->click();
        }
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().data(), kPatienceMs);
        QVERIFY(driver.project().dataProblem().isEmpty());
        QCOMPARE(driver.project().undoStack()->count(), edits);
        QVERIFY(panel.findChild<QPushButton*>("bannerAction") == nullptr ||
                panel.findChild<QPushButton*>("bannerAction")->text() != "Read again");
    }

    /// Of a drive that was not there yet, say.
    void dataIsReadAsSoonAsItsFileAppears() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const QString path = driver.filePath("drive/flowers.csv");
        dataPanel(driver).chooseFile(path);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().dataProblem().isEmpty(), kPatienceMs);
        QSignalSpy changes(&driver.project(), &StudioProject::fileChanged);
        QVERIFY(QDir().mkpath(driver.filePath("drive")));
        writeFlowers(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().data(), kPatienceMs);
        QVERIFY(changes.isEmpty());  // there is nothing to reload
        // From then on its changes are offered.
        writeFileAtomically(path.toStdString(), std::string("length,width,species\n1,2,a\n"));
        QTRY_COMPARE_WITH_TIMEOUT(changes.size(), qsizetype{1}, kPatienceMs);
    }
};

QTEST_MAIN(BadInputTest)
#include "bad_input_test.moc"
