// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/blocks/loss_blocks.h"
#include "engine/training/loss/loss_formula.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/spec/training_spec.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/bad_files.h"

namespace temper::test {

/// Losses as texts: their meaning, and how mistakes are shown.
class LossFormulaTest : public QObject {
    Q_OBJECT

private slots:
    void formulasGiveTheModelOfTheBlocks();
    void aSingleCallIsTheBuiltInLoss_data();
    void aSingleCallIsTheBuiltInLoss();
    void whatIsReadIsPlanned_data();
    void whatIsReadIsPlanned();
    void mistakesPointAtTheCharacter_data();
    void mistakesPointAtTheCharacter();
    void everyMistakeIsReportedAtOnce();
    void onlyThePlaceInALongLossIsQuoted();
    void noTextMakesPlanningThrow_data();
    void noTextMakesPlanningThrow();
    void lossesAreDescribed_data();
    void lossesAreDescribed();
    void optionsOfChoicesAreFormulasOptions();
    void newInputsHaveTheTypeOfWhatTheyAreCombinedWith_data();
    void newInputsHaveTheTypeOfWhatTheyAreCombinedWith();
    void powersBindCloserThanSigns_data();
    void powersBindCloserThanSigns();
};

/// Two outputs from one hidden layer.
constexpr const char* kTwoOutputs = R"(<ir_version: 8, opset_import: ["" : 17]>
    two (float[batch, 4] input) => (float[batch, 3] out1, float[batch, 2] out2)
    <float[5, 4] fc1.weight = {0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1,
        0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3},
     float[3, 5] fc2.weight = {0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1,
        0.2, -0.1},
     float[2, 5] fc3.weight = {0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1, 0.2},
     int64[2] shape = {-1, 2}> {
        hidden = Gemm<transB = 1>(input, fc1.weight)
        act = Tanh(hidden)
        out1 = Gemm<transB = 1>(act, fc2.weight)
        flat = Gemm<transB = 1>(act, fc3.weight)
        out2 = Reshape(flat, shape)
    })";

/// The documentation's example as a block.
class WeightedLoss : public blocks::Block {
    blocks::Values build(BlockModel& model, const blocks::Values& outputs) override {
        Value* share1 = blocks::constant(model, 0.4F);
        Value* loss1 = blocks::mse(model, outputs[0], "target1");
        Value* part1 = blocks::mul(model, share1, loss1);
        Value* share2 = blocks::constant(model, 0.6F);
        Value* loss2 = blocks::mse(model, outputs[1], "target2");
        Value* part2 = blocks::mul(model, share2, loss2);
        return {blocks::add(model, part1, part2)};
    }
};

ArtifactSpec specOf(const QString& loss) {
    ArtifactSpec spec;
    spec.loss = {loss.toStdString(), {}};
    return spec;
}

QString joined(const std::vector<std::string>& names) {
    QStringList list;
    for (const std::string& name : names) list << QString::fromStdString(name);
    return list.join(' ');
}

void LossFormulaTest::formulasGiveTheModelOfTheBlocks() {
    const auto model = parseText(kTwoOutputs);
    WeightedLoss block;
    const Artifacts a = generateArtifacts(*model, *allOps(), {}, &block);
    const Artifacts b = generateArtifacts(
        *model, *allOps(), specOf("0.4 * mse(out1, target1) + 0.6 * mse(out2, target2)"));
    QCOMPARE(serializeModel(*a.trainingModel), serializeModel(*b.trainingModel));
    QCOMPARE(serializeModel(*a.evalModel), serializeModel(*b.evalModel));
    QCOMPARE(serializeModel(*a.optimizerModel), serializeModel(*b.optimizerModel));
    QCOMPARE(serializeCheckpoint(a.checkpoint), serializeCheckpoint(b.checkpoint));
    // names and numbers: spec/artifacts.md section 18.1
    QStringList nodes;
    for (const Node* node : a.evalModel->nodes()) {
        if (node->name().starts_with("onnx::")) nodes << QString::fromStdString(node->name());
    }
    QCOMPARE(nodes.join(' '),
             "onnx::Sub::3 onnx::Pow::6 onnx::ReduceMean::8 onnx::Mul::10 onnx::Sub::13 "
             "onnx::Pow::16 onnx::ReduceMean::18 onnx::Mul::20 onnx::Add::22");
    QCOMPARE(joined(namesOf(a.evalModel->outputs())), "onnx::add_output::21");
    QCOMPARE(joined(namesOf(a.evalModel->inputs())).left(21), "input target1 target2");
}

