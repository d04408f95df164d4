// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/half.h"
#include "engine/core/string_tensor.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "tests/engine/ops/gradient_cases.h"
#include "tests/engine/ops/onnx_rows.h"

using namespace temper;
using namespace temper::test;

namespace {

/// y = op(x), x of [2, 3, 4] in a range where the function is smooth.
GradientCase unary(const char* op, float low, float high) {
    return {op, {"y = " + std::string(op) + "(x)", {{"x", randomTensor({2, 3, 4}, 3, low, high)}}}};
}

GradientCase binary(const char* name, const std::string& op, Tensor a, Tensor b,
                    int64_t opset = 17) {
    return {name, {"y = " + op + "(a, b)", {{"a", std::move(a)}, {"b", std::move(b)}}, opset}};
}

Tensor texts(const std::vector<std::string>& elements) {
    return stringTensor({static_cast<int64_t>(elements.size())},
                        std::span<const std::string>(elements));
}

/// The pairs of shapes of ORT's own tests of broadcasting operators.
const std::vector<std::pair<Shape, Shape>> kBroadcasts = {
    {{2, 3, 2, 3}, {2, 3, 2, 3}}, {{2, 3, 2, 3}, {}},           {{}, {2, 3, 2, 3}},
    {{2, 3, 2, 3}, {3}},          {{2, 3}, {2, 3, 2, 3}},       {{1, 2, 3}, {2, 3, 1, 1}},
    {{3, 2, 3}, {2, 1, 1, 1}},    {{2, 1, 1, 3}, {1, 3, 2, 1}}, {{3, 2, 1, 3}, {3, 2, 1, 1}},
    {{3, 2, 3, 3}, {3, 1, 1, 3}}};

void addUnary(std::vector<GradientCase>& cases) {
    for (const char* op :
         {"Neg", "Exp", "Erf", "Sin", "Cos", "Atan", "Sinh", "Cosh", "Asinh", "Identity"}) {
        cases.push_back(unary(op, -1, 1));
    }
    for (const char* op : {"Log", "Sqrt", "Reciprocal", "Abs"}) {
        cases.push_back(unary(op, 0.3F, 2));
    }
    for (const char* op : {"Tan", "Asin", "Acos", "Atanh"}) {
        cases.push_back(unary(op, -0.8F, 0.8F));
    }
    cases.push_back(unary("Acosh", 1.2F, 3));
    cases.push_back({"Abs on both sides", {"y = Abs(x)", {{"x", distinctTensor({2, 3})}}}});
    for (const char* op : {"Floor", "Ceil", "Round", "Sign"}) {
        cases.push_back(
            {op,
             {"f = " + std::string(op) + "(x) y = Mul(f, x)", {{"x", distinctTensor({4, 6})}}}});
    }
    cases.push_back({"Cast", {"z = Cast<to = 1>(x) y = Mul(z, z)", {{"x", distinctTensor({4})}}}});
    cases.push_back({"CastLike", {"y = CastLike(x, x)", {{"x", distinctTensor({4})}}}});
}

void addExtremes(std::vector<GradientCase>& cases) {
    for (const std::string op : {"Min", "Max", "Sum", "Mean"}) {
        const Tensor a = distinctTensor({2, 3}, 1), b = distinctTensor({2, 3}, 2);
        cases.push_back({"", {"y = " + op + "(a)", {{"a", a}}}});
        cases.push_back({"", {"y = " + op + "(a, b)", {{"a", a}, {"b", randomTensor({2, 3}, 8)}}}});
        cases.push_back({"",
                         {"y = " + op + "(a, b, c, d)",
                          {{"a", a},
                           {"b", randomTensor({3}, 5)},
                           {"c", randomTensor({2, 1}, 6)},
                           {"d", randomTensor({2, 3}, 7)}}}});
    }
    const Tensor tie = Tensor::of<float>({3}, {1, 2, 3});
    cases.push_back(
        {"Max before opset 11", {"y = Max(a, b)", {{"a", tie}, {"b", randomTensor({3})}}, 9}});
}

void addSelections(std::vector<GradientCase>& cases) {
    const Tensor x = Tensor::of<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor low = Tensor::scalar(2.8F), high = Tensor::scalar(7.2F);
    const GradientOptions byX{.inputs = {"x"}};
    cases.push_back({"Clip", {"y = Clip(x, l, h)", {{"x", x}, {"l", low}, {"h", high}}, 12}, byX});
    cases.push_back({"Clip from below", {"y = Clip(x, l)", {{"x", x}, {"l", low}}, 12}, byX});
    cases.push_back(
        {"Clip from above", {"y = Clip(x, \"\", h)", {{"x", x}, {"h", high}}, 12}, byX});
    cases.push_back({"Clip without bounds", {"y = Clip(x)", {{"x", x}}, 12}, byX});
    cases.push_back(
        {"Clip by attributes", {"y = Clip<min = 2.8, max = 7.2>(x)", {{"x", x}}, 9}, byX});
    const Tensor condition = Tensor::of<bool>({2, 1}, {true, false});
    cases.push_back({"Where with broadcasting",
                     {"y = Where(c, a, b)",
                      {{"c", condition}, {"a", randomTensor({3})}, {"b", randomTensor({2, 3})}}}});
}

void addPowers(std::vector<GradientCase>& cases) {
    const Tensor base = randomTensor({2, 3}, 4, 0.5F, 2);
    const GradientOptions byBase{.inputs = {"a"}};
    const auto power = [&](const char* name, Tensor a, Tensor b, GradientOptions options = {}) {
        GradientCase added = binary(name, "Pow", std::move(a), std::move(b));
        added.options = std::move(options);
        cases.push_back(std::move(added));
    };
    power("Pow by both", base, randomTensor({3}, 5));
    power("Pow, base broadcast", randomTensor({3}, 5, 0.5F, 2), randomTensor({2, 3}, 6));
    power("Pow of negative numbers", distinctTensor({2, 3}), Tensor::of<float>({1}, {3}), byBase);
    power("Pow with integers", distinctTensor({2, 3}), Tensor::of<int64_t>({1}, {3}), byBase);
    cases.push_back({"squares",
                     {"y = Pow(a, b)",
                      {{"a", distinctTensor({2, 3})}, {"b", Tensor::of<float>({1}, {2})}},
                      17,
                      {"b"}},
                     byBase});
    cases.push_back({"Mod",
                     {"y = Mod<fmod = 1>(a, b)",
                      {{"a", randomTensor({2, 3}, 2, 1, 9)}, {"b", randomTensor({3}, 3, 2, 3)}}}});
    cases.push_back({"Mod of negative numbers",
                     {"y = Mod(a, b)",
                      {{"a", randomTensor({2, 3}, 2, -9, -1)}, {"b", randomTensor({3}, 3, 2, 3)}},
                      28}});
}

std::vector<GradientCase> gradientCases() {
    std::vector<GradientCase> cases;
    addUnary(cases);
    for (const std::string op : {"Add", "Sub", "Mul", "Div"}) {
        for (const auto& [a, b] : kBroadcasts) {
            for (const int64_t opset : {11, 13}) {
                cases.push_back(
                    binary("", op, distinctTensor(a, 1), randomTensor(b, 2, 0.5F, 2), opset));
            }
        }
        cases.push_back({"", {"y = " + op + "(a, a)", {{"a", distinctTensor({2, 3})}}}});
    }
    addExtremes(cases);
    addSelections(cases);
    addPowers(cases);
    cases.push_back({"ScaledSum",
                     {"y = com.microsoft.ScaledSum<scale_0 = 0.5, scale_1 = 0.3>(a, b)",
                      {{"a", distinctTensor({4, 3})}, {"b", randomTensor({4, 3})}}},
                     {.dtype = DType::Float32, .step = 1e-2, .tolerance = {1e-3, 1e-3}}});
    return cases;
}

/// The message of the plan's constructor or of the run.
std::string messageOf(const OpCase& opCase) {
    try {
        runOp(opCase);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class ElementwiseTest : public QObject {
    Q_OBJECT
private slots:
    void onnxTestsPass_data() {
        addOnnxRows({"abs",        "acos",  "acosh", "add",      "and",  "asin",  "asinh",
                     "atan",       "atanh", "cast",  "castlike", "ceil", "clip",  "cos",
                     "cosh",       "div",   "equal", "erf",      "exp",  "floor", "greater",
                     "identity",   "isinf", "isnan", "less",     "log",  "max",   "mean",
                     "min",        "mod",   "mul",   "neg",      "not",  "or",    "pow",
                     "reciprocal", "round", "sign",  "sin",      "sinh", "sqrt",  "sub",
                     "sum",        "tan",   "where", "xor"});
    }
    void onnxTestsPass() {
        QFETCH(QString, folder);
        if (folder.isEmpty()) QSKIP("libonnx-testdata is absent");
        const QString problem = onnxProblem(folder, {});
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void ortsResultsAreReproduced_data() { addOrtRows({"div_grad", "scale", "scale_down"}); }
    void ortsResultsAreReproduced() {
        QFETCH(QString, name);
        const Outcome outcome = runOrtCase(ortCase(name), {1e-6, 1e-6});
        QVERIFY2(outcome.kind == Outcome::Kind::Passed, outcome.message.c_str());
    }

    void gradientsMatchFiniteDifferences_data() {
        QTest::addColumn<int>("row");
        const std::vector<GradientCase> cases = gradientCases();
        for (size_t i = 0; i < cases.size(); ++i) {
            const std::string shapes = cases[i].opCase.nodes + " #" + std::to_string(i);
            QTest::newRow(*cases[i].name != '\0' ? cases[i].name : shapes.c_str())
                << static_cast<int>(i);
        }
    }
    void gradientsMatchFiniteDifferences() {
        QFETCH(int, row);
        const QString problem = check(gradientCases(), row);
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void floatFunctionsAreAccurateToAFewUnits_data() {
        QTest::addColumn<float>("low");
        QTest::addColumn<float>("high");
        QTest::newRow("Exp") << -80.0F << 80.0F;
        QTest::newRow("Log") << 1e-6F << 10.0F;
        QTest::newRow("Erf") << -5.0F << 5.0F;
        QTest::newRow("Sqrt") << 0.0F << 100.0F;
        QTest::newRow("Sigmoid") << -30.0F << 30.0F;
        QTest::newRow("Tanh") << -10.0F << 10.0F;
    }
    void floatFunctionsAreAccurateToAFewUnits() {
        QFETCH(float, low);
        QFETCH(float, high);
        const OpCase opCase{"y = " + std::string(QTest::currentDataTag()) + "(x)",
                            {{"x", randomTensor({40001}, 1, low, high)}}};
        const std::string problem = differenceOfPrecisions(opCase, {5e-7, 1e-37});
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void specialValuesAreThoseOfTheStandardLibrary() {
        const float inf = std::numeric_limits<float>::infinity();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const Tensor x = Tensor::of<float>({5}, {nan, inf, -inf, 0.0F, -2.0F});
        const auto expect = [&](const char* op, auto f) {
            Tensor expected(DType::Float32, {5});
            std::transform(x.values<float>().begin(), x.values<float>().end(),
                           expected.mutableValues<float>().begin(), f);
            const Results found = runOp({"y = " + std::string(op) + "(x)", {{"x", x}}});
            return difference(found.at("y"), expected, {1e-6, 0});
        };
        QCOMPARE(expect("Exp", [](float v) { return std::exp(v); }), std::string());
        QCOMPARE(expect("Log", [](float v) { return std::log(v); }), std::string());
        QCOMPARE(expect("Erf", [](float v) { return std::erf(v); }), std::string());
        QCOMPARE(expect("Sqrt", [](float v) { return std::sqrt(v); }), std::string());
        QCOMPARE(expect("Tanh", [](float v) { return std::tanh(v); }), std::string());
        QCOMPARE(expect("Sigmoid", [](float v) { return 1 / (1 + std::exp(-v)); }), std::string());
    }

    void everyPositionOfAnArrayGivesTheSameValue() {
        for (const int64_t count : {1, 3, 7, 8, 15, 16, 17, 33, 40000}) {
            Tensor x(DType::Float32, {count});
            std::ranges::fill(x.mutableValues<float>(), 0.7F);
            const Results found = runOp({"y = Exp(x)", {{"x", x}}}, {.threads = 3});
            const auto values = found.at("y").values<float>();
            QVERIFY(std::ranges::all_of(values, [&](float v) { return v == values.front(); }));
        }
    }

    void emptyTensorsAreFine() {
        const Tensor none(DType::Float32, {0, 3});
        const Results found = runOp({"y = Add(a, b) z = Exp(y) m = Max(z, b)",
                                     {{"a", none}, {"b", Tensor::of<float>({3}, {1, 2, 3})}}});
        QCOMPARE(found.at("m").shape(), (Shape{0, 3}));
    }

    void clippingKeepsNaNAndLetsTheUpperBoundWin() {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const Tensor x = Tensor::of<float>({4}, {nan, -2, 0.5F, 9});
        const auto clip = [&](float low, float high) {
            return runOp({"y = Clip(x, l, h)",
                          {{"x", x}, {"l", Tensor::scalar(low)}, {"h", Tensor::scalar(high)}}})
                .at("y");
        };
        QCOMPARE(difference(clip(-1, 1), Tensor::of<float>({4}, {nan, -1, 0.5F, 1}), {}),
                 std::string());
        QCOMPARE(difference(clip(3, 1), Tensor::of<float>({4}, {nan, 1, 1, 1}), {}), std::string());
    }

    void integersWrapAroundAndDivideAsInC() {
        const Tensor a = Tensor::of<int64_t>({4}, {7, -7, INT64_MIN, 5});
        const Tensor b = Tensor::of<int64_t>({4}, {2, 2, -1, -3});
        const Results found = runOp({"q = Div(a, b) r = Mod(a, b)", {{"a", a}, {"b", b}}});
        QCOMPARE(difference(found.at("q"), Tensor::of<int64_t>({4}, {3, -3, INT64_MIN, -1}), {}),
                 std::string());
        QCOMPARE(difference(found.at("r"), Tensor::of<int64_t>({4}, {1, 1, 0, -1}), {}),
                 std::string());
    }

    void mistakesAreNamed() {
        const Tensor f = Tensor::of<float>({2}, {1, 2}), i = integerTensor({1, 0});
        const auto contains = [](const std::string& text, const char* part) {
            return text.find(part) != std::string::npos;
        };
        QVERIFY(contains(messageOf({"y = Add(a, b)", {{"a", f}, {"b", i}}}), "expected float32"));
        QVERIFY(contains(messageOf({"y = Div(a, b)", {{"a", i}, {"b", i}}}), "division by zero"));
        QVERIFY(contains(messageOf({"y = Mod(a, a)", {{"a", f}}}), "'fmod'"));
        const Tensor wide = Tensor::of<float>({3}, {1, 2, 3});
        QVERIFY(contains(messageOf({"y = Mul(a, b)", {{"a", f}, {"b", wide}}}), "broadcast"));
    }

    void halfPrecisionSurvivesTheWayThroughFloat() {
        for (uint32_t bits = 0; bits < 0x10000; ++bits) {
            const auto half = static_cast<uint16_t>(bits);
            const float wide = floatFromHalf(half);
            if (std::isnan(wide)) continue;
            QCOMPARE(halfFromFloat(wide), half);
        }
        QCOMPARE(halfFromFloat(65520.0F), uint16_t{0x7C00});         // rounds up to infinity
        QCOMPARE(halfFromFloat(1.0F + 0x1p-11F), uint16_t{0x3C00});  // a tie goes to even
        QCOMPARE(halfFromFloat(1.0F + 0x3p-11F), uint16_t{0x3C02});
        QCOMPARE(bfloat16FromFloat(1.0F + 0x1p-8F), uint16_t{0x3F80});
    }

    void castsGoThroughHalfPrecision() {
        const Tensor x = Tensor::of<float>({3}, {1.0F / 3, -70000, 0x1p-24F});
        const Results found = runOp(
            {"a = Cast<to = 10>(x) b = Cast<to = 16>(x) h = Cast<to = 1>(a) g = Cast<to = 1>(b)",
             {{"x", x}}});
        const float inf = std::numeric_limits<float>::infinity();
        const Tensor half = Tensor::of<float>({3}, {0.333251953125F, -inf, 0x1p-24F});
        const Tensor brain = Tensor::of<float>({3}, {0.333984375F, -70144, 0x1p-24F});
        QCOMPARE(difference(found.at("h"), half, {0, 0}), std::string());
        QCOMPARE(difference(found.at("g"), brain, {0, 0}), std::string());
    }

    /// Source: ONNX Runtime 1.19.2.
    void numbersBeyondTheIntegersAreCutAsInOrt_data() {
        constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
        constexpr int64_t kLow32 = std::numeric_limits<int32_t>::min();
        QTest::addColumn<int>("to");
        QTest::addColumn<QList<qint64>>("expected");
        const auto row = [](const char* name, DType to, const QList<qint64>& expected) {
            QTest::newRow(name) << static_cast<int>(to) << expected;
        };
        row("uint8", DType::UInt8, {44, 255, 0, 0, 0, 0, 0, 112});
        row("int8", DType::Int8, {44, -1, 0, 0, 0, 0, 0, 112});
        row("uint16", DType::UInt16, {300, 65535, 0, 0, 0, 0, 0, 4464});
        row("int16", DType::Int16, {300, -1, 0, 0, 0, 0, 0, 4464});
        row("int32", DType::Int32, {300, -1, kLow32, kLow32, kLow32, kLow32, kLow32, 70000});
        row("int64", DType::Int64,
            {300, -1, 10'000'000'000, -10'000'000'000, kLow, kLow, kLow, 70000});
    }
    void numbersBeyondTheIntegersAreCutAsInOrt() {
        QFETCH(int, to);
        QFETCH(QList<qint64>, expected);
        const float inf = std::numeric_limits<float>::infinity();
        const Tensor x =
            Tensor::of<float>({8}, {300, -1.5F, 1e10F, -1e10F, 1e20F, NAN, -inf, 70000});
        for (const DType from : {DType::Float32, DType::Float64}) {
            const Results found =
                runOp({"y = Cast<to = " + std::to_string(to) + ">(x)", {{"x", x.cast(from)}}});
            const Tensor y = found.at("y").cast(DType::Int64);
            const auto values = y.values<int64_t>();
            QCOMPARE(QList<qint64>(values.begin(), values.end()), expected);
        }
    }

    /// Source: ONNX Runtime 1.19.2.
    void integersWrapAroundAsInOrt() {
        constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
        const Tensor x = Tensor::of<int64_t>({3}, {kHigh, kHigh, 3});
        const Results found =
            runOp({"a = ReduceSum<keepdims = 0>(x) b = ReduceProd<keepdims = 0>(x) "
                   "c = ReduceL1<keepdims = 0>(x) d = ReduceSumSquare<keepdims = 0>(x) y = Neg(x)",
                   {{"x", x}}});
        QCOMPARE(found.at("a").toInt64(), int64_t{1});
        QCOMPARE(found.at("b").toInt64(), int64_t{3});
        QCOMPARE(found.at("c").toInt64(), int64_t{1});
        QCOMPARE(found.at("d").toInt64(), int64_t{11});
        QCOMPARE(found.at("y").values<int64_t>()[0], -kHigh);
    }

    /// In C++, the smallest integer divided by -1 ends the process.
    void arithmeticOfShapesWrapsAround() {
        constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
        const auto graph = parseText(
            "<ir_version: 8, opset_import: [\"\": 17]> g () => (d, m, s, t, p, n) "
            "<int64[1] a = {-9223372036854775808}, int64[1] b = {-1}, int64[1] c = {1}> "
            "{ d = Div(a, b) m = Mod(a, b) s = Add(a, b) t = Sub(a, c) p = Mul(a, b) n = Neg(a) }");
        QVERIFY(inferTypes(*graph, ops().catalog).empty());
        const auto known = [&](const char* name) {
            return knownIntegers(*graph, *graph->at(name), ops().catalog).value_or(Shape{7}).at(0);
        };
        for (const char* same : {"d", "p", "n"}) QCOMPARE(known(same), kLow);
        for (const char* wrapped : {"s", "t"}) QCOMPARE(known(wrapped), -(kLow + 1));
        QCOMPARE(known("m"), int64_t{0});
    }

    void textsAreParsed() {
        const Tensor x = texts({"1.5", "-2e3", "+7", "NaN", "-INF", "inf"});
        const Results found = runOp({"y = Cast<to = 1>(x) z = Cast<to = 10>(x)", {{"x", x}}});
        const float inf = std::numeric_limits<float>::infinity();
        const Tensor expected = Tensor::of<float>({6}, {1.5F, -2000, 7, NAN, -inf, inf});
        QCOMPARE(difference(found.at("y"), expected, {0, 0}), std::string());
        QCOMPARE(difference(found.at("z").cast(DType::Float32), expected, {0, 0}), std::string());
        const Results whole = runOp({"y = Cast<to = 7>(x)", {{"x", texts({"-9", "+12"})}}});
        QCOMPARE(whole.at("y").values<int64_t>()[0], int64_t{-9});
        QCOMPARE(whole.at("y").values<int64_t>()[1], int64_t{12});
    }

    void textsThatAreNotNumbersAreNamed_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", "one", "1.5 ", "1x", "++1", "+-1", "1e999"}) {
            QTest::newRow(text) << text;
        }
    }

    void textsThatAreNotNumbersAreNamed() {
        QFETCH(QString, text);
        const std::string given = text.toStdString();
        const Tensor x = texts({given});
        try {
            runOp({"y = Cast<to = 1>(x)", {{"x", x}}});
            QFAIL("a text that is no number was accepted");
        } catch (const Error& error) {
            QVERIFY2(std::string(error.what()).find("'" + given + "'") != std::string::npos,
                     error.what());
        }
    }

    void textsAreMovedAndCompared() {
        const Results found =
            runOp({"t = Transpose(x) g = Gather<axis = 0>(t, at) e = Equal(g, y) w = Where(e, g, y)"
                   " c = Concat<axis = 0>(w, w) n = Not(e)",
                   {{"x", texts({"a", "b", "c", "d"}).reshaped({2, 2})},
                    {"at", Tensor::of<int64_t>({1}, {1})},
                    {"y", texts({"b", "z"}).reshaped({1, 2})}}});
        QVERIFY(!found.at("n").values<bool>()[0]);
        QVERIFY(found.at("n").values<bool>()[1]);
        QCOMPARE(found.at("c").shape(), (Shape{2, 2}));
        const auto joined = found.at("c").values<std::string_view>();
        QVERIFY(std::ranges::equal(joined, std::array<std::string_view, 4>{"b", "z", "b", "z"}));
    }

    void shapeArithmeticStaysKnown() {
        const OpCase opCase{"s = Shape(x) t = Mul(s, two) u = Sub(t, s) y = Reshape(x, u)",
                            {{"x", randomTensor({2, 3})}, {"two", integerTensor({2})}},
                            17,
                            {"two"}};
        const auto graph = graphOf(opCase, true);
        QVERIFY(inferTypes(*graph, ops().catalog).empty());
        QCOMPARE(graph->at("y")->type().rank(), 2);
        QCOMPARE(runOp(opCase).at("y").shape(), (Shape{2, 3}));
    }

    void resultsDoNotDependOnThreads() {
        QVERIFY(isIndependentOfThreads(
            {"y = Add(a, b) z = Sum(y, a, b) q = com.microsoft.DivGrad(a, a, b)",
             {{"a", randomTensor({300, 257}, 1)}, {"b", randomTensor({257}, 2, 1, 2)}}}));
    }
};

QTEST_GUILESS_MAIN(ElementwiseTest)
#include "elementwise_test.moc"
