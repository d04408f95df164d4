// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <optional>

#include "engine/core/file.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "tests/engine/provenance/exported_model.h"
#include "tests/ui/window_driver.h"
#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/checkpoints/checkpoint_diff_dialog.h"
#include "ui/checkpoints/checkpoint_diff_model.h"
#include "ui/checkpoints/compare_files_dialog.h"
#include "ui/checkpoints/optimizer_state_view.h"
#include "ui/panels/evaluate/weight_source.h"
#include "ui/tensor_view/tensor_view.h"
#include "ui/window/actions/compare_actions.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

void drop(QWidget& target, const QStringList& paths) {
    QMimeData mime;
    QList<QUrl> urls;
    for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
    mime.setUrls(urls);
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(&target, &enter);
    QDropEvent event(QPointF(50, 50), Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(&target, &event);
}

CheckpointFile sampleCheckpoint(float value) {
    CheckpointFile file;
    file.trainable = {{"same", Tensor::of<float>({2}, {1, 2})},
                      {"w", Tensor::of<float>({2}, {3, value})}};
    return file;
}

}  // namespace

/// Checkpoints compared, mixed, loaded partially, and stepped through in time.
class CheckpointsTest : public QObject {
    Q_OBJECT

private slots:
    void rowsSayWhatChangedAndWhatIsMissing() {
        CheckpointFile first = sampleCheckpoint(4), second = sampleCheckpoint(8);
        first.trainable.push_back({"old", Tensor::scalar(1.0F)});
        second.frozen.push_back({"new", Tensor::scalar(1.0F)});
        CheckpointDiffModel model;
        QAbstractItemModelTester tester(&model);
        model.setDiff(compareCheckpoints(first, second));
        QCOMPARE(model.rowCount(), 4);
        const auto cell = [&](int row, int column) {
            return model.index(row, column).data().toString();
        };
        QCOMPARE(cell(0, CheckpointDiffModel::Remark), QString("equal"));
        QCOMPARE(cell(1, CheckpointDiffModel::Change), QString("4"));
        QCOMPARE(cell(1, CheckpointDiffModel::Relative), QString("0.8"));
        QCOMPARE(cell(2, CheckpointDiffModel::Remark), QString("only in the first"));
        QCOMPARE(cell(3, CheckpointDiffModel::Name), QString("new"));
    }

