// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

Tensor floats(std::initializer_list<float> values) {
    return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

/// Resize by scales, opset 13 and later.
OpCase byScales(const std::string& attributes, const Shape& x, std::initializer_list<float> scales,
                int64_t opset = 13) {
    return {"y = Resize<" + attributes + ">(x, \"\", s)",
            {{"x", randomTensor(x)}, {"s", floats(scales)}},
            opset,
            {"s"}};
}

OpCase bySizes(const std::string& attributes, const Shape& x, std::initializer_list<int64_t> sizes,
               int64_t opset = 13) {
    return {"y = Resize<" + attributes + ">(x, \"\", \"\", s)",
            {{"x", randomTensor(x)}, {"s", integerTensor(sizes)}},
            opset,
            {"s"}};
}

OpCase cropped(const std::string& attributes, const Shape& x, std::initializer_list<float> region,
               std::initializer_list<int64_t> sizes, int64_t opset = 13) {
    return {"y = Resize<coordinate_transformation_mode = \"tf_crop_and_resize\", " + attributes +
                ">(x, r, \"\", s)",
            {{"x", randomTensor(x)}, {"r", floats(region)}, {"s", integerTensor(sizes)}},
            opset,
            {"r", "s"}};
}

/// With a size that is computed from another tensor's shape: known to a plan, not to the gradient.
OpCase toTheSizeOf(const std::string& attributes, const Shape& x, const Shape& other) {
    return {"s = Shape(o) y = Resize<" + attributes + ">(x, \"\", \"\", s)",
            {{"x", randomTensor(x)}, {"o", randomTensor(other)}},
            13};
}

const std::string kNearest = "mode = \"nearest\"";
const std::string kLinear = "mode = \"linear\"";
const std::string kCubic = "mode = \"cubic\"";

std::string coordinates(const std::string& name) {
    return ", coordinate_transformation_mode = \"" + name + "\"";
}

std::vector<GradientCase> gradientCases() {
    const Shape image = {2, 2, 3, 4};
    return {
        {"nearest, twice as large", byScales(kNearest, image, {1, 1, 2, 2})},
        {"nearest, asymmetric and floor, as PyTorch",
         byScales(kNearest + coordinates("asymmetric") + ", nearest_mode = \"floor\"", image,
                  {1, 1, 2, 3})},
        {"nearest, by a broken factor", byScales(kNearest, image, {1, 1, 1.4F, 1.5F})},
        {"nearest, smaller", byScales(kNearest, image, {1, 1, 0.5F, 0.6F})},
        {"nearest, to a size, rounded up",
         bySizes(kNearest + ", nearest_mode = \"ceil\"", image, {2, 2, 7, 3})},
        {"nearest, aligned corners, rounded to the ceiling",
         bySizes(kNearest + coordinates("align_corners") + ", nearest_mode = \"round_prefer_ceil\"",
                 image, {2, 2, 6, 7})},
        {"nearest, TensorFlow's half pixels",
         {"y = Resize<mode = \"nearest\", coordinate_transformation_mode = "
          "\"tf_half_pixel_for_nn\">(x, r, s)",
          {{"x", randomTensor(image)},
           {"r", Tensor(DType::Float32, {0})},
           {"s", floats({1, 1, 2, 1})}},
          11,
          {"r", "s"}}},
        {"linear, twice as large", byScales(kLinear, image, {1, 1, 2, 2})},
        {"linear, batch and channels too", byScales(kLinear, image, {2, 1.5F, 2, 0.5F})},
        {"linear, aligned corners",
         bySizes(kLinear + coordinates("align_corners"), image, {2, 2, 5, 2})},
        {"linear, one row of an image",
         bySizes(kLinear + coordinates("align_corners"), image, {2, 2, 1, 1})},
        {"linear, pytorch_half_pixel to one element",
         bySizes(kLinear + coordinates("pytorch_half_pixel"), image, {2, 2, 1, 6})},
        {"linear, symmetric half pixels",
         byScales(kLinear + coordinates("half_pixel_symmetric"), image, {1, 1, 1.4F, 2.3F}, 19)},
        {"linear, aligned corners of a broken size",
         byScales(kLinear + coordinates("align_corners"), image, {1, 1, 0.8F, 0.6F})},
        {"linear, asymmetric",
         byScales(kLinear + coordinates("asymmetric"), image, {1, 1, 0.7F, 1.6F})},
        {"linear, without aliases",
         byScales(kLinear + ", antialias = 1", image, {1, 1, 0.4F, 0.6F}, 18)},
        {"linear, a series", byScales(kLinear, {2, 2, 5}, {1, 1, 1.8F})},
        {"linear, volumes", byScales(kLinear, {1, 1, 2, 3, 2}, {1, 1, 2, 1.5F, 1})},
        {"linear, a vector", byScales(kLinear, {5}, {1.5F})},
        {"linear, chosen axes", bySizes(kLinear + ", axes = [-1, 2]", image, {7, 2}, 18)},
        {"linear, the ratio kept, not larger",
         bySizes(kLinear + ", keep_aspect_ratio_policy = \"not_larger\", axes = [2, 3]", image,
                 {6, 7}, 18),
         {.alsoSymbolic = false}},
        {"linear, the ratio kept, not smaller",
         bySizes(kLinear + ", keep_aspect_ratio_policy = \"not_smaller\", axes = [2, 3]", image,
                 {6, 7}, 18),
         {.alsoSymbolic = false}},
        {"linear, to the size of another tensor",
         toTheSizeOf(kLinear, image, {2, 2, 5, 7}),
         {.inputs = {"x"}}},
        {"cubic, larger", byScales(kCubic, image, {1, 1, 1.5F, 2})},
        {"cubic, smaller, outside excluded",
         byScales(kCubic + ", exclude_outside = 1, cubic_coeff_a = -0.5", image,
                  {1, 1, 0.8F, 0.5F})},
        {"cubic, aligned corners",
         bySizes(kCubic + coordinates("align_corners"), image, {2, 2, 5, 9})},
        {"cubic, without aliases",
         byScales(kCubic + ", antialias = 1", {1, 1, 7, 6}, {1, 1, 0.4F, 0.6F}, 18)},
        {"cubic, to the size of another tensor",
         toTheSizeOf(kCubic, image, {2, 2, 5, 7}),
         {.inputs = {"x"}}},
        {"a region, with its surroundings",
         cropped(kLinear + ", extrapolation_value = 10.0", image,
                 {0, 0, 0.3F, -0.4F, 1, 1, 1.2F, 0.8F}, {2, 2, 4, 5}),
         {.inputs = {"x"}}},
        {"a region, nearest",
         cropped(kNearest, image, {0, 0, 0.4F, 0.6F, 1, 1, 0.6F, 0.8F}, {2, 2, 3, 3}),
         {.inputs = {"x"}}},
        {"opset 10, linear",
         {"y = Resize<mode = \"linear\">(x, s)",
          {{"x", randomTensor(image)}, {"s", floats({1, 1, 2, 0.6F})}},
          10,
          {"s"}}},
        {"opset 11, linear",
         {"y = Resize<mode = \"linear\">(x, r, s)",
          {{"x", randomTensor(image)},
           {"r", Tensor(DType::Float32, {0})},
           {"s", floats({1, 1, 2, 0.6F})}},
          11,
          {"r", "s"}}},
        {"Upsample, nearest",
         {"y = Upsample(x, s)",
          {{"x", randomTensor(image)}, {"s", floats({1, 1, 2, 3})}},
          9,
          {"s"}}},
        {"Upsample, opset 8",
         {"y = Upsample<mode = \"linear\", scales = [1.0, 1.0, 2.0, 3.0]>(x)",
          {{"x", randomTensor(image)}},
          8}},
        {"Upsample, linear",
         {"y = Upsample<mode = \"linear\">(x, s)",
          {{"x", randomTensor(image)}, {"s", floats({1, 1, 2, 3})}},
          9,
          {"s"}}},
        {"ORT's case, with a region that half_pixel does not read",
         {"y = Resize<mode = \"linear\", coordinate_transformation_mode = \"half_pixel\", "
          "cubic_coeff_a = -0.75, nearest_mode = \"floor\">(x, r, s)",
          {{"x", randomTensor({1, 2, 4, 4})},
           {"r", floats({1, 1, 1, 1})},
           {"s", floats({1, 1, 2, 2})}},
          18,
          {"r", "s"}}},
    };
}

Tensor valuesOf(const OpCase& opCase) { return runOp(opCase).at("y"); }

}  // namespace

