// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/training/spec/training_spec.h"
#include "ui/document/loaded_model.h"

namespace temper::ui {

/// The initializers of a model: whether they train, name, shape, count, group, operator, class.
/// Ticks are requests: the document decides and answers with setTrained(). Trainable parameters can
/// be dragged into a group.
class ParameterModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Train, Name, Shape, Count, Group, ReadBy, Class, Reason, kColumns };

    explicit ParameterModel(QObject* parent = nullptr);

    void setModel(std::shared_ptr<const LoadedModel> model);
    /// `idle`: of them, those that do not train all the same, e.g. since no gradient reaches them.
    void setTrained(std::set<std::string> trained, std::set<std::string> idle = {});
    void setGroups(std::vector<ParameterGroup> groups);
    const std::set<std::string>& trained() const { return trained_; }
    bool canTrain(int row) const;
    const std::string& nameOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDragActions() const override { return Qt::CopyAction; }

signals:
    void trainRequested(const QString& name, bool train);

private:
    QVariant display(int row, int column) const;
    QString trainText(int row) const;
    const ParameterInfo& parameterAt(int row) const;
    QString nameText(int row) const;
    QString groupText(int row) const;
    QVariant toolTip(int row, int column) const;
    QString termOf(const ParameterInfo& parameter) const;
    QVariant sortKey(int row, int column) const;
    void place();

    std::shared_ptr<const LoadedModel> model_;
    std::set<std::string> trained_;
    std::set<std::string> idle_;
    std::vector<ParameterGroup> groups_;
    std::vector<std::optional<size_t>> groupOf_;  ///< by row
};

}  // namespace temper::ui
