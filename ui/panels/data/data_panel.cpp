// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/data_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/panels/data/batch_model.h"
#include "ui/panels/data/thumbnail_view.h"
#include "ui/project/studio_project.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/guarded.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {

DataPanel::DataPanel(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      project_(context.project),
      banner_(new Banner(this)),
      batch_(new BatchModel(this)) {
    QVBoxLayout* layout = makePageLayout(this);
    layout->addLayout(makePageHeader(
        tr("Data"), tr("Samples to learn from, and which of their columns feed the model."), this));
    layout->addWidget(banner_);
    layout->addWidget(buildSource());
    layout->addWidget(buildBinding());
    layout->addWidget(buildBatch(), 1);
    connect(&project_, &StudioProject::modelChanged, this, &DataPanel::refreshData);
    connect(&project_, &StudioProject::specChanged, this, &DataPanel::refreshSpec);
    connect(&project_, &StudioProject::dataChanged, this, &DataPanel::refreshData);
    connect(&project_, &StudioProject::preparationChanged, this, &DataPanel::refreshBinding);
}

QWidget* DataPanel::buildSource() {
    QFrame* card = makeCard(this);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(em(this, 0.7));
    training_ = addSourceRow(grid, false, tr("Training samples"),
                             tr("CSV, NPZ, NPY or IDX file, e.g. iris.csv?target=species"));
    evaluation_ = addSourceRow(grid, true, tr("Validation samples"),
                               tr("Another file; empty uses the part that was set apart"));
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
    auto* field = new QLineEdit(this);
    field->setPlaceholderText(help);
    field->setAccessibleName(label);
    auto* caption = makeLabel(label, "", this);
    caption->setBuddy(field);
    auto* browseButton = new QPushButton(themedIcon(QStringLiteral("open")), tr("Choose…"), this);
    grid->addWidget(caption, row, 0);
    grid->addWidget(field, row, 1);
    grid->addWidget(browseButton, row, 2);
    connect(field, &QLineEdit::editingFinished, this, [this, field, evaluation] {
        setSource(evaluation, field->text().trimmed().toStdString());
    });
    connect(browseButton, &QPushButton::clicked, this, [this, evaluation] { browse(evaluation); });
    return field;
}

QWidget* DataPanel::buildBinding() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(makeLabel(tr("What feeds the model"), "heading", card));
    bindingRows_ = new QWidget(card);
    cardLayout(card)->addWidget(bindingRows_);
    bindingHint_ = makeLabel({}, "muted", card);
    bindingHint_->setWordWrap(true);
    cardLayout(card)->addWidget(bindingHint_);
    return card;
}

QWidget* DataPanel::buildBatch() {
    QFrame* card = makeCard(this);
    cardLayout(card)->addWidget(
        makeLabel(tr("First samples, exactly as they are fed"), "heading", card));
    samples_ = new QStackedWidget(card);
    auto* empty = new Placeholder(QStringLiteral("table"),
                                  tr("Choose a file and its first samples appear here."),
                                  tr("Choose data…"), samples_);
    connect(empty, &Placeholder::triggered, this, [this] { browse(false); });
    samples_->addWidget(empty);
    thumbnails_ = new ThumbnailView(samples_);
    samples_->addWidget(thumbnails_);
    numbers_ = makeTable(batch_, samples_);
    numbers_->setAccessibleName(tr("First samples"));
    samples_->addWidget(numbers_);
    cardLayout(card)->addWidget(samples_, 1);
    return card;
}

void DataPanel::browse(bool evaluation) {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Choose data"), {},
        tr("Data (*.csv *.tsv *.npz *.npy *.idx *.gz *ubyte*);;All files (*)"));
    if (path.isEmpty()) return;
    if (evaluation) return setSource(true, path.toStdString());
    chooseFile(path);
}

void DataPanel::chooseFile(const QString& path) {
    guarded(this, tr("This is no data that can be read"),
            [&] { setSource(false, proposeDataSpec(path.toStdString())); });
}

void DataPanel::setSource(bool evaluation, const std::string& source) {
    if (!project_.model()) return;
    TrainingSpec spec = project_.spec();
    (evaluation ? spec.run.evalData : spec.run.data) = source;
    if (!evaluation && source != project_.spec().run.data) spec.run.binding.clear();
    project_.edit(evaluation ? tr("Choose validation data") : tr("Choose training data"), spec);
}

