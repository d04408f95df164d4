// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/export/export_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/core/counted.h"
#include "engine/data/batch_loader.h"
#include "engine/onnx/model_file.h"
#include "engine/training/binding/binding.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/renaming.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/session/input_normalization.h"
#include "ui/commands/activity.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/panels/export/export_weights.h"
#include "ui/panels/export/output_model.h"
#include "ui/panels/model/node_model.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/trained_weights.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

constexpr int64_t kMaxSamples = 32;  ///< that are compared

/// The default path of an exported model.
QString proposedPath(const LoadedModel& model) {
    QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    if (!QDir(folder).exists()) folder = QDir::homePath();
    QString stem = QFileInfo(model.title).completeBaseName();
    stem.replace(QLatin1Char(' '), QLatin1Char('-'));
    return QDir(folder).filePath(stem.toLower() + QStringLiteral("-trained.onnx"));
}

/// The first samples as the inputs take them, by the inputs' names: as many as the model takes.
/// None if none can be read. Throws: Error if there are too few.
std::map<std::string, Tensor> boundSamples(const Preparation& preparation) {
    std::map<std::string, Tensor> samples;
    if (!preparation.data) return samples;
    const Dataset& data = *preparation.data->training();
    const std::vector<int64_t> rows =
        readableSamples(data, preparation.fixedBatch.value_or(kMaxSamples));
    if (rows.empty()) return samples;
    if (std::ssize(rows) < preparation.fixedBatch.value_or(1)) {
        throw Error(ErrorCode::InvalidInput,
                    "The model takes " + counted(*preparation.fixedBatch, "sample") +
                        " at once; the data has " + std::to_string(rows.size()) + ".",
                    "Add samples, or allow any batch size.");
    }
    for (const ModelInput& input : preparation.inputs) {
        const auto bound = preparation.proposal.binding.find(input.name);
        if (bound == preparation.proposal.binding.end()) continue;
        const auto column = data.findColumn(bound->second);
        if (!column) continue;
        const BatchField field = fieldFor(input.name, input.type, data.columns()[*column]);
        samples[input.name] = readFields(data, {field}, rows).front();
    }
    return samples;
}

/// The artifacts of the trained weights, which can be exported; null without such weights.
std::shared_ptr<const Artifacts> exportable(const StageContext& context) {
    if (!hasTrainedWeights(context.run, context.controller)) return nullptr;
    auto artifacts = artifactsInUse(context.project, context.controller);
    return artifacts && artifacts->evalModel ? artifacts : nullptr;
}

bool hasBatchNorms(const Graph& model) {
    return std::ranges::any_of(model.nodes(), [](const Node* node) {
        return node->qualifiedOp() == "BatchNormalization";
    });
}

}  // namespace

ExportPanel::ExportPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      banner_(new Banner(this)),
      outputs_(new OutputModel(this)) {
    QVBoxLayout* layout = makePageLayout(this);
    layout->addLayout(makePageHeader(
        tr("Export"), tr("A model for inference, with what training has learned."), this));
    layout->addWidget(banner_);
    pages_ = new QStackedWidget(this);
    auto* empty = new Placeholder(QStringLiteral("export"),
                                  tr("Nothing to export yet: train first, or load a checkpoint."),
                                  tr("Go to training"), pages_);
    connect(empty, &Placeholder::triggered, this,
            [this] { emit context_.navigator.pageRequested(QStringLiteral("train")); });
    pages_->addWidget(empty);
    pages_->addWidget(buildOutputs());
    layout->addWidget(pages_, 1);
    layout->addWidget(buildTrainingFiles());
    connect(&context_.controller, &RunController::sessionChanged, this,
            &ExportPanel::refreshWeights);
    connect(&context_.run, &RunModel::checkpointsChanged, this, &ExportPanel::refreshWeights);
    connect(&context_.project, &StudioProject::preparationChanged, this, [this] {
        // A trained state has its own artifacts, and went through the data of its run.
        if (!context_.controller.hasSession()) refreshWeights();
    });
    connect(outputs_, &QAbstractItemModel::dataChanged, this, &ExportPanel::refreshButton);
    connect(&context_.project, &StudioProject::modelChanged, this, [this] {
        path_->setText(context_.project.model() ? proposedPath(*context_.project.model())
                                                : QString());
        banner_->hide();
        resultCard_->hide();
    });
}

