// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/shown_texts.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSlider>
#include <QTabBar>

namespace temper::ui {
namespace {

constexpr int kMaxRows = 30;

class Collector {
public:
    explicit Collector(std::vector<ShownText>& texts) : texts_(texts) {}

    void collect(const QWidget& widget) {
        widget_ = &widget;
        add("tool tip", widget.toolTip());
        add("accessible name", widget.accessibleName());
        add("accessible description", widget.accessibleDescription());
        for (const QAction* action : widget.actions()) add("action", action->text());
        if (const auto* label = qobject_cast<const QLabel*>(&widget)) add("text", label->text());
        if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
            add("text", button->text());
        if (const auto* box = qobject_cast<const QGroupBox*>(&widget)) add("title", box->title());
        if (const auto* dock = qobject_cast<const QDockWidget*>(&widget))
            add("title", dock->windowTitle());
        if (const auto* edit = qobject_cast<const QLineEdit*>(&widget))
            add("placeholder", edit->placeholderText());
        if (const auto* box = qobject_cast<const QComboBox*>(&widget))
            for (int i = 0; i < box->count(); ++i) add("entry", box->itemText(i));
        if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
            for (int i = 0; i < tabs->count(); ++i) add("tab", tabs->tabText(i));
        if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget)) addModel(*view);
    }

private:
    void add(const char* role, const QString& text) {
        if (!text.isEmpty())
            texts_.push_back({text, nameForMessages(*widget_) + ' ' + QString(role)});
    }

    void addModel(const QAbstractItemView& view) {
        if (view.model() == nullptr || qobject_cast<const QHeaderView*>(&view) != nullptr) return;
        const QAbstractItemModel& model = *view.model();
        for (int column = 0; column < model.columnCount(); ++column) {
            add("header", model.headerData(column, Qt::Horizontal).toString());
            for (int row = 0; row < std::min(kMaxRows, model.rowCount()); ++row)
                for (const int role : {Qt::DisplayRole, Qt::ToolTipRole, Qt::AccessibleTextRole})
                    add("cell", model.index(row, column).data(role).toString());
        }
    }

    std::vector<ShownText>& texts_;
    const QWidget* widget_ = nullptr;
};

bool isInteractive(const QWidget& widget) {
    return qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
           qobject_cast<const QLineEdit*>(&widget) != nullptr ||
           qobject_cast<const QComboBox*>(&widget) != nullptr ||
           qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
           qobject_cast<const QSlider*>(&widget) != nullptr ||
           widget.focusPolicy() == Qt::StrongFocus;
}

/// Parts that Qt creates inside its widgets have Qt's names, not ours.
bool isQtsOwn(const QWidget& widget) {
    if (widget.objectName().startsWith(QLatin1String("qt_"))) return true;
    if (qobject_cast<const QHeaderView*>(&widget) != nullptr) return true;
    if (qobject_cast<const QScrollBar*>(&widget) != nullptr) return true;
    const QWidget* parent = widget.parentWidget();
    if (parent == nullptr) return false;
    if (qobject_cast<const QTabBar*>(parent) != nullptr) return true;            // scroll buttons
    if (qobject_cast<const QAbstractItemView*>(parent) != nullptr) return true;  // corner button
    for (; parent != nullptr; parent = parent->parentWidget())
        if (qobject_cast<const QComboBox*>(parent) != nullptr ||
            qobject_cast<const QLineEdit*>(parent) != nullptr)
            return true;
    return false;
}

}  // namespace

QString nameForMessages(const QWidget& widget) {
    return QString(widget.metaObject()->className()) + ' ' + widget.objectName();
}

std::vector<ShownText> shownTexts(const QWidget& root) {
    std::vector<ShownText> texts;
    Collector collector(texts);
    collector.collect(root);
    for (const QWidget* widget : root.findChildren<QWidget*>())
        if (widget->isVisibleTo(&root)) collector.collect(*widget);
    return texts;
}

std::vector<QWidget*> interactiveWidgets(const QWidget& root) {
    std::vector<QWidget*> found;
    for (QWidget* widget : root.findChildren<QWidget*>())
        if (widget->isVisibleTo(&root) && isInteractive(*widget) && !isQtsOwn(*widget))
            found.push_back(widget);
    return found;
}

}  // namespace temper::ui
