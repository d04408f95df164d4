// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/csv_table.h"
#include "engine/data/dataset.h"
#include "engine/data/target_form.h"

namespace temper {

enum class CsvTask { Guess, Classification, Regression };

/// What happens to rows that lack a value: refuse the file, drop the row, or read NaN (which a
/// later step fills). Keep also drops rows without a target.
enum class MissingPolicy { Refuse, Drop, Keep };

struct CsvOptions {
    /// Names of columns. Empty: a column called label, target, class, species or y, else the last.
    std::vector<std::string> targets;
    std::vector<std::string> features;  ///< empty: all columns that are not targets
    std::vector<std::string> ignored;   ///< columns that are neither features nor guessed targets
    bool keepsFeatures = true;          ///< false: the data has no column "features"
    CsvFormat format;
    CsvTask task = CsvTask::Guess;
    TargetForm model;       ///< decides if the task has to be guessed
    std::string asClasses;  ///< see Column
    std::string asNumbers;
    MissingPolicy missing = MissingPolicy::Refuse;
};

/// How the fields became numbers, so that another file is read the same way.
struct CsvEncoding {
    std::vector<std::string> features;
    std::vector<std::string> targets;
    bool targetIsClass = false;
    /// The texts of categorical columns; a field becomes the index of its text.
    std::map<std::string, std::vector<std::string>> categories;
};

struct CsvData {
    std::shared_ptr<const Dataset> data;
    CsvEncoding encoding;
    std::vector<size_t> rows;       ///< the table row of each sample
    std::vector<Finding> findings;  ///< missing values (D110), categorical features (D111),
                                    ///< a first row that may be a sample (D125)
};

/// A table as a data set of two columns: "features" (float32, one element per table column) and the
/// target under its own name: int64 class indices, or float32 numbers (one element per target).
/// Columns with text in most fields are categorical. A single target of texts, or of the whole
/// numbers 0 to n-1, is a class. Other whole numbers become what the model takes: numbers, or
/// classes in ascending order. If they are already indices of its classes, they stay, and mistakes
/// among them become further classes. Without a model they are classes if they are consecutive, or
/// few and often repeated.
/// `same`: read the same way as that file.
/// Throws: Error(InvalidInput) naming file, line and column.
CsvData readCsv(const CsvTable& table, const CsvOptions& options,
                const CsvEncoding* same = nullptr);

}  // namespace temper
