// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoint_diff_dialog.h"

#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/ir/graph.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/model_file.h"
#include "engine/training/artifacts/names_beside.h"
#include "ui/checkpoints/checkpoint_diff_model.h"
#include "ui/checkpoints/checkpoint_path.h"
#include "ui/checkpoints/names_in_module.h"
#include "ui/document/file_kind.h"
#include "ui/tasks/task_runner.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/histogram_view.h"
#include "ui/widgets/page.h"

namespace temper::ui {

namespace {

constexpr double kDetailsWidth = 13;  ///< in line heights

/// The weights of a model; literals of the exporter are not parameters.
NamedWeights weightsOf(const Graph& graph) {
    NamedWeights weights{{}, moduleNamesIn(graph)};
    for (const Value* value : graph.initializers())
        if (!value->isLiteral())
            weights.file.trainable.push_back({value->name(), value->constant()});
    return weights;
}

}  // namespace

CheckpointSide CheckpointSide::file(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    const std::string file = path.toStdString();
    if (kindOfFile(path) == FileKind::Checkpoint || QFileInfo(path).isDir())
        return {name, [file] {
                    return NamedWeights{loadCheckpoint(file), moduleNamesBeside(file)};
                }};
    // The forms of nodes do not affect weights.
    const auto asItIs = [](Graph&) {};
    return {name, [=] { return weightsOf(*loadModel(file, {.unifyOpsets = asItIs})); }, true};
}

CheckpointSide CheckpointSide::model(const QString& name, std::shared_ptr<const Graph> graph) {
    return {name, [graph = std::move(graph)] { return weightsOf(*graph); }, true};
}

CheckpointDiffDialog::CheckpointDiffDialog(const CheckpointSide& first,
                                           const CheckpointSide& second, TaskRunner& tasks,
                                           QWidget* parent)
    : QDialog(parent),
      firstSide_(first),
      secondSide_(second),
      tasks_(tasks),
      model_(new CheckpointDiffModel(this)),
      banner_(new Banner(this)),
      summary_(makeLabel(tr("Reading…"), "muted", this)),
      table_(makeTable(model_, this, true)) {
    setWindowTitle(tr("Compare weights"));
    setObjectName(QStringLiteral("checkpointDiff"));
    resize(em(this, 72), em(this, 36));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeLabel(tr("%1 → %2").arg(first.name, second.name), "title", this));
    layout->addWidget(summary_);
    layout->addWidget(banner_);
    table_->setObjectName(QStringLiteral("checkpointDiffTable"));
    table_->setAccessibleName(tr("Differences of the parameters"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setStretchLastSection(true);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(table_);
    splitter->addWidget(buildDetails());
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({width() - em(this, kDetailsWidth), em(this, kDetailsWidth)});
    layout->addWidget(splitter, 1);
    layout->addWidget(buildMixture());
    for (QWidget* widget : mixture_) widget->setVisible(!first.isModel && !second.isModel);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &CheckpointDiffDialog::showParameter);
    read();
}

QWidget* CheckpointDiffDialog::buildDetails() {
    QFrame* card = makeCard(this);
    card->setMinimumWidth(em(this, kDetailsWidth));
    name_ = makeLabel({}, "heading", card);
    name_->setWordWrap(true);
    histogram_ = new HistogramView(card);
    histogram_->setAccessibleName(tr("Histogram of the differences"));
    cardLayout(card)->addWidget(name_);
    change_ = makeLabel({}, "muted", card);
    change_->setObjectName(QStringLiteral("howValuesChanged"));
    change_->setWordWrap(true);
    cardLayout(card)->addWidget(change_);
    cardLayout(card)->addWidget(histogram_);
    cardLayout(card)->addStretch(1);
    return card;
}

QWidget* CheckpointDiffDialog::buildMixture() {
    auto* pane = new QWidget(this);
    auto* row = new QHBoxLayout(pane);
    row->setContentsMargins(0, 0, 0, 0);
    weight_ = new QDoubleSpinBox(pane);
    weight_->setRange(0, 1);
    weight_->setSingleStep(0.1);
    weight_->setValue(0.5);
    weight_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    weight_->setAccessibleName(tr("Share of the second checkpoint in the blend"));
    auto* label = makeLabel(tr("&Blend"), "", pane);
    label->setBuddy(weight_);
    save_ = new QPushButton(tr("Save blend…"), pane);
    save_->setEnabled(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, pane);
    row->addWidget(label);
    row->addWidget(weight_);
    row->addWidget(save_);
    row->addStretch(1);
    row->addWidget(buttons);
    mixture_ = {label, weight_, save_};
    connect(save_, &QPushButton::clicked, this, &CheckpointDiffDialog::askMixture);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    return pane;
}

void CheckpointDiffDialog::read() {
    const QPointer<CheckpointDiffDialog> self(this);
    tasks_.letCancel(tasks_.run(
        tr("Comparing weights"), tr("The weights could not be compared"),
        [a = firstSide_.read, b = secondSide_.read](std::stop_token) {
            Content content;
            NamedWeights first = a(), second = b();
            content.names = std::move(first.names);
            content.names.merge(second.names);
            content.first = std::make_shared<const CheckpointFile>(std::move(first.file));
            content.second = std::make_shared<const CheckpointFile>(std::move(second.file));
            content.diff = compareCheckpoints(*content.first, *content.second);
            return content;
        },
        [self](Content content) {
            if (self) self->show(std::move(content));
        },
        [self](const Problem& problem) {
            if (self) self->fail(problem);
        }));
}

void CheckpointDiffDialog::show(Content content) {
    first_ = std::move(content.first);
    second_ = std::move(content.second);
    int64_t changed = 0, misfits = 0;
    for (const ParameterDiff& parameter : content.diff.parameters) {
        if (!parameter.mismatch.empty()) ++misfits;
        if (parameter.mismatch.empty() && !parameter.isSame()) ++changed;
    }
    summary_->setText(tr("%n parameters in both: %1 changed, %2 with a different type or shape · "
                         "%3 only in the first · %4 only in the second",
                         nullptr, static_cast<int>(content.diff.parameters.size()))
                          .arg(changed)
                          .arg(misfits)
                          .arg(content.diff.onlyInFirst.size())
                          .arg(content.diff.onlyInSecond.size()));
    save_->setEnabled(content.diff.sameStructure());
    for (const auto& file : {first_, second_})
        content.names.merge(namesInModule(*file, openModel_.get()));
    model_->setDiff(std::move(content.diff), std::move(content.names));
    table_->selectRow(0);
}

void CheckpointDiffDialog::showParameter() {
    const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(table_->model());
    const ParameterDiff* parameter =
        model_->parameter(proxy->mapToSource(table_->currentIndex()).row());
    name_->setText(parameter == nullptr ? QString() : model_->nameText(*parameter));
    const bool hasHistogram = parameter != nullptr && !parameter->histogram.empty();
    change_->setText(hasHistogram                                  ? tr("How the values changed")
                     : parameter != nullptr && parameter->isSame() ? tr("The values are equal.")
                                                                   : QString());
    histogram_->setVisible(hasHistogram);
    if (!hasHistogram) return histogram_->setHistogram({}, 0, 0);
    histogram_->setHistogram(parameter->histogram, -parameter->maxChange, parameter->maxChange);
}

void CheckpointDiffDialog::askMixture() {
    const QString path = askCheckpointPath(this, tr("Save blend"), QStringLiteral("blend.ckpt"));
    if (!path.isEmpty()) saveMixture(path, weight_->value());
}

void CheckpointDiffDialog::saveMixture(const QString& path, double weight) {
    const QPointer<CheckpointDiffDialog> self(this);
    tasks_.mustFinish(tasks_.run(
        tr("Saving blend"), tr("The blend could not be saved"),
        [first = first_, second = second_, weight, file = path.toStdString()](std::stop_token) {
            writeCheckpoint(interpolateCheckpoints(*first, *second, weight), file);
            return true;
        },
        [self, path](bool) {
            if (!self) return;
            self->banner_->show(Banner::Kind::Good, {tr("Saved"), path, {}});
            emit self->saved(path);
        },
        [self](const Problem& problem) {
            if (self) self->fail(problem);
        }));
}

void CheckpointDiffDialog::fail(const Problem& problem) {
    summary_->setText(tr("%1 and %2").arg(firstSide_.name, secondSide_.name));
    banner_->show(Banner::Kind::Bad, problem);
}

}  // namespace temper::ui
