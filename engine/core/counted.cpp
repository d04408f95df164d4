// SPDX-License-Identifier: Apache-2.0
#include "engine/core/counted.h"

namespace temper {

std::string nounFor(bool isOne, std::string_view noun, std::string_view plural) {
    if (isOne) return std::string(noun);
    return plural.empty() ? std::string(noun) + 's' : std::string(plural);
}

}  // namespace temper
