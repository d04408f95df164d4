// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "engine/data/npz_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/ops/recurrent_reference.h"
#include "tests/engine/training/oracle_run.h"

namespace temper::test {

/// Artifacts of recurrent models for which ONNX Runtime itself has no gradient, trained by it.
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
    saveArtifacts(generateArtifacts(*graphOf(node, symbolic), *allOps(), spec),
                  folder.path().toStdString(), spec);

    Arrays feeds = {{"x", node.feeds.at("x").tensors.front()}};
    if (!net.lengths.empty()) feeds["lengths"] = node.feeds.at("lengths").tensors.front();
    feeds["target"] = randomTensor(runOp(node).at("y").shape(), 9);
    writeNpz(folder.filePath("feeds.npz").toStdString(), feeds);
    const QString parameters = folder.filePath("params.npz");
    const OracleResult there = trainThere(folder.path(), "checkpoint", folder.filePath("feeds.npz"),
                                          kSteps, {"--params-out", parameters});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    const auto session = sessionIn(folder.path());
    compareLosses(there.output, trainHere(*session, feeds, kSteps));
    if (QTest::currentTestFailed()) return;
    compareParameters(session->state(), readNpz(parameters.toStdString()));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleRecurrentTest)
#include "oracle_recurrent_test.moc"
