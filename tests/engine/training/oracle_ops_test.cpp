// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "tests/engine/training/oracle_run.h"
#include "tests/support/op_check.h"

namespace temper::test {
namespace {

/// A model with few operators: `parameters` are feeds that train.
struct TrainedOp {
    std::string name;
    OpCase opCase;
    std::vector<std::string> parameters;
    bool symbolic = false;
};

TrainedOp resize(const std::string& name, const std::string& attributes, bool symbolic = false) {
    return {name,
            {"z = Mul(x, w) y = Resize<" + attributes + ">(z, \"\", s)",
             {{"x", randomTensor({2, 3, 5, 6})},
              {"w", randomTensor({3, 1, 1}, 2)},
              {"s", Tensor::of<float>({4}, {1, 1, 2, 1.7F})}},
             17,
             {"s"}},
            {"w"},
            symbolic};
}

TrainedOp grid(const std::string& name, const std::string& attributes, bool symbolic = false) {
    return {name,
            {"z = Mul(x, w) h = Add(g, v) y = GridSample<" + attributes + ">(z, h)",
             {{"x", randomTensor({2, 3, 5, 6})},
              {"w", randomTensor({3, 1, 1}, 2)},
              {"g", randomTensor({2, 3, 4, 2}, 3, -1.3F, 1.3F)},
              {"v", randomTensor({2}, 4, -0.1F, 0.1F)}},
             16},
            {"w", "v"},
            symbolic};
}

TrainedOp regions(const std::string& name, const std::string& attributes, int64_t opset = 16,
                  bool symbolic = false) {
    return {name,
            {"z = Mul(x, w) y = RoiAlign<output_height = 2, output_width = 3" + attributes +
                 ">(z, r, b)",
             {{"x", randomTensor({2, 3, 7, 6})},
              {"w", randomTensor({3, 1, 1}, 2)},
              {"r", Tensor::of<float>({3, 4}, {1, 1, 4, 5, 0.5F, 0, 5.5F, 4, 2, 3, 4, 6})},
              {"b", integerTensor({0, 1, 1})}},
             opset},
            {"w"},
            symbolic};
}

TrainedOp onImages(const std::string& name, const std::string& node, int64_t opset,
                   bool symbolic = false) {
    return {name,
            {"z = Mul(x, w) y = " + node + "(z)",
             {{"x", randomTensor({2, 3, 6, 5})}, {"w", randomTensor({3, 1, 1}, 2)}},
             opset},
            {"w"},
            symbolic};
}

/// `numbers`: starts, ends, axes, steps.
TrainedOp slice(const std::string& name, const std::vector<Tensor>& numbers,
                bool symbolic = false) {
    return {name,
            {"z = Mul(x, w) y = Slice(z, s, e, a, t)",
             {{"x", randomTensor({5, 4, 3})},
              {"w", randomTensor({3}, 2)},
              {"s", numbers[0]},
              {"e", numbers[1]},
              {"a", numbers[2]},
              {"t", numbers[3]}},
             13,
             {"s", "e", "a", "t"}},
            {"w"},
            symbolic};
}

std::vector<TrainedOp> samplingOps() {
    constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
    const std::string nearest = "mode = \"nearest\"", linear = "mode = \"linear\"",
                      cubic = "mode = \"cubic\"";
    const OpCase affine{"y = AffineGrid(t, s)",
                        {{"t", randomTensor({2, 2, 3})}, {"s", integerTensor({2, 1, 3, 4})}},
                        20,
                        {"s"}};
    const OpCase columns{"y = Col2Im<pads = [1, 0, 1, 0], strides = [2, 1]>(x, i, b)",
                         {{"x", randomTensor({2, 12, 12})},
                          {"i", integerTensor({5, 6})},
                          {"b", integerTensor({2, 3})}},
                         18,
                         {"i", "b"}};
    const OpCase center{"y = CenterCropPad<axes = [1, 2]>(x, s)",
                        {{"x", randomTensor({2, 3, 6})}, {"s", integerTensor({6, 3})}},
                        18,
                        {"s"}};
    const OpCase unpool{"y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(x, i)",
                        {{"x", randomTensor({1, 1, 2, 2})},
                         {"i", Tensor::of<int64_t>({1, 1, 2, 2}, {0, 3, 9, 15})}},
                        11};
    const OpCase pooled{"y = MaxRoiPool<pooled_shape = [2, 2]>(x, r)",
                        {{"x", randomTensor({2, 2, 6, 5})},
                         {"r", Tensor::of<float>({2, 5}, {0, 1, 1, 4, 4, 1, 0, 0, 3, 5})}},
                        13};
    return {
        resize("Resize, nearest", nearest),
        resize("Resize, linear", linear),
        resize("Resize, cubic", cubic),
        resize("Resize, linear, open size", linear, true),
        resize("Resize, cubic, open size", cubic, true),
        resize("Resize, nearest, open size", nearest, true),
        grid("GridSample", "mode = \"bilinear\""),
        grid("GridSample, open size", "padding_mode = \"reflection\"", true),
        grid("GridSample, cubic", "mode = \"bicubic\", padding_mode = \"border\""),
        grid("GridSample, nearest", "mode = \"nearest\", align_corners = 1"),
        regions("RoiAlign", ", sampling_ratio = 2"),
        regions("RoiAlign, as many samples as elements", ""),
        regions("RoiAlign, opset 10", ", sampling_ratio = 1", 11),
        regions("RoiAlign, maximum", ", sampling_ratio = 2, mode = \"max\""),
        slice("Slice, turned over", {integerTensor({-1}), integerTensor({kLowest}),
                                     integerTensor({1}), integerTensor({-1})}),
        slice("Slice, turned over, open size",
              {integerTensor({-1}), integerTensor({kLowest}), integerTensor({0}),
               integerTensor({-1})},
              true),
        slice("Slice, a part backwards, open size",
              {integerTensor({-2}), integerTensor({0}), integerTensor({0}), integerTensor({-1})},
              true),
        slice("Slice, every other one backwards", {integerTensor({4, 1}), integerTensor({-6, 3}),
                                                   integerTensor({0, -2}), integerTensor({-2, 1})}),
        {"Attention, opset 23",
         {"z = Mul(x, w) y = Attention<is_causal = 1>(z, x, x)",
          {{"x", randomTensor({2, 2, 5, 4})}, {"w", randomTensor({4}, 2)}},
          23},
         {"w"}},
        {"RMSNormalization, opset 24",
         {"z = RMSNormalization(x, w) y = Swish(z)",
          {{"x", randomTensor({2, 5, 4})}, {"w", randomTensor({4}, 2)}},
          24},
         {"w"}},
        {"AffineGrid", affine, {"t"}},
        {"Col2Im", columns, {"x"}},
        {"CenterCropPad", center, {"x"}},
        {"MaxUnpool", unpool, {"x"}},
        {"MaxRoiPool", pooled, {"x"}},
        {"OneHot",
         {"y = OneHot(i, d, v)",
          {{"i", integerTensor({2, 0, 1, 2})},
           {"d", Tensor::scalar<int64_t>(3)},
           {"v", Tensor::of<float>({2}, {0.1F, 0.9F})}},
          13,
          {"d"}},
         {"v"}},
        {"Unique",
         {"z = Mul(x, w) y = Unique<axis = 0>(z)",
          {{"x", randomTensor({4, 3})}, {"w", randomTensor({3}, 2)}},
          13},
         {"w"}},
        onImages("MaxPool, open size", "MaxPool<kernel_shape = [2, 2]>", 13, true),
        onImages("AveragePool, open size",
                 "AveragePool<kernel_shape = [3, 2], pads = [1, 0, 1, 1]>", 13, true),
        onImages("LpPool, open size", "LpPool<kernel_shape = [2, 2]>", 13, true),
        {"Pad reflect, open size",
         {"z = Mul(x, w) y = Pad<mode = \"reflect\">(z, p)",
          {{"x", randomTensor({2, 3, 6, 5})},
           {"w", randomTensor({3, 1, 1}, 2)},
           {"p", integerTensor({0, 0, 2, 1, 0, 0, 1, 3})}},
          13,
          {"p"}},
         {"w"},
         true},
        {"ConvTranspose",
         {"y = ConvTranspose<kernel_shape = [3, 2], strides = [2, 1], dilations = [1, 2], "
          "output_padding = [1, 0], pads = [0, 1, 1, 0]>(x, w, b)",
          {{"x", randomTensor({1, 2, 3, 4})},
           {"w", randomTensor({2, 1, 3, 2}, 2)},
           {"b", randomTensor({1}, 3)}},
          13},
         {"x", "w", "b"}},
    };
}

std::unique_ptr<Graph> modelOf(const TrainedOp& op) {
    std::unique_ptr<Graph> graph = graphOf(op.opCase, op.symbolic);
    for (const std::string& name : op.parameters)
        graph->inputToInitializer(graph->at(name), op.opCase.feeds.at(name).tensors.front());
    return graph;
}

}  // namespace

/// Artifacts of models whose operators ONNX Runtime itself can't differentiate, trained by it.
class OracleOpsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void operatorsTrainTheSameThere_data();
    void operatorsTrainTheSameThere();
    void modelsTrainTheSameThere_data();
    void modelsTrainTheSameThere();

private:
    static void trainBoth(const Graph& model, const ArtifactSpec& spec, const Arrays& feeds,
                          double tolerance = 1e-5);
};

