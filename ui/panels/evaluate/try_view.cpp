// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/try_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/data/picture_sample.h"
#include "engine/data/sound/wav_file.h"
#include "engine/data/sound_sample.h"
#include "ui/commands/activity.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/panels/evaluate/picture_input.h"
#include "ui/panels/evaluate/prediction_bars.h"
#include "ui/panels/evaluate/row_model.h"
#include "ui/panels/evaluate/sound_bar.h"
#include "ui/panels/evaluate/try_canvas.h"
#include "ui/run/run_model.h"
#include "ui/tensor_view/tensor_summary.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr size_t kShownClasses = 5;
/// Interval at which the weights are fetched during training.
constexpr int kFollowMs = 1000;

QPushButton* makeButton(const QString& text, const char* name, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(QLatin1String(name));
    return button;
}

std::vector<double> numbersOf(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::Float64);
    return {wide.values<double>().begin(), wide.values<double>().end()};
}

QStringList namesOf(const Column& column) {
    QStringList names;
    for (int64_t i = 0; i < column.elementsPerSample(); ++i)
        names << (static_cast<size_t>(i) < column.elements.size()
                      ? text(column.elements[static_cast<size_t>(i)])
                      : QStringLiteral("%1[%2]").arg(text(column.name)).arg(i));
    return names;
}

}  // namespace

TryView::TryView(const PanelContext& context, WeightSource* weights, QWidget* parent)
    : QWidget(parent), context_(context), weights_(weights) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, em(this, 0.6), 0, 0);
    row->setSpacing(em(this, 1.2));
    row->addWidget(buildInput(), 3);
    row->addWidget(buildOutput(), 2);
    connect(&context_.run, &RunModel::updated, this, &TryView::followRun);
}

QWidget* TryView::buildInput() {
    auto* pane = new QWidget(this);
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    auto* previous = makeButton(tr("Previous sample"), "previousSample", pane);
    auto* next = makeButton(tr("Next sample"), "nextSample", pane);
    connect(previous, &QPushButton::clicked, this, [this] { nextSample(-1); });
    connect(next, &QPushButton::clicked, this, [this] { nextSample(1); });
    row->addWidget(previous);
    row->addWidget(next);
    sampleLabel_ = makeLabel({}, "muted", pane);
    row->addWidget(sampleLabel_, 1);
    column->addLayout(row);
    input_ = new QStackedWidget(pane);
    buildPictureInput();
    input_->addWidget(buildRowInput());
    column->addWidget(input_, 1);
    return pane;
}

void TryView::buildPictureInput() {
    picture_ = new PictureInput(context_, input_);
    connect(picture_, &PictureInput::taken, this, &TryView::takePicture);
    connect(picture_, &PictureInput::failed, this, &TryView::failed);
    connect(picture_, &PictureInput::begun, this, [this] {
        sampleLabel_->clear();
        bars_->setBars({});
        caption_->setText(tr("Draw something."));
    });
    input_->addWidget(picture_);
}

QWidget* TryView::buildRowInput() {
    auto* pane = new QWidget(input_);
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    sound_ = new SoundBar(context_.capture, pane);
    sound_->hide();
    connect(sound_, &SoundBar::recorded, this,
            [this](const Sound& sound) { takeSound(std::make_shared<const Sound>(sound)); });
    connect(sound_, &SoundBar::fileChosen, this, &TryView::openSound);
    connect(sound_, &SoundBar::fitChanged, this, [this] {
        if (ownSound_) takeSound(ownSound_);
    });
    column->addWidget(sound_);
    row_ = new RowModel(this);
    rowTable_ = makeTable(row_, pane);
    rowTable_->setObjectName(QStringLiteral("tryRow"));
    rowTable_->setAccessibleName(tr("Values of the input"));
    rowTable_->setSelectionBehavior(QAbstractItemView::SelectItems);
    rowTable_->setEditTriggers(QAbstractItemView::AllEditTriggers);
    rowTable_->horizontalHeader()->setSectionResizeMode(RowModel::Name, QHeaderView::Stretch);
    connect(row_, &RowModel::edited, this, &TryView::takeRow);
    connect(rowTable_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { takePlace(index.row()); });
    column->addWidget(rowTable_, 1);
    return pane;
}

