// SPDX-License-Identifier: Apache-2.0
#include <checkpoint_generated.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/file.h"
#include "engine/core/file_group.h"
#include "engine/ort/checkpoint_file.h"

namespace temper {
namespace {

template <typename T>
using Offset = flatbuffers::Offset<T>;
template <typename T>
using Offsets = std::vector<Offset<T>>;
template <typename T>
using FbsVector = flatbuffers::Vector<Offset<T>>;

constexpr int32_t kVersion = 2;
constexpr int64_t kMebibyte = 1024 * 1024;
/// Room for a table, its vectors' lengths and padding, on top of names, dimensions and data.
constexpr int64_t kTableBytes = 128;
/// FlatBuffers' offsets are 31 bits.
constexpr int64_t kMaxFileBytes = std::numeric_limits<int32_t>::max() - kMebibyte;

int64_t dataBytes(const std::vector<NamedTensor>& tensors) {
    int64_t bytes = 0;
    for (const NamedTensor& tensor : tensors) bytes += static_cast<int64_t>(tensor.data.byteSize());
    return bytes;
}

int64_t parameterBytes(const CheckpointFile& checkpoint) {
    if (checkpoint.isNominal) return 0;
    return dataBytes(checkpoint.trainable) + dataBytes(checkpoint.frozen);
}

int64_t momentBytes(const CheckpointFile& checkpoint) {
    int64_t bytes = 0;
    for (const OptimizerGroupState& group : checkpoint.optimizerGroups) {
        for (const ParameterState& state : group.parameters) bytes += dataBytes(state.moments);
    }
    return bytes;
}

int64_t textBytes(const std::string& text) {
    return static_cast<int64_t>(text.size()) + kTableBytes;
}

int64_t headBytes(const std::vector<NamedTensor>& tensors) {
    int64_t bytes = kTableBytes;
    for (const NamedTensor& tensor : tensors) {
        bytes += textBytes(tensor.name) + 8 * tensor.data.rank();
    }
    return bytes;
}

/// At least the size of the file without the data of tensors.
int64_t headBytes(const CheckpointFile& checkpoint) {
    int64_t bytes = headBytes(checkpoint.trainable) + headBytes(checkpoint.frozen);
    for (const OptimizerGroupState& group : checkpoint.optimizerGroups) {
        bytes += textBytes(group.name);
        for (const ParameterState& state : group.parameters) {
            bytes += textBytes(state.parameter) + headBytes(state.moments);
        }
    }
    for (const auto& [name, value] : checkpoint.properties) {
        const auto* text = std::get_if<std::string>(&value);
        bytes += textBytes(name) + (text != nullptr ? textBytes(*text) : 0);
    }
    return bytes + kTableBytes;
}

/// What goes to the side file, and the maximum size of the checkpoint itself.
struct Layout {
    bool externalParameters = false;
    bool externalMoments = false;
    int64_t fileBytes = 0;
};

Layout inlineLayout(const CheckpointFile& checkpoint) {
    return {.fileBytes =
                headBytes(checkpoint) + parameterBytes(checkpoint) + momentBytes(checkpoint)};
}

bool wantsExternalData(const CheckpointFile& checkpoint, const WriteOptions& options) {
    if (checkpoint.isNominal) return false;
    if (checkpoint.hasExternalData) return true;
    const int64_t bytes = std::max<int64_t>(parameterBytes(checkpoint), 1);
    const int64_t rounded = (bytes + kMebibyte - 1) / kMebibyte * kMebibyte;
    return rounded >= options.externalDataThreshold;
}

/// ONNX Runtime reads moments from the checkpoint only. If the moments are too large for it by
/// themselves, they go to the side file nevertheless: Temper can then resume a training run, but
/// ONNX Runtime can't.
Layout layoutFor(const CheckpointFile& checkpoint, const WriteOptions& options) {
    Layout layout = inlineLayout(checkpoint);
    layout.externalParameters = !checkpoint.isNominal && (wantsExternalData(checkpoint, options) ||
                                                          layout.fileBytes > kMaxFileBytes);
    if (!layout.externalParameters) return layout;
    const int64_t kept = headBytes(checkpoint) + momentBytes(checkpoint);
    const int64_t parameters = std::max<int64_t>(parameterBytes(checkpoint), 1);
    const auto tensors =
        static_cast<int64_t>(checkpoint.trainable.size() + checkpoint.frozen.size());
    const int64_t small = std::max<int64_t>(options.smallestExternalTensor, 0);
    layout.fileBytes = kept + (small == 0 ? 0 : std::min(parameters, tensors * small));
    layout.externalMoments = layout.fileBytes > kMaxFileBytes;
    if (layout.externalMoments) layout.fileBytes -= momentBytes(checkpoint);
    return layout;
}

/// Pointers to the elements, in the order of writing.
template <typename T>
std::vector<const T*> ordered(const std::vector<T>& items, bool byName, std::string T::*name) {
    std::vector<const T*> result;
    for (const T& item : items) result.push_back(&item);
    if (byName) {
        std::ranges::sort(result, {}, [name](const T* item) { return item->*name; });
    }
    return result;
}

/// The data of parameters one after another, each aligned to its elements.
class SideFile {
public:
    explicit SideFile(const std::filesystem::path& path) : file_(path) {}

