// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <array>
#include <cmath>
#include <set>

#include "engine/ir/type_inference.h"
#include "engine/training/artifacts/artifacts.h"
#include "tests/ui/gui_monitor.h"
#include "tests/ui/window_driver.h"
#include "ui/panels/train/plane/plane_follower.h"
#include "ui/panels/train/plane/plane_report_model.h"
#include "ui/panels/train/plane/plane_view.h"

using namespace temper;
using namespace temper::ui;

namespace {

constexpr int kPatienceMs = 120'000;

/// y = W x + b of a row, in double: W is [out, in].
std::vector<double> affine(const std::vector<double>& x, const Tensor& w, const Tensor& b) {
    std::vector<double> y;
    for (int64_t row = 0; row < w.shape()[0]; ++row) {
        double sum = double{b.values<float>()[static_cast<size_t>(row)]};
        for (size_t i = 0; i < x.size(); ++i)
            sum += x[i] * double{w.values<float>()[static_cast<size_t>(row) * x.size() + i]};
        y.push_back(sum);
    }
    return y;
}

/// The three layers of the lesson "spirals" written out: an independent computation of its answers.
std::vector<double> spiralsByHand(const CheckpointState& state, double x, double y) {
    std::vector<Tensor> weights, biases;
    for (const Parameter& parameter : state.parameters())
        (parameter.data.rank() == 2 ? weights : biases).push_back(parameter.data);
    std::vector<double> values = {x, y};
    for (size_t layer = 0; layer < weights.size(); ++layer) {
        values = affine(values, weights[layer], biases[layer]);
        if (layer + 1 == weights.size()) break;
        for (double& value : values) value = std::tanh(value);
    }
    double sum = 0;
    for (double& value : values) sum += value = std::exp(value);
    for (double& value : values) value /= sum;
    return values;
}

/// x [N, 2] -> Gemm -> y [N, 1] with weights 2 and -1 and bias 0.5.
std::shared_ptr<const Artifacts> linearArtifacts(const OpSet& ops) {
    Graph graph;
    graph.setName("linear");
    graph.info().opsetImports[""] = 15;
    Value* x = graph.addInput(
        "x", {DType::Float32, SymbolicShape{Dim::named("batch"), Dim::of(2)}, false});
    Value* w = graph.addInitializer("w", Tensor::of<float>({2, 1}, {2.0F, -1.0F}));
    Value* b = graph.addInitializer("b", Tensor::of<float>({1}, {0.5F}));
    graph.addNode({.opType = "Gemm", .inputs = {x, w, b}, .outputs = {"y"}, .name = "/Gemm"});
    graph.addOutput(graph.at("y"));
    inferTypes(graph, ops.catalog);
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    return std::make_shared<const Artifacts>(generateArtifacts(graph, ops, spec));
}

std::shared_ptr<const LoadedData> tableOf(const QString& path, const std::string& options) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return nullptr;
    file.write("a,b,t\n10,1,0\n20,3,1\n30,1,0\n40,3,1\n");
    file.close();
    return loadData("csv:" + path.toStdString() + "?target=t" + options, {});
}

}  // namespace

/// The decisions of a model with two features, as displayed.
class PlaneTest : public QObject {
    Q_OBJECT

private slots:
    void onlyModelsOfTwoFeaturesHaveAPlane_data() {
        QTest::addColumn<QString>("lesson");
        QTest::addColumn<bool>("hasPlane");
        QTest::newRow("three spirals") << "spirals" << true;
        QTest::newRow("four features") << "iris" << false;
        QTest::newRow("pictures") << "digits" << false;
    }
    void onlyModelsOfTwoFeaturesHaveAPlane() {
        QFETCH(QString, lesson);
        QFETCH(bool, hasPlane);
        WindowDriver driver;
        QVERIFY(driver.openLesson(lesson));
        QVERIFY(driver.goTo("train"));
        auto* tabs = driver.window().findChild<QTabWidget*>("trainTabs");
        QCOMPARE(tabs->indexOf(driver.trainPanel().plane()) >= 0, hasPlane);
        QCOMPARE(driver.trainPanel().plane()->follower()->isAvailable(), hasPlane);
    }

    void thePlaneExistsBeforeTrainingAndIsAsComputedByHand() {
        WindowDriver driver;
        QVERIFY(openPlane(driver));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        QCOMPARE(latest(driver)->step, int64_t{0});
        const CheckpointState initial(driver.project().preparation()->artifacts->checkpoint);
        compareByHand(*latest(driver), initial);
        const QSize size = canvas(driver).size();
        QVERIFY2(size.width() >= 350 && size.width() == size.height(),
                 qPrintable(QString::number(size.width())));
    }

