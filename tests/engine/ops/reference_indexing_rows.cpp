// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/ops/reference_rows.h"

namespace temper::test {
namespace {

Tensor indices(const Shape& shape, const std::vector<int64_t>& numbers) {
    return Tensor::of<int64_t>(shape, std::span<const int64_t>(numbers));
}

void addGather(ReferenceRows& rows, const std::string& op, const std::string& attributes,
               int64_t opset, const Shape& shape, const Tensor& index) {
    rows.push_back(
        {op + " " + formatShape(shape) + " by " + formatShape(index.shape()) + " " + attributes +
             ", row " + std::to_string(rows.size()),
         {call(op, attributes, "x, i"), {{"x", normalTensor(shape)}, {"i", index}}, opset, {"i"}}});
}

void addGathers(ReferenceRows& rows) {
    const Shape data = {4, 2, 3, 2};
    addGather(rows, "Gather", "axis = 0", 9, data, indices({2}, {1, 3}));
    addGather(rows, "Gather", "axis = 0", 9, data, indices({8}, {1, 0, 1, 3, 3, 3, 2, 1}));
    addGather(rows, "Gather", "axis = 1", 9, data, indices({3}, {1, 0, 1}));
    addGather(rows, "Gather", "axis = 0", 9, data, indices({2, 3}, {0, 1, 2, 1, 3, 0}));
    addGather(rows, "Gather", "axis = 0", 9, {4, 2}, indices({3}, {-1, 0, -2}));
    const Tensor twoRows = indices({2, 3}, {1, 2, 0, 2, 0, 0});
    addGather(rows, "GatherElements", "axis = 0", 11, {3, 3}, twoRows);
    addGather(rows, "GatherElements", "axis = 0", 11, {3, 3}, indices({2, 3}, {1, 1, 1, 2, 2, 2}));
    addGather(rows, "GatherElements", "axis = 1", 11, {3, 3},
              indices({2, 3}, std::vector<int64_t>(6, 1)));
    addGather(rows, "GatherElements", "axis = 1", 11, {2, 2, 2},
              indices({2, 1, 2}, std::vector<int64_t>(4, 1)));
    addGather(rows, "GatherElements", "axis = 1", 11, {2, 2},
              indices({2, 4}, std::vector<int64_t>(8, 1)));
    addGather(rows, "GatherND", "batch_dims = 0", 12, {2, 2}, indices({2, 2}, {1, 1, 1, 1}));
    addGather(rows, "GatherND", "batch_dims = 0", 12, {2, 2}, indices({2, 2}, {0, 1, 1, 0}));
    addGather(rows, "GatherND", "batch_dims = 1", 12, {2, 2, 3}, indices({2, 1}, {1, 0}));
    addGather(rows, "GatherND", "batch_dims = 2", 12, {2, 2, 3}, indices({2, 2, 1}, {1, 0, 2, 1}));
}

Tensor increasing(const Shape& shape) {
    Tensor tensor(DType::Float32, shape);
    float next = 0;
    for (float& value : tensor.mutableValues<float>()) value = next += 0.5F;
    return tensor;
}

void addTopK(ReferenceRows& rows) {
    const auto add = [&](const char* attributes, const Shape& shape, int64_t k) {
        rows.push_back({"TopK " + formatShape(shape) + " " + attributes,
                        {"y, i = TopK" + std::string(attributes) + "(x, k)",
                         {{"x", increasing(shape)}, {"k", indices({1}, {k})}},
                         11,
                         {"k"}}});
    };
    add("", {2, 2, 2}, 1);
    add("<axis = -2>", {2, 2, 2}, 1);
    add("", {3, 3}, 2);
}

struct ScatterCase {
    Shape data;
    Shape indices;
    Shape updates;
    std::vector<int64_t> numbers;
};

void addScatters(ReferenceRows& rows) {
    const std::vector<ScatterCase> cases = {{{8}, {4, 1}, {4}, {4, 3, 1, 7}},
                                            {{2, 2}, {2, 2}, {2}, {0, 0, 1, 1}},
                                            {{2, 2}, {2, 1}, {2, 2}, {1, 0}},
                                            {{2, 2, 2}, {2, 2}, {2, 2}, {0, 1, 1, 0}},
                                            {{2, 2, 2}, {2, 1, 2}, {2, 1, 2}, {0, 1, 1, 0}},
                                            {{2, 2, 2}, {2, 1}, {2, 2, 2}, {1, 0}}};
    for (const ScatterCase& scatter : cases) {
        rows.push_back(
            {"ScatterND " + formatShape(scatter.data) + " by " + formatShape(scatter.indices),
             {"y = ScatterND(x, i, u)",
              {{"x", normalTensor(scatter.data)},
               {"i", indices(scatter.indices, scatter.numbers)},
               {"u", normalTensor(scatter.updates, 2)}},
              18,
              {"i"}}});
    }
    const auto elements = [&](const char* attributes, const Shape& data, const Tensor& index) {
        rows.push_back(
            {"ScatterElements " + formatShape(data) + " " + attributes,
             {call("ScatterElements", attributes, "x, i, u"),
              {{"x", normalTensor(data)}, {"i", index}, {"u", normalTensor(index.shape(), 2)}},
              18,
              {"i"}}});
    };
    elements("", {3, 3}, indices({2, 3}, {1, 0, 2, 0, 2, 1}));
    elements("axis = 1", {1, 5}, indices({1, 2}, {1, 3}));
    elements("axis = -1", {1, 5}, indices({1, 2}, {1, 3}));
}

void addOthers(ReferenceRows& rows) {
    rows.push_back({"PadAndUnflatten",
                    {"y = com.microsoft.PadAndUnflatten(x, i, d)",
                     {{"x", normalTensor({4, 3})},
                      {"i", indices({4}, {3, 5, 0, 1})},
                      {"d", indices({2}, {5, 2})}},
                     12,
                     {"i", "d"}}});
    rows.push_back({"ScaledSum of 2",
                    {"y = com.microsoft.ScaledSum<scale_0 = 0.5, scale_1 = 0.3>(a, b)",
                     {{"a", normalTensor({4, 3})}, {"b", normalTensor({4, 3}, 2)}},
                     12}});
    rows.push_back(
        {"ScaledSum of 3",
         {"y = com.microsoft.ScaledSum<scale_0 = 0.2, scale_1 = 0.3, scale_2 = 0.5>(a, b, c)",
          {{"a", normalTensor({4, 3})},
           {"b", normalTensor({4, 3}, 2)},
           {"c", normalTensor({4, 3}, 3)}},
          12}});
}

}  // namespace

ReferenceRows indexingRows() {
    ReferenceRows rows;
    addGathers(rows);
    addTopK(rows);
    addScatters(rows);
    addOthers(rows);
    return rows;
}

}  // namespace temper::test
