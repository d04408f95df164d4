// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;

namespace temper::ui {

/// The groups around the selection, from the model inwards; each can be clicked.
class Breadcrumb : public QWidget {
    Q_OBJECT
public:
    explicit Breadcrumb(QWidget* parent = nullptr);

    struct Crumb {
        QString name;
        int group = 0;
        bool operator==(const Crumb&) const = default;
    };
    void setPath(const QList<Crumb>& path);
    const QList<Crumb>& path() const { return path_; }

signals:
    void groupRequested(int group);

private:
    void build();

    QList<Crumb> path_;
    QHBoxLayout* row_;
};

}  // namespace temper::ui
