// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "ui/document/preparation.h"
#include "ui/widgets/combo_delegate.h"

namespace temper::ui {

/// The column of the data that feeds each input of the model: one row per input. Its column can be
/// edited (by name, empty for none); a choice is only reported, the owner sets the new state.
class BindingModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Input, Type, Role, Source, State, kColumns };
    explicit BindingModel(QObject* parent = nullptr);

    /// `misfits`: the targets with values that the loss does not take.
    void setBinding(std::vector<ModelInput> inputs, std::vector<temper::Column> columns,
                    std::map<std::string, std::string> binding,
                    std::map<std::string, std::string> defaults = {},
                    std::set<std::string> misfits = {});

    /// The possible sources, with name and label; the first is "not bound".
    std::vector<ComboDelegate::Item> choices() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
    /// `column`: empty to unbind the input.
    void chosen(const std::string& input, const std::string& column);

private:
    QVariant textOf(const ModelInput& input, int column) const;
    /// The column that feeds the input, or null.
    const temper::Column* sourceOf(const ModelInput& input) const;
    bool fits(const ModelInput& input) const;

    std::vector<ModelInput> inputs_;
    std::vector<temper::Column> columns_;
    std::map<std::string, std::string> binding_;
    std::map<std::string, std::string> defaults_;  ///< see BindingProposal
    std::set<std::string> misfits_;
};

}  // namespace temper::ui
