// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tensor_export.h"

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "engine/core/file.h"
#include "engine/data/npy_header.h"
#include "engine/data/tensor_numbers.h"

namespace temper {
namespace {

constexpr size_t kBlock = size_t{1} << 20;

/// Calls f(begin, end) block by block; false if it was stopped.
template <typename F>
bool forBlocks(size_t count, const std::stop_token& stop, Progress* progress, F&& f) {
    for (size_t begin = 0; begin < count; begin += kBlock) {
        if (stop.stop_requested()) return false;
        const size_t end = std::min(count, begin + kBlock);
        f(begin, end);
        if (progress != nullptr) *progress = static_cast<float>(end) / static_cast<float>(count);
    }
    return true;
}

template <typename Number>
void appendNumber(std::string& text, typename Number::Stored stored) {
    char digits[48];
    std::to_chars_result result{};
    if constexpr (std::is_same_v<Number, StoredNumber<bool>>) {
        text += stored ? '1' : '0';
        return;
    } else if constexpr (std::is_same_v<Number, StoredHalf> ||
                         std::is_same_v<Number, StoredBFloat16>) {
        result = std::to_chars(digits, digits + sizeof digits,
                               static_cast<float>(Number::toDouble(stored)));
    } else {
        result = std::to_chars(digits, digits + sizeof digits, stored);
    }
    text.append(digits, result.ptr);
}

}  // namespace

bool exportNpy(const std::filesystem::path& path, const Tensor& tensor, const std::stop_token& stop,
               Progress* progress) {
    const bool brain = tensor.dtype() == DType::BFloat16;
    AtomicFile file(path);
    file.write(formatNpyHeader(brain ? DType::Float32 : tensor.dtype(), tensor.shape()));
    const auto count = static_cast<size_t>(tensor.numElements());
    const size_t size = dtypeSize(tensor.dtype());
    std::vector<float> wide;
    const bool done = forBlocks(count, stop, progress, [&](size_t begin, size_t end) {
        if (!brain) {
            file.write(std::span(tensor.data() + begin * size, (end - begin) * size));
            return;
        }
        wide.clear();
        for (const uint16_t stored :
             storedValues<StoredBFloat16>(tensor).subspan(begin, end - begin))
            wide.push_back(floatFromBFloat16(stored));
        file.write(std::as_bytes(std::span(wide)));
    });
    if (done) file.commit();
    return done;
}

bool exportCsv(const std::filesystem::path& path, const Tensor& tensor, const std::stop_token& stop,
               Progress* progress) {
    const size_t columns =
        tensor.rank() > 1 ? static_cast<size_t>(std::max<int64_t>(1, tensor.shape().back())) : 1;
    AtomicFile file(path);
    std::string text;
    const bool done = visitStored(tensor.dtype(), [&]<typename Number>() {
        const auto values = storedValues<Number>(tensor);
        return forBlocks(values.size(), stop, progress, [&](size_t begin, size_t end) {
            text.clear();
            for (size_t i = begin; i < end; ++i) {
                appendNumber<Number>(text, values[i]);
                text += (i + 1) % columns == 0 ? '\n' : ',';
            }
            file.write(text);
        });
    });
    if (done) file.commit();
    return done;
}

}  // namespace temper
