// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/notice.h"

#include <algorithm>
#include <string>

namespace temper {
namespace {

template <size_t kSize>
void put(std::array<char, kSize>& to, const std::string& text) {
    const size_t length = std::min(text.size(), kSize - 1);
    std::copy_n(text.begin(), length, to.begin());
    to[length] = 0;
}

}  // namespace

Notice Notice::of(Kind kind, int rank, const Error& error) {
    Notice notice;
    notice.kind = kind;
    notice.rank = rank;
    notice.code = static_cast<int32_t>(error.code());
    put(notice.message, error.what());
    put(notice.hint, error.hint());
    return notice;
}

Error Notice::error() const { return {static_cast<ErrorCode>(code), message.data(), hint.data()}; }

}  // namespace temper
