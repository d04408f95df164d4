// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/renaming.h"

#include <QTest>

#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/runtime/graph_runner.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/export/inference_export.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

/// New names for inputs and outputs, and everything that follows them.
class RenamingTest : public QObject {
    Q_OBJECT

private slots:
    void inputsAndOutputsGetTheirNames();
    void twoCanExchangeNames();
    void bodiesFollow();
    void namesThatCanNotBeAreRefused_data();
    void namesThatCanNotBeAreRefused();
    void choicesFollow_data();
    void choicesFollow();
    void renamingAgainAndBackIsOneEntryOrNone();
    void artifactsHaveTheNewNames();
    void theSpecificationKeepsTheNames();
};

static std::unique_ptr<Graph> twoOutputs() {
    return parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        two (float[batch, 2] x, float[batch, 2] z) => (float[batch, 2] y, float[batch, 2] s)
            <float[2, 2] w = {1.5, -0.5, 0.25, 2.0}> {
            ["/first"] h = MatMul(x, w)
            ["/sum"] s = Add(h, z)
            ["/act"] y = Tanh(s)
        })");
}

void RenamingTest::inputsAndOutputsGetTheirNames() {
    const auto model = twoOutputs();
    renameInputsAndOutputs(*model, {{"x", "pixels"}, {"s", "sum of both"}});
    QCOMPARE(namesOf(model->inputs()), (std::vector<std::string>{"pixels", "z"}));
    QCOMPARE(namesOf(model->outputs()), (std::vector<std::string>{"y", "sum of both"}));
    QCOMPARE(model->at("y")->producer()->input(0)->name(), std::string("sum of both"));
    // Written to a file and read again, it is the same model.
    const std::string bytes = serializeModel(*model);
    const auto read = parseModel(std::as_bytes(std::span(bytes)), "m.onnx");
    QCOMPARE(toText(*read), toText(*model));
}

void RenamingTest::twoCanExchangeNames() {
    const auto model = twoOutputs();
    renameInputsAndOutputs(*model, {{"x", "z"}, {"z", "x"}});
    QCOMPARE(namesOf(model->inputs()), (std::vector<std::string>{"z", "x"}));
    QCOMPARE(model->at("h")->producer()->input(0)->name(), std::string("z"));
}

/// The branch of an If reads an input of the model, and a nested branch reads it, too.
void RenamingTest::bodiesFollow() {
    const auto model = parseText(R"(
        <ir_version: 8, opset_import: ["" : 17]>
        choice (bool c, float[2] x) => (float[2] y) {
            y = If (c) <
                then_branch = outer () => (float[2] t) {
                    t = If (c) <then_branch = inner () => (float[2] u) { u = Neg(x) },
                                else_branch = other () => (float[2] v) { v = Abs(x) }>
                },
                else_branch = plain () => (float[2] e) { e = Exp(x) }
            >
        })");
    renameInputsAndOutputs(*model, {{"x", "pixels"}, {"c", "flag"}});
    const QString text = QString::fromStdString(toText(*model));
    for (const char* now : {"Neg (pixels)", "Abs (pixels)", "Exp (pixels)"}) {
        const QString word = QString(now);
        QVERIFY2(text.contains(word) || text.contains(QString(word).remove(' ')), qPrintable(text));
    }
    QVERIFY2(!text.contains("(x)"), qPrintable(text));
    const std::string bytes = serializeModel(*model);
    const auto read = parseModel(std::as_bytes(std::span(bytes)), "m.onnx");
    QCOMPARE(read->capturedBy(*read->nodes().front()).size(), size_t{3});  // once, twice the flag
}

void RenamingTest::namesThatCanNotBeAreRefused_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("message");
    QTest::newRow("not there") << "q"
                               << "p"
                               << "no input or output of this name";
    QTest::newRow("inside the model") << "h"
                                      << "p"
                                      << "no input or output of this name";
    QTest::newRow("a weight") << "w"
                              << "p"
                              << "no input or output of this name";
    QTest::newRow("taken by an output") << "x"
                                        << "y"
                                        << "already uses this name";
    QTest::newRow("taken by a weight") << "x"
                                       << "w"
                                       << "already uses this name";
    QTest::newRow("taken inside") << "y"
                                  << "h"
                                  << "already uses this name";
    QTest::newRow("empty") << "x"
                           << ""
                           << "is empty";
}

