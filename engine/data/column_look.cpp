// SPDX-License-Identifier: Apache-2.0
#include "engine/data/column_look.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/data/data_health.h"

namespace temper {
namespace {

constexpr size_t kMaxNames = 5;
constexpr int64_t kRareShare = 20;  // a class is rare below 1/20 of the average class

/// "'a', 'b', ... (12 in all)"
std::string listed(const std::vector<std::string>& names) {
    std::string text = joined(names, std::identity(), kMaxNames);
    if (names.size() > kMaxNames) text += " (" + std::to_string(names.size()) + " in total)";
    return text;
}

class FiniteLook : public ColumnLook {
public:
    using ColumnLook::ColumnLook;

    void see(int64_t begin, const Tensor& piece) override {
        visitDType(piece.dtype(), [&]<typename T>() {
            const std::span<const T> values = piece.values<T>();
            for (size_t i = 0; i < values.size(); ++i) {
                if (std::isfinite(static_cast<double>(values[i]))) continue;
                if (count_++ > 0) continue;
                first_ = nameOfSample(data_, begin + static_cast<int64_t>(i / perSample_));
                if (perSample_ > 1) first_ += ", " + nameOfElement(column(), i % perSample_);
            }
        });
    }

    void report(std::vector<Finding>& findings) const override {
        if (count_ == 0) return;
        findings.push_back(dataFinding(
            "D101", Severity::Error,
            "Column '" + column().name + "' holds " +
                (count_ == 1
                     ? "a NaN or infinite value, in "
                     : std::to_string(count_) + " NaN or infinite values, the first one in ") +
                first_ + ".",
            "Training stops at the first one; invalid=drop skips these samples."));
    }

private:
    int64_t count_ = 0;
    std::string first_;
};

class ConstantLook : public ColumnLook {
public:
    using ColumnLook::ColumnLook;

    void see(int64_t, const Tensor& piece) override {
        changes_.resize(perSample_, false);
        visitDType(piece.dtype(), [&]<typename T>() {
            const std::span<const T> values = piece.values<T>();
            if (first_.empty())
                first_.assign(values.begin(),
                              values.begin() + static_cast<std::ptrdiff_t>(perSample_));
            for (size_t i = 0; i < values.size(); ++i) {
                if (static_cast<double>(values[i]) != first_[i % perSample_]) {
                    changes_[i % perSample_] = true;
                }
            }
        });
    }

    void report(std::vector<Finding>& findings) const override {
        std::vector<std::string> constant;
        for (size_t i = 0; i < perSample_; ++i) {
            if (!changes_[i]) constant.push_back(nameOfElement(column(), i));
        }
        if (constant.empty()) return;
        findings.push_back(
            dataFinding("D102", Severity::Info,
                        "In column '" + column().name +
                            "' these values never change: " + listed(constant) + ".",
                        "They carry no information for a model; you can omit them."));
    }

private:
    std::vector<double> first_;
    std::vector<bool> changes_;
};

class LabelRangeLook : public ColumnLook {
public:
    using ColumnLook::ColumnLook;

    void see(int64_t begin, const Tensor& piece) override {
        const auto classes = std::ssize(column().classes);
        visitDType(piece.dtype(), [&]<typename T>() {
            const std::span<const T> values = piece.values<T>();
            for (size_t i = 0; i < values.size(); ++i) {
                const auto label = static_cast<int64_t>(values[i]);
                if ((label >= 0 && label < classes) || count_++ > 0) continue;
                const int64_t sample = begin + static_cast<int64_t>(i / perSample_);
                example_ = std::to_string(label) + " in " + nameOfSample(data_, sample);
            }
        });
    }

    void report(std::vector<Finding>& findings) const override {
        if (count_ == 0) return;
        const bool isOne = count_ == 1;
        findings.push_back(dataFinding(
            "D104", Severity::Error,
            (isOne ? "A label of column '" : counted(count_, "label") + " of column '") +
                column().name + "', " + (isOne ? "" : "e.g. ") + example_ +
                (isOne ? ", is not one of its " : ", are not among its ") +
                counted(std::ssize(column().classes), "class", "classes") + ".",
            "Check the labels, or the names given with classes=; invalid=drop skips these "
            "samples."));
    }

private:
    int64_t count_ = 0;
    std::string example_;
};

class RareClassesLook : public ColumnLook {
public:
    using ColumnLook::ColumnLook;

    void see(int64_t, const Tensor& piece) override {
        counts_.resize(column().classes.size(), 0);
        addClassCounts(piece, counts_);
        samples_ += piece.shape().front();
    }

    void report(std::vector<Finding>& findings) const override {
        std::vector<std::string> rare;
        for (size_t i = 0; i < counts_.size(); ++i) {
            const bool isCommon = counts_[i] * kRareShare * std::ssize(counts_) >= samples_;
            if (isCommon && counts_[i] > 0) continue;
            rare.push_back("'" + column().classes[i] + "': " + std::to_string(counts_[i]));
        }
        if (rare.empty()) return;
        findings.push_back(dataFinding("D103", Severity::Warning,
                                       "Some classes have few samples in column '" + column().name +
                                           "': " + listed(rare) + ".",
                                       "A model learns rare classes poorly, and few samples tell "
                                       "little about how well; add samples of them."));
    }

private:
    std::vector<int64_t> counts_;
    int64_t samples_ = 0;
};

}  // namespace

ColumnLook::ColumnLook(const Dataset& data, size_t column)
    : data_(data),
      index_(column),
      perSample_(static_cast<size_t>(data.columns()[column].elementsPerSample())) {}

std::string nameOfElement(const Column& column, size_t element) {
    if (element < column.elements.size()) return "'" + column.elements[element] + "'";
    Shape index = column.shape;
    auto rest = static_cast<int64_t>(element);
    for (size_t i = index.size(); i-- > 0;) {
        index[i] = rest % column.shape[i];
        rest /= column.shape[i];
    }
    return "element " + (index.size() == 1 ? std::to_string(index[0]) : formatShape(index));
}

std::unique_ptr<ColumnLook> lookForFinite(const Dataset& data, size_t column) {
    return std::make_unique<FiniteLook>(data, column);
}

std::unique_ptr<ColumnLook> lookForConstant(const Dataset& data, size_t column) {
    return std::make_unique<ConstantLook>(data, column);
}

std::unique_ptr<ColumnLook> lookForLabelRange(const Dataset& data, size_t column) {
    return std::make_unique<LabelRangeLook>(data, column);
}

std::unique_ptr<ColumnLook> lookForRareClasses(const Dataset& data, size_t column) {
    return std::make_unique<RareClassesLook>(data, column);
}

void addClassCounts(const Tensor& labels, std::vector<int64_t>& counts) {
    visitDType(labels.dtype(), [&]<typename T>() {
        for (const T value : labels.values<T>()) {
            const auto label = static_cast<int64_t>(value);
            if (label >= 0 && label < std::ssize(counts)) ++counts[static_cast<size_t>(label)];
        }
    });
}

}  // namespace temper
