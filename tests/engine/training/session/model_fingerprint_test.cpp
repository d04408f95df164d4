// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/model_fingerprint.h"

#include <QTest>

#include "engine/onnx/graph_text.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
    m (float[N, 3] x) => (float[N, 2] y, float[N, 4] inner)
        <float[3, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
         float[4, 2] v = {1, 0, 1, 0, 1, 0, 1, 0}> {
        factor = Constant<value_float = 2.0>()
        ["/first"] h = MatMul(x, w)
        ["/act"] a = LeakyRelu<alpha = 0.1>(h)
        ["/scale"] s = Mul(a, factor)
        ["/side"] inner = Neg(h)
        ["/last"] y = MatMul(s, v)
    })";

constexpr const char* kBranches = R"(<ir_version: 8, opset_import: ["" : 17]>
    m (float[N, 3] x, bool c) => (float[N, 3] y) <float[3, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}> {
        h = MatMul(x, w)
        y = If (c) < then_branch = a () => (float[N, 3] t) { t = Tanh(h) },
                     else_branch = b () => (float[N, 3] e) { e = Neg(h) }>
    })";

/// What counts as another model, and what does not.
class ModelFingerprintTest : public QObject {
    Q_OBJECT

private slots:
    void itIsThatOfWhatIsComputed_data();
    void itIsThatOfWhatIsComputed();
    void bodiesOfNodesCount();
    void choicesForTrainingDoNotCount_data();
    void choicesForTrainingDoNotCount();
    void aStateSaysWhichModelItBelongsTo();
    void aStateWithoutItIsOfAnyModel_data();
    void aStateWithoutItIsOfAnyModel();
};

Artifacts artifactsOf(const QString& text, ArtifactSpec spec = {}) {
    if (spec.loss.key == "cross-entropy") spec.loss.key = "mse";
    if (spec.lossInputs.empty()) spec.lossInputs = {"y"};
    return generateArtifacts(*parseText(text.toStdString()), *allOps(), spec);
}

QString fingerprintOf(const Artifacts& artifacts) {
    return QString::fromStdString(
        modelFingerprint(*artifacts.evalModel, CheckpointState(artifacts.checkpoint)));
}

void ModelFingerprintTest::itIsThatOfWhatIsComputed_data() {
    QTest::addColumn<QStringList>("edits");  ///< pairs: what is replaced, and by what
    QTest::addColumn<bool>("isSame");
    const auto row = [](const char* name, const QStringList& edits, bool same) {
        QTest::newRow(name) << edits << same;
    };
    row("the same", {}, true);
    row("other weights", {"{1, 2, 3, 4,", "{-1, 7, 3, 4,"}, true);
    row("other names of nodes", {"/act", "/activation", "/last", ""}, true);
    row("other names of values", {" a = ", " b = ", "Mul(a", "Mul(b"}, true);
    row("another name of the input", {"] x)", "] pixels)", "(x, w)", "(pixels, w)"}, true);
    row("another name of a constant", {"factor", "by"}, true);
    row("a known batch", {"[N, 3] x", "[8, 3] x"}, true);
    row("another order",
        {R"(["/side"] inner = Neg(h))", "", R"(["/act"])", R"(["/side"] inner = Neg(h) ["/act"])"},
        true);
    row("another output that the loss does not read", {"Neg(h)", "Abs(h)"}, false);
    row("another operator", {"LeakyRelu<alpha = 0.1>", "Tanh"}, false);
    row("another attribute", {"alpha = 0.1", "alpha = 0.2"}, false);
    row("another constant", {"value_float = 2.0", "value_float = 3.0"}, false);
    row("another connection", {"Mul(a, factor)", "Mul(h, factor)"}, false);
    row("an operator at the end",
        {R"(["/last"] y = MatMul(s, v))", "z = MatMul(s, v) y = Sigmoid(z)"}, false);
    row("another name of a parameter", {"float[4, 2] v", "float[4, 2] u", "(s, v)", "(s, u)"},
        false);
}

void ModelFingerprintTest::itIsThatOfWhatIsComputed() {
    QFETCH(QStringList, edits);
    QFETCH(bool, isSame);
    QString edited = kModel;
    for (int i = 0; i + 1 < edits.size(); i += 2) {
        QVERIFY2(edited.contains(edits[i]), qPrintable(edits[i]));
        edited.replace(edits[i], edits[i + 1]);
    }
    const QString first = fingerprintOf(artifactsOf(kModel));
    QCOMPARE(first.size(), 18);
    QCOMPARE(first == fingerprintOf(artifactsOf(edited)), isSame);
}

/// Of a model that computes its loss itself, or none: the outputs count.
void ModelFingerprintTest::bodiesOfNodesCount() {
    const auto fingerprint = [](const QString& text) {
        const auto model = parseText(text.toStdString());
        CheckpointState state;
        state.addParameter({"w", model->at("w")->constant(), {}, true});
        return modelFingerprint(*model, state);
    };
    const std::string own = fingerprint(kBranches);
    QCOMPARE(fingerprint(QString(kBranches).replace("float[N, 3] e", "float[8, 3] e")), own);
    QVERIFY(fingerprint(QString(kBranches).replace("Neg(h)", "Abs(h)")) != own);
    QVERIFY(fingerprint(QString(kBranches).replace("Neg(h)", "Neg(x)")) != own);
    QVERIFY(fingerprint(QString(kBranches)
                            .replace("then_branch", "other")
                            .replace("else_branch", "then_branch")
                            .replace("other", "else_branch")) != own);
}

