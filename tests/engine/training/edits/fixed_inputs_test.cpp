// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/fixed_inputs.h"

#include <QTest>
#include <algorithm>
#include <set>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/projects/command_line.h"
#include "tests/engine/training/edits/branching_model.h"
#include "tests/engine/training/fixtures.h"
#include "tests/support/op_check.h"

namespace temper::test {

using Names = std::vector<std::string>;

/// Inputs that are constants, and the consequences.
class FixedInputsTest : public QObject {
    Q_OBJECT

private slots:
    void theChosenBranchBecomesTheModel_data();
    void theChosenBranchBecomesTheModel();
    void theBranchTrains();
    void aModelWhoseWeightsAreInBranchesSaysWhatHelps_data();
    void aModelWhoseWeightsAreInBranchesSaysWhatHelps();
    void weightsKeepTheirNamesIfNothingElseHasThem();
    void everyElementHasTheNumber_data();
    void everyElementHasTheNumber();
    void aStateIsAsLongAsTheBatch_data();
    void aStateIsAsLongAsTheBatch();
    void aFixedInputNeverTrains();
    void whatCanNotBeFixedIsRefused_data();
    void whatCanNotBeFixedIsRefused();
    void theSpecificationKeepsTheChoice();
    void aFixedInputHasNoOtherNameAndNoData();

private:
    static std::unique_ptr<Graph> typed(const std::string& text) {
        auto graph = parseText(text);
        inferTypes(*graph, allOps()->catalog);
        return graph;
    }
    static ArtifactSpec meanSquares(const std::string& output) {
        ArtifactSpec spec;
        spec.loss = {"mse", {}};
        spec.lossInputs = {output};
        return spec;
    }
    static const Finding* findingOf(const ArtifactPlan& plan, const char* code) {
        const auto found = std::ranges::find(plan.findings, code, &Finding::code);
        return found == plan.findings.end() ? nullptr : &*found;
    }
};

void FixedInputsTest::theChosenBranchBecomesTheModel_data() {
    QTest::addColumn<qint64>("rate");
    QTest::newRow("then") << qint64{16000};
    QTest::newRow("else") << qint64{8000};
}

void FixedInputsTest::theChosenBranchBecomesTheModel() {
    QFETCH(qint64, rate);
    const auto model = typed(speechDetector());
    const auto fixed = model->clone();
    fixInputs(*fixed, *allOps(), {{"sr", static_cast<double>(rate)}});
    QCOMPARE(namesOf(fixed->inputs()), (Names{"input", "state"}));
    QCOMPARE(namesOf(fixed->outputs()), (Names{"output", "stateN"}));
    std::set<std::string> names;
    for (const Node* node : fixed->nodes()) {
        QVERIFY(node->opType() != "If");
        // ONNX Runtime rejects two nodes with the same name; many nodes of the branch have none.
        QVERIFY2(node->name().empty() || names.insert(node->name()).second, node->name().c_str());
    }
    Feeds feeds{{"input", randomTensor({3, 64})}, {"state", randomTensor({2, 3, 4}, 5)}};
    const Results after = runGraph(*fixed, feeds);
    feeds.emplace("sr", Tensor::scalar<int64_t>(rate));
    const Results before = runGraph(*model, feeds);
    for (const char* output : {"output", "stateN"}) {
        const std::string problem = difference(after.at(output), before.at(output), {});
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

void FixedInputsTest::theBranchTrains() {
    const auto model = typed(speechDetector());
    TrainingSpec edits;
    edits.fixedInputs = {{"sr", 16000}};
    editModel(*model, *allOps(), edits);
    const ArtifactSpec spec = meanSquares("output");
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), spec);
    QVERIFY(!hasErrors(plan.findings));
    // Without the exponent of the power.
    QCOMPARE(plan.trainable, (Names{"wide.basis", "wide.w", "wide.r", "wide.b", "wide.score"}));
    const Artifacts artifacts = generateArtifacts(*model, *allOps(), spec);
    auto state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    TrainingSession session(artifacts, state, allOps());
    const Arrays data{{"input", randomTensor({3, 64})},
                      {"state", randomTensor({2, 3, 4}, 5)},
                      {"target", Tensor::of<float>({3, 1}, {0, 1, 1})}};
    std::vector<double> losses;
    for (int step = 0; step < 30; ++step) {
        losses.push_back(session.trainStep(feedsOf(session, data, 0))[0].toDouble());
        session.setLearningRate(0.02F);
        session.optimizerStep();
        session.lazyResetGrad();
    }
    QVERIFY2(losses.back() < 0.8 * losses.front(), std::to_string(losses.back()).c_str());
}

void FixedInputsTest::aModelWhoseWeightsAreInBranchesSaysWhatHelps_data() {
    QTest::addColumn<QString>("condition");
    QTest::addColumn<QString>("hint");
    QTest::newRow("an input decides")
        << "k = Constant<value = int64 {3}>() c = Less(n, k)"
        << "Set the input 'n' to a constant (--fix-input n=VALUE): the branch that it selects "
           "becomes part of the graph, and its weights are trained.";
    QTest::newRow("an input with data decides")
        << "s = ReduceSum<keepdims = 0>(z) k = Constant<value = float {3.0}>() c = Less(s, k)"
        << "Compute both branches (--replace If) to train them, if their results have the same "
           "shape.";
    QTest::newRow("data decide")
        << "s = ReduceSum<keepdims = 0>(x) k = Constant<value = float {3.0}>() c = Less(s, k)"
        << "Compute both branches (--replace If) to train them, if their results have the same "
           "shape.";
}

void FixedInputsTest::aModelWhoseWeightsAreInBranchesSaysWhatHelps() {
    QFETCH(QString, condition);
    QFETCH(QString, hint);
    const auto model = typed(QString(R"(
        <ir_version: 8, opset_import: ["" : 16]>
        m (float[N, 2] x, int64 n, float[2, 3] z) => (float[N, 2] y) {
            %1
            ["/if"] y = If (c) <
                then_branch = a () => (float[N, 2] t) <float[2, 2] w = {1, 2, 3, 4}>
                    { t = MatMul(x, w) },
                else_branch = b () => (float[N, 2] e) { e = Neg(x) }>
        })")
                                 .arg(condition)
                                 .toStdString());
    const ArtifactPlan plan = planArtifacts(*model, *allOps(), meanSquares("y"));
    const Finding* nothing = findingOf(plan, "A007");
    const Finding* hidden = findingOf(plan, "W003");
    QVERIFY(nothing != nullptr && hidden != nullptr);
    QCOMPARE(hidden->message, std::string("The branches of node '/if' (If) have 1 tensor of "
                                          "numbers of their own ('w'): they are not trained."));
    QCOMPARE(nothing->message, "No parameter of the model trains. " + hidden->message);
    QCOMPARE(nothing->node, std::string("/if"));
    for (const Finding* found : {nothing, hidden})
        QCOMPARE(QString::fromStdString(found->hint), hint);
}

/// Two branches and the body of an If that remains have a 'w' each.
void FixedInputsTest::weightsKeepTheirNamesIfNothingElseHasThem() {
    const QString branch = R"(y%1 = If (%2) <
        then_branch = a () => (float[N, 2] t)
            <float[2, 2] w = {1, 2, 3, 4}, float[2, 2] w%1 = {1, 2, 3, 4}>
            { s = MatMul(x, w) t = MatMul(s, w%1) },
        else_branch = b () => (float[N, 2] e) { e = Neg(x) }> )";
    const auto model = typed(
        R"(<ir_version: 8, opset_import: ["" : 16]>
        m (float[N, 2] x, bool c, bool d) => (float[N, 2] y1, float[N, 2] y2, float[N, 2] y3) {)" +
        (branch.arg(1).arg("c") + branch.arg(2).arg("c") + branch.arg(3).arg("d")).toStdString() +
        "}");
    fixInputs(*model, *allOps(), {{"c", 1}});
    Names names = namesOf(model->initializers());
    std::ranges::sort(names);
    QCOMPARE(names, (Names{"w1", "w2", "y1/then/w", "y2/then/w"}));
}

