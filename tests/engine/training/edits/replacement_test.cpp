// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/replacements/replacement.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/edits/model_edits.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/op_check.h"

namespace temper::test {

/// Nodes without gradient replaced by others: the same numbers forward, gradients computed by hand.
class ReplacementTest : public QObject {
    Q_OBJECT

private slots:
    void theModelTrainsAsWrittenByHand_data();
    void theModelTrainsAsWrittenByHand();
    void conditionsGiveWhatTheirBranchesGive();
    void branchesHaveTheParametersThatTheMainGraphWouldHave_data();
    void branchesHaveTheParametersThatTheMainGraphWouldHave();
    void recordedConditionsGiveTheirResults();
    void choicesMeanOperatorsNodesPatternsAndValues_data();
    void choicesMeanOperatorsNodesPatternsAndValues();
    void whatCanNotBeReplacedIsRefused_data();
    void whatCanNotBeReplacedIsRefused();
    void sequencesNeedNoChoice();
    void theSpecificationKeepsTheChoice();

private:
    static std::unique_ptr<Graph> modelOf(const QString& nodes) {
        auto graph = parseText(QString(R"(
            <ir_version: 8, opset_import: ["" : 17]>
            m (float[4, 6] x, bool c) => (float[4, 2] y)
                <float[6, 2] w = {0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, 0.9, 1.0, -1.1, 1.2},
                 int64 zero = {0}, int64 last = {-1}, int64[2] sizes = {2, 4}, int64 four = {4}> {
                %1
            })")
                                   .arg(nodes)
                                   .toStdString());
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
    static ArtifactSpec spec() {
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        spec.lossInputs = {"y", "target"};
        spec.optimizer = {"sgd", {}};
        return spec;
    }
    struct Step {
        double loss = 0;
        Tensor gradient;
    };
    /// One step: the loss and the gradient of w.
    static Step stepOf(const Graph& model, bool condition) {
        const Artifacts artifacts = generateArtifacts(model, *allOps(), spec());
        auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
        TrainingSession session(artifacts, state, allOps());
        const Arrays data{{"x", randomTensor({4, 6})},
                          {"c", Tensor::scalar(condition)},
                          {"target", randomTensor({4, 2}, 7)}};
        Step step;
        step.loss = session.trainStep(feedsOf(session, data, 0))[0].toDouble();
        step.gradient = session.state().parameter("w").gradient.clone();
        return step;
    }
};

void ReplacementTest::theModelTrainsAsWrittenByHand_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("byHand");
    QTest::addColumn<bool>("condition");
    const QString branches = R"(
        h = MatMul(x, w)
        ["/if"] y = If (c) <
            then_branch = a () => (float[4, 2] t) { t = Tanh(h) },
            else_branch = b () => (float[4, 2] e) { k = Exp(h) e = Mul(k, h) }
        >)";
    QTest::newRow("If, true") << branches << "h = MatMul(x, w) y = Tanh(h)" << true;
    QTest::newRow("If, false") << branches << "h = MatMul(x, w) k = Exp(h) y = Mul(k, h)" << false;
}

void ReplacementTest::theModelTrainsAsWrittenByHand() {
    QFETCH(QString, nodes);
    QFETCH(QString, byHand);
    QFETCH(bool, condition);
    const auto replaced = modelOf(nodes);
    replaceNodes(*replaced, allOps()->catalog, {"If"});
    QVERIFY2(!hasErrors(planArtifacts(*replaced, *allOps(), spec()).findings),
             toText(*replaced).c_str());
    const Step found = stepOf(*replaced, condition);
    const Step expected = stepOf(*modelOf(byHand), condition);
    QVERIFY(std::abs(found.loss - expected.loss) <= 1e-6 * std::abs(expected.loss));
    const std::string problem = difference(found.gradient, expected.gradient, {1e-5, 1e-7});
    QVERIFY2(problem.empty(), problem.c_str());
}

