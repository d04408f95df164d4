// SPDX-License-Identifier: Apache-2.0
#include "engine/data/rows.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "engine/core/random.h"
#include "engine/core/scratch_file.h"
#include "engine/data/idx_rows.h"
#include "engine/data/npy_rows.h"
#include "engine/data/npz_rows.h"
#include "engine/data/zip_layout.h"
#include "tests/engine/data/data_test_support.h"

using namespace temper;
using namespace temper::test;

namespace {

constexpr size_t kNothingInMemory = 0;

/// The script prints these rows of the array `a`, in C order and as native bytes.
const char* const kPrintRows =
    "order = [int(i) for i in sys.argv[2].split(',')]\n"
    "rows = numpy.ascontiguousarray(a[order])\n"
    "rows = rows.astype(rows.dtype.newbyteorder('='))\n"
    "sys.stdout.buffer.write(rows.tobytes())\n";

/// Rows out of order, one of them twice, some consecutive.
std::vector<int64_t> mixedOrder(int64_t rows) {
    std::vector<int64_t> order = Random(7).permutation(rows);
    order.push_back(order.front());
    for (int64_t i = 0; i < std::min<int64_t>(rows, 3); ++i) order.push_back(i);
    return order;
}

QString listed(const std::vector<int64_t>& numbers) {
    QStringList texts;
    for (const int64_t number : numbers) texts << QString::number(number);
    return texts.join(',');
}

QByteArray rowsAt(const Rows& rows, const std::vector<int64_t>& order) {
    QByteArray bytes(qsizetype(order.size() * rows.bytesPerRow()), '\0');
    rows.read(order, reinterpret_cast<std::byte*>(bytes.data()));
    return bytes;
}

/// The name of an IDX file that holds elements of the type.
int idxCode(const QString& type) {
    return QMap<QString, int>{
        {"u1", 8}, {"i1", 9}, {"i2", 11}, {"i4", 12}, {"f4", 13}, {"f8", 14}}[type];
}

}  // namespace

class RowsTest : public QObject {
    Q_OBJECT

private slots:
    void rowsOfFilesAreNumPys_data() {
        QTest::addColumn<QString>("array");
        const auto row = [](const char* name, const char* array) {
            QTest::newRow(name) << QString::fromUtf8(array);
        };
        row("float32", "numpy.arange(60, dtype='<f4').reshape(12, 5)");
        row("float16", "numpy.arange(24, dtype='<f2').reshape(12, 2)");
        row("float64", "numpy.linspace(-1, 1, 33).reshape(11, 3)");
        row("big-endian float32", "numpy.arange(60, dtype='>f4').reshape(12, 5)");
        row("big-endian float64", "numpy.arange(60, dtype='>f8').reshape(12, 5)");
        row("big-endian uint16", "numpy.arange(60, dtype='>u2').reshape(12, 5)");
        row("big-endian complex128", "numpy.arange(24, dtype='>c16').reshape(12, 2)");
        row("int8", "numpy.arange(-30, 30, dtype='i1').reshape(20, 3)");
        row("int64", "numpy.arange(-30, 30, dtype='<i8')");
        row("bool", "numpy.arange(60).reshape(12, 5) % 3 == 0");
        row("pictures", "numpy.arange(12 * 27, dtype='u2').astype('u1').reshape(12, 3, 3, 3)");
        row("Fortran order", "numpy.asfortranarray(numpy.arange(120.).reshape(10, 3, 4))");
        row("big-endian Fortran order",
            "numpy.asfortranarray(numpy.arange(60, dtype='>i4').reshape(12, 5))");
        row("Fortran order of one dimension", "numpy.asfortranarray(numpy.arange(9, dtype='<i4'))");
        row("no elements", "numpy.zeros((4, 0), dtype='<f4')");
    }

    void rowsOfFilesAreNumPys() {
        QFETCH(QString, array);
        TEMPER_NEEDS_NUMPY();
        QTemporaryDir folder;
        bool ran = false;
        const QByteArray count = runPython("import numpy; print(len(" + array + "))", {}, ran);
        const std::vector<int64_t> order = mixedOrder(count.trimmed().toLongLong());
        const QString script = "import numpy, sys\na = " + array +
                               "\nf = sys.argv[1]\nnumpy.save(f + '/a.npy', a)\n"
                               "numpy.savez(f + '/s.npz', b=numpy.arange(3), a=a)\n"
                               "numpy.savez_compressed(f + '/c.npz', a=a)\n" +
                               kPrintRows;
        const QByteArray expected = runPython(script, {folder.path(), listed(order)}, ran);
        QVERIFY(ran);
        for (const size_t most : {kNothingInMemory, kMaxInMemory}) {
            QCOMPARE(rowsAt(*openNpyRows(pathIn(folder, "a.npy"), {}, most), order), expected);
            for (const char* archive : {"s.npz", "c.npz"}) {
                const auto arrays = openNpzRows(pathIn(folder, archive), {}, most);
                QCOMPARE(rowsAt(*arrays.at("a"), order), expected);
            }
        }
    }

