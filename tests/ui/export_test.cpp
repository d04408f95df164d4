// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemView>
#include <QCheckBox>
#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <cstring>
#include <functional>

#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/edits/element_types.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/evaluate/evaluate_panel.h"
#include "ui/panels/evaluate/prediction_bars.h"
#include "ui/panels/evaluate/try_view.h"
#include "ui/panels/export/export_weights.h"
#include "ui/panels/export/output_model.h"
#include "ui/translation/languages.h"
#include "ui/window/stage_rail.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

/// Gemm, BatchNormalization, Relu, Gemm.
constexpr const char* kNormed = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    agraph (float[N, 2] x) => (float[N, 2] y)
        <float[2, 4] w1 = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8}, float[4] b1 = {0, 0.1, 0, 0},
         float[4] scale = {1, 1.5, 1, 0.5}, float[4] shift = {0, 0, 0.2, 0},
         float[4] mean = {0.1, 0, 0, 0}, float[4] var = {1, 2, 1, 1},
         float[4, 2] w2 = {0.2, -0.1, 0.4, 0.3, -0.5, 0.6, 0.1, 0.2}, float[2] b2 = {0, 0.05}> {
        h = Gemm(x, w1, b1)
        n = BatchNormalization(h, scale, shift, mean, var)
        r = Relu(n)
        y = Gemm(r, w2, b2)
    })";

void writeTable(const QString& path, int rows = 64) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("a,b,kind\n");
    for (int i = 0; i < rows; ++i)
        file.write(QString("%1,%2,%3\n").arg(i * 0.1).arg(i % 7).arg(i % 2 ? "u" : "v").toUtf8());
}

bool sameData(const Tensor& a, const Tensor& b) {
    return a.byteSize() == b.byteSize() && std::memcmp(a.data(), b.data(), a.byteSize()) == 0;
}

/// One layer for a batch of this size.
QString layerFor(int batch) {
    return QStringLiteral(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        agraph (float[%1, 2] x) => (float[%1, 2] y)
            <float[2, 2] w = {0.2, -0.1, 0.4, 0.3}, float[2] b = {0, 0.05}> {
            y = Gemm(x, w, b)
        })")
        .arg(batch);
}

/// A hidden layer h and its softmax p, which is the model's output; `more` are further outputs.
QString classifierGiving(const QString& more) {
    return QStringLiteral(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        agraph (float[N, 2] x) => (float[N, 2] p%1)
            <float[2, 4] w1 = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8}, float[4] b1 = {0, 0, 0, 0},
             float[4, 2] w2 = {0.2, -0.1, 0.4, 0.3, -0.5, 0.6, 0.1, 0.2}, float[2] b2 = {0, 0}> {
            f = Gemm(x, w1, b1)
            r = Relu(f)
            h = Gemm(r, w2, b2)
            p = Softmax(h)
        })")
        .arg(more);
}

QStringList listed(const std::vector<std::string>& names) {
    QStringList list;
    for (const std::string& name : names) list << QString::fromStdString(name);
    return list;
}

/// Ten steps with a table of points; then the page of exports is open.
void trainOnPoints(WindowDriver& driver, const Graph& model,
                   const std::function<void(TrainingSpec&)>& choose = {}) {
    writeTable(driver.filePath("points.csv"));
    saveModel(model, driver.filePath("model.onnx").toStdString());
    driver.window().files().open(driver.filePath("model.onnx"));
    QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
    TrainingSpec spec = driver.project().spec();
    spec.run.data = ("csv:" + driver.filePath("points.csv") + "?target=kind").toStdString();
    spec.run.steps = 10;
    if (choose) choose(spec);
    driver.project().edit("data", spec);
    QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
    QVERIFY(driver.goTo("train"));
    QVERIFY(driver.click("startButton"));
    QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Finished, kPatienceMs);
    QVERIFY(driver.goTo("export"));
}

}  // namespace

