// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/prepare_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/data/augmentation.h"
#include "engine/training/projects/lesson.h"
#include "ui/checks/data_fixes.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/panels/data/fed_batch.h"
#include "ui/panels/data/scale_edit.h"
#include "ui/panels/data/thumbnail_view.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/column_scroll.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

using Options = std::map<std::string, std::string>;

/// Options of a specification as typed; none if it can't be parsed.
Options optionsOf(const std::string& spec) {
    try {
        return parseDataSpec(spec, lessonFiles()).options;
    } catch (const Error&) {
        return {};
    }
}

std::string valueOf(const Options& options, const std::string& key) {
    const auto found = options.find(key);
    return found == options.end() ? std::string() : found->second;
}

/// The value of an empty field: each of these options has no effect at 0.
constexpr double kNotGiven = 0;

/// Consecutive edits of a field merge.
int mergeIdOf(const std::string& option) {
    return 2000 + static_cast<int>(std::hash<std::string>()(option) % 100'000);
}

QString joined(const std::vector<double>& values) {
    constexpr size_t kShown = 6;
    QStringList texts;
    for (size_t i = 0; i < std::min(kShown, values.size()); ++i)
        texts << decimalText(values[i], 'g', 4);
    return texts.join(QStringLiteral("; ")) +
           (values.size() > kShown ? QStringLiteral("; …") : QString());
}

}  // namespace

PrepareView::PrepareView(const PanelContext& context, QWidget* parent)
    : QWidget(parent), context_(context) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, em(this, 0.6), 0, 0);
    row->setSpacing(em(this, 1));
    row->addWidget(buildForm(), 1);
    previewPane_ = buildPreview();
    row->addWidget(previewPane_, 1);
}

QWidget* PrepareView::buildForm() {
    auto* area = new ColumnScroll(this);
    area->setAccessibleName(tr("Split and augmentation of the samples"));
    auto* content = new QWidget(area);
    content->setProperty("scrolled", true);
    auto* form = new QFormLayout(content);
    form->setContentsMargins(0, 0, em(this, 0.5), 0);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    addHeading(form, tr("Split"));
    using Kind = NumberEdit::Kind;
    explain(
        addNumber(form, tr("Training share"), "split", Kind::Share, {0.01, 0.99}, tr("no split")),
        "validation");
    explain(addNumber(form, tr("Seed"), "seed", Kind::Integer, {0, 1e9}, QStringLiteral("0")),
            "seed");
    explain(addChoice(form, tr("Class shares"), "stratify",
                      {{tr("the same in both parts"), ""}, {tr("random"), "no"}}),
            "stratified-split");
    addHeading(form, tr("Normalization"));
    addScale(form);
    measured_ = makeLabel({}, "muted", content);
    measured_->setWordWrap(true);
    form->addRow(measured_);
    addHeading(form, tr("Augmentation in each epoch"));
    addChoice(form, tr("Mirror"), "flip",
              {{tr("no"), ""},
               {tr("left and right"), "horizontal"},
               {tr("up and down"), "vertical"},
               {tr("both ways"), "both"}});
    limitToPictures(form, "flip");
    const QString none = tr("none");
    const auto addOfPictures = [&](const QString& label, const std::string& option, Kind kind,
                                   double most) {
        addNumber(form, label, option, kind, {0, most}, none);
        limitToPictures(form, option);
    };
    addOfPictures(tr("Shift by up to (pixels)"), "crop", Kind::Integer, 4096);
    addOfPictures(tr("Rotate by up to (degrees)"), "rotate", Kind::Real, 180);
    addNumber(form, tr("Noise"), "noise", Kind::Real, {0, 10}, none);
    addOfPictures(tr("Brightness ±"), "brightness", Kind::Real, 1);
    addOfPictures(tr("Contrast ±"), "contrast", Kind::Real, 1);
    addOfPictures(tr("Saturation ±"), "saturation", Kind::Real, 1);
    area->setWidget(content);
    return area;
}

QWidget* PrepareView::buildPreview() {
    auto* pane = new QWidget(this);
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    row->addWidget(makeLabel(tr("One sample in eight epochs"), "heading", pane), 1);
    auto* next = new QPushButton(tr("Another sample"), pane);
    next->setObjectName(QStringLiteral("anotherSample"));
    connect(next, &QPushButton::clicked, this, [this] {
        ++sample_;
        refreshPreview();
    });
    row->addWidget(next);
    column->addLayout(row);
    caption_ = makeLabel({}, "muted", pane);
    caption_->setWordWrap(true);
    column->addWidget(caption_);
    preview_ = new ThumbnailView(pane);
    preview_->setAccessibleName(tr("Variations of one sample"));
    column->addWidget(preview_, 1);
    return pane;
}

void PrepareView::addHeading(QFormLayout* form, const QString& text) {
    form->addRow(makeLabel(text, "heading", form->parentWidget()));
}

NumberEdit* PrepareView::addNumber(QFormLayout* form, const QString& label,
                                   const std::string& option, NumberEdit::Kind kind,
                                   std::pair<double, double> range, const QString& help) {
    auto* field = new NumberEdit(kind, range.first, range.second, form->parentWidget());
    field->setEmptyValue(kNotGiven);
    field->setAccessibleName(label);
    field->setObjectName(QStringLiteral("data-") + QString::fromStdString(option));
    field->setPlaceholderText(help);
    auto* cell = new QVBoxLayout;
    cell->setSpacing(em(this, 0.2));
    cell->addWidget(field);
    cell->addWidget(makeRefusal(field));
    QLabel* caption = makeLabel(label, "", form->parentWidget());
    caption->setBuddy(field);
    form->addRow(caption, cell);
    connect(field, &NumberEdit::valueEdited, this, [this, label, option](double value) {
        edit(label, option, value == kNotGiven ? std::string() : numberText(value).toStdString());
    });
    fields_.push_back([field, option](const Options& options) {
        const std::string value = valueOf(options, option);
        field->setValue(value.empty() ? kNotGiven : QString::fromStdString(value).toDouble());
    });
    return field;
}

