// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/messages/problem.h"
#include "ui/panels/panel.h"
#include "ui/run/verified_export.h"

class QFrame;
class QLabel;
class QLineEdit;
class QCheckBox;
class QComboBox;
class QPushButton;
class QStackedWidget;

namespace temper::ui {

class Banner;
class ExportWeights;
class OutputModel;

/// The trained model as a file: outputs chosen by ticking, the result compared with the eval model.
class ExportPanel : public QWidget {
    Q_OBJECT
public:
    ExportPanel(const PanelContext& context, QWidget* parent = nullptr);

    static StageStatus status(const StageContext& context);

    OutputModel* outputs() const { return outputs_; }
    ExportWeights* weights() const { return weights_; }
    void exportTo(const QString& path);
    /// The last result; nothing was exported yet if its path is empty.
    const ExportResult& result() const { return result_; }

signals:
    void exported();

private:
    QWidget* buildOutputs();
    QLayout* buildEdits(QWidget* card);
    QLayout* buildWeights(QWidget* card);
    void proposeOutputs(const Artifacts& artifacts);
    QWidget* buildResult();
    QLayout* buildNextSteps();
    void showOwnOpset(const Graph& model);
    QWidget* buildTrainingFiles();
    void refreshWeights();
    void refreshButton();
    void browse();
    void end(const ExportResult& result);
    void fail(const Problem& problem);
    void showResult(const ExportResult& result);

    PanelContext context_;
    Banner* banner_;
    OutputModel* outputs_;
    std::shared_ptr<const Artifacts> shown_;
    QStackedWidget* pages_ = nullptr;
    QLineEdit* path_ = nullptr;
    ExportWeights* weights_ = nullptr;
    QCheckBox* foldBatchNorms_ = nullptr;
    QCheckBox* externalData_ = nullptr;
    QCheckBox* asItCame_ = nullptr;
    QCheckBox* normalization_ = nullptr;
    QComboBox* opset_ = nullptr;
    QPushButton* export_ = nullptr;
    QFrame* resultCard_ = nullptr;
    QLabel* verdict_ = nullptr;
    QLabel* facts_ = nullptr;
    ExportResult result_;
    QString exportedWeights_;  ///< in words, of the result
    bool running_ = false;
};

}  // namespace temper::ui