    void rowsOfIdxFilesAreNumPys_data() {
        QTest::addColumn<QString>("type");
        for (const char* type : {"u1", "i1", "i2", "i4", "f4", "f8"}) QTest::newRow(type) << type;
    }

    void rowsOfIdxFilesAreNumPys() {
        QFETCH(QString, type);
        TEMPER_NEEDS_NUMPY();
        QTemporaryDir folder;
        const std::vector<int64_t> order = mixedOrder(10);
        const QString script =
            QStringLiteral(
                "import gzip, numpy, struct, sys\n"
                "a = numpy.arange(-20, 40).reshape(10, 2, 3).astype('%1')\n"
                "b = struct.pack('>BBBBIII', 0, 0, %2, 3, 10, 2, 3) + a.astype('>%1').tobytes()\n"
                "open(sys.argv[1] + '/a.idx', 'wb').write(b)\n"
                "packed = gzip.compress(b[:50]) + gzip.compress(b[50:])\n"
                "open(sys.argv[1] + '/a.idx.gz', 'wb').write(packed)\n")
                .arg(type)
                .arg(idxCode(type)) +
            kPrintRows;
        bool ran = false;
        const QByteArray expected = runPython(script, {folder.path(), listed(order)}, ran);
        QVERIFY(ran);
        for (const size_t most : {kNothingInMemory, size_t{40}, kMaxInMemory}) {
            for (const char* file : {"a.idx", "a.idx.gz"})
                QCOMPARE(rowsAt(*openIdxRows(pathIn(folder, file), {}, most), order), expected);
        }
    }

