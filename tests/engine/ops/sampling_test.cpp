// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <limits>
#include <numeric>

#include "engine/autodiff/gradient_graph.h"
#include "engine/data/npz_file.h"
#include "engine/ir/type_inference.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

/// Results of PyTorch and torchvision, from make_sampling_fixtures.py beside this file.
const std::map<std::string, Tensor>& fixtures() {
    static const auto kArrays = readNpz(std::filesystem::path(TEMPER_SOURCE_DIR) /
                                        "tests/engine/ops/sampling_fixtures.npz");
    return kArrays;
}

struct FixtureCase {
    std::string name;
    std::string nodes;
    int64_t opset = 20;
    Feeds constants = {};
};

FixtureCase resizeCase(const std::string& name, const std::string& attributes,
                       std::initializer_list<int64_t> sizes) {
    return {name,
            "y = Resize<" + attributes + ">(x, \"\", \"\", s)",
            19,
            {{"s", integerTensor(sizes)}}};
}

void addGridCases(std::vector<FixtureCase>& cases) {
    for (const std::string aligned : {"0", "1"}) {
        for (const std::string padding : {"zeros", "border", "reflection"}) {
            const std::string attributes =
                "padding_mode = \"" + padding + "\", align_corners = " + aligned + ", mode = ";
            for (const std::string mode : {"bilinear", "nearest", "bicubic"}) {
                const std::string name = mode + "_" + padding + "_" + aligned;
                cases.push_back({"grid_" + name,
                                 "y = GridSample<" + attributes + "\"" + mode + "\">(x, grid)",
                                 16});
                if (mode == "bicubic") continue;
                const std::string word = mode == "nearest" ? mode : "linear";
                cases.push_back({"grid_volume_" + name,
                                 "y = GridSample<" + attributes + "\"" + word + "\">(x, grid)"});
            }
        }
        const std::string affine = "y = AffineGrid<align_corners = " + aligned + ">(theta, s)";
        cases.push_back({"affine_" + aligned, affine, 20, {{"s", integerTensor({2, 3, 4, 5})}}});
        cases.push_back(
            {"affine_volume_" + aligned, affine, 20, {{"s", integerTensor({2, 1, 3, 4, 5})}}});
    }
}

void addRegionCases(std::vector<FixtureCase>& cases) {
    const std::string pooled = "output_height = 3, output_width = 4, spatial_scale = 0.5, ";
    for (const std::string ratio : {"2", "0"}) {
        const std::string attributes = pooled + "sampling_ratio = " + ratio;
        cases.push_back(
            {"roi_align_1_" + ratio, "y = RoiAlign<" + attributes + ">(x, rois, batch)", 16});
        cases.push_back(
            {"roi_align_0_" + ratio, "y = RoiAlign<" + attributes + ">(x, rois, batch)", 10});
    }
    cases.push_back(
        {"roi_pool", "y = MaxRoiPool<pooled_shape = [3, 4], spatial_scale = 0.5>(x, rois)", 17});
}

std::vector<FixtureCase> fixtureCases() {
    const std::string linear = "mode = \"linear\"", cubic = "mode = \"cubic\"";
    const std::string aligned = ", coordinate_transformation_mode = \"align_corners\"";
    std::vector<FixtureCase> cases = {
        resizeCase("resize_bilinear_antialias", linear + ", antialias = 1, exclude_outside = 1",
                   {2, 3, 4, 6}),
        resizeCase("resize_bicubic_antialias",
                   cubic + ", antialias = 1, exclude_outside = 1, cubic_coeff_a = -0.5",
                   {2, 3, 4, 6}),
        resizeCase("resize_bilinear_larger", linear, {2, 3, 13, 17}),
        resizeCase("resize_bicubic_larger", cubic, {2, 3, 13, 17}),
        resizeCase("resize_bilinear_aligned", linear + aligned, {2, 3, 5, 17}),
        resizeCase("resize_bicubic_aligned", cubic + aligned, {2, 3, 5, 17}),
        resizeCase("resize_trilinear", linear, {1, 2, 5, 3, 8}),
        {"col2im",
         "y = Col2Im<dilations = [2, 1], pads = [1, 0, 1, 0], strides = [2, 1]>(x, i, b)",
         18,
         {{"i", integerTensor({5, 6})}, {"b", integerTensor({2, 3})}}},
        {"deform",
         "y = DeformConv<group = 2, offset_group = 2, strides = [2, 1], pads = [1, 1, 1, 1], "
         "dilations = [1, 2]>(x, w, offset, b, mask)",
         19},
        {"deform_plain",
         "y = DeformConv<group = 2, offset_group = 2, strides = [2, 1], pads = [1, 1, 1, 1], "
         "dilations = [1, 2]>(x, w, offset)",
         19},
    };
    addGridCases(cases);
    addRegionCases(cases);
    return cases;
}

