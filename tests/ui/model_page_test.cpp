// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <algorithm>
#include <fstream>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/proto.h"
#include "tests/ui/shown_texts.h"
#include "tests/ui/window_driver.h"
#include "ui/docks/problems/problem_model.h"
#include "ui/panels/model/detail_view.h"
#include "ui/panels/model/model_panel.h"
#include "ui/panels/panel.h"
#include "ui/tensor_view/tensor_view.h"
#include "ui/translation/languages.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

/// Weights are Constant nodes, as in PaddlePaddle's exports.
constexpr const char* kWrittenWeights = R"(
    <ir_version: 8, opset_import: ["" : 11]>
    agraph (float[N, 2] x) => (float[N, 2] y) {
        w1 = Constant<value = float[2, 4] {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8}>()
        b1 = Constant<value = float[4] {0, 0.1, 0, 0}>()
        w2 = Constant<value = float[4, 2] {0.2, -0.1, 0.4, 0.3, -0.5, 0.6, 0.1, 0.2}>()
        half = Constant<value = float {0.5}>()
        h = MatMul(x, w1)
        s = Add(h, b1)
        r = Relu(s)
        m = Mul(r, half)
        y = MatMul(m, w2)
    })";

/// The same weights with their own names, and statistics written into the model.
constexpr const char* kWrittenMean = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    agraph (float[N, 2] x) => (float[N, 2] y)
        <float[2, 2] w = {0.1, -0.2, 0.3, 0.4}> {
        mean = Constant<value = float[2] {0.4, 0.6}>()
        c = Sub(x, mean)
        y = MatMul(c, w)
    })";

void openModel(WindowDriver& driver, const QString& path) {
    driver.window().files().open(path);
    QTRY_VERIFY_WITH_TIMEOUT(driver.project().preparation() != nullptr, kPatienceMs);
    QVERIFY(driver.goTo("model"));
    QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
}

void openText(WindowDriver& driver, const char* source) {
    const QString path = driver.filePath("model.onnx");
    saveModel(*parseText(source), path.toStdString());
    openModel(driver, path);
}

ModelPanel& modelPanel(WindowDriver& driver) {
    return *qobject_cast<ModelPanel*>(driver.window().pages().page("model"));
}

/// Selects the box of the node that produces the value; returns it.
int selectMaker(WindowDriver& driver, const std::string& value) {
    GraphPane& pane = *modelPanel(driver).graph();
    const Node* node = driver.project().model()->graph->at(value)->producer();
    pane.showNode(pane.document()->outline().indexOf(node));
    [&] { QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs); }();
    return pane.view()->selectedBox();
}

/// The texts in the menu of the selected box; triggers the wanted one.
QStringList menuOf(WindowDriver& driver, int box, const QString& wanted) {
    QStringList texts;
    GraphPane& pane = *modelPanel(driver).graph();
    QTimer::singleShot(0, &pane, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (menu == nullptr) return;
        for (QAction* action : menu->actions()) {
            texts << action->text();
            if (action->text() == wanted) action->trigger();
        }
        menu->close();
        if (wanted.endsWith(" h")) QVERIFY(menu->grab().save(pictureFile("fault-02-menu")));
    });
    emit pane.view()->menuRequested(box, pane.mapToGlobal(QPoint(20, 20)));
    return texts;
}

QTreeWidgetItem* rowOf(WindowDriver& driver, const QString& name) {
    auto* tree = driver.window().findChild<DetailView*>()->findChild<QTreeWidget*>();
    for (QTreeWidgetItemIterator it(tree); *it != nullptr; ++it)
        if ((*it)->text(0) == name) return *it;
    return nullptr;
}

}  // namespace

