// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>
#include <stdexcept>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/engine/training/edits/branching_model.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/problems/problem_model.h"
#include "ui/graph_view/graph_pane.h"
#include "ui/panels/export/export_panel.h"
#include "ui/panels/model/model_panel.h"
#include "ui/widgets/number_edit.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

constexpr const char* kGated = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    gated (float[batch, 2] x) => (float[batch, 2] y)
        <float[2, 4] w1 = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8},
         float[4] s = {1, 1.5, 1, 0.5}, float[4] b = {0, 0.1, 0, 0},
         float[4, 2] w2 = {0.2, -0.1, 0.4, 0.3, -0.5, 0.6, 0.1, 0.2}> {
        ["/first"] h = MatMul(x, w1)
        ["/norm"] n = LayerNormalization(h, s, b)
        ["/act"] a = %1(n)
        ["/last"] y = MatMul(a, w2)
    })";

constexpr const char* kNormed = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    normed (float[batch, 2] x) => (float[batch, 2] y)
        <float[2] scale = {1, 2}, float[2] bias = {0, 1}, float[2] mean = {0.5, 0},
         float[2] variance = {1, 4}, float[2, 2] w = {0.2, -0.1, 0.4, 0.3}> {
        ["/one"] a = BatchNormalization(x, scale, bias, mean, variance)
        ["/head"] h = MatMul(a, w)
        ["/two"] y = BatchNormalization(h, scale, bias, mean, variance)
    })";

}  // namespace

/// Model edits in the window: gradient stops, names of inputs and outputs, the opset.
class ModelEditsTest : public QObject {
    Q_OBJECT

private slots:
    void gradientsStopAtTheChosenNode();
    void aNodeWithoutGradientIsTreatedAsConstant();
    void aConditionIsReplaced();
    void aFixedNumberOfSamplesIsMadeFree_data();
    void aFixedNumberOfSamplesIsMadeFree();
    void aNumberThatTheModelCountsOnStays();
    void anInputBecomesAConstantByItsMenu();
    void whatIsNotANumberIsNotAConstant();
    void inputsAndOutputsAreRenamedInTheirRows();
    void namesThatAreTakenAreRefused();
    void bindingAndLossFollowTheNames();
    void theOpsetOfTheExportIsChosen();
    void batchNormalizationKeepsItsStatistics();
    void modelsWithoutBatchNormalizationAreNotAsked();

private:
    static void openGated(WindowDriver& driver, const QString& op = "HardSwish") {
        const QString path = driver.filePath("gated.onnx");
        saveModel(*parseText(QString(kGated).arg(op).toStdString()), path.toStdString());
        driver.window().files().open(path);
        QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
        QVERIFY(driver.goTo("model"));
    }
    static bool isPrepared(WindowDriver& driver) {
        return driver.project().preparation() != nullptr && !driver.project().isPreparing() &&
               !driver.project().tasks()->isBusy();
    }
    static GraphPane& pane(WindowDriver& driver) {
        return *qobject_cast<ModelPanel*>(driver.window().pages().page("model"))->graph();
    }
    static QTreeWidget& details(WindowDriver& driver) {
        for (auto* tree : driver.window().findChildren<QTreeWidget*>())
            if (tree->accessibleName() == "Details") return *tree;
        throw std::runtime_error("the window has a view of details");
    }
    static QTreeWidgetItem* rowOf(WindowDriver& driver, const QString& name) {
        const auto rows = details(driver).findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
        return rows.isEmpty() ? nullptr : rows.front();
    }
    static void openDetector(WindowDriver& driver) {
        const QString path = driver.filePath("detector.onnx");
        saveModel(*parseText(test::speechDetector()), path.toStdString());
        driver.window().files().open(path);
        QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.loss = {"mse", {}};
        spec.artifacts.lossInputs = {"output"};
        driver.project().edit("choices", spec);
        QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
        QVERIFY(driver.goTo("model"));
    }
    /// The button with this text at the finding with this code; null if there is none.
    static QPushButton* fixOf(WindowDriver& driver, const std::string& code, const QString& text) {
        driver.window().docks().show("problems");
        auto* table = driver.window().findChild<QTableView*>("problemTable");
        const auto* problems = qobject_cast<const ProblemModel*>(table->model());
        for (int row = 0; row < problems->rowCount(); ++row) {
            if (problems->problem(row).finding.code != code) continue;
            QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                              table->visualRect(table->model()->index(row, 0)).center());
            for (auto* button : driver.window().findChildren<QPushButton*>("problemFix"))
                if (button->text() == text) return button;
        }
        return nullptr;
    }
    static void openText(WindowDriver& driver, const char* name, const char* text) {
        const QString path = driver.filePath(name);
        saveModel(*parseText(text), path.toStdString());
        driver.window().files().open(path);
        QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    }
    /// Like a person: the menu of a row, then one of its entries.
    static bool choose(WindowDriver& driver, const QString& row, const QString& entry) {
        QTreeWidgetItem* item = rowOf(driver, row);
        if (item == nullptr) return false;
        QTreeWidget& tree = details(driver);
        emit tree.customContextMenuRequested(tree.visualItemRect(item).center());
        for (auto* menu : tree.findChildren<QMenu*>()) {
            if (!menu->isVisible()) continue;
            for (QAction* action : menu->actions())
                if (action->text() == entry) return action->trigger(), menu->close(), true;
            menu->close();
        }
        return false;
    }
    /// The value, Enter.
    static void typeConstant(WindowDriver& driver, const QString& value) {
        auto* dialog = driver.window().findChild<QInputDialog*>();
        QVERIFY(dialog != nullptr);
        dialog->setTextValue(value);
        dialog->accept();
        for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
        QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    }
    /// Like a person: F2, the new name, Enter.
    static void typeName(WindowDriver& driver, const QString& from, const QString& to) {
        QTreeWidgetItem* row = rowOf(driver, from);
        QVERIFY(row != nullptr);
        details(driver).setCurrentItem(row, 0);
        details(driver).setFocus();
        QTest::keyClick(&details(driver), Qt::Key_F2);
        auto* editor = details(driver).findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        editor->setText(to);
        QTest::keyClick(editor, Qt::Key_Return);
        for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
        QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    }
};

