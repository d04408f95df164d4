// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/page_frame.h"

#include <QEvent>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/window/stage_rail.h"

namespace temper::ui {
namespace {

/// The width of a window that has room for a page, a dock beside it and a rail with words, in
/// line heights.
constexpr double kWide = 84;

}  // namespace

PageFrame::PageFrame(QWidget* parent)
    : QWidget(parent), rail_(new StageRail(this)), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(0, em(this, 0.4), em(this, 0.4), 0);
    column_->setSpacing(0);
}

/// The minimum width of the pages.
int PageFrame::leastColumnWidth() const {
    return column_->totalMinimumSize().width() - column_->contentsMargins().left();
}

QSize PageFrame::minimumSizeHint() const {
    return {leastColumnWidth() + rail_->widthWhen(true),
            std::max(column_->totalMinimumSize().height(), rail_->minimumSizeHint().height())};
}

void PageFrame::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

/// A new font or state of a row changes the width of the rail.
bool PageFrame::event(QEvent* event) {
    const bool done = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) arrange();
    return done;
}

void PageFrame::arrange() {
    rail_->setNarrow(window()->width() < em(this, kWide));
    const int railWidth = rail_->sizeHint().width();
    rail_->setGeometry(0, 0, railWidth, height());
    QMargins margins = column_->contentsMargins();
    if (margins.left() == railWidth) return;
    margins.setLeft(railWidth);
    column_->setContentsMargins(margins);
}

}  // namespace temper::ui
