// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/conv/depthwise/passes_cpu.h"

#include <QTest>
#include <functional>

#include "engine/runtime/cpu/instruction_set.h"
#include "tests/engine/ops/conv_pass_check.h"

using namespace temper;

namespace {

using Direction = ConvDataPass::Direction;

ConvGeometry geometryOf(int64_t batch, int64_t channels, const WindowAxis& height,
                        const WindowAxis& width) {
    ConvGeometry g;
    g.batch = batch;
    g.channels = g.features = g.group = channels;
    g.axes = {height, width};
    return g;
}

/// The largest error of these shapes was 1.3e-6.
constexpr double kTolerance = 5e-6;

}  // namespace

class DepthwiseTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { limitInstructionSet(); }
    void allPassesAreTheDefinition_data();
    void allPassesAreTheDefinition();
    void plainImagesHaveTheSameBits();
    void whatTheySuit_data();
    void whatTheySuit();
};

void DepthwiseTest::allPassesAreTheDefinition_data() {
    QTest::addColumn<ConvGeometry>("g");
    const auto row = [](const char* name, const ConvGeometry& g) { QTest::newRow(name) << g; };
    for (const int64_t kernel : {3, 5}) {
        for (const int64_t stride : {1, 2}) {
            for (const int64_t size : {1, 2, 3, 4, 7, 8, 13, 14}) {
                const int64_t pad = kernel / 2;
                const WindowAxis axis = axisOf(size, kernel, stride, pad, pad);
                QTest::addRow("%dx%d, stride %d, %d pixels", int(kernel), int(kernel), int(stride),
                              int(size))
                    << geometryOf(2, 32, axis, axis);
            }
        }
    }
    row("many rows", geometryOf(1, 16, axisOf(57, 3, 1, 1, 1), axisOf(60, 3, 1, 1, 1)));
    row("many rows, stride 2", geometryOf(1, 16, axisOf(57, 5, 2, 2, 2), axisOf(60, 5, 2, 2, 2)));
    row("many images", geometryOf(37, 16, axisOf(5, 3, 1, 1, 1), axisOf(6, 3, 1, 1, 1)));
    row("many channels", geometryOf(1, 288, axisOf(4, 3, 2, 1, 1), axisOf(6, 3, 2, 1, 1)));
    row("no pads", geometryOf(2, 16, axisOf(9, 3, 1, 0, 0), axisOf(11, 5, 1, 0, 0)));
    row("no pads, stride 2", geometryOf(2, 16, axisOf(10, 3, 2, 0, 0), axisOf(12, 5, 2, 0, 0)));
    row("uneven pads", geometryOf(2, 16, axisOf(9, 5, 2, 0, 3), axisOf(12, 5, 2, 1, 2)));
    row("pads as wide as the kernel",
        geometryOf(2, 16, axisOf(3, 3, 2, 3, 4), axisOf(4, 3, 1, 4, 3)));
    row("different strides", geometryOf(2, 16, axisOf(9, 3, 2, 1, 1), axisOf(9, 3, 1, 1, 1)));
    row("different kernels", geometryOf(2, 16, axisOf(9, 7, 1, 3, 3), axisOf(9, 3, 2, 1, 1)));
    row("rows of one tap", geometryOf(2, 16, axisOf(9, 1, 2, 0, 0), axisOf(9, 3, 1, 1, 1)));
    WindowAxis tall = axisOf(7, 1, 2, 0, 0);
    tall.input = 12;
    row("rows that a ConvTranspose adds", geometryOf(2, 16, tall, axisOf(9, 3, 1, 1, 1)));
}