QWidget* TryView::buildOutput() {
    auto* pane = new QWidget(this);
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(makeLabel(tr("What the model says"), "heading", pane));
    caption_ = makeLabel({}, "muted", pane);
    caption_->setObjectName(QStringLiteral("tryCaption"));
    caption_->setWordWrap(true);
    column->addWidget(caption_);
    bars_ = explain(new PredictionBars(pane), "logits");
    column->addWidget(bars_);
    column->addSpacing(em(this, 0.6));
    column->addWidget(makeLabel(tr("Why"), "heading", pane));
    explanation_ = new QComboBox(pane);
    explanation_->setObjectName(QStringLiteral("explanation"));
    explanation_->setAccessibleName(tr("Explanation of the prediction"));
    explanation_->addItem(tr("No explanation"), int(Explanation::None));
    explanation_->addItem(tr("Input gradient"), int(Explanation::Gradient));
    explanation_->addItem(tr("Occlusion, part by part"), int(Explanation::Occlusion));
    explain(explanation_, "saliency");
    connect(explanation_, &QComboBox::activated, this, [this] {
        const bool isCovered = explanation_->currentData().toInt() == int(Explanation::Occlusion);
        explain(explanation_, isCovered ? "occlusion" : "saliency");
        predict();
    });
    column->addWidget(explanation_);
    explanationHint_ = makeLabel({}, "muted", pane);
    explanationHint_->setWordWrap(true);
    column->addWidget(explanationHint_);
    column->addSpacing(em(this, 0.6));
    follow_ = new QCheckBox(tr("Follow training"), pane);
    follow_->setChecked(true);
    column->addWidget(follow_);
    column->addStretch(1);
    return pane;
}

// ---- what is there -----------------------------------------------------------------------------

const Column* TryView::mainColumn() const {
    if (!data_ || main_.empty()) return nullptr;
    return &data_->training()->columns()[data_->training()->columnIndex(main_)];
}

void TryView::refresh() {
    const auto& preparation = context_.project.preparation();
    if (!preparation || !preparation->data || preparation->data != context_.project.data()) return;
    if (data_ == preparation->data && binding_ == preparation->proposal.binding &&
        madeFor_ == preparation->artifacts)
        return;
    const bool isSameInput =
        data_ == preparation->data && binding_ == preparation->proposal.binding;
    data_ = preparation->data;
    binding_ = preparation->proposal.binding;
    madeFor_ = preparation->artifacts;
    predictor_.reset();
    if (isSameInput) return predict();
    adoptBinding();
    samples_ = data_->evaluation() ? data_->evaluation() : data_->training();
    if (samples_->size() > 0) showSample(samples_, 0);
}

void TryView::adoptBinding() {
    main_.clear();
    target_.clear();
    isPicture_ = false;
    bool mayExplain = false;
    for (const ModelInput& input : context_.project.preparation()->inputs) {
        const auto bound = binding_.find(input.name);
        if (bound == binding_.end()) continue;
        const Column& column =
            data_->training()->columns()[data_->training()->columnIndex(bound->second)];
        if (input.isTarget) {
            target_ = column.name;
        } else if (main_.empty() || (!isPicture_ && holdsPictures(column))) {
            main_ = column.name;
            isPicture_ = holdsPictures(column);
            mayExplain = isPicture_ || isFloating(input.type.dtype);
        }
    }
    input_->setCurrentIndex(isPicture_ ? 0 : 1);
    if (!mayExplain) explanation_->setCurrentIndex(0);
    explanation_->setEnabled(mayExplain);
    explanationHint_->setText(
        mayExplain ? tr("Highlighted is what the likeliest answer relies on: where a small change "
                        "matters most, or where covering the input changes it most.")
                   : tr("Integers, such as tokens, can't be changed slightly: what the answer "
                        "relies on is not shown."));
    const SampleStyle style =
        main_.empty() ? SampleStyle() : data_->styles[data_->training()->columnIndex(main_)];
    sound_->setVisible(style.isSound && !isPicture_);
    if (!sound_->isHidden()) sound_->setLength(mainColumn()->elementsPerSample());
    if (isPicture_) picture_->setStyle(style.strokes);
}

void TryView::nextSample(int step) {
    if (!samples_ || samples_->size() == 0) return;
    const int64_t size = samples_->size();
    const int64_t from = sampleIndex_ < 0 ? (step > 0 ? -1 : 0) : sampleIndex_;
    showSample(samples_, (from + step + size) % size);
}

void TryView::showSample(const std::shared_ptr<const Dataset>& from, int64_t sample,
                         int64_t place) {
    if (!data_) return;
    samples_ = from;
    sampleIndex_ = sample;
    place_ = place;
    sample_.clear();
    forgetSound();
    try {
        const std::vector<int64_t> one = {sample};
        for (size_t i = 0; i < from->columns().size(); ++i)
            sample_[from->columns()[i].name] = from->batch(i, one);
    } catch (...) {
        emit failed(problemFrom(std::current_exception(), tr("The sample could not be read")));
        return;
    }
    sampleLabel_->setText(tr("Sample %1 of %2")
                              .arg(QLocale().toString(static_cast<qlonglong>(sample + 1)),
                                   QLocale().toString(static_cast<qlonglong>(from->size()))));
    if (isPicture_) picture_->showPicture(sampleImage(sample_.at(main_), 0));
    showFed();
    predict();
}

