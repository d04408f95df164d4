// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

namespace temper::ui {

/// The pointed-at place on the x axis; plots that share it show it together.
class PlotCursor : public QObject {
    Q_OBJECT
public:
    explicit PlotCursor(QObject* parent = nullptr) : QObject(parent) {}

    const std::optional<double>& x() const { return x_; }
    void setX(std::optional<double> x);

signals:
    void moved();

private:
    std::optional<double> x_;
};

}  // namespace temper::ui