void ModelFingerprintTest::choicesForTrainingDoNotCount_data() {
    QTest::addColumn<QString>("loss");
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<QString>("frozen");
    QTest::addColumn<QString>("output");
    QTest::newRow("another loss") << "l1"
                                  << "adamw"
                                  << ""
                                  << "";
    QTest::newRow("a formula") << "mean((y - t)^2) + 0.1*huber(y, t, delta=2)"
                               << "adamw"
                               << ""
                               << "";
    QTest::newRow("a multiple of the output") << "mse(2*y, t)"
                                              << "adamw"
                                              << ""
                                              << "";
    QTest::newRow("another value as well") << "mse(y, t) + 0.1*mean(abs(inner))"
                                           << "adamw"
                                           << ""
                                           << "";
    QTest::newRow("regularized") << "mse(y, t) + 0.01*l2(v)"
                                 << "adamw"
                                 << ""
                                 << "";
    QTest::newRow("another optimizer") << "mse"
                                       << "sgd"
                                       << ""
                                       << "";
    QTest::newRow("a frozen parameter") << "mse"
                                        << "adamw"
                                        << "w"
                                        << "";
    QTest::newRow("another output as well") << "mse"
                                            << "adamw"
                                            << ""
                                            << "inner";
}

void ModelFingerprintTest::choicesForTrainingDoNotCount() {
    QFETCH(QString, loss);
    QFETCH(QString, optimizer);
    QFETCH(QString, frozen);
    QFETCH(QString, output);
    ArtifactSpec spec;
    spec.loss.key = loss.toStdString();
    spec.optimizer.key = optimizer.toStdString();
    if (!frozen.isEmpty()) spec.frozen = {frozen.toStdString()};
    if (!output.isEmpty()) spec.extraOutputs = {output.toStdString()};
    QCOMPARE(fingerprintOf(artifactsOf(kModel, spec)), fingerprintOf(artifactsOf(kModel)));
}

void ModelFingerprintTest::aStateSaysWhichModelItBelongsTo() {
    const Artifacts own = artifactsOf(kModel);
    const Artifacts other = artifactsOf(QString(kModel).replace("LeakyRelu<alpha = 0.1>", "Tanh"));
    const auto state = std::make_shared<CheckpointState>(own.checkpoint);
    TrainingSession session(own, state, allOps());
    QVERIFY(state->properties().empty());
    keepModelFingerprint(session);
    const std::string kept = serializeCheckpoint(state->toFile(true));
    const CheckpointState read = CheckpointState::parse(std::as_bytes(std::span(kept)));
    QVERIFY(checkpointFindings(own, read).empty());
    const std::vector<Finding> findings = checkpointFindings(other, read);
    QCOMPARE(findings.size(), size_t{1});
    QCOMPARE(findings[0].code, "C001");
    QVERIFY(findings[0].severity == Severity::Warning && !findings[0].hint.empty());

    // a run of the other model makes the state its own
    const auto taken = std::make_shared<CheckpointState>(other.checkpoint);
    TrainingSession second(other, taken, allOps());
    taken->assign(read.toFile(false));
    QCOMPARE(checkpointFindings(second.artifacts(), *taken).size(), size_t{1});
    keepModelFingerprint(second);
    QVERIFY(checkpointFindings(second.artifacts(), *taken).empty());
    QCOMPARE(checkpointFindings(own, *taken).size(), size_t{1});
}

void ModelFingerprintTest::aStateWithoutItIsOfAnyModel_data() {
    QTest::addColumn<QString>("property");
    QTest::addColumn<bool>("hasEvalModel");
    QTest::newRow("none") << "" << true;
    QTest::newRow("of a later version") << "2-0123456789abcdef" << true;
    QTest::newRow("nothing to compare with") << "1-0123456789abcdef" << false;
}

void ModelFingerprintTest::aStateWithoutItIsOfAnyModel() {
    QFETCH(QString, property);
    QFETCH(bool, hasEvalModel);
    Artifacts artifacts = artifactsOf(kModel);
    if (!hasEvalModel) artifacts.evalModel = nullptr;
    const auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    if (!property.isEmpty()) state->setProperty("temper.model_fingerprint", property.toStdString());
    QVERIFY(checkpointFindings(artifacts, *state).empty());
    TrainingSession session(artifacts, state, allOps());
    keepModelFingerprint(session);
    QCOMPARE(state->hasProperty("temper.model_fingerprint"), hasEvalModel);
}

}  // namespace temper::test

QTEST_APPLESS_MAIN(temper::test::ModelFingerprintTest)
#include "model_fingerprint_test.moc"