    void thePlaneContinuesDuringTrainingAndEndsWithIt() {
        QVERIFY2(answersInTime([&](double& longest) { trainBesideThePlane(longest); }),
                 "a block of each window, printed above");
    }

    void thePlaneGoesBackWithACheckpoint() {
        WindowDriver driver;
        QVERIFY(openPlane(driver));
        TrainingSpec spec = driver.project().spec();
        spec.run.steps = 400;
        spec.run.saveEvery = 100;
        driver.project().edit("Four hundred steps", spec);
        QVERIFY(driver.click("startButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Finished, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) && latest(driver)->step == 400, kPatienceMs);
        for (const CheckpointEntry& entry : driver.run().checkpoints()) {
            if (entry.step != 200) continue;
            driver.trainPanel().checkpoints()->load(entry.path);
            break;
        }
        QTRY_COMPARE_WITH_TIMEOUT(latest(driver)->step, int64_t{200}, kPatienceMs);
        compareWithSession(driver);
    }

    void wordsAndTableSayWhatThePictureShows() {
        WindowDriver driver;
        QVERIFY(openPlane(driver));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        const PlaneLook& look = *latest(driver);
        const PlaneShare all = sumOf(look.training);
        QCOMPARE(all.samples, int64_t{600});
        const CheckpointState initial(driver.project().preparation()->artifacts->checkpoint);
        int64_t right = 0;
        const PlaneSamples& samples = look.data->training;
        for (size_t i = 0; i < samples.size(); ++i) {
            const auto said =
                spiralsByHand(initial, samples.points[2 * i], samples.points[2 * i + 1]);
            const auto best = std::max_element(said.begin(), said.end()) - said.begin();
            if (static_cast<double>(best) == samples.targets[i]) ++right;
        }
        QCOMPARE(all.right, right);
        const auto* words = driver.window().findChild<QLabel*>("planeWords");
        QVERIFY2(words->text().contains("600"), qPrintable(words->text()));
        QVERIFY2(words->text().contains(shareText(all)), qPrintable(words->text()));
        const auto* table = driver.window().findChild<QTableView*>("planeTable");
        QCOMPARE(table->model()->rowCount(), 4);
        QCOMPARE(table->model()->index(3, PlaneReportModel::Training).data().toString(),
                 shareText(all));
        QVERIFY(!table->model()->index(0, 0).data(Qt::DecorationRole).isNull());
        QCOMPARE(plot(driver).accessibleDescription(), words->text());
    }

    void thePictureIsSavedAndCopied() {
        WindowDriver driver;
        QVERIFY(openPlane(driver));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        const QString path = driver.filePath("plane.png");
        QVERIFY(plot(driver).savePng(path));
        QVERIFY(QImage(path).width() >= 2 * canvas(driver).width());
        plot(driver).copyPicture();
        QCOMPARE(QGuiApplication::clipboard()->image().size(), QImage(path).size());
    }

    void zoomingLooksCloser() {
        WindowDriver driver;
        QVERIFY(openPlane(driver));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        const PlaneRange full = plot(driver).fullRange();
        plot(driver).setFocus();
        QTest::keyClick(&plot(driver), Qt::Key_Plus);
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver)->surface.range == plot(driver).visibleRange(),
                                 kPatienceMs);
        QVERIFY(latest(driver)->surface.range.right < full.right);
        const CheckpointState initial(driver.project().preparation()->artifacts->checkpoint);
        compareByHand(*latest(driver), initial);
        QTest::keyClick(&plot(driver), Qt::Key_Home);
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver)->surface.range == full, kPatienceMs);
    }

    void numbersAreSplitAtTheMiddleInTheUnitsOfTheData_data() {
        QTest::addColumn<QString>("options");
        QTest::newRow("as they are") << "";
        QTest::newRow("normalized") << "&normalize=standard";
    }
    void numbersAreSplitAtTheMiddleInTheUnitsOfTheData() {
        QFETCH(QString, options);
        QTemporaryDir folder;
        const auto ops = std::make_shared<const OpSet>(standardOps());
        const auto artifacts = linearArtifacts(*ops);
        PlaneRequest request;
        request.weights = {artifacts, std::make_shared<CheckpointState>(artifacts->checkpoint), 7};
        request.ops = ops;
        request.source = tableOf(folder.filePath("t.csv"), options.toStdString());
        QVERIFY(request.source);
        const auto& columns = request.source->training()->columns();
        for (const Column& column : columns)
            (column.isTarget ? request.columns.target : request.columns.features) = column.name;
        request.side = 16;
        const auto look = lookAtPlane(request, {});
        QCOMPARE(look->step, int64_t{7});
        QCOMPARE(look->classes, QStringList({"0", "1"}));
        const PlaneRange range = look->data->range;
        QVERIFY(range.left < 10 && range.right > 40 && range.bottom < 1 && range.top > 3);
        const bool isScaled = !options.isEmpty();
        // mean 25 and 2, deviation of 10, 20, 30, 40 and of 1, 3, 1, 3
        const double dx = isScaled ? std::sqrt(125.0) : 1, dy = 1;
        const double mx = isScaled ? 25 : 0, my = isScaled ? 2 : 0;
        for (int row = 0; row < 16; ++row) {
            for (int column = 0; column < 16; ++column) {
                const double x = range.left + (column + 0.5) * (range.right - range.left) / 16;
                const double y = range.top - (row + 0.5) * (range.top - range.bottom) / 16;
                const double expected = 2 * (x - mx) / dx - (y - my) / dy + 0.5;
                const auto at = static_cast<size_t>(16 * row + column);
                QVERIFY(std::abs(double{look->said[at]} - expected) < 1e-3);
                QCOMPARE(look->surface.classes[at], expected > 0.5 ? 1 : 0);
            }
        }
    }

    void classesThatAreCalledByAColourHaveIt_data() {
        QTest::addColumn<QStringList>("classes");
        QTest::addColumn<QList<int>>("colors");
        QTest::newRow("colours") << QStringList{"blue", "green", "red"} << QList<int>{0, 2, 1};
        QTest::newRow("some colours") << QStringList{"blue", "tin", "red"} << QList<int>{0, 1, 2};
        QTest::newRow("the same twice")
            << QStringList{"red", "orange", "blue"} << QList<int>{0, 1, 2};
        QTest::newRow("none") << QStringList{"yes", "no"} << QList<int>{0, 1};
    }
    void classesThatAreCalledByAColourHaveIt() {
        QFETCH(QStringList, classes);
        QFETCH(QList<int>, colors);
        const std::vector<int> found = planeColors(classes);
        QCOMPARE(QList<int>(found.begin(), found.end()), colors);
    }