void FixedInputsTest::everyElementHasTheNumber_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<double>("value");
    for (const char* type : {"float", "float[1]", "float[2, 3]", "double[2]", "float16[3]", "int64",
                             "int32[2, 2]", "uint8[1, 1]"})
        QTest::newRow(type) << type << 7.0;
    QTest::newRow("bool") << "bool[2]" << 1.0;
}

void FixedInputsTest::everyElementHasTheNumber() {
    QFETCH(QString, type);
    QFETCH(double, value);
    const auto model = typed(QString(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float x, %1 k) => (y) { y = Cast<to = 1>(k) z = Neg(x) })")
                                 .arg(type)
                                 .toStdString());
    const Shape shape = *concreteShape(*model->at("k")->type().shape);
    fixInputs(*model, *allOps(), {{"k", value}});
    const Tensor result = runGraph(*model, {{"x", Tensor::scalar(1.0F)}}).at("y");
    QCOMPARE(result.shape(), shape);
    for (const float element : result.values<float>()) QCOMPARE(double{element}, value);
}

void FixedInputsTest::aStateIsAsLongAsTheBatch_data() {
    QTest::addColumn<double>("value");
    QTest::newRow("zeros") << 0.0;
    QTest::newRow("another number") << 0.25;
}

/// The state is [2, N, 4], the other input [N, 64].
void FixedInputsTest::aStateIsAsLongAsTheBatch() {
    QFETCH(double, value);
    const auto model = typed(speechDetector());
    const auto fixed = model->clone();
    fixInputs(*fixed, *allOps(), {{"sr", 16000}, {"state", value}});
    QCOMPARE(namesOf(fixed->inputs()), Names{"input"});
    QCOMPARE(QString::fromStdString(formatType(fixed->at("state")->type())),
             QString("float32[2, N, 4]"));
    for (const int64_t batch : {1, 3, 7}) {
        const Tensor input = randomTensor({batch, 64});
        Tensor state(DType::Float32, {2, batch, 4});
        std::ranges::fill(state.mutableValues<float>(), static_cast<float>(value));
        const Results after = runGraph(*fixed, {{"input", input}});
        const Results before = runGraph(
            *model, {{"input", input}, {"state", state}, {"sr", Tensor::scalar<int64_t>(16000)}});
        for (const char* output : {"output", "stateN"}) {
            const std::string problem = difference(after.at(output), before.at(output), {});
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }
    const ArtifactPlan plan = planArtifacts(*fixed, *allOps(), meanSquares("output"));
    QVERIFY(!hasErrors(plan.findings));
    QCOMPARE(plan.trainable, (Names{"wide.basis", "wide.w", "wide.r", "wide.b", "wide.score"}));
}

void FixedInputsTest::aFixedInputNeverTrains() {
    const auto model = typed(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x, float a, float[2] b, int64[2] q) => (y) {
            w = Constant<value = float[2, 2] {1, 2, 3, 4}>()
            h = MatMul(x, w) i = Mul(h, a) j = Mul(i, b) k = Cast<to = 1>(q) y = Add(j, k)
        })");
    fixInputs(*model, *allOps(), {{"a", 2}, {"b", 3}, {"q", 4}});
    QCOMPARE(planArtifacts(*model, *allOps(), meanSquares("y")).trainable, Names{"w"});
}

