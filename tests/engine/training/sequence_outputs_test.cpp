// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/artifacts/model_findings.h"
#include "engine/training/blocks/loss_blocks.h"
#include "engine/training/edits/free_batch.h"
#include "engine/training/export/inference_export.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// Models with outputs that are no tensors: what a loss reads, and what is said if it can't.
class SequenceOutputsTest : public QObject {
    Q_OBJECT

private slots:
    void whatIsNoTensorIsRefused_data();
    void whatIsNoTensorIsRefused();
    void sequencesArePassedOver_data();
    void sequencesArePassedOver();
    void blocksReadTensors();
    void aStepGivesNoSequence();
    void whatASequenceIsMadeOfTrains_data();
    void whatASequenceIsMadeOfTrains();
    void theBatchMayBeFreed();
    void onlyTensorsAreCompared();
};

namespace {

std::unique_ptr<Graph> modelWithOutputs(const QString& outputs, const QString& nodes) {
    return parseText(QString(R"(
        <ir_version: 8, opset_import: ["" : 18]>
        m (float[2, 3] x) => (%1)
            <float[3, 4] w = {0.1, -0.2, 0.3, 0.2, 0.1, -0.1, -0.3, 0.2, 0.2, 0.1, 0.3, -0.1}> {
            one = Constant<value = int64 {1}>() h = MatMul(x, w) g = Tanh(h) %2
        })")
                         .arg(outputs, nodes)
                         .toStdString());
}

ArtifactSpec specReading(const QString& loss, const QString& input) {
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    spec.optimizer = {"sgd", {}};
    if (!input.isEmpty()) spec.lossInputs = {input.toStdString()};
    return spec;
}

std::vector<Finding> errorsAmong(std::vector<Finding> findings) {
    std::erase_if(findings, [](const Finding& f) { return f.severity != Severity::Error; });
    return findings;
}

/// Reads the first of its inputs.
class MseOfFirst : public blocks::Block {
    blocks::Values build(BlockModel& model, const blocks::Values& inputs) override {
        return {blocks::mse(model, inputs.at(0), "target")};
    }
};

constexpr const char* kList = "y = SequenceConstruct(h, g)";
constexpr const char* kSequence = "The loss reads a tensor; 'y' is seq(float32";

}  // namespace

void SequenceOutputsTest::whatIsNoTensorIsRefused_data() {
    QTest::addColumn<QString>("outputs");
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* name, const char* outputs, const char* nodes, const char* loss,
                        const char* input, const char* message, const char* hint) {
        QTest::newRow(name) << outputs << nodes << loss << input << message << hint;
    };
    const char* made =
        "Let it read a tensor (--loss-input NAME, or its name in a formula) such as "
        "'h', 'g', from which the sequence is made. To read what the sequence "
        "holds, add SequenceAt or ConcatFromSequence to the model.";
    row("a list", "y", kList, "mse", "", kSequence, made);
    row("a list, by its name", "y", kList, "cross-entropy", "y", kSequence, made);
    row("a list as the loss", "y", kList, "none", "", kSequence, made);
    row("a list of one number as the loss", "y",
        "r = ReduceSum<keepdims = 0>(h) "
        "y = SequenceConstruct(r)",
        "none", "", kSequence, "such as 'r', from");
    row("a list in a formula", "y", kList, "0.5 * mse(y, target)", "", kSequence, "'h', 'g'");
    row("the mean of a list", "y", kList, "mean(y)", "", kSequence, "'h', 'g'");
    row("a list as the target", "y", kList, "mse(h, y)", "", kSequence, "'h', 'g'");
    row("a list that other nodes read", "y", "q = SequenceConstruct(h, g) y = SequenceAt(q, one)",
        "mse", "q", "The loss reads a tensor; 'q' is seq(float32", "'h', 'g'");
    row("a tensor that is split", "y", "y = SplitToSequence<axis = 1>(h)", "mse", "", kSequence,
        "such as 'h', from which the sequence is made");
    row("tensors that are inserted", "y",
        "e = SequenceEmpty() q = SequenceInsert(e, h) y = SequenceInsert(q, g)", "mse", "",
        kSequence, "such as 'h', 'g', from which");
    row("many tensors", "y", "a = Neg(h) b = Neg(g) y = SequenceConstruct(h, g, a, b)", "mse", "",
        kSequence, "such as 'h', 'g', 'a', from which");
    row("inputs only", "y", "y = SequenceConstruct(x)", "mse", "", kSequence,
        "in a formula). To read what");
    row("an optional", "y", "y = Optional(h)", "mse", "",
        "The loss reads a tensor; 'y' is optional(float32",
        "'h', from which the optional is made. To read what the optional holds, add "
        "OptionalGetElement to the model.");
    row("no tensor among several", "y, z", "y = SequenceConstruct(h, g) z = Optional(h)", "mse", "",
        "The model has 2 outputs (y, z)", "such as 'h', 'g', from which");
}

void SequenceOutputsTest::whatIsNoTensorIsRefused() {
    QFETCH(QString, outputs);
    QFETCH(QString, nodes);
    QFETCH(QString, loss);
    QFETCH(QString, input);
    QFETCH(QString, message);
    QFETCH(QString, hint);
    const auto model = modelWithOutputs(outputs, nodes);
    const ArtifactSpec spec = specReading(loss, input);
    const std::vector<Finding> errors =
        errorsAmong(planArtifacts(*model, *allOps(), spec).findings);
    QCOMPARE(errors.size(), size_t{1});
    QVERIFY2(QString::fromStdString(errors.front().message).contains(message),
             errors.front().message.c_str());
    QVERIFY2(QString::fromStdString(errors.front().hint).contains(hint),
             errors.front().hint.c_str());
    QVERIFY_EXCEPTION_THROWN(generateArtifacts(*model, *allOps(), spec), Error);
}

