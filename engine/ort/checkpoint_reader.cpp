// SPDX-License-Identifier: Apache-2.0
#include <checkpoint_generated.h>

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "engine/core/file.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/ort/foreign_file.h"

namespace temper {
namespace {

using Bytes = std::span<const std::byte>;
template <typename T>
using FbsVector = flatbuffers::Vector<flatbuffers::Offset<T>>;

constexpr int32_t kOldestVersion = 1;
constexpr int32_t kNewestVersion = 2;
/// The schema nests six deep: checkpoint, group, state, tensor and their vectors.
constexpr flatbuffers::uoffset_t kMaxDepth = 16;
constexpr flatbuffers::uoffset_t kMaxTables = 1'000'000;
/// The root's offset, the identifier and the smallest table.
constexpr size_t kSmallestFile = 12;
/// FlatBuffers' offsets are 31 bits.
constexpr size_t kLargestFile = std::numeric_limits<int32_t>::max();

[[noreturn]] void throwInvalid(const std::string& message) {
    throw Error(ErrorCode::InvalidInput, message,
                "The checkpoint is damaged or was not written by ONNX Runtime or Temper; use "
                "another copy or generate it again.");
}

/// What f() returns; its errors learn where they happened.
template <typename F>
auto withContext(const std::string& context, F&& f) {
    try {
        return f();
    } catch (Error& error) {
        error.addContext(context);
        throw;
    }
}

template <typename T>
const T& required(const T* field, const std::string& message) {
    if (field == nullptr) throwInvalid(message);
    return *field;
}

/// Copies the bytes of tensors out of a checkpoint and its side file.
///
/// No byte of either is used twice: FlatBuffers lets many tables share one vector, which would
/// make a small file fill the memory.
class TensorReader {
public:
    TensorReader(Bytes checkpoint, std::optional<Bytes> external)
        : external_(external),
          inlineLeft_(checkpoint.size()),
          externalLeft_(external ? external->size() : 0) {}

    /// A parameter of a nominal checkpoint may be without data.
    NamedTensor read(const fbs::Tensor& tensor, bool nominal) {
        std::string name = required(tensor.name(), "A tensor has no name.").str();
        return withContext("tensor '" + name + "'", [&] {
            return NamedTensor{name, readData(tensor, nominal)};
        });
    }

private:
    Tensor readData(const fbs::Tensor& tensor, bool nominal) {
        const Shape shape = readShape(tensor);
        const DType dtype = readDType(tensor);
        const auto* raw = tensor.raw_data();
        if (nominal && raw != nullptr && raw->size() == 0 && shape.empty()) return {dtype, shape};
        const size_t needed = byteSize(dtype, shape);
        const Bytes source =
            raw != nullptr ? inlineBytes(*raw, needed, shape) : externalBytes(tensor, needed);
        return copy(dtype, shape, source);
    }

    static Shape readShape(const fbs::Tensor& tensor) {
        const auto& dims = required(tensor.dims(), "The tensor has no dimensions.");
        Shape shape(dims.size());
        // The verifier does not check that the elements of a vector are aligned.
        if (!shape.empty()) std::memcpy(shape.data(), dims.Data(), shape.size() * sizeof(int64_t));
        return shape;
    }

    static DType readDType(const fbs::Tensor& tensor) {
        const auto dtype = static_cast<DType>(tensor.data_type());
        if (checkpointHolds(dtype)) return dtype;
        throw Error(ErrorCode::Unsupported,
                    "The tensor has element type " + std::to_string(static_cast<int>(dtype)) +
                        " (" + std::string(dtypeName(dtype)) +
                        "); expected float32, float64, bool or an integer type.",
                    "ONNX Runtime can't load this checkpoint either; store the tensor as float32.");
    }

    static size_t byteSize(DType dtype, const Shape& shape) {
        const int64_t count = numElements(shape);
        int64_t bytes = 0;
        if (__builtin_mul_overflow(count, static_cast<int64_t>(dtypeSize(dtype)), &bytes)) {
            throwInvalid("The shape " + formatShape(shape) + " is larger than 2^63 bytes.");
        }
        return static_cast<size_t>(bytes);
    }

