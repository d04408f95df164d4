// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/export/output_model.h"

#include <algorithm>

#include "ui/messages/problem.h"

namespace temper::ui {

OutputModel::OutputModel(QObject* parent) : QAbstractTableModel(parent) {}

void OutputModel::setGraph(const Graph& evalModel, const Graph& model,
                           const std::vector<std::string>& targets,
                           const std::set<std::string>& ticked) {
    beginResetModel();
    outputs_.clear();
    ticked_.clear();
    std::set<const Value*> fromTarget;
    for (const std::string& target : targets) {
        if (const Value* value = evalModel.find(target)) fromTarget.insert(value);
    }
    std::vector<Output> others;
    for (const Node* node : evalModel.topologicalOrder()) {
        const bool depends =
            std::any_of(node->inputs().begin(), node->inputs().end(),
                        [&](const Value* input) { return fromTarget.contains(input); });
        for (const Value* value : node->outputs()) {
            if (value == nullptr) continue;
            if (depends) {
                fromTarget.insert(value);
                continue;
            }
            const Value* own = model.find(value->name());
            if (own == nullptr) continue;
            const bool first = own->isGraphOutput();
            (first ? outputs_ : others)
                .push_back({value->name(), value->type(), node->qualifiedOp(), first});
            if (ticked.contains(value->name())) ticked_.insert(value->name());
        }
    }
    outputs_.insert(outputs_.end(), others.rbegin(), others.rend());
    endResetModel();
}

void OutputModel::clear() {
    beginResetModel();
    outputs_.clear();
    ticked_.clear();
    endResetModel();
}

std::vector<std::string> OutputModel::ticked() const {
    std::vector<std::string> names;
    for (const Output& output : outputs_)
        if (ticked_.contains(output.name)) names.push_back(output.name);
    return names;
}

void OutputModel::tick(const std::string& name, bool ticked) {
    for (size_t row = 0; row < outputs_.size(); ++row)
        if (outputs_[row].name == name)
            setData(index(static_cast<int>(row), Name), ticked ? Qt::Checked : Qt::Unchecked,
                    Qt::CheckStateRole);
}

int OutputModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(outputs_.size());
}

int OutputModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant OutputModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Output& output = outputs_[static_cast<size_t>(index.row())];
    if (role == Qt::CheckStateRole && index.column() == Name)
        return ticked_.contains(output.name) ? Qt::Checked : Qt::Unchecked;
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Name: return text(output.name);
        case Type: return output.type.isKnown() ? text(formatType(output.type)) : tr("unknown");
        case Origin:
            return output.isForward ? tr("model output")
                                    : tr("intermediate (%1)").arg(text(output.madeBy));
        default: return {};
    }
}

QVariant OutputModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Output");
        case Type: return tr("Type");
        case Origin: return tr("Origin");
        default: return {};
    }
}

Qt::ItemFlags OutputModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == Name) flags |= Qt::ItemIsUserCheckable;
    return flags;
}

bool OutputModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole || index.column() != Name) return false;
    const std::string& name = outputs_[static_cast<size_t>(index.row())].name;
    if (value.toInt() == Qt::Checked) {
        ticked_.insert(name);
    } else {
        ticked_.erase(name);
    }
    emit dataChanged(index, index, {Qt::CheckStateRole});
    return true;
}

}  // namespace temper::ui
