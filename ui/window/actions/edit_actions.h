// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Undoes and redoes edits of the project.
class EditActions : public ActionGroup {
    Q_OBJECT
public:
    explicit EditActions(const WindowContext& context);
};

}  // namespace temper::ui
