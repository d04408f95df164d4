// SPDX-License-Identifier: Apache-2.0
#include "engine/data/label_classes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "engine/core/dtype.h"
#include "engine/core/tensor.h"
#include "engine/data/csv_table.h"

namespace temper {
namespace {

constexpr int64_t kMaxClasses = 1000;
/// Whole numbers up to this are exact as a double.
constexpr double kLargestLabel = 1e15;
/// Labels, unlike measurements, are often repeated.
constexpr double kFewClasses = 20;
constexpr double kRowsOfConsecutive = 2;
constexpr double kRowsOfFew = 5;
constexpr int64_t kLabelsAtATime = 1 << 16;

bool areLabels(const RowsOfNumbers& numbers) {
    return numbers.size() >= 2 && std::ssize(numbers) <= kMaxClasses &&
           std::ranges::all_of(numbers, [](const auto& each) {
               const double number = each.first;
               return number == std::floor(number) && std::abs(number) < kLargestLabel;
           });
}

/// Whether whole numbers look like labels: each is repeated, and they are consecutive or few.
bool seemLabels(const RowsOfNumbers& numbers, size_t rows) {
    const auto count = static_cast<double>(numbers.size());
    const bool areConsecutive = numbers.rbegin()->first - numbers.begin()->first + 1 == count;
    const auto each = static_cast<double>(rows) / count;
    return areConsecutive ? each >= kRowsOfConsecutive : count <= kFewClasses && each >= kRowsOfFew;
}

/// Calls f(label) for each label, up to the first for which it returns false.
template <typename F>
void forEachLabel(const Rows& labels, F&& f) {
    for (int64_t begin = 0; begin < labels.size(); begin += kLabelsAtATime) {
        const Tensor some = labels.range(begin, std::min(begin + kLabelsAtATime, labels.size()));
        const bool isWanted = visitDType(some.dtype(), [&]<typename T>() {
            return std::ranges::all_of(some.values<T>(),
                                       [&](T label) { return f(static_cast<int64_t>(label)); });
        });
        if (!isWanted) return;
    }
}

/// The number of samples of each label, in ascending order; empty if there are too many labels for
/// classes.
std::map<int64_t, int64_t> countLabels(const Rows& labels) {
    std::map<int64_t, int64_t> counts;
    forEachLabel(labels, [&](int64_t label) {
        ++counts[label];
        return std::ssize(counts) <= kMaxClasses;
    });
    if (std::ssize(counts) > kMaxClasses) counts.clear();
    return counts;
}

/// Whether the labels number the model's classes in another way. A negative label usually means
/// "none", except for -1 and 1.
bool areOtherNumbers(const std::map<int64_t, int64_t>& counts, const TargetForm& model) {
    if (model.kind != TargetForm::Kind::Classes || std::ssize(counts) != model.classes)
        return false;
    const int64_t lowest = counts.begin()->first;
    const int64_t highest = counts.rbegin()->first;
    if (lowest >= 0 && highest < model.classes) return false;
    if (lowest < 0 && !(counts.size() == 2 && lowest == -1 && highest == 1)) return false;
    return std::ranges::all_of(counts, [](const auto& each) { return each.second >= 2; });
}

std::vector<int64_t> numbersOf(const Column& column) {
    std::vector<int64_t> numbers;
    for (const std::string& text : column.classes) {
        numbers.push_back(static_cast<int64_t>(parseNumber(text).value_or(-1)));
    }
    return numbers;
}

/// The column of that name, if it is categorical; else null.
const Column* classColumn(const Dataset* data, const std::string& name) {
    const std::optional<size_t> index = data == nullptr ? std::nullopt : data->findColumn(name);
    if (!index || data->columns()[*index].classes.empty()) return nullptr;
    return &data->columns()[*index];
}

/// Labels as their index among the known ones; other labels as the number of known ones.
class IndexedRows : public Rows {
public:
    IndexedRows(RowsPtr labels, std::vector<int64_t> known)
        : Rows(DType::Int64, labels->shape()),
          labels_(std::move(labels)),
          known_(std::move(known)) {}

    void read(std::span<const int64_t> rows, std::byte* target) const override {
        Tensor stored(labels_->dtype(), {std::ssize(rows)});
        labels_->read(rows, stored.mutableData());
        std::vector<int64_t> indices;
        indices.reserve(rows.size());
        visitDType(stored.dtype(), [&]<typename T>() {
            for (const T label : stored.values<T>()) {
                indices.push_back(std::ranges::find(known_, static_cast<int64_t>(label)) -
                                  known_.begin());
            }
        });
        std::memcpy(target, indices.data(), indices.size() * sizeof(int64_t));
    }

private:
    RowsPtr labels_;
    std::vector<int64_t> known_;
};

}  // namespace

bool areClassIndices(const RowsOfNumbers& numbers) {
    if (numbers.size() < 2 || std::ssize(numbers) > kMaxClasses) return false;
    double expected = 0;
    return std::ranges::all_of(numbers, [&](const auto& each) { return each.first == expected++; });
}

bool areClasses(const RowsOfNumbers& numbers, size_t rows, const TargetForm& model) {
    if (areClassIndices(numbers)) return true;
    if (model.kind == TargetForm::Kind::Numbers || !areLabels(numbers)) return false;
    return model.kind == TargetForm::Kind::Classes || seemLabels(numbers, rows);
}

bool isIndexOf(const TargetForm& model, double number) {
    return model.kind == TargetForm::Kind::Classes && number >= 0 &&
           number < static_cast<double>(model.classes);
}

bool areIndicesOf(const TargetForm& model, const RowsOfNumbers& numbers) {
    int64_t rows = 0;
    int64_t rowsOfIndices = 0;
    for (const auto& [number, count] : numbers) {
        rows += count;
        if (isIndexOf(model, number)) rowsOfIndices += count;
    }
    if (rowsOfIndices == rows) return true;
    const bool mayBeOthers = !numbers.contains(0) || std::ssize(numbers) == model.classes;
    return !mayBeOthers && 2 * rowsOfIndices > rows;
}

std::vector<std::string> namesOfIndices(int64_t count) {
    std::vector<std::string> classes;
    for (int64_t i = 0; i < count; ++i) classes.push_back(std::to_string(i));
    return classes;
}

RowsPtr asClassIndices(RowsPtr labels, Column& column, const TargetForm& model,
                       const Dataset* like) {
    if (!isInteger(labels->dtype()) || labels->size() == 0) return labels;
    if (labels->shape().empty() || numElements(labels->shape()) != labels->size()) return labels;
    const Column* known = classColumn(like, column.name);
    if (known != nullptr) {
        column.classes = known->classes;
        if (!column.hasRenumberedClasses()) return labels;
        return std::make_shared<IndexedRows>(std::move(labels), numbersOf(column));
    }
    const std::map<int64_t, int64_t> counts = countLabels(*labels);
    if (counts.empty()) return labels;
    if (areOtherNumbers(counts, model)) {
        for (const auto& [label, count] : counts) column.classes.push_back(std::to_string(label));
        return std::make_shared<IndexedRows>(std::move(labels), numbersOf(column));
    }
    const int64_t highest = counts.rbegin()->first;
    if (counts.begin()->first >= 0 && highest < kMaxClasses) {
        column.classes = namesOfIndices(highest + 1);
    }
    return labels;
}

}  // namespace temper