    Bytes inlineBytes(const flatbuffers::Vector<uint8_t>& raw, size_t needed, const Shape& shape) {
        if (raw.size() != needed) {
            throwInvalid("The tensor has " + std::to_string(raw.size()) + " bytes of data; shape " +
                         formatShape(shape) + " needs " + std::to_string(needed) + ".");
        }
        take(inlineLeft_, needed);
        return {reinterpret_cast<const std::byte*>(raw.Data()), needed};
    }

    Bytes externalBytes(const fbs::Tensor& tensor, size_t needed) {
        const int64_t offset = tensor.external_data_offset();
        if (offset < 0) throwInvalid("The tensor has neither raw data nor an external offset.");
        if (!external_) {
            throwInvalid(
                "The tensor has external data, but the checkpoint says it has no file of "
                "external data.");
        }
        const auto start = static_cast<size_t>(offset);
        if (start > external_->size() || needed > external_->size() - start) {
            throwInvalid("The tensor has " + std::to_string(needed) + " bytes at offset " +
                         std::to_string(offset) + " of the file of external data, which is only " +
                         std::to_string(external_->size()) + " bytes long.");
        }
        take(externalLeft_, needed);
        return external_->subspan(start, needed);
    }

    static void take(size_t& left, size_t bytes) {
        if (bytes > left) throwInvalid("The tensor shares its data with another one.");
        left -= bytes;
    }

    static Tensor copy(DType dtype, const Shape& shape, Bytes source) {
        Tensor tensor(dtype, shape);
        if (!source.empty()) std::memcpy(tensor.mutableData(), source.data(), source.size());
        if (dtype == DType::Bool) {
            // A C++ bool that is neither 0 nor 1 is undefined behaviour for whoever reads it.
            for (std::byte& value : std::span(tensor.mutableData(), source.size())) {
                value = value == std::byte{0} ? std::byte{0} : std::byte{1};
            }
        }
        return tensor;
    }

