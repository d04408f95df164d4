// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/few_channels_cpu.h"

#include <QTest>
#include <functional>

#include "engine/runtime/cpu/instruction_set.h"
#include "tests/engine/ops/conv_pass_check.h"

using namespace temper;

namespace {

ConvGeometry geometryOf(int64_t batch, int64_t channels, int64_t features, const WindowAxis& height,
                        const WindowAxis& width) {
    ConvGeometry g;
    g.batch = batch;
    g.channels = channels;
    g.features = features;
    g.axes = {height, width};
    return g;
}

/// The largest error of these shapes was 7.2e-7.
constexpr double kTolerance = 3e-6;

}  // namespace

class FewChannelsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { limitInstructionSet(); }
    void gradientsOfWeightsAreTheDefinition_data();
    void gradientsOfWeightsAreTheDefinition();
    void whatItSuits_data();
    void whatItSuits();
};

void FewChannelsTest::gradientsOfWeightsAreTheDefinition_data() {
    QTest::addColumn<ConvGeometry>("g");
    const auto row = [](const char* name, const ConvGeometry& g) { QTest::newRow(name) << g; };
    row("keywords", geometryOf(3, 1, 64, axisOf(40, 4, 2, 1, 1), axisOf(100, 10, 2, 4, 4)));
    row("7x7", geometryOf(2, 3, 32, axisOf(21, 7, 2, 3, 3), axisOf(23, 7, 2, 3, 3)));
    row("5x5", geometryOf(19, 1, 32, axisOf(11, 5, 1, 2, 2), axisOf(9, 5, 1, 2, 2)));
    row("no pads", geometryOf(2, 4, 16, axisOf(9, 3, 1, 0, 0), axisOf(13, 8, 1, 0, 0)));
    row("uneven pads", geometryOf(2, 2, 16, axisOf(9, 3, 3, 0, 2), axisOf(13, 6, 3, 5, 1)));
    row("a rest that no window sees",
        geometryOf(2, 1, 16, axisOf(12, 3, 4, 0, 0), axisOf(16, 5, 4, 0, 0)));
    row("pads wider than the kernel",
        geometryOf(2, 1, 16, axisOf(3, 3, 2, 5, 4), axisOf(2, 5, 1, 7, 6)));
    ConvGeometry dilated = geometryOf(2, 1, 16, axisOf(9, 3, 2, 0, 0), axisOf(13, 6, 1, 0, 0));
    dilated.axes[0].dilation = 2;
    dilated.axes[0].output = 3;
    row("rows apart", dilated);
}

void FewChannelsTest::gradientsOfWeightsAreTheDefinition() {
    QFETCH(ConvGeometry, g);
    QVERIFY(suitsFewChannels(g));
    const Expected expected(g);
    const Floats dy = blocked(expected.dy, g.featureShape());
    const size_t weights = expected.dw.size();
    const Floats dw =
        run(*makeFewChannelsWeightsPass(g, {.featuresBlocked = true}), expected.x, dy, weights);
    verifyClose(dw, expected.dw, kTolerance, "weights");
    QVERIFY(run(*makeFewChannelsWeightsPass(g, {}), expected.x, expected.dy, weights) == dw);
}

void FewChannelsTest::whatItSuits_data() {
    QTest::addColumn<bool>("expected");
    QTest::addColumn<ConvGeometry>("geometry");
    const WindowAxis axis = axisOf(28, 5, 1, 2, 2);
    const ConvGeometry good = geometryOf(2, 1, 32, axis, axis);
    const auto row = [&](const char* name, bool expected,
                         const std::function<void(ConvGeometry&)>& change) {
        ConvGeometry geometry = good;
        change(geometry);
        QTest::newRow(name) << expected << geometry;
    };
    row("5x5", true, [](ConvGeometry&) {});
    row("3 columns", false, [](ConvGeometry& g) { g.axes[1].kernel = 3; });
    row("dilation", false, [](ConvGeometry& g) { g.axes[1].dilation = 2; });
    row("8 channels", false, [](ConvGeometry& g) { g.channels = 8; });
    row("24 features", false, [](ConvGeometry& g) { g.features = 24; });
    row("groups", false, [](ConvGeometry& g) { g.channels = g.group = 2; });
    row("one dimension", false, [](ConvGeometry& g) { g.axes.pop_back(); });
}

void FewChannelsTest::whatItSuits() {
    QFETCH(bool, expected);
    QFETCH(ConvGeometry, geometry);
    QCOMPARE(suitsFewChannels(geometry), expected);
}

QTEST_GUILESS_MAIN(FewChannelsTest)
#include "few_channels_test.moc"
