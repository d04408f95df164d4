// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/data/scale_edit.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QListView>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <utility>

#include "ui/theme/theme.h"
#include "ui/widgets/list_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

using Kind = InputScale::Kind;

constexpr double kLargest = 1e12;
constexpr double kMinDeviation = 1e-12;

}  // namespace

ScaleEdit::ScaleEdit(const QString& prefix, QWidget* parent)
    : QWidget(parent),
      kind_(new QComboBox(this)),
      fields_(new QWidget(this)),
      note_(makeLabel({}, "muted", fields_)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(em(this, 0.3));
    column->addWidget(kind_);
    column->addWidget(fields_);
    kind_->setObjectName(prefix + QStringLiteral("-normalize"));
    kind_->setAccessibleName(tr("Normalization"));
    const std::pair<Kind, QString> kinds[] = {{Kind::Usual, tr("Pixels to 0…1")},
                                              {Kind::FromMinusOne, tr("Pixels to −1…1")},
                                              {Kind::ImageNet, tr("ImageNet statistics")},
                                              {Kind::Standard, tr("Mean 0, deviation 1")},
                                              {Kind::Given, tr("Custom")},
                                              {Kind::Unchanged, tr("Unchanged")}};
    for (const auto& [kind, name] : kinds) kind_->addItem(name, static_cast<int>(kind));
    auto* form = new QFormLayout(fields_);
    form->setContentsMargins(0, 0, 0, 0);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    mean_ = makeField(prefix, "-mean", tr("Mean"), -kLargest);
    deviation_ = makeField(prefix, "-std", tr("Deviation"), kMinDeviation);
    note_->setWordWrap(true);
    form->addRow(note_);
    fields_->hide();
    setFocusProxy(kind_);
    connect(kind_, &QComboBox::activated, this, &ScaleEdit::choose);
}

ListEdit* ScaleEdit::makeField(const QString& prefix, const char* name, const QString& label,
                               double minimum) {
    auto* field = new ListEdit(minimum, kLargest, fields_);
    field->setObjectName(prefix + QLatin1String(name));
    field->setAccessibleName(label);
    QLabel* caption = makeLabel(label, "", fields_);
    caption->setBuddy(field);
    static_cast<QFormLayout*>(fields_->layout())->addRow(caption, field);
    connect(field, &ListEdit::valuesEdited, this, &ScaleEdit::type);
    return field;
}

void ScaleEdit::show(const DataOptions& options, std::shared_ptr<const LoadedData> samples) {
    data_ = std::move(samples);
    scale_ = inputScaleIn(options, data_ == nullptr || hasPictures(*data_));
    isTyped_ = isTyped_ && (scale_.kind == Kind::FromMinusOne || scale_.kind == Kind::ImageNet);
    refresh();
}

void ScaleEdit::choose() {
    const Kind kind = static_cast<Kind>(kind_->currentData().toInt());
    isTyped_ = kind == Kind::Given;
    scale_ = isTyped_ ? givenScale(scale_, data_.get()) : InputScale{kind};
    refresh();
    emit edited(scale_);
}

void ScaleEdit::type() {
    isTyped_ = true;
    scale_ = {Kind::Given, mean_->values(), deviation_->values()};
    emit edited(scale_);
}

/// Columns of a table are no pixels: what does nothing else to them is not listed.
void ScaleEdit::showKinds() {
    const bool arePictures = data_ == nullptr || hasPictures(*data_);
    const auto allow = [this](Kind kind, bool fits) {
        const int row = kind_->findData(static_cast<int>(kind));
        qobject_cast<QStandardItemModel*>(kind_->model())->item(row)->setEnabled(fits);
        static_cast<QListView*>(kind_->view())->setRowHidden(row, !fits);
    };
    allow(Kind::FromMinusOne, arePictures);
    allow(Kind::ImageNet, data_ == nullptr || hasColorPictures(*data_));
    allow(Kind::Unchanged, arePictures);
    const auto name = [this](Kind kind, const QString& text) {
        kind_->setItemText(kind_->findData(static_cast<int>(kind)), text);
    };
    name(Kind::Usual, arePictures ? tr("Pixels to 0…1") : tr("Unchanged"));
    kind_->setItemData(kind_->findData(static_cast<int>(Kind::Standard)),
                       arePictures ? tr("For each channel, as measured on the training samples")
                                   : tr("For each column, as measured on the training samples"),
                       Qt::ToolTipRole);
    kind_->setItemData(kind_->findData(static_cast<int>(Kind::ImageNet)),
                       tr("ImageNet's mean and deviation for each channel"), Qt::ToolTipRole);
}

void ScaleEdit::refresh() {
    const bool isGiven = scale_.kind == Kind::Given || isTyped_;
    const Kind shown = isGiven ? Kind::Given : scale_.kind;
    showKinds();
    kind_->setCurrentIndex(kind_->findData(static_cast<int>(shown)));
    fields_->setVisible(isGiven);
    if (!isGiven) return;
    const InputScale given = givenScale(scale_, data_.get());
    mean_->setValues(given.mean);
    deviation_->setValues(given.deviation);
    note_->setText(data_ != nullptr && hasPictures(*data_)
                       ? tr("One number, or one for each channel, separated by commas, for pixel "
                            "values between 0 and 1.")
                       : tr("One number, or one for each column, separated by commas."));
}

}  // namespace temper::ui