/// The case with the fixture's inputs.
OpCase opCaseOf(const FixtureCase& fixture) {
    OpCase opCase{fixture.nodes, fixture.constants, fixture.opset, {}};
    for (const auto& [name, feed] : fixture.constants) opCase.constants.push_back(name);
    const std::string prefix = fixture.name + "/";
    for (const auto& [key, tensor] : fixtures()) {
        if (key.starts_with(prefix) && key != prefix + "y")
            opCase.feeds.emplace(key.substr(prefix.size()), tensor);
    }
    return opCase;
}

OpCase grid(const std::string& attributes, const Shape& x, const Shape& places, int64_t opset = 20,
            float reach = 1.4F) {
    return {"y = GridSample<" + attributes + ">(x, g)",
            {{"x", randomTensor(x, 3)}, {"g", randomTensor(places, 5, -reach, reach)}},
            opset};
}

/// Regions inside, across and far larger than images of 7 x 6, at a scale of one half.
OpCase regions(const std::string& op, int64_t opset) {
    return {"y = " + op + "(x, r, b)",
            {{"x", randomTensor({2, 2, 7, 6}, 3)},
             {"r", Tensor::of<float>({3, 4}, {1, 2, 9, 12.5F, 3.5F, 0.3F, 8, 6, -9, -7, 51, 33})},
             {"b", integerTensor({0, 1, 1})}},
            opset};
}

const GradientOptions kOfImages{.inputs = {"x"}, .alsoSymbolic = false};

void addGridGradients(std::vector<GradientCase>& cases) {
    const Shape image = {2, 2, 4, 3}, places = {2, 3, 2, 2};
    const std::string border = "padding_mode = \"border\"",
                      mirror = "padding_mode = \"reflection\"", corners = "align_corners = 1, ";
    const std::string nearest = ", mode = \"nearest\"", cubic = ", mode = \"cubic\"";
    cases.push_back({"grid", grid("mode = \"linear\"", image, places)});
    cases.push_back({"grid, aligned corners", grid("align_corners = 1", image, places)});
    cases.push_back({"grid, opset 16", grid("mode = \"bilinear\"", image, places, 16)});
    cases.push_back({"grid, border", grid(border, image, places)});
    cases.push_back({"grid, border, aligned", grid(corners + border, image, places)});
    cases.push_back({"grid, mirrors", grid(mirror, image, places, 20, 2.9F)});
    cases.push_back({"grid, mirrors, aligned", grid(corners + mirror, image, places, 20, 3.3F)});
    cases.push_back({"grid, nearest", grid("align_corners = 1" + nearest, image, places)});
    cases.push_back({"grid, nearest, mirrors", grid(mirror + nearest, image, places)});
    cases.push_back({"grid, cubic", grid("align_corners = 0" + cubic, image, places)});
    cases.push_back({"grid, cubic, border", grid(border + cubic, image, places)});
    cases.push_back({"grid, cubic, mirrors", grid(corners + mirror + cubic, image, places)});
    cases.push_back({"grid, volumes", grid("align_corners = 1", {1, 2, 3, 2, 4}, {1, 2, 1, 3, 3})});
    cases.push_back(
        {"grid, volumes, nearest", grid("mode = \"nearest\"", {1, 2, 3, 2, 4}, {1, 2, 1, 3, 3})});
    cases.push_back({"grid, series", grid("align_corners = 1", {2, 2, 5}, {2, 4, 1})});
    cases.push_back({"grid, images of one element",
                     grid(mirror + ", align_corners = 1", {1, 2, 1, 1}, {1, 2, 2, 2})});
    cases.push_back({"affine grid",
                     {"y = AffineGrid(t, s)",
                      {{"t", randomTensor({2, 2, 3})}, {"s", integerTensor({2, 1, 3, 4})}},
                      20,
                      {"s"}}});
    cases.push_back({"affine grid, volumes, aligned",
                     {"y = AffineGrid<align_corners = 1>(t, s)",
                      {{"t", randomTensor({1, 3, 4})}, {"s", integerTensor({1, 2, 3, 1, 2})}},
                      20,
                      {"s"}}});
    cases.push_back({"affine grid of another tensor's shape",
                     {"s = Shape(o) y = AffineGrid(t, s)",
                      {{"t", randomTensor({2, 2, 3})}, {"o", randomTensor({2, 1, 3, 4})}},
                      20},
                     {.inputs = {"t"}}});
}

