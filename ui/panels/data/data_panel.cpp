// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/data_panel.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/checks/problem_list.h"
#include "ui/checks/start_obstacle.h"
#include "ui/commands/activity.h"
#include "ui/document/data_text.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/messages/hint_text.h"
#include "ui/panels/data/batch_model.h"
#include "ui/panels/data/binding_model.h"
#include "ui/panels/data/fed_batch.h"
#include "ui/panels/data/health_view.h"
#include "ui/panels/data/prepare_view.h"
#include "ui/panels/data/thumbnail_view.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/combo_delegate.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

/// The targets with values that the loss does not take.
std::set<std::string> misfitsOf(const Preparation& preparation) {
    std::set<std::string> names;
    for (const ModelInput& input : preparation.inputs) {
        const auto bound = preparation.proposal.binding.find(input.name);
        if (!input.isTarget || bound == preparation.proposal.binding.end()) continue;
        const std::string column = "column '" + bound->second + "'";
        for (const Finding& finding : preparation.proposal.findings)
            if (finding.code == "D123" && finding.message.find(column) != std::string::npos)
                names.insert(input.name);
    }
    return names;
}

/// As the field of the source shows it.
std::string shownSource(const RunSpec& run, bool evaluation) {
    return dataPlaceText(evaluation ? run.evalData : run.data).toStdString();
}

}  // namespace

DataPanel::DataPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      project_(context.project),
      banner_(new Banner(this)),
      binding_(new BindingModel(this)),
      batch_(new BatchModel(this)),
      health_(new HealthView(context, this)),
      prepare_(new PrepareView(context, this)) {
    QVBoxLayout* layout = makePageLayout(this);
    layout->addLayout(makePageHeader(
        tr("Data"), tr("Samples to learn from, and which of their columns feed the model."), this));
    layout->addWidget(banner_);
    layout->addWidget(buildSource());
    layout->addWidget(buildBinding());
    layout->addWidget(buildTabs(), 1);
    connect(binding_, &BindingModel::chosen, this, &DataPanel::bind);
    connect(tabs_, &QTabWidget::currentChanged, this, [this, navigator = &context.navigator] {
        if (tabs_->currentWidget() == health_)
            emit Activity::of(*navigator).acted(QStringLiteral("show health"));
    });
    connect(banner_, &Banner::actionTriggered, this, [this] {
        if (const auto fix = bannerFix_) fix();  // it may replace the message
    });
    connect(&project_, &StudioProject::modelChanged, this, &DataPanel::refreshData);
    connect(&project_, &StudioProject::specChanged, this, &DataPanel::refreshSpec);
    connect(&project_, &StudioProject::dataChanged, this, &DataPanel::refreshData);
    connect(&project_, &StudioProject::preparationChanged, this, &DataPanel::refreshFindings);
    refreshData();
}

QWidget* DataPanel::buildSource() {
    QFrame* card = makeCard(this);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(em(this, 0.7));
    training_ = addSourceRow(grid, false, tr("Training samples"),
                             tr("Folder of pictures, CSV, JSONL, NPZ, NPY or IDX file"));
    evaluation_ =
        addSourceRow(grid, true, tr("Validation samples"), tr("If empty: the held-out part"));
    evaluation_->setToolTip(tr("Another file; if empty, the held-out part is used"));
    training_->setObjectName(QStringLiteral("trainingSource"));
    cardLayout(card)->addLayout(grid);
    description_ = makeLabel({}, "muted", card);
    description_->setWordWrap(true);
    description_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    cardLayout(card)->addWidget(description_);
    return card;
}

QLineEdit* DataPanel::addSourceRow(QGridLayout* grid, bool evaluation, const QString& label,
                                   const QString& help) {
    const int row = evaluation ? 1 : 0;
    auto* field = explain(new QLineEdit(this), evaluation ? "validation" : "sample");
    field->setPlaceholderText(help);
    field->setAccessibleName(label);
    auto* caption = makeLabel(label, "", this);
    caption->setBuddy(field);
    auto* browseButton = new QPushButton(themedIcon(QStringLiteral("open")), tr("Choose…"), this);
    browseButton->setAccessibleName(tr("Choose %1").arg(label));
    auto* menu = new QMenu(browseButton);
    menu->addAction(tr("File…"), this, [this, evaluation] { browse(evaluation); });
    menu->addAction(tr("Folder…"), this, [this, evaluation] { browseFolder(evaluation); });
    browseButton->setMenu(menu);
    grid->addWidget(caption, row, 0);
    grid->addWidget(field, row, 1);
    grid->addWidget(browseButton, row, 2);
    const auto typed = [field] { return field->text().trimmed().toStdString(); };
    connect(field, &QLineEdit::returnPressed, this,
            [this, typed, evaluation] { takeAgain(evaluation, typed()); });
    connect(field, &QLineEdit::editingFinished, this,
            [this, typed, evaluation] { takeTyped(evaluation, typed()); });
    return field;
}

