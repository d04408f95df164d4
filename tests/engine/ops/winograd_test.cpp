// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <functional>

#include "engine/ops/conv/winograd/passes_cpu.h"
#include "engine/ops/conv/winograd/tile_groups_cpu.h"
#include "engine/ops/conv/winograd/weight_blocks_cpu.h"
#include "engine/runtime/cpu/instruction_set.h"
#include "tests/engine/ops/conv_pass_check.h"

using namespace temper;

namespace {

using Direction = ConvDataPass::Direction;

struct Sizes {
    int64_t batch, channels, features, height, width, kernel, padBegin, padEnd;
};

ConvGeometry geometryOf(const Sizes& s) {
    ConvGeometry g;
    g.batch = s.batch;
    g.channels = s.channels;
    g.features = s.features;
    for (const int64_t input : {s.height, s.width}) {
        WindowAxis axis;
        axis.input = input;
        axis.kernel = s.kernel;
        axis.padBegin = s.padBegin;
        axis.padEnd = s.padEnd;
        axis.output = input + s.padBegin + s.padEnd - s.kernel + 1;
        g.axes.push_back(axis);
    }
    return g;
}

/// Over 60 random shapes, direct convolutions had errors up to 4.7e-6, and these up to 2.3e-5.
constexpr double kTolerance = 4e-5;

void verifyClose(const Floats& actual, const std::vector<double>& expected, const char* what) {
    temper::verifyClose(actual, expected, kTolerance, what);
}

}  // namespace

class WinogradTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { limitInstructionSet(); }
    void allPassesAreTheDefinition_data();
    void allPassesAreTheDefinition();
    void plainImagesAreTheSame_data();
    void plainImagesAreTheSame();
    void pointsOfConstantWeightsAreKept();
    void whatItSuits_data();
    void whatItSuits();
};

void WinogradTest::allPassesAreTheDefinition_data() {
    QTest::addColumn<std::vector<int64_t>>("sizes");
    const auto row = [](const char* name, const Sizes& s) {
        QTest::newRow(name) << std::vector<int64_t>{s.batch, s.channels, s.features, s.height,
                                                    s.width, s.kernel,   s.padBegin, s.padEnd};
    };
    row("3x3", {2, 16, 32, 8, 8, 3, 1, 1});
    row("5x5", {2, 16, 32, 8, 8, 5, 2, 2});
    row("3x3 without pads", {1, 32, 16, 9, 11, 3, 0, 0});
    row("5x5 without pads", {1, 32, 16, 9, 11, 5, 0, 0});
    row("3x3, tiles cut off", {3, 16, 16, 13, 6, 3, 1, 1});
    row("5x5, tiles cut off", {3, 16, 16, 13, 7, 5, 2, 2});
    row("3x3, uneven pads", {2, 16, 16, 10, 7, 3, 0, 2});
    row("5x5, uneven pads", {2, 16, 16, 10, 7, 5, 1, 3});
    row("3x3, pads as wide as the kernel", {2, 16, 16, 6, 5, 3, 3, 4});
    row("5x5, an image smaller than a tile", {4, 16, 16, 2, 1, 5, 2, 2});
    row("48 channels", {2, 48, 80, 7, 7, 3, 1, 1});
    row("more channels than a block", {1, 144, 48, 6, 6, 3, 1, 1});
    row("many images", {13, 16, 16, 12, 12, 3, 1, 1});
    row("many tiles", {1, 64, 64, 40, 44, 3, 1, 1});
}

void WinogradTest::allPassesAreTheDefinition() {
    QFETCH(std::vector<int64_t>, sizes);
    const ConvGeometry g = geometryOf(
        {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6], sizes[7]});
    const Expected expected(g);
    const Shape image = g.imageShape(), features = g.featureShape();
    const Floats x = blocked(expected.x, image), dy = blocked(expected.dy, features);
    const auto verifyData = [&](const ConvDataPass& forward, const ConvDataPass& backward) {
        verifyClose(plain(run(forward, x, expected.w, expected.bias.data(), features), features),
                    expected.y, "forward");
        verifyClose(plain(run(backward, dy, expected.w, nullptr, image), image), expected.dx,
                    "backward");
    };
    verifyData(TileGroupDataPass(g, Direction::Forward), TileGroupDataPass(g, Direction::Backward));
    verifyData(WeightBlockDataPass(g, Direction::Forward),
               WeightBlockDataPass(g, Direction::Backward));
    verifyClose(run(TileGroupWeightsPass(g), x, dy, expected.dw.size()), expected.dw,
                "weights by tiles");
    verifyClose(run(WeightBlockWeightsPass(g), x, dy, expected.dw.size()), expected.dw,
                "weights by blocks");
}