void DepthwiseTest::allPassesAreTheDefinition() {
    QFETCH(ConvGeometry, g);
    QVERIFY(suitsDepthwise(g));
    const Expected expected(g);
    const Shape image = g.imageShape(), features = g.featureShape();
    const Floats x = blocked(expected.x, image), dy = blocked(expected.dy, features);
    const ConvForm form{.imagesBlocked = true, .featuresBlocked = true};
    const auto forward = makeDepthwiseDataPass(g, Direction::Forward, form),
               backward = makeDepthwiseDataPass(g, Direction::Backward, form);
    verifyClose(plain(run(*forward, x, expected.w, expected.bias.data(), features), features),
                expected.y, kTolerance, "forward");
    verifyClose(plain(run(*backward, dy, expected.w, nullptr, image), image), expected.dx,
                kTolerance, "backward");
    verifyClose(run(*makeDepthwiseWeightsPass(g, form), x, dy, expected.dw.size()), expected.dw,
                kTolerance, "weights");
}

void DepthwiseTest::plainImagesHaveTheSameBits() {
    const WindowAxis axis = axisOf(9, 3, 2, 1, 1);
    const ConvGeometry g = geometryOf(3, 32, axis, axis);
    const Expected expected(g);
    const Shape image = g.imageShape(), features = g.featureShape();
    const Floats x = blocked(expected.x, image), dy = blocked(expected.dy, features);
    const ConvForm form{.imagesBlocked = true, .featuresBlocked = true};
    const auto verifySame = [&](Direction direction, const Floats& plainFrom, const Floats& from,
                                const Shape& to) {
        const Floats same = run(*makeDepthwiseDataPass(g, direction, {}), plainFrom, expected.w,
                                expected.bias.data(), to);
        const Floats inBlocks = run(*makeDepthwiseDataPass(g, direction, form), from, expected.w,
                                    expected.bias.data(), to);
        QVERIFY(!same.empty() && same == plain(inBlocks, to));
    };
    verifySame(Direction::Forward, expected.x, x, features);
    verifySame(Direction::Backward, expected.dy, dy, image);
    const size_t weights = expected.w.size();
    const Floats dw = run(*makeDepthwiseWeightsPass(g, form), x, dy, weights);
    QVERIFY(run(*makeDepthwiseWeightsPass(g, {}), expected.x, expected.dy, weights) == dw);
    // As ConvTranspose and Conv reach them.
    QVERIFY(run(*makeWeightsPass(g, form), x, dy, weights) == dw);
}

void DepthwiseTest::whatTheySuit_data() {
    QTest::addColumn<bool>("expected");
    QTest::addColumn<ConvGeometry>("geometry");
    const WindowAxis axis = axisOf(14, 3, 1, 1, 1);
    const ConvGeometry good = geometryOf(2, 32, axis, axis);
    const auto row = [&](const char* name, bool expected,
                         const std::function<void(ConvGeometry&)>& change) {
        ConvGeometry geometry = good;
        change(geometry);
        QTest::newRow(name) << expected << geometry;
    };
    row("3x3", true, [](ConvGeometry&) {});
    row("stride 2", true, [](ConvGeometry& g) { g.axes[1].stride = 2; });
    row("stride 3", false, [](ConvGeometry& g) { g.axes[0].stride = 3; });
    row("7 columns", false, [](ConvGeometry& g) { g.axes[1].kernel = 7; });
    row("dilation", false, [](ConvGeometry& g) { g.axes[0].dilation = 2; });
    row("two features per channel", false, [](ConvGeometry& g) { g.features = 64; });
    row("two channels per group", false, [](ConvGeometry& g) { g.group = 16; });
    row("24 channels", false, [](ConvGeometry& g) { g.channels = g.features = g.group = 24; });
    row("one dimension", false, [](ConvGeometry& g) { g.axes.pop_back(); });
}

void DepthwiseTest::whatTheySuit() {
    QFETCH(bool, expected);
    QFETCH(ConvGeometry, geometry);
    QCOMPARE(suitsDepthwise(geometry), expected);
}

QTEST_GUILESS_MAIN(DepthwiseTest)
#include "depthwise_test.moc"
