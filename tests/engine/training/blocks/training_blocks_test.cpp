// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/training_block.h"
#include "engine/training/blocks/loss_blocks.h"
#include "tests/engine/training/fixtures.h"

namespace temper::test {

using blocks::Values;

/// Blocks like those of ORT's onnxblock: names and numbers of spec/artifacts.md sections 8 and 18,
/// behaviour of the tests in spec/orttests.md section 7.
class TrainingBlocksTest : public QObject {
    Q_OBJECT

private slots:
    void blocksNameWhatTheyMake_data();
    void blocksNameWhatTheyMake();
    void lossesTakeOrtsNumbers_data();
    void lossesTakeOrtsNumbers();
    void olderOpsetsGetTheirForms();
    void customLossFunction();
    void weightedAverageModelComposition_data();
    void weightedAverageModelComposition();
    void labelEncoderComposition();
    void retrieveParameters();
    void retrieveParametersBeforeBuildingGradientGraph();
    void setRequiresGradOnParameters();
    void setRequiresGradOnInputs();
    void trainingBlocksGiveTheArtifactsModels();
    void furtherValuesBecomeOutputs();
    void mistakesAreNamed_data();
    void mistakesAreNamed();
    void emptyModelsGrowByBlocks();
};

/// ORT's SimpleNet, with a second output for losses of two outputs.
constexpr const char* kNet = R"(<ir_version: 8, opset_import: ["" : 17]>
    net (float[batch, 4] input) => (float[batch, 3] output, float[batch, 3] output2)
    <float[3, 4] fc.weight = {0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3, 0.1, 0.2, -0.1, 0.3},
     float[3] fc.bias = {0.1, 0.2, 0.3}, float[3] scale = {1.0, 2.0, 3.0}> {
        output = Gemm<transB = 1>(input, fc.weight, fc.bias)
        output2 = Mul(output, scale)
    })";

/// A network, and what blocks need to build on it.
struct Net {
    explicit Net(const char* text = kNet) : graph(parseText(text)) {
        inferTypes(*graph, allOps()->catalog);
    }
    std::unique_ptr<Graph> graph;
    NameCounter names;
    BlockModel model{*graph, allOps()->catalog, names};
};

using Build = std::function<Values(BlockModel&, const Values&)>;

/// A block that calls a function.
template <typename Base = blocks::Block>
class Made : public Base {
public:
    template <typename... Arguments>
    explicit Made(Build build, Arguments&&... arguments)
        : Base(std::forward<Arguments>(arguments)...), build_(std::move(build)) {}

private:
    Values build(BlockModel& model, const Values& inputs) override { return build_(model, inputs); }
    Build build_;
};

using TrainingMade = Made<blocks::TrainingBlock>;

Build mseOfFirst() {
    return [](BlockModel& m, const Values& in) { return Values{blocks::mse(m, in[0], "target")}; };
}

/// The nodes and initializers that blocks added: "name Op(inputs) -> outputs; ...".
QString additions(const Graph& graph) {
    QStringList parts;
    for (const Value* value : graph.initializers()) {
        if (value->name().starts_with("onnx::")) {
            parts << QString::fromStdString(value->name() + " " + formatType(value->type()));
        }
    }
    for (const Node* node : graph.nodes()) {
        if (!node->name().starts_with("onnx::")) continue;
        QStringList inputs;
        for (const Value* input : node->inputs()) {
            inputs << (input == nullptr ? QString() : QString::fromStdString(input->name()));
        }
        parts << QString("%1 %2(%3) -> %4")
                     .arg(node->name().c_str(), node->qualifiedOp().c_str(), inputs.join(", "),
                          node->output(0)->name().c_str());
    }
    return parts.join("; ");
}

