// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npz_archive.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "engine/core/counted.h"
#include "engine/data/data_file.h"
#include "engine/data/npy_file.h"
#include "engine/data/npy_rows.h"

namespace temper {
namespace {

constexpr const char* kSaveAgain = "Save the arrays again with numpy.savez.";

constexpr std::string_view kSuffix = ".npy";
constexpr size_t kChunkBytes = 1 << 20;
/// Content that is packed more densely is mere repetition; no memory is spent on it.
constexpr zip_uint64_t kDenseRatio = 500;
constexpr zip_uint64_t kMaxDenseBytes = 256 << 20;

void requireContent(size_t bytes, const std::string& name) {
    if (bytes == 0) throw badFile(name, "is empty; expected an NPZ archive");
}

Error notReadable(const std::string& name, ZipError& error) {
    return badFile(name, "is not a readable NPZ archive: " + error.text(), kSaveAgain);
}

ZipArchive openArchive(std::span<const std::byte> bytes, const std::string& name) {
    requireContent(bytes.size(), name);
    ZipError error;
    ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error.error));
    ZipArchive archive(source ? zip_open_from_source(source.get(), ZIP_RDONLY, &error.error)
                              : nullptr);
    if (!archive) throw notReadable(name, error);
    std::ignore = source.release();  // now owned by the archive
    return archive;
}

ZipArchive openArchive(const FileReader& file) {
    requireContent(file.size(), file.name());
    ZipError error;
    const int descriptor = ::dup(file.descriptor());
    int code = 0;
    ZipArchive archive(zip_fdopen(descriptor, 0, &code));
    if (archive) return archive;
    ::close(descriptor);
    zip_error_init_with_code(&error.error, code);
    throw notReadable(file.name(), error);
}

zip_stat_t entryInfo(zip_t* archive, zip_uint64_t index, size_t archiveSize,
                     const std::string& name) {
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    zip_stat_t info;
    zip_stat_init(&info);
    if (zip_stat_index(archive, index, ZIP_FL_ENC_GUESS, &info) != 0 ||
        (info.valid & kNeeded) != kNeeded) {
        throw badFile(name, "has a damaged directory at entry " + std::to_string(index),
                      kSaveAgain);
    }
    if (info.comp_size > archiveSize || info.size / kMaxDeflateRatio > info.comp_size + 1) {
        throw badFile(name,
                      "claims " + counted(info.size, "byte") + " for '" + std::string(info.name) +
                          "', more than the archive can hold",
                      kSaveAgain);
    }
    return info;
}

/// One entry, decompressed from its beginning.
class EntryReader {
public:
    EntryReader(zip_t* archive, zip_uint64_t index, const std::string& label)
        : entry_(zip_fopen_index(archive, index, 0)), label_(label) {
        if (!entry_) fail(zip_strerror(archive));
    }

    /// Reads exactly as many bytes. Throws: Error(InvalidInput) if there are fewer.
    void read(std::span<std::byte> target) {
        while (!target.empty()) {
            const zip_int64_t got = zip_fread(entry_.get(), target.data(), target.size());
            if (got <= 0) fail(got < 0 ? zip_file_strerror(entry_.get()) : "it ends early");
            target = target.subspan(static_cast<size_t>(got));
        }
    }

    /// To be called after the last byte: verifies the checksum. Throws: Error(InvalidInput).
    void finish() {
        std::byte more{};
        if (zip_fread(entry_.get(), &more, 1) != 0) fail(zip_file_strerror(entry_.get()));
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw badFile(label_, "can't be unpacked: " + why, kSaveAgain);
    }

    ZipEntry entry_;
    const std::string& label_;
};

/// Checks the whole archive: entries may share their packed bytes.
void requireNoBomb(zip_uint64_t unpacked, zip_uint64_t packed, const std::string& name) {
    if (unpacked <= kMaxDenseBytes || unpacked / kDenseRatio <= packed) return;
    throw badFile(name,
                  "would become " + counted(unpacked, "byte") + " in memory, more than " +
                      std::to_string(kDenseRatio) + " times its size; almost all of them are equal",
                  "If this is intended, save the arrays uncompressed with numpy.savez.");
}

std::string arrayName(std::string_view entry, const std::string& archive) {
    if (!entry.ends_with(kSuffix)) {
        throw badFile(archive, "holds '" + std::string(entry) + "', which is not an NPY array",
                      "An NPZ archive contains only files NAME.npy.");
    }
    return std::string(entry.substr(0, entry.size() - kSuffix.size()));
}

}  // namespace

NpzArchive::NpzArchive(std::span<const std::byte> bytes, std::string name)
    : name_(std::move(name)), archive_(openArchive(bytes, name_)) {
    readDirectory(bytes.size());
}

NpzArchive::NpzArchive(const FileReader& file) : name_(file.name()), archive_(openArchive(file)) {
    readDirectory(file.size());
}

/// Reads the first bytes of each entry before memory is allocated for the rest.
void NpzArchive::readDirectory(size_t archiveSize) {
    std::set<std::string> names;
    zip_uint64_t unpacked = 0;
    const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive_.get(), 0));
    for (zip_uint64_t i = 0; i < count; ++i) {
        const zip_stat_t info = entryInfo(archive_.get(), i, archiveSize, name_);
        NpzEntry entry{i,         arrayName(info.name, name_),      {},
                       info.size, info.comp_method == ZIP_CM_STORE, {}};
        entry.label = name_ + ":" + entry.array;
        entry.header = parseNpyHeader(head(entry), entry.label);
        requireElements(entry.label, entry.size - entry.header.dataOffset, entry.header.shape,
                        entry.header.dtype);
        if (!names.insert(entry.array).second)
            throw badFile(name_, "holds the array '" + entry.array + "' twice");
        unpacked += entry.size;
        entries_.push_back(std::move(entry));
    }
    requireNoBomb(unpacked, archiveSize, name_);
}

std::vector<std::byte> NpzArchive::head(const NpzEntry& entry) const {
    std::vector<std::byte> bytes(std::min<size_t>(entry.size, kNpyHeadBytes));
    EntryReader(archive_.get(), entry.index, entry.label).read(bytes);
    return bytes;
}

Tensor NpzArchive::read(const NpzEntry& entry) const {
    std::shared_ptr<std::byte> buffer = allocateAligned(entry.size);
    EntryReader reader(archive_.get(), entry.index, entry.label);
    reader.read({buffer.get(), entry.size});
    reader.finish();
    return adoptNpy(std::move(buffer), entry.size, entry.label);
}

void NpzArchive::unpack(const NpzEntry& entry,
                        const std::function<void(std::span<const std::byte>)>& take) const {
    EntryReader reader(archive_.get(), entry.index, entry.label);
    std::vector<std::byte> piece(kChunkBytes);
    for (uint64_t left = entry.size; left > 0; left -= piece.size()) {
        piece.resize(static_cast<size_t>(std::min<uint64_t>(left, kChunkBytes)));
        reader.read(piece);
        take(piece);
    }
    reader.finish();
}

}  // namespace temper