void LossFormulaTest::aSingleCallIsTheBuiltInLoss_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("formula");
    QTest::newRow("mse") << "mse"
                         << "mse(out1, target)";
    QTest::newRow("default names") << "cross-entropy"
                                   << " cross_entropy ( ) ";
    QTest::newRow("default target") << "l1"
                                    << "l1(out1)";
    QTest::newRow("quotes") << "bce-with-logits"
                            << "bce_with_logits('out1', \"target\")";
    QTest::newRow("parentheses") << "huber"
                                 << "((huber(out1, delta=1)))";
}

void LossFormulaTest::aSingleCallIsTheBuiltInLoss() {
    QFETCH(QString, key);
    QFETCH(QString, formula);
    const auto model = parseText(kTwoOutputs);
    ArtifactSpec chosen = specOf(key);
    chosen.lossInputs = {"out1"};
    ArtifactSpec written = specOf(formula);
    written.lossInputs = {"out1"};
    const Artifacts a = generateArtifacts(*model, *allOps(), chosen);
    const Artifacts b = generateArtifacts(*model, *allOps(), written);
    QCOMPARE(serializeModel(*a.trainingModel), serializeModel(*b.trainingModel));
}

void LossFormulaTest::whatIsReadIsPlanned_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("predictions");
    QTest::addColumn<QString>("targets");
    QTest::addColumn<QString>("trainable");
    const QString all = "fc1.weight fc2.weight fc3.weight";
    QTest::newRow("two outputs, targets in the order of appearance") << "l1(out2, z) + mse(out1, a)"
                                                                     << "out2 out1"
                                                                     << "z a" << all;
    QTest::newRow("one target for both") << "mean(out1) + mse(out2, t) + l1(out2, t)"
                                         << "out1 out2"
                                         << "t" << all;
    QTest::newRow("an output as the target") << "mse(act, hidden)"
                                             << "act hidden"
                                             << ""
                                             << "fc1.weight";
    QTest::newRow("a regularizer") << "mse(out1, t) + 0.1*l2(fc2.weight)"
                                   << "out1 fc2.weight"
                                   << "t"
                                   << "fc1.weight fc2.weight";
    QTest::newRow("a pattern") << "mse(out1, t) + 0.1*l1reg('fc?.weight')"
                               << "out1 fc1.weight fc2.weight fc3.weight"
                               << "t" << all;
    QTest::newRow("a weight of each element") << "mean(weight * mse(out1, t, reduction=none))"
                                              << "out1"
                                              << "t weight"
                                              << "fc1.weight fc2.weight";
    QTest::newRow("weights behind and in parentheses")
        << "mean(mse(out1, t, reduction=none) * (1 - 0.5*mask)) / 2 + mean(abs(out2 - shift))"
        << "out1 out2"
        << "t mask shift" << all;
    QTest::newRow("a weight of the whole loss") << "factor * mse(out1, t)"
                                                << "out1"
                                                << "t factor"
                                                << "fc1.weight fc2.weight";
    QTest::newRow("a target that is computed") << "mse(out1, 2*t - 1)"
                                               << "out1"
                                               << "t"
                                               << "fc1.weight fc2.weight";
    QTest::newRow("a value inside the model") << "mse(hidden, t)"
                                              << "hidden"
                                              << "t"
                                              << "fc1.weight";
}

void LossFormulaTest::whatIsReadIsPlanned() {
    QFETCH(QString, loss);
    QFETCH(QString, predictions);
    QFETCH(QString, targets);
    QFETCH(QString, trainable);
    const auto model = parseText(kTwoOutputs);
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), specOf(loss));
    QVERIFY(!hasErrors(plan.findings));
    QCOMPARE(joined(plan.loss.reads.predictions), predictions);
    QCOMPARE(joined(plan.loss.reads.targets), targets);
    QCOMPARE(joined(plan.trainable), trainable);
    const Artifacts artifacts = generateArtifacts(*model, *allOps(), specOf(loss));
    QStringList inputs;
    for (const Value* input : artifacts.evalModel->inputs()) {
        if (!input->name().starts_with("fc")) inputs << QString::fromStdString(input->name());
    }
    QCOMPARE(inputs.join(' '), QString("input " + targets).trimmed());
}