void DataPanel::refreshSpec() {
    const RunSpec& run = project_.spec().run;
    if (text(run.data) != training_->text()) training_->setText(text(run.data));
    if (text(run.evalData) != evaluation_->text()) evaluation_->setText(text(run.evalData));
}

void DataPanel::refreshData() {
    const auto& loaded = project_.data();
    description_->setText(project_.isLoadingData() ? tr("Reading…")
                          : loaded                 ? loaded->description.trimmed()
                                                   : QString());
    description_->setVisible(!description_->text().isEmpty());
    batch_->setData(loaded);
    std::vector<Thumbnail> pictures;
    if (loaded) pictures = loaded->thumbnails;
    const bool hasPictures = !pictures.empty();
    thumbnails_->setThumbnails(std::move(pictures));
    samples_->setCurrentIndex(!loaded ? 0 : hasPictures ? 1 : 2);
    refreshBinding();
}

void DataPanel::refreshBinding() {
    delete bindingRows_->layout();
    // Later: one of them may be what asked for the change.
    for (auto* old : bindingRows_->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        old->hide();
        old->deleteLater();
    }
    auto* grid = new QGridLayout(bindingRows_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(em(this, 1));
    grid->setColumnStretch(3, 1);
    const auto& preparation = project_.preparation();
    const bool shown = preparation && project_.data() && !preparation->inputs.empty();
    bindingRows_->setVisible(shown);
    bindingHint_->setVisible(!shown);
    bindingHint_->setText(!project_.data() ? tr("Choose data first.")
                                           : tr("The inputs appear when training is prepared."));
    if (shown) {
        int row = 0;
        for (const ModelInput& input : preparation->inputs) addBindingRow(grid, input, row++);
    }
    if (!project_.dataProblem().isEmpty())
        return banner_->show(Banner::Kind::Bad, project_.dataProblem());
    if (!project_.data()) return banner_->hide();
    std::vector<Finding> findings = project_.data()->findings;
    if (preparation)
        findings.insert(findings.begin(), preparation->proposal.findings.begin(),
                        preparation->proposal.findings.end());
    for (const Severity severity : {Severity::Error, Severity::Warning}) {
        for (const Finding& finding : findings) {
            if (finding.severity != severity) continue;
            const bool bad = severity == Severity::Error;
            return banner_->show(bad ? Banner::Kind::Bad : Banner::Kind::Attention,
                                 {bad ? tr("The data does not fit yet") : tr("Worth a look"),
                                  text(finding.message), text(finding.hint)});
        }
    }
    banner_->hide();
}

void DataPanel::addBindingRow(QGridLayout* grid, const ModelInput& input, int row) {
    grid->addWidget(makeLabel(text(input.name), "heading", bindingRows_), row, 0);
    QString type = text(formatType(input.type));
    if (input.isTarget) type += tr(" · target");
    grid->addWidget(makeLabel(type, "muted", bindingRows_), row, 1);
    auto* box = new QComboBox(bindingRows_);
    box->setAccessibleName(tr("Column for %1").arg(text(input.name)));
    box->setMinimumWidth(em(this, 18));
    box->addItem(tr("not bound"), QString());
    for (const Column& column : project_.data()->training()->columns())
        box->addItem(QStringLiteral("%1   %2%3")
                         .arg(text(column.name), text(dtypeName(column.dtype)),
                              text(formatShape(column.shape))),
                     text(column.name));
    const auto& binding = project_.preparation()->proposal.binding;
    const auto bound = binding.find(input.name);
    box->setCurrentIndex(bound == binding.end() ? 0 : box->findData(text(bound->second)));
    connect(box, &QComboBox::activated, this, [this, box, name = input.name] {
        bind(name, box->currentData().toString().toStdString());
    });
    grid->addWidget(box, row, 2);
    auto* state = makeLabel(bound == binding.end() ? tr("needs a column") : tr("bound"),
                            bound == binding.end() ? "bad" : "good", bindingRows_);
    grid->addWidget(state, row, 3);
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

}  // namespace temper::ui