void WinogradTest::plainImagesAreTheSame_data() {
    QTest::addColumn<bool>("imagesBlocked");
    QTest::addColumn<bool>("featuresBlocked");
    QTest::newRow("all plain") << false << false;
    QTest::newRow("plain images") << false << true;
    QTest::newRow("plain features") << true << false;
}

void WinogradTest::plainImagesAreTheSame() {
    QFETCH(bool, imagesBlocked);
    QFETCH(bool, featuresBlocked);
    const ConvGeometry g = geometryOf({2, 16, 32, 9, 7, 3, 1, 1});
    const Expected expected(g);
    const Shape image = g.imageShape(), features = g.featureShape();
    const ConvForm form{imagesBlocked, featuresBlocked, ConvAlgorithm::Winograd};
    const Floats x = imagesBlocked ? blocked(expected.x, image) : expected.x;
    const Floats dy = featuresBlocked ? blocked(expected.dy, features) : expected.dy;
    const Floats y = run(*makeDataPass(g, Direction::Forward, true, form), x, expected.w,
                         expected.bias.data(), features);
    verifyClose(featuresBlocked ? plain(y, features) : y, expected.y, "forward");
    const Floats dx =
        run(*makeDataPass(g, Direction::Backward, false, form), dy, expected.w, nullptr, image);
    verifyClose(imagesBlocked ? plain(dx, image) : dx, expected.dx, "backward");
    verifyClose(run(*makeWeightsPass(g, form), x, dy, expected.dw.size()), expected.dw, "weights");
}

void WinogradTest::pointsOfConstantWeightsAreKept() {
    const ConvGeometry g = geometryOf({2, 32, 48, 9, 7, 3, 1, 1});
    const Expected expected(g);
    const Shape image = g.imageShape(), features = g.featureShape();
    const Floats x = blocked(expected.x, image), other(expected.w.size(), 0);
    const TileGroupDataPass usual(g, Direction::Forward);
    const TileGroupDataPass keeping(g, Direction::Forward, true);
    const Floats y = run(usual, x, expected.w, expected.bias.data(), features);
    QVERIFY(!y.empty());
    QCOMPARE(run(keeping, x, expected.w, expected.bias.data(), features), y);
    // What the weights are in later runs is not read.
    QCOMPARE(run(keeping, x, other, expected.bias.data(), features), y);
    QVERIFY(keeping.scratchBytes() < usual.scratchBytes());
}

void WinogradTest::whatItSuits_data() {
    QTest::addColumn<bool>("expected");
    QTest::addColumn<ConvGeometry>("geometry");
    const ConvGeometry good = geometryOf({8, 64, 64, 28, 28, 3, 1, 1});
    const auto row = [&](const char* name, bool expected,
                         const std::function<void(ConvGeometry&)>& change) {
        ConvGeometry geometry = good;
        change(geometry);
        QTest::newRow(name) << expected << geometry;
    };
    const auto eachAxis = [](auto change) {
        return [=](ConvGeometry& g) { std::ranges::for_each(g.axes, change); };
    };
    row("3x3", true, [](ConvGeometry&) {});
    row("5x5", true, eachAxis([](WindowAxis& axis) { axis.kernel = 5; }));
    row("7x7", false, eachAxis([](WindowAxis& axis) { axis.kernel = 7; }));
    row("3x5", false, [](ConvGeometry& g) { g.axes[1].kernel = 5; });
    row("stride", false, [](ConvGeometry& g) { g.axes[0].stride = 2; });
    row("dilation", false, [](ConvGeometry& g) { g.axes[1].dilation = 2; });
    row("groups", false, [](ConvGeometry& g) { g.group = 2; });
    row("3 channels", false, [](ConvGeometry& g) { g.channels = 3; });
    row("10 features", false, [](ConvGeometry& g) { g.features = 10; });
    row("small", false, [](ConvGeometry& g) { g.channels = g.features = 16, g.batch = 1; });
    row("one dimension", false, [](ConvGeometry& g) { g.axes.pop_back(); });
    row("few results", false, [](ConvGeometry& g) {
        g.batch = 1;
        g.channels = g.features = 512;
        for (WindowAxis& axis : g.axes) axis.input = axis.output = 7;
    });
}

void WinogradTest::whatItSuits() {
    QFETCH(bool, expected);
    QFETCH(ConvGeometry, geometry);
    QCOMPARE(suitsWinograd(geometry), expected);
}

QTEST_GUILESS_MAIN(WinogradTest)
#include "winograd_test.moc"
