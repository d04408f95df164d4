// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include "ui/messages/problem.h"

class QWidget;

namespace temper {
struct Finding;
}

namespace temper::ui {

class StudioProject;

/// The user's changes to the inputs and outputs of the model: their names, and inputs that are
/// constants. Each change is an undoable edit of the project.
class InterfaceEdits : public QObject {
    Q_OBJECT
public:
    /// `page`: the parent of the dialogs.
    InterfaceEdits(StudioProject& project, QWidget* page);

    /// Returns: whether a renaming is under way; if not, `from` is still the name.
    bool rename(const QString& from, const QString& to);
    /// The input that a finding recommends setting to a constant; empty if none.
    QString fixableInput(const Finding& finding) const;
    /// Asks for the value of an input, instead of data.
    void askForConstant(const QString& input);
    /// Makes a constant an input again.
    void release(const QString& input);

signals:
    /// The change is not possible.
    void refused(const temper::ui::Problem& why);

private:
    void fix(const QString& input, const QString& value);

    StudioProject& project_;
    QWidget* page_;
};

}  // namespace temper::ui
