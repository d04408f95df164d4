// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npy_file.h"
#include "engine/data/npy_header.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

constexpr int64_t kRows = 180'000;
const Shape kRow = {1536, 2};  // 12 KB

/// Data larger than the memory that the program may use.
class CliLargeDataTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        saveModel(*parseText(R"(<ir_version: 8, opset_import: ["" : 13]>
            m (float[N, 1536, 2] x) => (float[N, 3] y)
                <float[2, 3] w = {0.1, 0.2, -0.3, 0.4, -0.5, 0.6}> {
                h = ReduceMean<axes = [1], keepdims = 0>(x)
                y = MatMul(h, w)
            })"),
                  path("model.onnx").toStdString());
        const ProgramResult made =
            runTemper({"artifacts", path("model.onnx"), "--out", path("art")});
        QVERIFY2(made.exitStatus == 0, made.all());
        QVERIFY(QDir().mkdir(path("data")));
        writeLabels();
    }

    /// The file is sparse: it takes almost no space on the disk.
    void twiceTheMemoryIsTrainedOn() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers take more addresses than the limit leaves");
#endif
        QFile file(path("data/x.npy"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        Shape shape = kRow;
        shape.insert(shape.begin(), kRows);
        file.write(QByteArray::fromStdString(formatNpyHeader(DType::Float32, shape)));
        QVERIFY(file.resize(file.pos() + numElements(shape) * 4));
        const QString train =
            "ulimit -v 1000000; $TEMPER train art --data npy:data --steps 20 --threads 1 --save ";
        const ProgramResult result = runShell(train + "save", dir_.path());
        QVERIFY2(result.exitStatus == 0, result.all());
        QVERIFY(result.err.contains("180000 training samples"));
        QVERIFY(QFile::exists(path("save/last.ckpt")));
    }

private:
    QString path(const QString& name) const { return dir_.filePath(name); }

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