void ModelEditsTest::gradientsStopAtTheChosenNode() {
    WindowDriver driver;
    openGated(driver);
    GraphPane& graph = pane(driver);
    const auto waitForDrawing = [&] { return graph.view()->drawing() != nullptr; };
    QVERIFY(QTest::qWaitFor(waitForDrawing, kPatienceMs));
    graph.showNode(std::string("/norm"));
    QVERIFY(QTest::qWaitFor([&] { return graph.view()->selectedBox() >= 0; }, kPatienceMs));
    const int box = graph.view()->selectedBox();
    QVERIFY(!graph.view()->describe(box).contains("gradients stop here"));
    driver.window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&driver.window()));
    graph.view()->setFocus();
    QTest::keyClick(graph.view(), Qt::Key_X);
    QCOMPARE(driver.project().spec().artifacts.stopGradient, std::vector<std::string>{"/norm"});
    QVERIFY(graph.view()->describe(box).contains("gradients stop here"));
    const auto frozen = [&] { return graph.view()->overlayData().trained.size() == 1; };
    QVERIFY(QTest::qWaitFor(frozen, kPatienceMs));
    QVERIFY(graph.view()->overlayData().trained.contains("w2"));
    QTest::keyClick(graph.view(), Qt::Key_X);
    QVERIFY(driver.project().spec().artifacts.stopGradient.empty());
    driver.project().undoStack()->undo();
    QCOMPARE(driver.project().spec().artifacts.stopGradient, std::vector<std::string>{"/norm"});
    driver.project().undoStack()->undo();
    QVERIFY(!graph.view()->describe(box).contains("gradients stop here"));
}

