// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"
#include "tests/engine/data/data_test_support.h"
#include "tests/support/bad_files.h"

using namespace temper;
using namespace temper::test;

namespace {

// Written by NumPy 1.24 for numpy.array([[1, 2, 3], [4, 5, 6]], dtype) in version 1.0.
QByteArray npyBytes(const QByteArray& descr, const QByteArray& order, const QByteArray& shape,
                    const QByteArray& elements) {
    QByteArray dictionary =
        "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    dictionary = dictionary.leftJustified(117) + '\n';
    return QByteArray("\x93NUMPY\1\0\x76\0", 10) + dictionary + elements;
}

Tensor parse(const QByteArray& bytes) {
    return parseNpy({reinterpret_cast<const std::byte*>(bytes.data()), size_t(bytes.size())},
                    "a.npy");
}

std::map<std::string, Tensor> parseArchive(const QByteArray& bytes) {
    return parseNpz({reinterpret_cast<const std::byte*>(bytes.data()), size_t(bytes.size())},
                    "a.npz");
}

QByteArray bytesOf(const Tensor& tensor) {
    return {reinterpret_cast<const char*>(tensor.data()), qsizetype(tensor.byteSize())};
}

}  // namespace

class NpyTest : public QObject {
    Q_OBJECT

private slots:
    void numPysFilesAreRead_data() {
        QTest::addColumn<QString>("array");
        QTest::addColumn<int>("dtype");
        const auto row = [](const char* name, const char* array, DType dtype) {
            QTest::newRow(name) << QString::fromUtf8(array) << int(dtype);
        };
        row("float32", "numpy.arange(12, dtype='<f4').reshape(3, 4)", DType::Float32);
        row("float64", "numpy.linspace(-1, 1, 5)", DType::Float64);
        row("float16", "numpy.arange(6, dtype='<f2')", DType::Float16);
        row("big-endian float32", "numpy.arange(6, dtype='>f4')", DType::Float32);
        row("big-endian int64", "numpy.arange(-3, 3, dtype='>i8')", DType::Int64);
        row("big-endian uint16", "numpy.arange(6, dtype='>u2').reshape(2, 3)", DType::UInt16);
        row("int8", "numpy.arange(-3, 3, dtype='i1')", DType::Int8);
        row("uint8", "numpy.arange(250, 256, dtype='u1')", DType::UInt8);
        row("int16", "numpy.arange(-3, 3, dtype='<i2')", DType::Int16);
        row("int32", "numpy.arange(-3, 3, dtype='<i4')", DType::Int32);
        row("uint32", "numpy.array([0, 2**32 - 1], dtype='<u4')", DType::UInt32);
        row("uint64", "numpy.array([0, 2**64 - 1], dtype='<u8')", DType::UInt64);
        row("bool", "numpy.array([True, False, True])", DType::Bool);
        row("complex64", "numpy.array([1 + 2j], dtype='<c8')", DType::Complex64);
        row("big-endian complex128", "numpy.array([1 + 2j], dtype='>c16')", DType::Complex128);
        row("Fortran order", "numpy.asfortranarray(numpy.arange(24.).reshape(2, 3, 4))",
            DType::Float64);
        row("big-endian Fortran order",
            "numpy.asfortranarray(numpy.arange(6, dtype='>i4').reshape(2, 3))", DType::Int32);
        row("scalar", "numpy.float32(3.5)", DType::Float32);
        row("no elements", "numpy.zeros((0, 3), dtype='<f4')", DType::Float32);
        row("one element in many dimensions", "numpy.ones((1, 1, 1, 1, 1), '<i4')", DType::Int32);
    }

