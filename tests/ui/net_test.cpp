// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <cmath>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "tests/ui/window_driver.h"
#include "ui/document/studio_project.h"
#include "ui/panels/train/net/net_canvas.h"
#include "ui/panels/train/net/net_follower.h"
#include "ui/panels/train/net/net_view.h"
#include "ui/run/run_model.h"
#include "ui/tensor_view/value_colors.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

/// Weight [units, inputs] and bias of one layer of the lesson "spirals".
struct Layer {
    Tensor weight, bias;
};

std::vector<Layer> layersOf(const CheckpointState& state) {
    std::vector<Layer> layers;
    for (const Parameter& parameter : state.parameters()) {
        if (parameter.data.rank() == 2) {
            layers.push_back({parameter.data, {}});
        } else {
            layers.back().bias = parameter.data;
        }
    }
    return layers;
}

/// What the units of the layer `which` give at a point, written out: Tanh after all but the last.
std::vector<double> byHand(const std::vector<Layer>& layers, size_t which, double x, double y) {
    std::vector<double> values = {x, y};
    for (size_t layer = 0; layer <= which; ++layer) {
        std::vector<double> next;
        for (int64_t unit = 0; unit < layers[layer].weight.shape()[0]; ++unit) {
            const auto row = static_cast<size_t>(unit);
            double sum = double{layers[layer].bias.values<float>()[row]};
            for (size_t from = 0; from < values.size(); ++from)
                sum += values[from] *
                       double{layers[layer].weight.values<float>()[row * values.size() + from]};
            next.push_back(layer + 1 == layers.size() ? sum : std::tanh(sum));
        }
        values = std::move(next);
    }
    return values;
}

}  // namespace