void TryView::showFed() {
    const Column* column = mainColumn();
    if (column == nullptr) return;
    const Tensor& values = sample_.at(main_);
    if (!isPicture_) {
        row_->setRow(namesOf(*column), numbersOf(values));
        return;
    }
    picture_->showFed(sampleImage(values, 0));
}

// ---- inputs ------------------------------------------------------------------------------------

TryCanvas* TryView::canvas() const { return picture_->canvas(); }

/// An input from elsewhere than the data.
void TryView::takeOwn(Tensor values, const QString& label) {
    sample_[main_] = std::move(values);
    sampleIndex_ = -1;
    sampleLabel_->setText(label);
}

void TryView::takePicture(const Image& picture) {
    if (!data_ || !isPicture_) return;
    try {
        const size_t column = data_->training()->columnIndex(main_);
        takeOwn(pictureAsSample(picture, data_->opened, column, ImageFit::Crop),
                tr("Your own picture"));
    } catch (...) {
        emit failed(problemFrom(std::current_exception(), tr("The picture can't be used")));
        return;
    }
    showFed();
    predict();
}

void TryView::openPicture(const QString& path) {
    if (data_ && isPicture_) picture_->openPicture(path);
}

void TryView::openSound(const QString& path) {
    if (!data_ || sound_->isHidden()) return;
    TaskRunner* tasks = context_.project.tasks();
    tasks->cancel(soundTask_);
    soundTask_ = tasks->letCancel(tasks->run(
        tr("Reading the sound"), tr("The sound could not be read"),
        [name = path.toStdString()](std::stop_token) {
            const DataFile file = openDataFile(name);
            return std::make_shared<const Sound>(decodeWav(file.bytes, file.name));
        },
        [this](const std::shared_ptr<const Sound>& sound) {
            if (sound_->isRecording()) return;  // what was asked for later counts
            sound_->setSound(*sound);
            takeSound(sound);
        },
        [this](const Problem& problem) {
            if (!problem.isCancelled) emit failed(problem);
        }));
}

void TryView::takeSound(std::shared_ptr<const Sound> sound) {
    if (!data_ || sound_->isHidden()) return;
    ownSound_ = sound;
    TaskRunner* tasks = context_.project.tasks();
    tasks->cancel(soundTask_);
    soundTask_ = tasks->letCancel(tasks->run(
        tr("Preparing the sound"), tr("The sound can't be used"),
        [sound = std::move(sound), data = data_, column = data_->training()->columnIndex(main_),
         fit = sound_->fit()](std::stop_token) {
            return soundAsSample(*sound, data->opened, column, fit);
        },
        [this, data = data_](const FittedSound& fitted) {
            if (data != data_ || !ownSound_) return;
            takeOwn(fitted.sample, tr("Your own sound"));
            sound_->setPart(fitted);
            showFed();
            predict();
        },
        [this](const Problem& problem) {
            if (!problem.isCancelled) emit failed(problem);
        }));
}

/// The input becomes something else.
void TryView::forgetSound() {
    context_.project.tasks()->cancel(std::exchange(soundTask_, 0));
    ownSound_.reset();
    sound_->clear();
}

void TryView::takeRow() {
    const Column* column = mainColumn();
    if (column == nullptr || isPicture_) return;
    Shape shape = column->shape;
    shape.insert(shape.begin(), 1);
    forgetSound();
    takeOwn(Tensor::of<double>(std::move(shape), row_->values()).cast(column->dtype),
            tr("Your own values"));
    emit Activity::of(context_.navigator).acted(QStringLiteral("type values"));
    predict();
}

/// For a row of tokens (or other values with one prediction each), shows the prediction at this
/// value.
void TryView::takePlace(int row) {
    if (row < 0 || places_ < 2 || places_ != row_->rowCount() || row == place_) return;
    place_ = row;
    predict();
}

// ---- predictions -------------------------------------------------------------------------------

