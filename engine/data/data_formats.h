// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/csv_file.h"
#include "engine/data/data_spec.h"
#include "engine/data/dataset.h"

namespace temper {

/// What a reader made of one source, before splitting and normalising.
struct DataParts {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> evaluation;  ///< where the source tells the two apart, or null
    std::string evaluationOrigin;               ///< e.g. "the t10k files"
    std::vector<Finding> findings;
    std::optional<CsvEncoding> encoding;  ///< of a table
};

/// Reads the source with the reader of its kind; `same` is the data that it has to fit.
/// Throws: Error naming the file and, in a table, the line.
DataParts readParts(const DataSpec& spec, const FileResolver& resolver,
                    const DataParts* same = nullptr);

/// The readers. Source of the format: see idx_file.h, csv_file.h, npz_file.h.
DataParts readIdxParts(const DataSpec& spec, const FileResolver& resolver);
DataParts readArrayParts(const DataSpec& spec, const FileResolver& resolver);
DataParts readTableParts(const DataSpec& spec, const FileResolver& resolver, const DataParts* same);

/// Names for the classes of integer labels 0 to n-1, "0", "1", ...; empty where the values are no
/// such labels.
std::vector<std::string> classesOfLabels(const Tensor& labels);

}  // namespace temper
