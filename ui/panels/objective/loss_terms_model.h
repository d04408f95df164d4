// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/training/loss/weighted_losses.h"

namespace temper::ui {

/// The terms of a loss that is a weighted sum. Edits are requests: the document decides and answers
/// with setTerms().
class LossTermsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Weight, Loss, Output, Target, kColumns };

    explicit LossTermsModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setTerms(std::vector<WeightedLoss> terms);
    const std::vector<WeightedLoss>& terms() const { return terms_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void termsEdited(const std::vector<temper::WeightedLoss>& terms);

private:
    std::vector<WeightedLoss> terms_;
};

}  // namespace temper::ui
