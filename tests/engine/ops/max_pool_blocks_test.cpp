// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/pooling/max_pool_blocks_cpu.h"

#include <QTest>
#include <array>
#include <cmath>

#include "engine/core/random.h"
#include "engine/ops/pooling/windows.h"
#include "engine/runtime/kernels/blockable_kernel.h"

using namespace temper;

namespace {

constexpr int64_t kPlanes = 3 * kChannelBlock;

/// The offset of element (plane, pixel) in blocks of channels.
size_t placeOf(int64_t plane, int64_t pixel, int64_t pixels) {
    const int64_t block = plane / kChannelBlock, channel = plane % kChannelBlock;
    return static_cast<size_t>((block * pixels + pixel) * kChannelBlock + channel);
}

void run(const Kernel& kernel, std::vector<void*> inputs, std::vector<void*> outputs) {
    std::vector<uint32_t> ins, begins, outs;
    std::vector<void*> buffers = inputs;
    buffers.insert(buffers.end(), outputs.begin(), outputs.end());
    for (uint32_t i = 0; i < inputs.size(); ++i) ins.push_back(i);
    for (uint32_t i = 0; i <= inputs.size(); ++i) begins.push_back(i);
    for (uint32_t i = 0; i < outputs.size(); ++i)
        outs.push_back(static_cast<uint32_t>(inputs.size()) + i);
    ThreadPool pool(2);
    kernel.run(
        RunContext(buffers.data(), ins.data(), begins.data(), outs.data(), nullptr, pool, 0));
}

}  // namespace

class MaxPoolBlocksTest : public QObject {
    Q_OBJECT

private slots:
    void poolsAndTheirGradientsAreThoseOfEachPixel_data() {
        QTest::addColumn<Shape>("image");
        QTest::addColumn<Shape>("kernel");
        QTest::addColumn<Shape>("strides");
        QTest::addColumn<Shape>("pads");
        QTest::addColumn<Shape>("dilations");
        QTest::addColumn<bool>("apart");
        const Shape none{0, 0, 0, 0}, one{1, 1};
        const auto row = [&](const char* name, Shape image, Shape kernel, Shape strides, Shape pads,
                             Shape dilations, bool apart) {
            QTest::newRow(name) << image << kernel << strides << pads << dilations << apart;
        };
        row("each pixel a tap", {8, 6}, {2, 2}, {2, 2}, none, one, true);
        row("a rest", {9, 7}, {2, 2}, {2, 2}, none, one, true);
        row("gaps", {11, 13}, {2, 3}, {3, 5}, none, one, true);
        row("one window", {5, 4}, {5, 4}, {5, 4}, none, one, true);
        row("one pixel", {1, 1}, {1, 1}, {1, 1}, none, one, true);
        row("overlapping", {7, 9}, {3, 3}, {2, 2}, none, one, false);
        row("padding", {7, 9}, {3, 3}, {3, 3}, {1, 1, 1, 1}, one, false);
        row("more padding than windows inside", {2, 3}, {3, 4}, {1, 1}, {2, 3, 2, 3}, one, false);
        row("dilated", {9, 10}, {2, 3}, {3, 2}, {0, 1, 0, 2}, {3, 2}, false);
    }
    void poolsAndTheirGradientsAreThoseOfEachPixel() {
        QFETCH(Shape, image);
        QFETCH(bool, apart);
        const WindowAttributes window = attributes();
        const Shape whole{kPlanes / kChannelBlock, kChannelBlock, image[0], image[1]};
        const PoolGeometry geometry = PoolGeometry::of(window, whole);
        const int64_t in = geometry.inputSize(), out = geometry.outputSize();
        std::vector<float> x(static_cast<size_t>(kPlanes * in));
        Random random(3);
        for (float& value : x) value = std::floor(5 * random.uniform());  // many are equal
        std::vector<float> y(static_cast<size_t>(kPlanes * out)), dy(y.size()), dx(x.size()),
            alone(y.size());
        std::vector<int64_t> indices(y.size());
        for (float& value : dy) value = random.normal();
        run(*blockedMaxPoolKernel(geometry, true), {x.data()}, {y.data(), indices.data()});
        run(*blockedMaxPoolKernel(geometry, false), {x.data()}, {alone.data()});
        QVERIFY(alone == y);

        std::vector<float> expected(x.size());
        for (int64_t plane = 0; plane < kPlanes; ++plane) {
            forEachWindow(geometry, [&](int64_t o, TapRange d, TapRange h, TapRange w) {
                int64_t best = -1;
                forEachTap(geometry, d, h, w, [&](int64_t i) {
                    if (best < 0 || x[placeOf(plane, i, in)] > x[placeOf(plane, best, in)])
                        best = i;
                });
                const size_t at = placeOf(plane, o, out);
                QCOMPARE(indices[at], plane * in + best);
                QCOMPARE(y[at], x[placeOf(plane, best, in)]);
                expected[placeOf(plane, best, in)] += dy[at];
            });
        }

        const Shape outputs{whole[0], whole[1], geometry.axes[1].output, geometry.axes[2].output};
        const auto windows = WindowsApart::of(window, whole, outputs);
        QCOMPARE(windows.has_value(), apart);
        run(*blockedMaxPoolGradKernel(kPlanes, in, out, windows, "pool"),
            {dy.data(), indices.data()}, {dx.data()});
        QVERIFY(dx == expected);
    }