void TrainingBlocksTest::blocksNameWhatTheyMake_data() {
    QTest::addColumn<Build>("build");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* expected, Build build) {
        QTest::newRow(name) << build << expected;
    };
    using M = BlockModel&;
    using In = const Values&;
    row("Add", "onnx::Add::2 Add(output, output2) -> onnx::add_output::1",
        [](M m, In in) { return Values{blocks::add(m, in[0], in[1])}; });
    row("Sub", "onnx::Sub::2 Sub(output, output2) -> onnx::sub_output::1",
        [](M m, In in) { return Values{blocks::sub(m, in[0], in[1])}; });
    row("Mul", "onnx::Mul::2 Mul(output, output2) -> onnx::mul_output::1",
        [](M m, In in) { return Values{blocks::mul(m, in[0], in[1])}; });
    row("Div", "onnx::Div::2 Div(output, output2) -> onnx::div_output::1",
        [](M m, In in) { return Values{blocks::div(m, in[0], in[1])}; });
    row("Pow",
        "onnx::pow_exponent::1 float32[1]; "
        "onnx::Pow::3 Pow(output, onnx::pow_exponent::1) -> onnx::pow_output::2",
        [](M m, In in) { return Values{blocks::pow(m, in[0], 2)}; });
    row("Sigmoid, Log, Neg, Abs",
        "onnx::Sigmoid::2 Sigmoid(output) -> onnx::sigmoid_output::1; "
        "onnx::Log::4 Log(onnx::sigmoid_output::1) -> onnx::log_output::3; "
        "onnx::Neg::6 Neg(onnx::log_output::3) -> onnx::neg_output::5; "
        "onnx::Abs::8 Abs(onnx::neg_output::5) -> onnx::abs_output::7",
        [](M m, In in) {
            Value* x = blocks::sigmoid(m, in[0]);
            return Values{blocks::abs(m, blocks::neg(m, blocks::log(m, x)))};
        });
    row("ReduceMean, ReduceSum",
        "onnx::ReduceMean::2 ReduceMean(output) -> onnx::reducemean_output::1; "
        "onnx::ReduceSum::4 ReduceSum(output2) -> onnx::reducesum_output::3",
        [](M m, In in) {
            blocks::reduceMean(m, in[0]);
            return Values{blocks::reduceSum(m, in[1], false)};
        });
    row("Constant", "onnx::initializer::1 float32[1]",
        [](M m, In) { return Values{blocks::constant(m, 0.4F)}; });
    row("SequenceConstruct",
        "onnx::SequenceConstruct::2 SequenceConstruct(output, output2) -> "
        "onnx::sequenceconstruct_output::1",
        [](M m, In in) { return Values{blocks::sequenceConstruct(m, in)}; });
    row("ReduceAllL2",
        "onnx::ReduceAllL2::2 com.microsoft.ReduceAllL2(output, output2) -> "
        "onnx::reducealll2_output::1",
        [](M m, In in) { return Values{blocks::reduceAllL2(m, in)}; });
    row("Clip with an upper bound",
        "onnx::clip_max::1 float32[]; "
        "onnx::Clip::3 Clip(output, , onnx::clip_max::1) -> onnx::clip_output::2",
        [](M m, In in) { return Values{blocks::clip(m, in[0], std::nullopt, 2.0F)}; });
    row("Clip with both",
        "onnx::clip_min::1 float32[]; onnx::clip_max::2 float32[]; "
        "onnx::Clip::4 Clip(output, onnx::clip_min::1, onnx::clip_max::2) -> onnx::clip_output::3",
        [](M m, In in) { return Values{blocks::clip(m, in[0], -1.0F, 2.0F)}; });
    row("Clip without bounds", "onnx::Clip::2 Clip(output) -> onnx::clip_output::1",
        [](M m, In in) { return Values{blocks::clip(m, in[0], std::nullopt, std::nullopt)}; });
    row("PassThrough", "", [](M, In in) { return blocks::passThrough(in); });
    row("InputLike", "", [](M m, In in) {
        Value* made = blocks::inputLike(m, in[0]);
        return made->name() == "onnx::input::1" && made->isGraphInput() &&
                       made->type() == in[0]->type()
                   ? Values{made}
                   : Values{};
    });
    row("Cast", "onnx::Cast::2 Cast(output) -> onnx::cast.output::1",
        [](M m, In in) { return Values{blocks::cast(m, in[0], DType::Int64)}; });
    row("Linear",
        "onnx::linear.weight::1 float32[3, 5]; onnx::linear.bias::2 float32[5]; "
        "onnx::linear::4 Gemm(output, onnx::linear.weight::1, onnx::linear.bias::2) -> "
        "onnx::linear.output::3",
        [](M m, In in) {
            return Values{blocks::linear(m, in[0], {.inFeatures = 3, .outFeatures = 5})};
        });
    row("Linear without bias",
        "onnx::linear.weight::1 float32[3, 5]; "
        "onnx::linear::3 Gemm(output, onnx::linear.weight::1) -> onnx::linear.output::2",
        [](M m, In in) {
            return Values{
                blocks::linear(m, in[0], {.inFeatures = 3, .outFeatures = 5, .hasBias = false})};
        });
}

