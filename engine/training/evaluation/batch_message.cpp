// SPDX-License-Identifier: Apache-2.0
#include "engine/training/evaluation/batch_message.h"

#include <cstring>

namespace temper {
namespace {

template <typename T>
void put(std::string& message, const T& value) {
    message.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void put(std::string& message, const Tensor& tensor) {
    put(message, tensor.dtype());
    if (tensor.empty()) return;
    put(message, tensor.rank());
    for (const int64_t dim : tensor.shape()) put(message, dim);
    message.append(reinterpret_cast<const char*>(tensor.data()), tensor.byteSize());
}

/// Reads what put() wrote.
class Reader {
public:
    explicit Reader(const std::string& message) : at_(message.data()) {}

    template <typename T>
    T take() {
        T value;
        std::memcpy(&value, at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }

    Tensor takeTensor() {
        const auto dtype = take<DType>();
        if (dtype == DType::Undefined) return {};
        Shape shape(static_cast<size_t>(take<int64_t>()));
        for (int64_t& dim : shape) dim = take<int64_t>();
        Tensor tensor(dtype, std::move(shape));
        if (tensor.byteSize() > 0) std::memcpy(tensor.mutableData(), at_, tensor.byteSize());
        at_ += tensor.byteSize();
        return tensor;
    }

private:
    const char* at_;
};

}  // namespace

std::string toMessage(const EvaluatedBatch& batch) {
    std::string message;
    put(message, batch.samples);
    put(message, batch.loss);
    put(message, batch.prediction);
    put(message, batch.target);
    return message;
}

EvaluatedBatch fromMessage(const std::string& message) {
    Reader reader(message);
    EvaluatedBatch batch;
    batch.samples = reader.take<int64_t>();
    batch.loss = reader.take<double>();
    batch.prediction = reader.takeTensor();
    batch.target = reader.takeTensor();
    return batch;
}

}  // namespace temper
