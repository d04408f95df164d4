// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/sweep_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include "engine/core/error.h"
#include "ui/messages/problem.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Runs that are listed one by one.
constexpr size_t kListed = 8;

QString listOf(const std::vector<std::string>& values) {
    QStringList names;
    for (size_t i = 0; i < values.size() && i < kListed; ++i) names << text(values[i]);
    if (values.size() > kListed) names << QStringLiteral("…");
    return names.join(QStringLiteral(", "));
}

/// Two values that anyone may want to compare with the present one.
QString proposal(const SweepSetting& setting, const TrainingSpec& spec) {
    if (!setting.words.empty()) {
        QStringList words;
        for (const std::string& word : setting.words) words << text(word);
        return words.join(QStringLiteral(", "));
    }
    const QString now = text(settingValue(spec, setting.key));
    bool isNumber = false;
    const double value = now.toDouble(&isNumber);
    if (!isNumber || value <= 0) return now;
    if (setting.isWhole)
        return QStringLiteral("%1, %2, %3").arg(value).arg(2 * value).arg(4 * value);
    return QStringLiteral("%1..%2:5").arg(value / 10).arg(value * 10);
}

}  // namespace

SweepDialog::SweepDialog(const TrainingSpec& spec, QWidget* parent)
    : QDialog(parent),
      spec_(spec),
      settings_(sweepSettings(spec)),
      which_(new QComboBox(this)),
      text_(new QLineEdit(this)),
      help_(makeLabel({}, "muted", this)),
      runs_(makeLabel({}, "", this)) {
    setWindowTitle(tr("Vary a setting"));
    setObjectName(QStringLiteral("sweep"));
    resize(em(this, 34), sizeHint().height());
    auto* layout = new QVBoxLayout(this);
    QLabel* what =
        makeLabel(tr("One run for each value; everything else stays as it is now."), "", this);
    what->setWordWrap(true);
    layout->addWidget(what);
    auto* form = new QFormLayout;
    layout->addLayout(form);
    which_->setObjectName(QStringLiteral("sweepSetting"));
    text_->setObjectName(QStringLiteral("sweepValues"));
    runs_->setObjectName(QStringLiteral("sweepRuns"));
    for (const SweepSetting& setting : settings_) which_->addItem(titleOf(setting));
    form->addRow(tr("&Setting"), which_);
    form->addRow(tr("&Values"), text_);
    for (QLabel* label : {help_, runs_}) {
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    layout->addStretch(1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    add_ = buttons->addButton(tr("Add to the queue"), QDialogButtonBox::AcceptRole);
    add_->setObjectName(QStringLiteral("sweepAdd"));
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(which_, &QComboBox::currentIndexChanged, this, &SweepDialog::chooseSetting);
    connect(text_, &QLineEdit::textChanged, this, &SweepDialog::refresh);
    for (size_t i = 0; i < settings_.size(); ++i)
        if (settings_[i].key == "learning_rate") which_->setCurrentIndex(static_cast<int>(i));
    chooseSetting();
    text_->setFocus();
    text_->selectAll();
}

QString SweepDialog::titleOf(const SweepSetting& setting) {
    const QString label = engineText(setting.label);
    return setting.owner.empty() ? label : tr("%1: %2").arg(engineText(setting.owner), label);
}

const SweepSetting& SweepDialog::setting() const {
    return settings_[static_cast<size_t>(which_->currentIndex())];
}

void SweepDialog::chooseSetting() {
    text_->setText(proposal(setting(), spec_));
    const QString help = setting().help.empty() ? QString() : engineText(setting().help);
    const QString form =
        setting().words.empty()
            ? tr("Numbers with commas between them, or a range: 0.001..0.1:5 are five values.")
            : tr("Names with commas between them.");
    help_->setText(help.isEmpty() ? form : help + QLatin1Char('\n') + form);
    refresh();
}

void SweepDialog::refresh() {
    values_.clear();
    try {
        std::vector<std::string> values = sweepValues(setting(), text_->text().toStdString());
        for (const std::string& value : values) withSetting(spec_, setting().key, value);
        values_ = std::move(values);
        runs_->setText(values_.empty()
                           ? tr("Type at least one value.")
                           : tr("%Ln runs: %1", nullptr, static_cast<int>(values_.size()))
                                 .arg(listOf(values_)));
    } catch (const Error& error) {
        runs_->setText(text(error.message()));
    }
    text_->setProperty("invalid", values_.empty());
    text_->style()->polish(text_);
    add_->setEnabled(!values_.empty());
}

}  // namespace temper::ui
