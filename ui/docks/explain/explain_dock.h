// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include "ui/docks/dock.h"

class QCheckBox;
class QItemSelectionModel;
class QLineEdit;
class QListView;
class QTextBrowser;
class QUrl;

namespace temper::ui {

class TermModel;

/// Explains the terms of training: the term of the widget in use, or one from the list.
class ExplainDock : public QWidget {
    Q_OBJECT
public:
    explicit ExplainDock(const PanelContext& context, QWidget* parent = nullptr);

    void showTerm(const QString& id);
    /// Shows the term of a widget; a widget without a term changes nothing.
    void showTermOf(const QWidget* widget);
    /// Like showTermOf(), but only if the dock follows the widget in use.
    void followTo(const QWidget* widget);
    QString term() const { return term_; }
    TermModel* model() const { return model_; }
    QTextBrowser* text() const { return text_; }
    /// The widget with the focus, or the last one before this dock took it.
    QWidget* lastFocus() const { return focus_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void followFocus(QWidget* now);
    void follow();
    void search(const QString& wanted);
    void chooseRow(int row);
    void openLink(const QUrl& link);
    QString html() const;

    TermModel* model_;
    QLineEdit* search_ = nullptr;
    QListView* list_ = nullptr;
    QTextBrowser* text_ = nullptr;
    QCheckBox* follows_ = nullptr;
    QPointer<QWidget> focus_;
    QMetaObject::Connection cell_;  ///< of the view with the focus
    QString term_;
};

DockInfo explainDock();

}  // namespace temper::ui