/// Displays of models, and actions in their graph.
class ModelPageTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { installLanguage(*qApp, "en"); }

    void withoutAModelThePageSaysHowToOpenOne() {
        WindowDriver driver;
        QVERIFY(driver.goTo("model"));
        const auto button = [&]() -> QPushButton* {
            for (auto* each : driver.window().findChildren<QPushButton*>())
                if (each->text() == "Open a model…") return each;
            return nullptr;
        };
        QVERIFY(button() != nullptr && button()->isVisible());
        QVERIFY(driver.openLesson("iris"));
        QVERIFY(driver.goTo("model"));
        QVERIFY(!button()->isVisible());
        driver.window().work().commands.action("file.close")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() == nullptr, kPatienceMs);
        QVERIFY(driver.goTo("model"));
        QVERIFY(button()->isVisible());
    }

    void boxesShowWhatOfThemTrains_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("value");
        QTest::addColumn<int>("mark");
        const auto row = [](const char* name, const char* source, const char* value,
                            TrainingMark mark) {
            QTest::newRow(name) << QString(source) << QString(value) << int(mark);
        };
        row("a weight in a Constant", kWrittenWeights, "h", TrainingMark::Trains);
        row("a bias in a Constant", kWrittenWeights, "s", TrainingMark::Trains);
        row("a factor", kWrittenWeights, "m", TrainingMark::None);
        row("no numbers", kWrittenWeights, "r", TrainingMark::None);
        row("a mean beside named weights", kWrittenMean, "c", TrainingMark::None);
        row("a named weight", kWrittenMean, "y", TrainingMark::Trains);
    }
    void boxesShowWhatOfThemTrains() {
        QFETCH(QString, source);
        QFETCH(QString, value);
        QFETCH(int, mark);
        WindowDriver driver;
        openText(driver, qPrintable(source));
        if (QTest::currentTestFailed()) return;
        GraphView& view = *modelPanel(driver).graph()->view();
        modelPanel(driver).graph()->setOverlay(OverlayKind::Training);
        const int box = selectMaker(driver, value.toStdString());
        QVERIFY(box >= 0);
        const OverlayData& data = view.overlayData();
        const auto& drawing = *view.drawing();
        QCOMPARE(int(markOf(drawing.parametersOf(drawing.boxes[static_cast<size_t>(box)]), data)),
                 mark);
        if (value == "h") QVERIFY(driver.savePicture("fault-03-marks"));
    }

    void weightsInConstantsCanBeInspected() {
        WindowDriver driver;
        openText(driver, kWrittenWeights);
        if (QTest::currentTestFailed()) return;
        ModelPanel& panel = modelPanel(driver);
        driver.window().docks().show("inspector");
        selectMaker(driver, "h");
        panel.showValues(nullptr);  // the page of values
        selectMaker(driver, "y");
        QCOMPARE(panel.values()->name(), QString("w2"));
        // The row of a tensor in the inspector shows its values.
        selectMaker(driver, "h");
        QCOMPARE(panel.values()->name(), QString("w1"));
        selectMaker(driver, "s");
        QTreeWidgetItem* row = rowOf(driver, "b1");
        QVERIFY(row != nullptr);
        row->treeWidget()->setCurrentItem(row);
        QCOMPARE(panel.values()->name(), QString("b1"));
        QCOMPARE(panel.values()->tensor().numElements(), int64_t{4});
        QVERIFY(driver.savePicture("fault-03-values"));
    }

    /// A model that ONNX Runtime runs is shown, with a message about what is odd.
    void aModelThatDefinesANameTwiceIsShown_data() {
        QTest::addColumn<bool>("differs");
        QTest::newRow("the same values twice") << false;
        QTest::newRow("other values") << true;
    }
    void aModelThatDefinesANameTwiceIsShown() {
        QFETCH(bool, differs);
        WindowDriver driver;
        const QString path = driver.filePath("twice.onnx");
        saveModel(*parseText(kWrittenMean), path.toStdString());
        onnx::ModelProto model;
        {
            std::ifstream file(path.toStdString(), std::ios::binary);
            QVERIFY(model.ParseFromIstream(&file));
        }
        onnx::TensorProto again = model.graph().initializer(0);
        if (differs) again.mutable_raw_data()->at(3) ^= 1;
        *model.mutable_graph()->add_initializer() = again;
        {
            std::ofstream file(path.toStdString(), std::ios::binary);
            QVERIFY(model.SerializeToOstream(&file));
        }
        openModel(driver, path);
        if (QTest::currentTestFailed()) return;
        QCOMPARE(driver.project().model()->graph->nodeCount(), size_t{2});
        QVERIFY(modelPanel(driver).graph()->view()->drawing() != nullptr);
        const auto* table = driver.window().findChild<QTableView*>("problemTable");
        const auto* problems = qobject_cast<const ProblemModel*>(table->model());
        QStringList codes;
        for (int row = 0; row < problems->rowCount(); ++row)
            codes << QString::fromStdString(problems->problem(row).finding.code);
        QCOMPARE(codes.count("W006"), differs ? 1 : 0);
        driver.window().docks().show("problems");
        if (differs) QVERIFY(driver.savePicture("fault-10-twice"));
    }

    void aModelThatContradictsItselfIsShown_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("standIn");
        QTest::newRow("an undefined value") << "M001"
                                            << "Input 'z' of"
                                            << "Undefined";
        QTest::newRow("a value defined twice") << "M002"
                                               << "'c' is defined 2 times"
                                               << "Ambiguous";
        QTest::newRow("a cycle") << "M003"
                                 << "The graph has a cycle"
                                 << "Cycle";
    }
    void aModelThatContradictsItselfIsShown() {
        QFETCH(QString, code);
        QFETCH(QString, message);
        QFETCH(QString, standIn);
        WindowDriver driver;
        const QString path = driver.filePath("contradiction.onnx");
        onnx::ModelProto model;
        QVERIFY(model.ParseFromString(serializeModel(*parseText(kWrittenMean))));
        auto& nodes = *model.mutable_graph()->mutable_node();
        onnx::NodeProto& product = nodes.at(nodes.size() - 1);
        if (code == "M001") product.set_input(0, "z");
        if (code == "M002") *nodes.Add() = nodes.at(nodes.size() - 2);
        if (code == "M003") product.set_input(0, "y");
        {
            std::ofstream file(path.toStdString(), std::ios::binary);
            QVERIFY(model.SerializeToOstream(&file));
        }
        openModel(driver, path);
        if (QTest::currentTestFailed()) return;
        QVERIFY(modelPanel(driver).graph()->view()->drawing() != nullptr);
        const auto& graph = *driver.project().model()->graph;
        QVERIFY(std::ranges::any_of(graph.nodes(), [&](const Node* node) {
            return node->opType() == standIn.toStdString() && node->domain() == kFaultDomain;
        }));
        const auto* table = driver.window().findChild<QTableView*>("problemTable");
        const auto* problems = qobject_cast<const ProblemModel*>(table->model());
        QVERIFY(problems->rowCount() > 0);
        const Finding& first = problems->problem(0).finding;
        QCOMPARE(QString::fromStdString(first.code), code);
        QVERIFY2(first.message.find(message.toStdString()) != std::string::npos,
                 first.message.c_str());
        QVERIFY2(driver.message().contains(message), qPrintable(driver.message()));
        for (int row = 0; row < problems->rowCount(); ++row)
            QVERIFY(problems->problem(row).finding.code != "T001");
        if (code == "M002") QVERIFY(driver.savePicture("fault-10-ambiguous"));

        for (const ShownText& shown : shownTexts(driver.window()))
            QVERIFY2(!shown.text.contains(text(kFaultDomain)), qPrintable(shown.text));

        // No box claims to train.
        const OverlayData& marks = modelPanel(driver).graph()->view()->overlayData();
        QVERIFY(marks.trained.empty());

        // nothing is made from it
        QVERIFY(!driver.project().preparation()->artifacts);
        QVERIFY(!driver.project().isReadyToTrain());
        QCOMPARE(driver.window().work().training.start()->text(),
                 QString("The model contradicts itself"));
        for (const PanelInfo& panel : panels()) QVERIFY(driver.goTo(panel.id));
    }

    void aClickInTheGraphChoosesWhatTheLossReads_data() {
        QTest::addColumn<QString>("value");
        QTest::newRow("inside the model") << "h";
        QTest::newRow("behind an activation") << "r";
        QTest::newRow("the output") << "y";
    }
    void aClickInTheGraphChoosesWhatTheLossReads() {
        QFETCH(QString, value);
        WindowDriver driver;
        openText(driver, kWrittenWeights);
        if (QTest::currentTestFailed()) return;
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.loss = {"mse", {}};
        spec.artifacts.lossInputs = {"s"};
        driver.project().edit("loss", spec);
        const QString entry = "Let the loss read " + value;
        const int box = selectMaker(driver, value.toStdString());
        const QStringList entries = menuOf(driver, box, entry);
        QVERIFY2(entries.contains(entry), qPrintable(entries.join('|')));
        QCOMPARE(driver.project().spec().artifacts.lossInputs, std::vector{value.toStdString()});
        QCOMPARE(driver.window().findChild<QComboBox*>("prediction")->currentText(), value);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().isPreparing(), kPatienceMs);
        QCOMPARE(driver.project().preparation()->plan.loss.reads.predictions,
                 std::vector{value.toStdString()});
        // A formula names what it reads.
        spec.artifacts.loss = {"mse(y, target)", {}};
        driver.project().edit("formula", spec);
        QVERIFY(!menuOf(driver, box, {}).contains(entry));
    }
};

QTEST_MAIN(ModelPageTest)
#include "model_page_test.moc"
