// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/tensor_relation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "engine/provenance/replacing.h"

namespace temper {
namespace {

using Axes = std::vector<int64_t>;

constexpr int64_t kMaxRank = 5;

bool isEqual(const std::byte* a, const std::byte* b, size_t bytes) {
    return std::memcmp(a, b, bytes) == 0;
}

Shape permuted(const Shape& shape, const Axes& axes) {
    Shape result;
    for (const int64_t axis : axes) result.push_back(shape[static_cast<size_t>(axis)]);
    return result;
}

/// Calls visit(index in row-major order, index in a tensor of shape `from`) for each element of
/// that tensor with its axes reordered, until it returns false. Returns: whether it never did.
template <typename Visit>
bool visitPermuted(const Shape& from, const Axes& axes, const Visit& visit) {
    const Shape to = permuted(from, axes), strides = permuted(stridesOf(from), axes);
    Shape at(to.size(), 0);
    int64_t source = 0;
    const int64_t count = numElements(to);
    for (int64_t i = 0; i < count; ++i) {
        if (!visit(i, source)) return false;
        for (size_t axis = to.size(); axis-- > 0;) {
            source += strides[axis];
            if (++at[axis] < to[axis]) break;
            source -= strides[axis] * to[axis];
            at[axis] = 0;
        }
    }
    return true;
}

bool isPermuted(const Tensor& base, const Tensor& copy, const Axes& axes) {
    const size_t size = dtypeSize(base.dtype());
    return visitPermuted(base.shape(), axes, [&](int64_t i, int64_t source) {
        return isEqual(copy.data() + static_cast<size_t>(i) * size,
                       base.data() + static_cast<size_t>(source) * size, size);
    });
}

/// Whether each of `before` parts of a tensor consists of `count` equal ones.
bool isRepeated(const Tensor& tensor, size_t before, size_t count, size_t bytes) {
    for (size_t i = 0; i < before; ++i) {
        const std::byte* first = tensor.data() + i * count * bytes;
        for (size_t k = 1; k < count; ++k) {
            if (!isEqual(first, first + k * bytes, bytes)) return false;
        }
    }
    return true;
}

Tensor firstAlong(const Tensor& tensor, size_t axis) {
    Shape shape = tensor.shape();
    const auto count = static_cast<size_t>(shape[axis]);
    shape[axis] = 1;
    Tensor result(tensor.dtype(), shape);
    size_t before = 1;
    for (size_t i = 0; i < axis; ++i) before *= static_cast<size_t>(shape[i]);
    const size_t bytes = before == 0 ? 0 : result.byteSize() / before;
    for (size_t i = 0; i < before; ++i) {
        std::memcpy(result.mutableData() + i * bytes, tensor.data() + i * count * bytes, bytes);
    }
    return result;
}

/// Maps two positions of a window to a row of its table. In windows with a class token, that is the
/// first position, and the last three rows are its. Source: Swin Transformer and BEiT,
/// `relative_position_index`.
struct Window {
    int64_t side = 0;
    bool hasToken = false;

    /// Nothing if the number of positions is neither a square nor a square plus a token.
    static std::optional<Window> of(int64_t places) {
        for (const bool hasToken : {false, true}) {
            const auto area = static_cast<double>(places - (hasToken ? 1 : 0));
            const auto side = static_cast<int64_t>(std::lround(std::sqrt(area)));
            if (side > 1 && side * side == places - (hasToken ? 1 : 0))
                return Window{side, hasToken};
        }
        return std::nullopt;
    }

    int64_t rows() const { return (2 * side - 1) * (2 * side - 1) + (hasToken ? 3 : 0); }