void ModelEditsTest::aNodeWithoutGradientIsTreatedAsConstant() {
    WindowDriver driver;
    openGated(driver, "Sign");
    driver.window().docks().show("problems");
    auto* table = driver.window().findChild<QTableView*>("problemTable");
    const auto* problems = qobject_cast<const ProblemModel*>(table->model());
    QVERIFY(problems->count(Severity::Error) > 0);
    QCOMPARE(problems->problem(0).finding.node, std::string("/act"));
    const auto fix = [&](const QString& label) {
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          table->visualRect(table->model()->index(0, 0)).center());
        for (auto* button : driver.window().findChildren<QPushButton*>("problemFix"))
            if (button->text() == label) return button->click(), true;
        return false;
    };
    const auto isStopped = [&] { return !driver.project().spec().artifacts.stopGradient.empty(); };
    QVERIFY(fix("Treat as constant"));
    QVERIFY(QTest::qWaitFor(isStopped, kPatienceMs));
    QCOMPARE(driver.project().spec().artifacts.stopGradient, std::vector<std::string>{"/act"});
    const auto mended = [&] { return problems->count(Severity::Error) == 0; };
    QVERIFY(QTest::qWaitFor(mended, kPatienceMs));
    QCOMPARE(problems->problem(0).finding.code, std::string("G007"));
    QVERIFY(fix("Let gradients through"));
    QVERIFY(QTest::qWaitFor([&] { return !isStopped(); }, kPatienceMs));
    const auto back = [&] { return problems->count(Severity::Error) > 0; };
    QVERIFY(QTest::qWaitFor(back, kPatienceMs));
}

void ModelEditsTest::aConditionIsReplaced() {
    WindowDriver driver;
    const QString path = driver.filePath("branches.onnx");
    saveModel(*parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        branches (float[batch, 2] x, bool c) => (float[batch, 2] y)
            <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}, float ratio = {0.5}, bool on = {1}> {
            ["/first"] h = MatMul(x, w)
            ["/if"] y = If (c) <
                then_branch = a () => (float[batch, 2] t) { t = Dropout(h, ratio, on) },
                else_branch = b () => (float[batch, 2] e) { e = Exp(h) }
            >
        })"),
              path.toStdString());
    driver.window().files().open(path);
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    driver.window().docks().show("problems");
    auto* table = driver.window().findChild<QTableView*>("problemTable");
    const auto* problems = qobject_cast<const ProblemModel*>(table->model());
    QVERIFY(problems->count(Severity::Error) > 0);
    QCOMPARE(problems->problem(0).finding.node, std::string("/if"));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(0, 0)).center());
    QPushButton* replace = nullptr;
    for (auto* button : driver.window().findChildren<QPushButton*>("problemFix"))
        if (button->text() == "Replace by both branches and Where") replace = button;
    QVERIFY2(replace != nullptr,
             qPrintable(QString::fromStdString(problems->problem(0).finding.code)));
    replace->click();
    QVERIFY(QTest::qWaitFor([&] { return !driver.project().spec().replace.empty(); }, kPatienceMs));
    QCOMPARE(driver.project().spec().replace, std::vector<std::string>{"/if"});
    const auto mended = [&] { return isPrepared(driver) && problems->count(Severity::Error) == 0; };
    QVERIFY(QTest::qWaitFor(mended, kPatienceMs));
    QVERIFY(driver.project().preparation()->artifacts != nullptr);
    driver.project().undoStack()->undo();
    const auto back = [&] { return isPrepared(driver) && problems->count(Severity::Error) > 0; };
    QVERIFY(QTest::qWaitFor(back, kPatienceMs));
}

void ModelEditsTest::aFixedNumberOfSamplesIsMadeFree_data() {
    QTest::addColumn<bool>("onOpening");
    QTest::newRow("offered on opening") << true;
    QTest::newRow("among the problems") << false;
}