QWidget* DataPanel::buildBinding() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("What feeds the model"), "heading", card));
    bindingTable_ = explain(makeTable(binding_, card), "binding");
    bindingTable_->setObjectName(QStringLiteral("bindingTable"));
    bindingTable_->setAccessibleName(tr("Model inputs and what feeds them"));
    columnChoice_ = new ComboDelegate({}, bindingTable_);
    bindingTable_->setItemDelegateForColumn(BindingModel::Source, columnChoice_);
    bindingTable_->horizontalHeader()->setStretchLastSection(true);
    connect(bindingTable_->horizontalScrollBar(), &QScrollBar::rangeChanged, this,
            &DataPanel::fitBinding);
    cardLayout(card)->addWidget(bindingTable_);
    bindingHint_ = makeLabel({}, "muted", card);
    bindingHint_->setWordWrap(true);
    cardLayout(card)->addWidget(bindingHint_);
    return card;
}

QWidget* DataPanel::buildTabs() {
    QFrame* card = makeCard(this);
    tabs_ = makeTabs(card);
    tabs_->setObjectName(QStringLiteral("dataTabs"));
    tabs_->addTab(explain(buildBatch(), "batch"), tr("First batch"));
    tabs_->addTab(explain(health_, "leakage"), tr("Health"));
    tabs_->addTab(explain(prepare_, "augmentation"), tr("Split and augment"));
    cardLayout(card)->addWidget(tabs_, 1);
    return card;
}

QWidget* DataPanel::buildBatch() {
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, em(this, 0.6), 0, 0);
    auto* row = new QHBoxLayout;
    batchCaption_ = makeLabel({}, "muted", page);
    row->addWidget(batchCaption_, 1);
    asNumbers_ = new QPushButton(tr("Show numbers"), page);
    asNumbers_->setObjectName(QStringLiteral("asNumbers"));
    asNumbers_->setCheckable(true);
    connect(asNumbers_, &QPushButton::toggled, this, &DataPanel::showBatch);
    row->addWidget(asNumbers_);
    column->addLayout(row);
    samples_ = new QStackedWidget(page);
    auto* empty = new Placeholder(QStringLiteral("table"),
                                  tr("Choose a file or a folder and its first samples appear "
                                     "here."),
                                  tr("Choose data…"), samples_);
    connect(empty, &Placeholder::triggered, this, [this] { browse(false); });
    samples_->addWidget(empty);
    thumbnails_ = new ThumbnailView(samples_);
    thumbnails_->setObjectName(QStringLiteral("firstBatchPictures"));
    samples_->addWidget(thumbnails_);
    numbers_ = makeTable(batch_, samples_);
    numbers_->verticalHeader()->show();
    numbers_->setAccessibleName(tr("First samples"));
    samples_->addWidget(numbers_);
    column->addWidget(samples_, 1);
    return page;
}

void DataPanel::browse(bool evaluation) {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Choose data"), {},
        tr("Data (*.csv *.tsv *.jsonl *.npz *.npy *.idx *.gz *ubyte*);;All files (*)"));
    take(evaluation, path);
}

void DataPanel::browseFolder(bool evaluation) {
    take(evaluation, QFileDialog::getExistingDirectory(this, tr("Choose a folder of data")));
}

void DataPanel::take(bool evaluation, const QString& path) {
    if (path.isEmpty()) return;
    if (evaluation) return setSource(true, path.toStdString());
    chooseFile(path);
}

