// SPDX-License-Identifier: Apache-2.0
#include "engine/data/data_file.h"

#include <system_error>

#include "engine/core/counted.h"
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

void requireElements(const std::string& name, size_t found, const Shape& shape, DType dtype) {
    auto wanted = static_cast<int64_t>(dtypeSize(dtype));
    bool overflow = false;
    for (const int64_t size : shape)
        overflow = __builtin_mul_overflow(wanted, size, &wanted) || overflow;
    if (!overflow && wanted == static_cast<int64_t>(found)) return;
    throw badFile(name,
                  "has " + counted(found, "byte") + " after the header; shape " +
                      formatShape(shape) + " of " + std::string(dtypeName(dtype)) + " needs " +
                      (overflow ? "more than a file can hold" : std::to_string(wanted)),
                  "The file is cut off or damaged; save or copy it again.");
}

}  // namespace temper
