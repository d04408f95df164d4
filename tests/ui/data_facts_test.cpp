// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>

#include "engine/core/file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/ui/embedded_text.h"
#include "tests/ui/typing.h"
#include "tests/ui/window_driver.h"
#include "ui/checks/data_fixes.h"
#include "ui/messages/problem.h"
#include "ui/panels/data/binding_model.h"
#include "ui/panels/data/data_panel.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

template <typename T>
T* find(WindowDriver& driver, const char* name = nullptr) {
    return driver.window().pages().page("data")->findChild<T*>(QString::fromLatin1(name));
}

bool isIdle(WindowDriver& driver) {
    return QTest::qWaitFor(
        [&] { return !driver.project().tasks()->isBusy() && !driver.project().isPreparing(); },
        kPatienceMs);
}

}  // namespace

/// What the data page says about the data, and whether it can be read.
class DataFactsTest : public QObject {
    Q_OBJECT

private slots:
    void theOriginOfTheValidationSamplesIsNamed() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const auto description = [&] {
            return isIdle(driver) && driver.project().data() ? driver.project().data()->description
                                                             : QString();
        };
        QVERIFY2(description().contains("30 validation samples (test.csv)"),
                 qPrintable(description()));
        editDataOption(driver.project(), "Share", "split", "0.8");
        // 24 of the 120 are held out; those of the file are used.
        QVERIFY2(description().contains("96 training samples, 30 validation samples (test.csv; "
                                        "the 20 % held out are not used)"),
                 qPrintable(description()));
        TrainingSpec spec = driver.project().spec();
        spec.run.evalData.clear();
        driver.project().edit("No file", spec);
        QVERIFY2(description().contains("24 validation samples (20 % of all, drawn with seed 0)"),
                 qPrintable(description()));
    }

    /// Those of a lesson are of another kind than a file of one's own.
    void theValidationSamplesOfALessonGoWithItsTrainingSamples_data() {
        QTest::addColumn<QString>("validation");  // empty: the lesson's
        QTest::addColumn<QString>("typed");       // empty: the file is chosen
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("options");
        QTest::newRow("a chosen file") << ""
                                       << ""
                                       << ""
                                       << "split=0.8";
        QTest::newRow("a typed file") << ""
                                      << "csv:%1"
                                      << ""
                                      << "split=0.8";
        QTest::newRow("other options") << ""
                                       << "lesson:iris/train.csv?normalize=standard&target=species"
                                       << "lesson:iris/test.csv?target=species"
                                       << "target=species";
        QTest::newRow("a chosen file beside one's own") << "%1"
                                                        << ""
                                                        << "%1"
                                                        << "";
        QTest::newRow("a typed file beside one's own") << "%1"
                                                       << "csv:%1"
                                                       << "%1"
                                                       << "";
    }
    void theValidationSamplesOfALessonGoWithItsTrainingSamples() {
        QFETCH(QString, validation);
        QFETCH(QString, typed);
        QFETCH(QString, expected);
        QFETCH(QString, options);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("data"));
        const QString path = driver.filePath("flowers.csv");
        writeFileAtomically(path.toStdString(), embeddedText("lessons/iris/train.csv"));
        TrainingSpec spec = driver.project().spec();
        if (!validation.isEmpty()) spec.run.evalData = validation.arg(path).toStdString();
        driver.project().edit("Validation", spec);
        QVERIFY(isIdle(driver));
        const std::string before = driver.project().spec().run.evalData;
        const int steps = driver.project().undoStack()->count();
        if (typed.isEmpty()) {
            qobject_cast<DataPanel*>(driver.window().pages().page("data"))->chooseFile(path);
        } else {
            type(find<QLineEdit>(driver, "trainingSource"),
                 typed.contains("%1") ? typed.arg(path) : typed);
        }
        const RunSpec& run = driver.project().spec().run;
        QCOMPARE(text(run.evalData), expected.contains("%1") ? expected.arg(path) : expected);
        QVERIFY2(text(run.data).endsWith(options), run.data.c_str());
        QCOMPARE(text(run.data).contains("split"), options.contains("split"));
        QVERIFY(isIdle(driver));
        QVERIFY(driver.project().data() && driver.project().data()->evaluation());
        driver.project().undoStack()->undo();
        QCOMPARE(driver.project().spec().run.evalData, before);
        QCOMPARE(driver.project().undoStack()->index(), steps);
    }

    void aLossThatTakesTheTargetsIsChosenFromTheBanner() {
        WindowDriver driver;
        const QString model = driver.filePath("model.onnx"), table = driver.filePath("marks.csv");
        saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
                      m (float[N, 2] x) => (float[N, 1] y)
                      <float[2, 1] w = {1, 2}> { y = MatMul(x, w) })"),
                  model.toStdString());
        QFile file(table);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,b,mark\n");
        for (int i = 0; i < 40; ++i)
            file.write(QString("%1,%2,%3\n").arg(i).arg(0.5 * i).arg(3 + i % 7).toUtf8());
        file.close();
        driver.window().files().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.loss = {"bce-with-logits", {}};
        spec.run.data = table.toStdString() + "?target=mark";
        driver.project().edit("choices", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().data() && isIdle(driver), kPatienceMs);
        QVERIFY(driver.goTo("data"));
        const auto stateOfTarget = [&] {
            const auto* binding = find<BindingModel>(driver);
            return binding->index(1, BindingModel::State).data().toString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(stateOfTarget(), QString("values do not fit the loss"),
                                  kPatienceMs);
        const auto* button = find<QPushButton>(driver, "bannerAction");
        QVERIFY(button != nullptr && button->isVisible());
        QCOMPARE(button->text(), QString("Use “Mean squared error”"));
        QVERIFY(driver.click("bannerAction"));
        QCOMPARE(driver.project().spec().artifacts.loss.key, std::string("mse"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QCOMPARE(stateOfTarget(), QString("fits"));
    }

    void onlyPicturesAreOfferedTheirAugmentation_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<bool>("arePictures");
        QTest::newRow("a table") << "iris" << false;
        QTest::newRow("pictures") << "digits" << true;
    }
    void onlyPicturesAreOfferedTheirAugmentation() {
        QFETCH(QString, lesson);
        QFETCH(bool, arePictures);
        WindowDriver driver;
        QVERIFY(driver.openLesson(lesson));
        QVERIFY(driver.goTo("data"));
        QVERIFY(isIdle(driver));
        find<QTabWidget>(driver, "dataTabs")->setCurrentIndex(2);
        const auto isOffered = [&](const char* name) {
            return find<QWidget>(driver, name)->isVisible();
        };
        for (const char* name : {"data-flip", "data-crop", "data-rotate", "data-brightness",
                                 "data-contrast", "data-saturation", "anotherSample"})
            QVERIFY2(isOffered(name) == arePictures, name);
        QVERIFY(isOffered("data-noise") && isOffered("data-split"));
        // What has no effect can be taken back.
        editDataOption(driver.project(), "Turn", "rotate", "20");
        QVERIFY(isIdle(driver));
        QVERIFY(isOffered("data-rotate") && !isOffered("data-rotate-refused"));
    }

    /// With the lesson beside it.
    void theTableOfInputsShowsAllItsRows() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        driver.window().docks().show("lesson");
        QVERIFY(driver.goTo("data"));
        // The table is filled again while it is visible.
        editDataOption(driver.project(), "Share", "split", "0.8");
        QVERIFY(isIdle(driver));
        auto* table = find<QTableView>(driver, "bindingTable");
        QTRY_COMPARE(table->horizontalScrollBar()->maximum(), 0);
        QCOMPARE(table->model()->rowCount(), 2);
        const auto showsAllRows = [table] {
            return table->verticalScrollBar()->maximum() == 0 &&
                   table->verticalHeader()->length() <= table->viewport()->height();
        };
        QTRY_VERIFY(showsAllRows());
        table->setColumnWidth(BindingModel::Input, 2 * table->width());
        QTRY_VERIFY(table->horizontalScrollBar()->isVisible());
        QTRY_VERIFY(showsAllRows());
        table->setColumnWidth(BindingModel::Input, 40);
        QTRY_VERIFY(!table->horizontalScrollBar()->isVisible());
        QTRY_VERIFY(showsAllRows());
    }
};

QTEST_MAIN(DataFactsTest)
#include "data_facts_test.moc"
