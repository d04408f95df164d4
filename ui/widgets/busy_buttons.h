// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QPushButton>
#include <vector>

namespace temper::ui {

/// Buttons that start long work, and the one that cancels it, shown while the work continues. A
/// disabled button loses the keyboard focus: the focus moves to the cancel button, and back at the
/// end.
class BusyButtons {
public:
    BusyButtons() = default;
    BusyButtons(std::vector<QPushButton*> starts, QPushButton* cancel)
        : starts_(std::move(starts)), cancel_(cancel) {}

    void refresh(bool isReady, bool isBusy);

private:
    std::vector<QPushButton*> starts_;
    QPushButton* cancel_ = nullptr;
    QPointer<QPushButton> started_;  ///< had the focus
};

}  // namespace temper::ui