void LossFormulaTest::mistakesPointAtTheCharacter_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("marks");  ///< the line below the loss, without its margin
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* loss, const char* marks, const char* message,
                        const char* hint) {
        QTest::newRow(loss) << loss << marks << message << hint;
    };
    row("0.4*msee(out1, t)", "    ^~~~", "Unknown loss 'msee'", "Did you mean 'mse'?");
    row("mse(ou1, t)", "    ^~~", "no value 'ou1'", "Did you mean 'out1'?");
    row("mse(out1 t)", "         ^", "'t' is not expected here; expected ',' or ')'", "");
    row("mse(out1, t", "           ^", "The loss ends here; expected ',' or ')'", "");
    row("mse(out1, t) 2", "             ^", "'2' is not expected here; expected an operator", "");
    row("mse(out1, t) + ", "               ^", "The loss ends here; expected a number", "");
    row("mse(out1, 't)", "          ^", "The quote is not closed", "");
    row("huber(out1, t, delat=2)", "               ^~~~~", "'huber' has no option 'delat'",
        "Did you mean 'delta'?");
    row("huber(out1, t, delta=-1)", "                     ^~", "'delta' is -1; expected", "");
    row("huber(out1, t, delta=big)", "                     ^~~", "'delta' must be a number", "");
    row("huber(out1, t, delta=)", "                     ^", "expected a number, a word or a list",
        "");
    row("cross_entropy(out1, t, weight=word)", "                              ^~~~",
        "'weight' must be a list of numbers", "");
    row("cross_entropy(out1, t, weight=[1, 2])", "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "The number of classes and of weights are 3 and 2", "");
    row("mse(out1, t, reduction=maen)", "                       ^~~~",
        "Reduction maen is not supported", "Did you mean 'mean'?");
    row("kl_div(out1, t, reduction=batchmeen)", "                          ^~~~~~~~~",
        "is not supported", "Did you mean 'batchmean'?");
    row("mse(out1, t, reduction=batchmean)", "                       ^~~~~~~~~", "is not supported",
        "mean, sum, none");
    row("mse(reduction=sum, out1)", "                   ^",
        "An argument without a name follows one with a name", "");
    row("mse(out1, t, reduction=none)", "^~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "The loss is float32[batch, 3]; expected a single float32 number", "mean(...)");
    row("mse(out1, out2)", "^~~~~~~~~~~~~~~", "can't be broadcast", "");
    row("mse()", "^~~~~", "'mse' has 0 arguments; expected mse(output, target)", "out1, out2");
    row("mse(out1, out2, t)", "^~~~~~~~~~~~~~~~~~", "'mse' has 3 arguments", "");
    row("l2()", "^~~~", "'l2' has no parameters", "patterns");
    row("mse(out1, t) + l2(fc1.wieght)", "                  ^~~~~~~~~~",
        "'fc1.wieght' is not a parameter", "Did you mean 'fc1.weight'?");
    row("mse(out1, t) + l2(shape)", "                  ^~~~~", "'shape' is int64[2]", "");
    row("sum(out1, out2)", "^~~~~~~~~~~~~~~", "'sum' takes one argument; found 2", "");
    row("mean(out1, axis=1)", "           ^~~~", "'mean' has no option 'axis'", "");
    row("mean(softmax(out1, axis=0.5))", "                        ^~~", "not a whole number", "");
    row("mse(input, t)", "^~~~~~~~~~~~~", "The loss reads no output of the model", "out1");
    row("1/0*mse(out1, t)", "^~~", "not a finite number", "");
    row("mean(mask)*mse(out1, t)", "     ^~~~", "no value 'mask'", "out1, out2");
    row("mean(out*mse(out1, t, reduction=none))", "     ^~~", "no value 'out'",
        "Did you mean 'out1'?");
    row("mse(out1, t)^", "             ^", "The loss ends here; expected a number", "");
    row("w * sqrt(mse(out1, t))", "    ^~~~~~~~~~~~~~~~~~",
        "one number for the whole batch, which 'w', with one weight per sample, can't weight",
        "sqrt(w * mse(output, target))");
    row("w * (mse(out1, t) + l2(fc1.weight))", "                    ^~~~~~~~~~~~~~",
        "'l2(fc1.weight)' is one number for the whole batch", "w * mse(output, target) + 0.01");
    row("w * (mse(out1, t) * l1(out1, t))", "    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "is not a sum of losses",
        "(w * mse(out1, t)) * l1(out1, t), or mse(out1, t) * (w * l1(out1, t))");
    row("w * cross_entropy(out1, t, ignore_index=7)", "    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "over the labels that count or over their weights",
        "mean(w * cross_entropy(out1, t, ignore_index=7, reduction=none)) to divide by the number "
        "of labels, or sum(w * cross_entropy(out1, t, ignore_index=7, reduction=none)) / sum(w)");
    row("nll(out1, t, weight=[1,2,3], reduction=mean)/w",
        "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "over the labels that count",
        "mean(nll(out1, t, weight=[1,2,3], reduction=none) / (w))");
    row("mean(w * mse(out1, t, reduction=none)) + w * mse(out1, t)",
        "                                         ^", "'w' is float32[batch, 3] where it is used",
        "another name");
    row("mse(out1, t) + shift", "               ^~~~~",
        "'shift' would be one number for the whole batch", "Write the number itself");
    row("shift / mse(out1, t)", "^~~~~", "'shift' would be one number for the whole batch",
        "Write the number itself");
    row("w * mean(mse(out1, t))", "    ^~~~~~~~~~~~~~~~~~", "The elements of 'mean' are float32[]",
        "");
    row("mse(\"größe\", t)*x", "    ^~~~~~~", "no value 'größe'", "");
}

void LossFormulaTest::mistakesPointAtTheCharacter() {
    QFETCH(QString, loss);
    QFETCH(QString, marks);
    QFETCH(QString, message);
    QFETCH(QString, hint);
    const auto model = parseText(kTwoOutputs);
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), specOf(loss));
    const auto found = std::ranges::find(plan.findings, "A008", &Finding::code);
    QVERIFY(found != plan.findings.end());
    QVERIFY(found->severity == Severity::Error);
    const QStringList lines = QString::fromStdString(found->message).split('\n');
    QVERIFY2(lines[0].contains(message), found->message.c_str());
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[1], "    " + loss);
    QCOMPARE(lines[2], "    " + marks);
    QVERIFY2(QString::fromStdString(found->hint).contains(hint), found->hint.c_str());
    compareWithBadFiles("Loss expression", lines[0] + " | " + QString::fromStdString(found->hint));
    QVERIFY_EXCEPTION_THROWN(generateArtifacts(*model, *allOps(), specOf(loss)), Error);
}

