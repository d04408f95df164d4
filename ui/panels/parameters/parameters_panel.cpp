// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/parameters/parameters_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QShortcut>
#include <QStyle>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "engine/training/edits/head.h"
#include "engine/training/parameters/trainable_choice.h"
#include "ui/checks/parameter_counts.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/messages/hint_text.h"
#include "ui/panels/model/node_model.h"
#include "ui/panels/objective/groups_editor.h"
#include "ui/panels/parameters/parameter_filter.h"
#include "ui/panels/parameters/parameter_model.h"
#include "ui/panels/parameters/selected_parameters.h"
#include "ui/panels/parameters/statistics_box.h"
#include "ui/run/run_model.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/character_mark.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr double kMaxClasses = 1e6;

QString countsText(const ParameterCounts& counts) {
    return ParametersPanel::tr("%1 of %2 tensors train · %3 of %4 values · %5 of %6")
        .arg(integerText(counts.trainedTensors),
             integerText(counts.trainedTensors + counts.frozenTensors),
             integerText(counts.trainedElements),
             integerText(counts.trainedElements + counts.frozenElements),
             bytesText(static_cast<size_t>(counts.trainedBytes)),
             bytesText(static_cast<size_t>(counts.trainedBytes + counts.frozenBytes)));
}

}  // namespace

ParametersPanel::ParametersPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      project_(context.project),
      run_(context.run),
      model_(new ParameterModel(this)),
      proxy_(new ParameterFilter(this)),
      filter_(new QLineEdit(this)),
      filterNote_(makeLabel({}, "muted", this)),
      counts_(makeLabel({}, "muted", this)),
      statistics_(new StatisticsBox(context.project, this)),
      banner_(new Banner(this)) {
    QVBoxLayout* layout = makePageLayout(this);
    layout->addLayout(makePageHeader(
        tr("Parameters"), tr("Tick the parameters to train. All others stay frozen."), this));
    layout->addWidget(banner_);
    layout->addWidget(buildPresets());
    counts_->setObjectName(QStringLiteral("parameterCounts"));
    counts_->setWordWrap(true);
    layout->addWidget(counts_);
    layout->addWidget(statistics_);
    layout->addWidget(buildTable(), 1);
    layout->addWidget(buildGroups());
    connectSelected(context.commands);
    connect(model_, &ParameterModel::trainRequested, this, &ParametersPanel::trainOne);
    connect(&project_, &StudioProject::modelChanged, this, [this] {
        filter_->clear();
        model_->setModel(project_.model());
        refreshOperators();
        if (project_.model()) {
            refreshHead();
            describePresets();
        }
        refresh();
    });
    connect(&project_, &StudioProject::modelKept, this, &ParametersPanel::refreshHead);
    connect(&run_, &RunModel::stateChanged, this, [this] {
        if (project_.model()) refreshHead();
    });
    connect(&project_, &StudioProject::specChanged, this, &ParametersPanel::refresh);
    connect(&project_, &StudioProject::preparationChanged, this, &ParametersPanel::showFindings);
}

QWidget* ParametersPanel::buildPresets() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(makeLabel(tr("Train"), "muted", bar));
    const std::pair<QString, TrainablePreset> presets[] = {
        {tr("All"), TrainablePreset::All},
        {tr("Last layer (head)"), TrainablePreset::LastLayer},
        {tr("Biases only"), TrainablePreset::Biases},
        {tr("Norms only"), TrainablePreset::Norms},
        {tr("None"), TrainablePreset::None},
    };
    for (const auto& [label, preset] : presets) {
        auto* button = new QPushButton(label, bar);
        button->setObjectName(QStringLiteral("preset%1").arg(int(preset)));
        presets_.emplace_back(preset, button);
        connect(button, &QPushButton::clicked, this,
                [this, label = label, preset = preset] { applyPreset(label, preset); });
        row->addWidget(button);
    }
    row->addSpacing(em(this, 1));
    row->addWidget(buildHead());
    row->addStretch(1);
    return bar;
}

/// The number of classes; a different number gives the model a new last layer.
QWidget* ParametersPanel::buildHead() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    auto* caption = makeLabel(tr("Classes"), "muted", box);
    classes_ = new NumberEdit(NumberEdit::Kind::Integer, 1, kMaxClasses, box);
    classes_->setObjectName(QStringLiteral("headClasses"));
    classes_->setAccessibleName(tr("Number of classes"));
    classes_->setMaximumWidth(em(this, 5));
    caption->setBuddy(classes_);
    row->addWidget(caption);
    row->addWidget(classes_);
    connect(classes_, &NumberEdit::valueEdited, this,
            [this](double classes) { replaceHead(static_cast<int64_t>(classes)); });
    return box;
}