void TrainingBlocksTest::blocksNameWhatTheyMake() {
    QFETCH(Build, build);
    QFETCH(QString, expected);
    Net net;
    Made<> block(build);
    const Values made = block(net.model, {"output", "output2"});
    QVERIFY(made.front()->type().isKnown());
    QCOMPARE(additions(*net.graph), expected);
}

void TrainingBlocksTest::lossesTakeOrtsNumbers_data() {
    QTest::addColumn<Build>("build");
    QTest::addColumn<int>("numbers");
    QTest::addColumn<QString>("loss");
    using M = BlockModel&;
    using In = const Values&;
    const auto row = [](const char* name, int numbers, const char* loss, Build build) {
        QTest::newRow(name) << build << numbers << loss;
    };
    row("MSE", 7, "onnx::reducemean_output::6",
        [](M m, In in) { return Values{blocks::mse(m, in[0], "t")}; });
    row("MSE, sum", 7, "onnx::reducesum_output::6",
        [](M m, In in) { return Values{blocks::mse(m, in[0], "t", blocks::Reduction::Sum)}; });
    row("L1", 6, "onnx::reducemean_output::5",
        [](M m, In in) { return Values{blocks::l1(m, in[0], "t")}; });
    row("cross entropy", 4, "onnx::loss::2",
        [](M m, In in) { return Values{blocks::crossEntropy(m, in[0], "t")}; });
    row("cross entropy with weights", 4, "onnx::loss::2", [](M m, In in) {
        return Values{blocks::crossEntropy(m, in[0], "t", {.weight = {1, 2, 3}})};
    });
}

void TrainingBlocksTest::lossesTakeOrtsNumbers() {
    QFETCH(Build, build);
    QFETCH(int, numbers);
    QFETCH(QString, loss);
    Net net;
    Made<> block(build);
    QCOMPARE(QString::fromStdString(block(net.model, {"output"}).front()->name()), loss);
    QCOMPARE(net.names.next("n"), "onnx::n::" + std::to_string(numbers + 1));
    QVERIFY(net.graph->at("t")->isGraphInput());
}

void TrainingBlocksTest::olderOpsetsGetTheirForms() {
    Net net(R"(<ir_version: 8, opset_import: ["" : 9]>
        net (float[batch, 3] input) => (float[batch, 3] output) { output = Tanh(input) })");
    Value* output = net.model.value("output");
    const Node* clip = blocks::clip(net.model, output, -1.0F, 2.0F)->producer();
    QCOMPARE(clip->inputs().size(), size_t{1});
    QCOMPARE(clip->attribute<float>("max", 0), 2.0F);
    const Node* sum = blocks::sumOver(net.model, output, {1})->producer();
    QCOMPARE(sum->inputs().size(), size_t{1});
    const Value* loss = blocks::crossEntropy(net.model, output, "labels", {.ignoreIndex = 2});
    QCOMPARE(loss->producer()->opType(), std::string("SoftmaxCrossEntropyLossInternal"));
    QCOMPARE(loss->producer()->input(3)->constant().toInt64(), int64_t{2});
    QVERIFY_EXCEPTION_THROWN(blocks::softmax(net.model, output, 0), Error);
    QVERIFY(blocks::softmax(net.model, output, 1) != nullptr);
}