QWidget* ExportPanel::buildOutputs() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.7));
    QFrame* card = makeCard(page);
    cardLayout(card)->addWidget(makeLabel(tr("Outputs"), "heading", card));
    QTableView* table = makeTable(outputs_, card);
    table->setObjectName(QStringLiteral("outputTable"));
    table->horizontalHeader()->setStretchLastSection(true);
    table->setAccessibleName(tr("Outputs"));
    cardLayout(card)->addWidget(table, 1);
    cardLayout(card)->addLayout(buildWeights(card));
    auto* row = new QHBoxLayout;
    path_ = new QLineEdit(card);
    path_->setObjectName(QStringLiteral("exportPath"));
    path_->setAccessibleName(tr("File to write"));
    auto* choose = new QPushButton(tr("Choose…"), card);
    export_ = makePrimaryButton(tr("Export and verify"), QStringLiteral("export"), card);
    export_->setObjectName(QStringLiteral("exportButton"));
    row->addWidget(makeLabel(tr("File"), "", card));
    row->addWidget(path_, 1);
    row->addWidget(choose);
    row->addWidget(export_);
    cardLayout(card)->addLayout(row);
    cardLayout(card)->addLayout(buildEdits(card));
    connect(choose, &QPushButton::clicked, this, &ExportPanel::browse);
    connect(path_, &QLineEdit::textChanged, this, &ExportPanel::refreshButton);
    connect(export_, &QPushButton::clicked, this, [this] { exportTo(path_->text()); });
    layout->addWidget(card, 1);
    layout->addWidget(buildResult());
    return page;
}

QLayout* ExportPanel::buildWeights(QWidget* card) {
    auto* row = new QHBoxLayout;
    auto* caption = makeLabel(tr("Weights"), "", card);
    weights_ = explain(new ExportWeights(context_, card), "checkpoint");
    caption->setBuddy(weights_);
    row->addWidget(caption);
    row->addWidget(weights_);
    row->addStretch(1);
    return row;
}

/// The intended differences from the trained model.
QLayout* ExportPanel::buildEdits(QWidget* card) {
    auto* column = new QVBoxLayout;
    const auto add = [&](const char* name, const QString& label, const QString& tip) {
        auto* box = new QCheckBox(label, card);
        box->setObjectName(QLatin1String(name));
        box->setToolTip(tip);
        column->addWidget(box);
        return box;
    };
    foldBatchNorms_ = add("exportFoldBatchNorms", tr("Fold batch norm into weights"),
                          tr("Fewer nodes and faster; the numbers differ in the last digits. The "
                             "result is harder to train further."));
    externalData_ =
        add("exportExternalData", tr("Store weights in a separate file"),
            tr("As in models above 2 GB: the file's name plus .data. Not for ORT format."));
    asItCame_ = add("exportAsItCame", tr("Half precision, as in the original file"),
                    tr("Weights and inputs that were float16 or bfloat16 in the original file are "
                       "written as such."));
    normalization_ =
        add("exportNormalization", tr("Normalize inputs in the model"),
            tr("The model takes values as the data source has them, such as pixels from 0 to 255. "
               "Otherwise its metadata says how to normalize them."));
    auto* row = new QHBoxLayout;
    auto* caption = makeLabel(tr("Opset"), "", card);
    opset_ = new QComboBox(card);
    opset_->setObjectName(QStringLiteral("exportOpset"));
    opset_->setAccessibleName(tr("Opset of the file"));
    opset_->setToolTip(
        tr("The version of the ONNX operators in the file. Choose an older one for runtimes that "
           "don't support the model's own."));
    opset_->addItem(tr("The model's own"), 0);
    for (int64_t version = kNewestOpset; version >= kOldestOpset; --version)
        opset_->addItem(QString::number(version), static_cast<qlonglong>(version));
    caption->setBuddy(opset_);
    row->addWidget(explain(caption, "opset"));
    row->addWidget(opset_);
    row->addStretch(1);
    column->addLayout(row);
    return column;
}

/// Shows the model's version in the first choice.
void ExportPanel::showOwnOpset(const Graph& model) {
    opset_->setItemText(0, tr("The model's own (%1)").arg(model.info().onnxOpset()));
}

