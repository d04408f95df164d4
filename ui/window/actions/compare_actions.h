// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Shows weights side by side.
class CompareActions : public ActionGroup {
    Q_OBJECT
public:
    explicit CompareActions(const WindowContext& context);

    /// Compares two checkpoints or models.
    void compare(const QString& first, const QString& second);
    /// Compares the weights of the open model with those of another model or of a checkpoint.
    void compareModelWith(const QString& path);

private:
    void askFiles();
    void askFile();
};

}  // namespace temper::ui