void LossFormulaTest::everyMistakeIsReportedAtOnce() {
    const auto model = parseText(kTwoOutputs);
    const ArtifactPlan plan = planArtifacts(
        *model, *allOps(), specOf("mse(ou1, t) + huber(out2, s, dleta=1) + 2*hinges(out1)"));
    QStringList messages;
    for (const Finding& finding : plan.findings) {
        messages << QString::fromStdString(finding.message).section('\n', 0, 0);
    }
    QCOMPARE(messages.join('|'),
             "The model has no value 'ou1'.|'huber' has no option 'dleta'.|Unknown loss 'hinges'.");
}

void LossFormulaTest::onlyThePlaceInALongLossIsQuoted() {
    const auto model = parseText(kTwoOutputs);
    const QString sum = "mse(out1, t) + " + QString("l2(eye) + ").repeated(1900) + "1";
    const ArtifactPlan unknown = planArtifacts(*model, *allOps(), specOf(sum));
    QCOMPARE(unknown.findings.size(), size_t{20});
    const QString text = "mse(out1, t) + " + QString("l2('größe') + ").repeated(100);
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), specOf(text + "µ"));
    QCOMPARE(plan.findings.size(), size_t{1});
    const QStringList lines = QString::fromStdString(plan.findings[0].message).split('\n');
    QCOMPARE(lines.size(), 3);
    QVERIFY2(lines[0].startsWith("'µ' is not expected here"), qPrintable(lines[0]));
    QVERIFY2(lines[1].startsWith("    …") && lines[1].endsWith("größe') + µ"),
             qPrintable(lines[1]));
    QVERIFY2(lines[1].size() < 130, qPrintable(lines[1]));
    QCOMPARE(lines[2], QString(lines[1].size() - 1, ' ') + "^");
}

