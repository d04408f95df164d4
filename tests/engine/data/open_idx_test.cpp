// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/data/data_health.h"
#include "engine/data/idx_file.h"
#include "tests/engine/data/open_data_support.h"
#include "tests/support/bad_files.h"

using namespace temper;
using namespace temper::test;

namespace {

const QString kFashion = QStringLiteral("/usr/share/datasets/fashion-mnist");

/// `count` images of 2x3 pixels, image i filled with i.
QByteArray idxImages(int count) {
    QByteArray bytes("\0\0\x08\x03\0\0\0", 7);
    bytes += char(count);
    bytes += QByteArray("\0\0\0\x02\0\0\0\x03", 8);
    for (int i = 0; i < count; ++i) bytes += QByteArray(6, char(i));
    return bytes;
}

QByteArray idxLabels(const QByteArray& labels) {
    return QByteArray("\0\0\x08\x01\0\0\0", 7) + char(labels.size()) + labels;
}

}  // namespace

/// Images and labels in IDX files.
class OpenIdxTest : public QObject {
    Q_OBJECT

private slots:
    void imagesAndLabelsAreFoundFromOnePath_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<bool>("compressed");
        QTest::newRow("images") << "my-images-idx3-ubyte" << false;
        QTest::newRow("labels") << "my-labels-idx1-ubyte" << false;
        QTest::newRow("compressed images") << "my-images-idx3-ubyte.gz" << true;
        QTest::newRow("compressed labels") << "my-labels-idx1-ubyte.gz" << true;
    }

    void imagesAndLabelsAreFoundFromOnePath() {
        QFETCH(QString, path);
        QFETCH(bool, compressed);
        const QByteArray images = idxImages(3);
        const QByteArray labels = idxLabels(QByteArray("\0\2\1", 3));
        const std::string end = compressed ? ".gz" : "";
        const OpenedData data = openData(
            path.toStdString(), {},
            resolverOf({{"my-images-idx3-ubyte" + end, compressed ? gzipped(images) : images},
                        {"my-labels-idx1-ubyte" + end, compressed ? gzipped(labels) : labels}}));
        QCOMPARE(data.training->columns()[0].shape, (Shape{1, 2, 3}));
        QCOMPARE(int(data.training->columns()[0].dtype), int(DType::Float32));
        QCOMPARE(floatsOf(*data.training, 0)[17], 2.0F / 255);
        QCOMPARE(labelsOf(*data.training), (std::vector<int64_t>{0, 2, 1}));
        QCOMPARE(data.training->columns()[1].classes.size(), size_t{3});
    }

    void badImagesAreRefusedByName_data() {
        QTest::addColumn<QByteArray>("images");
        QTest::addColumn<QByteArray>("labels");
        QTest::addColumn<QString>("message");
        const QByteArray images = idxImages(2);
        const QByteArray labels = idxLabels("\1\1");
        const auto row = [&](const char* name, const QByteArray& first, const QByteArray& second,
                             const char* message) {
            QTest::newRow(name) << first << second << QString::fromUtf8(message);
        };
        row("empty images", "", labels, "a-images-idx3-ubyte' is empty");
        row("empty labels", images, "", "a-labels-idx1-ubyte' is empty");
        row("truncated", images.chopped(1), labels, "has 11 bytes after the header");
        row("too long", images + "x", labels, "has 13 bytes after the header");
        row("header cut off", images.left(9), labels, "ends inside the IDX header");
        row("wrong magic", "P5" + images.mid(2), labels, "does not start like an IDX array");
        row("unknown type", QByteArray(images).replace(2, 1, "\x0A"), labels, "element type 10");
        row("rank 0", QByteArray("\0\0\x08\0", 4), labels, "rank 0");
        row("huge dimensions",
            QByteArray("\0\0\x0E\x03\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 16), labels,
            "needs more than a file can hold");
        row("other number of labels", images, idxLabels("\1\1\1"), "has 3 labels for the 2 images");
        row("labels of rank 3", images, images, "expected images [N, H, W] and labels [N]");
        row("random gzip", QByteArray("\x1F\x8B") + QByteArray(50, 'q'), labels, "gzip");
    }

    void badImagesAreRefusedByName() {
        QFETCH(QByteArray, images);
        QFETCH(QByteArray, labels);
        QFETCH(QString, message);
        const FileResolver files =
            resolverOf({{"a-images-idx3-ubyte", images}, {"a-labels-idx1-ubyte", labels}});
        const QString error = errorOf([&] { openData("idx:a-images-idx3-ubyte", {}, files); });
        QVERIFY2(error.contains(message), qPrintable(error));
        compareWithBadFiles("Images and labels, IDX", error);
    }

    void idxNumbersOfEveryTypeAreReadBigEndian_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("element");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<double>("value");
        QTest::newRow("uint8") << 0x08 << QByteArray("\xFE") << int(DType::UInt8) << 254.0;
        QTest::newRow("int8") << 0x09 << QByteArray("\xFE") << int(DType::Int8) << -2.0;
        QTest::newRow("int16") << 0x0B << QByteArray("\xFF\xFE") << int(DType::Int16) << -2.0;
        QTest::newRow("int32") << 0x0C << QByteArray("\0\0\1\2", 4) << int(DType::Int32) << 258.0;
        QTest::newRow("float32") << 0x0D << QByteArray("\x3F\xC0\0\0", 4) << int(DType::Float32)
                                 << 1.5;
        QTest::newRow("float64") << 0x0E << QByteArray("\xC0\0\0\0\0\0\0\0", 8)
                                 << int(DType::Float64) << -2.0;
    }

    void idxNumbersOfEveryTypeAreReadBigEndian() {
        QFETCH(int, code);
        QFETCH(QByteArray, element);
        QFETCH(int, dtype);
        QFETCH(double, value);
        const QByteArray bytes =
            QByteArray("\0\0", 2) + char(code) + QByteArray("\1\0\0\0\1", 5) + element;
        const Tensor tensor =
            parseIdx({reinterpret_cast<const std::byte*>(bytes.data()), size_t(bytes.size())}, "a");
        QCOMPARE(int(tensor.dtype()), dtype);
        QCOMPARE(tensor.toDouble(), value);
    }

    void fashionMnistIsReadAsItsPublishersDescribeIt() {
        if (!QFile::exists(kFashion)) QSKIP("needs the package dataset-fashion-mnist");
        const OpenedData data = openData(kFashion.toStdString() + "?normalize=standard");
        QCOMPARE(data.training->size(), int64_t{60000});
        QCOMPARE(data.evaluation->size(), int64_t{10000});
        QCOMPARE(data.training->columns()[0].shape, (Shape{1, 28, 28}));
        // the published mean and standard deviation of the training pixels: 0.2860, 0.3530
        const Normalization& by = data.normalization.at("images");
        QVERIFY(std::abs(by.mean[0] / 255 - 0.2860) < 5e-5);
        QVERIFY(std::abs(by.deviation[0] / 255 - 0.3530) < 5e-5);
        QCOMPARE(countClasses(*data.training, 1), std::vector<int64_t>(10, 6000));
        QCOMPARE(labelsOf(*subset(data.training, {0, 1, 2, 3, 4})),
                 (std::vector<int64_t>{9, 0, 0, 3, 0}));
        QVERIFY(checkData(*data.evaluation).empty());
    }
};

QTEST_APPLESS_MAIN(OpenIdxTest)
#include "open_idx_test.moc"
