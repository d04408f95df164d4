// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explain/explain.h"

#include <QAbstractItemView>
#include <QTabBar>
#include <QTabWidget>

namespace temper::ui {
namespace {

QString ownTerm(const QWidget* widget) { return widget->property("explain").toString(); }

QString cellTerm(const QWidget* widget) {
    const auto* view = qobject_cast<const QAbstractItemView*>(widget);
    return view != nullptr ? view->currentIndex().data(kExplainRole).toString() : QString();
}

/// A tab bar has the term of the current tab's page.
QString tabTerm(const QWidget* widget) {
    if (qobject_cast<const QTabBar*>(widget) == nullptr) return {};
    const auto* tabs = qobject_cast<const QTabWidget*>(widget->parentWidget());
    return tabs != nullptr && tabs->currentWidget() != nullptr ? ownTerm(tabs->currentWidget())
                                                               : QString();
}

}  // namespace

QString explainedTerm(const QWidget* widget) {
    for (; widget != nullptr; widget = widget->parentWidget()) {
        for (const auto& term : {cellTerm(widget), tabTerm(widget), ownTerm(widget)})
            if (!term.isEmpty()) return term;
        if (widget->isWindow()) break;
    }
    return {};
}

}  // namespace temper::ui