    void halvesAndLabelsAreConvertedWhenTheyAreRead() {
        QTemporaryDir folder;
        const Tensor values = Tensor::of<int16_t>({4, 2}, {1, -2, 300, 4, 5, 6, 7, 8});
        const std::string path = pathIn(folder, "a");
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()), 16);
        const RowsPtr rows =
            castRows(rowsIn({FileReader::open(path), 0, DType::Int16, {4, 2}, 1}), DType::Int64);
        QCOMPARE(rows->dtype(), DType::Int64);
        const Tensor read = rows->range(1, 3);
        QCOMPARE(read.shape(), (Shape{2, 2}));
        QVERIFY(std::ranges::equal(read.values<int64_t>(), std::vector<int64_t>{300, 4, 5, 6}));
        QCOMPARE(rowsAt(*rows, {3, 0, 2}),
                 rowsAt(*castRows(rowsOf(values), DType::Int64), {3, 0, 2}));
    }

    void offsetsInArchivesAreThoseOfZipFile_data() {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("comment");
        QTest::newRow("plain") << ""
                               << "";
        QTest::newRow("comment") << ""
                                 << "PK made by hand PK";
        QTest::newRow("64 bits") << "zipfile.ZIP64_LIMIT = 10; zipfile.ZIP_FILECOUNT_LIMIT = 1"
                                 << "";
    }

    void offsetsInArchivesAreThoseOfZipFile() {
        QFETCH(QString, options);
        QFETCH(QString, comment);
        TEMPER_NEEDS_NUMPY();
        QTemporaryDir folder;
        const QString script = "import sys, zipfile\n" + options +
                               "\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n"
                               "  z.comment = sys.argv[2].encode()\n"
                               "  for i in range(4): z.writestr('n' * i + '.npy', b'x' * 100 * i)\n"
                               "b = open(sys.argv[1], 'rb').read()\n"
                               "for i in zipfile.ZipFile(sys.argv[1]).infolist():\n"
                               "  h = i.header_offset\n"
                               "  print(h + 30 + b[h+26] + b[h+28], end=' ')\n";
        bool ran = false;
        const QByteArray printed = runPython(script, {folder.filePath("a.zip"), comment}, ran);
        QVERIFY(ran);
        const auto offsets = entryOffsets(*FileReader::open(pathIn(folder, "a.zip")));
        QVERIFY(offsets.has_value());
        QByteArray found;
        for (const uint64_t offset : *offsets) found += QByteArray::number(quint64(offset)) + ' ';
        QCOMPARE(found, printed);
    }

    void damagedArchivesHaveNoOffsets() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "a.zip");
        const QByteArray whole = QByteArray::fromHex(  // a stored entry "a" with "hello"
            "504b03040a000000000000002100"
            "86a6103605000000050000000100000061"
            "68656c6c6f"
            "504b01021e030a00000000000000210086a61036050000000500000001"
            "000000000000000000000000000000000061"
            "504b050600000000010001002f000000240000000000");
        writeText(path, whole);
        QCOMPARE(entryOffsets(*FileReader::open(path)), std::vector<uint64_t>{31});
        for (qsizetype size = 0; size < whole.size(); ++size) {
            writeText(path, whole.left(size));
            QVERIFY(!entryOffsets(*FileReader::open(path)).has_value());
        }
        for (qsizetype i = 0; i < whole.size(); ++i) {
            QByteArray changed = whole;
            changed[i] = char(changed[i] ^ 0xFF);
            writeText(path, changed);
            entryOffsets(*FileReader::open(path));  // whatever the result, it returns
        }
    }

    void aWrongChecksumIsReported_data() {
        QTest::addColumn<QString>("save");
        QTest::addColumn<bool>("staysInFile");
        for (const bool stays : {false, true}) {
            const char* where = stays ? "in the file" : "in memory";
            QTest::addRow("stored, %s", where) << "numpy.savez" << stays;
            QTest::addRow("compressed, %s", where) << "numpy.savez_compressed" << stays;
        }
    }

    void aWrongChecksumIsReported() {
        QFETCH(QString, save);
        QFETCH(bool, staysInFile);
        TEMPER_NEEDS_NUMPY();
        QTemporaryDir folder;
        const QString script = "import numpy, sys\n" + save +
                               "(sys.argv[1], a=numpy.arange(500.))\n"
                               "b = bytearray(open(sys.argv[1], 'rb').read())\n"
                               "i = b.find(b'PK\\1\\2') + 16\n"
                               "b[i] ^= 1\n"  // of the checksum in the directory
                               "open(sys.argv[1], 'wb').write(b)\n";
        bool ran = false;
        runPython(script, {folder.filePath("a.npz")}, ran);
        QVERIFY(ran);
        const QString error = errorOf([&] {
            openNpzRows(pathIn(folder, "a.npz"), {}, staysInFile ? kNothingInMemory : kMaxInMemory);
        });
        QVERIFY2(error.contains("a.npz:a") && error.contains("CRC"), qPrintable(error));
    }

    void aFileThatChangesDuringReadingIsReported() {
        QTemporaryDir folder;
        const std::string path = pathIn(folder, "a");
        writeText(path, QByteArray(400, 'a'));
        const RowsPtr rows = rowsIn({FileReader::open(path), 0, DType::UInt8, {4, 100}, 1});
        QCOMPARE(rowsAt(*rows, {2}), QByteArray(100, 'a'));
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadWrite));
        file.write("b");
        file.setFileTime(QDateTime::fromSecsSinceEpoch(1), QFileDevice::FileModificationTime);
        file.close();
        const QString written = errorOf([&] { rowsAt(*rows, {2}); });
        QVERIFY2(written.contains("was changed by another program"), qPrintable(written));
        QVERIFY(QFile::resize(QString::fromStdString(path), 200));
        const QString cut = errorOf([&] { rowsAt(*rows, {2}); });
        QVERIFY2(cut.contains("was changed by another program"), qPrintable(cut));
    }

    void aTemporaryFileWithoutRoomSaysHowMuchItNeeds() {
        const QString error = errorOf([] { ScratchFile("a.npz:x", uint64_t{1} << 60); });
        QVERIFY2(error.contains("'a.npz:x' needs a temporary file of 1152921504606846976 bytes") &&
                     error.contains("has room for") && error.contains("TMPDIR"),
                 qPrintable(error));
        qputenv("TMPDIR", "/no/such/folder");
        const QString missing = errorOf([] { ScratchFile("a.npz:x"); });
        qunsetenv("TMPDIR");
        QVERIFY2(missing.contains("/no/such/folder") && missing.contains("TMPDIR"),
                 qPrintable(missing));
    }

    void aTemporaryFileLeavesNothingBehind() {
        QTemporaryDir folder;
        qputenv("TMPDIR", folder.path().toUtf8());
        ScratchFile scratch("x");
        scratch.write(std::as_bytes(std::span("hello", 5)));
        const auto file = scratch.read();
        qunsetenv("TMPDIR");
        std::array<std::byte, 3> middle{};
        file->read(1, middle);
        QCOMPARE(std::memcmp(middle.data(), "ell", 3), 0);
        QVERIFY(QDir(folder.path()).isEmpty());
    }
};

QTEST_GUILESS_MAIN(RowsTest)
#include "rows_test.moc"