void LossFormulaTest::noTextMakesPlanningThrow_data() {
    QTest::addColumn<QString>("loss");
    const QStringList pieces = {"",
                                " ",
                                "(",
                                ")",
                                "((((",
                                "1",
                                "-",
                                "+",
                                "mse",
                                "mse(",
                                "mse)",
                                "[1]",
                                "=",
                                "a=b",
                                "mse(=",
                                "mse(,)",
                                "1e999",
                                "1e-999",
                                "nan",
                                "inf",
                                ".",
                                "..",
                                "--",
                                "'",
                                "\"\"",
                                "mse('')",
                                "l2('')",
                                "l2('*'",
                                "\n",
                                "µ",
                                "mse(out1,t,weight=[])",
                                "mse(out1,t,delta=[1,])",
                                "cross_entropy(out1,t,weight=[1e30,1e30,1e30,])"};
    for (const QString& piece : pieces) QTest::addRow("'%s'", qPrintable(piece)) << piece;
    QTest::newRow("deep") << QString(100000, '(');
    QTest::newRow("deep calls") << QString("mse(").repeated(4000);
    QTest::newRow("signs") << QString(19000, '-') + "1";
    QTest::newRow("a long sum") << QString("mean(out1)+").repeated(300) + "1";
    QTest::newRow("the longest sum") << QString("1+").repeated(9999) + "1";
    QTest::newRow("the longest product of names") << QString("a*").repeated(9999) + "a";
    const QString valid = "0.4*huber(out1, target1, delta=1.5, reduction=sum) + l2(\"*\")/2";
    for (int i = 0; i < valid.size(); ++i) {
        QTest::addRow("without character %d", i) << QString(valid).remove(i, 1);
        QTest::addRow("cut at character %d", i) << valid.left(i);
    }
}

void LossFormulaTest::noTextMakesPlanningThrow() {
    QFETCH(QString, loss);
    const auto model = parseText(kTwoOutputs);
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), specOf(loss));
    bool isMade = true;
    try {
        generateArtifacts(*model, *allOps(), specOf(loss));
    } catch (const Error&) {
        isMade = false;
    }
    QCOMPARE(isMade, !hasErrors(plan.findings));
}

void LossFormulaTest::lossesAreDescribed_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("predictions");
    QTest::addColumn<QString>("targets");
    const auto row = [](const char* loss, const char* kind, const char* predictions,
                        const char* targets) {
        QTest::newRow(loss) << loss << kind << predictions << targets;
    };
    row("cross_entropy(out1, t)", "cross-entropy", "out1", "t");
    row("cross_entropy(out1, t, label_smoothing=0.1, ignore_index=7)", "cross-entropy", "out1",
        "t");
    row("focal(out1, t, ignore_index=7) + 0.1*l2(fc1.weight)", "cross-entropy", "out1", "t");
    row("huber(out1, t)", "regression", "out1", "t");
    row("0.5*mse(out1, t) + 0.5*l1(out1, t)", "regression", "out1", "t");
    row("bce_with_logits(out1, t, pos_weight=2)", "bce-with-logits", "out1", "t");
    row("mse(out1, s) + mse(out2, t)", "custom", "out1 out2", "s t");
    row("cross_entropy(out1, s) + cross_entropy(out2, t)", "custom", "out1 out2", "s t");
    row("mean(out1)", "custom", "out1", "");
    row("mean(w * mse(out1, t, reduction=none))", "regression", "out1", "t");
    row("mean(w * cross_entropy(out1, t, reduction=none))", "cross-entropy", "out1", "t");
    row("w * mse(out1, t)", "regression", "out1", "t");
    row("w * cross_entropy(out1, t)", "cross-entropy", "out1", "t");
    row("w * bce_with_logits(out1, t) + 0.1*l2(fc1.weight)", "bce-with-logits", "out1", "t");
    row("mse(out1, s) + l1(out1, t)", "custom", "out1", "s t");
}

void LossFormulaTest::lossesAreDescribed() {
    QFETCH(QString, loss);
    QFETCH(QString, kind);
    QFETCH(QString, predictions);
    QFETCH(QString, targets);
    const Artifacts artifacts = generateArtifacts(*parseText(kTwoOutputs), *allOps(), specOf(loss));
    for (const auto& graph : {artifacts.evalModel, artifacts.trainingModel}) {
        const LossInfo info = describeLoss(*graph);
        QCOMPARE(QString::fromStdString(info.kind), kind);
        QCOMPARE(joined(info.predictions), predictions);
        if (!loss.contains("w *")) QCOMPARE(joined(info.targets), targets);
        const bool isOnePair = kind != "custom";
        QCOMPARE(QString::fromStdString(info.prediction), isOnePair ? predictions : "");
        QCOMPARE(QString::fromStdString(info.target), isOnePair ? targets : "");
        if (loss.contains("ignore")) QCOMPARE(info.ignoredLabel.value_or(0), int64_t{7});
    }
}

