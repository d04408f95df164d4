// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "tests/app/temper_program.h"

namespace temper::test {

/// `temper run`: which arrays it takes and gives.
class CliRunTest : public QObject {
    Q_OBJECT

private slots:
    void modelsGiveTheOutputsOfOrt_data();
    void modelsGiveTheOutputsOfOrt();
    void sequencesAreAnArrayForEachTensor();
    void aSequenceMayBeginWithTheNameOfAnother();
    void theFirstOfSeveralBatchesIsTaken();

private:
    QString path(const QString& name) const { return dir_.filePath(name); }
    QTemporaryDir dir_;
};

void CliRunTest::modelsGiveTheOutputsOfOrt_data() {
    QTest::addColumn<QString>("model");
    for (const char* model :
         {"mlp_mnist", "concat_slice", "fast_gelu_pattern", "layer_norm_pattern",
          "three_output_matmul", "self_attention_megatron"}) {
        QTest::newRow(model) << QString(model);
    }
}

void CliRunTest::modelsGiveTheOutputsOfOrt() {
    QFETCH(QString, model);
    const QString data = conformance("ort-models/data/" + model);
    const ProgramResult result =
        runTemper({"run", conformance("ort-models/" + model + ".onnx"), "--feeds",
                   data + "/inputs.npz", "--out", path(model + ".npz")});
    QVERIFY2(result.exitStatus == 0, result.all());
    const auto actual = readNpz(path(model + ".npz").toStdString());
    for (const auto& [name, expected] : readNpz((data + "/outputs.npz").toStdString())) {
        QVERIFY2(actual.contains(name), name.c_str());
        QVERIFY(actual.at(name).shape() == expected.shape());
        const Tensor left = actual.at(name).cast(DType::Float64);
        const Tensor right = expected.cast(DType::Float64);
        for (size_t i = 0; i < right.values<double>().size(); ++i) {
            const double wanted = right.values<double>()[i];
            const double given = left.values<double>()[i];
            if (std::isnan(wanted) && std::isnan(given)) continue;
            QVERIFY(std::abs(given - wanted) <= 1e-4 + 1e-3 * std::abs(wanted));
        }
    }
}

void CliRunTest::sequencesAreAnArrayForEachTensor() {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 18]>
        m (seq(float[]) s, optional(float[2]) o, int64 p) => (seq(float[]) t, float[] y) {
            t = SequenceErase(s, p)
            n = SequenceLength(t)
            f = Cast<to = 1>(n)
            h = OptionalHasElement(o)
            y = If (h) <then_branch = a () => (r) { g = OptionalGetElement(o) r = Mul(g, f) },
                        else_branch = b () => (k) { k = Identity(f) }>
        })");
    saveModel(*model, path("sequences.onnx").toStdString());
    std::map<std::string, Tensor> feeds{{"s.0", Tensor::of<float>({2}, {1, 2})},
                                        {"s.1", Tensor::of<float>({1}, {3})},
                                        {"p", Tensor::scalar<int64_t>(0)}};
    const auto outputs = [&] {
        writeNpz(path("sequences.npz").toStdString(), feeds);
        const ProgramResult result =
            runTemper({"run", path("sequences.onnx"), "--feeds", path("sequences.npz"), "--out",
                       path("sequences_out.npz")});
        if (result.exitStatus != 0) qWarning("%s", result.all().constData());
        return readNpz(path("sequences_out.npz").toStdString());
    };
    const auto without = outputs();
    QCOMPARE(without.size(), size_t{2});
    QCOMPARE(without.at("t.0").toDouble(), 3.0);
    QCOMPARE(without.at("y").toDouble(), 1.0);
    feeds.emplace("o", Tensor::of<float>({2}, {10, 20}));
    feeds.emplace("s.2", Tensor::of<float>({1}, {4}));
    const auto with = outputs();
    QCOMPARE(with.size(), size_t{3});
    QCOMPARE(with.at("t.1").toDouble(), 4.0);
    QCOMPARE(with.at("y").values<float>()[1], 40.0F);
    for (const char* wrong : {"s", "s.4", "s.last"}) {
        auto others = feeds;
        others.emplace(wrong, Tensor::of<float>({1}, {3}));
        writeNpz(path("others.npz").toStdString(), others);
        const ProgramResult result =
            runTemper({"run", path("sequences.onnx"), "--feeds", path("others.npz"), "--out",
                       path("others_out.npz")});
        QCOMPARE(result.exitStatus, 2);
        QVERIFY2(result.all().contains(QByteArray("Array '") + wrong + "' of"), result.all());
        QVERIFY2(result.all().contains("is no tensor of the sequence 's'"), result.all());
    }
}

void CliRunTest::aSequenceMayBeginWithTheNameOfAnother() {
    const auto model = parseText(R"(<ir_version: 8, opset_import: ["" : 18]>
        m (seq(float[]) a, seq(float[]) a.b, int64 p) => (float[] y) {
            f = SequenceAt(a, p) s = SequenceAt(a.b, p) y = Add(f, s)
        })");
    saveModel(*model, path("nested.onnx").toStdString());
    std::map<std::string, Tensor> feeds{{"a.0", Tensor::of<float>({2}, {1, 2})},
                                        {"a.b.0", Tensor::of<float>({2}, {10, 20})},
                                        {"p", Tensor::scalar<int64_t>(0)}};
    const auto run = [&] {
        writeNpz(path("nested.npz").toStdString(), feeds);
        return runTemper({"run", path("nested.onnx"), "--feeds", path("nested.npz"), "--out",
                          path("nested_out.npz")});
    };
    const ProgramResult result = run();
    QVERIFY2(result.exitStatus == 0, result.all());
    const auto outputs = readNpz(path("nested_out.npz").toStdString());
    QCOMPARE(outputs.at("y").values<float>()[1], 22.0F);
    feeds.emplace("a.b.2", Tensor::of<float>({2}, {3, 4}));
    const ProgramResult gap = run();
    QCOMPARE(gap.exitStatus, 2);
    QVERIFY2(gap.all().contains("is no tensor of the sequence 'a.b'"), gap.all());
}

/// A file of training batches has one for each step.
void CliRunTest::theFirstOfSeveralBatchesIsTaken() {
    saveModel(*parseText("<ir_version: 8, opset_import: [\"\" : 17]> "
                         "m (float[N, 2] x) => (float[N, 2] y) { y = Neg(x) }"),
              path("neg.onnx").toStdString());
    const auto run = [&](const Tensor& x) {
        writeNpz(path("x.npz").toStdString(), {{"x", x}});
        return runTemper(
            {"run", path("neg.onnx"), "--feeds", path("x.npz"), "--out", path("y.npz")});
    };
    const ProgramResult one = run(Tensor::of<float>({1, 2}, {1, 2}));
    QCOMPARE(one.exitStatus, 0);
    QVERIFY2(one.err.isEmpty(), one.all());
    const ProgramResult three = run(Tensor::of<float>({3, 1, 2}, {1, 2, 3, 4, 5, 6}));
    QCOMPARE(three.exitStatus, 0);
    QCOMPARE(three.err, QByteArray("note: The arrays hold batches for 3 steps; the model is run on "
                                   "the first one.\n"));
    const Tensor y = readNpz(path("y.npz").toStdString()).at("y");
    QCOMPARE(y.shape(), (Shape{1, 2}));
    QVERIFY(std::ranges::equal(y.values<float>(), std::vector<float>{-1, -2}));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::CliRunTest)
#include "cli_run_test.moc"