void addRegionGradients(std::vector<GradientCase>& cases) {
    const std::string size = "output_height = 2, output_width = 3, spatial_scale = 0.5";
    cases.push_back(
        {"regions", regions("RoiAlign<" + size + ", sampling_ratio = 2>", 16), kOfImages});
    cases.push_back(
        {"regions, as many samples as elements", regions("RoiAlign<" + size + ">", 16), kOfImages});
    cases.push_back({"regions, opset 10", regions("RoiAlign<" + size + ", sampling_ratio = 1>", 10),
                     kOfImages});
    cases.push_back({"regions, opset 10, as many samples as elements",
                     regions("RoiAlign<" + size + ">", 10), kOfImages});
    cases.push_back({"regions, maximum",
                     regions("RoiAlign<" + size + ", sampling_ratio = 2, mode = \"max\">", 16),
                     kOfImages});
    cases.push_back({"regions, maximum, opset 18",
                     regions("RoiAlign<" + size + ", sampling_ratio = 1, mode = \"max\">", 18),
                     kOfImages});
    cases.push_back({"pooled regions",
                     {"y = MaxRoiPool<pooled_shape = [2, 3], spatial_scale = 0.5>(x, r)",
                      {{"x", distinctTensor({2, 2, 7, 6}, 3)},
                       {"r", Tensor::of<float>({3, 5}, {0, 1, 2, 9, 12.5F, 1, 3.5F, 0.3F, 8, 6, 1,
                                                        -9, -7, 51, 33})}}},
                     kOfImages});
}

void addRearrangingGradients(std::vector<GradientCase>& cases) {
    const auto col2Im = [](const std::string& attributes, const Shape& x,
                           std::initializer_list<int64_t> image,
                           std::initializer_list<int64_t> block) -> OpCase {
        return {"y = Col2Im" + attributes + "(x, i, b)",
                {{"x", randomTensor(x)}, {"i", integerTensor(image)}, {"b", integerTensor(block)}},
                18,
                {"i", "b"}};
    };
    const auto center = [](const std::string& attributes,
                           std::initializer_list<int64_t> shape) -> OpCase {
        return {"y = CenterCropPad" + attributes + "(x, s)",
                {{"x", randomTensor({4, 5, 3})}, {"s", integerTensor(shape)}},
                18,
                {"s"}};
    };
    const Tensor places = Tensor::of<int64_t>({1, 2, 2, 2}, {5, 3, 8, 15, 16, 22, 31, 28});
    const OpCase unpool{"y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(x, i)",
                        {{"x", randomTensor({1, 2, 2, 2})}, {"i", places}}};
    cases.push_back({"unpooled", unpool});
    cases.push_back({"unpooled, opset 9", {unpool.nodes, unpool.feeds, 9}});
    cases.push_back(
        {"unpooled to a shape",
         {"y = MaxUnpool<kernel_shape = [2, 2], strides = [2, 2]>(x, i, s)",
          {{"x", randomTensor({1, 2, 2, 2})}, {"i", places}, {"s", integerTensor({1, 2, 5, 5})}},
          11,
          {"s"}}});
    cases.push_back({"columns", col2Im("", {2, 8, 6}, {3, 4}, {2, 2})});
    cases.push_back(
        {"columns with gaps", col2Im("<dilations = [2, 1], pads = [1, 0, 1, 0], strides = [2, 1]>",
                                     {1, 6, 12}, {5, 6}, {2, 3})});
    cases.push_back({"columns of a volume", col2Im("", {1, 4, 8}, {2, 3, 2}, {1, 2, 1})});
    cases.push_back({"centered", center("", {3, 8, 3})});
    cases.push_back({"centered along axes", center("<axes = [-1, 0]>", {6, 1})});
}

