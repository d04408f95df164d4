// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QListWidget;
class QToolButton;

namespace temper::ui {

class UntitledDocuments;
struct UntitledDocument;

/// Untitled documents, to open or to discard; hidden if there are none.
class UntitledList : public QWidget {
    Q_OBJECT
public:
    explicit UntitledList(UntitledDocuments& documents, QWidget* parent = nullptr);

signals:
    void openRequested(const QString& folder);
    /// The user chose the document open in this window.
    void currentRequested();

private:
    QToolButton* addTool(const QString& name, const QString& icon, const QString& text,
                         void (UntitledList::*slot)());
    const UntitledDocument* chosen() const;
    void open();
    void throwAway();
    void refresh();
    void refreshTools();
    void fitHeight();

    UntitledDocuments& documents_;
    QListWidget* list_;
    QToolButton* open_ = nullptr;
    QToolButton* throwAway_ = nullptr;
};

/// "trained weights, 150 steps": what is lost if it is discarded.
QString contentText(const UntitledDocument& document);

/// Asks first if there are trained weights, then discards it.
void askThrowAway(const UntitledDocument& document, UntitledDocuments& documents, QWidget& window);

}  // namespace temper::ui
