// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QElapsedTimer>
#include <cmath>

#include "engine/core/file.h"
#include "engine/data/image/exif.h"
#include "engine/data/image/image_decoder.h"
#include "engine/data/image_dataset.h"
#include "engine/data/npz_file.h"
#include "engine/data/open_data.h"
#include "engine/data/picture_sample.h"
#include "tests/engine/data/data_test_support.h"
#include "tests/support/bad_files.h"

using namespace temper;
using namespace temper::test;

namespace {

const std::string kPictures = TEMPER_SOURCE_DIR "/tests/engine/data/pictures/";

/// The pictures as Pillow reads and resizes them; see make_pictures.py.
const std::map<std::string, Tensor>& pillow() {
    static const std::map<std::string, Tensor> kArrays = readNpz(kPictures + "expected.npz");
    return kArrays;
}

Image decoded(const std::string& name) {
    const std::string bytes = readFile(kPictures + name);
    return decodeImage({std::as_bytes(std::span(bytes)), name});
}

/// The largest difference; a large number if the shapes differ.
int distance(const Image& image, const Tensor& expected) {
    if (expected.shape() != Shape{image.height, image.width, image.channels}) return 1000;
    int most = 0;
    for (size_t i = 0; i < image.pixels.size(); ++i) {
        most = std::max(most, std::abs(image.pixels[i] - expected.values<uint8_t>()[i]));
    }
    return most;
}

std::string damagedError(const std::string& name, const std::string& bytes) {
    return errorOf([&] { decodeImage({std::as_bytes(std::span(bytes)), name}); }).toStdString();
}

/// A picture of one colour.
void writeBmp(const QString& path, int red, int green, int blue) {
    QDir().mkpath(QFileInfo(path).path());
    QByteArray bytes("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x02\0\0\0\x01\0\x18\0",
                     30);
    bytes += QByteArray(24, '\0');
    for (int row = 0; row < 2; ++row) {
        for (int x = 0; x < 2; ++x) {
            for (const int value : {blue, green, red}) bytes += static_cast<char>(value);
        }
        bytes += QByteArray(2, '\0');
    }
    writeText(path.toStdString(), bytes);
}

std::vector<int64_t> labelsOf(const Dataset& data) {
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < data.size(); ++i) labels.push_back(data.get(i, 1).toInt64());
    return labels;
}

}  // namespace

class ImageTest : public QObject {
    Q_OBJECT

private slots:
    void picturesAreReadAsPillowReadsThem_data() {
        QTest::addColumn<QString>("file");
        for (const QFileInfo& file :
             QDir(QString::fromStdString(kPictures)).entryInfoList(QDir::Files)) {
            if (file.suffix() != QStringLiteral("npz")) {
                QTest::newRow(qPrintable(file.fileName())) << file.fileName();
            }
        }
    }
    void picturesAreReadAsPillowReadsThem() {
        QFETCH(QString, file);
        const std::string name = file.toStdString();
        QVERIFY(hasImageName(name));
        const Image image = decoded(name);
        // Other versions of the libraries may round differently in lossy formats.
        const bool isLossy = file.contains(QStringLiteral(".jp")) || name == "lossy.webp";
        const int most = distance(image, pillow().at(name));
        QVERIFY2(most <= (isLossy ? 2 : 0), qPrintable(QString::number(most)));
        const std::string bytes = readFile(kPictures + name);
        const ImageInfo info = inspectImage({std::as_bytes(std::span(bytes)), name});
        QCOMPARE(info.width, image.width);
        QCOMPARE(info.height, image.height);
    }