/// Resize and Upsample.
class ResizeTest : public QObject {
    Q_OBJECT

private slots:
    void onnxTestsPass_data() { addOnnxRows({"resize", "upsample"}); }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        QCOMPARE(onnxProblem(folder, {}), QString());
    }

    void gradientsMatchFiniteDifferences_data() { addRows(gradientCases()); }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        QCOMPARE(check(gradientCases(), row), QString());
    }

    void anyElementTypeHasItsNearest() {
        const OpCase opCase{"y = Resize(x, \"\", s)",
                            {{"x", integerTensor({3, 5})}, {"s", floats({2})}},
                            13,
                            {"s"}};
        QCOMPARE(difference(valuesOf(opCase), integerTensor({3, 3, 5, 5}), {}), std::string());
    }

    void theRatioIsKept_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<Shape>("expected");
        QTest::newRow("not larger") << "not_larger" << Shape{1, 1, 6, 8};
        QTest::newRow("not smaller") << "not_smaller" << Shape{1, 1, 8, 11};
    }
    void theRatioIsKept() {
        QFETCH(QString, policy);
        QFETCH(Shape, expected);
        const std::string attributes = kLinear + ", axes = [2, 3], keep_aspect_ratio_policy = \"" +
                                       policy.toStdString() + "\"";
        QCOMPARE(valuesOf(bySizes(attributes, {1, 1, 3, 4}, {8, 8}, 18)).shape(), expected);
    }

    void resultsDoNotDependOnThreads() {
        for (const std::string& mode : {kNearest, kLinear, kCubic})
            QVERIFY(isIndependentOfThreads(byScales(mode, {3, 5, 40, 40}, {1, 1, 1.7F, 2})));
    }

    void floatMatchesDouble() {
        const std::string problem = differenceOfPrecisions(
            byScales(kCubic, {2, 3, 30, 20}, {1, 1, 1.7F, 0.4F}), {1e-5, 1e-6});
        QCOMPARE(QString::fromStdString(problem), QString());
    }

    void anEmptyBatchGivesAnEmptyResult() {
        for (const std::string& mode : {kNearest, kLinear}) {
            QCOMPARE(valuesOf(byScales(mode, {0, 1, 2, 2}, {1, 1, 2, 2})).shape(),
                     (Shape{0, 1, 4, 4}));
        }
    }

    void wrongInputsAreRefused() {
        QVERIFY_THROWS_EXCEPTION(Error, valuesOf(byScales(kLinear, {1, 1, 2, 2}, {2, 2})));
        QVERIFY_THROWS_EXCEPTION(Error, valuesOf(byScales(kLinear, {1, 1, 2, 2}, {1, 1, 0, 2})));
        QVERIFY_THROWS_EXCEPTION(Error, valuesOf(bySizes(kLinear, {1, 1, 2, 2}, {2, 2})));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 valuesOf(byScales("mode = \"best\"", {1, 1, 2, 2}, {1, 1, 2, 2})));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 runOp({"y = Resize(x)", {{"x", randomTensor({2, 2})}}, 13}));
        QVERIFY_THROWS_EXCEPTION(
            Error,
            runOp({"y = Resize(x, \"\", s, z)",
                   {{"x", randomTensor({2, 2})}, {"s", floats({2})}, {"z", integerTensor({4, 4})}},
                   13}));
    }
};

QTEST_GUILESS_MAIN(ResizeTest)
#include "resize_test.moc"