void OracleOpsTest::initTestCase() {
    if (!oracleIsThere()) QSKIP(kOracleAbsent);
}

/// Three steps in both engines: the losses and the final parameters are the same.
void OracleOpsTest::trainBoth(const Graph& model, const ArtifactSpec& spec, const Arrays& feeds,
                              double tolerance) {
    constexpr int kSteps = 3;
    const QTemporaryDir folder;
    saveArtifacts(generateArtifacts(model, *allOps(), spec), folder.path().toStdString(), spec);
    const auto session = sessionIn(folder.path());
    const std::vector<double> losses = trainHere(*session, feeds, kSteps);
    const QString parameters = folder.filePath("params.npz");
    writeNpz(folder.filePath("feeds.npz").toStdString(), feeds);
    const OracleResult there = trainThere(folder.path(), "checkpoint", folder.filePath("feeds.npz"),
                                          kSteps, {"--params-out", parameters});
    QVERIFY2(there.succeeded(), qPrintable(there.log));
    compareLosses(there.output, losses, tolerance);
    if (QTest::currentTestFailed()) return;
    QVERIFY2(losses.back() < losses.front(), "the loss does not fall");
    compareParameters(session->state(), readNpz(parameters.toStdString()), 1e-6);
}

void OracleOpsTest::operatorsTrainTheSameThere_data() {
    QTest::addColumn<int>("row");
    const auto operators = samplingOps();
    for (size_t i = 0; i < operators.size(); ++i)
        QTest::newRow(operators[i].name.c_str()) << static_cast<int>(i);
}