    int64_t row(int64_t from, int64_t to) const {
        if (hasToken && from == 0 && to == 0) return rows() - 1;
        if (hasToken && from == 0) return rows() - 3;
        if (hasToken && to == 0) return rows() - 2;
        const int64_t a = hasToken ? from - 1 : from, b = hasToken ? to - 1 : to;
        const int64_t down = a / side - b / side + side - 1;
        const int64_t right = a % side - b % side + side - 1;
        return down * (2 * side - 1) + right;
    }
};

}  // namespace

std::optional<TensorRelation> relationOf(const Tensor& base, const Tensor& copy) {
    if (base.dtype() != copy.dtype() || base.numElements() != copy.numElements()) return {};
    if (isEqual(base.data(), copy.data(), base.byteSize())) return TensorRelation{{}, copy.shape()};
    if (base.rank() > kMaxRank) return {};
    Axes axes(base.shape().size());
    std::iota(axes.begin(), axes.end(), 0);
    while (std::next_permutation(axes.begin(), axes.end())) {
        if (isPermuted(base, copy, axes)) return TensorRelation{axes, copy.shape()};
    }
    return {};
}

std::string relationKey(const Tensor& tensor) {
    const size_t size = dtypeSize(tensor.dtype());
    const auto* first = reinterpret_cast<const char*>(tensor.data());
    return std::to_string(static_cast<int>(tensor.dtype())) + ':' +
           std::to_string(tensor.numElements()) + ':' + std::string(first, size) +
           std::string(first + tensor.byteSize() - size, size);
}

std::optional<Repetition> findExpansion(const Tensor& tensor) {
    if (tensor.numElements() == 0) return {};
    Tensor base = tensor;
    for (size_t axis = 0; axis + 1 < tensor.shape().size(); ++axis) {
        const auto count = static_cast<size_t>(base.shape()[axis]);
        size_t before = 1;
        for (size_t i = 0; i < axis; ++i) before *= static_cast<size_t>(base.shape()[i]);
        if (count < 2) continue;
        if (!isRepeated(base, before, count, base.byteSize() / (before * count))) break;
        base = firstAlong(base, axis);
    }
    if (base.shape() == tensor.shape()) return {};
    return Repetition{std::move(base)};
}

std::optional<Repetition> findRelativePositions(const Tensor& tensor) {
    if (tensor.rank() < 2 || tensor.dtype() != DType::Float32) return {};
    const int64_t places = tensor.shape().back();
    const auto window = Window::of(places);
    if (!window || tensor.shape()[tensor.shape().size() - 2] != places) return {};
    const int64_t heads = tensor.numElements() / (places * places);
    const int64_t rows = window->rows();
    Repetition result{Tensor(DType::Float32, {rows, heads}), {}, true};
    std::vector<bool> isKnown(static_cast<size_t>(rows * heads), false);
    const auto numbers = tensor.values<float>();
    const auto table = result.base.mutableValues<float>();
    for (int64_t i = 0; i < places * places; ++i) {
        const int64_t row = window->row(i / places, i % places);
        result.places.push_back(row);
        for (int64_t head = 0; head < heads; ++head) {
            const auto at = static_cast<size_t>(row * heads + head);
            const float number = numbers[static_cast<size_t>(head * places * places + i)];
            if (isKnown[at] && table[at] != number) return {};
            isKnown[at] = true;
            table[at] = number;
        }
    }
    return result;
}

std::optional<Repetition> findRepeatedColumns(const Tensor& tensor) {
    if (tensor.rank() < 2 || tensor.numElements() == 0) return {};
    const size_t size = dtypeSize(tensor.dtype());
    Shape shape(tensor.shape().begin(), tensor.shape().end() - 2);
    const auto before = static_cast<size_t>(numElements(shape));
    const size_t columns = static_cast<size_t>(tensor.numElements()) / before;
    const auto columnAt = [&](size_t column) {
        std::string bytes;
        for (size_t i = 0; i < before; ++i) {
            const std::byte* at = tensor.data() + (i * columns + column) * size;
            bytes.append(reinterpret_cast<const char*>(at), size);
        }
        return bytes;
    };
    Repetition result;
    std::map<std::string, int64_t> known;
    std::vector<size_t> firsts;
    for (size_t column = 0; column < columns; ++column) {
        const auto [found, isNew] =
            known.emplace(columnAt(column), static_cast<int64_t>(firsts.size()));
        if (isNew) firsts.push_back(column);
        result.places.push_back(found->second);
    }
    if (firsts.size() < 2 || firsts.size() == columns) return {};
    shape.push_back(static_cast<int64_t>(firsts.size()));
    result.base = Tensor(tensor.dtype(), shape);
    std::byte* to = result.base.mutableData();
    for (size_t i = 0; i < before; ++i) {
        for (const size_t first : firsts) {
            std::memcpy(to, tensor.data() + (i * columns + first) * size, size);
            to += size;
        }
    }
    return result;
}

void replaceByRelation(Graph& graph, Value* copy, Value* base, const TensorRelation& relation) {
    Replacing replacing(graph, copy);
    Value* made = base;
    Shape shape = base->constant().shape();
    if (!relation.axes.empty()) {
        shape = permuted(shape, relation.axes);
        made = replacing.add("Transpose", {made}, {{"perm", relation.axes}});
    }
    if (shape != relation.shape) made = replacing.reshape(made, relation.shape);
    if (made == base) made = replacing.add("Identity", {base});
    replacing.finish(made);
}

void replaceByRepetition(Graph& graph, Value* copy, const Repetition& repetition,
                         const std::string& nameOfBase) {
    if (nameOfBase == copy->name()) {
        graph.renameValue(copy, graph.uniqueName(nameOfBase + "_by_place"));
    }
    Replacing replacing(graph, copy);
    const Shape shape = copy->constant().shape();
    const auto rank = static_cast<int64_t>(shape.size());
    Value* base = graph.addInitializer(graph.uniqueName(nameOfBase), repetition.base.clone());
    base->setMetadata(copy->metadata());
    if (repetition.places.empty()) {
        Value* target = addWholeNumbers(graph, copy->name() + "_shape", shape, {rank});
        return replacing.finish(replacing.add("Expand", {base, target}));
    }
    Value* places = addWholeNumbers(graph, copy->name() + "_index", repetition.places,
                                    {shape[shape.size() - 2], shape.back()});
    const int64_t axis = repetition.isFirst ? 0 : rank - 2;
    Value* made = replacing.add("Gather", {base, places}, {{"axis", axis}});
    if (!repetition.isFirst) return replacing.finish(made);
    made = replacing.add("Transpose", {made}, {{"perm", Axes{2, 0, 1}}});
    replacing.finish(replacing.reshape(made, shape));
}

}  // namespace temper
