// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/core/counted.h"
#include "engine/core/folder.h"
#include "engine/data/data_formats.h"
#include "engine/data/idx_file.h"

namespace temper {
namespace {

/// [N, H, W] becomes [N, 1, H, W]: one channel.
Tensor withChannel(const Tensor& images) {
    if (images.rank() != 3) return images;
    const Shape& shape = images.shape();
    return images.reshaped({shape[0], 1, shape[1], shape[2]});
}

std::shared_ptr<const Dataset> readPair(const IdxPair& pair, const FileResolver& resolver) {
    const Tensor images =
        withChannel(parseIdx(openUnpacked(pair.images, resolver).bytes, pair.images));
    const Tensor labels = parseIdx(openUnpacked(pair.labels, resolver).bytes, pair.labels);
    if (images.rank() < 2 || labels.rank() != 1) {
        throw badFile(labels.rank() != 1 ? pair.labels : pair.images,
                      "has shape " +
                          formatShape(labels.rank() != 1 ? labels.shape() : images.shape()) +
                          "; expected images [N, H, W] and labels [N]");
    }
    if (images.shape()[0] != labels.shape()[0]) {
        throw badFile(pair.labels, "has " + counted(labels.shape()[0], "label") + " for the " +
                                       counted(images.shape()[0], "image") + " of '" + pair.images +
                                       "'");
    }
    std::vector<Column> columns(2);
    columns[0].name = "images";
    columns[0].isImage = images.rank() == 4 && images.dtype() == DType::UInt8;
    columns[1].name = "labels";
    columns[1].isTarget = true;
    columns[1].classes = classesOfLabels(labels);
    return std::make_shared<TensorDataset>(std::move(columns),
                                           std::vector<Tensor>{images, labels.cast(DType::Int64)});
}

/// The images file of a part in a folder, e.g. of "train".
std::optional<std::string> imagesFile(const std::filesystem::path& folder, std::string_view part) {
    std::vector<std::string> found;
    for (const auto& entry : entriesOf(folder)) {
        const std::string name = entry.path().filename().string();
        const std::optional<IdxPair> pair = idxPairOf(name);
        if (pair && pair->images == name && name.find(part) != std::string::npos) {
            found.push_back(entry.path().string());
        }
    }
    // of "x" and "x.gz" the shorter name: no unpacking
    const auto first = std::min_element(found.begin(), found.end());
    return first == found.end() ? std::nullopt : std::optional(*first);
}

DataParts readFolder(const DataSpec& spec, const FileResolver& resolver) {
    const std::optional<std::string> training = imagesFile(spec.path, "train");
    if (!training) {
        throw Error(ErrorCode::NotFound,
                    "Folder '" + spec.path + "' has no train-images-idx3-ubyte file.",
                    "Name the images file itself if it is called otherwise.");
    }
    DataParts parts;
    parts.training = readPair(*idxPairOf(*training), resolver);
    for (const std::string_view part : {"t10k", "test"}) {
        const std::optional<std::string> evaluation = imagesFile(spec.path, part);
        if (!evaluation) continue;
        parts.evaluation = readPair(*idxPairOf(*evaluation), resolver);
        parts.evaluationOrigin = "the " + std::string(part) + " files";
        break;
    }
    return parts;
}

DataParts readIdxParts(const DataSpec& spec, const ReadContext& context) {
    const FileResolver& resolver = context.resolver;
    std::error_code ignored;
    if (std::filesystem::is_directory(spec.path, ignored)) return readFolder(spec, resolver);
    const std::optional<IdxPair> pair = idxPairOf(spec.path);
    if (!pair) {
        throw Error(ErrorCode::InvalidInput,
                    "The file of labels for '" + spec.path + "' can't be told from its name.",
                    "Name the files ...-images-idx3-ubyte and ...-labels-idx1-ubyte.");
    }
    DataParts parts;
    parts.training = readPair(*pair, resolver);
    return parts;
}

bool holdsIdxFiles(const std::string& folder) {
    for (const auto& entry : entriesOf(folder)) {
        const std::string name = entry.path().filename().string();
        for (const char* part : {"images-idx", "images.idx"}) {
            if (name.find(part) != std::string::npos) return true;
        }
    }
    return false;
}

}  // namespace

DataFormat idxFormat() {
    return {{"idx", "Images and labels (IDX, as MNIST)", {}},
            [](const std::string& path, const FileResolver&) {
                const std::string name = withoutGzip(path);
                return name.ends_with("-ubyte") || name.ends_with(".idx") || holdsIdxFiles(path);
            },
            readIdxParts};
}

}  // namespace temper
