// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_file.h"

#include <system_error>

#include "engine/core/file.h"

namespace temper {

DataFile openDataFile(const std::string& path, const FileResolver& resolver) {
    if (resolver) {
        if (const auto bytes = resolver(path)) return {path, *bytes, nullptr};
    }
    std::shared_ptr<const MappedFile> file = MappedFile::open(path);
    const std::span<const std::byte> bytes = file->bytes();
    return {path, bytes, std::move(file)};
}

bool dataFileExists(const std::string& path, const FileResolver& resolver) {
    if (resolver && resolver(path)) return true;
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

Error badFile(const std::string& name, const std::string& problem, const std::string& hint) {
    return {ErrorCode::InvalidInput, "File '" + name + "' " + problem + ".", hint};
}

}  // namespace temper