void ModelEditsTest::aFixedNumberOfSamplesIsMadeFree() {
    QFETCH(bool, onOpening);
    WindowDriver driver;
    openText(driver, "one.onnx", R"(
        <ir_version: 8, opset_import: ["" : 17]>
        one (float[1, 2, 2] x) => (float[1, 1] y)
            <float[4, 1] w = {0.1, -0.2, 0.3, 0.4}, int64[2] flat = {1, 4}> {
            f = Reshape(x, flat)
            y = MatMul(f, w)
        })");
    NumberEdit* batch = nullptr;
    for (auto* field : driver.window().findChildren<NumberEdit*>())
        if (field->accessibleName() == "Batch size") batch = field;
    QVERIFY(batch != nullptr);
    QVERIFY2(batch->value() == 1 && !batch->isEnabled(), "the model accepts one sample at a time");
    if (onOpening) {
        QVERIFY2(driver.message().contains("fixed number of samples"),
                 qPrintable(driver.message()));
        QVERIFY(driver.savePicture("fault-01-offer"));
        QVERIFY(driver.click("bannerAction"));
        QVERIFY2(driver.message().isEmpty(), qPrintable(driver.message()));
    } else {
        QPushButton* fix = fixOf(driver, "W008", "Allow any batch size");
        QVERIFY(fix != nullptr);
        fix->click();
    }
    const auto isFree = [&] {
        return isPrepared(driver) && driver.project().spec().freeBatch &&
               driver.project().model()->graph->inputs().front()->type().shape->front() ==
                   Dim::named("batch");
    };
    QVERIFY(QTest::qWaitFor(isFree, kPatienceMs));
    QVERIFY(batch->isEnabled());
    QCOMPARE(batch->value(), static_cast<double>(driver.project().spec().run.batchSize));
    QCOMPARE(formatType(driver.project().model()->graph->outputs().front()->type()),
             std::string("float32[batch, 1]"));
    QVERIFY(fixOf(driver, "W008", "Allow any batch size") == nullptr);
    QVERIFY(driver.goTo("objective") && driver.savePicture("fault-01-free"));
    driver.project().undoStack()->undo();
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver) && !isFree(); }, kPatienceMs));
}

/// It says why, and the model stays unchanged.
void ModelEditsTest::aNumberThatTheModelCountsOnStays() {
    WindowDriver driver;
    openText(driver, "all.onnx", R"(
        <ir_version: 8, opset_import: ["" : 17]>
        all (float[1, 2] x) => (float[1, 2] y) <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}> {
            h = MatMul(x, w)
            y = Softmax<axis = 0>(h)
        })");
    QPushButton* fix = fixOf(driver, "W008", "Allow any batch size");
    QVERIFY(fix != nullptr);
    fix->click();
    const auto isTold = [&] {
        for (const auto* label : driver.window().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains("differs from that of each batch"))
                return true;
        return false;
    };
    QVERIFY(QTest::qWaitFor(isTold, kPatienceMs));
    QVERIFY(!driver.project().spec().freeBatch);
    QCOMPARE(formatType(driver.project().model()->graph->outputs().front()->type()),
             std::string("float32[1, 2]"));
}

void ModelEditsTest::anInputBecomesAConstantByItsMenu() {
    WindowDriver driver;
    openDetector(driver);
    const auto trainable = [&]() -> std::vector<std::string> {
        const auto& preparation = driver.project().preparation();
        return preparation->artifacts == nullptr ? std::vector<std::string>{}
                                                 : preparation->plan.trainable;
    };
    QVERIFY(trainable().empty());
    QVERIFY(driver.click("fixInput"));  // at the message about it
    typeConstant(driver, "8000");
    QVERIFY(!trainable().empty());
    driver.project().undoStack()->undo();
    QVERIFY(
        QTest::qWaitFor([&] { return isPrepared(driver) && trainable().empty(); }, kPatienceMs));
    QVERIFY(!choose(driver, "input", "Set to a constant…"));  // data, with any number of samples
    QVERIFY(choose(driver, "sr", "Set to a constant…"));
    typeConstant(driver, "8000");
    QCOMPARE(driver.project().spec().fixedInputs, (std::map<std::string, double>{{"sr", 8000}}));
    const std::vector<std::string> narrow{"narrow.basis", "narrow.w", "narrow.r", "narrow.b",
                                          "narrow.score"};
    QCOMPARE(trainable(), narrow);
    QCOMPARE(rowOf(driver, "sr")->parent()->text(0), QString("Constant inputs"));
    QVERIFY(choose(driver, "sr", "Change the constant…"));
    typeConstant(driver, "16000");
    QVERIFY(trainable().front() == "wide.basis");
    QVERIFY(choose(driver, "sr", "Make it an input again"));
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    QVERIFY(driver.project().spec().fixedInputs.empty() && trainable().empty());
    QCOMPARE(rowOf(driver, "sr")->parent()->text(0), QString("Inputs"));
    for (int i = 0; i < 2; ++i) driver.project().undoStack()->undo();
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    QCOMPARE(trainable(), narrow);
    driver.project().undoStack()->undo();
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    QVERIFY(driver.project().spec().fixedInputs.empty());
    QVERIFY(choose(driver, "state", "Set to a constant…"));  // [2, N, 4]
    typeConstant(driver, "0");
    QCOMPARE(driver.project().spec().fixedInputs, (std::map<std::string, double>{{"state", 0}}));
    QCOMPARE(rowOf(driver, "state")->parent()->text(0), QString("Constant inputs"));
}

