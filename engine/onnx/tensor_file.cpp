// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/tensor_file.h"

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/proto.h"
#include "engine/onnx/tensor_reader.h"

namespace temper {

Tensor readTensorFile(const std::filesystem::path& path) {
    const std::string what = "Tensor '" + path.string() + "'";
    onnx::TensorProto proto;
    if (!proto.ParseFromString(readFile(path))) {
        throw Error(ErrorCode::InvalidInput, what + " is not a serialized TensorProto.",
                    "Expected a file such as 'input_0.pb' of an ONNX backend test.");
    }
    ExternalData noExternalData{std::filesystem::path()};
    return readTensor(proto, noExternalData, what);
}

}  // namespace temper
