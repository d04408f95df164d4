// SPDX-License-Identifier: Apache-2.0
#include "engine/data/csv_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "engine/core/counted.h"
#include "engine/core/joined.h"
#include "engine/data/data_file.h"
#include "engine/data/label_classes.h"

namespace temper {
namespace {

constexpr std::array<std::string_view, 5> kUsualTargets = {"label", "target", "class", "species",
                                                           "y"};
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// The names for a message; if there are many, only the first ones.
std::string listed(const std::vector<std::string>& names) {
    constexpr size_t kMax = 20;
    std::string text = joinedQuoted(std::span(names).first(std::min(names.size(), kMax)));
    if (names.size() > kMax) text += " and " + std::to_string(names.size() - kMax) + " more";
    return text;
}

size_t columnOf(const CsvTable& table, const std::string& name) {
    if (const std::optional<size_t> column = table.findColumn(name)) return *column;
    throw badFile(table.name(), "has no column '" + name + "'",
                  "Its columns are " + listed(table.columns()) + ".");
}

std::vector<std::string> allBut(const std::vector<std::string>& names,
                                const std::vector<std::string>& others) {
    std::vector<std::string> result;
    std::copy_if(names.begin(), names.end(), std::back_inserter(result), [&](auto& name) {
        return std::find(others.begin(), others.end(), name) == others.end();
    });
    return result;
}

std::vector<std::string> guessTargets(const CsvTable& table,
                                      const std::vector<std::string>& ignored) {
    for (const std::string_view usual : kUsualTargets) {
        if (table.findColumn(usual)) return {std::string(usual)};
    }
    const std::vector<std::string> candidates = allBut(table.columns(), ignored);
    if (!candidates.empty()) return {candidates.back()};
    throw badFile(table.name(), "has no columns besides " + listed(ignored),
                  "Add a column to predict, e.g. one called label.");
}

/// Whether most fields that have a value are not numbers.
bool isCategorical(const CsvTable& table, size_t column) {
    size_t texts = 0;
    size_t numbers = 0;
    for (size_t row = 0; row < table.rows(); ++row) {
        const std::string_view field = table.field(row, column);
        if (isMissing(field)) continue;
        ++(parseNumber(field) ? numbers : texts);
    }
    return texts > numbers;
}

std::vector<std::string> distinctTexts(const CsvTable& table, size_t column) {
    std::set<std::string, std::less<>> texts;
    for (size_t row = 0; row < table.rows(); ++row) {
        const std::string_view field = table.field(row, column);
        if (!isMissing(field) && !texts.contains(field)) texts.emplace(field);
    }
    return {texts.begin(), texts.end()};
}

/// Fields that are not numbers do not count.
RowsOfNumbers rowsOfNumbers(const CsvTable& table, size_t column) {
    RowsOfNumbers numbers;
    for (size_t row = 0; row < table.rows(); ++row) {
        if (isMissing(table.field(row, column))) continue;
        if (const auto number = parseNumber(table.field(row, column))) ++numbers[*number];
    }
    return numbers;
}

/// The classes of the model by their indices, followed by the texts that are none of them.
std::vector<std::string> withIndicesFirst(const std::vector<std::string>& texts,
                                          const TargetForm& model) {
    std::vector<std::string> classes = namesOfIndices(model.classes);
    std::ranges::copy_if(texts, std::back_inserter(classes), [&](const std::string& text) {
        return !isIndexOf(model, parseNumber(text).value_or(-1));
    });
    return classes;
}

/// The texts of a target's classes; empty if it is a number.
std::vector<std::string> targetClasses(const CsvTable& table, size_t column,
                                       const CsvOptions& options) {
    if (options.task == CsvTask::Regression) return {};
    if (isCategorical(table, column)) return distinctTexts(table, column);
    const bool isGuess = options.task == CsvTask::Guess;
    const RowsOfNumbers numbers = rowsOfNumbers(table, column);
    if (isGuess && !areClasses(numbers, table.rows(), options.model)) return {};
    std::vector<std::string> classes = distinctTexts(table, column);
    std::sort(classes.begin(), classes.end(), [](const std::string& a, const std::string& b) {
        return parseNumber(a).value_or(0) < parseNumber(b).value_or(0);
    });
    const auto isSame = [](const std::string& a, const std::string& b) {
        return parseNumber(a) == parseNumber(b);  // "1" and "1.0"
    };
    classes.erase(std::unique(classes.begin(), classes.end(), isSame), classes.end());
    if (isGuess && !areClassIndices(numbers) && areIndicesOf(options.model, numbers))
        return withIndicesFirst(classes, options.model);
    return classes;
}

CsvEncoding encodingOf(const CsvTable& table, const CsvOptions& options) {
    CsvEncoding encoding;
    encoding.targets =
        options.targets.empty() ? guessTargets(table, options.ignored) : options.targets;
    if (options.keepsFeatures) {
        encoding.features = options.features.empty()
                                ? allBut(allBut(table.columns(), encoding.targets), options.ignored)
                                : options.features;
    }
    if (options.keepsFeatures && encoding.features.empty()) {
        throw badFile(table.name(), "has no columns besides the target " + listed(encoding.targets),
                      "Specify them with features= and target=, and check sep=.");
    }
    for (const std::string& name : encoding.features) {
        const size_t column = columnOf(table, name);
        if (isCategorical(table, column)) encoding.categories[name] = distinctTexts(table, column);
    }
    if (encoding.targets.size() == 1) {
        const std::string& name = encoding.targets[0];
        std::vector<std::string> classes = targetClasses(table, columnOf(table, name), options);
        encoding.targetIsClass = !classes.empty();
        if (encoding.targetIsClass) encoding.categories[name] = std::move(classes);
    }
    return encoding;
}

/// One table column as numbers.
class FieldReader {
public:
    FieldReader(const CsvTable& table, const std::string& name, const CsvEncoding& encoding)
        : table_(table), column_(columnOf(table, name)) {
        const auto found = encoding.categories.find(name);
        if (found != encoding.categories.end()) categories_ = &found->second;
        isClass_ =
            categories_ != nullptr && encoding.targetIsClass && name == encoding.targets.front();
    }

