// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/busy_buttons.h"

namespace temper::ui {

void BusyButtons::refresh(bool isReady, bool isBusy) {
    if (isBusy) cancel_->show();
    for (QPushButton* start : starts_) {
        if (isBusy && start->hasFocus()) {
            started_ = start;
            cancel_->setFocus();
        }
        start->setEnabled(isReady && !isBusy);
    }
    if (isBusy) return;
    if (cancel_->hasFocus() && started_ != nullptr) started_->setFocus();
    started_ = nullptr;
    cancel_->hide();
}

}  // namespace temper::ui
