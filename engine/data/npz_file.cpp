// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npz_file.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/core/counted.h"
#include "engine/core/file.h"
#include "engine/data/data_file.h"
#include "engine/data/npy_file.h"
#include "engine/data/npy_header.h"
#include "engine/data/zip_handles.h"

namespace temper {
namespace {

constexpr const char* kSaveAgain = "Save the arrays again with numpy.savez.";

constexpr std::string_view kSuffix = ".npy";
constexpr size_t kChunkBytes = 1 << 20;
constexpr size_t kHeadBytes = 1 << 16;  ///< of an entry, enough for the header of an array
/// What is packed more densely holds nothing but repetition; so much memory is not spent on it.
constexpr zip_uint64_t kDenseRatio = 500;
constexpr zip_uint64_t kMostDenseBytes = 256 << 20;

ZipArchive openArchive(std::span<const std::byte> bytes, const std::string& name) {
    if (bytes.empty()) throw badFile(name, "is empty; expected an NPZ archive");
    ZipError error;
    ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error.error));
    ZipArchive archive(source ? zip_open_from_source(source.get(), ZIP_RDONLY, &error.error)
                              : nullptr);
    if (!archive) {
        throw badFile(name, "is not a readable NPZ archive: " + error.text(), kSaveAgain);
    }
    std::ignore = source.release();  // the archive owns it now
    return archive;
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

/// One entry, unpacked from its beginning on.
class EntryReader {
public:
    EntryReader(zip_t* archive, zip_uint64_t index, const std::string& label)
        : entry_(zip_fopen_index(archive, index, 0)), label_(label) {
        if (!entry_) fail(zip_strerror(archive));
    }

    /// Exactly as many bytes. Throws: Error(InvalidInput) where there are fewer.
    void read(std::span<std::byte> target) {
        while (!target.empty()) {
            const zip_int64_t got = zip_fread(entry_.get(), target.data(), target.size());
            if (got <= 0) fail(got < 0 ? zip_file_strerror(entry_.get()) : "it ends early");
            target = target.subspan(static_cast<size_t>(got));
        }
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw badFile(label_, "can't be unpacked: " + why, kSaveAgain);
    }

