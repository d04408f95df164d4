// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

class QMimeData;

namespace temper::ui {

/// MIME type of parameter names dragged from a table to a group.
inline constexpr const char* kParametersMimeType = "application/x-temper-parameters";

/// Also contains the names as lines of text, for other programs.
std::unique_ptr<QMimeData> parameterMimeData(const std::vector<std::string>& names);

/// Empty for anything else.
std::set<std::string> draggedParameters(const QMimeData& data);

}  // namespace temper::ui
