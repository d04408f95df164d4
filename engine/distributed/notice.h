// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "engine/core/error.h"

namespace temper {

/// What a rank tells the next one, which passes failures on: the ranks form a ring.
struct Notice {
    enum class Kind : int32_t { Alive, Failed, Lost, Leaving };

    Kind kind = Kind::Alive;
    int32_t rank = 0;  ///< that failed or was lost
    int32_t code = 0;  ///< ErrorCode
    std::array<char, 756> message{};
    std::array<char, 256> hint{};

    /// Texts that are too long are cut.
    static Notice of(Kind kind, int rank, const Error& error);
    bool isFailure() const { return kind == Kind::Failed || kind == Kind::Lost; }
    Error error() const;
};

static_assert(sizeof(Notice) == 1024);

}  // namespace temper