    void sizesChangeAsInPillow_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<bool>("crops");
        QTest::newRow("smaller") << 8 << 6 << false;
        QTest::newRow("larger") << 60 << 40 << false;
        QTest::newRow("lower") << 23 << 5 << false;
        QTest::newRow("narrower") << 3 << 17 << false;
        QTest::newRow("one pixel") << 1 << 1 << false;
        QTest::newRow("the middle") << 8 << 8 << true;
    }
    void sizesChangeAsInPillow() {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(bool, crops);
        const Image image =
            resized(decoded("rgb.png"), width, height, crops ? ImageFit::Crop : ImageFit::Stretch);
        const std::string key =
            (crops ? "crop-" : "stretch-") + std::to_string(width) + "x" + std::to_string(height);
        const int most = distance(image, pillow().at(key));
        QVERIFY2(most <= 1, qPrintable(QString::number(most)));
    }

    void greyIsTheLumaOfPillow() {
        QCOMPARE(distance(withChannels(decoded("rgb.png"), 1), pillow().at("L")), 0);
        const Image grey = decoded("grey.png");
        const Image coloured = withChannels(grey, 3);
        QCOMPARE(coloured.pixels[3 * 20 + 1], grey.pixels[20]);
    }

    void padsKeepAllOfThePicture() {
        const Image image = resized(decoded("rgb.png"), 46, 46, ImageFit::Pad);
        for (const int64_t y : {0, 5, 40, 45}) {
            QVERIFY(std::all_of(image.row(y), image.row(y) + 46 * 3, [](int v) { return v == 0; }));
        }
        QVERIFY(std::any_of(image.row(23), image.row(23) + 46 * 3, [](int v) { return v > 0; }));
    }

    void largePhotographsAreDecodedSmaller() {
        const std::string bytes = readFile(kPictures + "rgb.jpg");
        const Image image = decodeImage({std::as_bytes(std::span(bytes)), "rgb.jpg"}, 5, 4);
        QCOMPARE(image.width, int64_t{12});
        QCOMPARE(image.height, int64_t{9});
    }

    void damagedOrientationsAreUpright_data() {
        QTest::addColumn<QByteArray>("block");
        QTest::addColumn<int>("orientation");
        const QByteArray begin("Exif\0\0MM\0*\0\0\0\x08", 14);
        const QByteArray right = begin + QByteArray("\0\1\1\x12\0\3\0\0\0\1\0\6\0\0", 14);
        QTest::newRow("right") << right << 6;
        QTest::newRow("empty") << QByteArray() << 1;
        QTest::newRow("no entries") << begin + QByteArray(2, '\0') << 1;
        QTest::newRow("cut") << right.chopped(4) << 1;
        QTest::newRow("beyond the end") << right.left(10) + QByteArray(4, '\xFF') << 1;
        QTest::newRow("many entries") << begin + QByteArray(2, '\xFF') << 1;
        QTest::newRow("of a type it has not") << QByteArray(right).replace(19, 1, "\4") << 1;
        QTest::newRow("nine") << QByteArray(right).replace(25, 1, "\x09") << 1;
    }
    void damagedOrientationsAreUpright() {
        QFETCH(QByteArray, block);
        QFETCH(int, orientation);
        QCOMPARE(exifOrientation(std::as_bytes(std::span(block.constData(), block.size()))),
                 orientation);
    }

    void damagedPicturesAreNamed_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("kind");
        QTest::newRow("PNG") << "rgb.png"
                             << "PNG";
        QTest::newRow("JPEG") << "rgb.jpg"
                              << "JPEG";
        QTest::newRow("WebP") << "lossless.webp"
                              << "WebP";
        QTest::newRow("BMP") << "rgb.bmp"
                             << "BMP";
        QTest::newRow("BMP with palette") << "nibbles.bmp"
                                          << "BMP";
    }
    void damagedPicturesAreNamed() {
        QFETCH(QString, file);
        QFETCH(QString, kind);
        const std::string bytes = readFile(kPictures + file.toStdString());
        for (const double part : {0.1, 0.3, 0.6, 0.9}) {
            const auto size = static_cast<size_t>(part * static_cast<double>(bytes.size()));
            const std::string error =
                damagedError("x/" + file.toStdString(), bytes.substr(0, size));
            QVERIFY2(error.find("'x/" + file.toStdString()) != std::string::npos, error.c_str());
        }
        // Any byte may be wrong: the outcome is a picture or an error, never a crash.
        for (size_t at = 0; at < bytes.size(); at += 3) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ 0x5A);
            damagedError("x", changed);
        }
    }

    void badPicturesAreRefusedByName_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* what, const char* name, const QByteArray& bytes,
                            const char* message) {
            QTest::newRow(what) << name << bytes << message;
        };
        const auto file = [](const char* name) {
            return QByteArray::fromStdString(readFile(kPictures + name));
        };
        const QByteArray png = file("rgb.png"), jpg = file("rgb.jpg"), webp = file("lossless.webp"),
                         bmp = file("rgb.bmp");
        row("empty", "a.png", {}, "is empty");
        row("text", "a.png", "a picture of a cat", "supported picture format");
        row("GIF", "a.gif", QByteArray("GIF89a\1\0\1\0\0\0\0;", 14), "supported picture format");
        row("SVG", "a.png", "<svg xmlns='http://www.w3.org/2000/svg'/>",
            "supported picture format");
        row("PNG, head only", "a.png", png.left(8), "PNG");
        row("PNG, half", "a.png", png.left(png.size() / 2), "PNG");
        row("PNG, 0 wide", "a.png", QByteArray(png).replace(16, 4, QByteArray(4, '\0')), "PNG");
        row("PNG, 2147483647 wide", "a.png", QByteArray(png).replace(16, 4, "\x7F\xFF\xFF\xFF"),
            "PNG");
        row("PNG, one checksum wrong", "a.png", QByteArray(png).replace(29, 1, "\x11"), "PNG");
        row("PNG, damaged pixels", "a.png",
            QByteArray(png).replace(png.indexOf("IDAT") + 4, 4, "\xFF\xFF\xFF\xFF"), "PNG");
        row("JPEG, head only", "a.jpg", jpg.left(4), "JPEG");
        row("JPEG, cut in its tables", "a.jpg", jpg.left(100), "JPEG");
        row("JPEG, cut in its pixels", "a.jpg", jpg.left(jpg.size() - 200), "JPEG");
        row("JPEG, no tables", "a.jpg", jpg.left(2) + QByteArray("\xFF\xD9", 2), "JPEG");
        row("WebP, head only", "a.webp", webp.left(12), "WebP");
        row("WebP, half", "a.webp", webp.left(webp.size() / 2), "WebP");
        row("WebP, zeros after the header", "a.webp",
            webp.left(20) + QByteArray(webp.size() - 20, '\0'), "WebP");
        row("BMP, head only", "a.bmp", bmp.left(20), "BMP");
        row("BMP, cut", "a.bmp", bmp.left(bmp.size() - 10), "BMP");
        row("BMP, 0 wide", "a.bmp", QByteArray(bmp).replace(18, 4, QByteArray(4, '\0')), "pixel");
        row("BMP, 2139062016 wide", "a.bmp",
            QByteArray(bmp).replace(18, 8,
                                    QByteArray(8, '\x7F').replace(0, 1, QByteArray(1, '\0'))),
            "pixels");
        row("BMP, 7 bits a pixel", "a.bmp", QByteArray(bmp).replace(28, 1, "\7"), "BMP");
        row("BMP, unknown compression", "a.bmp", QByteArray(bmp).replace(30, 1, "\x09"), "BMP");
        row("BMP, pixels past the end", "a.bmp", QByteArray(bmp).replace(10, 4, "\xFF\xFF\xFF\x7F"),
            "BMP");
    }
    void badPicturesAreRefusedByName() {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        const QString error =
            QString::fromStdString(damagedError(name.toStdString(), bytes.toStdString()));
        QVERIFY2(error.contains(message) && error.contains(name), qPrintable(error));
        compareWithBadFiles("Picture", error);
    }

    void hugePicturesAreRefusedBeforeTheyAreRead() {
        std::string bytes = readFile(kPictures + "rgb.bmp");
        for (const size_t at : {18, 22}) {  // width and height
            bytes[at + 1] = bytes[at + 2] = '\x7F';
        }
        const std::string error = damagedError("big.bmp", bytes);
        QVERIFY2(error.find("pixels; expected at least one") != std::string::npos, error.c_str());
        QVERIFY(damagedError("a.png", "").find("'a.png' is empty") != std::string::npos);
        QVERIFY(damagedError("a.png", "GIF89a..").find("supported picture format") !=
                std::string::npos);
    }

    void aFolderForEachClassIsData() {
        QTemporaryDir folder;
        writeBmp(folder.filePath("zebra/1.bmp"), 10, 20, 30);
        writeBmp(folder.filePath("cat/2.bmp"), 60, 70, 80);
        writeBmp(folder.filePath("cat/deep/1.BMP"), 1, 2, 3);
        writeText(pathIn(folder, "cat/notes.txt"), "none");
        const OpenedData data = openData(folder.path().toStdString());
        QCOMPARE(data.spec.kind, std::string("images"));
        QCOMPARE(data.training->size(), int64_t{3});
        QCOMPARE(data.training->columns()[1].classes, (std::vector<std::string>{"cat", "zebra"}));
        QCOMPARE(labelsOf(*data.training), (std::vector<int64_t>{0, 0, 1}));
        const Tensor zebra = data.training->get(2, 0);
        QCOMPARE(zebra.shape(), (Shape{3, 2, 2}));
        QCOMPARE(zebra.values<float>()[0], 10.0F / 255);
        QCOMPARE(zebra.values<float>()[11], 30.0F / 255);
    }

    void theFormComesFromTheSpecificationOrTheModel() {
        QTemporaryDir folder;
        writeBmp(folder.filePath("a/1.bmp"), 100, 100, 100);
        const std::string path = folder.path().toStdString();
        const auto shapeOf = [&](const std::string& options, const ImageForm& form) {
            return openData("images:" + path + options, {}, {}, form).training->columns()[0].shape;
        };
        QCOMPARE(shapeOf("", {}), (Shape{3, 2, 2}));
        QCOMPARE(shapeOf("", {1, 8, 6, false}), (Shape{1, 8, 6}));
        QCOMPARE(shapeOf("", {3, 8, 6, true}), (Shape{8, 6, 3}));
        QCOMPARE(shapeOf("?size=4x5&channels=1", {3, 8, 6, false}), (Shape{1, 5, 4}));
        QCOMPARE(shapeOf("?size=7&layout=nhwc", {}), (Shape{7, 7, 3}));
        for (const char* size : {"0", "x4", "4x", "-3", "99999", "4x5x6"}) {
            const QString error = errorOf([&] { shapeOf(std::string("?size=") + size, {}); });
            QVERIFY2(error.contains(QStringLiteral("'size'")), qPrintable(error));
        }
    }

    void channelsLastKeepsThePixels() {
        const std::string table = "images:" + kPictures;
        QTemporaryDir folder;
        QDir().mkpath(folder.filePath("a"));
        QFile::copy(QString::fromStdString(kPictures + "rgb.png"), folder.filePath("a/rgb.png"));
        const OpenedData data =
            openData(folder.path().toStdString() + "?layout=nhwc&normalize=none&channels=3");
        const Tensor pixels = data.training->get(0, 0);
        const Tensor& expected = pillow().at("rgb.png");
        QCOMPARE(pixels.shape(), expected.shape());
        for (size_t i = 0; i < size_t(pixels.numElements()); ++i) {
            QCOMPARE(int(pixels.values<uint8_t>()[i]), int(expected.values<uint8_t>()[i]));
        }
    }

    void trainingAndValidationFoldersAreDistinguished() {
        QTemporaryDir folder;
        writeBmp(folder.filePath("train/a/1.bmp"), 1, 1, 1);
        writeBmp(folder.filePath("train/b/1.bmp"), 2, 2, 2);
        writeBmp(folder.filePath("train/b/2.bmp"), 3, 3, 3);
        writeBmp(folder.filePath("val/b/1.bmp"), 4, 4, 4);
        const OpenedData data = openData(folder.path().toStdString());
        QCOMPARE(data.training->size(), int64_t{3});
        QCOMPARE(labelsOf(*data.evaluation), std::vector<int64_t>{1});
        QCOMPARE(data.evaluationOrigin, std::string("the folder val"));
        writeBmp(folder.filePath("val/c/1.bmp"), 4, 4, 4);
        const QString error = errorOf([&] { openData(folder.path().toStdString()); });
        QVERIFY2(error.contains(QStringLiteral("not a class")), qPrintable(error));
    }

    void picturesAreFoundAfterManyOtherFiles() {
        QTemporaryDir folder;
        QDir().mkpath(folder.filePath("annotations"));
        for (int i = 0; i < 3000; ++i) {
            writeText(folder.filePath(QString("annotations/%1.xml").arg(i)).toStdString(), "");
        }
        const std::string path = folder.path().toStdString();
        QVERIFY(errorOf([&] { openData(path); }) != "");
        writeBmp(folder.filePath("pictures/a/1.bmp"), 1, 1, 1);
        QCOMPARE(parseDataSpec(path, {}).kind, std::string("images"));
    }

    /// However deep and full the disk is, the search stops after some thousand names.
    void theRootOfTheDiskIsSearchedQuickly() {
        const QTemporaryDir folder;
        for (int i = 0; i < 3000; ++i)
            writeText(folder.filePath(QString("%1.xml").arg(i)).toStdString(), "");
        const auto milliseconds = [](const std::string& path) {
            QElapsedTimer timer;
            timer.start();
            try {
                parseDataSpec(path, {});
            } catch (const Error&) {  // contains no pictures
            }
            return static_cast<double>(timer.nsecsElapsed()) / 1e6;
        };
        milliseconds("/");  // names are in the system's cache from here on
        const double ratio = milliseconds("/") / milliseconds(folder.path().toStdString());
        QVERIFY2(ratio < 200, qPrintable(QString::number(ratio)));
        qInfo("the root took %.1f times as long as a folder of 3,000 files", ratio);
    }

    void aTableOfPicturesIsData() {
        QTemporaryDir folder;
        writeBmp(folder.filePath("p/1.bmp"), 1, 1, 1);
        writeBmp(folder.filePath("p/2.bmp"), 255, 2, 2);
        const std::string path = pathIn(folder, "table.csv");
        writeText(path, "file,label,age\np/1.bmp,dog,3\np/2.bmp,cat,4\n");
        const OpenedData data = openData(path);
        QCOMPARE(data.spec.kind, std::string("images"));
        QCOMPARE(data.training->columns().size(), size_t{2});
        QCOMPARE(data.training->columns()[1].name, std::string("label"));
        QCOMPARE(labelsOf(*data.training), (std::vector<int64_t>{1, 0}));
        QCOMPARE(data.training->get(1, 0).values<float>()[0], 1.0F);
        const OpenedData more = openData("images:" + path + "?features=age");
        QCOMPARE(more.training->columns().size(), size_t{3});
        QCOMPARE(more.training->get(1, 1).values<float>()[0], 4.0F);
        writeText(path, "file,label\np/1.bmp,dog\np/3.bmp,cat\n");
        const QString error = errorOf([&] { openData(path); });
        QVERIFY2(error.contains(QStringLiteral("line 3, column 'file'")), qPrintable(error));
    }

    void aFolderWithoutClassesSaysWhatIsMissing() {
        QTemporaryDir folder;
        writeBmp(folder.filePath("1.bmp"), 1, 1, 1);
        const QString error = errorOf([&] { openData(folder.path().toStdString()); });
        QVERIFY2(error.contains(QStringLiteral("no subfolders with pictures")), qPrintable(error));
        writeBmp(folder.filePath("a/1.bmp"), 1, 1, 1);
        QDir(folder.path()).mkdir("b");
        const OpenedData data = openData(folder.path().toStdString());
        QCOMPARE(data.findings.size(), size_t{1});
        QCOMPARE(data.findings[0].code, std::string("D112"));
        writeText(pathIn(folder, "a/2.png"), "no picture");
        const OpenedData broken = openData(folder.path().toStdString() + "?size=2");
        const QString why = errorOf([&] { broken.training->get(1, 0); });
        QVERIFY2(why.contains(QStringLiteral("a/2.png")), qPrintable(why));
    }

    void thePlaceOfDrawingsIsMeasured_data() {
        QTest::addColumn<bool>("sameBox");
        QTest::newRow("same bounding box") << true;
        QTest::newRow("same centre of mass") << false;
    }
    void thePlaceOfDrawingsIsMeasured() {
        QFETCH(bool, sameBox);
        // A bar of 12 x 2 pixels with a spot of 4 x 8 at one of its ends, which moves the centre of
        // mass 2 pixels, but not the bounding box. Every second picture is turned around.
        constexpr int kSide = 32;
        Tensor x(DType::UInt8, {4, 1, kSide, kSide});
        const auto fill = [&](size_t picture, int left, int top, int width, int height) {
            for (int row = top; row < top + height; ++row)
                for (int column = left; column < left + width; ++column)
                    x.mutableValues<uint8_t>()[(picture * kSide + size_t(row)) * kSide +
                                               size_t(column)] = 255;
        };
        for (size_t i = 0; i < 4; ++i) {
            const bool isTurned = i % 2 == 1;
            const int left = sameBox ? 14 : isTurned ? 16 : 12;
            fill(i, left, 10, 12, 2);
            fill(i, isTurned ? left : left + 8, 7, 4, 8);
        }
        QTemporaryDir folder;
        writeNpz(pathIn(folder, "x.npz"), {{"x", x}});
        const StrokeStyle style = strokeStyleOf(openData(pathIn(folder, "x.npz")), 0);
        QCOMPARE(style.isByMass, !sameBox);
        QCOMPARE(style.width * kSide, 12.0);
        QCOMPARE(style.height * kSide, 8.0);
        QVERIFY2(std::abs(style.right * kSide - (20 - 16)) < 0.01,
                 qPrintable(QString::number(style.right * kSide)));
        QVERIFY2(std::abs(style.down * kSide - (11 - 16)) < 0.01,
                 qPrintable(QString::number(style.down * kSide)));
    }

    void theStyleOfDrawingsIsMeasured_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("thickness");
        QTest::newRow("thin") << false << 2;
        QTest::newRow("thick") << false << 5;
        QTest::newRow("dark on light") << true << 3;
    }
    void theStyleOfDrawingsIsMeasured() {
        QFETCH(bool, dark);
        QFETCH(int, thickness);
        // Rings of a known stroke, 20 of 32 pixels wide.
        Tensor x(DType::UInt8, {5, 1, 32, 32});
        for (size_t i = 0; i < size_t(x.numElements()); ++i) {
            const double radius = std::hypot(double(i % 32) - 15.5, double(i / 32 % 32) - 15.5);
            const double ink = std::clamp(
                0.5 + thickness / 2.0 - std::abs(radius - (10 - thickness / 2.0)), 0.0, 1.0);
            x.mutableValues<uint8_t>()[i] = uint8_t(std::lround(255 * (dark ? 1 - ink : ink)));
        }
        QTemporaryDir folder;
        writeNpz(pathIn(folder, "x.npz"), {{"x", x}});
        const OpenedData data = openData(pathIn(folder, "x.npz"));
        const StrokeStyle style = strokeStyleOf(data, 0);
        QCOMPARE(style.isDarkOnLight, dark);
        for (const double size : {style.width, style.height})
            QVERIFY2(std::abs(size * 32 - 20) <= 1.5, qPrintable(QString::number(size * 32)));
        QVERIFY2(std::abs(style.thickness * 32 / thickness - 1) < 0.12,
                 qPrintable(QString::number(style.thickness * 32)));
        QVERIFY(std::abs(style.right) < 0.01 && std::abs(style.down) < 0.01);
        // A white picture has the largest value throughout.
        Image white(10, 10, 3);
        std::fill(white.pixels.begin(), white.pixels.end(), uint8_t{255});
        const Tensor sample = pictureAsSample(white, data, 0, ImageFit::Crop);
        QCOMPARE(sample.shape(), (Shape{1, 1, 32, 32}));
        QCOMPARE(sample.values<float>()[500], 1.0F);
    }

    void meansAndDeviationsArePerChannel() {
        QTemporaryDir folder;
        writeBmp(folder.filePath("a/1.bmp"), 255, 0, 102);
        const OpenedData data =
            openData(folder.path().toStdString() + "?mean=0.5,0.25,0.4&std=0.5,0.25,0.1");
        const Tensor sample = data.training->get(0, 0);
        QCOMPARE(sample.values<float>()[0], 1.0F);
        QCOMPARE(sample.values<float>()[4], -1.0F);
        QVERIFY(std::abs(sample.values<float>()[8]) < 1e-6F);
    }
};

QTEST_GUILESS_MAIN(ImageTest)
#include "image_test.moc"
