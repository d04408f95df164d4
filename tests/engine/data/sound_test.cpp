// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "engine/core/interruption.h"
#include "engine/data/array_dataset.h"
#include "engine/data/sound/sound.h"
#include "engine/data/sound/wav_file.h"
#include "engine/data/sound_sample.h"
#include "tests/engine/data/data_test_support.h"
#include "tests/support/bad_files.h"

using namespace temper;
using namespace temper::test;

namespace {

using Samples = std::vector<float>;

Sound parse(const QByteArray& bytes) {
    return decodeWav({reinterpret_cast<const std::byte*>(bytes.data()), size_t(bytes.size())},
                     "a.wav");
}

template <typename T>
QByteArray raw(T value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

QByteArray chunk(const char* name, const QByteArray& content) {
    return QByteArray(name, 4) + raw(uint32_t(content.size())) + content +
           QByteArray(content.size() % 2, '\0');
}

QByteArray format(uint16_t kind, uint16_t channels, uint32_t rate, uint16_t bits) {
    const auto instant = static_cast<uint16_t>(channels * bits / 8);
    return raw(kind) + raw(channels) + raw(rate) + raw(rate * instant) + raw(instant) + raw(bits);
}

QByteArray riff(const QByteArray& chunks) {
    return "RIFF" + raw(uint32_t(4 + chunks.size())) + "WAVE" + chunks;
}

Samples sine(double rate, double hertz, double seconds) {
    Samples samples(static_cast<size_t>(std::llround(rate * seconds)));
    for (size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<float>(
            std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) / rate));
    return samples;
}

/// Sounds in the rows of a column, as opened from a file.
OpenedData dataOf(const Tensor& sounds, std::vector<std::string> names = {}) {
    Column column;
    column.name = "sound";
    column.elements = std::move(names);
    OpenedData data;
    data.training = std::make_shared<TensorDataset>(std::vector{column}, std::vector{sounds});
    return data;
}

/// Rows with different loudness.
Tensor sounds(int64_t count, int64_t length, double hertz, double loudness) {
    const Samples one = sine(4000, hertz, static_cast<double>(count * length) / 4000);
    Samples all;
    for (const float value : one) all.push_back(static_cast<float>(loudness) * value);
    return Tensor::of<float>({count, length}, all);
}

Samples valuesOf(const Tensor& tensor) {
    return {tensor.values<float>().begin(), tensor.values<float>().end()};
}

}  // namespace