QWidget* ExportPanel::buildResult() {
    resultCard_ = makeCard(this);
    verdict_ = makeLabel({}, "good", resultCard_);
    facts_ = makeLabel({}, "muted", resultCard_);
    for (QLabel* label : {verdict_, facts_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        cardLayout(resultCard_)->addWidget(label);
    }
    verdict_->setObjectName(QStringLiteral("exportVerdict"));
    facts_->setObjectName(QStringLiteral("exportFacts"));
    cardLayout(resultCard_)->addLayout(buildNextSteps());
    resultCard_->hide();
    return resultCard_;
}

/// What people do with a model that was exported.
QLayout* ExportPanel::buildNextSteps() {
    auto* row = new QHBoxLayout;
    const auto add = [&](const char* name, const QString& label, std::function<void()> run) {
        auto* button = new QPushButton(label, resultCard_);
        button->setObjectName(QLatin1String(name));
        connect(button, &QPushButton::clicked, this, std::move(run));
        row->addWidget(button);
    };
    add("exportTryIt", tr("Try it"), [this] {
        emit context_.navigator.trialRequested(QString::fromStdString(result_.checkpoint.string()),
                                               result_.average);
    });
    add("exportOpenFolder", tr("Show in folder"), [this] {
        emit context_.navigator.folderRequested(QString::fromStdString(result_.path.string()));
    });
    add("exportOpenModel", tr("Open the exported model"), [this] {
        emit context_.navigator.fileRequested(QString::fromStdString(result_.path.string()));
    });
    row->addStretch(1);
    return row;
}

/// The files for training with ONNX Runtime.
QWidget* ExportPanel::buildTrainingFiles() {
    QFrame* card = explain(makeCard(this), "artifact");
    cardLayout(card)->addWidget(makeLabel(tr("Training files"), "heading", card));
    QLabel* what = makeLabel(tr("Training, eval and optimizer model and a checkpoint, as ONNX"
                                " Runtime and the temper command load them."),
                             "muted", card);
    what->setWordWrap(true);
    cardLayout(card)->addWidget(what);
    auto* row = new QHBoxLayout;
    auto* ortFormat = new QCheckBox(tr("Also in ORT format (.ort)"), card);
    ortFormat->setObjectName(QStringLiteral("ortFormat"));
    auto* write = new QPushButton(tr("Write training files…"), card);
    write->setObjectName(QStringLiteral("writeTrainingFiles"));
    row->addWidget(ortFormat);
    row->addStretch(1);
    row->addWidget(write);
    cardLayout(card)->addLayout(row);
    StudioProject& project = context_.project;
    connect(ortFormat, &QCheckBox::clicked, this, [&project](bool checked) {
        TrainingSpec spec = project.spec();
        spec.artifacts.ortFormat = checked;
        project.edit(checked ? tr("Also write ORT format") : tr("Write ONNX only"), spec);
    });
    connect(write, &QPushButton::clicked, this, [this] {
        emit context_.navigator.commandRequested(QStringLiteral("artifacts.generate"));
    });
    connect(&project, &StudioProject::specChanged, this, [this, ortFormat] {
        ortFormat->setChecked(context_.project.spec().artifacts.ortFormat);
    });
    connect(&project, &StudioProject::preparationChanged, write, [&project, write] {
        const auto& preparation = project.preparation();
        write->setEnabled(preparation && preparation->artifacts);
    });
    write->setEnabled(false);
    return card;
}

void ExportPanel::refreshWeights() {
    const auto artifacts = exportable({context_.project, context_.run, context_.controller});
    pages_->setCurrentIndex(artifacts ? 1 : 0);
    const auto& preparation = context_.project.preparation();
    normalization_->setVisible(
        preparation && preparation->data &&
        !normalizationsOf(*preparation->data->training(), preparation->proposal.binding).empty());
    if (artifacts != shown_ || !context_.controller.exportVerdict()) resultCard_->hide();
    if (artifacts == shown_) return;
    shown_ = artifacts;
    if (!artifacts) return outputs_->clear();
    foldBatchNorms_->setVisible(hasBatchNorms(*artifacts->evalModel));
    asItCame_->setVisible(remarkOnHalfPrecision(*artifacts->evalModel).has_value());
    showOwnOpset(*artifacts->evalModel);
    proposeOutputs(*artifacts);
    refreshButton();
}

/// Proposes the model's own outputs, whatever the loss reads; for a model that computes its own
/// loss, the inputs of that loss.
void ExportPanel::proposeOutputs(const Artifacts& artifacts) {
    const auto& project = context_.project;
    if (!project.model()) return outputs_->clear();
    const Graph& model = *project.model()->graph;
    const LossInfo loss = describeLoss(*artifacts.evalModel);
    std::vector<std::string> proposed = namesOf(model.outputs());
    if (project.lesson())
        proposed = renamed({project.lesson()->exportOutput}, project.spec().rename);
    outputs_->setGraph(*artifacts.evalModel, model, loss.targets,
                       {proposed.begin(), proposed.end()});
    if (outputs_->ticked().empty())
        for (const std::string& read : loss.predictions) outputs_->tick(read, true);
}

void ExportPanel::refreshButton() {
    externalData_->setEnabled(!isOrtPath(path_->text().trimmed().toStdString()));
    const bool any = !outputs_->ticked().empty();
    export_->setEnabled(any && !running_ && !path_->text().trimmed().isEmpty());
    export_->setText(running_ ? tr("Exporting…")
                     : any    ? tr("Export and verify")
                              : tr("Tick an output first"));
}

void ExportPanel::browse() {
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export model"), path_->text(),
                                     tr("ONNX model (*.onnx);;Model in ORT format (*.ort)"));
    if (!path.isEmpty()) path_->setText(path);
}

