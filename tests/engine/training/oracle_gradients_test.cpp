// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/training/oracle_run.h"
#include "tests/support/op_check.h"

namespace temper::test {
namespace {

/// A model `y` of x and the trainable w; v, if present, is another trainable tensor.
struct OperatorModel {
    const char* name;
    OpCase opCase;
    /// Whether ONNX Runtime runs the model as it is, not only its training model.
    bool runsThere = true;
};

Tensor number(int64_t value) { return Tensor::scalar(value); }

const std::vector<OperatorModel> kModels = {
    {"Einsum, product",
     {"y = Einsum<equation = \"bij,jk->bik\">(x, w)",
      {{"x", randomTensor({2, 3, 4})}, {"w", randomTensor({4, 5}, 2)}},
      12,
      {"w"}}},
    {"Einsum, bilinear",
     {"y = Einsum<equation = \"bi,oij,bj->bo\">(x, w, x)",
      {{"x", randomTensor({3, 4})}, {"w", randomTensor({2, 4, 4}, 2)}},
      13,
      {"w"}}},
    {"Einsum, ellipsis",
     {"y = Einsum<equation = \"...ij,kj->...ik\">(x, w)",
      {{"x", randomTensor({2, 2, 3, 4})}, {"w", randomTensor({5, 4}, 2)}},
      13,
      {"w"}}},
    {"Einsum, diagonal",
     {"a = MatMul(x, w) y = Einsum<equation = \"bii->bi\">(a)",
      {{"x", randomTensor({2, 3, 3})}, {"w", randomTensor({3, 3}, 2)}},
      13,
      {"w"}}},
    {"Einsum, a sum of one operand",
     {"y = Einsum<equation = \"bi,jk->b\">(x, w)",
      {{"x", randomTensor({3, 4})}, {"w", randomTensor({4, 2}, 2)}},
      13,
      {"w"}}},
    {"Det of 2 x 2",
     {"a = MatMul(x, w) y = Det(a)",
      {{"x", randomTensor({3, 2, 2})}, {"w", randomTensor({2, 2}, 2)}},
      13,
      {"w"}}},
    {"Det of 3 x 3",
     {"a = MatMul(x, w) y = Det(a)",
      {{"x", randomTensor({3, 3, 3})}, {"w", randomTensor({3, 3}, 2)}},
      13,
      {"w"}}},
    {"Det of 4 x 4",
     {"a = MatMul(x, w) y = Det(a)",
      {{"x", randomTensor({2, 4, 4})}, {"w", randomTensor({4, 4}, 2)}},
      13,
      {"w"}}},
    {"Inverse",
     {"a = Add(x, w) y = com.microsoft.Inverse(a)",
      {{"x", randomTensor({2, 2, 2}, 1, 2, 3)}, {"w", Tensor::of<float>({2, 2}, {4, 0, 0, 5})}},
      13,
      {"w"}}},
    {"DFT",
     {"a = Mul(x, w) y = DFT(a)",
      {{"x", randomTensor({2, 8, 1})}, {"w", randomTensor({8, 1}, 2)}},
      17,
      {"w"}}},
    {"DFT, half of the spectrum",
     {"a = Mul(x, w) y = DFT<onesided = 1>(a)",
      {{"x", randomTensor({2, 8, 1})}, {"w", randomTensor({8, 1}, 2)}},
      17,
      {"w"}}},
    {"STFT with a trained window",
     {"y = STFT(x, s, w)",
      {{"x", randomTensor({2, 20, 1})}, {"s", number(4)}, {"w", randomTensor({8}, 2)}},
      17,
      {"s", "w"}}},
    {"STFT of a trained signal",
     {"a = Mul(x, w) y = STFT(a, s, \"\", n)",
      {{"x", randomTensor({2, 20, 1})},
       {"s", number(3)},
       {"n", number(8)},
       {"w", randomTensor({20, 1}, 2)}},
      17,
      {"s", "n", "w"}}},
    {"quantization for all",
     {"q = QuantizeLinear(w, s, z) v = DequantizeLinear(q, s, z) y = MatMul(x, v)",
      {{"x", randomTensor({3, 4})},
       {"w", randomTensor({4, 5}, 2)},
       {"s", Tensor::scalar(0.01F)},
       {"z", Tensor::scalar<int8_t>(3)}},
      13,
      {"w", "s", "z"}}},
    {"quantization by channel",
     {"q = QuantizeLinear<axis = 0>(w, s, z) v = DequantizeLinear<axis = 0>(q, s, z) "
      "y = MatMul(x, v)",
      {{"x", randomTensor({3, 4})},
       {"w", randomTensor({4, 5}, 2)},
       {"s", Tensor::of<float>({4}, {0.01F, 0.005F, 0.02F, 0.008F})},
       {"z", Tensor::of<int8_t>({4}, {0, 0, 0, 0})}},
      13,
      {"w", "s", "z"}}},
    {"quantization by ONNX Runtime's own pair",
     {"q = com.microsoft.QuantizeLinear(w, s, z) v = com.microsoft.DequantizeLinear(q, s, z) "
      "y = MatMul(x, v)",
      {{"x", randomTensor({3, 4})},
       {"w", randomTensor({4, 5}, 2)},
       {"s", Tensor::scalar(0.01F)},
       {"z", Tensor::scalar<int8_t>(3)}},
      13,
      {"w", "s", "z"}}},
    {"weights of 4 bits behind a trained layer",
     {"a = MatMul(x, w) y = com.microsoft.MatMulNBits<K = 40, N = 12, block_size = 16, bits = 4>("
      "a, b, s, z)",
      {{"x", randomTensor({3, 4})},
       {"w", randomTensor({4, 40}, 2)},
       {"b", randomTensor({12, 3, 8}, 3, 0, 256).cast(DType::UInt8)},
       {"s", randomTensor({36}, 4, 0.1F, 0.3F)},
       {"z", randomTensor({24}, 5, 0, 256).cast(DType::UInt8)}},
      17,
      {"w", "b", "s", "z"}}},
    {"NF4 weights behind a trained layer",
     {"a = MatMul(x, w) y = com.microsoft.MatMulBnb4<K = 20, N = 12, block_size = 16, "
      "quant_type = 1>(a, b, s)",
      {{"x", randomTensor({3, 4})},
       {"w", randomTensor({4, 20}, 2)},
       {"b", randomTensor({120}, 3, 0, 256).cast(DType::UInt8)},
       {"s", randomTensor({15}, 4, 0.1F, 0.3F)}},
      17,
      {"w", "b", "s"}}},
    {"grouped attention of trained queries, keys and values",
     {"p = MatMul(x, w) y, nk, nv = com.microsoft.GroupQueryAttention<num_heads = 4, kv_num_heads "
      "= 2, "
      "do_rotary = 1>(p, \"\", \"\", \"\", \"\", l, t, c, s)",
      {{"x", randomTensor({2, 3, 6})},
       {"w", randomTensor({6, 128}, 2)},
       {"l", Tensor::of<int32_t>({2}, {2, 2})},
       {"t", Tensor::of<int32_t>({1}, {3})},
       {"c", randomTensor({8, 8}, 3)},
       {"s", randomTensor({8, 8}, 4)}},
      17,
      {"w", "l", "t", "c", "s"}}},
    {"conv with channels last, group norm",
     {"a = com.microsoft.NhwcConv<pads = [1, 1, 1, 1]>(x, w) "
      "y = com.microsoft.GroupNorm<groups = 2, activation = 1>(a, g, b)",
      {{"x", randomTensor({2, 4, 3, 2})},
       {"w", randomTensor({4, 3, 3, 2}, 2)},
       {"g", randomTensor({4}, 3, 0.5F, 1.5F)},
       {"b", randomTensor({4}, 4)}},
      17,
      {"w", "g", "b"}},
     false},
    {"distances to trained centres",
     {"y = com.microsoft.CDist<metric = \"euclidean\">(x, w)",
      {{"x", randomTensor({4, 3})}, {"w", randomTensor({5, 3}, 2)}},
      17,
      {"w"}}},
    {"FlattenAndUnpad, PadAndUnflatten",
     {"a = Mul(x, w) b, d = com.microsoft.FlattenAndUnpad(a, i) "
      "y = com.microsoft.PadAndUnflatten(b, i, d)",
      {{"x", randomTensor({3, 2, 4})},
       {"w", randomTensor({4}, 2)},
       {"i", integerTensor({3, 5, 0, 1})}},
      13,
      {"w", "i"}},
     false},
};

std::unique_ptr<Graph> modelOf(const OpCase& opCase) {
    std::unique_ptr<Graph> graph = graphOf(opCase);
    graph->setOutputs({graph->at("y")});
    return graph;
}

}  // namespace

/// Gradient rules that ONNX Runtime lacks, in training models that it runs.
class OracleGradientsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (!oracleIsThere()) QSKIP(kOracleAbsent);
    }
    void gradientsAreTheSameThere_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < kModels.size(); ++i) {
            QTest::newRow(kModels[i].name) << static_cast<int>(i);
        }
    }
    void gradientsAreTheSameThere();
    void lossesAreTheSameThere_data() {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < kModels.size(); ++i) {
            if (kModels[i].runsThere) QTest::newRow(kModels[i].name) << static_cast<int>(i);
        }
    }
    void lossesAreTheSameThere();
    void exportedModelsGiveTheSameThere_data() { lossesAreTheSameThere_data(); }
    void exportedModelsGiveTheSameThere();
};

