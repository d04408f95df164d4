// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/optimizer_state_model.h"

#include <QLocale>

#include "ui/checkpoints/names_in_module.h"
#include "ui/messages/problem.h"
#include "ui/translation/number_text.h"

namespace temper::ui {
namespace {

bool isNumeric(int column) {
    return column >= OptimizerStateModel::Norm && column <= OptimizerStateModel::Zeros;
}

}  // namespace

std::vector<CheckpointMoment> measureMoments(const CheckpointFile& checkpoint) {
    std::vector<CheckpointMoment> moments;
    for (const OptimizerGroupState& group : checkpoint.optimizerGroups)
        for (const ParameterState& state : group.parameters)
            for (const NamedTensor& moment : state.moments)
                moments.push_back({text(group.name), text(state.parameter), text(moment.name),
                                   summarize(text(moment.name), moment.data), moment.data});
    return moments;
}

OptimizerStateModel::OptimizerStateModel(QObject* parent) : QAbstractTableModel(parent) {}

void OptimizerStateModel::setMoments(std::vector<CheckpointMoment> moments, ModuleNames names) {
    beginResetModel();
    moments_ = std::move(moments);
    names_ = std::move(names);
    endResetModel();
}

int OptimizerStateModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(moments_.size());
}

int OptimizerStateModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant OptimizerStateModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == Qt::TextAlignmentRole && isNumeric(index.column()))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::UserRole) return {};
    const CheckpointMoment& moment = moments_[static_cast<size_t>(index.row())];
    const auto number = [role](double value) {
        return role == Qt::UserRole ? QVariant(value) : QVariant(decimalText(value, 'g', 4));
    };
    switch (index.column()) {
        case Parameter: return nameInModule(names_, moment.parameter.toStdString());
        case Moment: return moment.moment;
        case Type: return moment.summary.type;
        case Norm: return number(moment.summary.norm);
        case Minimum: return number(moment.summary.minimum);
        case Maximum: return number(moment.summary.maximum);
        case Zeros:
            return role == Qt::UserRole
                       ? QVariant(static_cast<qlonglong>(moment.summary.zeros))
                       : QVariant(QLocale().toString(static_cast<qlonglong>(moment.summary.zeros)));
        case Group: return moment.group;
        default: return {};
    }
}

QVariant OptimizerStateModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role == Qt::TextAlignmentRole && isNumeric(section))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Parameter: return tr("Parameter");
        case Moment: return tr("Moment");
        case Type: return tr("Type");
        case Norm: return tr("Norm");
        case Minimum: return tr("Minimum");
        case Maximum: return tr("Maximum");
        case Zeros: return tr("Zeros");
        case Group: return tr("Group");
        default: return {};
    }
}

}  // namespace temper::ui
