// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/training/parameters/group_membership.h"

class QMenu;
class QWidget;

namespace temper::ui {

class StudioProject;

/// "2 · conv*, !conv1.bias", shortened: a group with its place, as the first match counts.
QString groupTitle(const std::vector<ParameterGroup>& groups, size_t index);

/// The subset of the names whose parameters can train.
std::set<std::string> groupable(const StudioProject& project, const std::set<std::string>& names);

/// Moves parameters to a group as one undoable step. Parameters that can't train stay where they
/// are. Returns the group's index afterwards; no value if they are in none.
std::optional<size_t> moveToGroup(StudioProject& project, const ParameterMove& move);

/// "Move to group": all groups, a new one, none. `chosen` receives the choice.
std::unique_ptr<QMenu> makeGroupMenu(const StudioProject& project,
                                     const std::set<std::string>& names,
                                     const std::function<void(const ParameterMove&)>& chosen,
                                     QWidget* parent);

}  // namespace temper::ui
