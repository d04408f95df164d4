// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <set>
#include <string>

#include "ui/project/loaded_model.h"

namespace temper::ui {

/// The initializers of a model: whether they train, name, shape, count, operator, class. Ticks are
/// requests: the document decides and shows its answer with setTrained().
class ParameterModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Train, Name, Shape, Count, ReadBy, Class, Reason, kColumns };

    explicit ParameterModel(QObject* parent = nullptr);

    void setModel(std::shared_ptr<const LoadedModel> model);
    void setTrained(std::set<std::string> trained);
    const std::set<std::string>& trained() const { return trained_; }
    bool canTrain(int row) const;
    const std::string& nameOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void trainRequested(const QString& name, bool train);

private:
    QVariant display(const ParameterInfo& parameter, int column) const;
    QString termOf(const ParameterInfo& parameter) const;
    QVariant sortKey(const ParameterInfo& parameter, int column) const;

    std::shared_ptr<const LoadedModel> model_;
    std::set<std::string> trained_;
};

}  // namespace temper::ui