    std::optional<Bytes> external_;
    size_t inlineLeft_;
    size_t externalLeft_;
};

std::vector<NamedTensor> readTensors(const FbsVector<fbs::Tensor>& tensors, TensorReader& reader,
                                     bool nominal) {
    std::vector<NamedTensor> result;
    result.reserve(tensors.size());
    for (const fbs::Tensor* tensor : tensors) result.push_back(reader.read(*tensor, nominal));
    return result;
}

void readModule(const fbs::ModuleState& module, TensorReader& reader, CheckpointFile& result) {
    const auto& trainable =
        required(module.requires_grad_params(), "The list of trainable parameters is absent.");
    const auto& frozen =
        required(module.frozen_params(), "The list of frozen parameters is absent.");
    result.isNominal = module.is_nominal_state();
    result.hasExternalData = module.has_external_data();
    result.trainable = readTensors(trainable, reader, result.isNominal);
    result.frozen = readTensors(frozen, reader, result.isNominal);
}

ParameterState readParameterState(const fbs::ParameterOptimizerState& state, TensorReader& reader) {
    ParameterState result;
    result.parameter = required(state.param_name(), "An optimizer state names no parameter.").str();
    return withContext("optimizer state of '" + result.parameter + "'", [&] {
        const auto& moments = required(state.momentums(), "The list of moments is absent.");
        result.moments = readTensors(moments, reader, false);
        return result;
    });
}

OptimizerGroupState readGroup(const fbs::OptimizerGroup& group, TensorReader& reader) {
    OptimizerGroupState result;
    result.name = required(group.group_name(), "An optimizer group has no name.").str();
    return withContext("optimizer group '" + result.name + "'", [&] {
        result.step = group.step();
        result.initialLearningRate = group.initial_learning_rate();
        const auto& states = required(group.optimizer_states(), "The list of states is absent.");
        for (const auto* state : states) {
            result.parameters.push_back(readParameterState(*state, reader));
        }
        return result;
    });
}

void addProperty(CheckpointFile& result, const flatbuffers::String* name, PropertyValue value) {
    std::string key = required(name, "A property has no name.").str();
    if (result.properties.contains(key)) {
        throwInvalid("Property '" + key + "' appears more than once in the checkpoint.");
    }
    result.properties.emplace(std::move(key), std::move(value));
}

void readProperties(const fbs::PropertyBag& bag, CheckpointFile& result) {
    if (bag.ints() != nullptr) {
        for (const auto* property : *bag.ints()) {
            addProperty(result, property->name(), property->value());
        }
    }
    if (bag.floats() != nullptr) {
        for (const auto* property : *bag.floats()) {
            addProperty(result, property->name(), property->value());
        }
    }
    if (bag.strings() != nullptr) {
        for (const auto* property : *bag.strings()) {
            const auto& value = required(property->value(), "A text property has no value.");
            addProperty(result, property->name(), value.str());
        }
    }
}

/// The root table; everything it refers to is then known to lie within the bytes.
const fbs::Checkpoint& verifiedRoot(Bytes bytes) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    if (bytes.size() < kSmallestFile || !fbs::CheckpointBufferHasIdentifier(data)) {
        throwNotACheckpoint(bytes);
    }
    if (bytes.size() >= kLargestFile) {
        throwInvalid("The file has " + std::to_string(bytes.size()) +
                     " bytes; a checkpoint has less than 2 GiB.");
    }
    flatbuffers::Verifier verifier(data, bytes.size(), kMaxDepth, kMaxTables);
    if (!fbs::VerifyCheckpointBuffer(verifier)) {
        throwInvalid("The file starts like a checkpoint but is cut off or damaged.");
    }
    const fbs::Checkpoint& root = *fbs::GetCheckpoint(data);
    if (root.version() < kOldestVersion || root.version() > kNewestVersion) {
        throw Error(ErrorCode::Unsupported,
                    "The checkpoint has format version " + std::to_string(root.version()) +
                        "; expected 1 or 2.",
                    "It was written by another release of ONNX Runtime; use a newer Temper.");
    }
    return root;
}

bool needsExternalData(const fbs::Checkpoint& root) {
    return root.module_state() != nullptr && root.module_state()->has_external_data();
}

CheckpointFile readRoot(const fbs::Checkpoint& root, TensorReader reader) {
    CheckpointFile result;
    if (root.module_state() != nullptr) readModule(*root.module_state(), reader, result);
    if (root.optimizer_groups() != nullptr) {
        for (const auto* group : *root.optimizer_groups()) {
            result.optimizerGroups.push_back(readGroup(*group, reader));
        }
    }
    if (root.property_bag() != nullptr) readProperties(*root.property_bag(), result);
    requireUniqueNames(result);
    return result;
}

std::shared_ptr<const MappedFile> openExternalData(const std::filesystem::path& checkpoint) {
    const std::filesystem::path path = externalDataPath(checkpoint);
    if (!std::filesystem::exists(path)) {
        throw Error(ErrorCode::NotFound,
                    "The file of external data '" + path.string() + "' does not exist.",
                    "The checkpoint keeps its parameters there; copy both files together.");
    }
    return MappedFile::open(path);
}

CheckpointFile readMapped(Bytes bytes, const std::filesystem::path& path) {
    const fbs::Checkpoint& root = verifiedRoot(bytes);
    if (!needsExternalData(root)) return readRoot(root, {bytes, std::nullopt});
    const std::shared_ptr<const MappedFile> external = openExternalData(path);
    return readRoot(root, {bytes, external->bytes()});
}

CheckpointFile parseAligned(Bytes bytes) {
    const fbs::Checkpoint& root = verifiedRoot(bytes);
    if (needsExternalData(root)) {
        throw Error(ErrorCode::InvalidInput,
                    "The checkpoint has external data, but only its own bytes were given.",
                    "Read it from its file, with the file of external data beside it.");
    }
    return readRoot(root, {bytes, std::nullopt});
}

}  // namespace

CheckpointFile readCheckpoint(const std::filesystem::path& path) {
    return withContext("checkpoint '" + path.string() + "'", [&] {
        std::error_code absent;
        if (std::filesystem::is_directory(path, absent)) throwNotACheckpoint(path);
        return readMapped(MappedFile::open(path)->bytes(), path);
    });
}

CheckpointFile parseCheckpoint(std::span<const std::byte> bytes, const std::string& nameForErrors) {
    return withContext("checkpoint '" + nameForErrors + "'", [&] {
        const auto address = reinterpret_cast<uintptr_t>(bytes.data());
        if (address % alignof(int64_t) == 0) return parseAligned(bytes);
        const std::shared_ptr<std::byte> aligned = allocateAligned(bytes.size());
        std::memcpy(aligned.get(), bytes.data(), bytes.size());
        return parseAligned({aligned.get(), bytes.size()});
    });
}

}  // namespace temper
