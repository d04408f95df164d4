// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

class QImage;

namespace temper::ui {

/// Saves a picture of the window.
class PictureActions : public ActionGroup {
    Q_OBJECT
public:
    explicit PictureActions(const WindowContext& context);

    /// Saves as PNG, in a task; reports a file that can't be written.
    void save(const QImage& picture, const QString& path);

private:
    void askPicture();
};

}  // namespace temper::ui
