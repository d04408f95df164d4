// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>

#include "engine/training/training_spec.h"
#include "ui/panels/panel.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;

namespace temper::ui {

class Banner;
class HyperForm;
class NumberEdit;

/// A choice with its explanation and its hyperparameters, bound to a Selection of the spec.
class ChoiceEditor : public QWidget {
    Q_OBJECT
public:
    using Accessor = std::function<Selection&(TrainingSpec&)>;

    ChoiceEditor(const QString& what, const std::vector<Choice>& choices, Accessor accessor,
                 StudioProject& project, QWidget* parent = nullptr);

    /// Offers what is no choice but a text that the user writes, in place of a key.
    void allowText(const QString& label, const QString& help);
    void refresh();

private:
    void choose();
    void showText(const QString& written);

    QString what_;
    const std::vector<Choice>& choices_;
    Accessor accessor_;
    StudioProject& project_;
    QComboBox* box_;
    QLabel* help_;
    HyperForm* form_;
    QLineEdit* text_ = nullptr;
    QString textHelp_;
};

/// What training minimises, how, and for how long.
class ObjectivePanel : public QWidget {
    Q_OBJECT
public:
    ObjectivePanel(const PanelContext& context, QWidget* parent = nullptr);

private:
    QWidget* buildLoss();
    QWidget* buildOptimizer();
    QWidget* buildRun();
    void addPrecision(QFormLayout* form);
    void addNumber(QFormLayout* form, const QString& label, const QString& help, bool integer,
                   double minimum, double maximum, std::function<double(const RunSpec&)> get,
                   std::function<void(RunSpec&, double)> set);
    void refresh();
    void refreshPrediction();
    void showFindings();

    StudioProject& project_;
    Banner* banner_;
    ChoiceEditor* loss_ = nullptr;
    ChoiceEditor* optimizer_ = nullptr;
    ChoiceEditor* schedule_ = nullptr;
    QComboBox* prediction_ = nullptr;
    std::vector<std::function<void(const RunSpec&)>> fields_;
};

}  // namespace temper::ui