/// MSE of one output and BCE of another, of ranks 4 and 3; nothing trains.
void TrainingBlocksTest::customLossFunction() {
    Net net(R"(<ir_version: 8, opset_import: ["" : 17]>
        net (float[2, 3, 4, 5] a, float[2, 3, 4] b) => (float[2, 3, 4, 5] y, float[2, 3, 4] z) {
            y = Tanh(a)
            z = Tanh(b)
        })");
    ArtifactSpec spec;
    spec.optimizer = {"none", {}};
    Made<> block([](BlockModel& m, const Values& in) {
        Value* first = blocks::mse(m, in[0], "target1");
        Value* second = blocks::binaryCrossEntropy(m, in[1], "target2");
        return Values{blocks::add(m, first, second)};
    });
    const Artifacts artifacts = generateArtifacts(*net.graph, *allOps(), spec, &block);
    QCOMPARE(formatType(artifacts.evalModel->at("target1")->type()),
             std::string("float32[2, 3, 4, 5]"));
    QCOMPARE(formatType(artifacts.evalModel->at("target2")->type()),
             std::string("float32[2, 3, 4]"));
    QVERIFY(artifacts.checkpoint.trainable.empty());
}

void TrainingBlocksTest::weightedAverageModelComposition_data() {
    QTest::addColumn<bool>("training");
    QTest::newRow("ForwardBlock") << false;
    QTest::newRow("TrainingBlock") << true;
}

void TrainingBlocksTest::weightedAverageModelComposition() {
    QFETCH(bool, training);
    const Build build = [](BlockModel& m, const Values& in) {
        Value* w1 = blocks::constant(m, 0.4F);
        Value* part1 = blocks::mul(m, w1, blocks::crossEntropy(m, in[0], "labels1"));
        Value* w2 = blocks::constant(m, 0.6F);
        Value* part2 = blocks::mul(m, w2, blocks::crossEntropy(m, in[1], "labels2"));
        return Values{blocks::add(m, part1, part2)};
    };
    Net net;
    std::string text;
    if (training) {
        TrainingMade block(build, allOps());
        block.requiresGrad("fc.weight");
        block(net.model, {"output", "output2"});
        text = toText(*block.toModelProto().training);
        QVERIFY(block.toModelProto().training->find("fc.weight_grad.accumulation.out") != nullptr);
    } else {
        Made<blocks::ForwardBlock> block(build);
        block(net.model, {"output", "output2"});
        const auto forward = block.toModelProto();
        QCOMPARE(forward->outputs().size(), size_t{1});
        QVERIFY(forward->at("fc.weight")->isInitializer());
        text = toText(*forward);
    }
    QVERIFY(text.find("labels1") != std::string::npos && text.find("labels2") != std::string::npos);
    QVERIFY(parseText(text)->find("onnx::add_output::15") != nullptr);
}

void TrainingBlocksTest::labelEncoderComposition() {
    Net net(R"(<ir_version: 8, opset_import: ["" : 17]>
        net (int64[batch] x) => (int64[batch] y) { y = Identity(x) })");
    blocks::LabelEncoding encoding;
    for (int64_t i = 0; i < 10; ++i) {
        encoding.intKeys.push_back(i);
        encoding.intValues.push_back(521 + i);
    }
    encoding.defaultInt = 521;
    const Value* encoded = blocks::labelEncoder(net.model, net.model.value("y"), encoding);
    QCOMPARE(encoded->name(), std::string("onnx::label_encoder.output::1"));
    QCOMPARE(formatType(encoded->type()), std::string("int64[batch]"));
    const Node* node = encoded->producer();
    QCOMPARE(node->qualifiedOp(), std::string("ai.onnx.ml.LabelEncoder"));
    QCOMPARE(node->attribute<std::vector<int64_t>>("values_int64s", {}).back(), int64_t{530});
    QCOMPARE(node->attribute<int64_t>("default_int64", 0), int64_t{521});
    QVERIFY(net.graph->info().opsetImports.at("ai.onnx.ml") >= 2);
}

