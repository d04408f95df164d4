// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Copies the project as an equivalent without the window: a command or a Python script.
class CopyActions : public ActionGroup {
    Q_OBJECT
public:
    explicit CopyActions(const WindowContext& context);

private:
    void copyCommand();
    void copyScript();
    /// False for a lesson without a place: their files are inside the programs, which open them
    /// only for a project.
    bool canBeRepeated();
    /// The project's folder; empty if the user chose none.
    std::filesystem::path place() const;
};

}  // namespace temper::ui
