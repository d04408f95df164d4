// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/trainability.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"
#include "tests/engine/ops/recurrent_reference.h"

using namespace temper;
using namespace temper::test;

namespace {

/// A row of the tables.
struct Row {
    std::string name;
    RecurrentCase net;
    /// Whether it has a gradient for any number of time steps.
    bool anyLength = true;
};

/// What ORT's training operators support, for an LSTM or a GRU.
void addTrainingRows(const std::string& op, std::vector<Row>& rows) {
    const auto add = [&](const std::string& name, RecurrentCase net, bool anyLength = true) {
        net.op = op;
        rows.push_back({op + ", " + name, net, anyLength});
    };
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
        const std::string way = direction;
        add(way, {.direction = way});
        add(way + " with initial states", {.direction = way, .initialStates = true});
        add(way + ", layout 1", {.direction = way, .initialStates = true, .batchFirst = true});
        add(way + ", lengths", {.direction = way, .lengths = {2, 3}, .outputs = {"y", "yh", ""}});
        add(way + ", lengths, layout 1", {.direction = way,
                                          .initialStates = true,
                                          .lengths = {3, 1},
                                          .batchFirst = true,
                                          .outputs = {"y", "yh", ""}});
        add(way + ", opset 9", {.direction = way, .initialStates = true, .opset = 9});
    }
    add("no bias", {.bias = false});
    add("all outputs", {.outputs = {"y", "yh", "yc"}});
    add("the sequence alone", {.outputs = {"y", "", ""}});
    add("the last state alone", {.direction = "bidirectional", .outputs = {"", "yh", ""}});
    add("lengths and the last state alone",
        {.direction = "bidirectional", .lengths = {1, 3}, .outputs = {"", "yh", ""}});
    add("a sequence without steps, initial states",
        {.initialStates = true, .lengths = {0, 3}, .outputs = {"y", "yh", ""}});
    add("a sequence without steps", {.lengths = {0, 3}, .outputs = {"y", "yh", ""}});
    add("one step of one number", {.time = 1, .batch = 1, .input = 1, .hidden = 1});
    add("lengths, opset 10",
        {.direction = "reverse", .lengths = {2, 3}, .outputs = {"y", "yh", ""}, .opset = 10},
        false);
    add("lengths, opset 21",
        {.direction = "bidirectional", .lengths = {2, 3}, .outputs = {"y", "yh", ""}, .opset = 21});
}

/// Forms that are differentiated step by step.
void addUnrolledRows(std::vector<Row>& rows) {
    const auto add = [&](const std::string& name, const RecurrentCase& net) {
        rows.push_back({net.op + ", " + name, net, false});
    };
    for (const char* direction : {"forward", "reverse", "bidirectional"}) {
        const std::string way = direction;
        add(way, {.op = "RNN", .direction = way});
        add(way + ", all inputs",
            {.op = "RNN", .direction = way, .initialStates = true, .lengths = {3, 2}});
        add(way + ", layout 1",
            {.op = "RNN", .direction = way, .initialStates = true, .batchFirst = true});
        add(way + ", peepholes", {.direction = way, .initialStates = true, .peepholes = true});
        add(way + ", peepholes, lengths", {.direction = way, .peepholes = true, .lengths = {1, 3}});
        add(way + ", lengths and the last cell state",
            {.direction = way, .initialStates = true, .lengths = {2, 3}});
        add(way + ", clip and lengths",
            {.op = "GRU", .direction = way, .lengths = {2, 3}, .clip = 0.4F});
    }
    add("peepholes, layout 1", {.initialStates = true, .peepholes = true, .batchFirst = true});
    add("clip", {.clip = 0.3F});
    add("clip, opset 9", {.op = "RNN", .clip = 0.3F, .opset = 9});
    add("a sequence without steps", {.initialStates = true, .peepholes = true, .lengths = {3, 0}});
    add("clip below the cell's state", {.initialStates = true, .clip = 0.15F});
    add("coupled gates", {.initialStates = true, .couplesInputForget = true});
    add("coupled gates, peepholes and clip", {.direction = "bidirectional",
                                              .peepholes = true,
                                              .clip = 0.5F,
                                              .couplesInputForget = true});
    add("clip, linear before reset",
        {.op = "GRU", .initialStates = true, .clip = 0.5F, .linearBeforeReset = true});
    add("clip, linear before reset, no bias",
        {.op = "GRU", .bias = false, .clip = 0.5F, .linearBeforeReset = true});
    add("the sequence alone", {.op = "RNN", .outputs = {"y", "", ""}});
    add("the last state alone, opset 21", {.op = "RNN", .outputs = {"", "yh", ""}, .opset = 21});
    add("one step", {.op = "RNN", .time = 1, .batch = 1, .input = 1, .hidden = 1});
    add("other activations",
        {.activations = {"HardSigmoid", "Relu", "Softsign"}, .alphas = {0.3F}, .betas = {0.4F}});
    add("other activations, both ways",
        {.direction = "bidirectional",
         .activations = {"Sigmoid", "ScaledTanh", "Affine", "HardSigmoid", "Elu", "Tanh"},
         .alphas = {1.5F, 0.5F, 0.25F, 0.7F},
         .betas = {0.6F, 0.1F, 0.45F}});
    add("other activations",
        {.op = "GRU", .activations = {"HardSigmoid", "LeakyRelu"}, .alphas = {0.3F, 0.2F}});
}

