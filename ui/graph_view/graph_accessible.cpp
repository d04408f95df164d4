// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_accessible.h"

#include <QAccessibleWidget>
#include <QPointer>
#include <map>

#include "ui/graph_view/graph_view.h"

namespace temper::ui {
namespace {

/// A box: its description, its place, its selection state; its action selects it.
class BoxAccessible : public QAccessibleInterface, public QAccessibleActionInterface {
public:
    BoxAccessible(GraphView* view, int box) : view_(view), box_(box) {}

    bool isValid() const override {
        return view_ && view_->drawing() && box_ < static_cast<int>(view_->drawing()->boxes.size());
    }
    QObject* object() const override { return nullptr; }
    QWindow* window() const override { return nullptr; }
    QAccessibleInterface* parent() const override {
        return QAccessible::queryAccessibleInterface(view_);
    }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    int box() const { return box_; }

    QString text(QAccessible::Text what) const override {
        return what == QAccessible::Name && isValid() ? view_->describe(box_) : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect inside = view_->boxRect(box_);
        return {view_->mapToGlobal(inside.topLeft()), inside.size()};
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override {
        QAccessible::State state;
        if (!isValid()) {
            state.invalid = true;
            return state;
        }
        const GraphBox& box = view_->drawing()->boxes[static_cast<size_t>(box_)];
        state.selectable = state.focusable = true;
        state.selected = view_->selectedBox() == box_;
        state.focused = state.selected && view_->hasFocus();
        state.expandable = box.group >= 0;
        state.expanded = box.open;
        state.collapsed = box.group >= 0 && !box.open;
        state.offscreen = !view_->rect().intersects(view_->boxRect(box_));
        return state;
    }

    void* interface_cast(QAccessible::InterfaceType type) override {
        return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this)
                                                    : nullptr;
    }
    QStringList actionNames() const override {
        return {QAccessibleActionInterface::setFocusAction(),
                QAccessibleActionInterface::pressAction()};
    }
    void doAction(const QString& action) override {
        if (!isValid()) return;
        view_->selectBox(box_);
        view_->bringIntoView(box_);
        const int group = view_->drawing()->boxes[static_cast<size_t>(box_)].group;
        if (action == QAccessibleActionInterface::pressAction() && group >= 0)
            emit view_->toggleRequested(group);
    }
    QStringList keyBindingsForAction(const QString& action) const override {
        return action == QAccessibleActionInterface::pressAction()
                   ? QStringList{QKeySequence(Qt::Key_Return).toString()}
                   : QStringList();
    }

private:
    QPointer<GraphView> view_;
    int box_;
};

/// The canvas as a list of boxes.
class GraphAccessible : public QAccessibleWidget {
public:
    explicit GraphAccessible(GraphView* view)
        : QAccessibleWidget(view, QAccessible::List), view_(view) {
        changes_ = QObject::connect(view, &GraphView::drawingChanged, view, [this] { forget(); });
    }
    ~GraphAccessible() override {
        QObject::disconnect(changes_);
        forget();
    }

    int childCount() const override { return QAccessibleWidget::childCount() + boxCount(); }
    QAccessibleInterface* child(int index) const override {
        const int widgets = QAccessibleWidget::childCount();
        if (index < widgets) return QAccessibleWidget::child(index);
        return index - widgets < boxCount() ? box(index - widgets) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        for (const auto& [index, id] : boxes_)
            if (QAccessible::accessibleInterface(id) == child)
                return QAccessibleWidget::childCount() + index;
        return QAccessibleWidget::indexOfChild(child);
    }
    QAccessibleInterface* focusChild() const override {
        return view_->hasFocus() && view_->selectedBox() >= 0 ? box(view_->selectedBox())
                                                              : QAccessibleWidget::focusChild();
    }

private:
    int boxCount() const {
        return view_->drawing() ? static_cast<int>(view_->drawing()->boxes.size()) : 0;
    }
    QAccessibleInterface* box(int index) const {
        auto found = boxes_.find(index);
        if (found == boxes_.end())
            found = boxes_
                        .emplace(index, QAccessible::registerAccessibleInterface(
                                            new BoxAccessible(view_, index)))
                        .first;
        return QAccessible::accessibleInterface(found->second);
    }
    void forget() {
        for (const auto& [index, id] : boxes_) QAccessible::deleteAccessibleInterface(id);
        boxes_.clear();
    }

    GraphView* view_;
    QMetaObject::Connection changes_;
    mutable std::map<int, QAccessible::Id> boxes_;
};

QAccessibleInterface* makeInterface(const QString& className, QObject* object) {
    if (className != QLatin1String(GraphView::staticMetaObject.className())) return nullptr;
    return new GraphAccessible(static_cast<GraphView*>(object));
}

}  // namespace

void installGraphAccessibility() { QAccessible::installFactory(makeInterface); }

void announceSelection(GraphView& view, int box) {
    if (!QAccessible::isActive()) return;
    const QAccessibleInterface* canvas = QAccessible::queryAccessibleInterface(&view);
    if (canvas == nullptr) return;
    QAccessibleEvent event(&view, QAccessible::Focus);
    event.setChild(canvas->childCount() - static_cast<int>(view.drawing()->boxes.size()) + box);
    QAccessible::updateAccessibility(&event);
}

}  // namespace temper::ui
