// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Copies the project as what does the same without the window: a command, a Python script.
class CopyActions : public ActionGroup {
    Q_OBJECT
public:
    explicit CopyActions(const WindowContext& context);

private:
    void copyCommand();
    void copyScript();
    /// The files of a lesson are inside the programs, which open them for a project only.
    bool canBeRepeated();
    /// The project's folder; empty if nobody chose one.
    std::filesystem::path place() const;
};

}  // namespace temper::ui
