// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/data/rows.h"

namespace temper {

/// Mean and standard deviation that bring values to a common scale. One entry serves the whole
/// sample; n entries serve the n parts along its first axis (channels of [C, H, W], table columns).
struct Normalization {
    std::vector<double> mean;
    std::vector<double> deviation;

    bool operator==(const Normalization&) const = default;
};

/// One kind of value that every sample has.
struct Column {
    std::string name;
    DType dtype = DType::Undefined;
    Shape shape;                        ///< of one sample, without the batch dimension
    std::vector<std::string> classes;   ///< names by class index; empty if not categorical
    std::vector<std::string> elements;  ///< names of the elements, e.g. table columns; may be empty
    /// The specifications that read a target as classes and as numbers; empty if there is no
    /// choice.
    std::string asClasses;
    std::string asNumbers;
    bool isTarget = false;             ///< what a model has to predict
    bool isImage = false;              ///< pixels [C, H, W] or [H, W], channels 1, 3 or 4
    Normalization normalization = {};  ///< what the source's values went through; empty: nothing
    bool hasChannelsLast = false;      ///< [H, W, C], of a source that is [C, H, W]

    /// Whether the class names differ from "0", "1", ...
    bool hasNamedClasses() const;
    /// Whether the class names are numbers, but not the class indices.
    bool hasRenumberedClasses() const;
    int64_t elementsPerSample() const { return numElements(shape); }
    size_t bytesPerSample() const;
};

/// Samples by index, each with one value per column.
/// Thread: any number of readers.
class Dataset {
public:
    virtual ~Dataset() = default;

    virtual int64_t size() const = 0;
    virtual const std::vector<Column>& columns() const = 0;

    /// Copies the column's values of the samples, one after the other, into `target`, which holds
    /// `samples.size() * columns()[column].bytesPerSample()` bytes.
    virtual void read(size_t column, std::span<const int64_t> samples, std::byte* target) const = 0;

    /// The samples as seen in an epoch, if they vary between epochs (augmentation); null if they
    /// are always the same. read() itself does not vary them.
    virtual std::shared_ptr<const Dataset> inEpoch(int64_t epoch) const;

    /// A number that is the same for equal samples, whatever their targets, and almost certainly
    /// different for others.
    virtual uint64_t fingerprint(int64_t sample) const;

    /// The name of a sample in its source, for messages: "line 7", "picture 'a.png'"; empty if it
    /// has none.
    virtual std::string origin(int64_t sample) const;

    /// Why a sample can't be read; empty if it can. `isWhole`: reads it to its end; else checks
    /// only what reveals most damage at little cost.
    virtual std::string problem(int64_t sample, bool isWhole) const;

    /// Shapes: [samples, ...column shape].
    Tensor batch(size_t column, std::span<const int64_t> samples) const;
    /// One sample. Shapes: the column's.
    Tensor get(int64_t sample, size_t column) const;
    std::optional<size_t> findColumn(std::string_view name) const;
    /// Throws: Error(NotFound) listing the columns.
    size_t columnIndex(std::string_view name) const;
};

/// Columns that are arrays, in memory or in files. Shapes: each is [samples, ...column shape].
class ArrayDataset : public Dataset {
public:
    /// A column's dtype and shape come from its array; name, classes, ... from `columns`.
    /// Throws: Error(InvalidInput) if the numbers of samples differ or an array is a scalar.
    ArrayDataset(std::vector<Column> columns, std::vector<RowsPtr> arrays);

    int64_t size() const override { return size_; }
    const std::vector<Column>& columns() const override { return columns_; }
    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override;

private:
    std::vector<Column> columns_;
    std::vector<RowsPtr> arrays_;
    int64_t size_ = 0;
};

/// Columns held in memory.
class TensorDataset : public ArrayDataset {
public:
    /// Throws: as ArrayDataset().
    TensorDataset(std::vector<Column> columns, const std::vector<Tensor>& tensors);
};

/// The samples of another data set, which answers whatever is not overridden.
class DatasetView : public Dataset {
public:
    explicit DatasetView(std::shared_ptr<const Dataset> data) : data_(std::move(data)) {}

    int64_t size() const override { return data_->size(); }
    const std::vector<Column>& columns() const override { return data_->columns(); }
    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override {
        data_->read(column, samples, target);
    }
    std::string origin(int64_t sample) const override { return data_->origin(sample); }
    std::string problem(int64_t sample, bool isWhole) const override {
        return data_->problem(sample, isWhole);
    }

protected:
    std::shared_ptr<const Dataset> data_;
};

/// "line 7"; "sample 7 (counted from 0)" if it has no name in its source.
std::string nameOfSample(const Dataset& data, int64_t sample);

/// `data` with samples called "line <n>".
std::shared_ptr<const Dataset> withLines(std::shared_ptr<const Dataset> data,
                                         std::vector<int64_t> lines);

/// The samples listed in `indices`, in this order.
std::shared_ptr<const Dataset> subset(std::shared_ptr<const Dataset> data,
                                      std::vector<int64_t> indices);

struct DataSplit {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> evaluation;
};

/// Draws round(fraction * size) samples for training, the rest is for evaluation; the same seed
/// gives the same parts. Both keep the order of `data` and get at least one sample. `classColumn`:
/// a column of integers; the samples of each value are divided in the same proportion, to within
/// one sample.
/// Throws: Error(InvalidInput) for a fraction outside (0, 1) or fewer than two samples.
DataSplit splitDataset(std::shared_ptr<const Dataset> data, double fraction, uint64_t seed,
                       std::optional<size_t> classColumn = {});

/// Mean and deviation over all samples, per each of `parts` parts of the sample; values that are
/// not finite do not count. A deviation of 0 becomes 1: constant values turn into 0.
Normalization measureNormalization(const Dataset& data, size_t column, int64_t parts);

/// `data` with (value - mean) / deviation as float32 in one column.
/// Throws: Error(InvalidInput) if the number of entries is neither 1 nor the size of the first
/// axis.
std::shared_ptr<const Dataset> normalized(std::shared_ptr<const Dataset> data, size_t column,
                                          Normalization normalization);

/// `data` with NaN replaced in one float32 column: `values` as for Normalization::mean.
std::shared_ptr<const Dataset> filled(std::shared_ptr<const Dataset> data, size_t column,
                                      std::vector<double> values);

/// `data` with the pixels of an image column [C, H, W] as [H, W, C].
std::shared_ptr<const Dataset> channelsLast(std::shared_ptr<const Dataset> data, size_t column);

/// `data` with other class names in one column.
std::shared_ptr<const Dataset> withClasses(std::shared_ptr<const Dataset> data, size_t column,
                                           std::vector<std::string> classes);

/// `data` with the classes of one column numbered as in `classes`: labels, int64, become the index
/// of their class there. Class indices without names become its indices, unless `classes` holds
/// numbers; then a label that is none of them becomes an index outside the classes. A column that
/// is not categorical stays as it is.
/// Throws: Error(InvalidInput) for a class with a name that is not in `classes`.
std::shared_ptr<const Dataset> numberedAs(std::shared_ptr<const Dataset> data, size_t column,
                                          const std::vector<std::string>& classes);

}  // namespace temper
