// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "resources/embedded.h"

namespace temper::ui {

/// The content of a file that is part of the program: "lessons/iris/train.csv".
inline std::string embeddedText(std::string_view path) {
    const auto bytes = embeddedFile(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace temper::ui