void ModelEditsTest::whatIsNotANumberIsNotAConstant() {
    WindowDriver driver;
    openDetector(driver);
    const std::map<QString, QString> answers{{"", "'' is not a number."},
                                             {"wide", "'wide' is not a number."},
                                             {"0.5", "Input 'sr' (int64[]) can't be 0.5"}};
    for (const auto& [value, answer] : answers) {
        QVERIFY(choose(driver, "sr", "Set to a constant…"));
        typeConstant(driver, value);
        QVERIFY(driver.project().spec().fixedInputs.empty());
        QVERIFY(rowOf(driver, "sr") != nullptr);
        QVERIFY2(driver.message().contains(answer), qPrintable(driver.message()));
    }
}

void ModelEditsTest::inputsAndOutputsAreRenamedInTheirRows() {
    WindowDriver driver;
    openGated(driver);
    typeName(driver, "x", "pixels");
    typeName(driver, "y", "scores of classes");
    const std::map<std::string, std::string> names{{"x", "pixels"}, {"y", "scores of classes"}};
    QVERIFY(driver.project().spec().rename == names);
    QVERIFY(driver.project().model()->graph->find("pixels") != nullptr);
    QVERIFY(rowOf(driver, "pixels") != nullptr && rowOf(driver, "x") == nullptr);
    QVERIFY(driver.project().preparation()->artifacts->evalModel->find("pixels") != nullptr);
    driver.project().undoStack()->undo();
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    QVERIFY(rowOf(driver, "y") != nullptr && rowOf(driver, "pixels") != nullptr);
    driver.project().undoStack()->undo();
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    QVERIFY(driver.project().spec().rename.empty());
    QVERIFY(rowOf(driver, "x") != nullptr);
    // The kind of a value can't be edited.
    details(driver).setCurrentItem(rowOf(driver, "x"), 1);
    QTest::keyClick(&details(driver), Qt::Key_F2);
    QVERIFY(details(driver).findChild<QLineEdit*>() == nullptr);
}

void ModelEditsTest::namesThatAreTakenAreRefused() {
    WindowDriver driver;
    openGated(driver);
    for (const char* name : {"h", "w1", "y", " "}) {
        typeName(driver, "x", name);
        QVERIFY(driver.project().spec().rename.empty());
        QVERIFY2(rowOf(driver, "x") != nullptr, name);
        QVERIFY2(driver.message().contains("'x'"), qPrintable(driver.message()));
    }
}

void ModelEditsTest::bindingAndLossFollowTheNames() {
    WindowDriver driver;
    openGated(driver);
    TrainingSpec spec = driver.project().spec();
    spec.artifacts.loss = {"mse(y, wanted)", {}};
    spec.artifacts.extraOutputs = {"y"};
    spec.run.binding = {{"x", "features"}};
    driver.project().edit("choices", spec);
    QVERIFY(QTest::qWaitFor([&] { return isPrepared(driver); }, kPatienceMs));
    typeName(driver, "y", "scores");
    typeName(driver, "x", "pixels");
    const TrainingSpec& now = driver.project().spec();
    QCOMPARE(now.artifacts.loss.key, std::string("mse(scores, wanted)"));
    QCOMPARE(now.artifacts.extraOutputs, std::vector<std::string>{"scores"});
    QVERIFY(now.run.binding.contains("pixels") && !now.run.binding.contains("x"));
    QVERIFY(driver.project().preparation()->artifacts != nullptr);
}

