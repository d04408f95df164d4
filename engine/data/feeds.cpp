// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/core/file.h"
#include "engine/data/data_file.h"
#include "engine/data/npy_file.h"
#include "engine/data/npz_file.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

/// {"input": "file.npy", ...}
std::map<std::string, std::string> readIndex(const fs::path& path) {
    const nlohmann::json index = nlohmann::json::parse(readFile(path), nullptr, false);
    const bool isMap = index.is_object() && std::all_of(index.begin(), index.end(), [](auto& file) {
                           return file.is_string();
                       });
    if (!isMap) {
        throw badFile(path.string(), "is not a JSON object of names and file names",
                      "Write {\"input\": \"file.npy\", ...}.");
    }
    return index.get<std::map<std::string, std::string>>();
}

std::vector<fs::path> arraysIn(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".npy") files.push_back(entry.path());
    }
    if (error) {
        throw Error(ErrorCode::Io,
                    "Folder '" + folder.string() + "' can't be read: " + error.message() + ".");
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

/// Files listed in the index get its names, the others their own.
std::map<std::string, fs::path> feedFiles(const fs::path& folder) {
    std::map<std::string, fs::path> files;
    std::vector<fs::path> named;
    if (dataFileExists((folder / "index.json").string())) {
        for (const auto& [input, file] : readIndex(folder / "index.json")) {
            named.push_back(folder / file);
            files[input] = named.back();
        }
    }
    for (const fs::path& file : arraysIn(folder)) {
        if (std::find(named.begin(), named.end(), file) != named.end()) continue;
        files.emplace(file.stem().string(), file);
    }
    if (!files.empty()) return files;
    throw Error(ErrorCode::InvalidInput, "Folder '" + folder.string() + "' holds no NPY arrays.",
                "Save each input as INPUT.npy, or use an .npz file.");
}

std::map<std::string, Tensor> loadFeeds(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) return readNpz(path);
    std::map<std::string, Tensor> arrays;
    for (const auto& [name, file] : feedFiles(path)) arrays[name] = readNpy(file);
    return arrays;
}

}  // namespace temper