    /// Returns: the offset of the data.
    int64_t append(const Tensor& tensor) {
        constexpr std::array<std::byte, 8> kZeros{};
        const int64_t alignment = dtypeSize(tensor.dtype()) == 8 ? 8 : 4;
        const int64_t padding = (alignment - file_.size() % alignment) % alignment;
        file_.write(std::span(kZeros).first(static_cast<size_t>(padding)));
        const int64_t offset = file_.size();
        file_.write({tensor.data(), tensor.byteSize()});
        return offset;
    }

    void commit() { file_.commit(); }

private:
    AtomicFile file_;
};

/// Builds the FlatBuffer; tensors go to the side file as the layout says.
class CheckpointBuilder {
public:
    CheckpointBuilder(const WriteOptions& options, const Layout& layout, SideFile* side)
        : options_(options),
          layout_(layout),
          side_(side),
          builder_(static_cast<size_t>(layout.fileBytes)) {}

    std::string_view build(const CheckpointFile& checkpoint) {
        const auto module = writeModule(checkpoint);
        const auto groups = writeGroups(checkpoint.optimizerGroups);
        const auto properties = writeProperties(checkpoint.properties);
        fbs::FinishCheckpointBuffer(
            builder_, fbs::CreateCheckpoint(builder_, kVersion, module, groups, properties));
        return {reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize()};
    }

private:
    Offset<fbs::ModuleState> writeModule(const CheckpointFile& checkpoint) {
        if (checkpoint.trainable.empty() && checkpoint.frozen.empty()) return {};
        const auto trainable = writeParameters(checkpoint.trainable, checkpoint.isNominal);
        const auto frozen = writeParameters(checkpoint.frozen, checkpoint.isNominal);
        return fbs::CreateModuleState(builder_, trainable, frozen, checkpoint.isNominal,
                                      layout_.externalParameters);
    }

    Offset<FbsVector<fbs::Tensor>> writeParameters(const std::vector<NamedTensor>& parameters,
                                                   bool nominal) {
        Offsets<fbs::Tensor> tensors;
        for (const NamedTensor* parameter : inOrder(parameters, &NamedTensor::name)) {
            tensors.push_back(nominal ? writeNominal(*parameter)
                                      : writeTensor(*parameter, layout_.externalParameters));
        }
        return builder_.CreateVector(tensors);
    }

    /// Only name and type; dimensions and data are present but empty.
    Offset<fbs::Tensor> writeNominal(const NamedTensor& tensor) {
        const auto name = builder_.CreateString(tensor.name);
        const auto dims = builder_.CreateVector(std::vector<int64_t>{});
        const auto raw = builder_.CreateVector(std::vector<uint8_t>{});
        return fbs::CreateTensor(builder_, name, 0, dims, dtypeOf(tensor), raw);
    }

    Offset<fbs::Tensor> writeTensor(const NamedTensor& tensor, bool external) {
        const auto name = builder_.CreateString(tensor.name);
        const auto dims = builder_.CreateVector(tensor.data.shape());
        const auto bytes = static_cast<int64_t>(tensor.data.byteSize());
        if (external && side_ != nullptr && bytes >= options_.smallestExternalTensor) {
            const int64_t offset = side_->append(tensor.data);
            return fbs::CreateTensor(builder_, name, 0, dims, dtypeOf(tensor), 0, 0, offset);
        }
        const auto* data = reinterpret_cast<const uint8_t*>(tensor.data.data());
        const auto raw = builder_.CreateVector(data, tensor.data.byteSize());
        return fbs::CreateTensor(builder_, name, 0, dims, dtypeOf(tensor), raw);
    }

    static fbs::TensorDataType dtypeOf(const NamedTensor& tensor) {
        return static_cast<fbs::TensorDataType>(tensor.data.dtype());
    }

    Offset<FbsVector<fbs::OptimizerGroup>> writeGroups(
        const std::vector<OptimizerGroupState>& groups) {
        if (groups.empty()) return {};
        Offsets<fbs::OptimizerGroup> offsets;
        for (const auto* group : inOrder(groups, &OptimizerGroupState::name)) {
            offsets.push_back(writeGroup(*group));
        }
        return builder_.CreateVector(offsets);
    }

