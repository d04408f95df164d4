// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QPushButton>
#include <vector>

namespace temper::ui {

/// Buttons that start long work, and the one that cancels it, which is shown while it goes on. A
/// button that is switched off loses the keyboard's focus: it goes to the one that cancels, and
/// back in the end.
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