/// The file that the export page writes.
class ExportTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installLanguage(*qApp, "en"); }

    void theAverageOfTheWeightsIsExported() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        ExportWeights& chosen = *driver.exportPanel().weights();
        const QString average = "Averaged weights (EMA)";
        QVERIFY(chosen.findText(average) < 0);
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 20;
        spec.run.averageDecay = 0.9;
        driver.project().edit("average", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Finished, kPatienceMs);
        const auto last = exported(driver, "last.onnx");
        QVERIFY(last != nullptr);
        QVERIFY(chosen.findText(average) > 0);
        chosen.setCurrentText(average);
        const auto mean = exported(driver, "average.onnx");
        QVERIFY(mean != nullptr);
        const auto again = [&] {
            chosen.setCurrentIndex(0);
            return exported(driver, "again.onnx");
        }();
        int different = 0;
        for (const Value* value : last->initializers()) {
            const Tensor& weights = value->constant();
            QVERIFY(sameData(weights, again->at(value->name())->constant()));
            if (!sameData(weights, mean->at(value->name())->constant())) ++different;
        }
        QVERIFY2(different >= 8, qPrintable(QString::number(different)));
    }

    /// The file takes numbers as the table has them, and the window opens it.
    void aFileThatNormalizesItsInputsIsVerifiedAndOpened() {
        WindowDriver driver;
        trainOnPoints(driver, *parseText(kNormed),
                      [](TrainingSpec& spec) { spec.run.data += "&normalize=standard"; });
        if (QTest::currentTestFailed()) return;
        ExportPanel& panel = driver.exportPanel();
        auto* box = panel.findChild<QCheckBox*>("exportNormalization");
        QVERIFY(box->isVisible());
        const auto plain = exported(driver, "plain.onnx");
        QVERIFY(plain != nullptr);
        const std::string told = plain->info().metadata.at("normalization");
        QVERIFY2(told.find("\"mean\"") != std::string::npos, told.c_str());
        box->setChecked(true);
        const auto whole = exported(driver, "whole.onnx");
        QVERIFY(whole != nullptr);
        QCOMPARE(panel.result().normalizedInputs, size_t{1});
        QCOMPARE(whole->nodeCount(), plain->nodeCount() + 2);
        QVERIFY(!whole->info().metadata.contains("normalization"));
        QVERIFY(panel.findChild<QLabel*>("exportFacts")->text().contains("normalizes its inputs"));
        QVERIFY(driver.click("exportOpenModel"));
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(driver.project().spec().model),
                                  driver.filePath("whole.onnx"), kPatienceMs);
    }

    /// The artifacts of the second run are those of the first.
    void aNormalizationThatIsChosenLaterIsOffered() {
        WindowDriver driver;
        trainOnPoints(driver, *parseText(kNormed));
        if (QTest::currentTestFailed()) return;
        ExportPanel& panel = driver.exportPanel();
        auto* box = panel.findChild<QCheckBox*>("exportNormalization");
        const auto* verdict = panel.findChild<QLabel*>("exportVerdict");
        QVERIFY(!box->isVisible());
        QVERIFY(exported(driver, "plain.onnx") != nullptr);
        QVERIFY(verdict->isVisible());
        TrainingSpec spec = driver.project().spec();
        spec.run.data += "&normalize=standard";
        driver.project().edit("normalize", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        driver.window().work().training.startOver()->trigger();
        QVERIFY2(!verdict->isVisibleTo(&panel), "other weights than those of the file");
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Finished, kPatienceMs);
        QVERIFY(driver.goTo("export"));
        QVERIFY(box->isVisible() && !verdict->isVisible());
        box->setChecked(true);
        QVERIFY(exported(driver, "whole.onnx") != nullptr);
        QCOMPARE(panel.result().normalizedInputs, size_t{1});
    }

    /// The batch is the model's throughout: in the run, and in what the file is verified on.
    void aModelWithAFixedBatchIsVerifiedAtIt_data() {
        QTest::addColumn<int>("batch");
        QTest::newRow("one sample") << 1;
        QTest::newRow("more than are shown") << 40;
    }
    void aModelWithAFixedBatchIsVerifiedAtIt() {
        QFETCH(int, batch);
        WindowDriver driver;
        trainOnPoints(driver, *parseText(layerFor(batch).toStdString()));
        for (const WarningEvent& warning : driver.run().warnings())
            QVERIFY2(!QString::fromStdString(warning.message).contains("were requested"),
                     warning.message.c_str());
        QVERIFY(exported(driver, "fixed-trained.onnx") != nullptr);
        const auto* verdict = driver.window().findChild<QLabel*>("exportVerdict");
        QVERIFY(verdict != nullptr);
        QVERIFY2(verdict->text().startsWith("Verified"), qPrintable(verdict->text()));
        const auto graph = loadModel(driver.filePath("fixed-trained.onnx").toStdString());
        QCOMPARE(graph->inputs().front()->type().shape->front().value, int64_t{batch});
        if (batch == 1) QVERIFY(driver.savePicture("fault-01-verified"));
    }

    void afterAnExportTheStageSaysSo() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 5;
        driver.project().edit("short", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Finished, kPatienceMs);
        const RunController& controller = driver.window().work().controller;
        const auto state = [&] {
            return ExportPanel::status({driver.project(), driver.run(), controller}).state;
        };
        QVERIFY(driver.goTo("export"));
        QVERIFY(state() == StageState::Ready);
        QVERIFY(exported(driver, "iris.onnx") != nullptr);
        QVERIFY(state() == StageState::Done);
        const QSignalSpy asked(&driver.window().work().navigator, &Navigator::folderRequested);
        QVERIFY(driver.click("exportOpenFolder"));
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toString(), driver.filePath("iris.onnx"));
        driver.window().work().training.startOver()->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().state() == RunState::Finished, kPatienceMs);
        QVERIFY2(state() == StageState::Ready, "other weights than those of the file");
    }

    /// The data has fewer samples than the model takes at once.
    void aFileThatIsNotVerifiedIsNotDone() {
        WindowDriver driver;
        trainOnPoints(driver, *parseText(layerFor(40).toStdString()));
        if (QTest::currentTestFailed()) return;
        writeTable(driver.filePath("few.csv"), 10);
        StudioProject& project = driver.project();
        TrainingSpec spec = project.spec();
        spec.run.data = ("csv:" + driver.filePath("few.csv") + "?target=kind").toStdString();
        project.edit("few", spec);
        QTRY_VERIFY_WITH_TIMEOUT(project.data() && project.preparation() &&
                                     project.preparation()->data == project.data(),
                                 kPatienceMs);
        QVERIFY(exported(driver, "unknown.onnx") == nullptr);
        QVERIFY(QFile::exists(driver.filePath("unknown.onnx")));
        const StageStatus& status =
            driver.window().findChild<StageButton*>("stage-export")->status();
        QCOMPARE(status.text, QString("Exported, not verified"));
        QVERIFY(status.state == StageState::Attention);
        driver.window().work().controller.noteExport(ExportVerdict::Differs);
        QCOMPARE(status.text, QString("Exported, but differs"));
        QVERIFY(status.state == StageState::Attention);
    }

    void batchNormsAndWeightsAreMovedOnRequest() {
        WindowDriver driver;
        trainOnPoints(driver, *parseText(kNormed));
        if (QTest::currentTestFailed()) return;
        auto* fold = driver.window().findChild<QCheckBox*>("exportFoldBatchNorms");
        auto* beside = driver.window().findChild<QCheckBox*>("exportExternalData");
        QVERIFY(fold->isVisible() && beside->isEnabled());
        QVERIFY(exported(driver, "as-trained.onnx") != nullptr);
        QVERIFY(!QFile::exists(driver.filePath("as-trained.onnx.data")));
        fold->setChecked(true);
        beside->setChecked(true);
        const auto folded = exported(driver, "folded.onnx");
        QVERIFY(folded != nullptr);
        QCOMPARE(folded->nodeCount(), size_t{3});
        QCOMPARE(driver.exportPanel().result().foldedBatchNorms, size_t{1});
        QVERIFY(QFile::exists(driver.filePath("folded.onnx.data")));
    }

    void aModelInHalfPrecisionTrainsAndComesBack() {
        WindowDriver driver;
        const auto half = parseText(kNormed);
        changeElementTypes(*half,
                           [](const std::string&, DType, TypeSource) { return DType::Float16; });
        trainOnPoints(driver, *half);
        if (QTest::currentTestFailed()) return;
        auto* asItCame = driver.window().findChild<QCheckBox*>("exportAsItCame");
        QVERIFY(asItCame->isVisible());
        const auto typeOf = [](const Graph& graph, const char* name) {
            return graph.at(name)->type().dtype;
        };
        const auto wide = exported(driver, "wide.onnx");
        QVERIFY(wide != nullptr);
        asItCame->setChecked(true);
        const auto narrow = exported(driver, "narrow.onnx");
        QVERIFY(narrow != nullptr);
        for (const char* name : {"x", "w1", "scale", "b2", "y"}) {
            QVERIFY2(typeOf(*wide, name) == DType::Float32, name);
            QVERIFY2(typeOf(*narrow, name) == DType::Float16, name);
        }
    }

    void theModelsOwnOutputsAreProposed_data() {
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("loss");
        QTest::addColumn<QString>("read");
        QTest::addColumn<QStringList>("proposed");
        const QString entropy = "cross-entropy";
        QTest::newRow("the loss reads the logits") << "" << entropy << "h" << QStringList{"p"};
        QTest::newRow("the loss reads the output") << "" << entropy << "p" << QStringList{"p"};
        QTest::newRow("the loss has values that need no target") << ""
                                                                 << "focal"
                                                                 << "h" << QStringList{"p"};
        QTest::newRow("two outputs")
            << ", float[N, 4] f" << entropy << "h" << QStringList{"f", "p"};
    }
    /// Whatever the loss reads; values that the loss computes are not offered.
    void theModelsOwnOutputsAreProposed() {
        QFETCH(QString, more);
        QFETCH(QString, loss);
        QFETCH(QString, read);
        QFETCH(QStringList, proposed);
        WindowDriver driver;
        trainOnPoints(driver, *parseText(classifierGiving(more).toStdString()),
                      [&](TrainingSpec& spec) {
                          spec.artifacts.loss = {loss.toStdString(), {}};
                          spec.artifacts.lossInputs = {read.toStdString()};
                      });
        if (QTest::currentTestFailed()) return;
        const OutputModel& outputs = *driver.exportPanel().outputs();
        QStringList ticked = listed(outputs.ticked());
        ticked.sort();
        QCOMPARE(ticked, proposed);
        QStringList offered;
        for (int row = 0; row < outputs.rowCount(); ++row)
            offered << outputs.index(row, OutputModel::Name).data().toString();
        offered.sort();
        QCOMPARE(offered, QStringList({"f", "h", "p", "r"}));
        if (loss == "focal") QVERIFY(driver.savePicture("fault-05-outputs"));
        QVERIFY(exported(driver, "exported.onnx") != nullptr);
    }

    /// Last, best, any checkpoint of the run, any checkpoint file.
    void theChosenWeightsAreExported() {
        WindowDriver driver;
        trainOnPoints(driver, *parseText(classifierGiving("").toStdString()),
                      [&](TrainingSpec& spec) {
                          spec.run.data += "&split=0.8";
                          spec.run.learningRate = 0.1;
                          spec.run.saveEvery = 4;
                          spec.run.evaluateEvery = 4;
                      });
        if (QTest::currentTestFailed()) return;
        ExportWeights& weights = *driver.exportPanel().weights();
        QCOMPARE(weights.currentText(), QString("Last: step 10"));
        const auto last = exported(driver, "last.onnx");
        QVERIFY(last != nullptr);
        QStringList entries;
        for (int i = 0; i < weights.count(); ++i) entries << weights.itemText(i);
        QVERIFY2(entries.at(1).startsWith("Best: step "), qPrintable(entries.join('|')));
        weights.showPopup();
        QVERIFY(driver.savePicture("fault-05-weights", weights.view()->window()));
        weights.hidePopup();
        int others = 0, count = 0;
        for (const CheckpointEntry& entry : driver.run().checkpoints()) {
            weights.chooseFile(entry.path);
            QCOMPARE(weights.checkpoint(), entry.path);
            const auto written = exported(driver, QString("%1.onnx").arg(++count));
            QVERIFY(written != nullptr);
            QCOMPARE(driver.exportPanel().result().step, entry.step);
            for (const NamedTensor& saved : loadCheckpoint(entry.path.toStdString()).trainable)
                QVERIFY2(sameData(written->at(saved.name)->constant(), saved.data),
                         saved.name.c_str());
            if (!sameData(written->at("w1")->constant(), last->at("w1")->constant())) ++others;
        }
        QVERIFY(others > 0);
        // Chosen by a person, from another run.
        const QString own = driver.filePath("own.ckpt");
        driver.trainPanel().checkpoints()->save(own);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(own), kPatienceMs);
        driver.run().clearCheckpoints();
        weights.chooseFile(own);
        QCOMPARE(weights.currentText(), QString("own.ckpt"));
        const auto from = exported(driver, "own.onnx");
        QVERIFY(from != nullptr);
        QVERIFY(sameData(from->at("w1")->constant(), last->at("w1")->constant()));
        const auto* facts = driver.window().findChild<QLabel*>("exportFacts");
        QVERIFY2(facts->text().endsWith("weights “own.ckpt, step 10”"), qPrintable(facts->text()));
    }

    void theExportedWeightsAreTried() {
        WindowDriver driver;
        trainOnPoints(driver, *parseText(classifierGiving("").toStdString()),
                      [](TrainingSpec& spec) {
                          spec.run.learningRate = 0.1;
                          spec.run.saveEvery = 4;
                          spec.run.averageDecay = 0.9;
                      });
        if (QTest::currentTestFailed()) return;
        ExportWeights& weights = *driver.exportPanel().weights();
        auto& page = *qobject_cast<EvaluatePanel*>(driver.window().pages().page("evaluate"));
        const auto* used = page.findChild<QComboBox*>("weightSource");
        const auto* caption = page.findChild<QLabel*>("tryCaption");
        const auto predicted = [&page] { return page.tryView()->bars()->bars().front().value; };
        int count = 0;
        const auto tries = [&](int64_t step) {
            page.tabs()->setCurrentIndex(0);
            if (!driver.goTo("export") || !exported(driver, QString("%1.onnx").arg(++count)) ||
                !driver.click("exportTryIt"))
                return false;
            const QString said = QString("With the weights after step %1.").arg(step);
            return driver.window().pages().current() == "evaluate" &&
                   page.tabs()->currentWidget() == page.tryView() &&
                   QTest::qWaitFor([&] { return caption->text().startsWith(said); }, kPatienceMs);
        };
        QVERIFY2(tries(10), qPrintable(caption->text()));
        QCOMPARE(used->currentText(), QString("Current weights"));
        const double last = predicted();
        const QString average = "Averaged weights (EMA)";
        weights.setCurrentText(average);
        QVERIFY2(tries(10), qPrintable(caption->text()));
        QCOMPARE(used->currentText(), average);
        QTRY_VERIFY_WITH_TIMEOUT(predicted() != last, kPatienceMs);
        const auto saved = driver.run().checkpoints();
        const auto early = std::ranges::find(saved, 4, &CheckpointEntry::step);
        QVERIFY(early != saved.end());
        weights.chooseFile(early->path);
        QVERIFY2(tries(4), qPrintable(caption->text()));
        QCOMPARE(used->currentData().toString(), early->path);
        // A file that is no checkpoint of the run.
        const auto later = std::ranges::find(saved, 8, &CheckpointEntry::step);
        QVERIFY(later != saved.end() && QFile::copy(later->path, driver.filePath("own.ckpt")));
        weights.chooseFile(driver.filePath("own.ckpt"));
        QVERIFY2(tries(8), qPrintable(caption->text()));
        QCOMPARE(used->currentText(), QString("own.ckpt"));
    }

    void weightsOfAnotherModelAreRefused() {
        WindowDriver first, driver;
        trainOnPoints(first, *parseText(classifierGiving("").toStdString()));
        if (QTest::currentTestFailed()) return;
        const QString saved = first.filePath("own.ckpt");
        first.trainPanel().checkpoints()->save(saved);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(saved), kPatienceMs);
        trainOnPoints(driver, *parseText(kNormed));
        if (QTest::currentTestFailed()) return;
        driver.exportPanel().weights()->chooseFile(saved);
        driver.exportPanel().exportTo(driver.filePath("mixed.onnx"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("does not belong to this model"),
                                 kPatienceMs);
        QVERIFY(!QFile::exists(driver.filePath("mixed.onnx")));
    }

    void ortFormatIsAChoiceOfTheProject() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("export"));
        auto* box = driver.window().findChild<QCheckBox*>("ortFormat");
        QTest::keyClick(box, Qt::Key_Space);
        QVERIFY(driver.project().spec().artifacts.ortFormat);
        driver.project().undoStack()->undo();
        QVERIFY(!driver.project().spec().artifacts.ortFormat);
        QVERIFY(!box->isChecked());
    }

private:
    /// The exported file, read again; null if the window did not verify it.
    static std::unique_ptr<Graph> exported(WindowDriver& driver, const QString& name) {
        const QString path = driver.filePath(name);
        driver.exportPanel().exportTo(path);
        const auto isThere = [&] {
            return driver.exportPanel().result().path == path.toStdString();
        };
        if (!QTest::qWaitFor(isThere, kPatienceMs)) return nullptr;
        return driver.exportPanel().result().isVerified() ? loadModel(path.toStdString()) : nullptr;
    }
};

QTEST_MAIN(ExportTest)
#include "export_test.moc"