/// The net of a small model: what its units respond to, and how it is changed in place.
class NetTest : public QObject {
    Q_OBJECT

private slots:
    void smallNetsAreOffered_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<int>("picture");
        QTest::addColumn<int>("inputs");
        QTest::newRow("a curve") << "sine" << int(ResponsePicture::Curve) << 1;
        QTest::newRow("a plane") << "spirals" << int(ResponsePicture::Plane) << 2;
        QTest::newRow("four features") << "iris" << int(ResponsePicture::Profile) << 4;
        QTest::newRow("pictures") << "digits" << int(ResponsePicture::Image) << 1;
    }

    void smallNetsAreOffered() {
        QFETCH(QString, lesson);
        QFETCH(int, picture);
        QFETCH(int, inputs);
        WindowDriver driver;
        QVERIFY(openNet(driver, lesson));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        QCOMPARE(int(latest(driver)->data->picture), picture);
        QCOMPARE(int(latest(driver)->inputs.size()), inputs);
        QVERIFY(!driver.window().findChild<QLabel*>("netLegend")->text().isEmpty());
        const NetCanvas& canvas = *view(driver).canvas();
        for (size_t layer = 0; layer < latest(driver)->layers.size(); ++layer)
            for (size_t unit = 0; unit < latest(driver)->layers[layer].units.size(); ++unit)
                QVERIFY(QRectF(canvas.rect())
                            .contains(
                                canvas.unitRect(static_cast<int>(layer), static_cast<int>(unit))));
    }

    void tilesShowWhatTheUnitsGive() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        compareByHand(*latest(driver),
                      CheckpointState(driver.project().preparation()->artifacts->checkpoint));
    }

    /// Images come with the numbers, from the thread that computes these.
    void imagesHaveColoursOfTheTheme() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        const auto areOf = [&driver](const Colors& colors) {
            const NetTile& tile = latest(driver)->layers.front().units.front();
            const double largest = double{tile.largest()};
            for (int at = 0; at < tile.columns; ++at)
                if (tile.image.pixel(at, 1) !=
                    valueColor(double{tile.values[static_cast<size_t>(tile.columns + at)]}, largest,
                               colors))
                    return false;
            return true;
        };
        QVERIFY(areOf(lightColors()));
        driver.window().appearance().setTheme(ThemeMode::Dark);
        QTRY_VERIFY_WITH_TIMEOUT(areOf(darkColors()), kPatienceMs);
        driver.window().appearance().setTheme(ThemeMode::Light);
    }

    void tilesFollowTraining() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        setSteps(driver, 60);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) && latest(driver)->step == 60, kPatienceMs);
        std::shared_ptr<CheckpointState> state;
        driver.window().work().controller.withSession(
            "no session",
            [](TrainingSession& session) {
                return std::make_shared<CheckpointState>(session.state().toFile(false));
            },
            [&state](std::shared_ptr<CheckpointState> copy) { state = std::move(copy); }, {});
        QTRY_VERIFY_WITH_TIMEOUT(state != nullptr, kPatienceMs);
        compareByHand(*latest(driver), *state);
    }

    void unitsAreAddedAndRemoved() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        const std::vector<int64_t> before = units(driver);
        std::vector<int64_t> expected = before;
        press(driver, "netUnits1", "more");
        expected[0] += 1;
        QTRY_COMPARE_WITH_TIMEOUT(units(driver), expected, kPatienceMs);
        QCOMPARE(*driver.project().spec().hiddenUnits, expected);
        QTRY_COMPARE_WITH_TIMEOUT(drawn(driver), expected, kPatienceMs);
        QVERIFY(view(driver).isVisible());
        press(driver, "netUnits1", "less");
        QTRY_COMPARE_WITH_TIMEOUT(units(driver), before, kPatienceMs);
        QVERIFY(!driver.project().spec().hiddenUnits);
        driver.project().undoStack()->undo();
        QTRY_COMPARE_WITH_TIMEOUT(units(driver), expected, kPatienceMs);
    }

    void layersAreAddedAndRemovedDownToNone() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        std::vector<int64_t> expected = units(driver);
        press(driver, "netLayers", "more");
        expected.push_back(expected.back());
        QTRY_COMPARE_WITH_TIMEOUT(drawn(driver), expected, kPatienceMs);
        while (!expected.empty()) {
            press(driver, "netLayers", "less");
            expected.pop_back();
            QTRY_COMPARE_WITH_TIMEOUT(drawn(driver), expected, kPatienceMs);
        }
        QVERIFY(!button(driver, "netLayers", "less")->isEnabled());
        press(driver, "netLayers", "more");
        QTRY_COMPARE_WITH_TIMEOUT(drawn(driver), std::vector<int64_t>{4}, kPatienceMs);
    }

    /// Each click counts, even while the model is still being changed.
    void clicksInQuickSuccessionAddUp() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        std::vector<int64_t> expected = units(driver);
        for (int i = 0; i < 3; ++i)
            QTest::mouseClick(button(driver, "netUnits1", "more"), Qt::LeftButton);
        expected[0] += 3;
        QVERIFY(driver.project().spec().hiddenUnits == expected);
        QTRY_COMPARE_WITH_TIMEOUT(drawn(driver), expected, kPatienceMs);
    }

    /// The units are those of the document, not of the one before.
    void aDocumentWithChosenUnitsLosesItsLastLayer() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        ProjectFile project;
        project.spec = findLesson("spirals").spec;
        project.spec.hiddenUnits = std::vector<int64_t>{5};
        writeProject(project, driver.filePath("chosen").toStdString());
        driver.window().files().open(driver.filePath("chosen"));
        QTRY_VERIFY_WITH_TIMEOUT(
            driver.project().isReadyToTrain() && units(driver) == std::vector<int64_t>{5},
            kPatienceMs);
        QVERIFY(driver.goTo("train"));
        driver.window().findChild<QTabWidget*>("trainTabs")->setCurrentWidget(&view(driver));
        QTRY_COMPARE_WITH_TIMEOUT(drawn(driver), std::vector<int64_t>{5}, kPatienceMs);
        press(driver, "netLayers", "less");
        QVERIFY(driver.project().spec().hiddenUnits == std::vector<int64_t>());
        QTRY_COMPARE_WITH_TIMEOUT(drawn(driver), std::vector<int64_t>(), kPatienceMs);
    }

    /// A change that the model refuses is taken back and explained.
    void aRefusedChangeSaysWhy() {
        WindowDriver driver;
        const QString path = driver.filePath("shared.onnx");
        saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 17]>
            m (float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {1, 0, 0, 1}> {
                a = MatMul(x, w)
                h = Relu(a)
                y = MatMul(h, w)
            })"),
                  path.toStdString());
        driver.window().files().open(path);
        QTRY_VERIFY_WITH_TIMEOUT(driver.project().preparation() != nullptr, kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.hiddenUnits = std::vector<int64_t>{3};
        driver.project().edit("Hidden layers", spec);
        QTRY_VERIFY2_WITH_TIMEOUT(driver.message().contains("could not be changed"),
                                  qPrintable(driver.message()), kPatienceMs);
        QTest::qWait(300);
        QVERIFY2(driver.message().contains("could not be changed"), qPrintable(driver.message()));
        QVERIFY(!driver.project().spec().hiddenUnits);
    }

    /// A trained state of the old net is no obstacle: training begins with the new one.
    void aChangedNetTrainsFromItsBeginning() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        setSteps(driver, 20);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) && latest(driver)->step == 20, kPatienceMs);
        std::vector<int64_t> expected = units(driver);
        press(driver, "netUnits1", "more");
        expected[0] += 1;
        QTRY_COMPARE_WITH_TIMEOUT(drawn(driver), expected, kPatienceMs);
        QCOMPARE(latest(driver)->step, int64_t{0});
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver)->step == 20, kPatienceMs);
        QCOMPARE(drawn(driver), expected);
    }

    void aRunningNetIsNotChanged() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        setSteps(driver, 1'000'000);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Running, kPatienceMs);
        for (const char* stepper : {"netLayers", "netUnits1"}) {
            QVERIFY(!button(driver, stepper, "more")->isEnabled());
            QVERIFY(button(driver, stepper, "more")->toolTip().contains("Stop the run"));
        }
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        QVERIFY(button(driver, "netUnits1", "more")->isEnabled());
    }

    void aUnitIsDescribed() {
        WindowDriver driver;
        QVERIFY(openNet(driver, "spirals"));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        const NetLook& look = *latest(driver);
        const QString first = view(driver).canvas()->unitText(0, 2);
        QVERIFY2(first.contains("Unit 3 of hidden layer 1"), qPrintable(first));
        for (const QString& name : look.inputNames)
            QVERIFY2(first.contains(name), qPrintable(first));
        const int last = static_cast<int>(look.layers.size()) - 1;
        const QString output = view(driver).canvas()->unitText(last, 0);
        QVERIFY2(output.contains(look.data->classes[0]), qPrintable(output));
        QCOMPARE(view(driver).canvas()->accessibleDescription(), view(driver).description());
        QVERIFY(view(driver).description().contains("hidden layer 1"));
    }

