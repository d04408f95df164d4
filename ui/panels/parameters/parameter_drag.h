// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

class QMimeData;

namespace temper::ui {

/// Names of parameters, on their way from a table to a group.
inline constexpr const char* kParametersMimeType = "application/x-temper-parameters";

/// For other programs, the names as lines of text, too.
std::unique_ptr<QMimeData> parameterMimeData(const std::vector<std::string>& names);

/// Empty for anything else.
std::set<std::string> draggedParameters(const QMimeData& data);

}  // namespace temper::ui
