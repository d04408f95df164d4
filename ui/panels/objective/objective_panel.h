// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/core/error.h"
#include "ui/panels/panel.h"
#include "ui/widgets/banner.h"

class QGridLayout;
class QScrollArea;

namespace temper::ui {

class ChoiceEditor;
class ClassWeights;
class Fold;
class GroupsEditor;
class LossInput;
class LossTermsEditor;
class RunForm;
class SchedulePreview;

/// What training minimizes, how, and for how long.
class ObjectivePanel : public QWidget {
    Q_OBJECT
public:
    ObjectivePanel(const PanelContext& context, QWidget* parent = nullptr);

    static StageStatus status(const StageContext& context);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// The cards in two columns, or in one if the page is narrow.
    void arrange();
    QWidget* buildLoss();
    QWidget* buildTensor(QWidget* card);
    QWidget* buildOptimizer();
    QWidget* buildRun();
    void refresh();
    void refreshPrediction();
    QString tensorRead() const;
    void showRead();
    void showFindings();
    std::vector<BannerAction> buttonsFor(const Finding& finding);
    /// Offers fixes for problems that slow training down but do not prevent it.
    void showWarnings();

    StudioProject& project_;
    Banner* banner_;
    QGridLayout* grid_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    std::vector<QWidget*> left_;  ///< cards, from the top
    QWidget* right_ = nullptr;
    int columns_ = 0;
    ChoiceEditor* loss_ = nullptr;
    ClassWeights* weights_ = nullptr;
    ChoiceEditor* optimizer_ = nullptr;
    ChoiceEditor* schedule_ = nullptr;
    Fold* tensor_ = nullptr;  ///< of prediction_
    LossInput* prediction_ = nullptr;
    LossTermsEditor* terms_ = nullptr;
    GroupsEditor* groups_ = nullptr;
    RunForm* run_ = nullptr;
    SchedulePreview* preview_ = nullptr;
};

}  // namespace temper::ui
