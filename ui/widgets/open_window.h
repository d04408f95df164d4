// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace temper::ui {

/// Shows a window of its own that keeps nobody from working in the others; it goes when it is
/// closed.
inline void openWindow(QDialog* window) {
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
}

}  // namespace temper::ui
