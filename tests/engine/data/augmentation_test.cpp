// SPDX-License-Identifier: Apache-2.0
#include "engine/data/augmentation.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "engine/data/batch_loader.h"
#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"
#include "engine/data/open_data.h"
#include "tests/engine/data/data_test_support.h"

using namespace temper;
using namespace temper::test;

namespace {

/// `count` pictures of one channel, all 0, 1, 2, ...
std::shared_ptr<const Dataset> pictures(int64_t count, int64_t height, int64_t width) {
    Tensor values(DType::Float32, {count, 1, height, width});
    for (int64_t i = 0; i < values.numElements(); ++i) {
        values.mutableValues<float>()[size_t(i)] = static_cast<float>(i % (height * width));
    }
    Column column;
    column.name = "x";
    return std::make_shared<TensorDataset>(std::vector{column}, std::vector{values});
}

std::vector<float> sampleOf(const Dataset& data, int64_t sample) {
    const Tensor values = data.get(sample, 0);
    return {values.values<float>().begin(), values.values<float>().end()};
}

std::vector<float> varied(const Dataset& data, const Augmentation& options, int64_t sample,
                          int64_t epoch = 0, uint64_t seed = 1) {
    const std::shared_ptr<const Dataset> borrowed(std::shared_ptr<const void>(), &data);
    return sampleOf(*augmented(borrowed, prepareAugmentation(data, 0, options, seed), epoch),
                    sample);
}

std::vector<float> flippedRows(std::vector<float> values, size_t width) {
    for (size_t row = 0; row < values.size(); row += width) {
        std::reverse(values.begin() + std::ptrdiff_t(row),
                     values.begin() + std::ptrdiff_t(row + width));
    }
    return values;
}

}  // namespace

class AugmentationTest : public QObject {
    Q_OBJECT

private slots:
    void halfOfThePicturesAreMirrored() {
        const auto data = pictures(200, 3, 5);
        const std::vector<float> plain = sampleOf(*data, 0);
        const std::vector<float> mirrored = flippedRows(plain, 5);
        int count = 0;
        for (int64_t i = 0; i < 200; ++i) {
            const std::vector<float> found = varied(*data, {.flipHorizontal = true}, i);
            QVERIFY(found == plain || found == mirrored);
            count += found == mirrored ? 1 : 0;
        }
        QVERIFY2(count > 70 && count < 130, qPrintable(QString::number(count)));
        std::vector<float> upsideDown = plain;
        std::reverse(upsideDown.begin(), upsideDown.end());
        upsideDown = flippedRows(upsideDown, 5);
        std::set<std::vector<float>> seen;
        for (int64_t i = 0; i < 200; ++i) seen.insert(varied(*data, {.flipVertical = true}, i));
        QCOMPARE(seen, (std::set<std::vector<float>>{plain, upsideDown}));
    }

