// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoint_parameter_model.h"

#include <set>

#include "ui/checkpoints/names_in_module.h"
#include "ui/messages/problem.h"
#include "ui/translation/number_text.h"

namespace temper::ui {

std::vector<CheckpointParameter> measureParameters(const CheckpointFile& checkpoint) {
    std::set<std::string> withMoments;
    for (const OptimizerGroupState& group : checkpoint.optimizerGroups)
        for (const ParameterState& state : group.parameters) withMoments.insert(state.parameter);
    std::vector<CheckpointParameter> parameters;
    const auto add = [&](const NamedTensor& tensor, bool trains) {
        parameters.push_back(
            {summarize(text(tensor.name), tensor.data), trains, withMoments.contains(tensor.name)});
    };
    for (const NamedTensor& tensor : checkpoint.trainable) add(tensor, true);
    for (const NamedTensor& tensor : checkpoint.frozen) add(tensor, false);
    return parameters;
}

CheckpointParameterModel::CheckpointParameterModel(QObject* parent) : QAbstractTableModel(parent) {}

void CheckpointParameterModel::setParameters(std::vector<CheckpointParameter> parameters,
                                             ModuleNames names) {
    beginResetModel();
    parameters_ = std::move(parameters);
    names_ = std::move(names);
    endResetModel();
}

int CheckpointParameterModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(parameters_.size());
}

int CheckpointParameterModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant CheckpointParameterModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const CheckpointParameter& parameter = parameters_[static_cast<size_t>(index.row())];
    const bool numeric = index.column() >= Norm && index.column() <= Maximum;
    if (role == Qt::TextAlignmentRole && numeric) return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
    const auto number = [role](double value) {
        return role == Qt::UserRole ? QVariant(value) : QVariant(decimalText(value, 'g', 4));
    };
    switch (index.column()) {
        case Name: return nameInModule(names_, parameter.summary.name.toStdString());
        case Type: return parameter.summary.type;
        case Trains: return parameter.trains ? tr("trains") : tr("frozen");
        case Norm: return number(parameter.summary.norm);
        case Minimum: return number(parameter.summary.minimum);
        case Maximum: return number(parameter.summary.maximum);
        case Moments: return parameter.hasMoments ? tr("with moments") : QString();
        default: return {};
    }
}

QVariant CheckpointParameterModel::headerData(int section, Qt::Orientation orientation,
                                              int role) const {
    if (role == Qt::TextAlignmentRole && section >= Norm && section <= Maximum)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Parameter");
        case Type: return tr("Type");
        case Trains: return tr("Training");
        case Norm: return tr("Norm");
        case Minimum: return tr("Minimum");
        case Maximum: return tr("Maximum");
        case Moments: return tr("Optimizer");
        default: return {};
    }
}

}  // namespace temper::ui
