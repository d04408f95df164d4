// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QComboBox>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include "tests/ui/graph_models.h"
#include "tests/ui/ui_fixture.h"
#include "tests/ui/window_driver.h"
#include "ui/graph_view/box_content.h"
#include "ui/graph_view/breadcrumb.h"
#include "ui/graph_view/graph_pane.h"
#include "ui/graph_view/legend_view.h"
#include "ui/graph_view/search_bar.h"
#include "ui/tasks/task_runner.h"
#include "ui/theme/theme.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 60'000;

/// The pane without the window, with keys and menus as a person uses them.
class PaneDriver {
public:
    explicit PaneDriver(std::shared_ptr<const Graph> graph)
        : pane_(tasks_, std::make_shared<const OpSet>(standardOps())) {
        pane_.resize(1000, 700);
        pane_.show();
        pane_.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&pane_));
        pane_.setGraph(std::move(graph));
        settle();
    }
    GraphPane& pane() { return pane_; }
    GraphView& view() { return *pane_.view(); }
    void settle() {
        QVERIFY(QTest::qWaitFor([this] { return !tasks_.isBusy(); }, kPatienceMs));
        QCoreApplication::processEvents();
    }
    int node(const std::string& name) { return pane_.document()->nodeNamed(name); }
    void select(const std::string& name) {
        pane_.showNode(name);
        settle();
    }
    std::string selected() {
        const GraphBox* box = view().selected();
        return box == nullptr || box->node < 0 ? std::string()
                                               : pane_.document()->node(box->node).name();
    }
    void press(Qt::Key key) {
        QTest::keyClick(&view(), key);
        settle();
    }
    /// Opens the menu of the selection and triggers the entry with this beginning.
    bool choose(const QString& entry) {
        bool found = false;
        QTimer::singleShot(0, &pane_, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (menu == nullptr) return;
            for (QAction* action : menu->actions())
                if (!found && action->text().startsWith(entry) && action->isEnabled()) {
                    found = true;
                    action->trigger();
                }
            menu->close();
        });
        emit view().menuRequested(view().selectedBox(), pane_.mapToGlobal(QPoint(20, 20)));
        settle();
        return found;
    }

private:
    TaskRunner tasks_;
    GraphPane pane_;
};

}  // namespace

class GraphPaneTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light, QApplication::palette()); }

    void keysWalkAlongEdgesAndOpenGroups() {
        PaneDriver driver(encoderModel(2));
        driver.select("/encoder/layer.0/mlp/act/Relu");
        driver.press(Qt::Key_Down);
        QCOMPARE(driver.selected(), std::string("/encoder/layer.0/mlp/act/Mul"));
        driver.press(Qt::Key_Up);
        QCOMPARE(driver.selected(), std::string("/encoder/layer.0/mlp/act/Relu"));
        const size_t before = driver.view().drawing()->boxes.size();
        driver.press(Qt::Key_Backspace);
        QCOMPARE(driver.view().selected()->title, QString("act"));
        QVERIFY(!driver.view().selected()->open);
        QCOMPARE(driver.view().drawing()->boxes.size(), before - 2);
        driver.press(Qt::Key_Return);
        QVERIFY(driver.view().selected()->open);
        QCOMPARE(driver.view().drawing()->boxes.size(), before);
    }

    void sideKeysGoToNeighboursOfTheSameLayer() {
        PaneDriver driver(encoderModel(1));
        driver.select("/encoder/layer.0/attention/query/MatMul");
        const QRectF from = driver.view().selected()->rect;
        driver.press(Qt::Key_Backspace);
        const QString group = driver.view().selected()->title;
        QTest::keyClick(&driver.view(), Qt::Key_Right);
        QVERIFY(driver.view().selected()->title != group || from.isEmpty());
    }

    void anOpenedGroupStaysWhereItIs() {
        PaneDriver driver(encoderModel(30));
        driver.select("/encoder/layer.7/mlp/act/Relu");
        driver.press(Qt::Key_Backspace);
        const QPointF before(driver.view().boxRect(driver.view().selectedBox()).center().x(),
                             driver.view().boxRect(driver.view().selectedBox()).top());
        driver.press(Qt::Key_Return);
        const QRect now = driver.view().boxRect(driver.view().selectedBox());
        QVERIFY((QPointF(now.center().x(), now.top()) - before).manhattanLength() <= 3);
    }

    void aDoubleClickOpensAGroup() {
        PaneDriver driver(encoderModel(30));
        driver.select("/encoder/layer.7/mlp/act/Relu");
        driver.press(Qt::Key_Backspace);
        const int box = driver.view().selectedBox();
        QSignalSpy drawn(&driver.pane(), &GraphPane::drawn);
        QTest::mouseDClick(&driver.view(), Qt::LeftButton, {}, driver.view().boxRect(box).center());
        driver.settle();
        QCOMPARE(drawn.size(), 1);
        QVERIFY(driver.view().selected()->open);
    }

    void theBreadcrumbNamesTheGroupsAround() {
        PaneDriver driver(encoderModel(1));
        driver.select("/encoder/layer.0/mlp/act/Relu");
        QStringList names;
        for (const auto& crumb : driver.pane().breadcrumb()->path()) names << crumb.name;
        QCOMPARE(names.front(), QString("Model"));
        QCOMPARE(names.back(), QString("act"));
        QVERIFY(names.contains("mlp"));
        const auto buttons = driver.pane().breadcrumb()->findChildren<QToolButton*>();
        QTest::mouseClick(buttons[buttons.size() - 2], Qt::LeftButton);
        QCOMPARE(driver.view().selected()->title, QString("mlp"));
    }

    void searchFindsJumpsAndContinues() {
        PaneDriver driver(encoderModel(30));
        QTest::keyClick(&driver.view(), Qt::Key_F, Qt::ControlModifier);
        auto* edit = driver.pane().findChild<QLineEdit*>("graphSearch");
        QVERIFY(edit->isVisible());
        QTest::keyClicks(edit, "op:Relu name:layer.1");
        driver.settle();
        // layer.1 and layer.10 to layer.19.
        QCOMPARE(driver.pane().search()->hits().rowCount(), 11);
        QTest::keyClick(edit, Qt::Key_Return);
        driver.settle();
        QCOMPARE(driver.selected(), std::string("/encoder/layer.1/mlp/act/Relu"));
        QVERIFY(
            driver.view().rect().intersects(driver.view().boxRect(driver.view().selectedBox())));
        QTest::keyClick(edit, Qt::Key_F3);
        driver.settle();
        QCOMPARE(driver.selected(), std::string("/encoder/layer.10/mlp/act/Relu"));
        QTest::keyClick(edit, Qt::Key_F3, Qt::ShiftModifier);
        driver.settle();
        QCOMPARE(driver.selected(), std::string("/encoder/layer.1/mlp/act/Relu"));
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!edit->isVisible());
        QVERIFY(driver.view().hasFocus());
    }

    void goToTakesNamesAndNumbers() {
        PaneDriver driver(encoderModel(3));
        auto* edit = driver.pane().findChild<QLineEdit*>("graphSearch");
        for (const QString wanted : {"/encoder/layer.2/Add", "12"}) {
            QTest::keyClick(&driver.view(), Qt::Key_G, Qt::ControlModifier);
            QTest::keyClicks(edit, wanted);
            driver.settle();
            QTest::keyClick(edit, Qt::Key_Return);
            driver.settle();
            QVERIFY(!edit->isVisible());
            QCOMPARE(driver.selected(), wanted == "12" ? driver.pane().document()->node(12).name()
                                                       : wanted.toStdString());
        }
    }

    void aBadgeShowsShapeOperations() {
        PaneDriver driver(encoderModel(1));
        driver.select("/encoder/layer.0/attention/Reshape");
        const GraphBox box = *driver.view().selected();
        QCOMPARE(box.shapeNodes, 3);
        QVERIFY(driver.view().describe(driver.view().selectedBox()).contains("3"));
        const QPointF badge = linesOf(box, driver.view().drawing()->metrics).badge.center();
        QTest::mouseClick(&driver.view(), Qt::LeftButton, {},
                          driver.view().toWidget(badge).toPoint());
        driver.settle();
        QVERIFY(driver.view().drawing()->boxOfNode(
                    driver.node("/encoder/layer.0/attention/Shape")) >= 0);
        QVERIFY(driver.choose("Hide shape operations"));
        QVERIFY(driver.view().drawing()->boxOfNode(
                    driver.node("/encoder/layer.0/attention/Shape")) < 0);
    }

    void switchesChangeTheDrawing_data() {
        QTest::addColumn<int>("key");
        QTest::newRow("attributes") << int(Qt::Key_D);
        QTest::newRow("weights") << int(Qt::Key_I);
        QTest::newRow("names") << int(Qt::Key_U);
        QTest::newRow("direction") << int(Qt::Key_K);
    }
    void switchesChangeTheDrawing() {
        QFETCH(int, key);
        PaneDriver driver(smallModel()->graph);
        const GraphFold before = driver.pane().fold();
        driver.view().setFocus();
        QTest::keyClick(&driver.view(), static_cast<Qt::Key>(key), Qt::ControlModifier);
        driver.settle();
        QVERIFY(driver.pane().fold() != before);
        QVERIFY(driver.view().drawing()->fold == driver.pane().fold());
        QTest::keyClick(&driver.view(), static_cast<Qt::Key>(key), Qt::ControlModifier);
        driver.settle();
        QVERIFY(driver.pane().fold() == before);
    }

    void zoomKeysZoom() {
        PaneDriver driver(smallModel()->graph);
        driver.view().setFocus();
        QTest::keyClick(&driver.view(), Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(driver.view().zoom(), 1.0);
        QTest::keyClick(&driver.view(), Qt::Key_Plus, Qt::ControlModifier);
        QCOMPARE(driver.view().zoom(), 1.25);
        QTest::keyClick(&driver.view(), Qt::Key_Minus, Qt::ControlModifier);
        QCOMPARE(driver.view().zoom(), 1.0);
        QTest::keyClick(&driver.view(), Qt::Key_0, Qt::ControlModifier);
        QVERIFY(driver.view().visibleScene().contains(driver.view().drawing()->bounds));
    }

    void theMenuFreezesAndTrains() {
        PaneDriver driver(smallModel()->graph);
        const std::set<std::string> all{"fc1.weight", "fc1.bias",   "bn.weight",
                                        "bn.bias",    "fc2.weight", "fc2.bias"};
        driver.pane().setTraining(all, all, {});
        QSignalSpy frozen(&driver.pane(), &GraphPane::freezeRequested);
        QSignalSpy trained(&driver.pane(), &GraphPane::trainRequested);
        driver.select("/fc2/Gemm");
        QVERIFY(driver.choose("Freeze everything before this"));
        QCOMPARE(frozen.size(), 1);
        QCOMPARE(frozen.front().at(1).value<std::set<std::string>>(),
                 (std::set<std::string>{"fc1.weight", "fc1.bias", "bn.weight", "bn.bias"}));
        driver.select("/bn/BatchNormalization");
        QVERIFY(driver.choose("Train everything from here"));
        QCOMPARE(trained.front().at(1).value<std::set<std::string>>(),
                 (std::set<std::string>{"bn.weight", "bn.bias", "fc2.weight", "fc2.bias"}));
        QSignalSpy way(&driver.pane(), &GraphPane::gradientWayRequested);
        QVERIFY(driver.choose("Gradient path to bn.weight"));
        QCOMPARE(way.size(), 1);
        QSignalSpy table(&driver.pane(), &GraphPane::tableRequested);
        QVERIFY(driver.choose("Show in table"));
        QCOMPARE(table.size(), 1);
        QVERIFY(driver.choose("Copy name"));
    }

    void spaceFreezesAndTrainsWhatIsChosen() {
        PaneDriver driver(smallModel()->graph);
        const std::set<std::string> all{"fc1.weight", "fc1.bias",   "bn.weight",
                                        "bn.bias",    "fc2.weight", "fc2.bias"};
        driver.pane().setTraining(all, all, {});
        QSignalSpy frozen(&driver.pane(), &GraphPane::freezeRequested);
        QSignalSpy trained(&driver.pane(), &GraphPane::trainRequested);
        const auto names = [](const QSignalSpy& spy) {
            return spy.back().at(1).value<std::set<std::string>>();
        };
        driver.pane().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&driver.pane()));
        driver.view().setFocus();
        driver.select("/fc2/Gemm");
        QTest::keyClick(&driver.view(), Qt::Key_Space);
        QCOMPARE(frozen.size(), 1);
        QCOMPARE(names(frozen), (std::set<std::string>{"fc2.weight", "fc2.bias"}));
        driver.select("/bn/BatchNormalization");
        QTest::keyClick(&driver.view(), Qt::Key_Space, Qt::ShiftModifier);
        QCOMPARE(frozen.size(), 2);
        QCOMPARE(names(frozen),
                 (std::set<std::string>{"fc1.weight", "fc1.bias", "bn.weight", "bn.bias"}));
        // If one of them is frozen, all train.
        driver.pane().setTraining(all, {"fc1.weight", "fc2.bias"}, {});
        QTest::keyClick(&driver.view(), Qt::Key_Space, Qt::ShiftModifier);
        QCOMPARE(trained.size(), 1);
        QCOMPARE(names(trained),
                 (std::set<std::string>{"fc1.weight", "fc1.bias", "bn.weight", "bn.bias"}));
        driver.select("/fc2/Gemm");
        QTest::keyClick(&driver.view(), Qt::Key_Space);
        QCOMPARE(names(trained), (std::set<std::string>{"fc2.weight", "fc2.bias"}));
        QCOMPARE(frozen.size(), 2);
    }

    void pathsBetweenNodesAreShown() {
        PaneDriver driver(encoderModel(1));
        driver.select("/encoder/layer.0/mlp/fc1/MatMul");
        QVERIFY(driver.choose("Path from here"));
        driver.select("/encoder/layer.0/mlp/fc2/Add");
        QVERIFY(driver.choose("Path to here"));
        std::set<int> expected;
        for (const char* name :
             {"fc1/MatMul", "fc1/Add", "act/Relu", "act/Mul", "fc2/MatMul", "fc2/Add"})
            expected.insert(driver.node("/encoder/layer.0/mlp/" + std::string(name)));
        QVERIFY(driver.view().path() == expected);
        QVERIFY(driver.choose("Clear the path"));
        QVERIFY(driver.view().path().empty());
    }

    void overlaysAreChosenAndExplained() {
        PaneDriver driver(smallModel()->graph);
        auto* chooser = driver.pane().findChild<QComboBox*>("graphOverlay");
        const size_t operators = driver.view().legend().size();
        chooser->setCurrentIndex(chooser->findData(int(OverlayKind::Heat)));
        QCOMPARE(driver.view().legend().size(), size_t{1});
        driver.pane().setHeat({{"fc1.weight", 1.0}, {"fc2.weight", 3.0}});
        QCOMPARE(driver.view().legend().size(), size_t{5});
        QCOMPARE(driver.view().legend().back().text, QString("3"));
        driver.pane().setOverlay(OverlayKind::WeightNorm);
        driver.settle();
        driver.pane().setOverlay(OverlayKind::Operators);
        QCOMPARE(driver.view().legend().size(), operators);
        QCOMPARE(chooser->currentData().toInt(), int(OverlayKind::Operators));
    }

    void theLegendCoversNoBox_data() {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("width");
        QTest::newRow("a wide graph") << 3 << 8;
        QTest::newRow("a square graph") << 5 << 6;
        QTest::newRow("as high as the view") << 6 << 5;
        QTest::newRow("a tall graph") << 20 << 2;
    }
    /// With everything shown.
    void theLegendCoversNoBox() {
        QFETCH(int, layers);
        QFETCH(int, width);
        PaneDriver driver(wideModel(layers, width, 3));
        driver.view().fit();
        const auto* legend = driver.view().findChild<LegendView*>();
        QVERIFY(legend->isVisible());
        const auto count = static_cast<int>(driver.view().drawing()->boxes.size());
        for (int box = 0; box < count; ++box) {
            const QRect rect = driver.view().boxRect(box);
            QVERIFY2(!rect.intersects(legend->geometry()), qPrintable(QString::number(box)));
            QVERIFY(driver.view().rect().contains(rect));
        }
        if (layers == 6) QVERIFY(driver.pane().grab().save(pictureFile("fault-13-legend")));
    }

    void screenReadersSeeTheBoxes() {
        PaneDriver driver(smallModel()->graph);
        QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&driver.view());
        QVERIFY(canvas != nullptr);
        QCOMPARE(canvas->role(), QAccessible::List);
        const int widgets =
            canvas->childCount() - static_cast<int>(driver.view().drawing()->boxes.size());
        QAccessibleInterface* gemm = canvas->child(widgets + 1);
        QVERIFY(gemm != nullptr && gemm->isValid());
        QVERIFY(gemm->text(QAccessible::Name).startsWith("Gemm"));
        QVERIFY(gemm->text(QAccessible::Name).contains("/fc1/Gemm"));
        QCOMPARE(gemm->parent(), canvas);
        QCOMPARE(canvas->indexOfChild(gemm), widgets + 1);
        QVERIFY(!gemm->state().selected);
        gemm->actionInterface()->doAction(QAccessibleActionInterface::setFocusAction());
        QVERIFY(gemm->state().selected);
        QCOMPARE(driver.selected(), std::string("/fc1/Gemm"));
    }

    void picturesAreSaved() {
        QTemporaryDir folder;
        PaneDriver driver(smallModel()->graph);
        driver.pane().savePicture(folder.filePath("graph.svg"));
        driver.pane().savePicture(folder.filePath("graph.png"));
        driver.settle();
        QFile svg(folder.filePath("graph.svg"));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        QVERIFY(svg.readAll().contains("BatchNormalization"));
        const QImage png(folder.filePath("graph.png"));
        QVERIFY(png.width() > driver.view().drawing()->bounds.width());
        QSignalSpy problem(&driver.pane(), &GraphPane::problemFound);
        driver.pane().savePicture(folder.filePath("graph.gif"));
        driver.settle();
        QCOMPARE(problem.size(), 1);
    }

    void anotherGraphReplacesIt() {
        PaneDriver driver(encoderModel(3));
        driver.select("/encoder/layer.1/Add");
        driver.pane().setGraph(smallModel()->graph);
        driver.settle();
        QCOMPARE(driver.view().selectedBox(), -1);
        QCOMPARE(driver.pane().document()->nodeCount(), 4);
        driver.pane().setGraph(nullptr);
        QVERIFY(driver.view().drawing() == nullptr);
        QTest::keyClick(&driver.view(), Qt::Key_Down);
        QTest::keyClick(&driver.view(), Qt::Key_Return);
    }
};

QTEST_MAIN(GraphPaneTest)
#include "graph_pane_test.moc"
