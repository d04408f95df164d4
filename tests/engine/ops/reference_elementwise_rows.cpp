// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/core/random.h"
#include "tests/engine/ops/reference_rows.h"

namespace temper::test {

Tensor normalTensor(const Shape& shape, uint64_t seed) {
    Tensor tensor(DType::Float32, shape);
    Random random(seed);
    for (float& value : tensor.mutableValues<float>()) value = 5 * random.normal();
    return tensor;
}

Tensor awayFromZero(const Shape& shape, uint64_t seed, float gap) {
    Tensor tensor = normalTensor(shape, seed);
    for (float& value : tensor.mutableValues<float>()) value += value > 0 ? gap : -gap;
    return tensor;
}

namespace {

const Shape kCube = {2, 3, 4};

template <typename F>
Tensor mapped(Tensor tensor, F f) {
    for (float& value : tensor.mutableValues<float>()) value = f(value);
    return tensor;
}

OpCase unary(const std::string& op, Tensor x, int64_t opset = 9) {
    return {"y = " + op + "(x)", {{"x", std::move(x)}}, opset};
}

void addUnary(ReferenceRows& rows) {
    for (const char* op : {"Erf", "Sin", "Cos", "Neg", "Tanh", "Sigmoid", "Atan",
                           "com.microsoft.Gelu", "com.microsoft.FastGelu"}) {
        rows.push_back({op, unary(op, normalTensor(kCube))});
    }
    const auto magnitude = [](float added) {
        return mapped(normalTensor(kCube), [=](float x) { return std::abs(x) + added; });
    };
    rows.push_back({"Sqrt", unary("Sqrt", magnitude(1))});
    rows.push_back({"Log", unary("Log", magnitude(0.1F))});
    rows.push_back({"Exp", unary("Exp", randomTensor(kCube))});
    rows.push_back({"Abs", unary("Abs", awayFromZero(kCube))});
    rows.push_back({"Relu", unary("Relu", awayFromZero(kCube))});
    rows.push_back({"LeakyRelu", unary("LeakyRelu", awayFromZero(kCube), 16)});
    rows.push_back({"Reciprocal", unary("Reciprocal", awayFromZero(kCube), 12)});
    rows.push_back({"Cast", unary("Cast<to = 1>", normalTensor(kCube))});
    for (const char* alpha : {"", "<alpha = 1.0>", "<alpha = -1.702>"}) {
        const std::string op = "com.microsoft.QuickGelu" + std::string(alpha);
        rows.push_back({op, unary(op, normalTensor(kCube))});
    }
}

void addPowAndClip(ReferenceRows& rows) {
    const Tensor base =
        mapped(normalTensor(kCube), [](float x) { return std::clamp(x, -2.0F, 2.0F); });
    for (const float exponent : {2.0F, 3.0F}) {
        rows.push_back({"Pow " + std::to_string(static_cast<int>(exponent)),
                        {"y = Pow(x, p)",
                         {{"x", base}, {"p", Tensor::of<float>({1}, {exponent})}},
                         9,
                         {"p"}}});
    }
    Tensor x(DType::Float32, {2, 2, 2});
    for (size_t i = 0; i < 8; ++i) x.mutableValues<float>()[i] = static_cast<float>(i) + 1;
    const Feed low = Tensor::scalar(2.8F), high = Tensor::scalar(7.2F),
               other = Tensor::scalar(3.8F);
    rows.push_back(
        {"Clip", {"y = Clip(x, l, h)", {{"x", x}, {"l", low}, {"h", high}}, 12, {"l", "h"}}});
    rows.push_back({"Clip, below", {"y = Clip(x, l)", {{"x", x}, {"l", other}}, 12, {"l"}}});
    rows.push_back({"Clip, above", {"y = Clip(x, \"\", h)", {{"x", x}, {"h", high}}, 12, {"h"}}});
    rows.push_back({"Clip, no bounds", {"y = Clip(x)", {{"x", x}}, 12}});
}

void addBiasAndWhere(ReferenceRows& rows) {
    for (const char* op : {"com.microsoft.BiasGelu", "com.microsoft.FastGelu"}) {
        rows.push_back({std::string(op) + " with bias",
                        {"y = " + std::string(op) + "(x, b)",
                         {{"x", normalTensor(kCube)}, {"b", normalTensor({4}, 2)}},
                         9}});
    }
    Tensor condition(DType::Bool, {4, 3, 2});
    const Tensor drawn = normalTensor({4, 3, 2}, 3);
    for (size_t i = 0; i < 24; ++i) {
        const float x = std::abs(drawn.values<float>()[i]);
        condition.mutableValues<bool>()[i] = x - std::floor(x) > 0.5F;
    }
    rows.push_back(
        {"Where",
         {"y = Where(c, a, b)",
          {{"c", condition}, {"a", normalTensor({4, 3, 2})}, {"b", normalTensor({4, 3, 2}, 2)}},
          9}});
}

/// Two decimals, and a different offset for each input: no ties.
void addMinMax(ReferenceRows& rows) {
    const std::vector<std::vector<Shape>> lists = {{{2, 3}},
                                                   {{2, 3}, {2, 3}},
                                                   {{2, 3}, {3}},
                                                   {{2, 3}, {2, 3}, {2, 3}},
                                                   {{2, 3}, {3}, {2, 1}, {2, 3}}};
    for (const char* op : {"Min", "Max"}) {
        for (const auto& shapes : lists) {
            OpCase opCase{{}, {}, 11};
            std::string inputs;
            for (size_t i = 0; i < shapes.size(); ++i) {
                const std::string name(1, static_cast<char>('a' + i));
                inputs += (i > 0 ? ", " : "") + name;
                const float offset = 0.002F * static_cast<float>(i);
                opCase.feeds.emplace(name, mapped(normalTensor(shapes[i], i + 1), [=](float x) {
                                         return std::trunc(x * 100) / 100 + offset;
                                     }));
            }
            opCase.nodes = call(op, "", inputs);
            rows.push_back({std::string(op) + " of " + std::to_string(shapes.size()) + ", " +
                                formatShape(shapes.back()),
                            opCase});
        }
    }
}

void addBroadcasting(ReferenceRows& rows) {
    const std::vector<std::pair<Shape, Shape>> pairs = {
        {{2, 3, 2, 3}, {2, 3, 2, 3}}, {{2, 3, 2, 3}, {}},           {{}, {2, 3, 2, 3}},
        {{2, 3, 2, 3}, {3}},          {{2, 3}, {2, 3, 2, 3}},       {{1, 2, 3}, {2, 3, 1, 1}},
        {{3, 2, 3}, {2, 1, 1, 1}},    {{2, 1, 1, 3}, {1, 3, 2, 1}}, {{3, 2, 1, 3}, {3, 2, 1, 1}},
        {{3, 2, 3, 3}, {3, 1, 1, 3}}};
    for (const char* op : {"Add", "Sub", "Mul", "Div"}) {
        for (const int64_t opset : {11, 13}) {
            for (const auto& [a, b] : pairs) {
                // Div reads b as divisor; the shapes that broadcast b the other way need it too.
                const bool isDiv = std::string_view(op) == "Div";
                rows.push_back({std::string(op) + " " + std::to_string(opset) + ", " +
                                    formatShape(a) + " " + formatShape(b),
                                {call(op, "", "a, b"),
                                 {{"a", isDiv ? awayFromZero(a) : normalTensor(a)},
                                  {"b", isDiv ? awayFromZero(b, 2) : normalTensor(b, 2)}},
                                 opset}});
            }
        }
    }
}

}  // namespace

ReferenceRows elementwiseRows() {
    ReferenceRows rows;
    addUnary(rows);
    addPowAndClip(rows);
    addBiasAndWhere(rows);
    addMinMax(rows);
    addBroadcasting(rows);
    return rows;
}

}  // namespace temper::test
