// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "engine/core/file.h"
#include "engine/core/tensor.h"
#include "engine/onnx/proto.h"

namespace temper {

/// The files with tensor data beside a model, mapped once each.
///
/// A model may come from anywhere, so it can only access files in its own folder: absolute paths,
/// ".." and symbolic links that leave the folder are refused.
class ExternalData {
public:
    /// An empty folder: external data is refused.
    explicit ExternalData(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// The tensor whose location `proto` gives; shares the mapped memory if its alignment allows.
    /// Throws: Error(InvalidInput) for a bad location, Error(NotFound) for a missing file.
    Tensor read(const onnx::TensorProto& proto, DType dtype, Shape shape, size_t byteSize,
                const std::string& what);

    /// Whether any tensor was in a file.
    bool wasRead() const { return !files_.empty(); }

private:
    std::filesystem::path resolve(const std::string& location, const std::string& what) const;
    std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

    std::filesystem::path folder_;
    std::map<std::filesystem::path, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace temper
