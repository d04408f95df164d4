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

constexpr int64_t kRows = 180'000;
const Shape kRow = {1, 1536, 2};  // 12 KB
const qint64 kBytes = kRows * numElements(kRow) * 4;

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

/// An archive of stored entries: "x.npy", which is `head` and then zeros, and "labels.npy".
/// Source: PKWARE's APPNOTE.TXT 4.3.7, 4.3.12, 4.3.16.
void writeArchive(QFile& file, const QByteArray& head, const QByteArray& labels) {
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
    entry("x.npy", checksumOfZeros(checksumOf(head), kBytes), head.size() + kBytes);
    file.write(head);
    QVERIFY(file.resize(file.pos() + kBytes) && file.seek(file.size()));
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
        writeLabels();
    }

    void twiceTheMemoryIsTrainedOn_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QString>("data");
        QTest::newRow("NPY") << "npy"
                             << "npy:data";
        QTest::newRow("NPZ") << "npz"
                             << "npz:all.npz";
        QTest::newRow("IDX") << "idx"
                             << "idx:x-images-idx3-ubyte";
    }

    /// The files are sparse: they take almost no space on the disk.
    void twiceTheMemoryIsTrainedOn() {
        QFETCH(QString, format);
        QFETCH(QString, data);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers take more addresses than the limit leaves");
#endif
        writeZeros(format);
        const QString train =
            "ulimit -v 1000000; $TEMPER train art --data %1 --steps 20 --threads 1 --save save-%2";
        const ProgramResult result = runShell(train.arg(data, format), dir_.path());
        QVERIFY2(result.exitStatus == 0, result.all());
        QVERIFY2(result.err.contains("180000 training samples"), result.all());
        QVERIFY(QFile::exists(path("save-" + format + "/last.ckpt")));
    }

private:
    QString path(const QString& name) const { return dir_.filePath(name); }

    void writeZeros(const QString& format) const {
        Shape shape = kRow;
        shape.insert(shape.begin(), kRows);
        const auto head = QByteArray::fromStdString(formatNpyHeader(DType::Float32, shape));
        QFile file(path(QMap<QString, QString>{
            {"npy", "data/x.npy"}, {"npz", "all.npz"}, {"idx", "x-images-idx3-ubyte"}}[format]));
        QVERIFY(file.open(QIODevice::WriteOnly));
        if (format == "npz") {
            QFile labels(path("data/labels.npy"));
            QVERIFY(labels.open(QIODevice::ReadOnly));
            return writeArchive(file, head, labels.readAll());
        }
        file.write(format == "npy" ? head : idxHead(0x0D, {kRows, kRow[1], kRow[2]}));
        QVERIFY(file.resize(file.pos() + kBytes));
        if (format == "npy") return;
        QFile labels(path("x-labels-idx1-ubyte"));
        QVERIFY(labels.open(QIODevice::WriteOnly));
        labels.write(idxHead(0x08, {kRows}));
        for (int64_t i = 0; i < kRows; ++i) labels.putChar(char(i % 3));
    }

    void writeLabels() const {
        Tensor labels(DType::Int64, {kRows});
        for (int64_t i = 0; i < kRows; ++i)
            labels.mutableValues<int64_t>()[static_cast<size_t>(i)] = i % 3;
        writeNpy(path("data/labels.npy").toStdString(), labels);
    }

    QTemporaryDir dir_;
};

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliLargeDataTest)
#include "cli_large_data_test.moc"