void ParametersPanel::replaceHead(int64_t classes) {
    TrainingSpec spec = project_.spec();
    spec.headClasses = classes;
    project_.edit(tr("New last layer with %n classes", nullptr, static_cast<int>(classes)), spec);
}

/// A run would end if its model were changed.
void ParametersPanel::refreshHead() {
    QString why;
    try {
        const Head head = findHead(*project_.model()->graph, project_.ops()->catalog);
        classes_->setValue(static_cast<double>(head.classes));
        why = run_.isActive() ? tr("Stop the run to replace the last layer.")
                              : tr("Number of outputs of the last layer, %1. If you change it, a "
                                   "new, untrained layer replaces this one.")
                                    .arg(text(head.node));
        classes_->setEnabled(!run_.isActive());
    } catch (const Error& error) {
        classes_->clear();
        classes_->setEnabled(false);
        why = QString::fromUtf8(error.what());
    }
    classes_->setToolTip(why);
    classes_->setAccessibleDescription(why);
}

QWidget* ParametersPanel::buildTable() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(buildFilter(card));
    cardLayout(card)->addWidget(buildListed(card));
    proxy_->setSourceModel(model_);
    table_ = makeTable(proxy_, card);
    table_->setObjectName(QStringLiteral("parameterTable"));
    table_->setSortingEnabled(true);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setAccessibleName(tr("Parameters of the model"));
    table_->setDragEnabled(true);
    table_->setDragDropMode(QAbstractItemView::DragOnly);
    table_->setColumnHidden(ParameterModel::Group, true);
    cardLayout(card)->addWidget(table_, 1);
    auto* toggle = new QShortcut(Qt::Key_Space, table_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(toggle, &QShortcut::activated, this, [this] {
        const QModelIndex current = proxy_->mapToSource(table_->currentIndex());
        if (!current.isValid()) return;
        trainRows(!model_->trained().contains(model_->nameOf(current.row())), true);
    });
    auto* layer =
        new QShortcut(Qt::SHIFT | Qt::Key_Space, table_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(layer, &QShortcut::activated, this, &ParametersPanel::toggleLayer);
    return card;
}

QWidget* ParametersPanel::buildGroups() {
    QFrame* card = makeCard(this);
    groups_ = explain(new GroupsEditor(project_, card), "group");
    groups_->takeParameters();
    cardLayout(card)->addWidget(groups_);
    return card;
}

void ParametersPanel::connectSelected(CommandRegistry& commands) {
    auto* selected = new SelectedParameters(project_, *model_, *proxy_, table_, this);
    selected->addCommand(commands);
    connect(selected, &SelectedParameters::trainRequested, this,
            [this](bool train) { trainRows(train, true); });
    connect(selected, &SelectedParameters::moveRequested, this,
            [this](const ParameterMove& move) { groups_->move(move, true); });
}

QWidget* ParametersPanel::buildFilter(QWidget* parent) {
    auto* bar = new QWidget(parent);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    filter_->setObjectName(QStringLiteral("parameterFilter"));
    filter_->setAccessibleName(tr("Filter parameters by name"));
    filter_->setClearButtonEnabled(true);
    filter_->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    row->addWidget(filter_, 1);
    isExpression_ = new QToolButton(bar);
    isExpression_->setObjectName(QStringLiteral("filterIsExpression"));
    isExpression_->setText(QStringLiteral(".*"));
    isExpression_->setCheckable(true);
    isExpression_->setFocusPolicy(Qt::StrongFocus);
    isExpression_->setAccessibleName(tr("Regular expression"));
    isExpression_->setToolTip(tr("Use the filter as a regular expression: ^conv[12]\\.weight$"));
    row->addWidget(isExpression_);
    operator_ = new QComboBox(bar);
    operator_->setObjectName(QStringLiteral("parameterOperator"));
    operator_->setAccessibleName(tr("Filter parameters by operator"));
    operator_->setToolTip(tr("Shows only the parameters of one layer type."));
    row->addWidget(operator_);
    connect(filter_, &QLineEdit::textChanged, this, &ParametersPanel::applyFilter);
    connect(isExpression_, &QToolButton::toggled, this, &ParametersPanel::applyFilter);
    connect(operator_, &QComboBox::currentIndexChanged, this, &ParametersPanel::applyFilter);
    return bar;
}

/// The number of listed parameters, and actions for them.
QWidget* ParametersPanel::buildListed(QWidget* parent) {
    auto* bar = new QWidget(parent);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    filterNote_->setObjectName(QStringLiteral("parameterFilterNote"));
    filterNote_->setWordWrap(true);
    row->addWidget(filterNote_, 1);
    only_ = new QPushButton(tr("Train only these"), bar);
    only_->setObjectName(QStringLiteral("trainOnlyListed"));
    train_ = new QPushButton(tr("Train these"), bar);
    freeze_ = new QPushButton(tr("Freeze these"), bar);
    freeze_->setObjectName(QStringLiteral("freezeListed"));
    connect(only_, &QPushButton::clicked, this,
            [this] { setTrained(tr("Train: %1").arg(filterText()), listed()); });
    connect(train_, &QPushButton::clicked, this, [this] { trainRows(true, false); });
    connect(freeze_, &QPushButton::clicked, this, [this] { trainRows(false, false); });
    for (QPushButton* button : {only_, train_, freeze_}) row->addWidget(button);
    refreshOperators();
    applyFilter();
    return bar;
}

/// Lists the operators that read trainable parameters, with the number that each reads.
void ParametersPanel::refreshOperators() {
    const QSignalBlocker quiet(operator_);
    operator_->clear();
    operator_->addItem(tr("All operators"), QString());
    std::map<QString, int> counts;
    for (int row = 0; row < model_->rowCount(); ++row) {
        if (!model_->canTrain(row)) continue;
        ++counts[model_->index(row, ParameterModel::ReadBy).data().toString()];
    }
    for (const auto& [op, count] : counts)
        if (!op.isEmpty()) operator_->addItem(tr("%1 (%2)").arg(op, integerText(count)), op);
    operator_->setEnabled(counts.size() > 1);
}

/// The text of the filter, for the undo list.
QString ParametersPanel::filterText() const {
    const QString op = operator_->currentData().toString();
    if (op.isEmpty() || filter_->text().isEmpty()) return filter_->text() + op;
    return tr("%1, %2").arg(op, filter_->text());
}

void ParametersPanel::applyFilter() {
    const bool isExpression = isExpression_->isChecked();
    filter_->setPlaceholderText(isExpression
                                    ? tr("Filter by regular expression: ^conv[12]\\.weight$")
                                    : tr("Filter by name: conv*.weight"));
    proxy_->setOperator(operator_->currentData().toString());
    showFilter(proxy_->setPattern(filter_->text(), isExpression));
}

/// Shows what the filter lists, or its error and the position.
void ParametersPanel::showFilter(const std::optional<ExpressionFault>& fault) {
    for (QPushButton* button : {only_, train_, freeze_}) button->setEnabled(!fault);
    filterNote_->setProperty("role", fault ? "bad" : "muted");
    filterNote_->style()->polish(filterNote_);
    std::optional<int> wrong;
    filterNote_->clear();
    if (fault) {
        const std::string right = filter_->text().toStdString().substr(0, fault->position);
        wrong = static_cast<int>(QString::fromStdString(right).size());
        filterNote_->setText(tr("Character %1, “%2”: %3.")
                                 .arg(*wrong + 1)
                                 .arg(filter_->text().mid(*wrong, 1), engineText(fault->reason())));
    } else if (project_.model() && !filterText().isEmpty()) {
        const ParameterCounts counts = countParameters(project_.model()->parameters, listed());
        filterNote_->setText(
            tr("%Ln trainable tensors shown · %1", nullptr, static_cast<int>(counts.trainedTensors))
                .arg(bytesText(static_cast<size_t>(counts.trainedBytes))));
    }
    markCharacter(*filter_, wrong);
    filter_->setAccessibleDescription(filterNote_->text());
}

/// The trainable parameters that the filter leaves.
std::set<std::string> ParametersPanel::listed() const {
    std::set<std::string> names;
    for (int row = 0; row < proxy_->rowCount(); ++row) {
        const int source = proxy_->mapToSource(proxy_->index(row, 0)).row();
        if (model_->canTrain(source)) names.insert(model_->nameOf(source));
    }
    return names;
}

void ParametersPanel::describePresets() {
    const auto& parameters = project_.model()->parameters;
    for (const auto& [preset, button] : presets_) {
        const QString counts = countsText(countParameters(parameters, chosenBy(preset)));
        button->setToolTip(counts);
        button->setAccessibleDescription(counts);
    }
}

std::set<std::string> ParametersPanel::chosenBy(TrainablePreset preset) const {
    const LoadedModel& model = *project_.model();
    return presetParameters(*model.graph, project_.ops()->catalog, model.parameters, model.blocks,
                            preset);
}

void ParametersPanel::refresh() {
    const auto& model = project_.model();
    if (!model) return;
    showTrained();
    refreshGroups();
    statistics_->refresh();
    applyFilter();
}

void ParametersPanel::showTrained() {
    const auto trained = trainedParameters(project_.model()->parameters, project_.spec().artifacts);
    auto idle = trained;
    for (const std::string& name : parametersThatTrain(project_)) idle.erase(name);
    model_->setTrained(trained, std::move(idle));
    counts_->setText(countsText(trainingCounts(project_)));
}

/// Shows the column if there are groups.
void ParametersPanel::refreshGroups() {
    groups_->refresh();
    const auto& groups = project_.spec().artifacts.parameterGroups;
    model_->setGroups(groups);
    table_->setColumnHidden(ParameterModel::Group, groups.empty());
    if (groups.empty()) return;
    table_->resizeColumnToContents(ParameterModel::Group);
    const int width = table_->columnWidth(ParameterModel::Group) + em(this, 1.4);
    table_->setColumnWidth(ParameterModel::Group, std::min(width, em(this, 14)));
}

void ParametersPanel::showFindings() {
    const auto& preparation = project_.preparation();
    if (project_.model()) showTrained();
    if (!preparation || project_.isPreparing()) return;
    for (const Finding& finding : preparation->plan.findings) {
        if (finding.severity == Severity::Info || finding.parameters.empty()) continue;
        const bool bad = finding.severity == Severity::Error;
        banner_->show(bad ? Banner::Kind::Bad : Banner::Kind::Attention,
                      {bad ? tr("Some ticked parameters can't be trained") : tr("Worth a look"),
                       text(finding.message), hintText(finding.hint)});
        return;
    }
    banner_->hide();
}

void ParametersPanel::setTrained(const QString& what, const std::set<std::string>& trained) {
    TrainingSpec spec = project_.spec();
    spec.artifacts = withTrainedParameters(spec.artifacts, project_.model()->parameters, trained);
    project_.edit(what, spec);
}

void ParametersPanel::applyPreset(const QString& what, TrainablePreset preset) {
    if (project_.model()) setTrained(tr("Train: %1").arg(what), chosenBy(preset));
}

void ParametersPanel::trainOne(const QString& name, bool train) {
    auto trained = model_->trained();
    if (train) {
        trained.insert(name.toStdString());
    } else {
        trained.erase(name.toStdString());
    }
    setTrained((train ? tr("Train %1") : tr("Freeze %1")).arg(name), trained);
}

/// Toggles all parameters of the current one's layer: "conv1.weight" and "conv1.bias".
void ParametersPanel::toggleLayer() {
    const QModelIndex current = proxy_->mapToSource(table_->currentIndex());
    if (!current.isValid() || !project_.model()) return;
    const std::string name = model_->nameOf(current.row());
    const std::string layer = name.substr(0, name.find_last_of("./") + 1);
    auto trained = model_->trained();
    const bool train = !trained.contains(name);
    for (int row = 0; row < model_->rowCount(); ++row) {
        const std::string each = model_->nameOf(row);
        const bool isOfLayer = layer.empty() ? each == name : each.starts_with(layer);
        if (!isOfLayer || !model_->canTrain(row)) continue;
        train ? (void)trained.insert(each) : (void)trained.erase(each);
    }
    const QString what = text(layer.empty() ? name : layer.substr(0, layer.size() - 1));
    setTrained((train ? tr("Train %1") : tr("Freeze %1")).arg(what), trained);
}

void ParametersPanel::trainRows(bool train, bool selectedOnly) {
    if (!project_.model()) return;
    auto trained = model_->trained();
    for (int row = 0; row < proxy_->rowCount(); ++row) {
        const QModelIndex index = proxy_->index(row, ParameterModel::Train);
        if (selectedOnly && !table_->selectionModel()->isSelected(index)) continue;
        const int source = proxy_->mapToSource(index).row();
        if (!model_->canTrain(source)) continue;
        if (train) {
            trained.insert(model_->nameOf(source));
        } else {
            trained.erase(model_->nameOf(source));
        }
    }
    setTrained(train ? tr("Train parameters") : tr("Freeze parameters"), trained);
}

StageStatus ParametersPanel::status(const StageContext& context) {
    const auto& model = context.project.model();
    if (!model) return openModelFirst();
    const ParameterCounts counts = trainingCounts(context.project);
    if (counts.trainedTensors == 0) return {StageState::Attention, tr("Nothing to train")};
    return {StageState::Done, tr("%1 of %2 train")
                                  .arg(counts.trainedTensors)
                                  .arg(counts.trainedTensors + counts.frozenTensors)};
}

}  // namespace temper::ui