/// The branches read outer values and have their own weights.
void ReplacementTest::conditionsGiveWhatTheirBranchesGive() {
    const auto model = modelOf(R"(
        h = MatMul(x, w)
        ["/if"] y, z = If (c) <
            then_branch = a () => (float[4, 2] t, float[4, 2] u)
                <float[2] k = {2.0, 3.0}> { t = Mul(h, k) u = Neg(h) },
            else_branch = b () => (float[4, 2] e, float[4, 2] f) { e = Exp(h) f = Identity(h) }
        >)");
    model->addOutput(model->at("z"));
    const auto replaced = model->clone();
    replaceNodes(*replaced, allOps()->catalog, {"/if"});
    for (const bool condition : {true, false}) {
        const Feeds feeds{{"x", randomTensor({4, 6})}, {"c", Tensor::scalar(condition)}};
        const Results before = runGraph(*model, feeds), after = runGraph(*replaced, feeds);
        for (const char* output : {"y", "z"}) {
            const std::string problem = difference(after.at(output), before.at(output), {});
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }
}

void ReplacementTest::branchesHaveTheParametersThatTheMainGraphWouldHave_data() {
    QTest::addColumn<QString>("initializers");
    QTest::addColumn<QString>("constants");
    QTest::addColumn<QStringList>("expected");
    QTest::newRow("weights and an exponent with names")
        << "<float[2, 2] v = {1, 2, 3, 4}, float[2] b = {1, 2}, float p = {2}>"
        << "" << QStringList{"v", "b"};
    QTest::newRow("an exponent as a Constant")
        << "<float[2, 2] v = {1, 2, 3, 4}, float[2] b = {1, 2}>"
        << "p = Constant<value = float {2}>()" << QStringList{"v", "b"};
    QTest::newRow("an exponent behind Cast")
        << "<float[2, 2] v = {1, 2, 3, 4}, float[2] b = {1, 2}, double two = {2}>"
        << "p = Cast<to = 1>(two)" << QStringList{"v", "b"};
    QTest::newRow("an exponent for each column is learned")
        << "<float[2, 2] v = {1, 2, 3, 4}, float[2] b = {1, 2}, float[2] p = {2, 3}>"
        << "" << QStringList{"v", "b", "p"};
    QTest::newRow("a bias as a Constant among weights with names")
        << "<float[2, 2] v = {1, 2, 3, 4}, float p = {2}>"
        << "b = Constant<value = float[2] {1, 2}>()" << QStringList{"v"};
}

void ReplacementTest::branchesHaveTheParametersThatTheMainGraphWouldHave() {
    QFETCH(QString, initializers);
    QFETCH(QString, constants);
    QFETCH(QStringList, expected);
    const QString layer = constants + " g = MatMul(x, v) k = Add(g, b) t = Pow(k, p)";
    const auto trainableOf = [](const QString& text, const std::vector<std::string>& replaced) {
        const auto model =
            parseText("<ir_version: 8, opset_import: [\"\" : 17]> m " + text.toStdString());
        inferTypes(*model, allOps()->catalog);
        replaceNodes(*model, allOps()->catalog, replaced);
        QStringList names;
        for (const std::string& name : planArtifacts(*model, *allOps(), spec()).trainable)
            names << QString::fromStdString(name);
        return names;
    };
    const QString main =
        "(float[4, 2] x) => (float[4, 2] y) " + initializers + " { " + layer + " y = Neg(t) }";
    QCOMPARE(trainableOf(main, {}), expected);
    const QString branches =
        "(float[4, 2] x, bool c) => (float[4, 2] y) { [\"/if\"] y = If (c) <"
        "then_branch = a () => (float[4, 2] t) " +
        initializers + " { " + layer +
        " }, else_branch = b () => (float[4, 2] e) { e = Neg(x) }> }";
    QCOMPARE(trainableOf(branches, {"If"}),
             expected.replaceInStrings(QRegularExpression("^"), "/if/then/"));
}

void ReplacementTest::recordedConditionsGiveTheirResults() {
    const QDir folder(QStringLiteral(TEMPER_ONNX_TESTDATA "/node/test_if"));
    if (!folder.exists()) QSKIP("libonnx-testdata is absent");
    const Outcome outcome = runOnnxTest(folder.path().toStdString(), {}, [](Graph& graph) {
        replaceNodes(graph, ops().catalog, {"If"});
        for (const Node* node : graph.nodes()) QVERIFY(node->opType() != "If");
    });
    QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
}

void ReplacementTest::choicesMeanOperatorsNodesPatternsAndValues_data() {
    QTest::addColumn<QString>("choice");
    for (const char* choice : {"If", "if", "/if", "/i*", "y"}) QTest::newRow(choice) << choice;
}

void ReplacementTest::choicesMeanOperatorsNodesPatternsAndValues() {
    QFETCH(QString, choice);
    const auto model = modelOf(R"(h = MatMul(x, w) ["/if"] y = If (c) <
        then_branch = a () => (float[4, 2] t) { t = Tanh(h) },
        else_branch = b () => (float[4, 2] e) { e = Exp(h) }>)");
    replaceNodes(*model, allOps()->catalog, {choice.toStdString()});
    for (const Node* node : model->nodes()) QVERIFY(node->opType() != "If");
    QCOMPARE(model->outputs().front()->name(), std::string("y"));
}

void ReplacementTest::whatCanNotBeReplacedIsRefused_data() {
    QTest::addColumn<QString>("nodes");
    QTest::addColumn<QString>("choice");
    QTest::addColumn<QString>("message");
    const QString product = "y = MatMul(x, w)";
    QTest::newRow("an operator without") << product << "MatMul"
                                         << "not an operator with a replacement";
    QTest::newRow("nothing") << product << "/nowhere"
                             << "no operator or node has this name";
    QTest::newRow("branches of two shapes") << R"(
        h = MatMul(x, w)
        ["/if"] k = If (c) <
            then_branch = a () => (float[1, 2] t) { t = ReduceMean<axes = [0]>(h) },
            else_branch = b () => (float[4, 2] e) { e = Exp(h) }
        >
        y = Mul(h, k))"
                                            << "/if"
                                            << "do not produce 'k' in the same known shape";
}

void ReplacementTest::whatCanNotBeReplacedIsRefused() {
    QFETCH(QString, nodes);
    QFETCH(QString, choice);
    QFETCH(QString, message);
    const auto model = modelOf(nodes);
    const std::string before = toText(*model);
    try {
        replaceNodes(*model, allOps()->catalog, {choice.toStdString()});
        QFAIL("it was replaced");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
        QVERIFY(QString::fromStdString(error.hint()).contains("an operator (If)"));
    }
    QCOMPARE(toText(*model), before);
}

/// They become plain tensors when artifacts are made.
void ReplacementTest::sequencesNeedNoChoice() {
    const auto model =
        modelOf("h = MatMul(x, w) q = SequenceConstruct(h, h) y = SequenceAt(q, zero)");
    replaceNodes(*model, allOps()->catalog, {"SequenceAt", "q"});
    QVERIFY(!hasErrors(planArtifacts(*model, *allOps(), spec()).findings));
}

void ReplacementTest::theSpecificationKeepsTheChoice() {
    TrainingSpec spec;
    spec.replace = {"If", "/loop/*"};
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
    QVERIFY(haveOtherEdits(spec, {}));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::ReplacementTest)
#include "replacement_test.moc"
