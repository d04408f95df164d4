// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QtEndian>
#include <array>

#include "engine/data/npy_file.h"
#include "engine/data/npy_header.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

const Shape kRow = {1, 1536, 2};
const qint64 kRowBytes = numElements(kRow) * 4;  // 12 KB

namespace {

QByteArray littleEndian(const QList<std::pair<int, quint64>>& fields) {
    QByteArray bytes;
    for (const auto& [size, value] : fields)
        for (int i = 0; i < size; ++i) bytes.append(char(value >> (8 * i) & 0xFF));
    return bytes;
}

/// Continues a checksum over that many zeros.
quint64 checksumOfZeros(quint64 checksum, qint64 count) {
    const QByteArray zeros(1 << 20, '\0');
    for (; count > 0; count -= zeros.size()) {
        const auto size = uInt(std::min<qint64>(count, zeros.size()));
        checksum = crc32(uLong(checksum), reinterpret_cast<const Bytef*>(zeros.data()), size);
    }
    return checksum;
}

quint64 checksumOf(const QByteArray& bytes) {
    return crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), uInt(bytes.size()));
}

/// Appends zeros that take no space if the file system has sparse files. Returns: whether a file
/// may be so large there.
bool appendZeros(QFile& file, qint64 count) {
    return file.resize(file.pos() + count) && file.seek(file.size());
}

/// An archive of stored entries: "x.npy", which is `head` and then zeros, and "labels.npy".
/// Source: PKWARE's APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16.
bool writeArchive(QFile& file, const QByteArray& head, qint64 zeros, const QByteArray& labels) {
    QByteArray directory;
    const auto entry = [&](const QByteArray& name, quint64 checksum, qint64 size) {
        const QByteArray common = littleEndian({{2, 20},
                                                {2, 0},
                                                {2, 0},
                                                {2, 0},
                                                {2, 0x21},
                                                {4, checksum},
                                                {4, quint64(size)},
                                                {4, quint64(size)},
                                                {2, quint64(name.size())},
                                                {2, 0}});
        directory += littleEndian({{4, 0x02014B50}, {2, 20}}) + common +
                     littleEndian({{2, 0}, {2, 0}, {2, 0}, {4, 0}, {4, quint64(file.pos())}}) +
                     name;
        file.write(littleEndian({{4, 0x04034B50}}) + common + name);
    };
    entry("x.npy", checksumOfZeros(checksumOf(head), zeros), head.size() + zeros);
    file.write(head);
    if (!appendZeros(file, zeros)) return false;
    entry("labels.npy", checksumOf(labels), labels.size());
    file.write(labels);
    const qint64 start = file.pos();
    file.write(directory + littleEndian({{4, 0x06054B50},
                                         {2, 0},
                                         {2, 0},
                                         {2, 2},
                                         {2, 2},
                                         {4, quint64(directory.size())},
                                         {4, quint64(start)},
                                         {2, 0}}));
    return true;
}

/// The header of an IDX file. Source: Y. LeCun's description of the MNIST files.
QByteArray idxHead(char type, const QList<qint64>& shape) {
    QByteArray bytes("\0\0", 2);
    bytes += type;
    bytes += char(shape.size());
    for (const qint64 size : shape) {
        const quint32 number = qToBigEndian(quint32(size));
        bytes.append(reinterpret_cast<const char*>(&number), 4);
    }
    return bytes;
}

qint64 labelOf(qint64 row) { return row % 3; }

QByteArray npyLabels(qint64 rows) {
    Tensor labels(DType::Int64, {rows});
    for (qint64 i = 0; i < rows; ++i)
        labels.mutableValues<int64_t>()[static_cast<size_t>(i)] = labelOf(i);
    return QByteArray::fromStdString(formatNpy(labels));
}

QByteArray idxLabels(qint64 rows) {
    QByteArray bytes = idxHead(0x08, {rows});
    for (qint64 i = 0; i < rows; ++i) bytes += char(labelOf(i));
    return bytes;
}

}  // namespace

/// Data larger than the memory that the program may use.
class CliLargeDataTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 13]>
            m (float[N, 1, 1536, 2] x) => (float[N, 3] y)
                <float[2, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6}> {
                h = ReduceMean<axes = [1, 2], keepdims = 0>(x)
                y = MatMul(h, w)
            })"),
                  path("model.onnx").toStdString());
        const ProgramResult made =
            runTemper({"artifacts", path("model.onnx"), "--out", path("art")});
        QVERIFY2(made.exitStatus == 0, made.all());
        QVERIFY(QDir().mkdir(path("data")));
    }

    void dataLargerThanMemoryIsTrainedOn_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("data");
        QTest::addColumn<qint64>("rows");
        const qint64 kTwice = 180'000, kTwentyTimes = 1'700'000;
        QTest::newRow("NPY, 20 GB") << "npy"
                                    << "npy:data" << kTwentyTimes;
        // Its checksum is computed, which takes time.
        QTest::newRow("NPZ, 2 GB") << "npz"
                                   << "npz:all.npz" << kTwice;
        QTest::newRow("IDX, 20 GB") << "idx"
                                    << "idx:x-images-idx3-ubyte" << kTwentyTimes;
    }

    /// In 1 GB. The files are sparse: they take almost no space on the disk.
    void dataLargerThanMemoryIsTrainedOn() {
        QFETCH(QString, format);
        QFETCH(QString, data);
        QFETCH(qint64, rows);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers take more addresses than the limit leaves");
#endif
        if (!writeZeros(format, rows)) QSKIP("files can't be so large here");
        const QString train =
            "ulimit -v 1000000; $TEMPER train art --data %1 --steps 20 --threads 1 --save save-%2";
        const ProgramResult result = runShell(train.arg(data, format), dir_.path());
        QVERIFY2(result.exitStatus == 0, result.all());
        QVERIFY2(result.err.contains(QByteArray::number(rows) + " training samples"), result.all());
        QVERIFY(QFile::exists(path("save-" + format + "/last.ckpt")));
    }

private:
    QString path(const QString& name) const { return dir_.filePath(name); }

    void write(const QString& name, const QByteArray& content) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }

    /// Returns: false if the file system takes no files of this size.
    bool writeZeros(const QString& format, qint64 rows) const {
        const qint64 zeros = rows * kRowBytes;
        Shape shape = kRow;
        shape.insert(shape.begin(), rows);
        const auto head = QByteArray::fromStdString(formatNpyHeader(DType::Float32, shape));
        QFile file(path(QMap<QString, QString>{
            {"npy", "data/x.npy"}, {"npz", "all.npz"}, {"idx", "x-images-idx3-ubyte"}}[format]));
        if (!file.open(QIODevice::WriteOnly)) return false;
        if (format == "npz") return writeArchive(file, head, zeros, npyLabels(rows));
        const bool isNpy = format == "npy";
        file.write(isNpy ? head : idxHead(0x0D, {rows, kRow[1], kRow[2]}));
        write(isNpy ? "data/labels.npy" : "x-labels-idx1-ubyte",
              isNpy ? npyLabels(rows) : idxLabels(rows));
        return appendZeros(file, zeros);
    }

    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliLargeDataTest)
#include "cli_large_data_test.moc"