void LossFormulaTest::newInputsHaveTheTypeOfWhatTheyAreCombinedWith_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("type");
    QTest::newRow("an element") << "mean(w * mse(out1, t, reduction=none))"
                                << "float32[batch, 3]";
    QTest::newRow("a sample") << "mean(w * cross_entropy(out1, t, reduction=none))"
                              << "float32[batch]";
    const auto row = [](const char* loss, const char* type) {
        QTest::newRow(loss) << loss << type;
    };
    row("mean(w * (out1 - t)^2)", "float32[batch, 3]");
    row("mean(w*abs(out1-t))", "float32[batch, 3]");
    row("mean(abs(t - out1) / w)", "float32[batch, 3]");
    row("mean(-w * (1 - 2*t) * out2)", "float32[batch, 2]");
    row("mean(w^2 * sqrt(exp(t - out1)))", "float32[batch, 3]");
    row("mean((1 - 0.5*w) * (t*2 - act)^2)", "float32[batch, 5]");
    row("w * mse(out1, t)", "float32[batch]");
    row("l1(out1, t) / w", "float32[batch]");
    row("w * mean((out1 - t)^2)", "float32[batch]");
    row("2 * w * (cross_entropy(out1, t) + mse(out2, s) / 3)", "float32[batch]");
    row("w * mse(out2, s) + w * sum(abs(out1 - t))", "float32[batch]");
    QTest::newRow("in a function") << "mean(exp(-w) * mse(out2, t, reduction=none))"
                                   << "float32[batch, 2]";
}

void LossFormulaTest::newInputsHaveTheTypeOfWhatTheyAreCombinedWith() {
    QFETCH(QString, loss);
    QFETCH(QString, type);
    const Artifacts artifacts = generateArtifacts(*parseText(kTwoOutputs), *allOps(), specOf(loss));
    QCOMPARE(QString::fromStdString(formatType(artifacts.trainingModel->at("w")->type())), type);
}

void LossFormulaTest::powersBindCloserThanSigns_data() {
    QTest::addColumn<QString>("power");
    QTest::addColumn<QString>("number");
    QTest::newRow("two") << "3^2"
                         << "9";
    QTest::newRow("from right to left") << "2^3^2"
                                        << "512";
    QTest::newRow("behind a sign") << "-2^2 + 13"
                                   << "9";
    QTest::newRow("a negative exponent") << "2^-1"
                                         << "0.5";
    QTest::newRow("before a product") << "2*3^2"
                                      << "18";
}

void LossFormulaTest::powersBindCloserThanSigns() {
    QFETCH(QString, power);
    QFETCH(QString, number);
    const auto model = parseText(kTwoOutputs);
    const Artifacts a =
        generateArtifacts(*model, *allOps(), specOf("(" + power + ")*mean((out1 - t)^2)"));
    const Artifacts b = generateArtifacts(*model, *allOps(), specOf(number + "*mean((out1-t)^2)"));
    QCOMPARE(serializeModel(*a.evalModel), serializeModel(*b.evalModel));
    const auto nodes = a.evalModel->nodes();
    QCOMPARE(std::ranges::count(nodes, "Pow", &Node::opType), 1);
}

void LossFormulaTest::optionsOfChoicesAreFormulasOptions() {
    const auto model = parseText(kTwoOutputs);
    const TrainingSpec spec = trainingSpecFromJson(R"({"artifacts": {"loss_inputs": ["out1"],
        "loss": {"key": "cross-entropy", "values": {"label_smoothing": 0.1, "ignore_index": 5},
                 "lists": {"weight": [1, 2, 3]}}}})");
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
    const Artifacts a = generateArtifacts(*model, *allOps(), spec.artifacts);
    const Artifacts b = generateArtifacts(
        *model, *allOps(),
        specOf("cross_entropy(out1, labels, label_smoothing=0.1, ignore_index=5, weight=[1,2,3])"));
    QCOMPARE(serializeModel(*a.trainingModel), serializeModel(*b.trainingModel));
    ArtifactSpec bad = specOf("mse(out1, t)");
    bad.loss.values["delta"] = 2;
    QVERIFY(hasErrors(planArtifacts(*model, *allOps(), bad).findings));
    bad = specOf("huber");
    bad.lossInputs = {"out1"};
    bad.loss.values["delta"] = -2;
    QVERIFY(hasErrors(planArtifacts(*model, *allOps(), bad).findings));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::LossFormulaTest)
#include "loss_formula_test.moc"
