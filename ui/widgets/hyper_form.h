// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <string>
#include <vector>

#include "engine/training/spec/training_spec.h"

class QCheckBox;
class QFormLayout;

namespace temper::ui {

class ListEdit;
class NumberEdit;

/// A form generated from a choice's hyperparameters.
class HyperForm : public QWidget {
    Q_OBJECT
public:
    explicit HyperForm(QWidget* parent = nullptr);

    /// Rebuilds the rows if the choice has changed, then shows the values.
    void show(const Choice& choice, const Selection& selection);

signals:
    void valueEdited(const QString& key, const QString& label, double value);
    void listEdited(const QString& key, const QString& label, const std::vector<double>& list);

private:
    void rebuild(const Choice& choice);
    QWidget* makeField(const HyperParameter& parameter);
    QWidget* makeNumber(const HyperParameter& parameter);
    QWidget* makeSwitch(const HyperParameter& parameter);
    QWidget* makeList(const HyperParameter& parameter);

    QFormLayout* layout_;
    std::string choice_;
    std::map<std::string, NumberEdit*> fields_;
    std::map<std::string, QCheckBox*> switches_;
    std::map<std::string, ListEdit*> lists_;
};

/// The choice with this key; null if there is none.
const Choice* findChoice(const std::vector<Choice>& choices, const std::string& key);

}  // namespace temper::ui
