// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace temper::ui {

/// Carries "show me that page" from any panel to the window.
class Navigator : public QObject {
    Q_OBJECT
public:
    explicit Navigator(QObject* parent = nullptr);

signals:
    void pageRequested(const QString& id);
};

}  // namespace temper::ui
