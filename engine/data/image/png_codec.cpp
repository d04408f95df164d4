// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <string_view>

#include "engine/data/data_file.h"
#include "engine/data/image/image_decoder.h"

namespace temper {
namespace {

constexpr std::string_view kMagic = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kEnd = "IEND\xAE\x42\x60\x82";

/// libpng is C and leaves through longjmp: functions with setjmp hold nothing that needs a
/// destructor, and the error message waits in problem_.
class PngReader {
public:
    explicit PngReader(const ImageBytes& file) : file_(file) {
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &PngReader::onError,
                                      &PngReader::onWarning);
        info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
        if (info_ == nullptr) {
            png_destroy_read_struct(&png_, nullptr, nullptr);
            throw Error(ErrorCode::Io, "Not enough memory to read pictures.");
        }
        png_set_read_fn(png_, this, &PngReader::onRead);
    }
    ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    ImageInfo readHeader() {
        if (!tryHeader()) throw damaged();
        const int type = png_get_color_type(png_, info_);
        const bool isGrey = (type & (PNG_COLOR_MASK_COLOR | PNG_COLOR_MASK_PALETTE)) == 0;
        return {png_get_image_width(png_, info_), png_get_image_height(png_, info_),
                isGrey ? 1 : 3};
    }

    Image readImage() {
        const ImageInfo info = readHeader();
        requireSize(file_, info.width, info.height);
        Image image(info.width, info.height, info.channels);
        std::vector<png_bytep> rows;
        for (int64_t y = 0; y < info.height; ++y) rows.push_back(image.row(y));
        if (!tryRows(rows.data(), static_cast<size_t>(info.width * info.channels))) throw damaged();
        return image;
    }

private:
    bool tryHeader() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_read_info(png_, info_);
        return true;
    }

    /// 8 bits, one or three channels.
    bool tryRows(png_bytep* rows, size_t expectedBytes) {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_set_expand(png_);
        png_set_strip_16(png_);
        png_set_strip_alpha(png_);
        png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        if (png_get_rowbytes(png_, info_) != expectedBytes) png_error(png_, "unexpected row size");
        png_read_image(png_, rows);
        png_read_end(png_, nullptr);
        return true;
    }

    Error damaged() const {
        return badFile(file_.name, std::string("is a damaged PNG picture (") + problem_ + ")");
    }

    static void onRead(png_structp png, png_bytep target, size_t size) {
        auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
        if (size > self->file_.bytes.size() - self->position_) png_error(png, "the file ends");
        std::memcpy(target, self->file_.bytes.data() + self->position_, size);
        self->position_ += size;
    }

    static void onError(png_structp png, png_const_charp message) {
        auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
        std::strncpy(self->problem_, message, sizeof self->problem_ - 1);
        png_longjmp(png, 1);
    }
    static void onWarning(png_structp, png_const_charp) {}

    const ImageBytes& file_;
    size_t position_ = 0;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    char problem_[120] = {};
};

}  // namespace

ImageCodec pngCodec() {
    return {"PNG",
            {".png"},
            [](std::span<const std::byte> bytes) { return startsWith(bytes, kMagic); },
            [](const ImageBytes& file) { return PngReader(file).readHeader(); },
            [](const ImageBytes& file, int64_t, int64_t) { return PngReader(file).readImage(); },
            [](std::span<const std::byte> bytes) { return endsWithBytes(bytes, kEnd); }};
}

}  // namespace temper
