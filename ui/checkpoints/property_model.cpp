// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/property_model.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/messages/problem.h"

namespace temper::ui {
namespace {

/// The text as a value of the kind with this index in PropertyValue.
std::optional<PropertyValue> parse(size_t kind, const QString& value) {
    bool ok = false;
    if (kind == 0) {
        const qlonglong number = QLocale::c().toLongLong(value.trimmed(), &ok);
        return ok ? std::optional<PropertyValue>(static_cast<int64_t>(number)) : std::nullopt;
    }
    if (kind == 1) {
        const float number = QLocale::c().toFloat(value.trimmed(), &ok);
        return ok && std::isfinite(number) ? std::optional<PropertyValue>(number) : std::nullopt;
    }
    return PropertyValue(value.toStdString());
}

}  // namespace

QStringList propertyKinds() {
    return {PropertyModel::tr("integer"), PropertyModel::tr("number"), PropertyModel::tr("text")};
}

QString propertyText(const PropertyValue& value) {
    if (const auto* integer = std::get_if<int64_t>(&value)) return QString::number(*integer);
    if (const auto* number = std::get_if<float>(&value))
        return QLocale::c().toString(static_cast<double>(*number), 'g', 9);
    return text(std::get<std::string>(value));
}

PropertyModel::PropertyModel(QObject* parent) : QAbstractTableModel(parent) {}

void PropertyModel::setProperties(const std::map<std::string, PropertyValue>& properties) {
    beginResetModel();
    properties_.clear();
    for (const auto& [name, value] : properties) properties_.push_back({name, value});
    endResetModel();
}

std::map<std::string, PropertyValue> PropertyModel::properties() const {
    std::map<std::string, PropertyValue> result;
    for (const Property& property : properties_) result[property.name] = property.value;
    return result;
}

void PropertyModel::add() {
    const auto taken = properties();
    std::string name = "property";
    for (int i = 2; taken.contains(name); ++i) name = "property" + std::to_string(i);
    const int row = rowCount();
    beginInsertRows({}, row, row);
    properties_.push_back({name, std::string()});
    endInsertRows();
    emit edited();
}

void PropertyModel::remove(int row) {
    if (row < 0 || row >= rowCount()) return;
    beginRemoveRows({}, row, row);
    properties_.erase(properties_.begin() + row);
    endRemoveRows();
    emit edited();
}

int PropertyModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(properties_.size());
}

int PropertyModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant PropertyModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::EditRole)) return {};
    const Property& property = properties_[static_cast<size_t>(index.row())];
    switch (index.column()) {
        case Name: return text(property.name);
        case Kind: return propertyKinds().at(static_cast<qsizetype>(property.value.index()));
        case Value: return propertyText(property.value);
        default: return {};
    }
}

QVariant PropertyModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case Name: return tr("Property");
        case Kind: return tr("Kind");
        case Value: return tr("Value");
        default: return {};
    }
}

Qt::ItemFlags PropertyModel::flags(const QModelIndex& index) const {
    return QAbstractTableModel::flags(index) |
           (index.isValid() ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

bool PropertyModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole) return false;
    Property& property = properties_[static_cast<size_t>(index.row())];
    bool changed = false;
    switch (index.column()) {
        case Name: changed = rename(property, value.toString().trimmed().toStdString()); break;
        case Kind: changed = changeKind(property, value.toString()); break;
        case Value: changed = changeValue(property, value.toString()); break;
        default: break;
    }
    if (!changed) return false;
    emit dataChanged(this->index(index.row(), 0), this->index(index.row(), kColumns - 1));
    emit edited();
    return true;
}

bool PropertyModel::refuse(const QString& reason) {
    emit refused(reason);
    return false;
}

bool PropertyModel::rename(Property& property, const std::string& name) {
    if (name == property.name) return false;
    if (name.empty()) return refuse(tr("A property needs a name."));
    if (properties().contains(name))
        return refuse(tr("Property \"%1\" already exists.").arg(text(name)));
    property.name = name;
    return true;
}

bool PropertyModel::changeKind(Property& property, const QString& kind) {
    const auto wanted = propertyKinds().indexOf(kind);
    if (wanted < 0) return refuse(tr("A property is an integer, a number or text."));
    const auto index = static_cast<size_t>(wanted);
    if (index == property.value.index()) return false;
    const auto value = parse(index, propertyText(property.value));
    property.value = value ? *value : index == 0 ? PropertyValue(int64_t{0}) : PropertyValue(0.0F);
    return true;
}

bool PropertyModel::changeValue(Property& property, const QString& value) {
    const auto parsed = parse(property.value.index(), value);
    if (!parsed)
        return refuse(property.value.index() == 0 ? tr("\"%1\" is not an integer.").arg(value)
                                                  : tr("\"%1\" is not a number.").arg(value));
    if (*parsed == property.value) return false;
    property.value = *parsed;
    return true;
}

}  // namespace temper::ui