void addDeformations(std::vector<GradientCase>& cases) {
    const GradientOptions smallSteps{.alsoSymbolic = false};
    OpCase plain{"y = DeformConv(x, w, o)",
                 {{"x", randomTensor({2, 2, 4, 4}, 1)},
                  {"w", randomTensor({3, 2, 2, 2}, 2)},
                  {"o", randomTensor({2, 8, 3, 3}, 3, -1.5F, 1.5F)}},
                 19};
    OpCase full{
        "y = DeformConv<group = 2, offset_group = 2, pads = [1, 0, 0, 1], strides = [2, 1], "
        "dilations = [1, 2]>(x, w, o, b, m)",
        {{"x", randomTensor({1, 4, 4, 3}, 1)},
         {"w", randomTensor({2, 2, 2, 2}, 2)},
         {"o", randomTensor({1, 16, 2, 2}, 3, -1.5F, 1.5F)},
         {"b", randomTensor({2}, 4)},
         {"m", randomTensor({1, 8, 2, 2}, 5)}},
        19};
    cases.push_back({"deformed", plain, smallSteps});
    cases.push_back({"deformed, groups, bias, mask", full, smallSteps});
    OpCase masked = plain;
    masked.nodes = "y = DeformConv(x, w, o, \"\", m)";
    masked.feeds.emplace("m", randomTensor({2, 4, 3, 3}, 5));
    cases.push_back({"deformed, mask without bias", masked, smallSteps});
}

std::vector<GradientCase> gradientCases() {
    std::vector<GradientCase> cases;
    addGridGradients(cases);
    addRegionGradients(cases);
    addRearrangingGradients(cases);
    addDeformations(cases);
    return cases;
}

/// d sum(y * y) / dx, with the first dimension of every input but weights fixed or a separate
/// symbol.
Tensor gradientOf(const OpCase& opCase, bool opensBatch) {
    const auto graph = graphOf(opCase);
    Feeds fed = opCase.feeds;
    for (const std::string& name : opCase.constants) fed.erase(name);
    for (const auto& [name, feed] : fed) {
        ValueType type = graph->at(name)->type();
        if (opensBatch && name != "w") type.shape->front() = Dim::named("open_" + name);
        graph->at(name)->setType(type);
    }
    Value* y = graph->at("y");
    Value* squares = graph->addNode({"Mul", {y, y}, {"squares"}})->output(0);
    Value* loss =
        graph->addNode({"ReduceSum", {squares}, {"loss"}, {{"keepdims", int64_t{0}}}})->output(0);
    graph->setOutputs({loss});
    inferTypes(*graph, ops().catalog);
    graph->setOutputs(
        buildGradients(*graph, ops().catalog, ops().gradients, loss, {graph->at("x")}));
    graph->removeUnused();
    return runGraph(*graph, fed).at("x_grad");
}

}  // namespace

