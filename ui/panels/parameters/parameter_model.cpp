// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/parameters/parameter_model.h"

#include <QGuiApplication>
#include <QLocale>
#include <QMimeData>
#include <QPalette>

#include "engine/training/parameters/group_membership.h"
#include "ui/checkpoints/names_in_module.h"
#include "ui/explain/explain.h"
#include "ui/messages/problem.h"
#include "ui/panels/objective/group_moves.h"
#include "ui/panels/parameters/parameter_drag.h"
#include "ui/theme/colors.h"
#include "ui/translation/engine_texts.h"

namespace temper::ui {

ParameterModel::ParameterModel(QObject* parent) : QAbstractTableModel(parent) {}

void ParameterModel::setModel(std::shared_ptr<const LoadedModel> model) {
    beginResetModel();
    model_ = std::move(model);
    trained_.clear();
    idle_.clear();
    place();
    endResetModel();
}

void ParameterModel::setGroups(std::vector<ParameterGroup> groups) {
    if (groups == groups_) return;
    groups_ = std::move(groups);
    place();
    if (rowCount() > 0) emit dataChanged(index(0, Group), index(rowCount() - 1, Group));
}

void ParameterModel::place() {
    groupOf_.clear();
    const GroupMembership membership(groups_,
                                     model_ ? moduleNamesOf(model_->parameters) : ModuleNames());
    for (int row = 0; row < rowCount(); ++row)
        groupOf_.push_back(canTrain(row) ? membership.groupOf(nameOf(row)) : std::nullopt);
}

void ParameterModel::setTrained(std::set<std::string> trained, std::set<std::string> idle) {
    if (trained == trained_ && idle == idle_) return;
    trained_ = std::move(trained);
    idle_ = std::move(idle);
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

bool ParameterModel::canTrain(int row) const {
    const ParameterInfo& parameter = parameterAt(row);
    return parameter.parameterClass == ParameterClass::Trainable ||
           (parameter.trainsOnRequest && parameter.isWeight) || trained_.contains(parameter.name);
}

const ParameterInfo& ParameterModel::parameterAt(int row) const {
    return model_->parameters[static_cast<size_t>(row)];
}

/// The name in the file and, if the exporter assigned it, those in the module.
QString ParameterModel::nameText(int row) const {
    return nameInModule({{nameOf(row), parameterAt(row).parameters}}, nameOf(row));
}

const std::string& ParameterModel::nameOf(int row) const {
    return model_->parameters[static_cast<size_t>(row)].name;
}

int ParameterModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() || !model_) return 0;
    return static_cast<int>(model_->parameters.size());
}

int ParameterModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant ParameterModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ParameterInfo& parameter = model_->parameters[static_cast<size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole: return display(index.row(), index.column());
        case kExplainRole: return termOf(parameter);
        case Qt::UserRole: return sortKey(index.row(), index.column());
        case Qt::ToolTipRole: return toolTip(index.row(), index.column());
        case Qt::TextAlignmentRole:
            if (index.column() == Count) return int(Qt::AlignRight | Qt::AlignVCenter);
            return {};
        case Qt::CheckStateRole:
            if (index.column() != Train || !canTrain(index.row())) return {};
            return trained_.contains(parameter.name) ? Qt::Checked : Qt::Unchecked;
        case Qt::ForegroundRole:
            if (trained_.contains(parameter.name) && !idle_.contains(parameter.name)) return {};
            return currentColors().muted;
        default: return {};
    }
}

QString ParameterModel::groupText(int row) const {
    const auto group = groupOf_[static_cast<size_t>(row)];
    return group ? groupTitle(groups_, *group) : QString();
}

/// Text for which a cell has no room.
QVariant ParameterModel::toolTip(int row, int column) const {
    if (column == Name) return nameText(row);
    const auto group = groupOf_[static_cast<size_t>(row)];
    if (column != Group || !group) return {};
    const QString pattern = text(groups_[*group].pattern);
    if (trained_.contains(nameOf(row))) return pattern;
    return pattern + '\n' + tr("Frozen. The settings of the group apply after you unfreeze it.");
}

QString ParameterModel::trainText(int row) const {
    if (idle_.contains(nameOf(row))) return tr("Doesn't train");
    if (trained_.contains(nameOf(row))) return tr("Trains");
    return canTrain(row) ? tr("Frozen") : QString();
}

QVariant ParameterModel::display(int row, int column) const {
    const ParameterInfo& parameter = model_->parameters[static_cast<size_t>(row)];
    switch (column) {
        case Train: return trainText(row);
        case Name: return nameText(row);
        case Shape: return text(formatShape(parameter.shape));
        case Count: return QLocale().toString(static_cast<qlonglong>(elementsOf(parameter)));
        case Group: return groupText(row);
        case ReadBy: return text(parameter.op);
        case Class: return engineText(parameterClassName(parameter.parameterClass));
        case Reason: return engineText(parameter.reason);
        default: return {};
    }
}

/// The term that explains a row: its class, or that it is frozen.
QString ParameterModel::termOf(const ParameterInfo& parameter) const {
    switch (parameter.parameterClass) {
        case ParameterClass::BatchNormStatistic: return QStringLiteral("batch-norm");
        case ParameterClass::Constant: return QStringLiteral("constant");
        case ParameterClass::ShapeData: return QStringLiteral("shape");
        case ParameterClass::Trainable: break;
    }
    return trained_.contains(parameter.name) ? QStringLiteral("parameter")
                                             : QStringLiteral("frozen");
}

/// Groups in their order, then parameters in none.
QVariant ParameterModel::sortKey(int row, int column) const {
    if (column == Count)
        return static_cast<qlonglong>(elementsOf(model_->parameters[static_cast<size_t>(row)]));
    if (column == Group)
        return static_cast<qlonglong>(groupOf_[static_cast<size_t>(row)].value_or(groups_.size()));
    return display(row, column);
}

QVariant ParameterModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role == Qt::TextAlignmentRole && section == Count)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Train: return tr("Train");
        case Name: return tr("Parameter");
        case Shape: return tr("Shape");
        case Count: return tr("Values");
        case Group: return tr("Group");
        case ReadBy: return tr("Read by");
        case Class: return tr("Class");
        case Reason: return tr("Reason");
        default: return {};
    }
}

Qt::ItemFlags ParameterModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == Train && canTrain(index.row()))
        flags |= Qt::ItemIsUserCheckable;
    if (index.isValid() && canTrain(index.row())) flags |= Qt::ItemIsDragEnabled;
    return flags;
}

QStringList ParameterModel::mimeTypes() const { return {QLatin1String(kParametersMimeType)}; }

QMimeData* ParameterModel::mimeData(const QModelIndexList& indexes) const {
    std::set<int> rows;
    for (const QModelIndex& index : indexes)
        if (canTrain(index.row())) rows.insert(index.row());
    if (rows.empty()) return nullptr;
    std::vector<std::string> names;
    for (const int row : rows) names.push_back(nameOf(row));
    return parameterMimeData(names).release();
}

bool ParameterModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole || index.column() != Train) return false;
    if (!canTrain(index.row())) return false;
    emit trainRequested(text(nameOf(index.row())), value.toInt() == Qt::Checked);
    return true;
}

}  // namespace temper::ui