    bool isMissingAt(size_t row) const { return isMissing(table_.field(row, column_)); }
    std::string place(size_t row) const { return table_.place(row, column_); }

    double number(size_t row) const {
        const std::string_view field = table_.field(row, column_);
        if (isMissing(field)) return kNoValue;
        if (categories_ != nullptr) return category(row, field);
        if (const std::optional<double> value = parseNumber(field)) return *value;
        throw bad(row, "is '" + std::string(field.substr(0, 40)) + "'; expected a number", "");
    }

private:
    double category(size_t row, std::string_view field) const {
        const auto found =
            std::find_if(categories_->begin(), categories_->end(), [&](const std::string& text) {
                return text == field || (isClass_ && sameNumber(text, field));
            });
        if (found != categories_->end()) return static_cast<double>(found - categories_->begin());
        throw bad(row,
                  "is '" + std::string(field.substr(0, 40)) + "', which is not one of the " +
                      counted(categories_->size(), "known text"),
                  "Known from the training data: " + listed(*categories_) + ".");
    }

    static bool sameNumber(std::string_view a, std::string_view b) {
        const std::optional<double> number = parseNumber(a);
        return number && number == parseNumber(b);
    }

    Error bad(size_t row, const std::string& problem, const std::string& hint) const {
        return {ErrorCode::InvalidInput,
                "File '" + table_.name() + "', " + place(row) + ": the value " + problem + ".",
                hint};
    }

    const CsvTable& table_;
    size_t column_;
    const std::vector<std::string>* categories_ = nullptr;
    bool isClass_ = false;
};

/// Chooses the rows and turns them into tensors.
class CsvReader {
public:
    CsvReader(const CsvTable& table, const CsvOptions& options, CsvEncoding encoding)
        : table_(table), options_(options), encoding_(std::move(encoding)) {
        for (const auto& name : encoding_.features) features_.emplace_back(table, name, encoding_);
        for (const auto& name : encoding_.targets) targets_.emplace_back(table, name, encoding_);
    }

    CsvData run() {
        chooseRows();
        reportHeader();
        reportCategories();
        std::vector<Column> columns;
        std::vector<Tensor> tensors;
        if (options_.keepsFeatures) {
            columns.emplace_back().name = "features";
            columns.back().elements = encoding_.features;
            tensors.push_back(numbers(features_));
        }
        columns.push_back(targetColumn());
        tensors.push_back(encoding_.targetIsClass ? classes() : numbers(targets_));
        return {std::make_shared<TensorDataset>(std::move(columns), std::move(tensors)),
                std::move(encoding_), std::move(rows_), std::move(findings_)};
    }

private:
    Column targetColumn() const {
        Column column;
        column.name = encoding_.targets.size() == 1 ? encoding_.targets[0] : "targets";
        column.isTarget = true;
        if (encoding_.targets.size() == 1) {
            column.asClasses = options_.asClasses;
            column.asNumbers = options_.asNumbers;
        }
        if (encoding_.targetIsClass) {
            column.classes = encoding_.categories.at(encoding_.targets[0]);
        } else {
            column.elements = encoding_.targets;
        }
        return column;
    }