void TryView::refreshWeights() {
    if (!weights_->isAvailable() || !data_) return;
    const int fetch = ++fetch_;
    fetching_ = true;
    stale_ = false;
    sinceFetch_.start();
    weights_->fetch(
        [this, fetch](Weights weights) {
            if (fetch != fetch_) return;
            fetching_ = false;
            context_.project.tasks()->run(
                tr("Preparing predictions"), tr("Predictions are not possible"),
                [weights, ops = context_.project.ops()](std::stop_token) {
                    return makeTryPredictor(weights, ops);
                },
                [this, fetch](std::shared_ptr<TryPredictor> predictor) {
                    if (fetch < fetched_) return;
                    fetched_ = fetch;
                    predictor_ = std::move(predictor);
                    predict();
                },
                [this](const Problem& problem) { emit failed(problem); });
        },
        [this, fetch](const Problem& problem) {
            if (fetch != fetch_) return;
            fetching_ = false;
            emit failed(problem);
        });
}

void TryView::followRun() {
    stale_ = true;
    if (fetching_ || !isVisible() || !follow_->isChecked() || !weights_->isCurrent()) return;
    if (context_.run.isActive() && sinceFetch_.isValid() && sinceFetch_.elapsed() < kFollowMs)
        return;
    refreshWeights();
}

void TryView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (stale_) followRun();
}

void TryView::predict() {
    if (!data_ || sample_.empty() || fetching_) return;  // the prediction follows the new weights
    const bool isLate =
        stale_ && follow_->isChecked() && weights_->isCurrent() && !context_.run.isActive();
    if (!predictor_ || isLate) return refreshWeights();
    context_.project.tasks()->cancel(task_);
    TryRequest request{predictor_, data_,
                       binding_,   sample_,
                       main_,      static_cast<Explanation>(explanation_->currentData().toInt()),
                       place_};
    task_ = context_.project.tasks()->run(
        tr("Predicting"), tr("The prediction failed"),
        [request](std::stop_token stop) { return tryOnce(request, stop); },
        [this](const TryResult& result) {
            // else the data was closed meanwhile, or other weights are pending
            if (data_ && predictor_) show(result);
        },
        [this](const Problem& problem) { emit failed(problem); });
}

QString TryView::nameOf(const TryResult& result, size_t output) const {
    if (target_.empty()) return QString::number(output);
    const Column& target = data_->training()->columns()[data_->training()->columnIndex(target_)];
    const auto& names = result.kind == TaskKind::Numbers ? target.elements : target.classes;
    return output < names.size() ? text(names[output]) : QString::number(output);
}

/// The true values of the shown prediction; empty if unknown.
std::vector<double> TryView::rightValues(const TryResult& result) const {
    if (result.madeLabel) return {static_cast<double>(*result.madeLabel)};
    if (sampleIndex_ < 0 || target_.empty()) return {};
    const std::vector<double> values = numbersOf(sample_.at(target_));
    const bool isPerPlace =
        result.places > 1 && static_cast<int64_t>(values.size()) == result.places;
    return isPerPlace ? std::vector{values[static_cast<size_t>(result.place)]} : values;
}

QString TryView::captionOf(const TryResult& result) const {
    QString caption = tr("With the weights after step %1.").arg(integerText(predictor_->step));
    const auto& loss = predictor_->predictor->loss();
    if (!loss.labels.empty())
        caption +=
            QLatin1Char(' ') + tr("The token after position %1 of %2; choose a row "
                                  "to see what follows it.")
                                   .arg(integerText(result.place), integerText(result.places - 1));
    const std::vector<double> right = rightValues(result);
    if (right.empty()) return caption;
    QStringList texts;
    for (const double value : right)
        texts << (result.kind == TaskKind::Numbers
                      ? decimalText(value, 'g', 5)
                      : nameOf(result, static_cast<size_t>(std::max(value, 0.0))));
    return caption + QLatin1Char(' ') +
           tr("Correct answer: %1.").arg(texts.join(QStringLiteral("; ")));
}

void TryView::show(const TryResult& result) {
    const bool isNumber = result.kind == TaskKind::Numbers;
    const std::vector<double> right = rightValues(result);
    std::vector<size_t> order(result.outputs.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (!isNumber)
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return result.outputs[a] > result.outputs[b]; });
    std::vector<PredictionBars::Bar> bars;
    for (const size_t i : order) {
        if (bars.size() == kShownClasses) break;
        const bool isRight = !isNumber && right.size() == 1 && right[0] == static_cast<double>(i);
        bars.push_back({nameOf(result, i), result.outputs[i], !isNumber, isRight});
    }
    bars_->setBars(std::move(bars));
    places_ = result.places;
    caption_->setText(captionOf(result));
    if (isPicture_) {
        const bool hasMap = result.influenceShape.size() == 2;
        canvas()->setMap(result.influence, hasMap ? static_cast<int>(result.influenceShape[1]) : 0,
                         hasMap ? static_cast<int>(result.influenceShape[0]) : 0);
    } else {
        row_->setInfluence({result.influence.begin(), result.influence.end()});
    }
}

}  // namespace temper::ui
