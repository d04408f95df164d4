// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QElapsedTimer>
#include <QTabWidget>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "engine/onnx/model_file.h"
#include "engine/onnx/proto.h"
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

/// `layers` layers; one weight is a file of `bytes` beside the model: more than protobuf can hold.
/// Nothing was ever written to that file, so it takes no space on the disk.
void saveHugeModel(const std::filesystem::path& path, int layers, int64_t bytes) {
    onnx::ModelProto proto;
    proto.ParseFromString(serializeModel(*deepModel(layers)));
    const int64_t rows = bytes / static_cast<int64_t>(8 * sizeof(float));
    onnx::TensorProto& table = *proto.mutable_graph()->add_initializer();
    table.set_name("table");
    table.set_data_type(onnx::TensorProto::FLOAT);
    table.add_dims(rows);
    table.add_dims(8);
    table.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"location", "table.data"},
                                     {"length", std::to_string(bytes)}}) {
        onnx::StringStringEntryProto& entry = *table.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
    }
    onnx::ValueInfoProto& tokens = *proto.mutable_graph()->mutable_input(0);
    const std::string rowsOfTable = tokens.name();
    tokens.set_name("tokens");
    onnx::TypeProto::Tensor& type = *tokens.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::INT64);
    type.mutable_shape()->mutable_dim()->RemoveLast();
    onnx::NodeProto lookUp;
    lookUp.set_op_type("Gather");
    lookUp.set_name("/embedding/Gather");
    lookUp.add_input("table");
    lookUp.add_input("tokens");
    lookUp.add_output(rowsOfTable);
    *proto.mutable_graph()->add_node() = lookUp;
    auto& nodes = *proto.mutable_graph()->mutable_node();
    for (int i = nodes.size() - 1; i > 0; --i) nodes.SwapElements(i, i - 1);
    std::ofstream(path, std::ios::binary) << proto.SerializeAsString();
    const std::filesystem::path data = path.parent_path() / "table.data";
    std::ofstream(data, std::ios::binary).close();
    std::filesystem::resize_file(data, static_cast<uintmax_t>(bytes));
}

}  // namespace

/// Opening, viewing and choosing keep the GUI thread free, however large the model is.
class LargeModelsTest : public QObject {
    Q_OBJECT

private slots:
    void theWindowStaysResponsive_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("3,000 nodes") << QString();
        // Sanitizers use several times the memory.
        if (kSlowdown == 1) QTest::newRow("2.2 GB") << QString();
        for (const char* name : {"lenet", "resnet", "mobilenet"}) {
            const QDir folder(QStringLiteral(TEMPER_CONFORMANCE_DIR "/torch/%1").arg(name));
            for (const QFileInfo& file : folder.entryInfoList({"*.onnx"}, QDir::Files))
                QTest::newRow(qPrintable(file.fileName() + " of " + name)) << file.filePath();
        }
    }
    void theWindowStaysResponsive() {
        QFETCH(QString, path);
        QVERIFY2(answersInTime([&](double& longest) { openAndLookAround(path, longest); }),
                 "a block of each window, printed above");
    }

private:
    /// `longestBlockMs`: the longest time for which the window did not answer.
    void openAndLookAround(QString path, double& longestBlockMs) {
        WindowDriver driver;
        QVERIFY(QTest::qWaitForWindowExposed(&driver.window()));
        const bool huge = QTest::currentDataTag() == QByteArray("2.2 GB");
        if (path.isEmpty()) {
            path = driver.filePath("deep.onnx");
            if (huge)
                saveHugeModel(path.toStdString(), 4, 2'200'000'000);
            else
                saveModel(*deepModel(1000), path.toStdString());
        }
        GuiMonitor monitor;
        QElapsedTimer clock;
        clock.start();
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().model() != nullptr, kPatienceMs);
        auto* view = driver.window().findChild<GraphView*>();
        QTRY_VERIFY_WITH_TIMEOUT(view->drawing() != nullptr, kPatienceMs);
        qInfo("the graph is there after %lld ms", clock.elapsed());
        QTRY_VERIFY_WITH_TIMEOUT(!driver.project().tasks()->isBusy(), kPatienceMs);
        for (QTabWidget* tabs :
             driver.window().pages().page("model")->findChildren<QTabWidget*>()) {
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
        // Beside other work they are slower than the window.
        QTRY_VERIFY_WITH_TIMEOUT(monitor.beats() > 20, kPatienceMs);
        qInfo("longest block %.1f ms, on the clock %.1f ms", monitor.longestBlockMs(),
              monitor.longestWallMs());
        longestBlockMs = monitor.longestBlockMs();
    }

    /// Layout and painting of what has just been shown, as parts of the event loop.
    static void settle() {
        for (int i = 0; i < 5; ++i) QCoreApplication::processEvents();
    }
};

QTEST_MAIN(LargeModelsTest)
#include "large_models_test.moc"
