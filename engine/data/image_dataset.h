// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/data/data_file.h"
#include "engine/data/dataset.h"
#include "engine/data/image/image.h"
#include "engine/data/image_form.h"

namespace temper {

/// Pictures that are decoded on each read, so that any number of them takes no memory: column
/// "images", uint8 [C, H, W], followed by the columns of other values, e.g. labels.
class ImageDataset : public Dataset {
public:
    /// `values` has a sample for each path; it may be null. `form` is complete.
    ImageDataset(std::vector<std::string> paths, ImageForm form, ImageFit fit,
                 FileResolver resolver, std::shared_ptr<const Dataset> values);

    int64_t size() const override { return static_cast<int64_t>(paths_.size()); }
    const std::vector<Column>& columns() const override { return columns_; }
    /// Throws: Error naming the file that can't be read.
    void read(size_t column, std::span<const int64_t> samples, std::byte* target) const override;
    /// Of the file's bytes, without decoding.
    uint64_t fingerprint(int64_t sample) const override;
    /// "picture 'a.png'", and its line if a table names it.
    std::string origin(int64_t sample) const override;
    /// Checks the header and the end of the file, or decodes it.
    std::string problem(int64_t sample, bool isWhole) const override;

private:
    Image picture(int64_t sample) const;
    const std::string& path(int64_t sample) const { return paths_[static_cast<size_t>(sample)]; }

    std::vector<std::string> paths_;
    ImageForm form_;
    ImageFit fit_;
    FileResolver resolver_;
    std::shared_ptr<const Dataset> values_;
    std::vector<Column> columns_;
};

/// A picture in the form that a model takes, as uint8 [C, H, W]; if the form has no size, the
/// picture keeps its own. Throws: Error naming the file.
Tensor readImage(const std::string& path, const ImageForm& form, ImageFit fit,
                 const FileResolver& resolver = {});
Tensor toTensor(const Image& image);

}  // namespace temper