void DataPanel::chooseFile(const QString& path) {
    try {
        const RunSpec& run = project_.spec().run;
        const std::string chosen = path.toStdString();
        setSource(false, proposeDataSpec(chosen, run.data, !evaluationBeside(chosen, run).empty()));
    } catch (...) {
        banner_->show(Banner::Kind::Bad,
                      problemFrom(std::current_exception(), tr("This data can't be read")));
    }
}

/// The same once more: it may be readable by now.
void DataPanel::takeAgain(bool evaluation, const std::string& source) {
    if (source == shownSource(project_.spec().run, evaluation)) project_.readDataAgain();
}

void DataPanel::takeTyped(bool evaluation, const std::string& source) {
    const RunSpec& run = project_.spec().run;
    if (source == shownSource(run, evaluation)) return;
    setSource(evaluation,
              evaluation ? source
                         : typedDataSpec(source, run.data, !evaluationBeside(source, run).empty()));
    refreshSpec();
}

void DataPanel::setSource(bool evaluation, const std::string& source) {
    if (!project_.model()) return;
    TrainingSpec spec = project_.spec();
    if (evaluation) {
        spec.run.evalData = source;
    } else {
        if (source != spec.run.data) spec.run.binding.clear();
        spec.run.evalData = evaluationBeside(source, spec.run);
        spec.run.data = source;
    }
    if (spec == project_.spec()) return project_.readDataAgain();
    project_.edit(evaluation ? tr("Choose validation data") : tr("Choose training data"), spec);
}

void DataPanel::refreshSpec() {
    const RunSpec& run = project_.spec().run;
    const auto show = [](QLineEdit* field, const std::string& source) {
        const QString place = dataPlaceText(source);
        if (place != field->text()) field->setText(place);
    };
    show(training_, run.data);
    show(evaluation_, run.evalData);
}

void DataPanel::refreshData() {
    const auto& loaded = project_.data();
    description_->setText(project_.isLoadingData() ? tr("Reading…")
                          : loaded                 ? loaded->description.trimmed()
                                                   : QString());
    description_->setVisible(!description_->text().isEmpty());
    prepare_->refresh();
    refreshFindings();
}

void DataPanel::refreshFindings() {
    refreshBinding();
    health_->refresh();
    const int problems = health_->problemCount();
    tabs_->setTabText(1, problems > 0 ? tr("Health (%1)").arg(problems) : tr("Health"));
    refreshBatch();
    refreshBanner();
}

void DataPanel::refreshBinding() {
    const auto& preparation = project_.preparation();
    if (project_.isLoadingData() && binding_->rowCount() > 0) return;  // stays until then
    const bool shown = preparation && project_.data() && !preparation->inputs.empty();
    bindingTable_->setVisible(shown);
    bindingHint_->setVisible(!shown);
    bindingHint_->setText(!project_.data() ? tr("Choose data first.")
                                           : tr("The inputs appear once training is prepared."));
    if (!shown) return binding_->setBinding({}, {}, {});
    if (preparation->data != project_.data()) return;  // the new proposal is pending
    binding_->setBinding(preparation->inputs, project_.data()->training()->columns(),
                         preparation->proposal.binding, preparation->proposal.defaults,
                         misfitsOf(*preparation));
    columnChoice_->setItems(binding_->choices());
    for (int row = 0; row < binding_->rowCount(); ++row)
        bindingTable_->openPersistentEditor(binding_->index(row, BindingModel::Source));
    bindingTable_->setColumnWidth(BindingModel::Source, em(this, 16));
    fitBinding();
}

void DataPanel::fitBinding() {
    constexpr int kShownRows = 5;
    const int rows = std::min(kShownRows, binding_->rowCount());
    const QScrollBar& bar = *bindingTable_->horizontalScrollBar();
    bindingTable_->setFixedHeight(bindingTable_->horizontalHeader()->sizeHint().height() +
                                  rows * bindingTable_->verticalHeader()->defaultSectionSize() +
                                  (bar.maximum() > 0 ? bar.sizeHint().height() : 0) +
                                  em(this, 0.3));
}