    /// Indices need not come from a pool with these windows.
    void indicesThatAreNotTapsOfTheirWindowCount() {
        Apart apart;
        apart.indices[5] = 15 + 5 * 16;  // the last pixel of channel 5
        run(*apart.kernel(), {apart.dy.data(), apart.indices.data()}, {apart.dx.data()});
        std::vector<float> expected(apart.dx.size());
        for (size_t i = 0; i < apart.dy.size(); ++i) {
            const int64_t plane = static_cast<int64_t>(i) % kChannelBlock;
            expected[placeOf(plane, apart.indices[i] - plane * 16, 16)] += apart.dy[i];
        }
        QVERIFY(apart.dx == expected);
    }

    void indicesOutsideOfTheirImageAreRefused_data() {
        QTest::addColumn<qint64>("index");
        QTest::newRow("before") << qint64{5 * 16 - 1};
        QTest::newRow("behind") << qint64{6 * 16};
        QTest::newRow("negative") << qint64{-1};
        QTest::newRow("far away") << (qint64{1} << 32) + 5 * 16;
        QTest::newRow("farthest") << std::numeric_limits<qint64>::min();
    }
    void indicesOutsideOfTheirImageAreRefused() {
        QFETCH(qint64, index);
        Apart apart;
        apart.indices[5] = index;
        QVERIFY_THROWS_EXCEPTION(
            Error,
            run(*apart.kernel(), {apart.dy.data(), apart.indices.data()}, {apart.dx.data()}));
    }

private:
    static WindowAttributes attributes() {
        const auto fetch = [](const char* name) {
            return *static_cast<Shape*>(QTest::qData(name, qMetaTypeId<Shape>()));
        };
        WindowAttributes window;
        window.kernel = fetch("kernel");
        window.strides = fetch("strides");
        window.pads = fetch("pads");
        window.dilations = fetch("dilations");
        return window;
    }

    /// Windows of 2 x 2 over images of 4 x 4, one block of channels; each index is that of the
    /// first tap.
    struct Apart {
        std::vector<float> dy = std::vector<float>(4 * kChannelBlock, 0.5F);
        std::vector<int64_t> indices = std::vector<int64_t>(dy.size());
        std::vector<float> dx = std::vector<float>(16 * kChannelBlock, -1.0F);

        Apart() {
            for (size_t i = 0; i < indices.size(); ++i) {
                const auto channel = static_cast<int64_t>(i) % kChannelBlock;
                const auto o = static_cast<int64_t>(i) / kChannelBlock;
                indices[i] = channel * 16 + o / 2 * 8 + o % 2 * 2;
            }
        }
        std::unique_ptr<Kernel> kernel() const {
            WindowAttributes window;
            window.kernel = window.strides = {2, 2};
            const auto windows =
                WindowsApart::of(window, {1, kChannelBlock, 4, 4}, {1, kChannelBlock, 2, 2});
            return blockedMaxPoolGradKernel(kChannelBlock, 16, 4, windows.value(), "pool");
        }
    };
};

QTEST_GUILESS_MAIN(MaxPoolBlocksTest)
#include "max_pool_blocks_test.moc"
