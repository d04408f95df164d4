// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <set>
#include <string>

namespace temper::ui {

/// The drop area for a new group of parameters; always shown below the groups.
class NewGroupArea : public QLabel {
    Q_OBJECT
public:
    explicit NewGroupArea(QWidget* parent = nullptr);

signals:
    void dropped(const std::set<std::string>& names);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    bool isOver_ = false;
};

}  // namespace temper::ui
