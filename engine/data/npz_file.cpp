// SPDX-License-Identifier: Apache-2.0
#include "engine/data/npz_file.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/core/file.h"
#include "engine/data/data_file.h"
#include "engine/data/npy_file.h"
#include "engine/data/npz_archive.h"
#include "engine/data/zip_handles.h"

namespace temper {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr size_t kChunkBytes = 1 << 20;

Error cannotPack(const std::filesystem::path& path, const std::string& reason) {
    return {ErrorCode::Io, "Archive '" + path.string() + "' can't be created: " + reason + "."};
}

void addEntry(zip_t* archive, const std::string& name, const std::string& content, bool compressed,
              const std::filesystem::path& path) {
    ZipSource source(zip_source_buffer(archive, content.data(), content.size(), 0));
    const std::string entry = name + std::string(kSuffix);
    const zip_int64_t index =
        source ? zip_file_add(archive, entry.c_str(), source.get(), ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) throw cannotPack(path, zip_strerror(archive));
    std::ignore = source.release();  // now owned by the archive
    const auto at = static_cast<zip_uint64_t>(index);
    zip_file_set_dostime(archive, at, 0, kFirstZipDay, 0);
    zip_set_file_compression(archive, at, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
}

/// Writes to the disk what zip_close() wrote into a buffer source.
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

/// An archive without entries, which libzip does not write: only the end record.
std::string emptyArchive() { return std::string("PK\5\6") + std::string(18, '\0'); }

}  // namespace

std::map<std::string, Tensor> parseNpz(std::span<const std::byte> bytes, const std::string& name) {
    const NpzArchive archive(bytes, name);
    std::map<std::string, Tensor> arrays;
    for (const NpzEntry& entry : archive.entries()) arrays[entry.array] = archive.read(entry);
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
    zip_source_keep(source.get());  // shared with the archive
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