void ModelEditsTest::theOpsetOfTheExportIsChosen() {
    WindowDriver driver;
    QVERIFY(driver.openLesson("digits"));
    TrainingSpec spec = driver.project().spec();
    spec.run.steps = 5;
    driver.project().edit("short", spec);
    QVERIFY(QTest::qWaitFor([&] { return driver.project().isReadyToTrain(); }, kPatienceMs));
    QVERIFY(driver.goTo("train"));
    QVERIFY(driver.click("startButton"));
    const auto finished = [&] { return driver.run().state() == RunState::Finished; };
    QVERIFY(QTest::qWaitFor(finished, kPatienceMs));
    QVERIFY(driver.goTo("export"));
    auto* opset = driver.window().findChild<QComboBox*>("exportOpset");
    const int64_t own = driver.project().model()->graph->info().onnxOpset();
    QVERIFY(opset->currentText().contains(QString::number(own)));
    for (const int64_t wanted : {int64_t{0}, int64_t{11}, int64_t{21}}) {
        opset->setCurrentIndex(opset->findData(static_cast<qlonglong>(wanted)));
        const QString path = driver.filePath(QString("opset%1.onnx").arg(wanted));
        driver.exportPanel().exportTo(path);
        const auto written = [&] {
            return driver.exportPanel().result().path == path.toStdString();
        };
        QVERIFY(QTest::qWaitFor(written, kPatienceMs));
        QVERIFY(driver.exportPanel().result().isVerified());
        QCOMPARE(driver.exportPanel().result().opset, wanted == 0 ? own : wanted);
        QCOMPARE(loadModel(path.toStdString())->info().onnxOpset(), wanted == 0 ? own : wanted);
    }
}

void ModelEditsTest::batchNormalizationKeepsItsStatistics() {
    WindowDriver driver;
    const QString path = driver.filePath("normed.onnx");
    saveModel(*parseText(kNormed), path.toStdString());
    driver.window().files().open(path);
    QTRY_VERIFY_WITH_TIMEOUT(driver.project().preparation() != nullptr, kPatienceMs);
    QVERIFY(driver.goTo("parameters"));
    auto* box = driver.window().findChild<QCheckBox*>("keepStatistics");
    QVERIFY(box != nullptr && box->isVisible());
    QCOMPARE(box->checkState(), Qt::Unchecked);
    QVERIFY(box->text().contains("2"));
    box->click();
    const auto choices = [&] { return driver.project().spec().artifacts.frozenStatistics; };
    QCOMPARE(choices(), std::vector<std::string>{"*"});
    QCOMPARE(box->checkState(), Qt::Checked);
    QTRY_COMPARE_WITH_TIMEOUT(driver.project().preparation()->plan.frozenStatistics,
                              (std::vector<std::string>{"a", "y"}), kPatienceMs);
    TrainingSpec one = driver.project().spec();
    one.artifacts.frozenStatistics = {"/one"};
    driver.project().edit("one", one);
    QCOMPARE(box->checkState(), Qt::PartiallyChecked);
    QVERIFY2(box->text().contains("1 of 2"), qPrintable(box->text()));
    box->click();
    QCOMPARE(choices(), std::vector<std::string>{"*"});
    box->click();
    QVERIFY(choices().empty());
    for (int i = 0; i < 2; ++i) driver.project().undoStack()->undo();
    QCOMPARE(choices(), std::vector<std::string>{"/one"});
    QCOMPARE(box->checkState(), Qt::PartiallyChecked);
}

void ModelEditsTest::modelsWithoutBatchNormalizationAreNotAsked() {
    WindowDriver driver;
    openGated(driver);
    QVERIFY(driver.goTo("parameters"));
    QVERIFY(driver.window().findChild<QCheckBox*>("keepStatistics")->isHidden());
}

QTEST_MAIN(ModelEditsTest)
#include "model_edits_test.moc"
