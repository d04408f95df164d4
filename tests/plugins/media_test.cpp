// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAudioFormat>
#include <QBuffer>
#include <QLibraryInfo>
#include <QTest>
#include <QVideoFrame>
#include <QVideoFrameFormat>
#include <cmath>

#include "engine/data/sound/wav_file.h"
#include "plugins/media/camera_format.h"
#include "plugins/media/frame_image.h"
#include "plugins/media/piece_sound.h"
#include "ui/capture/capture_module.h"

using namespace temper;
using namespace temper::ui;

namespace {

using Format = QVideoFrameFormat::PixelFormat;

constexpr int kPatienceMs = 60'000;
constexpr int kWidth = 32, kHeight = 16;

/// Left red above green, right blue above grey: nothing is the same mirrored or turned.
QColor colorAt(int x, int y) {
    if (x < kWidth / 2) return y < kHeight / 2 ? QColor(200, 30, 40) : QColor(40, 180, 60);
    return y < kHeight / 2 ? QColor(30, 60, 210) : QColor(128, 128, 128);
}

struct Yuv {
    int y, u, v;
};

/// Source: ITU-R BT.601, 8 bits, limited range.
Yuv yuvOf(const QColor& color) {
    const double r = color.red() / 255.0, g = color.green() / 255.0, b = color.blue() / 255.0;
    return {qRound(16 + 65.481 * r + 128.553 * g + 24.966 * b),
            qRound(128 - 37.797 * r - 74.203 * g + 112 * b),
            qRound(128 + 112 * r - 93.786 * g - 18.214 * b)};
}

struct Writer {
    QVideoFrame& frame;

    void set(int plane, int x, int y, int value) const {
        frame.bits(plane)[y * frame.bytesPerLine(plane) + x] = static_cast<uchar>(value);
    }
    /// Interleaved bytes of one pixel, in the order of memory.
    void pixel(int x, int y, std::initializer_list<int> bytes) const {
        int at = static_cast<int>(bytes.size()) * x;
        for (const int byte : bytes) set(0, at++, y, byte);
    }
};

void writePixel(const Writer& to, Format format, int x, int y) {
    const QColor color = colorAt(x, y);
    const int r = color.red(), g = color.green(), b = color.blue();
    const Yuv yuv = yuvOf(color);
    const int half = x / 2, quarter = y / 2;
    switch (format) {
        case QVideoFrameFormat::Format_ARGB8888:
        case QVideoFrameFormat::Format_XRGB8888: return to.pixel(x, y, {255, r, g, b});
        case QVideoFrameFormat::Format_BGRA8888:
        case QVideoFrameFormat::Format_BGRX8888: return to.pixel(x, y, {b, g, r, 255});
        case QVideoFrameFormat::Format_ABGR8888:
        case QVideoFrameFormat::Format_XBGR8888: return to.pixel(x, y, {255, b, g, r});
        case QVideoFrameFormat::Format_RGBA8888:
        case QVideoFrameFormat::Format_RGBX8888: return to.pixel(x, y, {r, g, b, 255});
        case QVideoFrameFormat::Format_UYVY:
            return to.pixel(x, y, {x % 2 == 0 ? yuv.u : yuv.v, yuv.y});
        case QVideoFrameFormat::Format_YUYV:
            return to.pixel(x, y, {yuv.y, x % 2 == 0 ? yuv.u : yuv.v});
        case QVideoFrameFormat::Format_Y8: return to.set(0, x, y, qGray(r, g, b));
        case QVideoFrameFormat::Format_YUV420P:
            to.set(0, x, y, yuv.y);
            to.set(1, half, quarter, yuv.u);
            return to.set(2, half, quarter, yuv.v);
        case QVideoFrameFormat::Format_YV12:
            to.set(0, x, y, yuv.y);
            to.set(1, half, quarter, yuv.v);
            return to.set(2, half, quarter, yuv.u);
        case QVideoFrameFormat::Format_NV12:
            to.set(0, x, y, yuv.y);
            to.set(1, 2 * half, quarter, yuv.u);
            return to.set(1, 2 * half + 1, quarter, yuv.v);
        case QVideoFrameFormat::Format_NV21:
            to.set(0, x, y, yuv.y);
            to.set(1, 2 * half, quarter, yuv.v);
            return to.set(1, 2 * half + 1, quarter, yuv.u);
        default: QFAIL("no pixels of this format are made");
    }
}

QVideoFrame frameOf(Format format) {
    QVideoFrame frame(QVideoFrameFormat({kWidth, kHeight}, format));
    if (!frame.map(QVideoFrame::WriteOnly)) return {};
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) writePixel({frame}, format, x, y);
    frame.unmap();
    return frame;
}