QLabel* PrepareView::makeRefusal(NumberEdit* field) {
    QLabel* why = makeLabel({}, "bad", field->parentWidget());
    why->setObjectName(field->objectName() + QStringLiteral("-refused"));
    why->setWordWrap(true);
    why->hide();
    connect(field, &NumberEdit::refused, why, [why](const QString& text) {
        why->setText(text);
        why->show();
    });
    connect(field, &NumberEdit::textEdited, why, &QLabel::hide);
    connect(field, &NumberEdit::valueEdited, why, &QLabel::hide);
    return why;
}

QComboBox* PrepareView::addChoice(QFormLayout* form, const QString& label,
                                  const std::string& option,
                                  const std::vector<std::pair<QString, std::string>>& choices) {
    auto* box = new QComboBox(form->parentWidget());
    box->setAccessibleName(label);
    box->setObjectName(QStringLiteral("data-") + QString::fromStdString(option));
    for (const auto& [name, value] : choices) box->addItem(name, QString::fromStdString(value));
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    form->addRow(label, box);
    connect(box, &QComboBox::activated, this, [this, box, label, option] {
        edit(label, option, box->currentData().toString().toStdString());
    });
    fields_.push_back([box, option](const Options& options) {
        box->setCurrentIndex(
            std::max(0, box->findData(QString::fromStdString(valueOf(options, option)))));
    });
    return box;
}

void PrepareView::addScale(QFormLayout* form) {
    auto* scale =
        explain(new ScaleEdit(QStringLiteral("data"), form->parentWidget()), "normalization");
    QLabel* caption = makeLabel(tr("Values"), "", form->parentWidget());
    caption->setBuddy(scale);
    form->addRow(caption, scale);
    connect(scale, &ScaleEdit::edited, this, [this](const InputScale& chosen) {
        if (context_.project.spec().run.data.empty()) return;
        editDataOptions(context_.project, tr("Change the normalization"),
                        [&](DataOptions& options) { setInputScale(options, chosen); });
    });
    fields_.push_back(
        [this, scale](const Options& options) { scale->show(options, context_.project.data()); });
}

void PrepareView::limitToPictures(QFormLayout* form, const std::string& option) {
    pictureRows_.push_back([form, row = form->rowCount() - 1, option](bool arePictures,
                                                                      const Options& options) {
        const bool isOffered = arePictures || options.contains(option);
        if (isOffered == form->isRowVisible(row)) return;
        form->setRowVisible(row, isOffered);
        const QString why = QStringLiteral("data-%1-refused").arg(QString::fromStdString(option));
        // It was shown with its row.
        if (auto* label = form->parentWidget()->findChild<QLabel*>(why)) label->hide();
    });
}

/// What is chosen for other data stays visible, so that it can be taken back.
void PrepareView::showRows(const Options& options) {
    const auto& loaded = context_.project.data();
    const auto& raw = loaded ? loaded->opened.rawTraining : nullptr;
    const bool arePictures = !raw || std::ranges::any_of(raw->columns(), isPicture);
    for (const auto& show : pictureRows_) show(arePictures, options);
    previewPane_->setVisible(arePictures);
}

void PrepareView::edit(const QString& label, const std::string& option, const std::string& value) {
    if (context_.project.spec().run.data.empty()) return;
    editDataOption(context_.project, tr("Change %1").arg(label), option, value, mergeIdOf(option));
}

void PrepareView::refresh() {
    const auto& loaded = context_.project.data();
    const Options options = optionsOf(context_.project.spec().run.data);
    for (const auto& show : fields_) show(options);
    showRows(options);
    const bool isMeasured = inputScaleIn(options, true).kind == InputScale::Kind::Standard;
    const QString line =
        isMeasured ? tr("%1: minus %2, divided by %3; measured on the training samples only")
                   : tr("%1: minus %2, divided by %3");
    QStringList lines;
    if (loaded)
        for (const auto& [name, by] : loaded->opened.normalization)
            lines << line.arg(text(name), joined(by.mean), joined(by.deviation));
    measured_->setText(lines.join(QLatin1Char('\n')));
    measured_->setVisible(!lines.isEmpty());
    setEnabled(!context_.project.spec().run.data.empty());
    refreshPreview();
}

void PrepareView::refreshPreview() {
    context_.project.tasks()->cancel(task_);
    const auto& loaded = context_.project.data();
    if (!loaded || loaded->training()->size() == 0) return preview_->setThumbnails({});
    task_ = context_.project.tasks()->run(
        tr("Augmenting a sample"), tr("The sample could not be read"),
        [loaded, sample = sample_ % loaded->training()->size()](std::stop_token) {
            return variedThumbnails(*loaded, sample);
        },
        [this](std::vector<Thumbnail> thumbnails) {
            caption_->setText(
                thumbnails.empty()
                    ? tr("Augmented pictures appear here once a field on the left asks for them.")
                    : tr("Each epoch gets its own version; validation and predictions always use "
                         "the original sample."));
            preview_->setThumbnails(std::move(thumbnails));
        },
        [this](const Problem& problem) { caption_->setText(problem.message); });
}

}  // namespace temper::ui
