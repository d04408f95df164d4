// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/run_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QStandardItemModel>
#include <QToolButton>
#include <algorithm>
#include <type_traits>

#include "engine/core/error.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/panels/objective/metric_ticks.h"
#include "ui/panels/objective/more_settings.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"
#include "ui/translation/engine_texts.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Merges edits of one field; each field has its own number.
constexpr int kMergeBase = 100;

constexpr double kLargestCount = 1e9;
constexpr double kSecondsOfAMinute = 60;

/// Seconds are shown as minutes.
double factorOf(const SettingInfo& setting) { return setting.unit == "s" ? kSecondsOfAMinute : 1; }

double numberIn(const SettingValue& value) {
    return std::visit(
        [](const auto* each) -> double {
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(*each)>>) {
                return static_cast<double>(*each);
            } else {
                return 0;
            }
        },
        value);
}

void setNumber(const SettingValue& value, double number) {
    std::visit(
        [number](auto* each) {
            using T = std::remove_cvref_t<decltype(*each)>;
            if constexpr (std::is_arithmetic_v<T>) *each = static_cast<T>(number);
        },
        value);
}

void setText(const SettingValue& value, const std::string& chosen) {
    if (auto* const* precision = std::get_if<Precision*>(&value)) {
        **precision = parsePrecision(chosen);
    } else if (auto* const* name = std::get_if<std::string*>(&value)) {
        **name = chosen;
    }
}

/// Adds a name if the list lacks it.
void addMissing(const std::string& name, std::vector<std::string>& names) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

RunForm::RunForm(StudioProject& project, QWidget* parent)
    : QWidget(parent), project_(project), layout_(new QFormLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addAll(SettingInfo::Place::Form);
    addMore();
    connect(&project_, &StudioProject::preparationChanged, this, &RunForm::refresh);
}

void RunForm::addAll(SettingInfo::Place place) {
    for (const RunSetting& setting : runSettings()) {
        if (setting.place == place) add(setting);
    }
}

void RunForm::add(const RunSetting& setting) {
    const SettingValue value = valueIn(setting, project_.spec().run);
    if (setting.key == "metrics") {
        addMetrics(setting);
    } else if (setting.key == "best_metric") {
        addChoice(setting, [this] { return bestBy(); });
    } else if (std::holds_alternative<Precision*>(value)) {
        addPrecision(setting);
    } else if (setting.names != nullptr && std::holds_alternative<std::string*>(value)) {
        addChoice(setting, [this, &setting] { return namesOf(setting); });
    } else if (std::holds_alternative<bool*>(value)) {
        addSwitch(setting);
    } else {
        addNumber(setting, !std::holds_alternative<double*>(value));
    }
}

void RunForm::addMore() {
    auto* content = new QWidget(this);
    more_ = new MoreSettings(tr("Run"), content, this);
    more_->button()->setObjectName(QStringLiteral("moreRunSettings"));
    layout_->addRow(more_);
    layout_ = new QFormLayout(content);
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addAll(SettingInfo::Place::More);
    fields_.push_back([this](const RunSpec& run) { countMore(run); });
}

/// The metrics of the loss do not count as changed.
void RunForm::countMore(const RunSpec& run) {
    const auto& preparation = project_.preparation();
    const bool areUsual =
        run.metrics.empty() || (preparation && run.metrics == preparation->usualMetrics);
    const RunSpec usual = usualChoices(project_).run;
    const auto isChanged = [&](const RunSetting& setting) {
        return setting.place == SettingInfo::Place::More &&
               settingText(setting, run) != settingText(setting, usual) &&
               !(setting.key == "metrics" && areUsual);
    };
    const auto count = static_cast<int>(std::ranges::count_if(runSettings(), isChanged));
    more_->showChanged(count, project_.generation());
}

/// The loss, the metrics that fit it, and the chosen one.
RunForm::Options RunForm::bestBy() const {
    std::vector<std::string> keys{"loss"};
    if (const auto& preparation = project_.preparation())
        keys.insert(keys.end(), preparation->metrics.begin(), preparation->metrics.end());
    addMissing(project_.spec().run.bestMetric, keys);
    Options options;
    for (const std::string& key : keys) options.emplace_back(text(key), metricLabel(key));
    return options;
}

/// Those of this build, and the chosen one.
RunForm::Options RunForm::namesOf(const RunSetting& setting) const {
    std::vector<std::string> names = setting.names();
    addMissing(settingText(setting, project_.spec().run), names);
    Options options;
    for (const std::string& name : names) options.emplace_back(text(name), text(name));
    return options;
}

QComboBox* RunForm::addChoice(const RunSetting& setting, std::function<Options()> options) {
    auto* box = explain(new QComboBox(this), setting.topic.c_str());
    box->setMaximumWidth(em(this, 9));
    const QString label = engineText(setting.label);
    addRow(label, setting, box);
    connect(box, &QComboBox::activated, this, [this, box, label, &setting] {
        TrainingSpec spec = project_.spec();
        setText(setting.value(spec.run), box->currentData().toString().toStdString());
        project_.edit(tr("Change %1").arg(label), spec);
    });
    fields_.push_back(
        [box, form = layout_, options = std::move(options), &setting](const RunSpec& run) {
            box->clear();
            for (const auto& [key, title] : options()) box->addItem(title, key);
            box->setCurrentIndex(box->findData(text(settingText(setting, run))));
            // One name, such as that of the only device, is no choice.
            if (setting.names != nullptr) form->setRowVisible(box, box->count() > 1);
        });
    return box;
}