void DataPanel::refreshBanner() {
    bannerFix_ = {};
    if (project_.dataProblem().isEmpty() && !project_.data()) return banner_->hide();
    const std::vector<ListedProblem> all = problemsOf(project_);
    const auto first = [&](Severity severity) {
        return std::ranges::find_if(all, [&](const ListedProblem& listed) {
            return listed.page == QLatin1String("data") && listed.finding.severity == severity;
        });
    };
    if (const auto error = first(Severity::Error); error != all.end()) {
        return showFinding(error->finding, !project_.dataProblem().isEmpty()
                                               ? project_.dataProblem().title
                                               : tr("The data does not fit yet"));
    }
    if (!batchProblem_.isEmpty()) return banner_->show(Banner::Kind::Bad, batchProblem_);
    if (const auto warning = first(Severity::Warning); warning != all.end())
        return showFinding(warning->finding, tr("Worth a look"));
    banner_->hide();
}

void DataPanel::showFinding(const Finding& finding, const QString& title) {
    std::vector<ProblemFix> fixes = fixesOf(finding, project_);
    if (fixes.empty() && !project_.dataProblem().isEmpty())
        fixes.push_back({tr("Read again"), [this] { project_.readDataAgain(); }});
    if (!fixes.empty()) bannerFix_ = fixes.front().apply;
    banner_->show(finding.severity == Severity::Error ? Banner::Kind::Bad : Banner::Kind::Attention,
                  {title, text(finding.message), hintText(finding.hint)},
                  fixes.empty() ? QString() : fixes.front().label);
}

void DataPanel::refreshBatch() {
    project_.tasks()->cancel(batchTask_);
    batchProblem_ = {};
    if (!project_.data() || project_.data()->training()->size() == 0) {
        fed_.reset();
        return showBatch();
    }
    const auto& preparation = project_.preparation();
    const RunSpec& run = project_.spec().run;
    FedBatchRequest request{project_.data(), {}, {}, run.batchSize, run.session.seed};
    if (preparation && preparation->data == project_.data()) {
        request.inputs = preparation->inputs;
        std::erase_if(request.inputs, [&](const ModelInput& input) {
            return preparation->proposal.defaults.contains(input.name);
        });
        request.binding = preparation->proposal.binding;
    }
    batchTask_ = project_.tasks()->run(
        tr("Reading the first batch"), tr("The first batch could not be read"),
        [request](std::stop_token) { return makeFedBatch(request); },
        [this](std::shared_ptr<const FedBatch> batch) {
            fed_ = std::move(batch);
            showBatch();
        },
        [this](const Problem& problem) {
            fed_.reset();
            showBatch();
            batchProblem_ = problem;
            refreshBanner();
        });
    project_.tasks()->letCancel(batchTask_);
}

void DataPanel::showBatch() {
    batch_->setBatch(fed_);
    thumbnails_->setThumbnails(fed_ ? fed_->thumbnails : std::vector<Thumbnail>());
    const bool hasPictures = fed_ && !fed_->thumbnails.empty();
    asNumbers_->setVisible(hasPictures);
    samples_->setCurrentIndex(!fed_ ? 0 : hasPictures && !asNumbers_->isChecked() ? 1 : 2);
    QStringList parts;
    if (fed_)
        for (size_t i = 0; i < fed_->columns.size(); ++i)
            parts << QStringLiteral("%1 %2%3").arg(text(fed_->columns[i].name),
                                                   text(dtypeName(fed_->tensors[i].dtype())),
                                                   text(formatShape(fed_->tensors[i].shape())));
    batchCaption_->setText(parts.join(QStringLiteral("  ·  ")));
}

void DataPanel::bind(const std::string& input, const std::string& column) {
    TrainingSpec spec = project_.spec();
    if (column.empty()) {
        spec.run.binding.erase(input);
    } else {
        spec.run.binding[input] = column;
    }
    project_.edit(tr("Bind %1").arg(text(input)), spec);
}

StageStatus DataPanel::status(const StageContext& context) {
    const StudioProject& project = context.project;
    if (!project.model()) return openModelFirst();
    if (project.isLoadingData()) return {StageState::Running, tr("Reading…")};
    if (!project.dataProblem().isEmpty()) return {StageState::Attention, tr("Could not be read")};
    if (!project.data()) return {StageState::Attention, tr("Choose data")};
    const auto& preparation = project.preparation();
    if (preparation && hasErrors(preparation->proposal.findings))
        return {StageState::Attention, dataObstacle(project)};
    return {StageState::Done,
            tr("%Ln samples", nullptr, static_cast<int>(project.data()->training()->size()))};
}

}  // namespace temper::ui