void SequenceOutputsTest::sequencesArePassedOver_data() {
    QTest::addColumn<QString>("outputs");
    QTest::addColumn<QString>("loss");
    for (const char* loss : {"mse", "2 * mse()"}) {
        for (const char* outputs : {"q, y", "y, q", "q, o, y, hidden_states"}) {
            QTest::addRow("%s of %s", loss, outputs) << QString(outputs) << QString(loss);
        }
    }
}

void SequenceOutputsTest::sequencesArePassedOver() {
    QFETCH(QString, outputs);
    QFETCH(QString, loss);
    const auto model = modelWithOutputs(
        outputs, "q = SequenceConstruct(h, g) o = Optional(h) hidden_states = Neg(h) y = Neg(g)");
    const ArtifactSpec spec = specReading(loss, "");
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), spec);
    QVERIFY(!hasErrors(plan.findings));
    QCOMPARE(plan.loss.reads.predictions, std::vector<std::string>{"y"});
    QCOMPARE(generateArtifacts(*model, *allOps(), spec).checkpoint.trainable.size(), size_t{1});
}

void SequenceOutputsTest::blocksReadTensors() {
    MseOfFirst block;
    const auto mixed = modelWithOutputs("q, y", "q = SequenceConstruct(h, g) y = Neg(g)");
    const ArtifactPlan plan = planArtifacts(*mixed, *allOps(), specReading("mse", ""), &block);
    QVERIFY(!hasErrors(plan.findings));
    QCOMPARE(plan.loss.reads.predictions, std::vector<std::string>{"y"});
    const auto list = modelWithOutputs("y", kList);
    for (const char* input : {"", "y"}) {
        const std::vector<Finding> errors = errorsAmong(
            planArtifacts(*list, *allOps(), specReading("mse", input), &block).findings);
        QCOMPARE(errors.size(), size_t{1});
        QVERIFY2(QString::fromStdString(errors.front().message).startsWith(kSequence),
                 errors.front().message.c_str());
    }
}

void SequenceOutputsTest::aStepGivesNoSequence() {
    const auto model = modelWithOutputs("y, q", "q = SequenceConstruct(h, g) y = Neg(g)");
    ArtifactSpec spec = specReading("mse", "y");
    spec.extraOutputs = {"q"};
    const std::vector<Finding> errors =
        errorsAmong(planArtifacts(*model, *allOps(), spec).findings);
    QCOMPARE(errors.size(), size_t{1});
    QCOMPARE(errors.front().code, std::string("A006"));
    QVERIFY2(QString::fromStdString(errors.front().message)
                 .contains("'q' is seq(float32[2, 4]); a step gives tensors."),
             errors.front().message.c_str());
}

void SequenceOutputsTest::whatASequenceIsMadeOfTrains_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<bool>("trains");
    QTest::newRow("a list") << kList << true;
    QTest::newRow("an optional list") << "q = SequenceConstruct(h, g) y = Optional(q)" << true;
    QTest::newRow("a list of signs") << "s = Sign(h) y = SequenceConstruct(s)" << false;
}

void SequenceOutputsTest::whatASequenceIsMadeOfTrains() {
    QFETCH(QString, nodes);
    QFETCH(bool, trains);
    const auto model = modelWithOutputs("y", nodes);
    std::vector<Finding> remarks = inferTypes(*model, allOps()->catalog);
    QVERIFY(!hasErrors(remarks));
    const std::vector<Finding> findings = findingsOfModel(*model, *allOps(), std::move(remarks));
    QCOMPARE(!hasErrors(findings), trains);
    const auto parameters = parametersOfModel(*model, *allOps(), findings);
    const auto weight = std::ranges::find(parameters, std::string("w"),
                                          [](const ModelParameter& p) { return p.info.name; });
    QVERIFY(weight != parameters.end());
    QCOMPARE(weight->trains, trains);
}

void SequenceOutputsTest::theBatchMayBeFreed() {
    const auto model = modelWithOutputs("q, y", "q = SequenceConstruct(h, g) y = Neg(g)");
    requireFreeableBatch(*model, *allOps(), {});
    const auto mixed = modelWithOutputs("q, y",
                                        "q = SequenceConstruct(h, g) axes = Constant<value = "
                                        "int64[1] {0}>() m = ReduceMean(h, axes) y = Sub(h, m)");
    QVERIFY_EXCEPTION_THROWN(requireFreeableBatch(*mixed, *allOps(), {}), Error);
}

void SequenceOutputsTest::onlyTensorsAreCompared() {
    const auto model =
        modelWithOutputs("p, q, r", "p = Neg(h) q = SequenceConstruct(h, g) r = Neg(g)");
    inferTypes(*model, allOps()->catalog);
    QCOMPARE(keepTensorOutputs(*model, {"a", "b", "c"}), (std::vector<std::string>{"a", "c"}));
    QCOMPARE(namesOf(model->outputs()), (std::vector<std::string>{"p", "r"}));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::SequenceOutputsTest)
#include "sequence_outputs_test.moc"
