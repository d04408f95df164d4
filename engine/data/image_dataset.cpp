// SPDX-License-Identifier: Apache-2.0
#include "engine/data/image_dataset.h"

#include "engine/data/hash.h"
#include "engine/data/image/image_decoder.h"

namespace temper {
namespace {

Image readFitted(const std::string& path, const ImageForm& form, ImageFit fit,
                 const FileResolver& resolver) {
    const DataFile file = openDataFile(path, resolver);
    const bool keepsSize = form.width == 0;
    Image image = keepsSize ? decodeImage({file.bytes, file.name})
                            : decodeImage({file.bytes, file.name}, form.width, form.height);
    if (form.channels != 0) image = withChannels(std::move(image), form.channels);
    return keepsSize ? image : resized(image, form.width, form.height, fit);
}

constexpr const char* kDropHint =
    "Repair or remove the picture, or add invalid=drop to the data to skip what can't be read.";

/// Converts interleaved pixels to planes, one after the other.
void copyPlanes(const Image& image, uint8_t* target) {
    const int64_t pixels = image.width * image.height;
    for (int64_t c = 0; c < image.channels; ++c) {
        const uint8_t* source = image.pixels.data() + c;
        for (int64_t i = 0; i < pixels; ++i, source += image.channels) *target++ = *source;
    }
}

}  // namespace

ImageDataset::ImageDataset(std::vector<std::string> paths, ImageForm form, ImageFit fit,
                           FileResolver resolver, std::shared_ptr<const Dataset> values)
    : paths_(std::move(paths)),
      form_(form),
      fit_(fit),
      resolver_(std::move(resolver)),
      values_(std::move(values)) {
    TEMPER_ASSERT(values_ == nullptr || values_->size() == size(), "each picture has its values");
    Column images;
    images.name = "images";
    images.dtype = DType::UInt8;
    images.shape = {form.channels, form.height, form.width};
    images.isImage = true;
    columns_.push_back(std::move(images));
    if (values_ == nullptr) return;
    columns_.insert(columns_.end(), values_->columns().begin(), values_->columns().end());
}

void ImageDataset::read(size_t column, std::span<const int64_t> samples, std::byte* target) const {
    if (column > 0) return values_->read(column - 1, samples, target);
    for (const int64_t sample : samples) {
        copyPlanes(picture(sample), reinterpret_cast<uint8_t*>(target));
        target += columns_[0].bytesPerSample();
    }
}

/// Errors name the picture as its source does and suggest a way out.
Image ImageDataset::picture(int64_t sample) const {
    try {
        return readFitted(path(sample), form_, fit_, resolver_);
    } catch (const Error& error) {
        const std::string row = values_ == nullptr ? "" : values_->origin(sample);
        Error named(error.code(), error.message(), error.hint().empty() ? kDropHint : error.hint());
        if (!row.empty()) named.addContext(row);
        throw named;
    }
}

std::string ImageDataset::origin(int64_t sample) const {
    const std::string row = values_ == nullptr ? "" : values_->origin(sample);
    return "picture '" + path(sample) + "'" + (row.empty() ? "" : " (" + row + ")");
}

std::string ImageDataset::problem(int64_t sample, bool isWhole) const {
    try {
        const DataFile file = openDataFile(path(sample), resolver_);
        const ImageBytes image{file.bytes, file.name};
        if (!isWhole && endsAsItShould(file.bytes)) {
            inspectImage(image);
        } else {
            decodeImage(image, form_.width, form_.height);
        }
        return {};
    } catch (const Error& error) {
        const std::string row = values_ == nullptr ? "" : values_->origin(sample);
        return (row.empty() ? "" : row + ": ") + error.what();
    }
}

uint64_t ImageDataset::fingerprint(int64_t sample) const {
    return hashBytes(openDataFile(path(sample), resolver_).bytes);
}

Tensor readImage(const std::string& path, const ImageForm& form, ImageFit fit,
                 const FileResolver& resolver) {
    return toTensor(readFitted(path, form, fit, resolver));
}

Tensor toTensor(const Image& image) {
    Tensor tensor(DType::UInt8, {image.channels, image.height, image.width});
    copyPlanes(image, tensor.mutableValues<uint8_t>().data());
    return tensor;
}

}  // namespace temper
