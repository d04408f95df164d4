// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zip.h>

#include <memory>
#include <string>

namespace temper {

/// libzip's handles, freed with their owner. Archives are closed without writing; to write them,
/// release the handle after zip_close().
struct ZipDeleter {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_source_t* source) const { zip_source_free(source); }
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipArchive = std::unique_ptr<zip_t, ZipDeleter>;
using ZipSource = std::unique_ptr<zip_source_t, ZipDeleter>;
using ZipEntry = std::unique_ptr<zip_file_t, ZipDeleter>;

/// A zip_error_t that is freed, with its text.
struct ZipError {
    ZipError() { zip_error_init(&error); }
    ~ZipError() { zip_error_fini(&error); }
    ZipError(const ZipError&) = delete;
    ZipError& operator=(const ZipError&) = delete;
    /// Versions of libzip find different faults in the same damaged archive: here they are one.
    std::string text() {
        switch (zip_error_code_zip(&error)) {
            case ZIP_ER_NOZIP:
            case ZIP_ER_INCONS:
#ifdef ZIP_ER_TRUNCATED_ZIP
            case ZIP_ER_TRUNCATED_ZIP:
#endif
                return "Not a zip archive, or an incomplete one";
            default: return zip_error_strerror(&error);
        }
    }
    zip_error_t error;
};

constexpr zip_uint64_t kMaxDeflateRatio = 1032;  ///< the maximum expansion of a byte of deflate

/// 1 January 1980, the first day that archives can express: the same content gives the same bytes.
constexpr zip_uint16_t kFirstZipDay = 0x21;

}  // namespace temper
