// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/checkpoint_folder.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/folder.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/proto.h"
#include "engine/onnx/tensor_reader.h"

namespace temper {
namespace {

namespace fs = std::filesystem;
using google::protobuf::io::CodedInputStream;

constexpr std::string_view kEnding = ".pbseq";
constexpr std::string_view kGroupPrefix = "optim_";
constexpr std::string_view kMomentEnding = "_tensors.pbseq";
constexpr std::string_view kGroupEnding = "_properties.pbseq";
constexpr std::string_view kStep = "builtin.step";
constexpr std::string_view kInitialRate = "builtin.initial_learning_rate";

[[noreturn]] void throwCut() {
    throw Error(ErrorCode::InvalidInput, "The tensor sequence is truncated or damaged.",
                "Use another copy of the checkpoint.");
}

/// The messages of a file; none if it does not exist.
std::vector<onnx::TensorProto> readSequence(const fs::path& path) {
    if (!fs::exists(path)) return {};
    const std::string content = readFile(path);
    CodedInputStream stream(reinterpret_cast<const uint8_t*>(content.data()),
                            static_cast<int>(std::min(content.size(), kMaxMessageBytes)));
    uint32_t count = 0;
    if (!stream.ReadVarint32(&count)) throwCut();
    std::vector<onnx::TensorProto> result;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t length = 0;
        std::string message;
        const bool isRead = stream.ReadVarint32(&length) && length <= content.size() &&
                            stream.ReadString(&message, static_cast<int>(length));
        if (!isRead || !result.emplace_back().ParseFromString(message)) throwCut();
    }
    return result;
}

NamedTensor toTensor(onnx::TensorProto& proto) {
    ExternalData none{fs::path()};
    std::string name = proto.name();
    Tensor data = readTensor(proto, none, "Tensor '" + name + "'");
    return {std::move(name), std::move(data)};
}

/// Runs f; errors name the file in which they happened.
template <typename F>
void inFile(const fs::path& path, F&& f) {
    try {
        f();
    } catch (Error& error) {
        error.addContext("'" + path.filename().string() + "'");
        throw;
    }
}

std::vector<NamedTensor> readTensors(const fs::path& path) {
    std::vector<NamedTensor> result;
    inFile(path, [&] {
        for (onnx::TensorProto& proto : readSequence(path)) result.push_back(toTensor(proto));
    });
    return result;
}

PropertyValue toProperty(onnx::TensorProto& proto) {
    if (proto.data_type() == onnx::TensorProto::STRING && proto.string_data_size() == 1) {
        return proto.string_data(0);
    }
    const NamedTensor tensor = toTensor(proto);
    if (tensor.data.numElements() == 1) {
        if (tensor.data.dtype() == DType::Float32) return tensor.data.values<float>()[0];
        if (tensor.data.dtype() == DType::Int64) return tensor.data.values<int64_t>()[0];
    }
    throw Error(ErrorCode::InvalidInput,
                "Property '" + tensor.name + "' is " + std::string(dtypeName(tensor.data.dtype())) +
                    formatShape(tensor.data.shape()) + "; expected a number or a text.");
}

std::map<std::string, PropertyValue> readProperties(const fs::path& path) {
    std::map<std::string, PropertyValue> result;
    inFile(path, [&] {
        for (onnx::TensorProto& proto : readSequence(path)) {
            const std::string name = proto.name();
            result[name] = toProperty(proto);
        }
    });
    return result;
}

/// Reads the optimizer's groups from files such as "optim_group0_momentum1_tensors.pbseq".
class GroupReader {
public:
    std::vector<OptimizerGroupState> read(const fs::path& folder) {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
        std::ranges::sort(files);
        for (const fs::path& file : files) readFileOfGroup(file);
        std::vector<OptimizerGroupState> result;
        for (auto& [name, group] : groups_) result.push_back(std::move(group));
        return result;
    }

private:
    void readFileOfGroup(const fs::path& file) {
        std::string name = file.filename().string();
        if (!name.starts_with(kGroupPrefix)) return;
        name.erase(0, kGroupPrefix.size());
        if (name.ends_with(kGroupEnding)) {
            readCounters(file, groupNamed(name.substr(0, name.size() - kGroupEnding.size())));
        } else if (name.ends_with(kMomentEnding)) {
            name.resize(name.size() - kMomentEnding.size());
            const size_t end = name.rfind('_');
            if (end == std::string::npos) return;
            readMoments(file, groupNamed(name.substr(0, end)), name.substr(end + 1));
        }
    }

    OptimizerGroupState& groupNamed(const std::string& name) {
        OptimizerGroupState& group = groups_[name];
        group.name = name;
        return group;
    }

    static void readCounters(const fs::path& file, OptimizerGroupState& group) {
        for (const auto& [name, value] : readProperties(file)) {
            if (const auto* step = std::get_if<int64_t>(&value); step && name == kStep) {
                group.step = *step;
            }
            if (const auto* rate = std::get_if<float>(&value); rate && name == kInitialRate) {
                group.initialLearningRate = *rate;
            }
        }
    }

    static void readMoments(const fs::path& file, OptimizerGroupState& group,
                            const std::string& moment) {
        for (NamedTensor& tensor : readTensors(file)) {
            auto state =
                std::ranges::find(group.parameters, tensor.name, &ParameterState::parameter);
            if (state == group.parameters.end()) {
                state = group.parameters.insert(state, ParameterState{tensor.name, {}});
            }
            state->moments.push_back({moment, std::move(tensor.data)});
        }
    }

    std::map<std::string, OptimizerGroupState> groups_;
};

}  // namespace

bool isCheckpointFolder(const fs::path& path) {
    std::error_code unreadable;
    if (!fs::is_directory(path, unreadable)) return false;
    for (const auto& entry : entriesOf(path)) {
        if (entry.path().extension() == kEnding) return true;
    }
    return false;
}

CheckpointFile readCheckpointFolder(const fs::path& folder) {
    try {
        CheckpointFile result;
        result.trainable = readTensors(folder / "paramtrain_tensors.pbseq");
        result.frozen = readTensors(folder / "paramfrozen_tensors.pbseq");
        result.optimizerGroups = GroupReader().read(folder);
        result.properties = readProperties(folder / "custom_properties.pbseq");
        requireUniqueNames(result);
        return result;
    } catch (Error& error) {
        error.addContext("checkpoint '" + folder.string() + "'");
        throw;
    }
}

CheckpointFile loadCheckpoint(const fs::path& path) {
    return isCheckpointFolder(path) ? readCheckpointFolder(path) : readCheckpoint(path);
}

}  // namespace temper