    void chooseRows() {
        for (size_t row = 0; row < table_.rows(); ++row) {
            const FieldReader* target = missingIn(targets_, row);
            const FieldReader* feature = missingIn(features_, row);
            if (target == nullptr && feature == nullptr) {
                rows_.push_back(row);
                continue;
            }
            ++incomplete_;
            if (firstMissing_.empty()) firstMissing_ = (feature ? feature : target)->place(row);
            if (target == nullptr && options_.missing == MissingPolicy::Keep) rows_.push_back(row);
        }
        if (incomplete_ > 0) reportMissing();
        if (rows_.empty()) throw badFile(table_.name(), "has no row without missing values");
    }

    static const FieldReader* missingIn(const std::vector<FieldReader>& readers, size_t row) {
        const auto found = std::find_if(readers.begin(), readers.end(),
                                        [&](auto& reader) { return reader.isMissingAt(row); });
        return found == readers.end() ? nullptr : &*found;
    }

    void reportMissing() {
        const std::string message =
            std::to_string(incomplete_) + " of " + counted(table_.rows(), "row") +
            (incomplete_ == 1 ? " lacks" : " lack") + " a value, the first one in " + firstMissing_;
        if (options_.missing == MissingPolicy::Refuse) {
            throw Error(ErrorCode::InvalidInput, "File '" + table_.name() + "': " + message + ".",
                        "Add missing=drop to skip these rows, or missing=mean to fill in the mean "
                        "of the column.");
        }
        const std::string what = options_.missing == MissingPolicy::Drop
                                     ? "They were skipped."
                                     : "Features were filled with the mean of the training "
                                       "samples; rows without target were skipped.";
        findings_.push_back({"D110", Severity::Warning, {}, {}, message + ".", what, {}});
    }

    void reportHeader() {
        if (!table_.hasDoubtfulHeader()) return;
        findings_.push_back({"D125",
                             Severity::Warning,
                             {},
                             {},
                             "The first row, " + listed(table_.columns()) +
                                 ", was read as the names of the columns, but looks like a sample.",
                             "Add header=no if it is one, and header=yes if it is not.",
                             {}});
    }

    void reportCategories() {
        for (const std::string& name : encoding_.features) {
            const auto found = encoding_.categories.find(name);
            if (found == encoding_.categories.end()) continue;
            findings_.push_back({"D111",
                                 Severity::Info,
                                 {},
                                 {},
                                 "Column '" + name + "' holds texts; each of its " +
                                     std::to_string(found->second.size()) +
                                     " different values became a number.",
                                 "If their order has no meaning, omit the column with features=.",
                                 {}});
        }
    }

    /// Shapes: float32 [rows, readers].
    Tensor numbers(const std::vector<FieldReader>& readers) const {
        Tensor tensor(DType::Float32,
                      {static_cast<int64_t>(rows_.size()), static_cast<int64_t>(readers.size())});
        float* out = tensor.mutableValues<float>().data();
        for (const size_t row : rows_) {
            for (const FieldReader& reader : readers) {
                *out++ = static_cast<float>(reader.number(row));
            }
        }
        return tensor;
    }

    /// Shapes: int64 [rows].
    Tensor classes() const {
        Tensor tensor(DType::Int64, {static_cast<int64_t>(rows_.size())});
        std::transform(rows_.begin(), rows_.end(), tensor.mutableValues<int64_t>().begin(),
                       [&](size_t row) { return static_cast<int64_t>(targets_[0].number(row)); });
        return tensor;
    }

    const CsvTable& table_;
    const CsvOptions& options_;
    CsvEncoding encoding_;
    std::vector<FieldReader> features_;
    std::vector<FieldReader> targets_;
    std::vector<size_t> rows_;
    std::vector<Finding> findings_;
    int64_t incomplete_ = 0;
    std::string firstMissing_;
};

}  // namespace

CsvData readCsv(const CsvTable& table, const CsvOptions& options, const CsvEncoding* same) {
    return CsvReader(table, options, same != nullptr ? *same : encodingOf(table, options)).run();
}

}  // namespace temper
