// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/presenter_mode.h"

#include <QAbstractButton>
#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMainWindow>
#include <QSplitter>
#include <QStatusBar>
#include <QStyle>
#include <QTableView>
#include <QToolBar>
#include <cmath>

#include "ui/window/stage_rail.h"
#include "ui/window/window_docks.h"

namespace temper::ui {
namespace {

int grown(int length) { return static_cast<int>(std::lround(length * PresenterMode::kScale)); }

QSize grown(const QSize& size) { return {grown(size.width()), grown(size.height())}; }

/// The restored length; a length set by others meanwhile is kept.
int restored(int now, int large, int before) {
    return large != before && now == large ? before : now;
}

/// Classes to which a desktop may assign their own font.
constexpr const char* kClasses[] = {
    "QMenu",       "QMenuBar",          "QMessageBox",   "QTipLabel",
    "QStatusBar",  "QDockWidgetTitle",  "QToolButton",   "QPushButton",
    "QHeaderView", "QAbstractItemView", "QComboMenuItem"};

/// Whether a style sheet set the property, which then follows the type automatically.
bool isOfStyleSheet(const QWidget& widget, const char* property) {
    return widget.property(property).toBool();
}

}  // namespace

PresenterMode::PresenterMode(QMainWindow& window, StageRail& rail, WindowDocks& docks)
    : QObject(&window), window_(window), rail_(rail), docks_(docks) {
    window_.installEventFilter(this);
}

template <typename W>
void PresenterMode::restoreLater(W* object, std::function<void(W*)> undo) {
    undo_.push_back([kept = QPointer<W>(object), undo = std::move(undo)] {
        if (kept) undo(kept);
    });
}

void PresenterMode::setOn(bool on) {
    if (on == on_) return;
    on_ = on;
    on ? enter() : leave();
    emit toggled(on);
}

void PresenterMode::enter() {
    fonts_ = {{nullptr, QApplication::font()}};
    for (const char* name : kClasses)
        if (QApplication::font(name) != QApplication::font())
            fonts_.emplace_back(name, QApplication::font(name));
    layout_ = window_.saveState();
    keepSplitters();
    docks_.setPresenting(true);
    hideFrame();
    setFonts(kScale);
    emit typeScaleChanged(kScale);
    growLengths();
    emit presented(true);
}

void PresenterMode::leave() {
    emit presented(false);
    setFonts(1);
    emit typeScaleChanged(1);
    for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
    undo_.clear();
    docks_.setPresenting(false);
    // Layouts must have the old lengths before docks and splitters divide the room.
    QApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    window_.restoreState(layout_);
    docks_.arrange();
    QApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    for (const auto& [splitter, state] : splitters_)
        if (splitter) splitter->restoreState(state);
    splitters_.clear();
}

/// The first font is that of all classes without their own, and resets the others.
void PresenterMode::setFonts(double scale) {
    for (auto [name, font] : fonts_) {
        font.setPointSizeF(font.pointSizeF() * scale);
        QApplication::setFont(font, name);
    }
}

/// Hides the bars around the pages.
void PresenterMode::hideFrame() {
    rail_.setCompact(true);
    restoreLater<StageRail>(&rail_, [](StageRail* rail) { rail->setCompact(false); });
    QStatusBar* status = window_.statusBar();
    const bool hadStatus = !status->isHidden();
    status->hide();
    restoreLater<QStatusBar>(status, [hadStatus](QStatusBar* bar) { bar->setVisible(hadStatus); });
    for (QToolBar* bar : window_.findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        const Qt::ToolButtonStyle style = bar->toolButtonStyle();
        bar->setToolButtonStyle(Qt::ToolButtonIconOnly);
        restoreLater<QToolBar>(bar, [style](QToolBar* back) { back->setToolButtonStyle(style); });
    }
}

// ---- lengths -----------------------------------------------------------------------------------

void PresenterMode::keepSplitters() {
    for (QSplitter* splitter : window_.findChildren<QSplitter*>())
        splitters_.emplace_back(splitter, splitter->saveState());
}

void PresenterMode::growLengths() {
    for (QWidget* widget : window_.findChildren<QWidget*>()) {
        // Qt's internal widgets are laid out by their owners.
        if (widget->objectName().startsWith(QLatin1String("qt_"))) continue;
        if (widget->window() != &window_) continue;
        growWidget(widget);
        growIcons(widget);
        if (auto* table = qobject_cast<QTableView*>(widget)) growTable(table);
    }
}

/// Scales lengths in pixels that were set for the old font size.
void PresenterMode::growWidget(QWidget* widget) {
    if (qobject_cast<QHeaderView*>(widget) != nullptr) return;
    const QSize least = widget->minimumSize(), most = widget->maximumSize();
    const auto largeLeastOf = [&](int length, const char* property) {
        return isOfStyleSheet(*widget, property) ? length : grown(length);
    };
    const auto largeMostOf = [&](int length, const char* property) {
        const bool isFree = length >= QWIDGETSIZE_MAX || isOfStyleSheet(*widget, property);
        return isFree ? length : grown(length);
    };
    const QSize largeMost(largeMostOf(most.width(), "_q_stylesheet_maxw"),
                          largeMostOf(most.height(), "_q_stylesheet_maxh"));
    const QSize largeLeast(largeLeastOf(least.width(), "_q_stylesheet_minw"),
                           largeLeastOf(least.height(), "_q_stylesheet_minh"));
    if (largeMost == most && largeLeast == least) return;
    widget->setMaximumSize(largeMost);
    widget->setMinimumSize(largeLeast);
    restoreLater<QWidget>(widget, [=](QWidget* back) {
        const QSize nowLeast = back->minimumSize(), nowMost = back->maximumSize();
        back->setMinimumSize(restored(nowLeast.width(), largeLeast.width(), least.width()),
                             restored(nowLeast.height(), largeLeast.height(), least.height()));
        back->setMaximumSize(restored(nowMost.width(), largeMost.width(), most.width()),
                             restored(nowMost.height(), largeMost.height(), most.height()));
    });
}

void PresenterMode::growIcons(QWidget* widget) {
    const auto grow = [this](auto* owner) {
        const QSize before = owner->iconSize();
        const int usual = owner->style()->pixelMetric(QStyle::PM_SmallIconSize);
        owner->setIconSize(grown(before.isValid() ? before : QSize(usual, usual)));
        using Owner = std::remove_pointer_t<decltype(owner)>;
        restoreLater<Owner>(owner, [before](Owner* back) { back->setIconSize(before); });
    };
    // Buttons of a bar follow it.
    if (auto* bar = qobject_cast<QToolBar*>(widget)) return grow(bar);
    if (qobject_cast<QToolBar*>(widget->parentWidget()) != nullptr) return;
    if (auto* button = qobject_cast<QAbstractButton*>(widget)) return grow(button);
    if (auto* view = qobject_cast<QAbstractItemView*>(widget)) grow(view);
}

void PresenterMode::growTable(QTableView* table) {
    QHeaderView* rows = table->verticalHeader();
    const int row = rows->defaultSectionSize();
    rows->setDefaultSectionSize(grown(row));
    restoreLater<QTableView>(
        table, [row](QTableView* back) { back->verticalHeader()->setDefaultSectionSize(row); });
    QHeaderView* columns = table->horizontalHeader();
    for (int i = 0; i < columns->count(); ++i) {
        const int width = columns->sectionSize(i);
        if (columns->sectionResizeMode(i) != QHeaderView::Interactive || width == 0) continue;
        columns->resizeSection(i, grown(width));
        restoreLater<QHeaderView>(columns, [i, width](QHeaderView* back) {
            if (i < back->count()) back->resizeSection(i, width);
        });
    }
}

bool PresenterMode::eventFilter(QObject* watched, QEvent* event) {
    if (on_ && watched == &window_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        setOn(false);
        return true;
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace temper::ui
