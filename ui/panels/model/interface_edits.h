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

/// What a person changes about the inputs and outputs of the model: their names, and inputs that
/// are constants. Each change is an edit of the project that can be undone.
class InterfaceEdits : public QObject {
    Q_OBJECT
public:
    /// `page` is what questions are asked above.
    InterfaceEdits(StudioProject& project, QWidget* page);

    /// Returns: whether another name is on its way; if not, `from` is still the name.
    bool rename(const QString& from, const QString& to);
    /// The input that a finding says to set to a constant; empty if it does not.
    QString fixableInput(const Finding& finding) const;
    /// Asks for the value of an input, in place of data.
    void askForConstant(const QString& input);
    /// A constant is an input again.
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