void RenamingTest::namesThatCanNotBeAreRefused() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, message);
    const auto model = twoOutputs();
    const std::string before = toText(*model);
    try {
        renameInputsAndOutputs(*model, {{from.toStdString(), to.toStdString()}});
        QFAIL("it was renamed");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
        QVERIFY(QString(error.what()).contains("'" + from + "'"));
        QVERIFY(!error.hint().empty());
    }
    QCOMPARE(toText(*model), before);
}

void RenamingTest::choicesFollow_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("followed");
    QTest::newRow("a loss by name") << "cross-entropy"
                                    << "cross-entropy";
    QTest::newRow("none") << "none"
                          << "none";
    QTest::newRow("a formula") << "0.5*mse(y, t) + l1( y ,s)"
                               << "0.5*mse(scores, t) + l1( scores ,s)";
    QTest::newRow("quoted") << "mse(\"y\", t)"
                            << "mse(scores, t)";
    QTest::newRow("part of a name") << "mse(yes, t) + l2(\"*y*\")"
                                    << "mse(yes, t) + l2(\"*y*\")";
    QTest::newRow("not a formula") << "mse(y"
                                   << "mse(y";
}

void RenamingTest::choicesFollow() {
    QFETCH(QString, loss);
    QFETCH(QString, followed);
    TrainingSpec spec;
    spec.artifacts.loss.key = loss.toStdString();
    spec.artifacts.lossInputs = {"y", "target"};
    spec.artifacts.extraOutputs = {"h", "y"};
    spec.artifacts.stopGradient = {"y", "/act"};
    spec.run.binding = {{"x", "column"}, {"z", "other"}};
    spec = withRenamed(withRenamed(spec, "y", "scores"), "x", "pixels");
    QCOMPARE(QString::fromStdString(spec.artifacts.loss.key), followed);
    QCOMPARE(spec.artifacts.lossInputs, (std::vector<std::string>{"scores", "target"}));
    QCOMPARE(spec.artifacts.extraOutputs, (std::vector<std::string>{"h", "scores"}));
    QCOMPARE(spec.artifacts.stopGradient, (std::vector<std::string>{"scores", "/act"}));
    const std::map<std::string, std::string> binding{{"pixels", "column"}, {"z", "other"}};
    QVERIFY(spec.run.binding == binding);
    const Renames renames{{"x", "pixels"}, {"y", "scores"}};
    QVERIFY(spec.rename == renames);
}

void RenamingTest::renamingAgainAndBackIsOneEntryOrNone() {
    const TrainingSpec first;
    const TrainingSpec again = withRenamed(withRenamed(first, "x", "a"), "a", "b");
    QVERIFY((again.rename == Renames{{"x", "b"}}));
    QVERIFY(withRenamed(again, "b", "x") == first);
}

/// The artifacts of a renamed model equal those of a model that had these names from the start.
void RenamingTest::artifactsHaveTheNewNames() {
    TrainingSpec spec;
    spec.rename = {{"x", "pixels"}, {"y", "scores"}};
    spec.artifacts.loss = {"mse", {}};
    spec.artifacts.lossInputs = {"scores", "target"};
    const auto model = twoOutputs();
    editModel(*model, *allOps(), spec);
    const Artifacts artifacts = generateArtifacts(*model, *allOps(), spec.artifacts);
    const auto inputs = namesOf(artifacts.trainingModel->inputs());
    QVERIFY(std::ranges::find(inputs, "pixels") != inputs.end());
    QVERIFY(artifacts.evalModel->find("scores") != nullptr);
    QVERIFY(artifacts.trainingModel->find("x") == nullptr);

    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(artifacts, state, allOps());
    const auto exported = session.inferenceModel({"scores"});
    QCOMPARE(namesOf(exported->outputs()), std::vector<std::string>{"scores"});
    QCOMPARE(namesOf(exported->inputs()), (std::vector<std::string>{"pixels", "z"}));
}

void RenamingTest::theSpecificationKeepsTheNames() {
    TrainingSpec spec;
    spec.rename = {{"x", "pixels"}, {"y", "sum of both"}};
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::RenamingTest)
#include "renaming_test.moc"
