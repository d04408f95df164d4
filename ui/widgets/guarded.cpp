// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/guarded.h"

namespace temper::ui {

void showProblem(QWidget* parent, const Problem& problem) {
    auto* box = new QMessageBox(QMessageBox::Warning, problem.title, problem.title, QMessageBox::Ok,
                                parent);
    box->setObjectName(QStringLiteral("problemDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    QString details = problem.message;
    if (!problem.hint.isEmpty()) details += QStringLiteral("\n\n") + problem.hint;
    box->setInformativeText(details);
    box->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    box->open();
}

}  // namespace temper::ui
