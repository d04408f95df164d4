// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

struct LoadOptions {
    /// Constant nodes become literals, see Value::isLiteral(); otherwise they stay nodes.
    bool liftConstants = true;
    /// Receives what reading had to repair in the model: W006 a constant that is defined several
    /// times.
    std::vector<Finding>* remarks = nullptr;
    /// Notes in the model's metadata that the file has tensors beside it; models made from this one
    /// inherit the note, until takeExternalDataNote().
    bool noteExternalData = false;
    /// Converts a model whose functions import other versions of ONNX's operators than the model to
    /// one version, see unifyOpsets(). Without it such a model is an error.
    std::function<void(Graph&)> unifyOpsets = {};
    /// If set, a model in ONNX's format that contradicts itself is read all the same, to be viewed:
    /// each contradiction is an error in this list, and the graph has nodes of kFaultDomain in its
    /// place, see repairGraph(). Whoever sets it must refuse to compute, train or export if the
    /// list has errors. Without it such a model is an error.
    std::vector<Finding>* faults = nullptr;
};

/// The domain of operators that stand for contradictions of a model; nothing can compute them.
inline constexpr std::string_view kFaultDomain = "temper.fault";
/// The findings except those that an operator of that domain is unknown: the contradiction that it
/// stands for says more.
std::vector<Finding> withoutStandIns(std::vector<Finding> findings);

/// Removes the note of LoadOptions::noteExternalData. Returns: whether it was there.
bool takeExternalDataNote(Graph& graph);

struct SaveOptions {
    /// Write initializers beside the model, into `<file>.data`, even if the model is small.
    bool externalData = false;
    /// With external data, initializers below this many bytes stay in the model.
    int64_t externalDataThreshold = 1024;
    /// Models with more bytes of tensors than this get external data automatically: protobuf's
    /// limit is 2 GiB.
    int64_t maxInlineBytes = 1'800'000'000;
    /// Each tensor in the data file starts at a multiple of this many bytes.
    int64_t alignment = 64;
};

/// Whether ONNX Runtime regards a file of this name as one in ORT format: ".ort" in any case.
bool isOrtPath(const std::filesystem::path& path);

/// Reads an ONNX model (IR version 3 or newer, any opset), or one in ORT format (see
/// parseOrtModel()); the content decides which.
///
/// An input that has an initializer of the same name is that initializer. Bodies of If, Loop and
/// Scan are nested graphs whose captures() name the outer values they read. Model functions are
/// inlined. Large tensors keep the file's memory: external data is mapped, not copied.
/// Metadata of the model, its graphs, nodes and values are kept, also by saveModel(); ORT format
/// has only the model's. Not kept: training info, metadata of tensors and of Constant nodes,
/// quantization annotations.
/// Throws: Error(NotFound), Error(Io); Error(InvalidInput) naming the file and what is wrong in it;
/// Error(Unsupported), e.g. for string initializers and sparse tensors.
std::unique_ptr<Graph> loadModel(const std::filesystem::path& path, LoadOptions options = {});

/// The same for a model in memory. Without a folder, external data is an error.
std::unique_ptr<Graph> parseModel(std::span<const std::byte> bytes,
                                  const std::string& nameForErrors,
                                  const std::filesystem::path& folderOfExternalData = {},
                                  LoadOptions options = {});

/// Writes the model atomically; equal graphs give equal bytes. Literals become Constant nodes. If
/// isOrtPath(), writes ORT format, see serializeOrtModel(); no option applies to that. With
/// external data the data file is replaced just before the model.
/// Throws: Error(Io), the files are then as they were; Error(InvalidInput) for a cyclic graph.
void saveModel(const Graph& graph, const std::filesystem::path& path,
               const SaveOptions& options = {});

/// The bytes of the model with all tensors inside.
/// Throws: Error(Unsupported) above 2 GiB, where only saveModel() can help.
std::string serializeModel(const Graph& graph);

}  // namespace temper