namespace {

/// Artifacts of a row in a folder, a session over them and the feeds.
struct Prepared {
    Prepared(const OpCase& opCase, const QTemporaryDir& folder)
        : arrays{{"x", opCase.feeds.at("x").tensors.front()},
                 {"target", randomTensor(runOp(opCase).at("y").shape(), 9)}} {
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        spec.trainable = {"w"};
        spec.lossInputs = {"y", "target"};
        saveArtifacts(generateArtifacts(*modelOf(opCase), *allOps(), spec),
                      folder.path().toStdString(), spec);
        session = sessionIn(folder.path());
        writeNpz(feeds(folder).toStdString(), arrays);
    }

    static QString feeds(const QTemporaryDir& folder) { return folder.filePath("feeds.npz"); }

    Arrays arrays;
    std::unique_ptr<TrainingSession> session;
};

}  // namespace

void OracleGradientsTest::lossesAreTheSameThere() {
    QFETCH(int, row);
    const QTemporaryDir folder;
    const Prepared made(kModels.at(static_cast<size_t>(row)).opCase, folder);
    constexpr int64_t kSteps = 4;
    const std::vector<double> losses = trainHere(*made.session, made.arrays, kSteps);
    const OracleResult there =
        trainThere(folder.path(), "checkpoint", Prepared::feeds(folder), kSteps);
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, losses);
}

