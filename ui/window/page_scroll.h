// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace temper::ui {

/// A page that scrolls if the window is smaller than the page needs, as on a small screen or with
/// large type. The page takes all available room.
class PageScroll : public QScrollArea {
    Q_OBJECT
public:
    explicit PageScroll(QWidget* parent = nullptr);

    /// Takes the page, which is best created as a child of viewport(): a widget that moves to
    /// another parent, and all in it, are styled anew.
    void setPage(QWidget* page);

    /// The smallest size without scrolling.
    QSize needed() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace temper::ui
