// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <deque>

#include "engine/core/error.h"

namespace temper::ui {

/// Events, one line each, the latest last. Old lines are dropped when there are too many.
class LogModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr int kMaxRows = 5000;
    enum Column { Time, Text, kColumns };

    explicit LogModel(QObject* parent = nullptr);

    void add(Severity severity, const QString& text);
    void clear();
    /// All lines, for the clipboard.
    QString plainText() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Line {
        QDateTime time;
        Severity severity;
        QString text;
    };
    std::deque<Line> lines_;
};

}  // namespace temper::ui
