// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/parameters/parameters_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/training/head.h"
#include "ui/panels/parameters/parameter_model.h"
#include "ui/project/studio_project.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr double kMostClasses = 1e6;

}  // namespace

ParametersPanel::ParametersPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      project_(context.project),
      model_(new ParameterModel(this)),
      proxy_(new QSortFilterProxyModel(this)),
      filter_(new QLineEdit(this)),
      counts_(makeLabel({}, "muted", this)),
      banner_(new Banner(this)) {
    QVBoxLayout* layout = makePageLayout(this);
    layout->addLayout(
        makePageHeader(tr("Parameters"),
                       tr("Tick what training may change; everything else stays as it is."), this));
    layout->addWidget(banner_);
    layout->addWidget(buildPresets());
    layout->addWidget(buildTable(), 1);
    connect(model_, &ParameterModel::trainRequested, this, &ParametersPanel::trainOne);
    connect(&project_, &StudioProject::modelChanged, this, [this] {
        filter_->clear();
        model_->setModel(project_.model());
        if (project_.model()) refreshHead();
        refresh();
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
        {tr("Last layer"), TrainablePreset::LastLayer},
        {tr("Biases"), TrainablePreset::Biases},
        {tr("None"), TrainablePreset::None},
    };
    for (const auto& [label, preset] : presets) {
        auto* button = new QPushButton(label, bar);
        connect(button, &QPushButton::clicked, this,
                [this, label = label, preset = preset] { applyPreset(label, preset); });
        row->addWidget(button);
    }
    row->addSpacing(em(this, 1));
    row->addWidget(buildHead());
    row->addStretch(1);
    row->addWidget(counts_);
    return bar;
}

/// The number of classes; another one gives the model a new last layer.
QWidget* ParametersPanel::buildHead() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    auto* caption = makeLabel(tr("Classes"), "muted", box);
    classes_ = new NumberEdit(NumberEdit::Kind::Integer, 1, kMostClasses, box);
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
    project_.edit(tr("New last layer with %1 classes").arg(classes), spec);
}

void ParametersPanel::refreshHead() {
    QString why;
    try {
        const Head head = findHead(*project_.model()->graph);
        classes_->setValue(static_cast<double>(head.classes));
        why = tr("Outputs of the last layer, %1. Another number gives the model a new one, with"
                 " weights that have to be trained.")
                  .arg(text(head.node));
        classes_->setEnabled(true);
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
    auto* row = new QHBoxLayout;
    filter_->setObjectName(QStringLiteral("parameterFilter"));
    filter_->setAccessibleName(tr("Filter of the parameters by name"));
    filter_->setPlaceholderText(tr("Filter by name: conv*.weight"));
    filter_->setClearButtonEnabled(true);
    filter_->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    row->addWidget(filter_, 1);
    auto* train = new QPushButton(tr("Train these"), card);
    auto* freeze = new QPushButton(tr("Freeze these"), card);
    connect(train, &QPushButton::clicked, this, [this] { trainRows(true, false); });
    connect(freeze, &QPushButton::clicked, this, [this] { trainRows(false, false); });
    row->addWidget(train);
    row->addWidget(freeze);
    cardLayout(card)->addLayout(row);

    proxy_->setSourceModel(model_);
    proxy_->setFilterKeyColumn(ParameterModel::Name);
    proxy_->setSortRole(Qt::UserRole);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& pattern) {
        QString expression = QRegularExpression::escape(pattern);
        expression.replace(QLatin1String("\\*"), QLatin1String(".*"));
        expression.replace(QLatin1String("\\?"), QLatin1String("."));
        proxy_->setFilterRegularExpression(
            QRegularExpression(expression, QRegularExpression::CaseInsensitiveOption));
    });
    table_ = makeTable(proxy_, card);
    table_->setObjectName(QStringLiteral("parameterTable"));
    table_->setSortingEnabled(true);
    table_->sortByColumn(-1, Qt::AscendingOrder);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setAccessibleName(tr("Parameters of the model"));
    cardLayout(card)->addWidget(table_, 1);
    auto* toggle = new QShortcut(Qt::Key_Space, table_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(toggle, &QShortcut::activated, this, [this] {
        const QModelIndex current = proxy_->mapToSource(table_->currentIndex());
        if (!current.isValid()) return;
        trainRows(!model_->trained().contains(model_->nameOf(current.row())), true);
    });
    return card;
}

void ParametersPanel::refresh() {
    const auto& model = project_.model();
    if (!model) return;
    const auto trained = trainedParameters(model->parameters, project_.spec().artifacts);
    const ParameterCounts counts = countParameters(model->parameters, trained);
    model_->setTrained(trained);
    const QLocale locale;
    const auto number = [&locale](int64_t value) {
        return locale.toString(static_cast<qlonglong>(value));
    };
    counts_->setText(tr("%1 of %2 tensors train · %3 of %4 values")
                         .arg(number(counts.trainedTensors),
                              number(counts.trainedTensors + counts.frozenTensors),
                              number(counts.trainedElements),
                              number(counts.trainedElements + counts.frozenElements)));
}

void ParametersPanel::showFindings() {
    const auto& preparation = project_.preparation();
    if (!preparation || project_.isPreparing()) return;
    for (const Finding& finding : preparation->plan.findings) {
        if (finding.severity == Severity::Info || finding.parameters.empty()) continue;
        const bool bad = finding.severity == Severity::Error;
        banner_->show(bad ? Banner::Kind::Bad : Banner::Kind::Attention,
                      {bad ? tr("Not everything that is ticked can train") : tr("Worth a look"),
                       text(finding.message), text(finding.hint)});
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
    if (!project_.model()) return;
    setTrained(tr("Train: %1").arg(what), presetParameters(*project_.model(), preset));
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

}  // namespace temper::ui
