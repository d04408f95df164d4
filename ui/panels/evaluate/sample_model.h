// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QImage>
#include <memory>
#include <vector>

#include "ui/panels/evaluate/evaluation_result.h"

namespace temper::ui {

/// Chosen samples with the model's predictions.
class SampleModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Sample, Place, Truth, Prediction, Certainty, Loss, kColumns };

    explicit SampleModel(QObject* parent = nullptr);

    /// `pictures` by entry; empty if the samples are not pictures.
    void setSamples(std::shared_ptr<const EvaluationResult> result, std::vector<int64_t> entries,
                    std::vector<QImage> pictures);
    /// Index of the sample in its data.
    int64_t sampleAt(int row) const;
    /// Index of the prediction within its sample, from 0.
    int64_t placeAt(int row) const;
    bool hasPlaces() const { return result_ && !result_->set.places.empty(); }
    bool hasPictures() const { return !pictures_.empty(); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString textOf(int64_t entry, int column) const;
    QString numbersText(const Tensor& values, int64_t entry) const;
    bool isRight(int64_t entry) const;

    std::shared_ptr<const EvaluationResult> result_;
    std::vector<int64_t> entries_;
    std::vector<QImage> pictures_;
};

}  // namespace temper::ui