    ZipEntry entry_;
    const std::string& label_;
};

/// Of the whole archive: entries may share their packed bytes.
void requireNoBomb(zip_uint64_t unpacked, zip_uint64_t packed, const std::string& name) {
    if (unpacked <= kMostDenseBytes || unpacked / kDenseRatio <= packed) return;
    throw badFile(name,
                  "would become " + std::to_string(unpacked) + " bytes in memory, more than " +
                      std::to_string(kDenseRatio) +
                      " times its own; almost all of them are the same",
                  "If that is meant, save the arrays without compression, with numpy.savez.");
}

/// An entry is what its first bytes say before memory is taken for the rest.
void checkHead(zip_t* archive, zip_uint64_t index, const zip_stat_t& info,
               const std::string& label) {
    std::vector<std::byte> head(std::min<size_t>(info.size, kHeadBytes));
    EntryReader(archive, index, label).read(head);
    const NpyHeader header = parseNpyHeader(head, label);
    requireElements(label, info.size - header.dataOffset, header.shape, header.dtype);
}

Tensor readEntry(zip_t* archive, zip_uint64_t index, const zip_stat_t& info,
                 const std::string& label) {
    std::shared_ptr<std::byte> buffer = allocateAligned(info.size);
    EntryReader(archive, index, label).read({buffer.get(), info.size});
    return adoptNpy(std::move(buffer), info.size, label);
}

std::string arrayName(std::string_view entry, const std::string& archive) {
    if (!entry.ends_with(kSuffix)) {
        throw badFile(archive, "holds '" + std::string(entry) + "', which is not an NPY array",
                      "An NPZ archive holds files NAME.npy only.");
    }
    return std::string(entry.substr(0, entry.size() - kSuffix.size()));
}

Error cannotPack(const std::filesystem::path& path, const std::string& reason) {
    return {ErrorCode::Io, "Archive '" + path.string() + "' can't be made: " + reason + "."};
}

void addEntry(zip_t* archive, const std::string& name, const std::string& content, bool compressed,
              const std::filesystem::path& path) {
    ZipSource source(zip_source_buffer(archive, content.data(), content.size(), 0));
    const std::string entry = name + std::string(kSuffix);
    const zip_int64_t index =
        source ? zip_file_add(archive, entry.c_str(), source.get(), ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) throw cannotPack(path, zip_strerror(archive));
    std::ignore = source.release();  // the archive owns it now
    const auto at = static_cast<zip_uint64_t>(index);
    zip_file_set_dostime(archive, at, 0, kFirstZipDay, 0);
    zip_set_file_compression(archive, at, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
}

/// What zip_close() wrote into a buffer source, to the disk.
void saveSource(zip_source_t* source, const std::filesystem::path& path) {
    if (zip_source_open(source) != 0) {
        throw cannotPack(path, zip_error_strerror(zip_source_error(source)));
    }
    AtomicFile file(path);
    std::vector<std::byte> chunk(kChunkBytes);
    zip_int64_t got = 0;
    while ((got = zip_source_read(source, chunk.data(), chunk.size())) > 0) {
        file.write(std::span<const std::byte>(chunk).first(static_cast<size_t>(got)));
    }
    zip_source_close(source);
    if (got < 0) throw cannotPack(path, zip_error_strerror(zip_source_error(source)));
    file.commit();
}

/// An archive without entries, which libzip does not write: the end record alone.
std::string emptyArchive() { return std::string("PK\5\6") + std::string(18, '\0'); }

}  // namespace

std::map<std::string, Tensor> parseNpz(std::span<const std::byte> bytes, const std::string& name) {
    const ZipArchive archive = openArchive(bytes, name);
    std::map<std::string, Tensor> arrays;
    const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
    const auto infoOf = [&](zip_uint64_t index) {
        return entryInfo(archive.get(), index, bytes.size(), name);
    };
    const auto labelOf = [&](const zip_stat_t& info) {
        return name + ":" + arrayName(info.name, name);
    };
    zip_uint64_t unpacked = 0;
    for (zip_uint64_t i = 0; i < count; ++i) {
        const zip_stat_t info = infoOf(i);
        checkHead(archive.get(), i, info, labelOf(info));
        unpacked += info.size;
    }
    requireNoBomb(unpacked, bytes.size(), name);
    for (zip_uint64_t i = 0; i < count; ++i) {
        const zip_stat_t info = infoOf(i);
        const std::string array = arrayName(info.name, name);
        Tensor tensor = readEntry(archive.get(), i, info, labelOf(info));
        if (!arrays.emplace(array, std::move(tensor)).second) {
            throw badFile(name, "holds the array '" + array + "' twice");
        }
    }
    return arrays;
}

std::map<std::string, Tensor> readNpz(const std::filesystem::path& path) {
    return parseNpz(openDataFile(path.string()).bytes, path.string());
}

void writeNpz(const std::filesystem::path& path, const std::map<std::string, Tensor>& arrays,
              bool compressed) {
    if (arrays.empty()) return writeFileAtomically(path, emptyArchive());
    ZipError error;
    ZipSource source(zip_source_buffer_create(nullptr, 0, 0, &error.error));
    ZipArchive archive(
        source ? zip_open_from_source(source.get(), ZIP_CREATE | ZIP_TRUNCATE, &error.error)
               : nullptr);
    if (!archive) throw cannotPack(path, error.text());
    zip_source_keep(source.get());  // ours and the archive's
    std::vector<std::string> contents;
    contents.reserve(arrays.size());  // libzip reads them in zip_close()
    for (const auto& [name, tensor] : arrays) {
        contents.push_back(formatNpy(tensor));
        addEntry(archive.get(), name, contents.back(), compressed, path);
    }
    if (zip_close(archive.get()) != 0) throw cannotPack(path, zip_strerror(archive.get()));
    std::ignore = archive.release();  // closed and freed
    saveSource(source.get(), path);
}

}  // namespace temper
