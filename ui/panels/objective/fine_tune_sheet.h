// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QPointer>
#include <optional>
#include <vector>

#include "ui/document/input_scale.h"
#include "ui/panels/panel.h"
#include "ui/proposals/fine_tuning.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;

namespace temper::ui {

struct Problem;
class NumberEdit;
class ScaleEdit;

/// Four fields for fine-tuning the open model on the open data, and everything else proposed from
/// these, each with its reason. What it shows is applied to the project at once, as one step to
/// undo; closing it without a decision takes that back.
class FineTuneSheet : public QDialog {
    Q_OBJECT
public:
    /// Model and data are open.
    FineTuneSheet(const PanelContext& context, QWidget* parent = nullptr);

    void reject() override;

protected:
    /// Enter in a field ends the input there, and nothing more.
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildFields();
    void buildButtons();
    QString title() const;
    FineTuneScope scope() const;
    FineTuneRequest request() const;
    /// Proposes everything for the chosen scope anew.
    void propose();
    /// Applies the fields.
    void apply();
    /// Edits of the data have it read again; until then there is none.
    void takeData();
    void edit(const TrainingSpec& spec);
    void showFields();
    void showChoices();
    /// How the inputs are scaled can be changed in the sheet.
    QWidget* makeScale(QLabel* why);
    void applyScale();
    void showScale();
    void showState();
    /// After a failure or a cancellation.
    void tryAgain();
    /// Why the fields have these values.
    void showReasons();
    void findRate();
    /// Keeps the rate that is there.
    void stopFinding();
    void showRate(double rate);
    void estimate();
    void cancel(int& task);
    void cancelTasks();
    void start();

    PanelContext context_;
    TrainingSpec before_;  ///< the choices without it
    FineTuning tuning_;
    QComboBox* scope_;
    NumberEdit* epochs_;
    NumberEdit* rate_;
    NumberEdit* batch_;
    QLabel* why_;
    QLabel* whyEpochs_;
    QLabel* whyRate_;
    QLabel* whyBatch_;
    QLabel* cost_;
    QLabel* state_;
    QGridLayout* choices_;
    std::vector<QWidget*> rows_;
    std::optional<InputScale> scale_;  ///< chosen in the sheet
    QPointer<ScaleEdit> scaleEdit_;
    QPushButton* find_;
    QPushButton* again_;
    QPushButton* start_ = nullptr;
    int rateTask_ = 0;
    int estimateTask_ = 0;
    bool isEstimated_ = false;
    bool isRateOpen_ = false;  ///< the usual one, until the finder proposes another
};

}  // namespace temper::ui