private:
    /// `longestBlockMs`: the longest time for which the window did not answer.
    void trainBesideThePlane(double& longestBlockMs) {
        WindowDriver driver;
        QVERIFY(openPlane(driver));
        QTRY_VERIFY_WITH_TIMEOUT(latest(driver) != nullptr, kPatienceMs);
        TrainingSpec spec = driver.project().spec();
        spec.run.epochs = 100'000;
        driver.project().edit("Train long", spec);
        GuiMonitor monitor;
        QVERIFY(driver.click("startButton"));
        std::set<int64_t> steps;
        QTRY_VERIFY_WITH_TIMEOUT(
            (steps.insert(latest(driver) ? latest(driver)->step : 0), steps.size() > 4),
            kPatienceMs);
        QVERIFY(driver.run().isActive());
        longestBlockMs = monitor.longestBlockMs();
        QVERIFY(driver.click("stopButton"));
        QTRY_COMPARE_WITH_TIMEOUT(driver.run().state(), RunState::Stopped, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(latest(driver)->step, driver.run().step(), kPatienceMs);
        compareWithSession(driver);
    }

    static bool openPlane(WindowDriver& driver) {
        if (!driver.openLesson("spirals") || !driver.goTo("train")) return false;
        driver.trainPanel().showPlane();
        return driver.trainPanel().plane()->isVisible();
    }

    static std::shared_ptr<const PlaneLook> latest(WindowDriver& driver) {
        return driver.trainPanel().plane()->follower()->latest();
    }

    static PlanePlot& plot(WindowDriver& driver) { return *driver.trainPanel().plane()->plot(); }

    static QWidget& canvas(WindowDriver& driver) {
        return *plot(driver).findChild<QWidget*>("canvas");
    }

    /// Every 37th cell compared with the network written out.
    static void compareByHand(const PlaneLook& look, const CheckpointState& state) {
        const PlaneSurface& surface = look.surface;
        QVERIFY(surface.classes.size() > 1000);
        for (size_t cell = 0; cell < surface.classes.size(); cell += 37) {
            const auto columns = static_cast<size_t>(surface.columns);
            const double width = (surface.range.right - surface.range.left) / surface.columns;
            const double height = (surface.range.top - surface.range.bottom) / surface.rows;
            const double x =
                surface.range.left + (static_cast<double>(cell % columns) + 0.5) * width;
            const double y =
                surface.range.top - (static_cast<double>(cell / columns) + 0.5) * height;
            const auto said = spiralsByHand(state, x, y);
            const auto own = static_cast<size_t>(surface.classes[cell]);
            // At a border rounding may decide.
            QVERIFY(said[own] > *std::max_element(said.begin(), said.end()) - 1e-5);
            QVERIFY(std::abs(double{look.said[cell]} - said[own]) < 1e-4);
        }
    }

    static void compareWithSession(WindowDriver& driver) {
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
};

QTEST_MAIN(PlaneTest)
#include "plane_test.moc"