void ExportPanel::exportTo(const QString& path) {
    const auto preparation = context_.project.preparation();
    if (running_ || !preparation || !shown_) return;
    ExportRequest request{path.toStdString(),
                          outputs_->ticked(),
                          context_.project.ops(),
                          [preparation] { return boundSamples(*preparation); },
                          weights_->checkpoint().toStdString(),
                          weights_->isAverage(),
                          foldBatchNorms_->isVisibleTo(this) && foldBatchNorms_->isChecked(),
                          externalData_->isEnabled() && externalData_->isChecked(),
                          opset_->currentData().toLongLong(),
                          asItCame_->isVisibleTo(this) && asItCame_->isChecked(),
                          normalization_->isVisibleTo(this) && normalization_->isChecked()};
    running_ = true;
    refreshButton();
    exportedWeights_ = weights_->currentText();
    const QString failure = tr("The model could not be exported");
    const auto done = [this](const ExportResult& result) { end(result); };
    const auto failed = [this](const Problem& problem) { fail(problem); };
    if (!request.checkpoint.empty()) {
        context_.project.tasks()->mustFinish(context_.project.tasks()->run(
            tr("Exporting"), failure,
            [artifacts = shown_, request = std::move(request)](std::stop_token) {
                return exportCheckpoint(*artifacts, request);
            },
            done, failed));
        return;
    }
    context_.controller.withSession(
        failure,
        [request = std::move(request)](TrainingSession& session) {
            return exportVerified(session, request);
        },
        done, failed);
}

void ExportPanel::end(const ExportResult& result) {
    running_ = false;
    refreshButton();
    showResult(result);
    context_.controller.noteExport(result.verdict());
    emit Activity::of(context_.navigator).acted(QStringLiteral("export"));
    emit exported();
}

void ExportPanel::fail(const Problem& problem) {
    running_ = false;
    refreshButton();
    banner_->show(Banner::Kind::Bad, problem);
}

void ExportPanel::showResult(const ExportResult& result) {
    result_ = result;
    banner_->hide();
    verdict_->setProperty("role", result.isVerified() ? "good" : "bad");
    verdict_->style()->polish(verdict_);
    const double difference = result.deviation.largest;
    switch (result.verdict()) {
        case ExportVerdict::Verified:
            verdict_->setText(tr("Verified: on %Ln samples, the file's outputs match the trained "
                                 "model's; largest difference %1.",
                                 nullptr, static_cast<int>(result.samples))
                                  .arg(decimalText(difference, 'g', 3)));
            break;
        case ExportVerdict::NotVerified:
            verdict_->setText(result.problem.empty()
                                  ? tr("Written but not verified: no data to run it on.")
                                  : tr("Written but not verified. %1").arg(text(result.problem)));
            break;
        case ExportVerdict::Differs:
            verdict_->setText(std::isfinite(difference)
                                  ? tr("The file differs from the trained model by %1.")
                                        .arg(decimalText(difference, 'g', 3))
                                  : tr("The file differs from the trained model: its outputs have "
                                       "other shapes, or NaN or infinity in other places."));
            break;
    }
    const bool saysStep = result.step == 0 || exportedWeights_.contains(integerText(result.step));
    const QString weights = saysStep
                                ? exportedWeights_
                                : tr("%1, step %2").arg(exportedWeights_, integerText(result.step));
    facts_->setText(
        tr("%1 · %2 · %3 · opset %4")
            .arg(QString::fromStdString(result.path.string()), bytesText(result.fileBytes),
                 tr("%Ln nodes", nullptr, static_cast<int>(result.nodes)))
            .arg(result.opset) +
        (result.foldedBatchNorms == 0 ? QString()
                                      : tr(" · %Ln batch norms folded into weights", nullptr,
                                           static_cast<int>(result.foldedBatchNorms))) +
        (result.normalizedInputs == 0 ? QString() : tr(" · normalizes its inputs")) +
        tr(" · weights “%1”").arg(weights));
    resultCard_->show();
}

StageStatus ExportPanel::status(const StageContext& context) {
    if (!context.project.model()) return openModelFirst();
    if (!exportable(context)) return {StageState::Locked, tr("Train first")};
    const auto& verdict = context.controller.exportVerdict();
    if (!verdict) return {StageState::Ready, tr("Ready to export")};
    switch (*verdict) {
        case ExportVerdict::Verified: return {StageState::Done, tr("Exported")};
        case ExportVerdict::NotVerified:
            return {StageState::Attention, tr("Exported, not verified")};
        case ExportVerdict::Differs: return {StageState::Attention, tr("Exported, but differs")};
    }
    return {};
}

}  // namespace temper::ui