void OracleOpsTest::operatorsTrainTheSameThere() {
    QFETCH(int, row);
    const TrainedOp op = samplingOps().at(static_cast<size_t>(row));
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {"y", "target"};
    spec.trainable = op.parameters;
    Arrays feeds;
    for (const auto& [name, feed] : op.opCase.feeds) feeds[name] = feed.tensors.front();
    feeds["target"] = randomTensor(runOp(op.opCase).at("y").shape(), 9);
    for (const std::string& name : op.parameters) feeds.erase(name);
    for (const std::string& name : op.opCase.constants) feeds.erase(name);
    trainBoth(*modelOf(op), spec, feeds);
}

void OracleOpsTest::modelsTrainTheSameThere_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<Shape>("input");
    // Small images: the runtime loses digits in a mean over many squares.
    QTest::newRow("conv_convtranspose") << "conv_convtranspose" << Shape{2, 32, 9, 8};
    QTest::newRow("simplified_ssd") << "simplified_ssd" << Shape{1, 3, 8, 8};
}

/// The model for another size of its single input.
void setInputShape(Graph& model, const Shape& shape) {
    Value* input = model.inputs().front();
    input->setType({input->type().dtype, symbolicShape(shape), false});
    for (const Node* node : model.nodes()) {
        for (Value* output : node->outputs()) {
            if (output != nullptr) output->setType({output->type().dtype, std::nullopt, false});
        }
    }
}

void OracleOpsTest::modelsTrainTheSameThere() {
    QFETCH(QString, name);
    QFETCH(Shape, input);
    const auto path = conformanceFolder() / "ort-models" / (name.toStdString() + ".onnx");
    const auto model = loadModel(path);
    setInputShape(*model, input);
    const std::string fed = model->inputs().front()->name();
    const std::string prediction = model->outputs().front()->name();
    ArtifactSpec spec;
    spec.loss = {"mse", {}};
    spec.lossInputs = {prediction, "target"};
    Arrays feeds = {{fed, randomTensor(input, 5)}};
    const Tensor found = runGraph(*model, {{fed, feeds.at(fed)}}).at(prediction);
    feeds["target"] = randomTensor(found.shape(), 9);
    // Losses of 1e14: Adam's steps turn the last digits of small gradients into steps as large as
    // the rate.
    trainBoth(*model, spec, feeds, 1e-4);
}

}  // namespace temper::test

QTEST_GUILESS_MAIN(temper::test::OracleOpsTest)
#include "oracle_ops_test.moc"
