// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include "ui/panels/panel.h"

class QCheckBox;
class QItemSelectionModel;
class QLineEdit;
class QListView;
class QTextBrowser;
class QUrl;

namespace temper::ui {

class TermModel;

/// Explains the words of training: that of the widget that is worked with, or one from the list.
class ExplainDock : public QWidget {
    Q_OBJECT
public:
    explicit ExplainDock(const PanelContext& context, QWidget* parent = nullptr);

    void showTerm(const QString& id);
    /// That of a widget; one without a term changes nothing.
    void showTermOf(const QWidget* widget);
    /// The same, where it is to follow what is worked with.
    void followTo(const QWidget* widget);
    QString term() const { return term_; }
    TermModel* model() const { return model_; }
    QTextBrowser* text() const { return text_; }
    /// What has the focus, or had it before this dock took it.
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
    QMetaObject::Connection cell_;  ///< of the view that has the focus
    QString term_;
};

}  // namespace temper::ui
