// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/pointwise/passes_cpu.h"

#include <QTest>
#include <functional>

#include "engine/runtime/cpu/instruction_set.h"
#include "tests/engine/ops/conv_pass_check.h"

using namespace temper;

namespace {

using Direction = ConvDataPass::Direction;

ConvGeometry geometryOf(int64_t batch, int64_t channels, int64_t features, int64_t height,
                        int64_t width) {
    ConvGeometry g;
    g.batch = batch;
    g.channels = channels;
    g.features = features;
    for (const int64_t size : {height, width}) {
        WindowAxis axis;
        axis.input = axis.output = size;
        g.axes.push_back(axis);
    }
    return g;
}

/// The largest error of these shapes was 4.3e-6.
constexpr double kTolerance = 1e-5;

}  // namespace

class PointwiseTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { limitInstructionSet(); }
    void allPassesAreTheDefinition_data();
    void allPassesAreTheDefinition();
    void constantWeightsAreTheSame();
    void whatTheySuit_data();
    void whatTheySuit();
};

void PointwiseTest::allPassesAreTheDefinition_data() {
    QTest::addColumn<ConvGeometry>("g");
    const auto row = [](const char* name, const ConvGeometry& g) { QTest::newRow(name) << g; };
    row("a block each", geometryOf(2, 16, 16, 4, 4));
    row("wider", geometryOf(2, 16, 96, 7, 9));
    row("narrower", geometryOf(2, 96, 16, 7, 9));
    row("three blocks", geometryOf(1, 48, 48, 5, 5));
    row("24 channels", geometryOf(2, 24, 144, 9, 7));
    row("24 features", geometryOf(2, 144, 24, 9, 7));
    row("neither in blocks", geometryOf(3, 40, 12, 5, 7));
    row("many tiles", geometryOf(2, 32, 16, 61, 43));
    row("many images", geometryOf(37, 32, 48, 4, 5));
    row("many groups of results", geometryOf(1, 576, 800, 7, 7));
    row("sums in parts", geometryOf(5, 320, 352, 5, 5));
}

void PointwiseTest::allPassesAreTheDefinition() {
    QFETCH(ConvGeometry, g);
    QVERIFY(suitsPointwise(g));
    const Expected expected(g);
    const Shape image = g.imageShape(), features = g.featureShape();
    Floats y, dx, dw;  // in each layout, the same bits
    const auto verifySame = [](Floats& first, const Floats& bits) {
        if (first.empty()) first = bits;
        QVERIFY(first == bits);
    };
    for (const bool imagesBlocked : {false, true}) {
        for (const bool featuresBlocked : {false, true}) {
            if ((imagesBlocked && g.channels % 16 != 0) ||
                (featuresBlocked && g.features % 16 != 0))
                continue;
            const ConvForm form{imagesBlocked, featuresBlocked};
            const Floats x = imagesBlocked ? blocked(expected.x, image) : expected.x;
            const Floats dy = featuresBlocked ? blocked(expected.dy, features) : expected.dy;
            const auto forward = makePointwiseDataPass(g, Direction::Forward, form),
                       backward = makePointwiseDataPass(g, Direction::Backward, form);
            const Floats to = run(*forward, x, expected.w, expected.bias.data(), features);
            verifySame(y, featuresBlocked ? plain(to, features) : to);
            const Floats from = run(*backward, dy, expected.w, nullptr, image);
            verifySame(dx, imagesBlocked ? plain(from, image) : from);
            verifySame(dw, run(*makePointwiseWeightsPass(g, form), x, dy, expected.dw.size()));
        }
    }
    verifyClose(y, expected.y, kTolerance, "forward");
    verifyClose(dx, expected.dx, kTolerance, "backward");
    verifyClose(dw, expected.dw, kTolerance, "weights");
}

void PointwiseTest::constantWeightsAreTheSame() {
    const ConvGeometry g = geometryOf(2, 24, 40, 5, 5);
    const Expected expected(g);
    const auto pass = makePointwiseDataPass(g, Direction::Forward, {.weightsAreConstant = true});
    const Shape features = g.featureShape();
    const Floats y = run(*pass, expected.x, expected.w, expected.bias.data(), features);
    verifyClose(y, expected.y, kTolerance, "forward");
    QVERIFY(run(*pass, expected.x, expected.w, expected.bias.data(), features) == y);
}

void PointwiseTest::whatTheySuit_data() {
    QTest::addColumn<bool>("expected");
    QTest::addColumn<ConvGeometry>("geometry");
    const ConvGeometry good = geometryOf(2, 24, 144, 14, 14);
    const auto row = [&](const char* name, bool expected,
                         const std::function<void(ConvGeometry&)>& change) {
        ConvGeometry geometry = good;
        change(geometry);
        QTest::newRow(name) << expected << geometry;
    };
    row("1x1", true, [](ConvGeometry&) {});
    row("1x3", false, [](ConvGeometry& g) { g.axes[1].kernel = 3; });
    row("stride", false, [](ConvGeometry& g) { g.axes[0].stride = 2; });
    row("padding", false, [](ConvGeometry& g) { g.axes[1].padEnd = 1; });
    row("a ConvTranspose that adds a row", false, [](ConvGeometry& g) { ++g.axes[0].input; });
    row("groups", false, [](ConvGeometry& g) { g.group = 2; });
    row("3 channels", false, [](ConvGeometry& g) { g.channels = 3; });
    row("1 feature", false, [](ConvGeometry& g) { g.features = 1; });
    row("one dimension", false, [](ConvGeometry& g) { g.axes.pop_back(); });
    row("few pixels", false, [](ConvGeometry& g) {
        for (WindowAxis& axis : g.axes) axis.input = axis.output = 1;
    });
}

void PointwiseTest::whatTheySuit() {
    QFETCH(bool, expected);
    QFETCH(ConvGeometry, geometry);
    QCOMPARE(suitsPointwise(geometry), expected);
}

QTEST_GUILESS_MAIN(PointwiseTest)
#include "pointwise_test.moc"
