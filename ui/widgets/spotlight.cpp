// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/spotlight.h"

namespace temper::ui {

void Spotlight::show(QWidget* page, QWidget* widget) {
    end();
    widget_ = widget;
    for (QWidget* inside = widget; inside != page; inside = inside->parentWidget()) {
        QWidget* around = inside->parentWidget();
        if (auto* splitter = qobject_cast<QSplitter*>(around))
            splitters_.emplace_back(splitter, splitter->saveState());
        for (QWidget* beside :
             around->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            // A splitter hides the handles of hidden parts.
            const bool isHandle = qobject_cast<QSplitterHandle*>(beside) != nullptr;
            if (beside == inside || beside->isHidden() || isHandle) continue;
            beside->hide();
            hidden_.emplace_back(beside);
        }
    }
    QFont large = page->font();
    large.setPointSizeF(large.pointSizeF() * kScale);
    widget->setFont(large);
}

void Spotlight::end() {
    for (const auto& each : hidden_)
        if (each) each->show();
    hidden_.clear();
    for (const auto& [splitter, state] : splitters_)
        if (splitter) splitter->restoreState(state);
    splitters_.clear();
    if (widget_) widget_->setFont(QFont());
    widget_.clear();
}

}  // namespace temper::ui
