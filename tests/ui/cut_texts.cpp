// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/cut_texts.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QStyleOptionComboBox>
#include <QStyleOptionFrame>
#include <QTabBar>
#include <QTextDocument>
#include <QToolButton>

#include "tests/ui/shown_texts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/narrow_combo.h"
#include "ui/widgets/shrinking_button.h"
#include "ui/window/stage_rail.h"

namespace temper::ui {
namespace {

/// Qt's protected answers about its parts.
struct TabSizes : QTabBar {
    static QSize of(const QTabBar& bar, int tab) { return (bar.*&TabSizes::tabSizeHint)(tab); }
};
struct SectionSizes : QHeaderView {
    static QSize of(const QHeaderView& header, int section) {
        return (header.*&SectionSizes::sectionSizeFromContents)(section);
    }
};

int fieldWidth(const QComboBox& box) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    return box.style()
        ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box)
        .width();
}

/// Without room for its text, the button shows none.
bool isShrunk(const QAbstractButton& button) {
    const auto* shrinking = qobject_cast<const ShrinkingButton*>(&button);
    return shrinking != nullptr && shrinking->toolButtonStyle() == Qt::ToolButtonIconOnly;
}

bool showsText(const QAbstractButton& button) {
    const auto* tool = qobject_cast<const QToolButton*>(&button);
    return !isShrunk(button) && !button.text().isEmpty() &&
           (tool == nullptr || tool->toolButtonStyle() != Qt::ToolButtonIconOnly ||
            tool->icon().isNull());
}

const QDockWidget* dockOf(const QWidget& widget) {
    for (const QWidget* each = &widget; each != nullptr; each = each->parentWidget())
        if (const auto* dock = qobject_cast<const QDockWidget*>(each)) return dock;
    return nullptr;
}

/// The area that scrolls to the widget, or null.
const QAbstractScrollArea* areaWith(const QWidget& viewport) {
    const auto* area = qobject_cast<const QAbstractScrollArea*>(viewport.parentWidget());
    return area != nullptr && area->viewport() == &viewport ? area : nullptr;
}

/// The part of the widget that no parent clips: scrolling reaches the others.
QSize reachableSize(const QWidget& widget, const QWidget& root) {
    QRect part = widget.rect();
    QPoint shift;
    bool isClippedAcross = true, isClippedDown = true;
    for (const QWidget* each = &widget; each != &root; each = each->parentWidget()) {
        const QWidget* parent = each->parentWidget();
        shift += each->pos();
        const QRect room = parent->rect().translated(-shift);
        if (const QAbstractScrollArea* area = areaWith(*parent)) {
            isClippedAcross &= area->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff;
            isClippedDown &= area->verticalScrollBarPolicy() == Qt::ScrollBarAlwaysOff;
        }
        if (isClippedAcross) {
            part.setLeft(std::max(part.left(), room.left()));
            part.setRight(std::min(part.right(), room.right()));
        }
        if (isClippedDown) {
            part.setTop(std::max(part.top(), room.top()));
            part.setBottom(std::min(part.bottom(), room.bottom()));
        }
    }
    return part.size().expandedTo({0, 0});
}

class FitCheck {
public:
    explicit FitCheck(const QWidget& root) : root_(root) {}

    void ask(const QWidget& widget) {
        if (!widget.isVisibleTo(&root_)) return;
        const QDockWidget* dock = dockOf(widget);
        // A dock behind another one is laid out when it is raised.
        if (dock != nullptr && dock->visibleRegion().isEmpty()) return;
        widget_ = &widget;
        if (const auto* label = qobject_cast<const QLabel*>(&widget)) return askLabel(*label);
        if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
            return askButton(*button);
        if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return askChoice(*box);
        if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) return askTabs(*tabs);
        if (const auto* box = qobject_cast<const QGroupBox*>(&widget))
            return need(box->title(), box->size(), box->minimumSizeHint());
        if (const auto* header = qobject_cast<const QHeaderView*>(&widget))
            return askHeader(*header);
        if (const auto* edit = qobject_cast<const QLineEdit*>(&widget)) return askField(*edit);
        if (const auto* menu = qobject_cast<const QMenuBar*>(&widget)) return askMenus(*menu);
        if (dock == &widget && dock->titleBarWidget() == nullptr) askTitle(*dock);
    }

    TextFit& fit() { return fit_; }

