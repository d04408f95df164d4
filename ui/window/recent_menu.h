// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>

namespace temper::ui {

class RecentFiles;

/// The files opened last: the pinned ones first, missing ones grey.
class RecentMenu : public QMenu {
    Q_OBJECT
public:
    explicit RecentMenu(RecentFiles& recent, QWidget* parent = nullptr);

signals:
    void chosen(const QString& path);

private:
    void fill();

    RecentFiles& recent_;
};

}  // namespace temper::ui
