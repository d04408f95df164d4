// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/binding_model.h"

#include <algorithm>

#include "ui/messages/problem.h"
#include "ui/widgets/severity.h"

namespace temper::ui {
namespace {

QString describe(const temper::Column& column) {
    return QStringLiteral("%1  %2%3")
        .arg(text(column.name), text(dtypeName(column.dtype)), text(formatShape(column.shape)));
}

}  // namespace

BindingModel::BindingModel(QObject* parent) : QAbstractTableModel(parent) {}

void BindingModel::setBinding(std::vector<ModelInput> inputs, std::vector<temper::Column> columns,
                              std::map<std::string, std::string> binding,
                              std::map<std::string, std::string> defaults,
                              std::set<std::string> misfits) {
    beginResetModel();
    inputs_ = std::move(inputs);
    columns_ = std::move(columns);
    binding_ = std::move(binding);
    defaults_ = std::move(defaults);
    misfits_ = std::move(misfits);
    endResetModel();
}

int BindingModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(inputs_.size());
}

int BindingModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

const temper::Column* BindingModel::sourceOf(const ModelInput& input) const {
    const auto bound = binding_.find(input.name);
    if (bound == binding_.end()) return nullptr;
    const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const auto& column) {
        return column.name == bound->second;
    });
    return found == columns_.end() ? nullptr : &*found;
}

bool BindingModel::fits(const ModelInput& input) const {
    if (misfits_.contains(input.name)) return false;
    const temper::Column* source = sourceOf(input);
    if (source == nullptr) return defaults_.contains(input.name);
    try {
        fieldFor(input.name, input.type, *source);
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::vector<ComboDelegate::Item> BindingModel::choices() const {
    std::vector<ComboDelegate::Item> items{{QString(), tr("not bound")}};
    for (const temper::Column& column : columns_)
        items.push_back({text(column.name), describe(column)});
    return items;
}

QVariant BindingModel::textOf(const ModelInput& input, int column) const {
    const temper::Column* source = sourceOf(input);
    switch (column) {
        case Input: return text(input.name);
        case Type: return text(formatType(input.type));
        case Role: return input.isTarget ? tr("Target") : tr("Input");
        case Source: return source == nullptr ? tr("not bound") : describe(*source);
        case State:
            if (misfits_.contains(input.name)) return tr("values do not fit the loss");
            if (source == nullptr)
                return fits(input) ? tr("uses its default value") : tr("needs a column");
            return fits(input) ? tr("fits") : tr("type or element count differs");
        default: return {};
    }
}

QVariant BindingModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ModelInput& input = inputs_[static_cast<size_t>(index.row())];
    if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole)
        return textOf(input, index.column());
    if (index.column() == Source && role == Qt::EditRole) {
        const temper::Column* source = sourceOf(input);
        return source == nullptr ? QString() : text(source->name);
    }
    if (role == Qt::DecorationRole && index.column() == State && !fits(input))
        return severityIcon(Severity::Error);
    return {};
}

bool BindingModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || index.column() != Source || role != Qt::EditRole) return false;
    if (value == data(index, Qt::EditRole)) return true;
    emit chosen(inputs_[static_cast<size_t>(index.row())].name, value.toString().toStdString());
    return true;
}

Qt::ItemFlags BindingModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.column() == Source ? flags | Qt::ItemIsEditable : flags;
}

QVariant BindingModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical || role != Qt::DisplayRole) return {};
    switch (section) {
        case Input: return tr("Model input");
        case Type: return tr("Type");
        case Role: return tr("Role");
        case Source: return tr("Data column");
        case State: return tr("State");
        default: return {};
    }
}

}  // namespace temper::ui