class SoundTest : public QObject {
    Q_OBJECT

private slots:
    void wavFilesAreRead_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<int>("channels");
        QTest::addColumn<Samples>("expected");
        const auto row = [](const char* name, const QByteArray& file, int channels,
                            const Samples& expected) {
            QTest::newRow(name) << file << channels << expected;
        };
        row("8 bits",
            riff(chunk("fmt ", format(1, 1, 8000, 8)) + chunk("data", "\x80\xff" + raw('\0'))), 1,
            {0, 127.0F / 128, -1});
        row("16 bits",
            riff(chunk("fmt ", format(1, 2, 8000, 16)) +
                 chunk("data", raw(int16_t(1)) + raw(int16_t(-32768)) + raw(int16_t(16384)) +
                                   raw(int16_t(32767)))),
            2, {1.0F / 32768, -1, 0.5, 32767.0F / 32768});
        row("24 bits",
            riff(chunk("fmt ", format(1, 1, 8000, 24)) +
                 chunk("data", QByteArray("\x01\x00\x00\x00\x00\x80\x00\x00\x40", 9))),
            1, {1.0F / 8388608, -1, 0.5});
        row("32 bits",
            riff(chunk("fmt ", format(1, 1, 8000, 32)) +
                 chunk("data", raw(int32_t(1 << 30)) + raw(INT32_MIN))),
            1, {0.5, -1});
        row("float32",
            riff(chunk("fmt ", format(3, 1, 8000, 32)) +
                 chunk("data", raw(0.1F) + raw(-1.5F) + raw(std::nanf("")))),
            1, {0.1F, -1.5F, 0});
        row("float64",
            riff(chunk("fmt ", format(3, 1, 8000, 64)) + chunk("data", raw(0.25) + raw(-0.1))), 1,
            {0.25F, -0.1F});
        // The subformat is a GUID that begins with the kind.
        row("extensible",
            riff(chunk("fmt ", format(0xFFFE, 1, 8000, 16) + raw(uint16_t(22)) + raw(uint16_t(16)) +
                                   raw(uint32_t(4)) + raw(uint16_t(1)) + QByteArray(14, '\7')) +
                 chunk("data", raw(int16_t(8192)))),
            1, {0.25});
        row("other chunks, one of odd length",
            riff(chunk("LIST", "abc") + chunk("fmt ", format(1, 1, 8000, 16)) +
                 chunk("fact", "four") + chunk("data", raw(int16_t(8192)))),
            1, {0.25});
        row("broken off",
            riff(chunk("fmt ", format(1, 2, 8000, 16)) + "data" + raw(uint32_t(4000)) +
                 raw(int16_t(8192)) + raw(int16_t(-8192)) + raw(int16_t(1))),
            2, {0.25, -0.25});
    }
    void wavFilesAreRead() {
        QFETCH(QByteArray, file);
        QFETCH(int, channels);
        QFETCH(Samples, expected);
        const Sound sound = parse(file);
        QCOMPARE(sound.rate, 8000.0);
        QCOMPARE(sound.channels, int64_t(channels));
        QVERIFY(sound.samples == expected);
    }

    void wavFilesAreReadAsPythonReadsThem_data() {
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("channels");
        for (const int bytes : {1, 2, 3, 4})
            for (const int channels : {1, 2})
                QTest::addRow("%d bits, %d channels", 8 * bytes, channels) << bytes << channels;
    }
    void wavFilesAreReadAsPythonReadsThem() {
        QFETCH(int, bytes);
        QFETCH(int, channels);
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.wav");
        bool ran = false;
        const QByteArray words =
            runPython(R"(
import random, sys, wave
path, size, channels = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(1)
with wave.open(path, "wb") as file:
    file.setnchannels(channels); file.setsampwidth(size); file.setframerate(22050)
    file.writeframes(random.randbytes(100 * size * channels))
with wave.open(path, "rb") as file:
    data = file.readframes(100)
for at in range(0, len(data), size):
    word = int.from_bytes(data[at:at + size], "little", signed=size > 1)
    print((word - 128 if size == 1 else word) / 2 ** (8 * size - 1)))",
                      {path, QString::number(bytes), QString::number(channels)}, ran);
        if (!ran) QSKIP("needs /usr/bin/python3");
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Sound sound = parse(file.readAll());
        QCOMPARE(sound.rate, 22050.0);
        QCOMPARE(sound.instants(), int64_t{100});
        Samples expected;
        for (const QByteArray& word : words.trimmed().split('\n'))
            expected.push_back(word.toFloat());
        QVERIFY(sound.samples == expected);
    }

    void badSoundsAreRefusedByName_data() {
        QTest::addColumn<QByteArray>("file");
        const QByteArray samples = chunk("data", raw(int16_t(1)));
        const auto row = [](const char* name, const QByteArray& file) {
            QTest::newRow(name) << file;
        };
        row("empty", {});
        row("text", "RIFF is not all that a sound needs");
        row("without a format", riff(samples));
        row("without samples", riff(chunk("fmt ", format(1, 1, 8000, 16))));
        row("a format of 8 bytes", riff(chunk("fmt ", format(1, 1, 8000, 16).left(8)) + samples));
        row("no channels", riff(chunk("fmt ", format(1, 0, 8000, 16)) + samples));
        row("a rate of 0", riff(chunk("fmt ", format(1, 1, 0, 16)) + samples));
        row("a rate of 1 Hz", riff(chunk("fmt ", format(1, 1, 1, 16)) + samples));
        row("ADPCM", riff(chunk("fmt ", format(2, 1, 8000, 4)) + samples));
        row("12 bits", riff(chunk("fmt ", format(1, 1, 8000, 12)) + samples));
        row("a chunk beyond the end", riff("LIST" + raw(uint32_t(0xFFFFFFFF)) + samples));
    }
    void badSoundsAreRefusedByName() {
        QFETCH(QByteArray, file);
        compareWithBadFiles("Sound", errorOf([&] { parse(file); }));
    }

    /// It could not write how many samples it has.
    void aRecordingThatBrokeOffIsRead() {
        QByteArray file = riff(chunk("fmt ", format(1, 1, 8000, 16)) +
                               chunk("data", raw(int16_t(1 << 14)) + raw(int16_t(0))));
        for (const qsizetype size : {qsizetype(4), file.size() - 8})
            file.replace(size, 4, raw(uint32_t(0)));
        QVERIFY(parse(file).samples == Samples({0.5F, 0}));
    }

    void resamplingIsInterrupted() {
        const InterruptionScope scope([] { return true; });
        QVERIFY_EXCEPTION_THROWN(resampled(Samples(10'000), 8000, 16000), Interrupted);
    }

    void channelsAreMixed() {
        QVERIFY(mixedDown({8000, 2, {1, 0, -0.5F, 0.25F}}) == Samples({0.5F, -0.125F}));
        QVERIFY(mixedDown({8000, 1, {1, 0}}) == Samples({1, 0}));
    }

    void aResampledSineIsASine_data() {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<double>("hertz");
        QTest::newRow("48000 -> 16000") << 48000.0 << 16000.0 << 440.0;
        QTest::newRow("44100 -> 16000") << 44100.0 << 16000.0 << 3000.0;
        QTest::newRow("48000 -> 4000") << 48000.0 << 4000.0 << 523.25;
        QTest::newRow("8000 -> 44100") << 8000.0 << 44100.0 << 1000.0;
        QTest::newRow("44100 -> 48000") << 44100.0 << 48000.0 << 10000.0;
    }
    void aResampledSineIsASine() {
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(double, hertz);
        const Samples found = resampled(sine(from, hertz, 0.25), from, to);
        const Samples expected = sine(to, hertz, 0.25);
        QCOMPARE(found.size(), expected.size());
        const auto edge = static_cast<size_t>(20 * std::max(1.0, to / from));  // of the filter
        double largest = 0;
        for (size_t i = edge; i + edge < found.size(); ++i)
            largest = std::max(largest, std::abs(double(found[i]) - expected[i]));
        QVERIFY2(largest < 2e-3, qPrintable(QString::number(largest)));
    }

    /// A tone that the new rate can't hold would return as another tone.
    void whatTheNewRateCanNotHoldIsRemoved() {
        const Samples found = resampled(sine(48000, 5000, 0.25), 48000, 8000);
        const std::span middle = std::span(found).subspan(40, found.size() - 80);
        QVERIFY(rootMeanSquare(middle) < 1e-3);
        QVERIFY(resampled(Samples(480, 0.25F), 48000, 8000) == Samples(80, 0.25F));
    }

    void theSameRateChangesNothing() {
        const Samples samples = sine(16000, 440, 0.1);
        QVERIFY(resampled(samples, 16000, 16000) == samples);
        QVERIFY(resampled({}, 16000, 8000).empty());
    }

    void theLoudestPartIsFound() {
        Samples samples(1000);
        for (size_t i = 0; i < samples.size(); ++i)
            samples[i] = static_cast<float>(std::sin(0.01 * double(i)) * double((i * 7919) % 101));
        for (const int64_t length : {int64_t{1}, int64_t{50}, int64_t{333}}) {
            int64_t best = 0;
            double most = -1;
            for (int64_t begin = 0; begin + length <= 1000; ++begin) {
                double energy = 0;
                for (int64_t i = begin; i < begin + length; ++i)
                    energy += double(samples[size_t(i)]) * samples[size_t(i)];
                if (energy > most + 1e-9) {
                    most = energy;
                    best = begin;
                }
            }
            QCOMPARE(loudestPart(samples, length), best);
        }
        QCOMPARE(loudestPart(samples, 1000), int64_t{0});
        QCOMPARE(loudestPart(samples, 2000), int64_t{0});
    }

    void soundsAreToldFromOtherNumbers() {
        QVERIFY(looksLikeSound(dataOf(sounds(8, 128, 440, 0.3)), 0));
        Tensor asRow = sounds(8, 128, 440, 0.3).reshaped({8, 1, 128});
        QVERIFY(looksLikeSound(dataOf(asRow), 0));
        // Too few numbers, pixels, rows of a table, noise, numbers without negative ones.
        QVERIFY(!looksLikeSound(dataOf(sounds(8, 32, 440, 0.3)), 0));
        QVERIFY(!looksLikeSound(dataOf(sounds(8, 128, 440, 0.3).reshaped({8, 8, 16})), 0));
        QVERIFY(!looksLikeSound(
            dataOf(sounds(8, 128, 440, 0.3), std::vector<std::string>(128, "width")), 0));
        Samples noise, positive;
        uint32_t state = 1;
        for (int i = 0; i < 8 * 128; ++i) {
            state = state * 1664525 + 1013904223;
            noise.push_back(static_cast<float>(state) / 4294967296.0F - 0.5F);
            positive.push_back(std::abs(std::sin(0.1F * static_cast<float>(i))));
        }
        QVERIFY(!looksLikeSound(dataOf(Tensor::of<float>({8, 128}, noise)), 0));
        QVERIFY(!looksLikeSound(dataOf(Tensor::of<float>({8, 128}, positive)), 0));
        QVERIFY(!looksLikeSound(dataOf(Tensor(DType::Int64, {8, 128})), 0));
    }

    void likelyRatesAreCommonOnes() {
        QCOMPARE(likelyRate(16000), 16000.0);
        QCOMPARE(likelyRate(8000), 8000.0);
        QCOMPARE(likelyRate(44100), 44100.0);
        QCOMPARE(likelyRate(128), 4000.0);
    }

    /// What has the rate, length and range of the training sounds arrives as it is.
    void aSoundLikeTheTrainingSoundsIsUnchanged() {
        const OpenedData data = dataOf(sounds(8, 128, 440, 0.5));
        const Samples one = sine(4000, 440, 128 / 4000.0);
        const FittedSound fitted = soundAsSample({4000, 1, one}, data, 0, {4000, false});
        QVERIFY(fitted.sample.shape() == Shape({1, 128}));
        QVERIFY(valuesOf(fitted.sample) == one);
        QCOMPARE(fitted.beginning, 0.0);
        QCOMPARE(fitted.end, 128 / 4000.0);
    }

    void theLoudestPartIsTaken() {
        const OpenedData data = dataOf(sounds(8, 100, 400, 0.5));
        Samples samples(1000);
        const Samples tone = sine(4000, 400, 0.025);
        std::ranges::copy(tone, samples.begin() + 600);
        const FittedSound fitted = soundAsSample({4000, 1, samples}, data, 0, {4000, false});
        QVERIFY(valuesOf(fitted.sample) == tone);
        QCOMPARE(fitted.beginning, 0.15);
        QCOMPARE(fitted.end, 0.175);
    }

    void shortSoundsAreFollowedBySilence() {
        const OpenedData data = dataOf(sounds(8, 128, 440, 0.5));
        Samples expected = sine(4000, 440, 0.01);
        const FittedSound fitted = soundAsSample({4000, 1, expected}, data, 0, {4000, false});
        expected.resize(128);
        QVERIFY(valuesOf(fitted.sample) == expected);
        QCOMPARE(fitted.end, 0.01);
    }

    void aSoundIsAsLoudAsTheTrainingSounds() {
        const OpenedData data = dataOf(sounds(8, 200, 400, 3));
        Samples quiet = sine(4000, 400, 0.05);
        for (float& value : quiet) value *= 0.01F;
        const FittedSound fitted = soundAsSample({4000, 1, quiet}, data, 0, {4000, true});
        QVERIFY(std::abs(rootMeanSquare(fitted.sample.values<float>()) - 3 / std::sqrt(2.0)) <
                1e-3);
        // Silence has no loudness.
        const FittedSound silent =
            soundAsSample({4000, 1, Samples(200, 0.0F)}, data, 0, {4000, true});
        QCOMPARE(rootMeanSquare(silent.sample.values<float>()), 0.0);
    }

    void fullScaleIsThatOfTheSource() {
        const auto first = [](const Tensor& sounds) {
            const OpenedData data = dataOf(sounds);
            const Samples half(128, 0.5F);
            return valuesOf(soundAsSample({4000, 1, half}, data, 0, {4000, false}).sample)[0];
        };
        QCOMPARE(first(sounds(8, 128, 440, 0.3)), 0.5F);
        QCOMPARE(first(sounds(8, 128, 440, 20'000)), 16384.0F);
        QCOMPARE(first(sounds(8, 128, 440, 20'000).cast(DType::Int16)), 16384.0F);
        QVERIFY(std::abs(first(sounds(8, 128, 440, 3)) - 1.5F) < 0.01F);
    }

    void aSoundIsNormalizedLikeTheSamples() {
        OpenedData data = dataOf(sounds(8, 128, 440, 0.5));
        data.normalization["sound"] = {{0.25}, {2}};
        const FittedSound fitted =
            soundAsSample({4000, 1, Samples(128, 0.5F)}, data, 0, {4000, false});
        QVERIFY(valuesOf(fitted.sample) == Samples(128, 0.125F));
    }

    void anEmptySoundIsRefused() {
        const OpenedData data = dataOf(sounds(8, 128, 440, 0.5));
        QCOMPARE(errorOf([&] {
                     soundAsSample({4000, 1, {}}, data, 0, {4000, true});
                 }),
                 QString("The sound is empty. | Record it again."));
        QCOMPARE(errorOf([&] {
                     soundAsSample({44100, 1, Samples(5, 0.5F)}, data, 0, {4000, true});
                 }),
                 QString("The sound is empty. | Record it again."));
    }
};

QTEST_APPLESS_MAIN(SoundTest)
#include "sound_test.moc"
