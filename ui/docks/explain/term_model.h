// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>

#include "ui/explain/terms.h"

namespace temper::ui {

/// The terms by their titles; only those that fit a search, matches in the title first.
class TermModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit TermModel(QObject* parent = nullptr);

    void setFilter(const QString& filter);
    /// Null if there is no term with this id.
    const Term* find(const QString& id) const;
    const Term& termAt(int row) const { return *shown_[static_cast<size_t>(row)]; }
    /// -1 if the search hides it.
    int rowOf(const QString& id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    std::vector<Term> terms_;
    std::vector<const Term*> shown_;
};

}  // namespace temper::ui
