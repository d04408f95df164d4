// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "engine/core/joined.h"
#include "engine/data/csv_table.h"
#include "engine/data/dataset.h"

namespace temper {
namespace {

constexpr size_t kMostNames = 20;  ///< in a message

/// Labels as the index that `places` has for them; others as the first index after them.
class RenumberedDataset : public DatasetView {
public:
    RenumberedDataset(std::shared_ptr<const Dataset> data, size_t column,
                      std::vector<std::string> classes, std::vector<int64_t> places)
        : DatasetView(std::move(data)),
          columns_(data_->columns()),
          column_(column),
          places_(std::move(places)),
          outside_(std::ssize(classes)) {
        columns_[column_].dtype = DType::Int64;
        columns_[column_].classes = std::move(classes);
    }

    const std::vector<Column>& columns() const override { return columns_; }
    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        if (column != column_) return data_->read(column, samples, target);
        const Tensor labels = data_->batch(column, samples).cast(DType::Int64);
        const std::span<int64_t> out(reinterpret_cast<int64_t*>(target),
                                     static_cast<size_t>(labels.numElements()));
        std::ranges::transform(labels.values<int64_t>(), out.begin(), [&](int64_t label) {
            return label >= 0 && label < std::ssize(places_) ? places_[static_cast<size_t>(label)]
                                                             : outside_;
        });
    }
    uint64_t fingerprint(int64_t sample) const override { return data_->fingerprint(sample); }

private:
    std::vector<Column> columns_;
    size_t column_;
    std::vector<int64_t> places_;
    int64_t outside_;
};

/// "1" and "1.0" are the same class.
bool isSameClass(const std::string& a, const std::string& b) {
    if (a == b) return true;
    const std::optional<double> number = parseNumber(a);
    return number && number == parseNumber(b);
}

Error unknownClass(const Column& column, const std::string& name,
                   const std::vector<std::string>& classes) {
    const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
    return {ErrorCode::InvalidInput,
            "Column '" + column.name + "' has the class '" + name +
                "', which the model was not trained with; its classes are " +
                joined(classes, quoted, kMostNames) + ".",
            "Leave out the samples of this class. If the classes are the same under other names, "
            "list these with classes=, in the order of the model's."};
}

}  // namespace

std::shared_ptr<const Dataset> numberedAs(std::shared_ptr<const Dataset> data, size_t column,
                                          const std::vector<std::string>& classes) {
    const Column& own = data->columns()[column];
    if (own.classes.empty() || own.classes == classes) return data;
    Column known;
    known.classes = classes;
    if (!own.hasNamedClasses() && !known.hasRenumberedClasses()) {
        const bool fits = own.classes.size() <= classes.size();
        return fits ? withClasses(std::move(data), column, classes) : data;
    }
    std::vector<int64_t> places;
    for (const std::string& name : own.classes) {
        const auto found = std::ranges::find_if(
            classes, [&](const std::string& other) { return isSameClass(name, other); });
        if (found == classes.end() && own.hasNamedClasses()) throw unknownClass(own, name, classes);
        places.push_back(found - classes.begin());
    }
    return std::make_shared<RenumberedDataset>(std::move(data), column, classes, std::move(places));
}

}  // namespace temper