void OracleGradientsTest::exportedModelsGiveTheSameThere() {
    QFETCH(int, row);
    const QTemporaryDir folder;
    const Prepared made(kModels.at(static_cast<size_t>(row)).opCase, folder);
    trainHere(*made.session, made.arrays, 2);
    const QString model = folder.filePath("model.onnx"), out = folder.filePath("out.npz");
    made.session->exportModelForInferencing(model.toStdString(), {"y"});
    const Tensor x = made.arrays.at("x");
    const Tensor here = runGraph(*loadModel(model.toStdString()), {{"x", x}}).at("y");
    writeNpz(Prepared::feeds(folder).toStdString(), {{"x", x}});
    const QString inOrtFormat = folder.filePath("model.ort");
    saveModel(*loadModel(model.toStdString()), inOrtFormat.toStdString());
    for (const QString& file : {model, inOrtFormat}) {
        const OracleResult there = runOracle(
            "infer.py", {"--model", file, "--feeds", Prepared::feeds(folder), "--out", out});
        QVERIFY2(there.succeeded(), qPrintable(there.log));
        const double worst = worstRatio(here, readNpz(out.toStdString()).at("y"), 1e-5, 1e-4);
        QVERIFY2(worst <= 1, qPrintable(QString("%1 of the tolerance").arg(worst)));
    }
}

void OracleGradientsTest::gradientsAreTheSameThere() {
    QFETCH(int, row);
    const QTemporaryDir folder;
    const Prepared made(kModels.at(static_cast<size_t>(row)).opCase, folder);
    TrainingSession& session = *made.session;
    session.trainStep(feedsOf(session, made.arrays, 0));

    const OracleResult there = runOracle(
        "grads.py", {"--train", folder.filePath("training_model.onnx"), "--checkpoint",
                     folder.filePath("checkpoint"), "--feeds", folder.filePath("feeds.npz"),
                     "--out", folder.filePath("gradients.npz")});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const Arrays gradients = readNpz(folder.filePath("gradients.npz").toStdString());
    for (const Parameter& parameter : session.state().parameters()) {
        if (parameter.gradient.empty()) continue;
        const auto found = gradients.find(parameter.name);
        QVERIFY2(found != gradients.end(), parameter.name.c_str());
        const double worst = worstRatio(parameter.gradient, found->second, 1e-5, 1e-4);
        QVERIFY2(worst <= 1, qPrintable(QString("%1 of the tolerance").arg(worst)));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleGradientsTest)
#include "oracle_gradients_test.moc"
