// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Trains, and writes training files.
class ArtifactActions : public ActionGroup {
    Q_OBJECT
public:
    explicit ArtifactActions(const WindowContext& context);

private:
    void askFolder();
    void write(const QString& folder);
};

}  // namespace temper::ui