    void numPysFilesAreRead() {
        QFETCH(QString, array);
        QFETCH(int, dtype);
        TEMPER_NEEDS_NUMPY();
        QTemporaryDir folder;
        const QString script =
            QStringLiteral(
                "import numpy, sys\n"
                "a = numpy.asanyarray(%1)\n"
                "for version in (1, 2, 3):\n"
                "    with open(sys.argv[1] + '/' + str(version) + '.npy', 'wb') as f:\n"
                "        numpy.lib.format.write_array(f, a, version=(version, 0))\n"
                "print(list(a.shape))\n"
                "native = a.astype(a.dtype.newbyteorder('<'))\n"
                "open(sys.argv[1] + '/raw', 'wb').write(native.tobytes('C'))\n")
                .arg(array);
        bool ran = false;
        const QByteArray shape = runPython(script, {folder.path()}, ran).trimmed();
        QVERIFY(ran);
        QFile raw(folder.filePath(QStringLiteral("raw")));
        QVERIFY(raw.open(QIODevice::ReadOnly));
        const QByteArray expected = raw.readAll();
        for (const char* file : {"1.npy", "2.npy", "3.npy"}) {
            const Tensor tensor = readNpy(pathIn(folder, file));
            QCOMPARE(int(tensor.dtype()), dtype);
            QCOMPARE(QByteArray::fromStdString(formatShape(tensor.shape())), shape);
            QCOMPARE(bytesOf(tensor), expected);
        }
    }

    void numPyReadsWhatIsWritten_data() {
        QTest::addColumn<bool>("compressed");
        QTest::newRow("stored") << false;
        QTest::newRow("deflated") << true;
    }