private:
    void need(const QString& text, const QSize& room, const QSize& needed) {
        if (text.isEmpty()) return;
        ++fit_.asked;
        const QSize shown = room.boundedTo(reachableSize(*widget_, root_));
        if (needed.width() <= shown.width() && needed.height() <= shown.height()) return;
        if (widget_->toolTip().contains(text)) return;
        fit_.cut << QString("%1 \"%2\": %3 x %4 of %5 x %6")
                        .arg(nameForMessages(*widget_), text)
                        .arg(shown.width())
                        .arg(shown.height())
                        .arg(needed.width())
                        .arg(needed.height());
    }

    /// Of a text whose end may be replaced by "…", only the height is needed.
    void needElided(const QString& text) {
        need(text, widget_->size(), {1, widget_->fontMetrics().height()});
    }

    void askLabel(const QLabel& label) {
        if (label.text().isEmpty()) return;
        if (qobject_cast<const ElidedLabel*>(&label) != nullptr) return needElided(label.text());
        // MetricTile: a text that has been shortened.
        if (label.text().endsWith(QChar(0x2026)) && !label.toolTip().isEmpty()) {
            ++fit_.asked;
            fit_.cut << QString("\"%1\" of \"%2\"").arg(label.text(), label.toolTip());
            return;
        }
        const QRect room = label.contentsRect();
        if (Qt::mightBeRichText(label.text()) && label.textFormat() != Qt::PlainText) {
            const int height =
                label.wordWrap() ? label.heightForWidth(label.width()) : label.sizeHint().height();
            return need(label.text(), label.size(),
                        {label.wordWrap() ? 1 : label.sizeHint().width(), height});
        }
        const int flags = (label.wordWrap() ? Qt::TextWordWrap : 0) |
                          (label.buddy() != nullptr ? Qt::TextShowMnemonic : 0);
        const QRect place(0, 0, label.wordWrap() ? room.width() : QWIDGETSIZE_MAX, QWIDGETSIZE_MAX);
        need(label.text(), room.size(),
             label.fontMetrics().boundingRect(place, flags, label.text()).size());
    }

    void askButton(const QAbstractButton& button) {
        if (!showsText(button) || button.objectName().startsWith("qt_")) return;
        if (const auto* stage = qobject_cast<const StageButton*>(&button)) return askStage(*stage);
        // Styles add space above and below that a low button may lack.
        need(button.text(), button.size(),
             {button.sizeHint().width(), button.fontMetrics().height()});
    }

    void askStage(const StageButton& stage) {
        if (stage.textWidth() == 0) return;  // only the icon is shown
        need(stage.text(), stage.size(), {stage.sizeHint().width(), stage.fontMetrics().height()});
        const QString state = stage.status().text;
        need(state, {stage.textWidth(), stage.height()},
             {QFontMetrics(stage.stateFont()).horizontalAdvance(state), 1});
    }

    void askChoice(const QComboBox& box) {
        if (box.isEditable()) return;  // its field scrolls
        const QFontMetrics letters = box.fontMetrics();
        if (qobject_cast<const NarrowCombo*>(&box) != nullptr) return needElided(box.currentText());
        need(box.currentText(), {fieldWidth(box), box.height()},
             {letters.horizontalAdvance(box.currentText()), letters.height()});
    }

    void askTabs(const QTabBar& tabs) {
        for (int i = 0; i < tabs.count(); ++i) {
            if (!tabs.isTabVisible(i) || tabs.tabToolTip(i).contains(tabs.tabText(i))) continue;
            // Tabs that don't fit scroll, which only a magnified window may need.
            QRect shown = tabs.tabRect(i);
            if (tabs.devicePixelRatio() < 2) shown &= tabs.rect();
            need(tabs.tabText(i), shown.size(), {TabSizes::of(tabs, i).width(), 1});
        }
    }

    void askHeader(const QHeaderView& header) {
        if (header.orientation() == Qt::Vertical || header.model() == nullptr) return;
        for (int i = 0; i < header.count(); ++i) {
            if (header.isSectionHidden(i)) continue;
            const QString title = header.model()->headerData(i, Qt::Horizontal).toString();
            const QString tip =
                header.model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString();
            if (tip.contains(title)) {
                ++fit_.asked;
                continue;
            }
            // The view scrolls to the section; the header itself is as wide as the view.
            if (title.isEmpty()) continue;
            ++fit_.asked;
            const int needed = SectionSizes::of(header, i).width();
            if (header.sectionSize(i) < needed)
                fit_.cut << QString("column \"%1\" of %2: %3 of %4")
                                .arg(title, nameForMessages(*header.parentWidget()))
                                .arg(header.sectionSize(i))
                                .arg(needed);
        }
    }

    /// Contents scroll while a person types; prompts and numbers with their units do not.
    void askField(const QLineEdit& edit) {
        const bool isNumber = qobject_cast<const QAbstractSpinBox*>(edit.parentWidget()) != nullptr;
        const QString text = isNumber ? edit.text() : edit.placeholderText();
        if (!isNumber && !edit.text().isEmpty()) return;
        QStyleOptionFrame option;
        option.initFrom(&edit);
        option.lineWidth = 1;
        constexpr int kMargins = 4;  // QLineEdit's own, on both sides
        int room = edit.style()
                       ->subElementRect(QStyle::SE_LineEditContents, &option, &edit)
                       .marginsRemoved(edit.textMargins())
                       .width() -
                   kMargins;
        // Icons and buttons inside.
        for (const QToolButton* inside : edit.findChildren<QToolButton*>())
            if (inside->isVisibleTo(&edit)) room -= inside->width();
        const QFontMetrics letters = edit.fontMetrics();
        need(text, {room, edit.height()}, {letters.horizontalAdvance(text), letters.height()});
    }

    void askMenus(const QMenuBar& bar) {
        for (QAction* action : bar.actions()) {
            const QRect place = bar.actionGeometry(action);
            if (place.isEmpty()) continue;  // in the menu of what does not fit
            const QString text = action->text();
            need(text, place.size(), bar.fontMetrics().size(Qt::TextShowMnemonic, text));
        }
    }

    void askTitle(const QDockWidget& dock) {
        const QWidget* content = dock.widget();
        const int height = content != nullptr ? content->y() : dock.height();
        int room = dock.width();
        for (const auto* button :
             dock.findChildren<QAbstractButton*>(QString(), Qt::FindDirectChildrenOnly))
            if (button->isVisibleTo(&dock)) room = std::min(room, button->x());
        const QFontMetrics letters = dock.fontMetrics();
        need(dock.windowTitle(), {room, height},
             {letters.horizontalAdvance(dock.windowTitle()), letters.height()});
    }

    const QWidget& root_;
    const QWidget* widget_ = nullptr;
    TextFit fit_;
};

}  // namespace

TextFit fitOfTexts(const QWidget& root) {
    FitCheck check(root);
    for (const QWidget* widget : root.findChildren<QWidget*>())
        if (widget->window() == root.window()) check.ask(*widget);
    return std::move(check.fit());
}

}  // namespace temper::ui