    void cropsMoveThePictureByWholePixels() {
        const auto data = pictures(400, 4, 4);
        const std::vector<float> plain = sampleOf(*data, 0);
        std::set<std::pair<int, int>> shifts;
        for (int64_t i = 0; i < 400; ++i) {
            const std::vector<float> found = varied(*data, {.crop = 1}, i);
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    bool same = true;
                    for (int at = 0; at < 16; ++at) {
                        const int x = at % 4 - dx;
                        const int y = at / 4 - dy;
                        const bool inside = x >= 0 && y >= 0 && x < 4 && y < 4;
                        const float expected = inside ? plain[size_t(y * 4 + x)] : 0;
                        same = same && found[size_t(at)] == expected;
                    }
                    if (same) shifts.insert({dx, dy});
                }
            }
        }
        QCOMPARE(shifts.size(), size_t{9});
    }

    void rotationTurnsAboutTheCentre() {
        // A dot off the centre keeps its distance from it; the angles cover the range.
        Tensor dot(DType::Float32, {300, 1, 41, 41});
        for (size_t i = 0; i < 300; ++i) {
            for (const size_t x : {29, 30, 31}) {
                for (const size_t y : {19, 20, 21}) {
                    dot.mutableValues<float>()[i * 1681 + y * 41 + x] = 1;
                }
            }
        }
        Column column;
        column.name = "x";
        const TensorDataset data({column}, {dot});
        double most = 0;
        for (int64_t i = 0; i < 300; ++i) {
            const std::vector<float> found = varied(data, {.rotate = 30}, i);
            double sum = 0, x = 0, y = 0;
            for (size_t at = 0; at < found.size(); ++at) {
                sum += found[at];
                x += found[at] * (double(at % 41) - 20);
                y += found[at] * (double(at / 41) - 20);
            }
            QVERIFY(std::abs(sum - 9) < 0.6);
            QVERIFY(std::abs(std::hypot(x, y) / sum - 10) < 0.2);
            most = std::max(most, std::abs(std::atan2(y, x)) * 180 / std::numbers::pi);
        }
        QVERIFY2(most > 28 && most < 30.5, qPrintable(QString::number(most)));
    }

    void lightChangesWithinItsRange() {
        const auto data = pictures(300, 2, 8);
        const std::vector<float> plain = sampleOf(*data, 0);
        float low = 1, high = 1;
        for (int64_t i = 0; i < 300; ++i) {
            const std::vector<float> found = varied(*data, {.brightness = 0.25}, i);
            const float factor = found[15] / plain[15];
            for (size_t at = 1; at < 16; ++at)
                QVERIFY(std::abs(found[at] / plain[at] - factor) < 1e-5F);
            low = std::min(low, factor);
            high = std::max(high, factor);
            const std::vector<float> contrast = varied(*data, {.contrast = 0.5}, i);
            const float mean = std::accumulate(contrast.begin(), contrast.end(), 0.0F) / 16;
            QVERIFY(std::abs(mean - 7.5F) < 1e-4F);
        }
        QVERIFY(low >= 0.75F && low < 0.76F && high <= 1.25F && high > 1.24F);
    }

    void saturationKeepsTheLuma() {
        Tensor pixels = Tensor::of<float>({1, 3, 2, 2}, {9, 1, 5, 7, 2, 8, 5, 1, 4, 4, 5, 0});
        Column column;
        column.name = "x";
        const TensorDataset data({column}, {pixels});
        const std::vector<float> found = varied(data, {.saturation = 0.9}, 0);
        const std::vector<float> plain = sampleOf(data, 0);
        for (size_t at = 0; at < 4; ++at) {
            const auto luma = [&](const std::vector<float>& v) {
                return 0.299F * v[at] + 0.587F * v[at + 4] + 0.114F * v[at + 8];
            };
            QVERIFY(std::abs(luma(found) - luma(plain)) < 1e-4F);
        }
        QVERIFY(std::abs(found[2] - 5) < 1e-5F);  // a grey pixel stays
        QVERIFY(std::abs(found[0] - 9) > 0.05F);  // a coloured one does not
    }

    void noiseHasItsDeviation() {
        Tensor table(DType::Float32, {4000, 2});
        for (size_t i = 0; i < 4000; ++i) {
            table.mutableValues<float>()[2 * i] = i % 2 == 0 ? -1.0F : 1.0F;       // deviation 1
            table.mutableValues<float>()[2 * i + 1] = i % 2 == 0 ? 0.0F : 200.0F;  // deviation 100
        }
        Column column;
        column.name = "features";
        const TensorDataset data({column}, {table});
        const std::shared_ptr<const Dataset> borrowed(std::shared_ptr<const void>(), &data);
        const auto noisy = augmented(borrowed, prepareAugmentation(data, 0, {.noise = 0.1}, 3), 0);
        double squares[2] = {0, 0};
        for (int64_t i = 0; i < 4000; ++i) {
            const std::vector<float> a = sampleOf(*noisy, i), b = sampleOf(data, i);
            for (size_t c = 0; c < 2; ++c) squares[c] += std::pow(double{a[c]} - double{b[c]}, 2);
        }
        QVERIFY(std::abs(std::sqrt(squares[0] / 4000) - 0.1) < 0.005);
        QVERIFY(std::abs(std::sqrt(squares[1] / 4000) - 10) < 0.5);
    }

    void whatIsDrawnFollowsFromSeedEpochAndSample() {
        const auto data = pictures(50, 6, 6);
        const Augmentation options{.flipHorizontal = true,
                                   .crop = 2,
                                   .rotate = 10,
                                   .noise = 0.05,
                                   .brightness = 0.1,
                                   .contrast = 0.1};
        QCOMPARE(varied(*data, options, 7, 3), varied(*data, options, 7, 3));
        QVERIFY(varied(*data, options, 7, 3) != varied(*data, options, 8, 3));
        QVERIFY(varied(*data, options, 7, 3) != varied(*data, options, 7, 4));
        QVERIFY(varied(*data, options, 7, 3) != varied(*data, options, 7, 3, 2));
        // One sample or many, in any order
        const auto view = augmented(data, prepareAugmentation(*data, 0, options, 1), 3);
        const std::vector<int64_t> samples = {9, 7, 1};
        const Tensor batch = view->batch(0, samples);
        const std::vector<float> alone = sampleOf(*view, 7);
        QVERIFY(std::equal(alone.begin(), alone.end(), batch.values<float>().begin() + 36));
    }

    void theLoaderVariesEachEpochAndResumesBitEqual() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "x.npz");
        Tensor x(DType::UInt8, {20, 1, 8, 8});
        for (size_t i = 0; i < 20 * 64; ++i) x.mutableValues<uint8_t>()[i] = uint8_t(i * 37);
        Tensor y(DType::Int64, {20});
        for (size_t i = 0; i < 20; ++i) y.mutableValues<int64_t>()[i] = int64_t(i % 2);
        writeNpz(path, {{"x", x}, {"y", y}});
        const std::string spec =
            path + "?flip=both&crop=1&rotate=20&brightness=0.3&noise=0.02&seed=5";
        const OpenedData data = openData(spec);
        QVERIFY(data.training->inEpoch(0) != nullptr);
        QVERIFY(openData(path).training->inEpoch(0) == nullptr);
        // Everyone but the trainer sees the plain samples.
        const Tensor plain = openData(path).training->get(3, 0);
        const Tensor seen = data.training->get(3, 0);
        QVERIFY(std::equal(plain.values<float>().begin(), plain.values<float>().end(),
                           seen.values<float>().begin()));
        const std::vector<BatchField> fields = {{"x", DType::Undefined, std::nullopt}};
        const auto batches = [&](int64_t first, bool varies) {
            BatchLoader loader(
                data.training, fields,
                {.batchSize = 5, .seed = 9, .epochs = 3, .firstBatch = first, .varies = varies});
            std::vector<std::vector<float>> all;
            while (const auto batch = loader.next()) {
                const auto values = batch->tensors[0].values<float>();
                all.emplace_back(values.begin(), values.end());
            }
            return all;
        };
        const auto whole = batches(0, true);
        QCOMPARE(whole.size(), size_t{12});
        QCOMPARE(batches(7, true), (std::vector(whole.begin() + 7, whole.end())));
        QVERIFY(batches(0, false) != whole);
        QCOMPARE(openData(spec).training->inEpoch(2)->get(4, 0).values<float>()[9],
                 data.training->inEpoch(2)->get(4, 0).values<float>()[9]);
        QVERIFY(data.training->inEpoch(0)->get(4, 0).values<float>()[27] !=
                data.training->inEpoch(1)->get(4, 0).values<float>()[27]);
    }

    void badOptionsAreNamed_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("message");
        QTest::newRow("flip") << "flip=sideways"
                              << "'flip'";
        QTest::newRow("crop") << "crop=-1"
                              << "'crop'";
        QTest::newRow("large crop") << "crop=100000"
                                    << "'crop'";
        QTest::newRow("rotation") << "rotate=200"
                                  << "'rotate'";
        QTest::newRow("brightness") << "brightness=1.5"
                                    << "'brightness'";
        QTest::newRow("noise") << "noise=much"
                               << "'noise'";
    }
    void badOptionsAreNamed() {
        QFETCH(QString, options);
        QFETCH(QString, message);
        const QString error =
            errorOf([&] { augmentationOf(parseDataSpec("csv:a.csv?" + options.toStdString())); });
        QVERIFY2(error.contains(message), qPrintable(error));
    }
};

QTEST_GUILESS_MAIN(AugmentationTest)
#include "augmentation_test.moc"
