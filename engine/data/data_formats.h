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

/// What a reader made of one source, before splitting and normalising.
struct DataParts {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> evaluation;  ///< where the source tells the two apart, or null
    std::string evaluationOrigin;               ///< e.g. "the t10k files"
    std::vector<Finding> findings;
    std::optional<CsvEncoding> encoding;  ///< of a table
};

/// What a reader goes by, beside the specification.
struct ReadContext {
    const FileResolver& resolver;
    ImageForm form = {};              ///< of pictures, where the specification says nothing
    TargetForm target = {};           ///< where the specification says nothing
    const DataParts* same = nullptr;  ///< the data that it has to fit, or null

    const Dataset* sameTraining() const { return same == nullptr ? nullptr : same->training.get(); }
};

/// A data format: what it is called, what it takes, by what it is recognised, how it is read.
struct DataFormat {
    DataKind kind;
    /// Whether a file or folder looks like this format.
    std::function<bool(const std::string& path, const FileResolver& resolver)> recognises;
    /// Throws: Error naming the file and, in a table, the line.
    std::function<DataParts(const DataSpec& spec, const ReadContext& context)> read;
};

/// All formats; the first one that recognises a path reads it.
const std::vector<DataFormat>& dataFormats();
/// Adds a format behind the others. To be called before the formats are used.
/// Throws: Error(InvalidInput) where there is one of that key.
void addDataFormat(DataFormat format);

/// Reads the source with the reader of its kind.
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

/// Options that the tables have in common.
const std::vector<DataOption>& tableOptions();
/// As the options of a table say. Throws: Error(InvalidInput) naming the option.
CsvOptions tableOptionsOf(const DataSpec& spec, const TargetForm& model);
/// Of the file, on which rows of a table begin.
std::vector<int64_t> linesOf(const CsvTable& table, const std::vector<size_t>& rows);
/// The rows of a table as samples.
DataParts readTable(const CsvTable& table, const CsvOptions& options, const DataParts* same);

/// The path without ".gz".
std::string withoutGzip(std::string path);

}  // namespace temper
