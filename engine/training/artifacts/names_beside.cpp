// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/names_beside.h"

#include <string_view>

#include "engine/core/error.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"

namespace temper {
namespace {

/// "small_" of "small_checkpoint".
std::string prefixOf(const std::filesystem::path& checkpoint) {
    constexpr std::string_view kName = "checkpoint";
    const std::string name = checkpoint.filename().string();
    return name.ends_with(kName) ? name.substr(0, name.size() - kName.size()) : std::string();
}

}  // namespace

ModuleNames moduleNamesBeside(const std::filesystem::path& checkpoint) {
    const auto paths = ArtifactPaths::inFolder(checkpoint.parent_path(), prefixOf(checkpoint));
    if (!std::filesystem::exists(paths.trainingModel)) return {};
    try {
        return moduleNamesIn(*loadModel(paths.trainingModel));
    } catch (const Error&) {  // the checkpoint is readable without it
        return {};
    }
}

}  // namespace temper