/// By a quarter, when it is shown.
void turnClockwise(QVideoFrame& frame) {
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    frame.setRotation(QtVideo::Rotation::Clockwise90);
#else
    frame.setRotationAngle(QVideoFrame::Rotation90);
#endif
}

/// Where colours of half the resolution may mix.
bool isAtBorder(int x, int y) {
    return std::abs(x - kWidth / 2) < 3 || std::abs(y - kHeight / 2) < 3;
}

int farthest(const QColor& a, const QColor& b) {
    return std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()),
                     std::abs(a.blue() - b.blue())});
}

template <typename T>
QByteArray bytesOf(std::initializer_list<T> values) {
    return {reinterpret_cast<const char*>(values.begin()), qsizetype(values.size() * sizeof(T))};
}

}  // namespace

class MediaTest : public QObject {
    Q_OBJECT

private slots:
    void framesOfAnyFormatAreRead_data() {
        QTest::addColumn<int>("format");
        QTest::addColumn<int>("tolerance");
        const auto row = [](Format format, int tolerance) {
            QTest::newRow(qPrintable(QVideoFrameFormat::pixelFormatToString(format)))
                << int(format) << tolerance;
        };
        for (const Format format :
             {QVideoFrameFormat::Format_ARGB8888, QVideoFrameFormat::Format_XRGB8888,
              QVideoFrameFormat::Format_BGRA8888, QVideoFrameFormat::Format_BGRX8888,
              QVideoFrameFormat::Format_ABGR8888, QVideoFrameFormat::Format_XBGR8888,
              QVideoFrameFormat::Format_RGBA8888, QVideoFrameFormat::Format_RGBX8888})
            row(format, 0);
        // Two roundings to 8 bits.
        for (const Format format :
             {QVideoFrameFormat::Format_UYVY, QVideoFrameFormat::Format_YUYV,
              QVideoFrameFormat::Format_YUV420P, QVideoFrameFormat::Format_YV12,
              QVideoFrameFormat::Format_NV12, QVideoFrameFormat::Format_NV21})
            row(format, 4);
        row(QVideoFrameFormat::Format_Y8, 0);
    }
    void framesOfAnyFormatAreRead() {
        QFETCH(int, format);
        QFETCH(int, tolerance);
        const QImage image = imageOf(frameOf(Format(format)));
        QCOMPARE(image.size(), QSize(kWidth, kHeight));
        QCOMPARE(image.format(), QImage::Format_RGB888);
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                if (tolerance > 0 && isAtBorder(x, y)) continue;
                QColor expected = colorAt(x, y);
                if (format == QVideoFrameFormat::Format_Y8) {
                    const int grey = qGray(expected.rgb());
                    expected = QColor(grey, grey, grey);
                }
                const QColor found = image.pixelColor(x, y);
                QVERIFY2(farthest(found, expected) <= tolerance,
                         qPrintable(QString("%1, %2: %3 instead of %4")
                                        .arg(x)
                                        .arg(y)
                                        .arg(found.name(), expected.name())));
            }
    }

    void framesAreTurnedThenMirrored_data() {
        QTest::addColumn<bool>("turned");
        QTest::addColumn<bool>("mirrored");
        QTest::addColumn<QPoint>("topLeft");
        QTest::addColumn<QPoint>("bottomLeft");
        const int right = kWidth - 1;
        const int bottom = kHeight - 1;
        QTest::newRow("as it is") << false << false << QPoint(0, 0) << QPoint(0, bottom);
        QTest::newRow("mirrored") << false << true << QPoint(right, 0) << QPoint(right, bottom);
        QTest::newRow("turned") << true << false << QPoint(0, bottom) << QPoint(right, bottom);
        QTest::newRow("both") << true << true << QPoint(0, 0) << QPoint(right, 0);
    }
    void framesAreTurnedThenMirrored() {
        QFETCH(bool, turned);
        QFETCH(bool, mirrored);
        QFETCH(QPoint, topLeft);
        QFETCH(QPoint, bottomLeft);
        QVideoFrame frame = frameOf(QVideoFrameFormat::Format_BGRX8888);
        if (turned) turnClockwise(frame);
        frame.setMirrored(mirrored);
        const QImage image = imageOf(frame);
        QCOMPARE(image.format(), QImage::Format_RGB888);
        QCOMPARE(image.size(), turned ? QSize(kHeight, kWidth) : QSize(kWidth, kHeight));
        QCOMPARE(image.pixelColor(0, 0), colorAt(topLeft.x(), topLeft.y()));
        QCOMPARE(image.pixelColor(0, image.height() - 1), colorAt(bottomLeft.x(), bottomLeft.y()));
    }

    void aFrameWithoutPictureIsNoImage() { QVERIFY(imageOf(QVideoFrame()).isNull()); }

    void soundsOfAnyFormatAreRead_data() {
        QTest::addColumn<int>("format");
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, QAudioFormat::SampleFormat format,
                            const QByteArray& bytes) {
            QTest::newRow(name) << int(format) << bytes;
        };
        // 0, 1/2, -1, -1/4
        row("UInt8", QAudioFormat::UInt8, bytesOf<uint8_t>({128, 192, 0, 96}));
        row("Int16", QAudioFormat::Int16, bytesOf<int16_t>({0, 16384, -32768, -8192}));
        row("Int32", QAudioFormat::Int32,
            bytesOf<int32_t>({0, 1 << 30, std::numeric_limits<int32_t>::min(), -(1 << 29)}));
        row("Float", QAudioFormat::Float, bytesOf<float>({0, 0.5F, -1, -0.25F}));
    }
    void soundsOfAnyFormatAreRead() {
        QFETCH(int, format);
        QFETCH(QByteArray, bytes);
        for (const int rate : {8000, 44100, 48000})
            for (const int channels : {1, 2, 4}) {
                QAudioFormat audio;
                audio.setSampleFormat(QAudioFormat::SampleFormat(format));
                audio.setSampleRate(rate);
                audio.setChannelCount(channels);
                const Sound sound = soundOf(bytes, audio);
                QCOMPARE(sound.rate, double(rate));
                QCOMPARE(sound.channels, int64_t(channels));
                QVERIFY(sound.samples == std::vector<float>({0, 0.5F, -1, -0.25F}));
                // Of an instant that is not complete, nothing is taken.
                const Sound cut = soundOf(bytes.chopped(1), audio);
                QCOMPARE(cut.samples.size(), size_t(3 / channels * channels));
            }
        QVERIFY(soundOf(bytes, QAudioFormat()).samples.empty());
    }

    /// A recording and its file, to the bit.
    void samplesAreThoseOfAWavFile() {
        QByteArray samples;
        for (int value = -32768; value < 32768; value += 7)
            samples += bytesOf<int16_t>({static_cast<int16_t>(value)});
        const QByteArray file =
            "RIFF" + bytesOf<uint32_t>({0}) + "WAVEfmt " + bytesOf<uint32_t>({16}) +
            bytesOf<uint16_t>({1, 1}) + bytesOf<uint32_t>({16000, 32000}) +
            bytesOf<uint16_t>({2, 16}) + "data" +
            bytesOf<uint32_t>({static_cast<uint32_t>(samples.size())}) + samples;
        const Sound ofFile = decodeWav(
            {reinterpret_cast<const std::byte*>(file.constData()), size_t(file.size())}, "a.wav");
        QAudioFormat audio;
        audio.setSampleFormat(QAudioFormat::Int16);
        audio.setSampleRate(16000);
        audio.setChannelCount(1);
        const Sound sound = soundOf(samples, audio);
        QVERIFY(sound.samples == ofFile.samples);
        QCOMPARE(sound.rate, ofFile.rate);
    }

    void aFormOfTheCameraIsChosen_data() {
        QTest::addColumn<std::vector<CameraForm>>("offered");
        QTest::addColumn<int>("expected");
        using Forms = std::vector<CameraForm>;
        const CameraForm small{{320, 240}, 30}, middle{{640, 480}, 30}, large{{1920, 1080}, 30},
            slow{{640, 480}, 5}, wide{{1280, 720}, 30}, tiny{{160, 120}, 30}, fast{{640, 480}, 60};
        QTest::newRow("none") << Forms{} << -1;
        QTest::newRow("one") << Forms{tiny} << 0;
        QTest::newRow("just enough") << Forms{large, small, middle, wide} << 2;
        QTest::newRow("the largest of small ones") << Forms{tiny, small} << 1;
        QTest::newRow("smooth rather than slow") << Forms{slow, large, wide} << 2;
        QTest::newRow("slow rather than none") << Forms{slow} << 0;
        QTest::newRow("the smoothest") << Forms{middle, fast} << 1;
    }
    void aFormOfTheCameraIsChosen() {
        QFETCH(std::vector<CameraForm>, offered);
        QFETCH(int, expected);
        const auto chosen = chooseCameraForm(offered);
        QCOMPARE(chosen ? int(*chosen) : -1, expected);
    }

    /// What the studio does, on a machine that may have no devices.
    void theModuleIsLoaded() {
        QCOMPARE(CaptureModule::installedFile(), QString(TEMPER_MEDIA));
        CaptureModule module(TEMPER_MEDIA);
        QVERIFY(module.isInstalled());
        CaptureDevices* devices = module.devices();
        QVERIFY2(devices != nullptr, qPrintable(module.obstacle()));
        QVERIFY(module.obstacle().isEmpty());
        for (const auto& list : {devices->cameras(), devices->microphones()})
            for (const CaptureDevice& device : list)
                QVERIFY(!device.id.isEmpty() && !device.name.isEmpty());
        qInfo("%zu cameras, %zu microphones", devices->cameras().size(),
              devices->microphones().size());
    }

    void aDeviceThatIsNotThereFails() {
        CaptureModule module(TEMPER_MEDIA);
        CaptureDevices* devices = module.devices();
        QVERIFY(devices != nullptr);
        std::vector<CaptureFault> faults;
        std::unique_ptr<CaptureSource> camera, microphone;
        // A listener may destroy its source.
        camera = devices->openCamera("none", {[](const QImage&) {},
                                              [&](const auto& failure) {
                                                  camera.reset();
                                                  faults.push_back(failure.fault);
                                              }});
        microphone = devices->openMicrophone("none", {[](const Sound&) {},
                                                      [&](const auto& failure) {
                                                          microphone.reset();
                                                          faults.push_back(failure.fault);
                                                      }});
        QVERIFY(faults.empty());
        QVERIFY(QTest::qWaitFor([&] { return faults.size() == 2; }, kPatienceMs));
        QVERIFY(faults == std::vector<CaptureFault>(2, CaptureFault::Unplugged));
        camera = devices->openCamera("none", {});  // released before it fails
    }

    void otherLibrariesAreRefused() {
        const QTemporaryDir folder;
        QFile text(folder.filePath("media.so"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("not a library");
        text.close();
        CaptureModule damaged(text.fileName());
        QVERIFY(damaged.devices() == nullptr);
        QVERIFY(damaged.obstacle().contains("could not be loaded"));
        CaptureModule other(QLibraryInfo::path(QLibraryInfo::PluginsPath) +
                            "/platforms/libqoffscreen.so");
        QVERIFY(other.isInstalled());
        QVERIFY(other.devices() == nullptr);
        QVERIFY(other.obstacle().contains("another version"));
        CaptureModule missing(folder.filePath("none.so"));
        QVERIFY(missing.devices() == nullptr);
        QVERIFY(missing.obstacle().contains("temper-studio-media"));
    }
};

QTEST_MAIN(MediaTest)
#include "media_test.moc"