    void twoDroppedCheckpointsAreCompared() {
        WindowDriver driver;
        const QString a = driver.filePath("a.ckpt"), b = driver.filePath("b.ckpt");
        writeCheckpoint(sampleCheckpoint(4), a.toStdString());
        writeCheckpoint(sampleCheckpoint(8), b.toStdString());
        drop(driver.window(), {a, b});
        auto* dialog = driver.window().findChild<CheckpointDiffDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isLoaded(), kPatienceMs);
        QCOMPARE(dialog->model()->rowCount(), 2);
        const auto* change = dialog->findChild<QLabel*>("howValuesChanged");
        QCOMPARE(change->text(), QString("The values are equal."));
        QTRY_VERIFY2(change->width() >= change->fontMetrics().horizontalAdvance(change->text()),
                     "the details have room beside the table");
        const auto* table = dialog->findChild<QTableView*>("checkpointDiffTable");
        const int last = CheckpointDiffModel::Remark;
        QTRY_VERIFY(table->columnViewportPosition(last) + table->columnWidth(last) <=
                    table->viewport()->width());
        QSignalSpy saved(dialog, &CheckpointDiffDialog::saved);
        const QString mixture = driver.filePath("mixture.ckpt");
        dialog->saveMixture(mixture, 0.5);
        QTRY_COMPARE_WITH_TIMEOUT(saved.size(), 1, kPatienceMs);
        QCOMPARE(readCheckpoint(mixture.toStdString()).trainable[1].data.values<float>()[1], 6.0F);
    }

    /// One after the other, so that they may be in different folders.
    void twoFilesAreChosenOneByOne() {
        WindowDriver driver;
        const QString a = driver.filePath("a.ckpt");
        QVERIFY(QDir(driver.filePath("")).mkdir("apart"));
        const QString b = driver.filePath("apart/b.ckpt");
        writeCheckpoint(sampleCheckpoint(4), a.toStdString());
        writeCheckpoint(sampleCheckpoint(8), b.toStdString());
        driver.window().work().commands.action("checkpoints.compare")->trigger();
        auto* dialog = driver.window().findChild<CompareFilesDialog*>();
        QVERIFY(dialog != nullptr && dialog->isVisible());
        auto* compare = dialog->findChild<QPushButton*>("compareButton");
        const auto* note = dialog->findChild<QLabel*>("compareNote");
        dialog->findChild<QLineEdit*>("compareFirst")->setText(a);
        QVERIFY(!compare->isEnabled() && !note->text().isEmpty());
        QVERIFY2(driver.message().isEmpty(), "one file is no fault");
        auto* second = dialog->findChild<QLineEdit*>("compareSecond");
        second->setText(b + "x");
        QVERIFY2(!compare->isEnabled() && note->text().contains("b.ckptx"),
                 qPrintable(note->text()));
        second->clear();
        drop(*dialog, {b});
        QCOMPARE(second->text(), b);
        QVERIFY(compare->isEnabled() && note->text().isEmpty());
        QVERIFY(driver.savePicture("fault-16-files", dialog));
        compare->click();
        auto* diff = driver.window().findChild<CheckpointDiffDialog*>();
        QVERIFY(diff != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(diff->isLoaded(), kPatienceMs);
        QCOMPARE(diff->model()->rowCount(), 2);
        QVERIFY(driver.message().isEmpty());
        QVERIFY(driver.savePicture("fault-16-compared", diff));
    }

    /// The open model compared with a checkpoint whose first parameter was changed, and with
    /// itself.
    void weightsOfModelsAreCompared() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const Graph& graph = *driver.project().model()->graph;
        CheckpointFile file;
        for (const Value* value : graph.initializers())
            if (!value->isLiteral())
                file.trainable.push_back({value->name(), value->constant().clone()});
        QVERIFY(file.trainable.size() > 1);
        const std::string first = file.trainable.front().name;
        for (float& number : file.trainable.front().data.mutableValues<float>()) number += 0.5F;
        const QString path = driver.filePath("changed.ckpt");
        writeCheckpoint(file, path.toStdString());
        driver.window().comparison().compareModelWith(path);
        auto* dialog = driver.window().findChild<CheckpointDiffDialog*>();
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isLoaded(), kPatienceMs);
        QCOMPARE(dialog->model()->rowCount(), static_cast<int>(file.trainable.size()));
        for (int row = 0; row < dialog->model()->rowCount(); ++row) {
            const ParameterDiff& parameter = *dialog->model()->parameter(row);
            QCOMPARE(parameter.maxChange, parameter.name == first ? 0.5 : 0.0);
        }
        for (auto* button : dialog->findChildren<QPushButton*>())
            QVERIFY(!button->text().contains("mixture") || !button->isVisible());
        delete dialog;

        // Two models are dropped; for an invalid file, an error appears in its place.
        const QString model = driver.filePath("a.onnx"), broken = driver.filePath("b.onnx");
        saveModel(graph, model.toStdString());
        writeFileAtomically(broken.toStdString(), std::string("no model"));
        drop(driver.window(), {model, model});
        dialog = driver.window().findChild<CheckpointDiffDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isLoaded(), kPatienceMs);
        for (int row = 0; row < dialog->model()->rowCount(); ++row)
            QVERIFY(dialog->model()->parameter(row)->isSame());
        delete dialog;
        drop(driver.window(), {model, broken});
        dialog = driver.window().findChild<CheckpointDiffDialog*>();
        const auto hasFailed = [dialog] {
            const auto labels = dialog->findChildren<QLabel*>();
            return std::ranges::any_of(labels, [](const QLabel* label) {
                return label->isVisible() && label->text().contains("could not be compared");
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(hasFailed(), kPatienceMs);
        QVERIFY(!dialog->isLoaded());
    }

    void momentsAreListedAndInspected() {
        WindowDriver driver;
        CheckpointFile file = sampleCheckpoint(4);
        OptimizerGroupState group{"group0", 1234, 0.125F, {}};
        group.parameters = {{"same", {}},
                            {"w",
                             {{"momentum0", Tensor::of<float>({2}, {0, -2})},
                              {"momentum1", Tensor::of<float>({2}, {3, 4})}}}};
        file.optimizerGroups = {group};
        const QString path = driver.filePath("a.ckpt");
        writeCheckpoint(file, path.toStdString());
        CheckpointDialog dialog(path, *driver.project().tasks());
        dialog.open();
        auto* view = dialog.findChild<OptimizerStateView*>();
        QAbstractItemModelTester tester(view->model());
        QTRY_VERIFY_WITH_TIMEOUT(dialog.isLoaded(), kPatienceMs);
        QCOMPARE(dialog.findChild<QLabel*>("optimizerGroups")->text(),
                 QString("group0: step 1,234, initial learning rate 0.125, 2 parameters"));
        QAbstractItemModel* table = view->table()->model();
        QCOMPARE(table->rowCount(), 2);
        QStringList cells;
        for (int column = 0; column < table->columnCount(); ++column)
            cells << table->index(1, column).data().toString();
        QCOMPARE(cells,
                 QStringList({"w", "momentum1", "float32[2]", "5", "3", "4", "0", "group0"}));
        dialog.findChild<QTabWidget*>("checkpointTabs")->setCurrentWidget(view);
        table->sort(OptimizerStateModel::Norm, Qt::DescendingOrder);
        view->table()->setCurrentIndex(table->index(1, 0));
        QCOMPARE(view->values()->name(), QString("w.momentum0"));
        QCOMPARE(view->values()->tensor().values<float>()[1], -2.0F);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
    }

    /// As given by the open model, or by the artifacts beside the file.
    void tensorsHaveTheirNamesInTheModule() {
        WindowDriver driver;
        const QString model = driver.filePath("model.onnx");
        saveModel(*test::exportedModel("g (float[N, 2] x) => (float[N, 2] y)"
                                       " <float[2, 2] val_1 = {1, 2, 3, 4}, float[2] b = {0, 0}>"
                                       " { t = MatMul(x, val_1) y = Add(t, b) }",
                                       "p_w: PARAMETER target='fc.weight'\n", {},
                                       {{"val_1", "['fc.weight']"}}, {}),
                  model.toStdString());
        driver.window().files().open(model);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        CheckpointFile file;
        file.trainable = {{"val_1", Tensor(DType::Float32, {2, 2})}};
        const QString own = driver.filePath("own.ckpt"), foreign = driver.filePath("foreign.ckpt");
        writeCheckpoint(file, own.toStdString());
        file.trainable.push_back({"other", Tensor::scalar(1.0F)});
        writeCheckpoint(file, foreign.toStdString());
        const auto firstCell = [&](const QString& path) {
            driver.window().files().open(path);
            auto* dialog = driver.window().findChild<CheckpointDialog*>();
            const bool isThere = QTest::qWaitFor([&] { return dialog->isLoaded(); }, kPatienceMs);
            QString cell, title;
            for (auto* table : dialog->findChildren<QTableView*>()) {
                if (table->accessibleName() != "Parameters of the checkpoint") continue;
                table->selectRow(0);
                cell = table->model()->index(0, 0).data().toString();
            }
            for (const auto* view : dialog->findChildren<TensorView*>()) title += view->name();
            delete dialog;
            return isThere ? cell + " / " + title : QString();
        };
        QCOMPARE(firstCell(own), QString("fc.weight (val_1) / val_1"));
        QCOMPARE(firstCell(foreign), QString("val_1 / val_1"));
        QVERIFY(QFile::copy(model, driver.filePath("training_model.onnx")));
        QCOMPARE(firstCell(foreign), QString("fc.weight (val_1) / val_1"));

        driver.window().comparison().compareModelWith(own);
        auto* compared = driver.window().findChild<CheckpointDiffDialog*>();
        QTRY_VERIFY_WITH_TIMEOUT(compared->isLoaded(), kPatienceMs);
        QCOMPARE(compared->model()->index(0, 0).data().toString(), QString("fc.weight (val_1)"));
    }

    void aCheckpointWithoutMomentsSaysSo() {
        WindowDriver driver;
        const QString path = driver.filePath("a.ckpt");
        writeCheckpoint(sampleCheckpoint(4), path.toStdString());
        CheckpointDialog dialog(path, *driver.project().tasks());
        QTRY_VERIFY_WITH_TIMEOUT(dialog.isLoaded(), kPatienceMs);
        auto* view = dialog.findChild<OptimizerStateView*>();
        QCOMPARE(view->model()->rowCount(), 0);
        QCOMPARE(view->currentIndex(), 0);
    }

    void aCheckpointThatFitsInPartCanBeLoadedInPart() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        const auto& own = driver.project().preparation()->artifacts->checkpoint.trainable.front();
        CheckpointFile file;
        Tensor ones(DType::Float32, own.data.shape());
        for (float& value : ones.mutableValues<float>()) value = 1;
        file.trainable = {{own.name, ones}, {"foreign", Tensor::scalar(1.0F)}};
        const QString path = driver.filePath("part.ckpt");
        writeCheckpoint(file, path.toStdString());
        QVERIFY(driver.goTo("train"));
        driver.trainPanel().checkpoints()->load(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("foreign"), kPatienceMs);
        QVERIFY(driver.click("showMisfit"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.window().findChild<CheckpointDiffDialog*>() != nullptr,
                                 kPatienceMs);
        auto* dialog = driver.window().findChild<CheckpointDiffDialog*>();
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isLoaded(), kPatienceMs);
        QVERIFY(!dialog->model()->diff().sameStructure());
        dialog->close();
        driver.trainPanel().checkpoints()->loadMatching(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.message().contains("Checkpoint loaded"), kPatienceMs);
        float first = 0;
        bool read = false;
        driver.window().work().controller.withSession(
            "failed",
            [name = own.name](TrainingSession& session) {
                return session.state().parameterData(name).values<float>()[0];
            },
            [&](float value) {
                first = value;
                read = true;
            },
            {});
        QTRY_VERIFY_WITH_TIMEOUT(read, kPatienceMs);
        QCOMPARE(first, 1.0F);
    }

    void aCheckpointOfAnotherModelIsSaidToBeOne() {
        const QString text = R"(<ir_version: 8, opset_import: ["" : 17]>
            m (float[N, 2] x) => (float[N, 1] y)
                <float[2, 3] w = {1, 2, 3, 4, 5, 6}, float[3, 1] v = {1, 2, 3}> {
                h = MatMul(x, w) a = %1(h) y = MatMul(a, v) })";
        WindowDriver driver;
        const auto open = [&](const char* operation) {
            const QString path = driver.filePath(QString("%1.onnx").arg(operation));
            saveModel(*parseText(text.arg(operation).toStdString()), path.toStdString());
            driver.window().files().open(path);
            const bool isOpen = QTest::qWaitFor(
                [&] { return driver.project().spec().model == path.toStdString(); }, kPatienceMs);
            TrainingSpec spec = driver.project().spec();
            spec.artifacts.loss = {"mse", {}};
            driver.project().edit("choices", spec);
            const auto isReady = [&] {
                const auto& preparation = driver.project().preparation();
                return !driver.project().isPreparing() && preparation && preparation->artifacts &&
                       preparation->spec.loss.key == "mse" &&
                       QString::fromStdString(preparation->artifacts->evalModel->name()) == "m";
            };
            return isOpen && QTest::qWaitFor(isReady, kPatienceMs) && driver.goTo("train");
        };
        const QString saved = driver.filePath("saved.ckpt"), own = driver.filePath("own.ckpt");
        QVERIFY(open("Relu"));
        auto* pane = driver.trainPanel().checkpoints();
        QSignalSpy loaded(pane, &CheckpointPane::loaded);
        writeCheckpoint(driver.project().preparation()->artifacts->checkpoint, own.toStdString());
        pane->load(own);  // makes the session that can be saved
        QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 1, kPatienceMs);
        QVERIFY2(driver.message().contains("Checkpoint loaded"), qPrintable(driver.message()));
        pane->save(saved);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(saved), kPatienceMs);
        pane->load(saved);
        QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 2, kPatienceMs);
        QVERIFY2(driver.message().contains("Checkpoint loaded"), qPrintable(driver.message()));

        QVERIFY(open("Tanh"));
        pane->load(saved);
        QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 3, kPatienceMs);
        QVERIFY2(driver.message().contains("The checkpoint belongs to another model"),
                 qPrintable(driver.message()));
        QVERIFY(driver.goTo("evaluate"));
        auto* weights = driver.window().findChild<WeightSource*>();
        weights->setCurrentIndex(weights->findData(saved));
        QVERIFY(!weights->isCurrent());
        std::optional<Weights> fetched;
        weights->fetch([&](const Weights& found) { fetched = found; }, {});
        QTRY_VERIFY_WITH_TIMEOUT(fetched.has_value(), kPatienceMs);
        QVERIFY2(fetched->remark.message.startsWith("The checkpoint belongs to another model"),
                 qPrintable(fetched->remark.message));
        QVERIFY(driver.goTo("train"));
        pane->load(own);
        QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 4, kPatienceMs);
        QVERIFY2(driver.message().contains("Checkpoint loaded"), qPrintable(driver.message()));
    }

    void aCheckpointDroppedOnAnotherIsComparedWithIt() {
        WindowDriver driver;
        const QString first = driver.filePath("a.ckpt"), second = driver.filePath("b.ckpt");
        writeCheckpoint(sampleCheckpoint(4), first.toStdString());
        writeCheckpoint(sampleCheckpoint(8), second.toStdString());
        drop(driver.window(), {first});
        auto* viewer = driver.window().findChild<CheckpointDialog*>();
        QVERIFY(viewer != nullptr);
        QVERIFY(!viewer->isModal());
        QTRY_VERIFY_WITH_TIMEOUT(viewer->isLoaded(), kPatienceMs);
        drop(*viewer, {second});
        auto* dialog = driver.window().findChild<CheckpointDiffDialog*>();
        QVERIFY(dialog != nullptr);
        QVERIFY(!dialog->isModal());
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isLoaded(), kPatienceMs);
        QVERIFY(driver.goTo("train"));  // the dialog does not block the window
    }

    void theTimelineGoesThroughTheCheckpointsOfARun() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.saveEvery = 10;
        driver.project().edit("Save often", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        auto* slider = driver.window().findChild<QSlider*>("checkpointTimeline");
        auto* table = driver.window().findChild<QTableView*>("checkpointTable");
        QVERIFY(slider->isVisible());
        QCOMPARE(slider->maximum(), table->model()->rowCount() - 1);
        slider->setValue(1);
        QCOMPARE(table->currentIndex().row(), table->model()->rowCount() - 2);
        QVERIFY(driver.click("compareCheckpoints"));
        auto* dialog = driver.window().findChild<CheckpointDiffDialog*>();
        QVERIFY(dialog != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isLoaded(), kPatienceMs);
        QVERIFY(dialog->model()->diff().sameStructure());
    }

    /// Whoever types no extension gets one, and is asked before a file of that name is replaced.
    void aSavedCheckpointHasAnExtension_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("written");
        QTest::newRow("as proposed") << ""
                                     << "Iris flowers-step-%1.ckpt";
        QTest::newRow("without") << "mine"
                                 << "mine.ckpt";
        QTest::newRow("another") << "mine.bin"
                                 << "mine.bin";
    }
    void aSavedCheckpointHasAnExtension() {
        QFETCH(QString, typed);
        QFETCH(QString, written);
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        const QString step = QString::number(driver.run().step()).rightJustified(6, '0');
        const QString proposed = QString("Iris flowers-step-%1.ckpt").arg(step);
        if (written.contains('%')) written = written.arg(step);
        QString offered;
        QTimer answer;
        connect(&answer, &QTimer::timeout, &driver.window(), [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr) return;
            answer.stop();
            offered = QFileInfo(dialog->selectedFiles().value(0)).fileName();
            auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
            name->setText(driver.filePath(typed.isEmpty() ? offered : typed));
            QTest::keyClick(name, Qt::Key_Return);
        });
        auto* save = driver.window().findChild<QPushButton*>("saveCheckpoint");
        QVERIFY(save != nullptr && save->isEnabled());
        answer.start(10);
        save->click();
        QTRY_COMPARE_WITH_TIMEOUT(offered, proposed, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(driver.filePath(written)), kPatienceMs);
        QCOMPARE(loadCheckpoint(driver.filePath(written).toStdString()).trainable.size(),
                 driver.project().preparation()->artifacts->checkpoint.trainable.size());
    }

    void trainingIsSeenWhileACheckpointGetsItsName() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 1'000'000;
        driver.project().edit("Train long", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 3, kPatienceMs);
        int64_t atOpening = 0, later = 0;
        QElapsedTimer sinceOpened;
        QTimer watch;
        connect(&watch, &QTimer::timeout, &driver.window(), [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr) return;
            later = driver.run().step();
            if (!sinceOpened.isValid()) {
                sinceOpened.start();
                atOpening = later;
            }
            if (later == atOpening && !sinceOpened.hasExpired(kPatienceMs / 2)) return;
            watch.stop();
            dialog->reject();
        });
        watch.start(10);
        QVERIFY(driver.click("saveCheckpoint"));
        QTRY_VERIFY_WITH_TIMEOUT(!watch.isActive(), kPatienceMs);
        QVERIFY(later > atOpening);
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
    }

    /// The list of the window matches the files on disk.
    void theBestAndThePausesOfARunAreListed() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("iris"));
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 1'000'000;
        spec.run.keepBest = 3;
        spec.run.saveOnPause = true;
        spec.run.saveFolder = driver.filePath("kept").toStdString();
        driver.project().edit("Keep three", spec);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().isReadyToTrain(), kPatienceMs);
        QVERIFY(driver.goTo("train"));
        QVERIFY(driver.click("startButton"));
        QTRY_VERIFY_WITH_TIMEOUT(driver.run().step() > 100, kPatienceMs);
        QVERIFY(driver.click("pauseButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Paused, kPatienceMs);
        const auto listed = [&](const QString& kind) {
            QStringList names;
            for (const CheckpointEntry& entry : driver.run().checkpoints())
                if (entry.kind == kind) names << QFileInfo(entry.path).fileName();
            names.sort();
            return names;
        };
        const auto found = [&](const char* pattern) {
            return QDir(driver.filePath("kept")).entryList({pattern}, QDir::Files, QDir::Name);
        };
        QTRY_COMPARE_WITH_TIMEOUT(listed("pause").size(), 1, kPatienceMs);
        QCOMPARE(listed("pause").front(),
                 QString("pause-%1.ckpt").arg(driver.run().step(), 6, 10, QLatin1Char('0')));
        QCOMPARE(listed("pause"), found("pause-*.ckpt"));
        QCOMPARE(listed("kept").size(), 3);
        QCOMPARE(listed("kept"), found("best-*.ckpt"));
        auto* table = driver.window().findChild<QTableView*>("checkpointTable");
        QCOMPARE(table->model()->rowCount(), 6);  // also the last and the best
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
    }
};

QTEST_MAIN(CheckpointsTest)
#include "checkpoints_test.moc"