void FixedInputsTest::whatCanNotBeFixedIsRefused_data() {
    QTest::addColumn<QString>("input");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("message");
    QTest::newRow("not there") << "nothing" << 1.0 << "has no input of this name";
    QTest::newRow("a weight") << "w" << 1.0 << "has no input of this name";
    QTest::newRow("open shape") << "x" << 1.0 << "no other input has its dimension 'N'; expected";
    QTest::newRow("nameless") << "open" << 0.0
                              << "one of its dimensions has neither a number nor a name";
    QTest::newRow("texts") << "words" << 1.0 << "expected a numeric input";
    QTest::newRow("half a number") << "n" << 1.5 << "Input 'n' (int64[]) can't be 1.5";
    QTest::newRow("beyond the type") << "small" << 300.0 << "can't be 300";
    QTest::newRow("neither true nor false") << "flag" << 2.0 << "can't be 2";
    QTest::newRow("infinite") << "factor" << HUGE_VAL << "can't be inf";
}

void FixedInputsTest::whatCanNotBeFixedIsRefused() {
    QFETCH(QString, input);
    QFETCH(double, value);
    QFETCH(QString, message);
    const auto model = typed(R"(<ir_version: 8, opset_import: ["" : 17]>
        m (float[N, 2] x, int64 n, uint8 small, bool flag, string words, float factor,
           float[2, ?] open) => (y)
        <float[2, 2] w = {1, 2, 3, 4}> { y = MatMul(x, w) })");
    try {
        fixInputs(*model, *allOps(), {{input.toStdString(), value}});
        QFAIL("it was fixed");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
    }
}

void FixedInputsTest::theSpecificationKeepsTheChoice() {
    TrainingSpec spec;
    spec.model = "m.onnx";
    spec.fixedInputs = {{"sr", 16000}, {"scale", 0.5}};
    QVERIFY(trainingSpecFromJson(toJson(spec)) == spec);
    QVERIFY(haveOtherEdits(spec, {}));
    const QString line = QString::fromStdString(commandLineOf(spec, {}));
    QVERIFY2(line.contains("--fix-input scale=0.5 --fix-input sr=16000"), qPrintable(line));
}

void FixedInputsTest::aFixedInputHasNoOtherNameAndNoData() {
    TrainingSpec spec;
    spec.rename = {{"sr", "rate"}, {"x", "pixels"}};
    spec.run.binding = {{"rate", "column"}, {"pixels", "image"}};
    const TrainingSpec fixed = withFixedInput(spec, "rate", 8000);
    QCOMPARE(fixed.fixedInputs, (std::map<std::string, double>{{"sr", 8000}}));
    QCOMPARE(fixed.rename, (std::map<std::string, std::string>{{"x", "pixels"}}));
    QCOMPARE(fixed.run.binding, (std::map<std::string, std::string>{{"pixels", "image"}}));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::FixedInputsTest)
#include "fixed_inputs_test.moc"