void TrainingBlocksTest::retrieveParameters() {
    Net net;
    TrainingMade block(mseOfFirst(), allOps());
    block.requiresGrad("fc.weight");
    block.requiresGrad("fc.bias", false);
    block(net.model, {"output"});
    const CheckpointFile& parameters = block.parameters();
    QCOMPARE(parameters.trainable.size(), size_t{1});
    QCOMPARE(parameters.trainable[0].name, std::string("fc.weight"));
    QCOMPARE(parameters.frozen.size(), size_t{1});
    QCOMPARE(parameters.frozen[0].name, std::string("fc.bias"));
    const auto data = parameters.frozen[0].data.values<float>();
    QCOMPARE(std::vector<float>(data.begin(), data.end()), (std::vector<float>{0.1F, 0.2F, 0.3F}));
}

void TrainingBlocksTest::retrieveParametersBeforeBuildingGradientGraph() {
    const auto messageOf = [](auto&& call) {
        try {
            call();
        } catch (const Error& error) {
            return QString(error.code() == ErrorCode::State ? error.what() : "another code");
        }
        return QString("no error");
    };
    TrainingMade training(mseOfFirst(), allOps());
    QCOMPARE(messageOf([&] { training.parameters(); }),
             "Please build the training model first before trying to retrieve the parameters.");
    QCOMPARE(messageOf([&] { training.toModelProto(); }),
             "Please build the training and eval models first before trying to retrieve them.");
    Made<blocks::ForwardBlock> forward(mseOfFirst());
    QCOMPARE(messageOf([&] { forward.toModelProto(); }),
             "Please build the forward models first before trying to retrieve it.");
}

void TrainingBlocksTest::setRequiresGradOnParameters() {
    Net net;
    TrainingMade block(mseOfFirst(), allOps());
    block.requiresGrad("fc.weight");
    block.requiresGrad("fc.bias");
    block.requiresGrad("fc.weight", false);
    block(net.model, {"output"});
    const Graph& training = *block.toModelProto().training;
    QVERIFY(training.find("fc.bias_grad") != nullptr);
    QVERIFY(training.find("fc.weight_grad") == nullptr);
    QVERIFY(training.at("fc.weight")->isGraphInput());
}

void TrainingBlocksTest::setRequiresGradOnInputs() {
    Net net;
    TrainingMade block(mseOfFirst(), allOps());
    block.requiresGrad("input");
    block.requiresGrad("fc.weight");
    block(net.model, {"output"});
    const Graph& training = *block.toModelProto().training;
    QVERIFY(training.find("input_grad") != nullptr);
    const std::vector<std::string> inputs = namesOf(training.inputs());
    const auto at = [&](const char* name) { return std::ranges::find(inputs, name); };
    QVERIFY(at("input_grad.accumulation.buffer") < at("fc.weight_grad.accumulation.buffer"));
    QVERIFY(at("fc.weight_grad.accumulation.buffer") != inputs.end());
    QCOMPARE(block.parameters().trainable.size(), size_t{1});
}

void TrainingBlocksTest::trainingBlocksGiveTheArtifactsModels() {
    Net net;
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"output"};
    spec.frozen = {"fc.bias"};
    spec.trainable = {"fc.weight"};
    const Artifacts artifacts = generateArtifacts(*net.graph, *allOps(), spec);
    TrainingMade block(mseOfFirst(), allOps());
    block.requiresGrad("fc.weight");
    block.requiresGrad("fc.bias", false);
    block.requiresGrad("scale", false);
    block(net.model, {"output"});
    const auto linesOf = [](const Graph& graph) {
        return QString::fromStdString(toText(graph)).split('\n');
    };
    QCOMPARE(linesOf(*block.toModelProto().training), linesOf(*artifacts.trainingModel));
    QCOMPARE(serializeModel(*block.toModelProto().training),
             serializeModel(*artifacts.trainingModel));
    QCOMPARE(serializeModel(*block.toModelProto().eval), serializeModel(*artifacts.evalModel));
    QCOMPARE(serializeCheckpoint(block.parameters()), serializeCheckpoint(artifacts.checkpoint));
}

