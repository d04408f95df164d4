// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <span>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_group.h"
#include "engine/core/small_types.h"
#include "engine/onnx/graph_writer.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/proto.h"
#include "engine/ort/ort_model.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

/// Lets protobuf write to an AtomicFile; an error waits until protobuf has returned.
class FileStream : public google::protobuf::io::CopyingOutputStream {
public:
    explicit FileStream(AtomicFile& file) : file_(file) {}

    bool Write(const void* buffer, int size) override {
        try {
            file_.write({static_cast<const std::byte*>(buffer), static_cast<size_t>(size)});
            return true;
        } catch (...) {
            error_ = std::current_exception();
            return false;
        }
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    AtomicFile& file_;
    std::exception_ptr error_;
};

void checkMessageSize(size_t bytes, const std::string& hint) {
    if (bytes <= kMaxMessageBytes) return;
    throw Error(ErrorCode::Unsupported,
                "The model has at least " + counted(bytes, "byte") +
                    "; the limit without external data is 2 GiB.",
                hint);
}

void writeProto(const onnx::ModelProto& model, AtomicFile& file) {
    checkMessageSize(model.ByteSizeLong(), "Save it with a lower threshold for external data.");
    FileStream stream(file);
    bool done = false;
    {
        google::protobuf::io::CopyingOutputStreamAdaptor adaptor(&stream, 1 << 20);
        done = model.SerializeToZeroCopyStream(&adaptor) && adaptor.Flush();
    }
    stream.rethrow();
    TEMPER_ASSERT(done, "a model within protobuf's limits can be serialized");
}

/// The data file of a model: tensors one after the other, aligned.
class DataFile {
public:
    DataFile(const fs::path& path, const SaveOptions& options)
        : name_(path.filename().string()), file_(path), options_(options) {}

    void store(const Tensor& tensor, onnx::TensorProto& proto) {
        const bool isText = tensor.dtype() == DType::String;  // which no data file can hold
        if (isText || static_cast<int64_t>(tensor.byteSize()) < options_.externalDataThreshold) {
            return storeInline(tensor, proto);
        }
        const int64_t over = file_.size() % options_.alignment;
        if (over > 0)
            file_.write(std::string(static_cast<size_t>(options_.alignment - over), '\0'));
        proto.set_data_location(onnx::TensorProto::EXTERNAL);
        addEntry(proto, "location", name_);
        addEntry(proto, "offset", std::to_string(file_.size()));
        if (isSmall(tensor.dtype())) return append(packed(tensor), proto);
        append({tensor.data(), tensor.byteSize()}, proto);
    }
    void commit() { file_.commit(); }

private:
    void append(std::span<const std::byte> bytes, onnx::TensorProto& proto) {
        addEntry(proto, "length", std::to_string(bytes.size()));
        file_.write(bytes);
    }

    static void addEntry(onnx::TensorProto& proto, const char* key, const std::string& value) {
        onnx::StringStringEntryProto& entry = *proto.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
    }

    std::string name_;
    AtomicFile file_;
    const SaveOptions& options_;
};

void saveInline(const Graph& graph, const fs::path& path) {
    ModelMessage model;
    writeModel(graph, storeInline, *model);
    AtomicFile file(path);
    writeProto(*model, file);
    requireNoLostPages();
    file.commit();
}

void writeWithData(const Graph& graph, const fs::path& path, const SaveOptions& options) {
    DataFile data(path.string() + ".data", options);
    ModelMessage model;
    writeModel(
        graph,
        [&data](const Tensor& tensor, onnx::TensorProto& proto) { data.store(tensor, proto); },
        *model);
    AtomicFile file(path);
    writeProto(*model, file);
    requireNoLostPages();
    data.commit();
    file.commit();
}

/// The model and its data change together: either one without the other would be damaged.
void saveWithData(const Graph& graph, const fs::path& path, const SaveOptions& options) {
    FileGroup group(path.parent_path());
    group.write(path.filename(),
                [&](const fs::path& written) { writeWithData(graph, written, options); });
    group.commit();
}

}  // namespace

bool isOrtPath(const fs::path& path) {
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".ort";
}

void saveModel(const Graph& graph, const fs::path& path, const SaveOptions& options) {
    TEMPER_ASSERT(options.alignment > 0, "an alignment is a positive number");
    if (isOrtPath(path)) return writeFileAtomically(path, serializeOrtModel(graph));
    const bool isLarge = tensorBytes(graph) > options.maxInlineBytes;
    if (options.externalData || isLarge) return saveWithData(graph, path, options);
    saveInline(graph, path);
}

std::string serializeModel(const Graph& graph) {
    const char* hint = "Save the model into a file, with external data.";
    checkMessageSize(static_cast<size_t>(tensorBytes(graph)), hint);  // before copying them
    ModelMessage model;
    writeModel(graph, storeInline, *model);
    checkMessageSize(model->ByteSizeLong(), hint);
    return model->SerializeAsString();
}

}  // namespace temper
