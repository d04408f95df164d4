// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QLineEdit>
#include <QTest>

#include "tests/ui/window_driver.h"
#include "ui/graph_view/graph_pane.h"
#include "ui/graph_view/search_bar.h"
#include "ui/panels/model/model_panel.h"
#include "ui/tensor_view/tensor_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

}  // namespace

/// The graph and the contents of its tensors, in both themes; the test runs at 100 % and at 200 %.
class GraphScreensTest : public QObject {
    Q_OBJECT

private slots:
    void theGraphIsPainted_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"transformer", "resnet", "unet"})
            QTest::newRow(model) << QString(model);
    }
    void theGraphIsPainted() {
        QFETCH(QString, model);
        const QString path =
            QStringLiteral(TEMPER_CONFORMANCE_DIR "/torch/%1/model.onnx").arg(model);
        WindowDriver driver;
        ModelPanel& panel = *qobject_cast<ModelPanel*>(driver.window().pages().page("model"));
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(panel.graph()->view()->drawing() != nullptr, kPatienceMs);
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            paintGraph(driver, panel, model + '-' + themeKey(mode));
        }
        driver.window().appearance().setTheme(ThemeMode::Light);
    }

    /// With the badge, the legend and editable names.
    void stopsAreShown() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        QVERIFY(driver.goTo("model"));
        GraphPane& pane =
            *qobject_cast<ModelPanel*>(driver.window().pages().page("model"))->graph();
        const auto isDrawn = [&] { return pane.view()->drawing() != nullptr; };
        QVERIFY(QTest::qWaitFor(isDrawn, kPatienceMs));
        const auto nodes = driver.project().model()->graph->topologicalOrder();
        TrainingSpec spec = driver.project().spec();
        spec.artifacts.stopGradient = {nodes[nodes.size() / 2]->output(0)->name()};
        driver.project().edit("stop", spec);
        settle(driver);
        pane.setOverlay(OverlayKind::Training);
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            save(driver, QStringLiteral("model-stop-") + themeKey(mode));
        }
        driver.window().appearance().setTheme(ThemeMode::Light);
    }

    void tensorsArePainted() {
        WindowDriver driver;
        QVERIFY(driver.openLesson("digits"));
        ModelPanel& panel = *qobject_cast<ModelPanel*>(driver.window().pages().page("model"));
        QVERIFY(driver.goTo("model"));
        const Graph& graph = *driver.project().model()->graph;
        const Value* kernel = nullptr;
        for (const Value* value : graph.initializers())
            if (value->constant().rank() == 4) kernel = value;
        QVERIFY(kernel != nullptr);
        panel.showValues(kernel);
        const std::pair<TensorView::Page, QString> pages[] = {
            {TensorView::Statistics, "statistics"},
            {TensorView::HeatMap, "heat-map"},
            {TensorView::Kernels, "kernels"},
            {TensorView::Values, "values"}};
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            driver.window().appearance().setTheme(mode);
            for (const auto& [page, name] : pages) {
                panel.values()->showPage(page);
                save(driver, "tensor-" + name + '-' + themeKey(mode));
            }
        }
        driver.window().appearance().setTheme(ThemeMode::Light);
    }

private:
    void paintGraph(WindowDriver& driver, ModelPanel& panel, const QString& name) {
        GraphPane& pane = *panel.graph();
        pane.setOverlay(OverlayKind::Operators);
        const GraphFold first = pane.fold();
        save(driver, "graph-" + name);
        GraphFold fold = first;
        fold.attributes = fold.weights = fold.names = true;
        pane.setFold(fold);
        save(driver, "graph-" + name + "-details");
        fold = first;
        fold.horizontal = true;
        pane.setFold(fold);
        settle(driver);
        pane.openAllGroups();
        pane.setOverlay(OverlayKind::Training);
        save(driver, "graph-" + name + "-open");
        pane.setFold(first);
        pane.setOverlay(OverlayKind::WeightNorm);
        settle(driver);
        pane.view()->fit();
        save(driver, "graph-" + name + "-norms");
        showSearchAndWay(driver, pane);
        save(driver, "graph-" + name + "-search");
        pane.search()->close();
        pane.clearWay();
    }

    void showSearchAndWay(WindowDriver& driver, GraphPane& pane) {
        pane.setOverlay(OverlayKind::None);
        for (int node = 0; node < pane.document()->nodeCount(); ++node) {
            const auto& parameters = pane.document()->parametersOf(node);
            if (parameters.empty()) continue;
            emit pane.gradientWayRequested(parameters.front());
            pane.showNode(node);
            break;
        }
        settle(driver);
        pane.search()->open(SearchBar::Mode::Find);
        pane.findChild<QLineEdit*>(QStringLiteral("graphSearch"))->setText("add");
    }

    void settle(WindowDriver& driver) {
        QVERIFY(QTest::qWaitFor([&] { return !driver.project().tasks()->isBusy(); }, kPatienceMs));
        for (int i = 0; i < 3; ++i) QCoreApplication::processEvents();
    }

    void save(WindowDriver& driver, const QString& name) {
        settle(driver);
        const QString path = pictureFile(name);
        QVERIFY2(driver.window().grab().save(path), qPrintable(path));
    }
};

QTEST_MAIN(GraphScreensTest)
#include "graph_screens_test.moc"
