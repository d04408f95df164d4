// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/page_scroll.h"

#include <QEvent>

#include "ui/theme/theme.h"

namespace temper::ui {
namespace {

/// Width left for a page in the smallest window, in line heights.
constexpr double kMinWidth = 8;
constexpr double kMinHeight = 3;

}  // namespace

PageScroll::PageScroll(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
}

void PageScroll::setPage(QWidget* page) {
    page->setProperty("scrolled", true);
    setWidget(page);
}

QSize PageScroll::needed() const { return widget()->minimumSizeHint(); }

QSize PageScroll::sizeHint() const { return widget()->sizeHint(); }

QSize PageScroll::minimumSizeHint() const {
    return needed().boundedTo({em(this, kMinWidth), em(this, kMinHeight)});
}

/// The needs of the page determine the width of the rail beside it.
bool PageScroll::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

}  // namespace temper::ui