void TrainingBlocksTest::furtherValuesBecomeOutputs() {
    Net net;
    Made<> block([](BlockModel& m, const Values& in) {
        return Values{blocks::mse(m, in[0], "target"), in[1]};
    });
    const Artifacts artifacts = generateArtifacts(*net.graph, *allOps(), {}, &block);
    QCOMPARE(artifacts.evalModel->outputs().size(), size_t{2});
    QCOMPARE(artifacts.evalModel->outputs()[1]->name(), std::string("output2"));
    QCOMPARE(artifacts.trainingModel->outputs()[1]->name(), std::string("output2"));
    ArtifactSpec spec;
    spec.lossInputs = {"output2", "output"};
    const Artifacts swapped = generateArtifacts(*net.graph, *allOps(), spec, &block);
    QCOMPARE(swapped.evalModel->outputs()[1]->name(), std::string("output"));
}

void TrainingBlocksTest::mistakesAreNamed_data() {
    QTest::addColumn<Build>("build");
    QTest::addColumn<QString>("parameter");
    QTest::addColumn<QString>("message");
    using M = BlockModel&;
    using In = const Values&;
    const auto row = [](const char* name, const char* parameter, const char* message, Build build) {
        QTest::newRow(name) << build << parameter << message;
    };
    row("a loss of several numbers", "fc.weight",
        "The loss 'output' is float32[batch, 3]; expected a single float32 number",
        [](M, In in) { return Values{in[0]}; });
    row("nothing returned", "fc.weight", "A block returned no value",
        [](M, In) { return Values{}; });
    row("null returned", "fc.weight", "A block returned null",
        [](M, In) { return Values{nullptr}; });
    row("an unknown parameter", "fc.wieght", "'fc.wieght' requires a gradient, but is not found",
        mseOfFirst());
    row("a parameter that does not matter", "scale", "'scale'", mseOfFirst());
    row("an unknown value", "fc.weight", "The model has no value 'logits'",
        [](M m, In) { return Values{m.value("logits")}; });
    row("an input twice", "fc.weight", "input",
        [](M m, In in) { return Values{blocks::inputLike(m, in[0], "input")}; });
    row("shapes that do not fit", "fc.weight", "can't be broadcast", [](M m, In in) {
        Value* side = m.initializer("side", Tensor(DType::Float32, {7}));
        return Values{blocks::add(m, in[0], side)};
    });
}

void TrainingBlocksTest::mistakesAreNamed() {
    QFETCH(Build, build);
    QFETCH(QString, parameter);
    QFETCH(QString, message);
    Net net;
    TrainingMade block(build, allOps());
    block.requiresGrad(parameter.toStdString());
    try {
        block(net.model, {"output"});
        QFAIL("no error");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(message), error.what());
    }
    Net other;  // artifacts report the same as findings
    if (parameter != "fc.weight") return;
    const ArtifactPlan plan = planArtifacts(*other.graph, *allOps(), {}, &block);
    QVERIFY(hasErrors(plan.findings));
}

void TrainingBlocksTest::emptyModelsGrowByBlocks() {
    const auto graph = emptyModel(17);
    QCOMPARE(graph->info().onnxOpset(), int64_t{17});
    QCOMPARE(graph->info().opsetImports.at("com.microsoft"), int64_t{1});
    NameCounter names;
    BlockModel model(*graph, allOps()->catalog, names);
    Value* x = graph->addInput("x", {DType::Float32, SymbolicShape{Dim::of(2), Dim::of(3)}, false});
    Made<blocks::ForwardBlock> block([](BlockModel& m, const Values& in) {
        return Values{blocks::linear(m, in[0], {.inFeatures = 3, .outFeatures = 1, .seed = 5})};
    });
    block(model, Values{x});
    QCOMPARE(formatType(block.toModelProto()->outputs().front()->type()),
             std::string("float32[2, 1]"));
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::TrainingBlocksTest)
#include "training_blocks_test.moc"
