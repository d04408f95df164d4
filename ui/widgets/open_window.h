// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace temper::ui {

/// Shows a separate modeless window; it is deleted when closed.
inline void openWindow(QDialog* window) {
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
}

}  // namespace temper::ui