    void numPyReadsWhatIsWritten() {
        QFETCH(bool, compressed);
        TEMPER_NEEDS_NUMPY();
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "a.npz");
        writeNpz(path,
                 {{"/conv/weight", Tensor::of<float>({2, 2}, {1, 2, 3, 4.5F})},
                  {"flags", Tensor::of<bool>({3}, {true, false, true})},
                  {"größe", Tensor::scalar<int64_t>(-7)},
                  {"none", Tensor(DType::Float64, {0, 4})}},
                 compressed);
        bool ran = false;
        const QByteArray text = runPython(
            QStringLiteral("import numpy, sys\n"
                           "z = numpy.load(sys.argv[1])\n"
                           "for k in sorted(z):\n"
                           "    print(ascii(k), z[k].dtype, z[k].shape, z[k].tolist())\n"),
            {QString::fromStdString(path)}, ran);
        QVERIFY(ran);
        QCOMPARE(text, QByteArray("'/conv/weight' float32 (2, 2) [[1.0, 2.0], [3.0, 4.5]]\n"
                                  "'flags' bool (3,) [True, False, True]\n"
                                  "'gr\\xf6\\xdfe' int64 () -7\n"
                                  "'none' float64 (0, 4) []\n"));
    }

    void numPysArchivesAreRead_data() {
        QTest::addColumn<QString>("save");
        QTest::newRow("stored") << "savez";
        QTest::newRow("deflated") << "savez_compressed";
    }

    void numPysArchivesAreRead() {
        QFETCH(QString, save);
        TEMPER_NEEDS_NUMPY();
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "a.npz");
        bool ran = false;
        runPython(QStringLiteral("import numpy, sys\n"
                                 "numpy.%1(sys.argv[1], **{'input::0/x': numpy.arange(1000.)[::2],"
                                 " 'ä': numpy.arange(4, dtype='>i4')})\n")
                      .arg(save),
                  {QString::fromStdString(path)}, ran);
        QVERIFY(ran);
        const std::map<std::string, Tensor> arrays = readNpz(path);
        QCOMPARE(arrays.size(), size_t{2});
        const Tensor& even = arrays.at("input::0/x");
        QCOMPARE(even.shape(), Shape{500});
        QCOMPARE(even.values<double>()[499], 998.0);
        QCOMPARE(arrays.at("ä").values<int32_t>()[3], 3);
    }

    void everyTypeSurvivesWritingAndReading_data() {
        QTest::addColumn<int>("dtype");
        for (const DType dtype :
             {DType::Float16, DType::Float32, DType::Float64, DType::Bool, DType::Int8,
              DType::Int16, DType::Int32, DType::Int64, DType::UInt8, DType::UInt16, DType::UInt32,
              DType::UInt64, DType::Complex64, DType::Complex128}) {
            QTest::newRow(std::string(dtypeName(dtype)).c_str()) << int(dtype);
        }
    }

    void everyTypeSurvivesWritingAndReading() {
        QFETCH(int, dtype);
        QTemporaryDir folder;
        Tensor tensor(DType(dtype), {3, 5});
        for (size_t i = 0; i < tensor.byteSize(); ++i) {
            tensor.mutableData()[i] = std::byte(tensor.dtype() == DType::Bool ? i % 2 : i * 7);
        }
        writeNpy(pathIn(folder, "a.npy"), tensor);
        writeNpz(pathIn(folder, "a.npz"), {{"x", tensor}});
        for (const Tensor& back :
             {readNpy(pathIn(folder, "a.npy")), readNpz(pathIn(folder, "a.npz")).at("x")}) {
            QCOMPARE(int(back.dtype()), dtype);
            QCOMPARE(back.shape(), tensor.shape());
            QCOMPARE(bytesOf(back), bytesOf(tensor));
        }
    }

    void bfloat16IsWrittenAsFloat32() {
        Tensor tensor(DType::BFloat16, {2});
        const uint16_t bits[] = {0x3FC0, 0xC000};  // 1.5, -2
        std::memcpy(tensor.mutableData(), bits, sizeof bits);
        const Tensor back = parse(QByteArray::fromStdString(formatNpy(tensor)));
        QCOMPARE(back.values<float>()[0], 1.5F);
        QCOMPARE(back.values<float>()[1], -2.0F);
    }

    void theSameArraysGiveTheSameArchive() {
        QTemporaryDir folder;
        const std::map<std::string, Tensor> arrays = {{"x", Tensor::of<float>({2}, {1, 2})}};
        writeNpz(pathIn(folder, "a.npz"), arrays, true);
        writeNpz(pathIn(folder, "b.npz"), arrays, true);
        QFile a(folder.filePath(QStringLiteral("a.npz")));
        QFile b(folder.filePath(QStringLiteral("b.npz")));
        QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
        QCOMPARE(a.readAll(), b.readAll());
    }

    void anArchiveWithoutArraysIsWrittenAndRead() {
        QTemporaryDir folder;
        writeNpz(pathIn(folder, "a.npz"), {});
        QVERIFY(readNpz(pathIn(folder, "a.npz")).empty());
    }

    void aDamagedArrayIsRefusedByName_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("message");
        const QByteArray good = npyBytes("<i4", "False", "(2, 3)", QByteArray(24, '\1'));
        const auto row = [](const char* name, const QByteArray& bytes, const char* message) {
            QTest::newRow(name) << bytes << QString::fromUtf8(message);
        };
        row("empty", "", "is empty");
        row("magic cut off", good.left(5), "ends inside the NPY header");
        row("header cut off", good.left(60), "ends inside the NPY header");
        row("elements cut off", good.chopped(1), "has 23 bytes after the header; shape [2, 3]");
        row("too many elements", good + "x", "has 25 bytes after the header");
        row("another file", "PNG not a NumPy file", "does not start with");
        row("random bytes", QByteArray("\x93NUMPY\1\0\4\0@!#$", 14), "lacks an expected '{'");
        row("version 9", QByteArray(good).replace(6, 1, "\x09"), "has NPY version 9");
        row("huge dimensions",
            npyBytes("<f4", "False", "(4611686018427387904, 4611686018427387904)", "abcd"),
            "has 4 bytes after the header");
        row("dimension beyond int64", npyBytes("<f4", "False", "(99999999999999999999,)", "abcd"),
            "not a number >= 0");
        row("negative dimension", npyBytes("<f4", "False", "(-1,)", "abcd"), "not a number >= 0");
        row("objects", npyBytes("|O", "False", "(1,)", "abcdefgh"), "elements of type '|O'");
        row("text", npyBytes("<U3", "False", "(1,)", "abcdefghijkl"), "elements of type '<U3'");
        row("structured", QByteArray(good).replace("'<i4'", "[('a"), "a structured type");
        row("a wrong key", QByteArray(good).replace("'shape'", "'sheep'"),
            "unexpected or repeated key");
        row("order not a bool", QByteArray(good).replace("False", "Falsx"),
            "neither True nor False");
    }

    void aDamagedArrayIsRefusedByName() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        const QString error = errorOf([&] { parse(bytes); });
        QVERIFY2(error.contains(QStringLiteral("a.npy")), qPrintable(error));
        QVERIFY2(error.contains(message), qPrintable(error));
        compareWithBadFiles("NPY array", error);
    }

    void everyPrefixOfAnArrayIsRefused() {
        const QByteArray good = npyBytes("<i4", "False", "(2, 3)", QByteArray(24, '\1'));
        for (qsizetype size = 0; size < good.size(); ++size) {
            QVERIFY(!errorOf([&] { parse(good.left(size)); }).isEmpty());
        }
        QCOMPARE(parse(good).shape(), (Shape{2, 3}));
    }

    void aDamagedArchiveIsRefusedByName_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTemporaryDir folder;
        writeNpz(pathIn(folder, "a.npz"), {{"x", Tensor(DType::Float32, {64})}}, true);
        QFile file(folder.filePath(QStringLiteral("a.npz")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray good = file.readAll();
        const qsizetype directory = good.lastIndexOf("PK\1\2");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("truncated") << good.left(good.size() / 2);
        QTest::newRow("without its end") << good.chopped(4);
        QTest::newRow("random") << QByteArray(200, 'z');
        QTest::newRow("damaged content") << QByteArray(good).replace(50, 4, "\xFF\xFF\xFF\xFF");
        QTest::newRow("claims 4 GB")
            << QByteArray(good).replace(directory + 24, 4, "\xF0\xFF\xFF\xFF");
        QTest::newRow("not an array") << QByteArray(good).replace("x.npy", "x.txt");
    }

    void aDamagedArchiveIsRefusedByName() {
        QFETCH(QByteArray, bytes);
        const QString error = errorOf([&] { parseArchive(bytes); });
        QVERIFY2(error.contains(QStringLiteral("a.npz")), qPrintable(error));
        compareWithBadFiles("NPZ archive", error);
    }

    void feedsComeFromAFolderWithOrWithoutIndex() {
        QTemporaryDir folder;
        writeNpy(pathIn(folder, "x.npy"), Tensor::scalar(1.0F));
        writeNpy(pathIn(folder, "odd.npy"), Tensor::scalar(2.0F));
        std::map<std::string, Tensor> feeds = loadFeeds(folder.path().toStdString());
        QCOMPARE(feeds.size(), size_t{2});
        QCOMPARE(feeds.at("odd").toDouble(), 2.0);
        writeText(pathIn(folder, "index.json"), R"({"input::0": "odd.npy"})");
        feeds = loadFeeds(folder.path().toStdString());
        QCOMPARE(feeds.size(), size_t{2});
        QCOMPARE(feeds.at("input::0").toDouble(), 2.0);
        QCOMPARE(feeds.at("x").toDouble(), 1.0);
    }

    void feedsThatAreMissingOrDamagedAreNamed() {
        QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        QVERIFY(errorOf([&] { loadFeeds(path); }).contains(QStringLiteral("holds no NPY arrays")));
        QVERIFY(errorOf([&] { loadFeeds(path + "/no.npz"); }).contains(QStringLiteral("no.npz")));
        writeText(pathIn(folder, "index.json"), "[1]");
        QVERIFY(errorOf([&] { loadFeeds(path); }).contains(QStringLiteral("index.json")));
        writeText(pathIn(folder, "index.json"), R"({"x": "gone.npy"})");
        QVERIFY(errorOf([&] { loadFeeds(path); }).contains(QStringLiteral("gone.npy")));
    }
};

QTEST_APPLESS_MAIN(NpyTest)
#include "npy_test.moc"
