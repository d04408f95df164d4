// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/sample_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/panels/evaluate/sample_model.h"
#include "ui/tasks/task_runner.h"
#include "ui/tensor_view/tensor_summary.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

constexpr int64_t kShownSamples = 200;

struct Chosen {
    std::vector<int64_t> entries;
    std::vector<QImage> pictures;
};

QImage pictureOf(const Dataset& data, int64_t sample) {
    const std::vector<int64_t> one = {sample};
    for (size_t i = 0; i < data.columns().size(); ++i) {
        if (data.columns()[i].isTarget || data.columns()[i].shape.size() < 2) continue;
        const QImage image = sampleImage(data.batch(i, one), 0);
        if (!image.isNull()) return image;
    }
    return {};
}

Chosen readChosen(const EvaluationResult& result, std::vector<int64_t> entries, int side,
                  const std::stop_token& stop) {
    Chosen chosen{std::move(entries), {}};
    for (const int64_t entry : chosen.entries) {
        if (stop.stop_requested()) break;
        const QImage image =
            pictureOf(*result.data, result.set.samples[static_cast<size_t>(entry)]);
        if (image.isNull()) return {std::move(chosen.entries), {}};
        const auto mode = image.width() < side ? Qt::FastTransformation : Qt::SmoothTransformation;
        chosen.pictures.push_back(image.scaled(side, side, Qt::KeepAspectRatio, mode));
    }
    return chosen;
}

}  // namespace

SampleView::SampleView(TaskRunner* tasks, QWidget* parent)
    : QWidget(parent),
      tasks_(tasks),
      model_(new SampleModel(this)),
      table_(makeTable(model_, this)),
      order_(new QComboBox(this)),
      cellLabel_(makeLabel({}, "muted", this)),
      allButton_(new QPushButton(tr("Show all samples"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, em(this, 0.6), 0, 0);
    buildControls();
    table_->setObjectName(QStringLiteral("sampleTable"));
    table_->setAccessibleName(tr("Samples and predictions"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setStretchLastSection(true);
    layout->addWidget(table_, 1);
    auto* empty = new Placeholder(QStringLiteral("table"),
                                  tr("Evaluate to see the samples that the model gets wrong."),
                                  tr("Evaluate"), this);
    connect(empty, &Placeholder::triggered, this, &SampleView::evaluationRequested);
    empty_ = empty;
    layout->addWidget(empty_, 1);
    layout->addWidget(
        makeLabel(tr("Press Enter or double-click to try the sample."), "muted", this));
    connect(table_, &QTableView::activated, this, &SampleView::activate);
    choose();
}

void SampleView::buildControls() {
    auto* row = new QHBoxLayout;
    order_->addItem(tr("Worst first"), int(SampleOrder::Worst));
    order_->addItem(tr("Best first"), int(SampleOrder::Best));
    order_->addItem(tr("Random"), int(SampleOrder::Random));
    order_->setAccessibleName(tr("Order of the samples"));
    order_->setObjectName(QStringLiteral("sampleOrder"));
    connect(order_, &QComboBox::activated, this, [this] {
        ++seed_;
        choose();
    });
    row->addWidget(order_);
    row->addWidget(cellLabel_, 1);
    connect(allButton_, &QPushButton::clicked, this, [this] { setCell(-1, -1); });
    row->addWidget(allButton_);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

void SampleView::setResult(std::shared_ptr<const EvaluationResult> result) {
    result_ = std::move(result);
    const bool isSame = result_ && result_->isOfClasses() &&
                        truth_ < static_cast<int64_t>(result_->set.classes.size());
    if (!isSame) truth_ = predicted_ = -1;
    choose();
}

void SampleView::setCell(int64_t truth, int64_t predicted) {
    truth_ = truth;
    predicted_ = predicted;
    choose();
}

void SampleView::choose() {
    tasks_->cancel(task_);
    allButton_->setVisible(truth_ >= 0);
    table_->setVisible(result_ != nullptr);
    empty_->setVisible(result_ == nullptr);
    order_->setEnabled(result_ != nullptr);
    if (!result_) return model_->setSamples(nullptr, {}, {});
    const auto& classes = result_->set.classes;
    cellLabel_->setText(truth_ < 0 ? QString()
                                   : tr("%1, predicted as %2")
                                         .arg(text(classes[static_cast<size_t>(truth_)]),
                                              text(classes[static_cast<size_t>(predicted_)])));
    const auto order = static_cast<SampleOrder>(order_->currentData().toInt());
    const int side = em(this, 3.4);
    task_ = tasks_->run(
        tr("Looking up samples"), tr("The samples could not be read"),
        [result = result_, order, truth = truth_, predicted = predicted_, seed = seed_,
         side](std::stop_token stop) {
            return readChosen(
                *result, chooseEntries(result->set, order, kShownSamples, truth, predicted, seed),
                side, stop);
        },
        [this, side, result = result_](Chosen chosen) {
            const bool hasPictures = !chosen.pictures.empty();
            table_->verticalHeader()->setDefaultSectionSize(hasPictures ? side + em(this, 0.4)
                                                                        : em(this, 1.75));
            table_->setIconSize(QSize(side, side));
            model_->setSamples(result, std::move(chosen.entries), std::move(chosen.pictures));
            table_->setColumnHidden(SampleModel::Place, !model_->hasPlaces());
        },
        [this](const Problem&) { model_->setSamples(nullptr, {}, {}); });
}

void SampleView::activate() {
    const QModelIndex current = table_->currentIndex();
    if (current.isValid() && result_)
        emit sampleChosen(result_->data, model_->sampleAt(current.row()),
                          model_->placeAt(current.row()));
}

}  // namespace temper::ui
