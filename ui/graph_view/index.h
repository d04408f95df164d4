// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace temper::ui {

/// Converts the int indices of boxes, layers and items, as Qt's models use them, for containers.
constexpr size_t at(int index) { return static_cast<size_t>(index); }

}  // namespace temper::ui
