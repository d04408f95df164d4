// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/data/npz_file.h"
#include "tests/engine/data/open_data_support.h"

using namespace temper;
using namespace temper::test;

/// Arrays of NumPy.
class OpenArraysTest : public QObject {
    Q_OBJECT

private slots:
    void arraysBecomeColumns() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "a.npz");
        writeNpz(path, {{"x", Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                        {"mask", Tensor::of<bool>({2}, {true, false})},
                        {"labels", Tensor::of<int64_t>({2}, {0, 1})}});
        const OpenedData data = openData("npz:" + path);
        QCOMPARE(data.training->size(), int64_t{2});
        QCOMPARE(data.training->columns().size(), size_t{3});
        const Column& labels = data.training->columns()[data.training->columnIndex("labels")];
        QVERIFY(labels.isTarget && labels.classes.size() == 2 && labels.shape.empty());
        const OpenedData fewer = openData("npz:" + path + "?features=x&target=labels&classes=a,b");
        QCOMPARE(fewer.training->columns().size(), size_t{2});
        QCOMPARE(fewer.training->columns()[1].classes, (std::vector<std::string>{"a", "b"}));
    }

    void arraysCalledTrainAndTestAreTheTwoParts() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "mnist.npz");
        writeNpz(path, {{"x_train", Tensor(DType::UInt8, {3, 4, 4})},
                        {"y_train", Tensor::of<uint8_t>({3}, {0, 1, 2})},
                        {"x_test", Tensor(DType::UInt8, {2, 4, 4})},
                        {"y_test", Tensor::of<uint8_t>({2}, {0, 1})}});
        const OpenedData data = openData(path);
        QCOMPARE(data.training->size(), int64_t{3});
        QCOMPARE(data.evaluation->size(), int64_t{2});
        QCOMPARE(data.evaluation->columns()[1].classes.size(), size_t{3});
        QCOMPARE(data.normalization.at("x"), (Normalization{{0}, {255}}));
        const OpenedData raw = openData(path + "?normalize=none&limit=1");
        QCOMPARE(int(raw.training->columns()[0].dtype), int(DType::UInt8));
        QCOMPARE(raw.training->size(), int64_t{1});
    }

    void arraysThatDoNotFitTogetherAreRefused() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "a.npz");
        writeNpz(path, {{"x", Tensor(DType::Float32, {2, 3})}, {"y", Tensor(DType::Int64, {3})}});
        const QString error = errorOf([&] { openData(path); });
        QVERIFY2(error.contains(QStringLiteral("a.npz")), qPrintable(error));
        QVERIFY2(error.contains(QStringLiteral("'y' has 3 samples; 'x' has 2")), qPrintable(error));
        QVERIFY(errorOf([&] { openData(path + "?target=z"); }).contains(QStringLiteral("'z'")));
        writeNpz(path, {{"x", Tensor::scalar(1.0F)}});
        QVERIFY(errorOf([&] { openData(path); }).contains(QStringLiteral("single number")));
    }

    void halfPrecisionIsReadAsFloat32() {
        QTemporaryDir folder;
        Tensor half(DType::Float16, {8});
        const uint16_t bits[] = {0x3C00, 0xC000, 0x3555, 0x0001, 0x8000, 0x7BFF, 0x0400, 0x7C00};
        std::memcpy(half.mutableData(), bits, sizeof bits);
        writeNpz(pathIn(folder, "a.npz"), {{"x", half}});
        const OpenedData data = openData(pathIn(folder, "a.npz"));
        // NumPy: numpy.array(bits, numpy.uint16).view(numpy.float16).astype(numpy.float32)
        QCOMPARE(floatsOf(*data.training, 0),
                 (std::vector<float>{1, -2, 0.333251953125F, 5.9604644775390625e-08F, -0.0F, 65504,
                                     6.103515625e-05F, std::numeric_limits<float>::infinity()}));
    }
};

QTEST_APPLESS_MAIN(OpenArraysTest)
#include "open_arrays_test.moc"