private:
    static NetView& view(WindowDriver& driver) { return *driver.trainPanel().net(); }

    static std::shared_ptr<const NetLook> latest(WindowDriver& driver) {
        return view(driver).follower()->latest();
    }

    static std::vector<int64_t> units(WindowDriver& driver) {
        const auto& net = view(driver).follower()->net();
        return net ? net->units : std::vector<int64_t>{-1};
    }

    /// The units that the picture has, of the hidden layers.
    static std::vector<int64_t> drawn(WindowDriver& driver) {
        const auto& look = view(driver).canvas()->look();
        if (!look) return {-1};
        std::vector<int64_t> counts;
        for (const NetLayer& layer : look->layers)
            counts.push_back(static_cast<int64_t>(layer.units.size()));
        counts.pop_back();
        return counts;
    }

    static bool openNet(WindowDriver& driver, const QString& lesson) {
        if (!driver.openLesson(lesson) || !driver.goTo("train")) return false;
        auto* tabs = driver.window().findChild<QTabWidget*>("trainTabs");
        if (tabs->indexOf(&view(driver)) < 0) return false;
        tabs->setCurrentWidget(&view(driver));
        return view(driver).isVisible();
    }

    static void setSteps(WindowDriver& driver, int64_t steps) {
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = steps;
        driver.project().edit("Steps", spec);
    }

    static QToolButton* button(WindowDriver& driver, const char* stepper, const char* which) {
        auto* parent = driver.window().findChild<QWidget*>(stepper);
        return parent == nullptr ? nullptr : parent->findChild<QToolButton*>(which);
    }

    static void press(WindowDriver& driver, const char* stepper, const char* which) {
        QTRY_VERIFY_WITH_TIMEOUT(button(driver, stepper, which) != nullptr &&
                                     button(driver, stepper, which)->isEnabled(),
                                 kPatienceMs);
        QTest::mouseClick(button(driver, stepper, which), Qt::LeftButton);
    }

    /// Every 37th cell of each tile compared with the network written out.
    static void compareByHand(const NetLook& look, const CheckpointState& state) {
        const std::vector<Layer> layers = layersOf(state);
        QCOMPARE(look.layers.size(), layers.size());
        const auto& range = look.data->range;
        for (size_t layer = 0; layer < layers.size(); ++layer) {
            const std::vector<NetTile>& tiles = look.layers[layer].units;
            QCOMPARE(int64_t(tiles.size()), layers[layer].weight.shape()[0]);
            for (size_t cell = 0; cell < tiles.front().values.size(); cell += 37) {
                const int columns = tiles.front().columns, rows = tiles.front().rows;
                const int column = static_cast<int>(cell) % columns;
                const int row = static_cast<int>(cell) / columns;
                const double x =
                    range[0].first + (column + 0.5) * (range[0].second - range[0].first) / columns;
                const double y =
                    range[1].second - (row + 0.5) * (range[1].second - range[1].first) / rows;
                const std::vector<double> expected = byHand(layers, layer, x, y);
                for (size_t unit = 0; unit < tiles.size(); ++unit)
                    QVERIFY(std::abs(double{tiles[unit].values[cell]} - expected[unit]) <
                            1e-4 * std::max(1.0, std::abs(expected[unit])));
            }
        }
    }
};

QTEST_MAIN(NetTest)
#include "net_test.moc"
