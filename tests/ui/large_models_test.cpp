// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QTabWidget>
#include <QTest>

#include "engine/onnx/model_file.h"
#include "tests/ui/gui_monitor.h"
#include "tests/ui/window_driver.h"
#include "ui/graph_view/graph_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

/// `layers` times MatMul, Add and Relu on rows of eight numbers.
std::unique_ptr<Graph> deepModel(int layers) {
    auto graph = std::make_unique<Graph>();
    graph->info().opsetImports[""] = 15;
    Value* x = graph->addInput(
        "x", {DType::Float32, SymbolicShape{Dim::named("batch"), Dim::of(8)}, false});
    const auto add = [&](const std::string& op, std::vector<Value*> inputs, int layer) {
        const std::string name = "/layer" + std::to_string(layer) + "/" + op;
        graph->addNode({.opType = op,
                        .inputs = std::move(inputs),
                        .outputs = {name + "_output"},
                        .name = name});
        return graph->at(name + "_output");
    };
    for (int layer = 0; layer < layers; ++layer) {
        const std::string scope = "layer" + std::to_string(layer);
        x = add("MatMul",
                {x, graph->addInitializer(scope + ".weight", Tensor(DType::Float32, {8, 8}))},
                layer);
        x = add("Add", {x, graph->addInitializer(scope + ".bias", Tensor(DType::Float32, {8}))},
                layer);
        x = add("Relu", {x}, layer);
    }
    graph->addOutput(x);
    return graph;
}

}  // namespace

/// Opening, looking and choosing keep the GUI thread free, however large the model is.
class LargeModelsTest : public QObject {
    Q_OBJECT

private slots:
    void theWindowStaysResponsive_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("3,000 nodes") << QString();
        for (const char* name : {"lenet", "resnet", "mobilenet"}) {
            const QDir folder(QStringLiteral(TEMPER_SHARED_DIR "/conformance/torch/%1").arg(name));
            for (const QFileInfo& file : folder.entryInfoList({"*.onnx"}, QDir::Files))
                QTest::newRow(qPrintable(file.fileName() + " of " + name)) << file.filePath();
        }
    }
    void theWindowStaysResponsive() {
        QFETCH(QString, path);
        WindowDriver driver;
        QVERIFY(QTest::qWaitForWindowExposed(&driver.window()));
        if (path.isEmpty()) {
            path = driver.filePath("deep.onnx");
            saveModel(*deepModel(1000), path.toStdString());
        }
        GuiMonitor monitor;
        driver.window().openPath(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        auto* view = driver.window().findChild<GraphView*>();
        QTRY_VERIFY_WITH_TIMEOUT(view->drawing() != nullptr, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        for (QTabWidget* tabs : driver.window().page("model")->findChildren<QTabWidget*>()) {
            for (int tab = 0; tab < tabs->count(); ++tab) {
                tabs->setCurrentIndex(tab);
                settle();
            }
        }
        view->zoomIn();
        settle();
        view->fit();
        settle();
        for (const PanelInfo& panel : panels()) {
            QVERIFY(driver.goTo(panel.id));
            settle();
        }
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        qInfo("longest block %.1f ms, on the clock %.1f ms", monitor.longestBlockMs(),
              monitor.longestWallMs());
        QVERIFY(monitor.beats() > 20);
        QVERIFY2(monitor.longestBlockMs() < kLongestBlockMs,
                 qPrintable(QString::number(monitor.longestBlockMs())));
    }

private:
    /// Layout and painting of what was just shown, as parts of the event loop.
    static void settle() {
        for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    }
};

QTEST_MAIN(LargeModelsTest)
#include "large_models_test.moc"
