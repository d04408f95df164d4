// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_data.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/onnx/tensor_reader.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

/// The location of a tensor's bytes.
struct Place {
    std::string location;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
};

uint64_t parseNumber(const std::string& text, const std::string& key, const std::string& what) {
    uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end) {
        throw Error(ErrorCode::InvalidInput, what + " has the external data " + key + " '" + text +
                                                 "'; expected a number of at least 0.");
    }
    return number;
}

Place readPlace(const onnx::TensorProto& proto, const std::string& what) {
    Place place;
    for (const auto& entry : proto.external_data()) {
        if (entry.key() == "location") place.location = entry.value();
        if (entry.key() == "offset") place.offset = parseNumber(entry.value(), "offset", what);
        if (entry.key() == "length") place.length = parseNumber(entry.value(), "length", what);
    }
    return place;
}

[[noreturn]] void throwOutside(const std::string& location, const std::string& what) {
    throw Error(
        ErrorCode::InvalidInput,
        what + " has its data in '" + location + "'; expected a file in the model's own folder.",
        "Put the data file into the model's folder and save the model with a relative path.");
}

bool isInside(const fs::path& folder, const fs::path& path) {
    const auto [inFolder, inPath] =
        std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return inFolder == folder.end() && inPath != path.end();
}

/// A hard link to a file elsewhere, which an archive can contain, would make its content weights of
/// the model. ONNX refuses it, too.
void requireOneName(const fs::path& path, const std::string& what) {
    std::error_code error;
    if (fs::hard_link_count(path, error) <= 1 || error) return;
    throw Error(
        ErrorCode::InvalidInput,
        what + " has its data in '" + path.string() +
            "', which is also another file (a hard link); expected a file of this model only.",
        "Replace the data file with a copy of it.");
}

void checkRange(const Place& place, size_t byteSize, size_t fileSize, const std::string& what) {
    if (place.length && *place.length != byteSize) {
        throw Error(ErrorCode::InvalidInput, what + " has " + counted(*place.length, "byte") +
                                                 " of external data; its shape and type need " +
                                                 std::to_string(byteSize) + ".");
    }
    if (place.offset > fileSize || byteSize > fileSize - place.offset) {
        throw Error(ErrorCode::InvalidInput,
                    what + " needs bytes " + std::to_string(place.offset) + " to " +
                        std::to_string(place.offset) + " + " + std::to_string(byteSize) + " of '" +
                        place.location + "', which has " + counted(fileSize, "byte") + ".",
                    "The data file is cut off or belongs to another model.");
    }
}

}  // namespace

Tensor ExternalData::read(const onnx::TensorProto& proto, DType dtype, Shape shape, size_t byteSize,
                          const std::string& what) {
    const Place place = readPlace(proto, what);
    std::shared_ptr<const MappedFile> file = open(resolve(place.location, what));
    checkRange(place, byteSize, file->bytes().size(), what);
    const std::byte* data = file->bytes().data() + place.offset;
    return shareBytes(dtype, std::move(shape), std::move(file), data);
}

fs::path ExternalData::resolve(const std::string& location, const std::string& what) const {
    if (folder_.empty()) {
        throw Error(ErrorCode::InvalidInput,
                    what + " has its data in '" + location + "', but the model is not in a folder.",
                    "Load the model from a file.");
    }
    const fs::path relative(location);
    const bool climbs = std::find(relative.begin(), relative.end(), "..") != relative.end();
    const bool cut = location.find('\0') != std::string::npos;
    if (location.empty() || relative.is_absolute() || climbs || cut) throwOutside(location, what);

    std::error_code error;
    const fs::path folder = fs::canonical(folder_, error);
    const fs::path path = fs::weakly_canonical(folder / relative, error);
    if (error || !isInside(folder, path)) throwOutside(location, what);
    if (!fs::exists(path, error)) {
        throw Error(ErrorCode::NotFound,
                    what + " has its data in '" + path.string() + "', which does not exist.",
                    "Copy the data file into the folder of the model.");
    }
    if (!fs::is_regular_file(path, error)) throwOutside(location, what);
    requireOneName(path, what);
    return path;
}

std::shared_ptr<const MappedFile> ExternalData::open(const fs::path& path) {
    std::shared_ptr<const MappedFile>& file = files_[path];
    if (file == nullptr) file = MappedFile::open(path);
    return file;
}

}  // namespace temper