/// What the device can't compute is disabled and says why.
void RunForm::addPrecision(const RunSetting& setting) {
    QComboBox* box = addChoice(setting, []() -> Options {
        return {{QString(precisionName(Precision::Float32)), tr("float32")},
                {QString(precisionName(Precision::BFloat16)), tr("bfloat16")}};
    });
    fields_.push_back([box](const RunSpec& run) {
        for (int i = 0; i < box->count(); ++i) {
            SessionOptions options = run.session;
            options.precision = parsePrecision(box->itemData(i).toString().toStdString());
            try {
                requirePrecision(options);
            } catch (const Error& error) {
                qobject_cast<QStandardItemModel*>(box->model())->item(i)->setEnabled(false);
                box->setItemData(i, text(error.what()), Qt::ToolTipRole);
            }
        }
    });
}

void RunForm::addNumber(const RunSetting& setting, bool isInteger) {
    const double factor = factorOf(setting);
    auto* field =
        new NumberEdit(isInteger ? NumberEdit::Kind::Integer : NumberEdit::Kind::Real,
                       setting.minimum / factor, std::min(setting.maximum, kLargestCount), this);
    explain(field, setting.topic.c_str());
    if (!setting.zero.empty()) field->setWord(0, engineText(setting.zero));
    field->setMaximumWidth(em(this, 9));
    const QString name = engineText(setting.label);
    const QString label = factor == 1 ? name : tr("%1 in minutes").arg(name);
    addRow(label, setting, field);
    const int mergeId = kMergeBase + static_cast<int>(fields_.size());
    connect(field, &NumberEdit::valueEdited, this,
            [this, label, factor, mergeId, &setting](double value) {
                TrainingSpec spec = project_.spec();
                setNumber(setting.value(spec.run), value * factor);
                project_.edit(tr("Change %1").arg(label), spec, mergeId);
            });
    fields_.push_back([this, field, factor, &setting](const RunSpec& run) {
        const std::optional<int64_t> given = givenByModel(setting);
        field->setEnabled(!given);
        field->setValue(given ? static_cast<double>(*given)
                              : numberIn(valueIn(setting, run)) / factor);
        if (given) field->setToolTip(tr("The model accepts no other number of samples."));
    });
}

/// The number of a setting that the model does not let anyone choose.
std::optional<int64_t> RunForm::givenByModel(const RunSetting& setting) const {
    const auto& preparation = project_.preparation();
    if (setting.key != "batch_size" || !preparation) return std::nullopt;
    return preparation->fixedBatch;
}

void RunForm::addSwitch(const RunSetting& setting) {
    const QString label = engineText(setting.label), help = engineText(setting.help);
    auto* box = explain(new QCheckBox(label, this), setting.topic.c_str());
    box->setObjectName(text(setting.key));
    box->setToolTip(help);
    box->setAccessibleName(label);
    box->setAccessibleDescription(help);
    layout_->addRow(box);
    connect(box, &QCheckBox::clicked, this, [this, label, &setting](bool on) {
        TrainingSpec spec = project_.spec();
        setNumber(setting.value(spec.run), on ? 1 : 0);
        project_.edit(tr("Change “%1”").arg(label), spec);
    });
    fields_.push_back([box, &setting](const RunSpec& run) {
        box->setChecked(numberIn(valueIn(setting, run)) != 0);
        // An enabled option can always be disabled.
        box->setEnabled(!lacksWhatItNeeds(setting, run) || !isDefault(setting, run));
    });
}

void RunForm::addMetrics(const RunSetting& setting) {
    auto* ticks = explain(new MetricTicks(this), setting.topic.c_str());
    QLabel* caption = addRow(engineText(setting.label), setting, ticks);
    caption->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    connect(ticks, &MetricTicks::edited, this, [this](const std::vector<std::string>& chosen) {
        TrainingSpec spec = project_.spec();
        spec.run.metrics = chosen;
        project_.edit(tr("Change the metrics"), spec);
        refresh();  // also if the last tick was removed, which changes nothing
    });
    fields_.push_back([this, ticks](const RunSpec& run) {
        const auto& preparation = project_.preparation();
        const std::vector<std::string> none;
        ticks->show(preparation ? preparation->metrics : none,
                    preparation ? preparation->usualMetrics : none, run.metrics);
    });
}

QLabel* RunForm::addRow(const QString& label, const RunSetting& setting, QWidget* field) {
    const QString help = engineText(setting.help);
    field->setObjectName(text(setting.key));
    field->setAccessibleName(label);
    field->setAccessibleDescription(help);
    auto* caption = makeLabel(label, "", this);
    caption->setToolTip(help);
    caption->setBuddy(field);
    layout_->addRow(caption, field);
    return caption;
}

void RunForm::refresh() {
    for (const auto& show : fields_) show(project_.spec().run);
}

}  // namespace temper::ui
