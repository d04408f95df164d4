// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/data/csv_file.h"
#include "engine/data/data_spec.h"
#include "engine/data/dataset.h"
#include "engine/data/image_form.h"

namespace temper {

/// What a reader made of one source, before splitting and normalization.
struct DataParts {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> evaluation;  ///< if the source separates the two, or null
    std::string evaluationOrigin;               ///< e.g. "the t10k files"
    std::vector<Finding> findings;
    std::optional<CsvEncoding> encoding;  ///< of tables
};

/// What a reader gets besides the specification.
struct ReadContext {
    const FileResolver& resolver;
    ImageForm form = {};              ///< of pictures, if the specification does not say
    TargetForm target = {};           ///< if the specification does not say
    const DataParts* same = nullptr;  ///< the data that it has to match, or null

    const Dataset* sameTraining() const { return same == nullptr ? nullptr : same->training.get(); }
};

/// A data format: its name, its options, how it is recognized and how it is read.
struct DataFormat {
    DataKind kind;
    /// Whether a file or folder looks like this format.
    std::function<bool(const std::string& path, const FileResolver& resolver)> recognises;
    /// Throws: Error naming the file and, in a table, the line.
    std::function<DataParts(const DataSpec& spec, const ReadContext& context)> read;
};

/// All formats; the first one that recognizes a path reads it.
const std::vector<DataFormat>& dataFormats();
/// Adds a format after the others. Call it before the formats are used.
/// Throws: Error(InvalidInput) if the key is taken.
void addDataFormat(DataFormat format);

/// Reads the source with the reader of its format.
/// Throws: Error naming the file and, in a table, the line.
DataParts readParts(const DataSpec& spec, const ReadContext& context);

/// The formats, each in its own file.
DataFormat idxFormat();
DataFormat imageFormat();
DataFormat csvFormat();
DataFormat tsvFormat();
DataFormat jsonlFormat();
DataFormat npzFormat();
DataFormat npyFormat();

/// Options common to all tables.
const std::vector<DataOption>& tableOptions();
/// Reads the options of a table. Throws: Error(InvalidInput) naming the option.
CsvOptions tableOptionsOf(const DataSpec& spec, const TargetForm& model);
/// The lines of the file where rows of a table begin.
std::vector<int64_t> linesOf(const CsvTable& table, const std::vector<size_t>& rows);
/// The rows of a table as samples.
DataParts readTable(const CsvTable& table, const CsvOptions& options, const DataParts* same);

/// The path without ".gz".
std::string withoutGzip(std::string path);

}  // namespace temper