void addActivationRows(std::vector<Row>& rows) {
    for (const std::string name :
         {"Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh",
          "HardSigmoid", "Elu", "Softsign", "Softplus"}) {
        rows.push_back({"RNN, " + name, {.op = "RNN", .activations = {name}}, false});
        RecurrentCase chosen{.op = "RNN", .activations = {name}, .alphas = {0.3F}, .betas = {0.7F}};
        rows.push_back({"RNN, " + name + " with alpha and beta", chosen, false});
        chosen.opset = 9;
        rows.push_back({"RNN, " + name + ", opset 9", chosen, false});
    }
}

std::vector<Row> rowsOf() {
    std::vector<Row> rows;
    addTrainingRows("LSTM", rows);
    addTrainingRows("GRU", rows);
    const size_t count = rows.size();
    for (size_t i = 0; i < count; ++i) {
        if (rows[i].net.op != "GRU") continue;
        Row row = rows[i];
        row.name += ", linear before reset";
        row.net.linearBeforeReset = true;
        rows.push_back(row);
    }
    addUnrolledRows(rows);
    addActivationRows(rows);
    return rows;
}

const std::vector<Row>& allRows() {
    static const std::vector<Row> kRows = rowsOf();
    return kRows;
}

void addRows() {
    QTest::addColumn<int>("row");
    for (size_t i = 0; i < allRows().size(); ++i) {
        QTest::newRow(allRows()[i].name.c_str()) << static_cast<int>(i);
    }
}

const Row& rowAt(int row) { return allRows().at(static_cast<size_t>(row)); }

OpCase inDoublePrecision(OpCase opCase) {
    for (auto& [name, feed] : opCase.feeds) {
        Tensor& tensor = feed.tensors.front();
        if (tensor.dtype() == DType::Float32) tensor = tensor.cast(DType::Float64);
    }
    return opCase;
}

std::string compare(const Results& found, const Results& expected, const Tolerance& tolerance) {
    for (const auto& [name, tensor] : expected) {
        const std::string problem =
            difference(found.at(name).cast(DType::Float64), tensor, tolerance);
        if (!problem.empty()) return name + ": " + problem;
    }
    return {};
}

/// The graph of a case with the loss "loss", the sum of all outputs.
std::unique_ptr<Graph> graphWithLoss(const OpCase& opCase, bool symbolic = false) {
    std::unique_ptr<Graph> graph = graphOf(opCase, symbolic);
    std::vector<Value*> outputs = graph->outputs(), sums;
    for (Value* output : outputs) {
        sums.push_back(
            graph
                ->addNode(
                    {"ReduceSum", {output}, {output->name() + "_sum"}, {{"keepdims", int64_t{0}}}})
                ->output(0));
    }
    outputs.push_back(graph->addNode({"Sum", sums, {"loss"}})->output(0));
    graph->setOutputs(outputs);
    inferTypes(*graph, ops().catalog);
    return graph;
}

std::unique_ptr<Graph> trainingForm(const OpCase& opCase, bool symbolic = false) {
    std::unique_ptr<Graph> graph = graphWithLoss(opCase, symbolic);
    applyTrainingForms(*graph, ops().catalog, ops().gradients, graph->at("loss"),
                       {graph->at("w"), graph->at("r")});
    return graph;
}

std::vector<Finding> findingsOf(const OpCase& opCase, bool symbolic) {
    const std::unique_ptr<Graph> graph = graphWithLoss(opCase, symbolic);
    return analyzeTrainability(*graph, ops().catalog, ops().gradients, {graph->at("loss")},
                               {graph->at("w")});
}

}  // namespace

class RecurrentTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() { addOnnxRows({"rnn", "lstm", "gru", "simple_rnn"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ortsResultsAreReproduced_data() {
        addOrtRows({"lstm_forward", "gru_forward_linear_before_reset_0",
                    "gru_forward_linear_before_reset_1"});
    }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-5, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void resultsFollowOnnxsFormulas_data() { addRows(); }
    void resultsFollowOnnxsFormulas() {
        QFETCH(int, row);
        const RecurrentCase& net = rowAt(row).net;
        const Results expected = recurrentReference(net);
        const std::string single = compare(runOp(net.node()), expected, {1e-5, 1e-6});
        QVERIFY2(single.empty(), single.c_str());
        const Results wide = runOp(inDoublePrecision(net.node()));
        const std::string precise = compare(wide, expected, {1e-12, 1e-13});
        QVERIFY2(precise.empty(), precise.c_str());
    }

    void trainingFormsComputeTheSame_data() { addRows(); }
    void trainingFormsComputeTheSame() {
        QFETCH(int, row);
        const OpCase opCase = inDoublePrecision(rowAt(row).net.node());
        const Results expected = recurrentReference(rowAt(row).net);
        for (const bool symbolic : {false, true}) {
            if (symbolic && !rowAt(row).anyLength) continue;
            const Results found = runGraph(*trainingForm(opCase, symbolic), opCase.feeds);
            const std::string problem = compare(found, expected, {1e-12, 1e-13});
            QVERIFY2(problem.empty(), problem.c_str());
        }
    }

    void gradientsMatchFiniteDifferences_data() { addRows(); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const std::string problem =
            checkGradient(rowAt(row).net.node(), {.alsoSymbolic = rowAt(row).anyLength});
        QVERIFY2(problem.empty(), problem.c_str());
    }

    /// SliceGrad reverses sequences if the opset has no operator for that.
    void sliceGradHasAGradient() {
        const OpCase sliced{"y = com.microsoft.SliceGrad(x, shape, starts, ends, axes, steps)",
                            {{"x", randomTensor({2, 3})},
                             {"shape", integerTensor({4, 5})},
                             {"starts", integerTensor({0, -1})},
                             {"ends", integerTensor({2, -6})},
                             {"axes", integerTensor({0, 1})},
                             {"steps", integerTensor({1, -2})}},
                            14,
                            {"shape", "starts", "ends", "axes", "steps"}};
        QCOMPARE(checkGradient(sliced, {.inputs = {"x"}, .alsoSymbolic = false}), std::string());
    }

    void ortsTrainingOperatorsAreUsedIfPossible() {
        const auto has = [](const RecurrentCase& net, const char* op) {
            const auto graph = trainingForm(net.node());
            for (const Node* node : graph->nodes()) {
                if (node->opType() == op) return true;
            }
            return false;
        };
        QVERIFY(has({.op = "LSTM", .direction = "bidirectional"}, "LSTMTraining"));
        QVERIFY(has({.op = "GRU", .direction = "reverse"}, "GRUTraining"));
        QVERIFY(!has({.op = "LSTM", .peepholes = true}, "LSTMTraining"));
        QVERIFY(!has({.op = "GRU", .clip = 1.0F}, "GRUTraining"));
    }

    void whatNeedsAFixedLengthIsAFinding() {
        const RecurrentCase net{.op = "RNN"};
        QVERIFY(findingsOf(net.node(), false).empty());
        const std::vector<Finding> findings = findingsOf(net.node(), true);
        QCOMPARE(findings.size(), size_t{1});
        QVERIFY2(findings[0].message.find("number of time steps is not fixed") != std::string::npos,
                 findings[0].message.c_str());
        QVERIFY(findings[0].hint.find("fixed sequence length") != std::string::npos);
        QVERIFY(findingsOf(RecurrentCase{.op = "LSTM"}.node(), true).empty());
    }

    void largeOnesMatchInBothPrecisions() {
        for (const auto& [op, isLinear] :
             {std::pair("RNN", false), {"LSTM", false}, {"GRU", false}, {"GRU", true}}) {
            RecurrentCase net{.op = op,
                              .direction = "bidirectional",
                              .time = 9,
                              .batch = 37,
                              .input = 29,
                              .hidden = 65,
                              .largestWeight = 0.125F,
                              .initialStates = true,
                              .linearBeforeReset = isLinear};
            std::string problem = differenceOfPrecisions(net.node(), {1e-4, 1e-4});
            QVERIFY2(problem.empty(), problem.c_str());
            QVERIFY(isIndependentOfThreads(net.node()));
        }
    }

    void gradientsOfLargeOnesMatchInBothPrecisions_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<int>("gates");
        const auto row = [](const char* name, const char* node, int gates) {
            QTest::newRow(name) << node << gates;
        };
        row("LSTM",
            "dx, dw, dr, db, dh0, dc0 = com.microsoft.LSTMGrad"
            "(x, w, r, \"\", h0, c0, h, c, g, dh)",
            4);
        row("GRU", "dx, dw, dr, db, dh0 = com.microsoft.GRUGrad(x, w, r, b, \"\", h0, h, g, dh)",
            3);
        row("GRU, linear before reset",
            "dx, dw, dr, db, dh0 = com.microsoft.GRUGrad<linear_before_reset = 1>"
            "(x, w, r, b, \"\", h0, h, g, dh)",
            3);
    }
    void gradientsOfLargeOnesMatchInBothPrecisions() {
        QFETCH(QString, node);
        QFETCH(int, gates);
        constexpr int64_t kTime = 6, kBatch = 37, kInput = 29, kHidden = 65;
        const int64_t columns = gates * kHidden;
        OpCase opCase{node.toStdString(),
                      {{"x", randomTensor({kTime, kBatch, kInput}, 1)},
                       {"w", randomTensor({1, columns, kInput}, 2, -0.125F, 0.125F)},
                       {"r", randomTensor({1, columns, kHidden}, 3, -0.125F, 0.125F)},
                       {"h0", randomTensor({1, kBatch, kHidden}, 4)},
                       {"h", randomTensor({kTime, 1, kBatch, kHidden}, 5)},
                       {"g", randomTensor({kTime, 1, kBatch, columns}, 6, 0, 1)},
                       {"dh", randomTensor({kTime, 1, kBatch, kHidden}, 7)}}};
        if (gates == 4) {
            opCase.feeds.emplace("c0", randomTensor({1, kBatch, kHidden}, 8));
            opCase.feeds.emplace("c", randomTensor({kTime, 1, kBatch, kHidden}, 9));
        } else {
            opCase.feeds.emplace("b", randomTensor({1, 2 * columns}, 10));
        }
        const std::string problem = differenceOfPrecisions(opCase, {1e-4, 1e-4});
        QVERIFY2(problem.empty(), problem.c_str());
        QVERIFY(isIndependentOfThreads(opCase));
    }

    void emptyOnesAreFine() {
        RecurrentCase net{.time = 0, .initialStates = true};
        const OpCase node = net.node();
        const Results none = runOp(node);
        QCOMPARE(none.at("y").shape(), (Shape{0, 1, 2, 3}));
        QCOMPARE(difference(none.at("yc"), node.feeds.at("c0").tensors.front(), {}), std::string());
        net = {.op = "GRU", .batch = 0};
        QCOMPARE(runOp(net.node()).at("y").shape(), (Shape{3, 1, 0, 3}));
    }

    void wrongNodesAreNamed_data() {
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<Shape>("r");
        QTest::newRow("direction") << "direction = \"sideways\"" << Shape{1, 12, 3};
        QTest::newRow("activation")
            << "activations = [\"Sine\", \"Tanh\", \"Tanh\"]" << Shape{1, 12, 3};
        QTest::newRow("number of activations") << "activations = [\"Tanh\"]" << Shape{1, 12, 3};
        QTest::newRow("hidden size") << "hidden_size = 4" << Shape{1, 12, 3};
        QTest::newRow("clip") << "clip = -1.0" << Shape{1, 12, 3};
        QTest::newRow("shape of R") << "hidden_size = 3" << Shape{1, 9, 3};
        QTest::newRow("both ways") << "direction = \"bidirectional\"" << Shape{1, 12, 3};
    }
    void wrongNodesAreNamed() {
        QFETCH(QString, attributes);
        QFETCH(Shape, r);
        const OpCase node{"y = LSTM<" + attributes.toStdString() + ">(x, w, r)",
                          {{"x", randomTensor({2, 2, 2})},
                           {"w", randomTensor({1, 12, 2})},
                           {"r", randomTensor(r)}}};
        QVERIFY_EXCEPTION_THROWN(runOp(node), Error);
    }
};

QTEST_GUILESS_MAIN(RecurrentTest)
#include "recurrent_test.moc"