/// GridSample, AffineGrid, RoiAlign, MaxRoiPool, MaxUnpool, Col2Im, CenterCropPad, DeformConv.
class SamplingTest : public QObject {
    Q_OBJECT

private slots:
    void onnxTestsPass_data() {
        addOnnxRows({"gridsample", "affine_grid", "roialign", "maxunpool", "col2im",
                     "center_crop_pad", "deform_conv"});
    }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        QCOMPARE(onnxProblem(folder, {}), QString());
    }

    void resultsAreThoseOfPyTorch_data() {
        QTest::addColumn<int>("row");
        const auto cases = fixtureCases();
        for (size_t i = 0; i < cases.size(); ++i)
            QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
    }
    void resultsAreThoseOfPyTorch() {
        QFETCH(int, row);
        const FixtureCase fixture = fixtureCases().at(static_cast<size_t>(row));
        const std::string problem =
            checkOutput(opCaseOf(fixture), "y", fixtures().at(fixture.name + "/y"), {1e-5, 3e-6});
        QCOMPARE(QString::fromStdString(problem), QString());
    }

    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(gradientCases(), row), QString());
    }

    void batchesOfOpenSizeHaveTheSameGradient_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"regions", "regions, as many samples as elements", "regions, opset 10",
              "regions, maximum", "pooled regions", "unpooled", "columns with gaps", "centered",
              "deformed", "deformed, groups, bias, mask", "grid, mirrors, aligned"}) {
            QTest::newRow(name) << QString(name);
        }
    }
    void batchesOfOpenSizeHaveTheSameGradient() {
        QFETCH(QString, name);
        for (const GradientCase& chosen : gradientCases()) {
            if (name != chosen.name) continue;
            const Tensor fixed = gradientOf(chosen.opCase, false);
            const Tensor open = gradientOf(chosen.opCase, true);
            QCOMPARE(QString::fromStdString(difference(open, fixed, {1e-5, 1e-6})), QString());
        }
    }

    void theMaximumOfARegionIsTakenOverSingleProducts() {
        // One sample in the middle of four elements: each has the weight 1/4.
        const OpCase opCase{"y = RoiAlign<mode = \"max\", sampling_ratio = 1>(x, r, b)",
                            {{"x", Tensor::of<float>({1, 1, 2, 2}, {1, 2, 4, 3})},
                             {"r", Tensor::of<float>({1, 4}, {0.5F, 0.5F, 1.5F, 1.5F})},
                             {"b", integerTensor({0})}},
                            16};
        QCOMPARE(runOp(opCase).at("y").values<float>()[0], 1.0F);
    }

    /// Source: ONNX Runtime 1.19.2; the last row would take it years.
    void aRegionMayBeLargerThanTheImageByAnyFactor_data() {
        QTest::addColumn<QList<float>>("region");
        QTest::addColumn<QList<float>>("average");
        QTest::addColumn<QList<float>>("maximum");
        const auto row = [](const char* name, const QList<float>& region,
                            const QList<float>& average, const QList<float>& maximum) {
            QTest::newRow(name) << region << average << maximum;
        };
        row("around", {-20, -20, 40, 40}, {0.34F, 0, 0, 0}, {16, 0, 0, 0});
        row("wide", {-1, 0, 300, 5}, {0.1955019236F, 0, 0.3008030653F, 0}, {7, 0, 16, 0});
        row("behind", {2, 1, 1000, 900.5F}, {0.00067677576F, 0, 0, 0}, {16, 0, 0, 0});
        row("gigantic", {0, 0, 1e12F, 1e12F}, {0, 0, 0, 0}, {16, 0, 0, 0});
    }
    void aRegionMayBeLargerThanTheImageByAnyFactor() {
        QFETCH(QList<float>, region);
        QFETCH(QList<float>, average);
        QFETCH(QList<float>, maximum);
        Tensor x(DType::Float32, {1, 1, 4, 4});
        std::iota(x.mutableValues<float>().begin(), x.mutableValues<float>().end(), 1.0F);
        const auto aligned = [&](const std::string& mode) {
            return runOp({"y = RoiAlign<output_height = 2, output_width = 2, mode = \"" + mode +
                              "\">(x, r, b)",
                          {{"x", x},
                           {"r", Tensor::of<float>({1, 4}, std::span<const float>(region))},
                           {"b", integerTensor({0})}},
                          16})
                .at("y");
        };
        const auto expected = [](const QList<float>& values) {
            return Tensor::of<float>({1, 1, 2, 2}, std::span<const float>(values));
        };
        QCOMPARE(difference(aligned("avg"), expected(average), {1e-5, 1e-6}), std::string());
        QCOMPARE(difference(aligned("max"), expected(maximum), {1e-5, 1e-6}), std::string());
    }

    void positionsThatAreNotNumbersAreOutside() {
        const float inf = std::numeric_limits<float>::infinity();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {3, 4});
        const Tensor places = Tensor::of<float>({1, 1, 3, 2}, {inf, 0, -inf, 0, nan, 0});
        const auto sampled = [&](const std::string& padding) {
            return runOp({"y = GridSample<padding_mode = \"" + padding + "\">(x, g)",
                          {{"x", x}, {"g", places}},
                          16})
                .at("y");
        };
        const Tensor zeros = Tensor::of<float>({1, 1, 1, 3}, {0, 0, 0});
        QCOMPARE(difference(sampled("zeros"), zeros, {}), std::string());
        const Tensor border = sampled("border");
        QCOMPARE(border.values<float>()[0], 4.0F);
        QCOMPARE(border.values<float>()[1], 3.0F);
    }

    void anOddDifferenceIsLargerAtTheEnd() {
        const OpCase crop{"y = CenterCropPad(x, s)",
                          {{"x", integerTensor({1, 2, 3, 4})}, {"s", integerTensor({1})}},
                          18,
                          {"s"}};
        QCOMPARE(runOp(crop).at("y").values<int64_t>()[0], int64_t{2});
        const OpCase pad{"y = CenterCropPad(x, s)",
                         {{"x", integerTensor({1, 2})}, {"s", integerTensor({5})}},
                         18,
                         {"s"}};
        QCOMPARE(difference(runOp(pad).at("y"), integerTensor({0, 1, 2, 0, 0}), {}), std::string());
    }

    void resultsDoNotDependOnThreads() {
        QVERIFY(isIndependentOfThreads(grid("align_corners = 1", {3, 5, 30, 30}, {3, 40, 40, 2})));
        for (const char* name : {"deform", "roi_align_1_0", "roi_pool", "col2im", "affine_1"}) {
            for (const FixtureCase& fixture : fixtureCases()) {
                if (fixture.name == name) QVERIFY(isIndependentOfThreads(opCaseOf(fixture)));
            }
        }
    }

    void emptyBatchesGiveEmptyResults() {
        QCOMPARE(runOp(grid("align_corners = 1", {0, 2, 3, 3}, {0, 4, 4, 2})).at("y").shape(),
                 (Shape{0, 2, 4, 4}));
        OpCase none = regions("RoiAlign<output_height = 2, output_width = 3>", 16);
        none.feeds.insert_or_assign("r", Feed(Tensor(DType::Float32, {0, 4})));
        none.feeds.insert_or_assign("b", Feed(Tensor(DType::Int64, {0})));
        QCOMPARE(runOp(none).at("y").shape(), (Shape{0, 2, 2, 3}));
    }

    void wrongInputsAreRefused() {
        QVERIFY_THROWS_EXCEPTION(Error,
                                 runOp(grid("align_corners = 1", {1, 2, 3, 3}, {1, 4, 4, 3})));
        QVERIFY_THROWS_EXCEPTION(Error, runOp(grid("mode = \"best\"", {1, 2, 3, 3}, {1, 4, 4, 2})));
        OpCase outside = regions("RoiAlign", 16);
        outside.feeds.insert_or_assign("b", Feed(integerTensor({0, 1, 2})));
        QVERIFY_THROWS_EXCEPTION(Error, runOp(outside));
        const OpCase unpool{
            "y = MaxUnpool<kernel_shape = [1]>(x, i)",
            {{"x", randomTensor({1, 1, 2})}, {"i", Tensor::of<int64_t>({1, 1, 2}, {0, 2})}}};
        QVERIFY_THROWS_EXCEPTION(Error, runOp(unpool));
    }

    void aMaximumOverAnOpenNumberOfSamplesIsAFinding() {
        Graph graph;
        const Node* node = graph.addNode({"RoiAlign", {}, {"y"}, {{"mode", std::string("max")}}});
        const auto why = ops().gradients.whyNot(*node);
        QVERIFY(why.has_value());
        QVERIFY(why->remedy.find("sampling_ratio") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(SamplingTest)
#include "sampling_test.moc"
