// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/breadcrumb.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/theme.h"
#include "ui/widgets/name_elision.h"
#include "ui/widgets/page.h"

namespace temper::ui {

Breadcrumb::Breadcrumb(QWidget* parent) : QWidget(parent), row_(new QHBoxLayout(this)) {
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(em(this, 0.1));
    setAccessibleName(tr("Location of the selection"));
    // Long paths must not make the page wider.
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setMinimumHeight(em(this, 1.7));
}

void Breadcrumb::setPath(const QList<Crumb>& path) {
    if (path == path_) return;
    path_ = path;
    build();
}

void Breadcrumb::build() {
    while (QLayoutItem* item = row_->takeAt(0)) {
        if (item->widget() != nullptr) item->widget()->deleteLater();
        delete item;
    }
    for (qsizetype i = 0; i < path_.size(); ++i) {
        if (i > 0) row_->addWidget(makeLabel(QStringLiteral("›"), "muted", this));
        auto* button = new QToolButton(this);
        button->setAutoRaise(true);
        button->setText(
            fontMetrics().elidedText(path_[i].name, elideModeOf(path_[i].name), em(this, 11)));
        button->setToolTip(path_[i].name);
        button->setAccessibleName(tr("Go to %1").arg(path_[i].name));
        connect(button, &QToolButton::clicked, this,
                [this, group = path_[i].group] { emit groupRequested(group); });
        row_->addWidget(button);
    }
    row_->addStretch(1);
}

}  // namespace temper::ui
