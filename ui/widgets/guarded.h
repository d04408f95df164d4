// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMessageBox>
#include <QWidget>
#include <exception>
#include <utility>

#include "ui/messages/problem.h"

namespace temper::ui {

/// Shows a problem in a dialog that does not block the window.
void showProblem(QWidget* parent, const Problem& problem);

/// Runs a slot's body; an exception becomes a dialog instead of the end of the program.
template <typename F>
void guarded(QWidget* parent, const QString& failure, F&& body) {
    try {
        std::forward<F>(body)();
    } catch (...) {
        showProblem(parent, problemFrom(std::current_exception(), failure));
    }
}

}  // namespace temper::ui
