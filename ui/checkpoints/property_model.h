// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <string>
#include <vector>

#include "engine/ort/checkpoint_file.h"

namespace temper::ui {

/// The typed properties of a checkpoint; names, kinds and values can be edited.
class PropertyModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Kind, Value, kColumns };

    explicit PropertyModel(QObject* parent = nullptr);

    void setProperties(const std::map<std::string, PropertyValue>& properties);
    std::map<std::string, PropertyValue> properties() const;

    /// Adds a string property with an unused name.
    void add();
    void remove(int row);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Refuses (returns false) empty and taken names, unknown kinds, and values that are not
    /// numbers of the property's kind.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void edited();
    void refused(const QString& reason);

private:
    struct Property {
        std::string name;
        PropertyValue value;
    };
    bool rename(Property& property, const std::string& name);
    bool changeKind(Property& property, const QString& kind);
    bool changeValue(Property& property, const QString& value);
    bool refuse(const QString& reason);

    std::vector<Property> properties_;
};

/// "integer", "number", "text".
QStringList propertyKinds();
QString propertyText(const PropertyValue& value);

}  // namespace temper::ui
