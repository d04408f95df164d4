// SPDX-License-Identifier: Apache-2.0
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/data/npz_file.h"
#include "tests/engine/ops/recurrent_reference.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/oracle.h"

namespace temper::test {

/// Artifacts of recurrent models that ONNX Runtime itself has no gradient for, trained by it.
class OracleRecurrentTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (!oracleIsThere()) QSKIP(kOracleAbsent);
    }
    void artifactsTrainTheSameThere_data();
    void artifactsTrainTheSameThere();
};

namespace {

constexpr int kSteps = 3;

struct Row {
    const char* name;
    RecurrentCase net;
    bool symbolic = false;
};

std::vector<double> train(Artifacts artifacts, const Arrays& feeds) {
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(std::move(artifacts), state, allOps());
    session.setLearningRate(1e-3F);  // the runtime's own
    std::vector<double> losses;
    for (int step = 0; step < kSteps; ++step) {
        losses.push_back(session.trainStep(feedsOf(session, feeds, step))[0].toDouble());
        session.optimizerStep();
        session.lazyResetGrad();
    }
    return losses;
}

std::vector<Row> rowsOf() {
    std::vector<Row> rows;
    const auto add = [&](const char* name, RecurrentCase net, bool symbolic) {
        net.time = 4;
        rows.push_back({name, std::move(net), symbolic});
    };
    const std::vector<std::string> sequence = {"y", "", ""}, last = {"", "y", ""},
                                   cells = {"", "", "y"};
    add("LSTM both ways with lengths",
        {.direction = "bidirectional", .lengths = {2, 4}, .outputs = sequence}, true);
    add("LSTM both ways, last states of lengths",
        {.direction = "bidirectional", .lengths = {2, 4}, .outputs = last}, true);
    add("LSTM reverse, opset 9", {.direction = "reverse", .outputs = sequence, .opset = 9}, true);
    add("LSTM, cells at the ends", {.initialStates = true, .lengths = {4, 1}, .outputs = cells},
        false);
    add("LSTM, peepholes, clip, coupled gates",
        {.initialStates = true,
         .peepholes = true,
         .clip = 0.4F,
         .couplesInputForget = true,
         .outputs = sequence},
        false);
    add("GRU reverse with lengths, linear before reset",
        {.op = "GRU",
         .direction = "reverse",
         .lengths = {3, 4},
         .linearBeforeReset = true,
         .outputs = last},
        true);
    add("GRU, other activations, opset 11",
        {.op = "GRU",
         .activations = {"HardSigmoid", "Softsign"},
         .alphas = {0.2F},
         .betas = {0.5F},
         .outputs = sequence,
         .opset = 11},
        false);
    add("RNN both ways with lengths",
        {.op = "RNN",
         .direction = "bidirectional",
         .initialStates = true,
         .lengths = {2, 4},
         .outputs = sequence},
        false);
    add("RNN with Relu and clip, opset 17",
        {.op = "RNN", .activations = {"Relu"}, .clip = 0.5F, .outputs = last, .opset = 17}, false);
    return rows;
}

/// Everything but the sequence and its lengths is a parameter.
OpCase nodeOf(const RecurrentCase& net) {
    OpCase node = net.node();
    for (const auto& [name, feed] : node.feeds) {
        if (name != "x" && name != "lengths") node.constants.push_back(name);
    }
    return node;
}

}  // namespace

void OracleRecurrentTest::artifactsTrainTheSameThere_data() {
    QTest::addColumn<int>("row");
    const std::vector<Row> rows = rowsOf();
    for (size_t i = 0; i < rows.size(); ++i) QTest::newRow(rows[i].name) << static_cast<int>(i);
}

void OracleRecurrentTest::artifactsTrainTheSameThere() {
    QFETCH(int, row);
    const auto [name, net, symbolic] = rowsOf().at(static_cast<size_t>(row));
    const OpCase node = nodeOf(net);
    const QTemporaryDir folder;
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.optimizer = TorchFixture::optimizer("adamw_hf");
    Artifacts artifacts = generateArtifacts(*graphOf(node, symbolic), *allOps(), spec);
    saveArtifacts(artifacts, folder.path().toStdString(), spec);

    Arrays feeds = {{"x", node.feeds.at("x").tensors.front()}};
    if (!net.lengths.empty()) feeds["lengths"] = node.feeds.at("lengths").tensors.front();
    feeds["target"] = randomTensor(runOp(node).at("y").shape(), 9);
    writeNpz(folder.filePath("feeds.npz").toStdString(), feeds);
    const std::vector<double> losses = train(std::move(artifacts), feeds);

    const OracleResult there =
        runOracle("train.py", {"--train", folder.filePath("training_model.onnx"), "--eval",
                               folder.filePath("eval_model.onnx"), "--optimizer",
                               folder.filePath("optimizer_model.onnx"), "--checkpoint",
                               folder.filePath("checkpoint"), "--feeds",
                               folder.filePath("feeds.npz"), "--steps", QString::number(kSteps)});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const QJsonArray steps = there.output["steps"].toArray();
    QCOMPARE(steps.size(), qsizetype{kSteps});
    for (int i = 0; i < kSteps; ++i) {
        const double loss = steps[i].toObject()["outputs"].toObject().begin()->toDouble();
        const double found = losses[static_cast<size_t>(i)];
        QVERIFY2(std::abs(found - loss) <= 1e-5 * std::abs(loss),
                 qPrintable(QString("step %1: %2 here, %3 there").arg(i + 1).arg(found).arg(loss)));
    }
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleRecurrentTest)
#include "oracle_recurrent_test.moc"