    Offset<fbs::OptimizerGroup> writeGroup(const OptimizerGroupState& group) {
        Offsets<fbs::ParameterOptimizerState> states;
        for (const auto* state : inOrder(group.parameters, &ParameterState::parameter)) {
            const auto moments = writeMoments(state->moments);
            const auto name = builder_.CreateString(state->parameter);
            states.push_back(fbs::CreateParameterOptimizerState(builder_, name, moments));
        }
        const auto name = builder_.CreateString(group.name);
        return fbs::CreateOptimizerGroup(builder_, name, group.step, group.initialLearningRate,
                                         builder_.CreateVector(states));
    }

    Offset<FbsVector<fbs::Tensor>> writeMoments(const std::vector<NamedTensor>& moments) {
        Offsets<fbs::Tensor> tensors;
        for (const NamedTensor* moment : inOrder(moments, &NamedTensor::name)) {
            tensors.push_back(writeTensor(*moment, layout_.externalMoments));
        }
        return builder_.CreateVector(tensors);
    }

    Offset<fbs::PropertyBag> writeProperties(
        const std::map<std::string, PropertyValue>& properties) {
        if (properties.empty()) return {};
        Offsets<fbs::IntProperty> ints;
        Offsets<fbs::FloatProperty> floats;
        Offsets<fbs::StringProperty> strings;
        for (const auto& [key, value] : properties) {
            const auto name = builder_.CreateString(key);
            if (const auto* number = std::get_if<int64_t>(&value)) {
                ints.push_back(fbs::CreateIntProperty(builder_, name, *number));
            } else if (const auto* real = std::get_if<float>(&value)) {
                floats.push_back(fbs::CreateFloatProperty(builder_, name, *real));
            } else {
                const auto text = builder_.CreateString(std::get<std::string>(value));
                strings.push_back(fbs::CreateStringProperty(builder_, name, text));
            }
        }
        const auto intVector = builder_.CreateVector(ints);
        const auto floatVector = builder_.CreateVector(floats);
        return fbs::CreatePropertyBag(builder_, intVector, floatVector,
                                      builder_.CreateVector(strings));
    }

    template <typename T>
    std::vector<const T*> inOrder(const std::vector<T>& items, std::string T::*name) const {
        return ordered(items, options_.sortByName, name);
    }

    const WriteOptions& options_;
    const Layout& layout_;
    SideFile* side_;
    flatbuffers::FlatBufferBuilder builder_;
};

void requireStorable(const std::vector<NamedTensor>& tensors, const std::string& what) {
    for (const NamedTensor& tensor : tensors) {
        if (checkpointHolds(tensor.data.dtype())) continue;
        throw Error(ErrorCode::Unsupported,
                    what + " '" + tensor.name + "' has element type " +
                        std::string(dtypeName(tensor.data.dtype())) +
                        "; a checkpoint holds float32, float64, bool and integer types only.",
                    "Convert it to float32.");
    }
}

void requireStorable(const CheckpointFile& checkpoint) {
    requireUniqueNames(checkpoint);
    requireStorable(checkpoint.trainable, "Parameter");
    requireStorable(checkpoint.frozen, "Parameter");
    for (const OptimizerGroupState& group : checkpoint.optimizerGroups) {
        for (const ParameterState& state : group.parameters) {
            requireStorable(state.moments, "Of parameter '" + state.parameter + "' the moment");
        }
    }
}

void requireFits(const Layout& layout) {
    if (layout.fileBytes <= kMaxFileBytes) return;
    throw Error(ErrorCode::Unsupported,
                "The checkpoint would have " + counted(layout.fileBytes, "byte") +
                    "; the format allows less than 2 GiB.",
                "Write it to a file: large parameters are then stored as external data.");
}

void write(const CheckpointFile& checkpoint, const std::filesystem::path& path,
           const WriteOptions& options, const Layout& layout) {
    std::optional<SideFile> side;
    if (layout.externalParameters) side.emplace(externalDataPath(path));
    CheckpointBuilder builder(options, layout, side ? &*side : nullptr);
    AtomicFile file(path);
    file.write(builder.build(checkpoint));
    requireNoLostPages();
    if (side) side->commit();
    file.commit();
}

}  // namespace

void writeCheckpoint(const CheckpointFile& checkpoint, const std::filesystem::path& path,
                     const WriteOptions& options) {
    requireStorable(checkpoint);
    const Layout layout = layoutFor(checkpoint, options);
    requireFits(layout);
    if (!layout.externalParameters) return write(checkpoint, path, options, layout);
    // The checkpoint and its side file change together: either one without the other would be
    // damaged.
    FileGroup group(path.parent_path());
    group.write(path.filename(), [&](const std::filesystem::path& written) {
        write(checkpoint, written, options, layout);
    });
    group.commit();
}

std::string serializeCheckpoint(const CheckpointFile& checkpoint, const WriteOptions& options) {
    requireStorable(checkpoint);
    const Layout layout = inlineLayout(checkpoint);
    requireFits(layout);
    CheckpointBuilder builder(options, layout, nullptr);
    return std::string(builder.build(checkpoint));
}

}  // namespace temper
