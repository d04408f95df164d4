// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_choices.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "engine/runs/run_store.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/spec/artifact_choices.h"
#include "engine/training/spec/run_settings.h"
#include "ui/document/data_text.h"
#include "ui/document/loaded_model.h"
#include "ui/messages/problem.h"
#include "ui/run/run_model.h"
#include "ui/translation/engine_texts.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// Something chosen by its name, with numbers of its own.
struct Selectable {
    const char* place;  ///< what its name and its numbers begin with
    const char* title;
    const std::vector<Choice>& (*choices)();
};

/// The loss is also a metric.
constexpr Selectable kSelectables[] = {
    {"artifacts.loss.", QT_TRANSLATE_NOOP("temper::ui", "Loss function"), lossChoices},
    {"artifacts.optimizer.", QT_TRANSLATE_NOOP("temper::ui", "Optimizer"), optimizerChoices},
    {"run.schedule.", QT_TRANSLATE_NOOP("temper::ui", "Schedule"), scheduleChoices},
};

struct Titled {
    const char* place;
    const char* title;
};

/// Places that end with a name of the model.
constexpr Titled kNamed[] = {
    {"fixed_inputs.", QT_TRANSLATE_NOOP("temper::ui", "Constant %1")},
    {"rename.", QT_TRANSLATE_NOOP("temper::ui", "New name of %1")},
    {"run.binding.", QT_TRANSLATE_NOOP("temper::ui", "Column for %1")},
};

const Selectable* selectableOf(const QString& place) {
    const auto found = std::ranges::find_if(kSelectables, [&](const Selectable& each) {
        return place.startsWith(QLatin1String(each.place));
    });
    return found == std::end(kSelectables) ? nullptr : &*found;
}

const Choice* choiceNamed(const Selectable& selectable, const QString& key) {
    const auto& choices = selectable.choices();
    const auto found = std::ranges::find(choices, key.toStdString(), &Choice::key);
    return found == choices.end() ? nullptr : &*found;
}

/// A number, such as that at "artifacts.optimizer.values.beta1", and the first choice that has it.
struct ChosenNumber {
    const Choice* choice = nullptr;
    const HyperParameter* parameter = nullptr;
};

ChosenNumber numberAt(const Selectable& selectable, const QString& place) {
    const std::string key = place.section(QLatin1Char('.'), -1).toStdString();
    for (const Choice& choice : selectable.choices()) {
        const auto found = std::ranges::find(choice.hyperParameters, key, &HyperParameter::key);
        if (found != choice.hyperParameters.end()) return {&choice, &*found};
    }
    return {};
}

/// Of what has no better one: "weight decay" for "weight_decay".
QString wordsOfKey(const QString& place) {
    return place.section(QLatin1Char('.'), -1).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString titleAt(const QString& place) {
    if (place == QLatin1String("model")) return tr("Model");
    for (const Titled& each : kNamed)
        if (place.startsWith(QLatin1String(each.place)))
            return tr(each.title).arg(place.sliced(QLatin1String(each.place).size()));
    for (const ArtifactChoice& choice : artifactChoices())
        if (place == text(choice.key)) return engineText(choice.label);
    for (const SettingInfo& setting : runSettings())
        if (place == QLatin1String("run.") + text(setting.key)) return engineText(setting.label);
    return wordsOfKey(place);
}

QString simpleText(const QJsonValue& value) {
    if (value.isString()) return value.toString();
    if (value.isDouble()) return QString::number(value.toDouble(), 'g', 10);
    if (value.isBool()) return value.toBool() ? tr("yes") : tr("no");
    return {};
}

/// "conv*: rate × 0.1, weight decay 0, after step 100".
QString groupText(const QJsonObject& group) {
    const auto number = [&](const char* key) { return simpleText(group[QLatin1String(key)]); };
    QString words =
        tr("%1: rate × %2")
            .arg(group[QLatin1String("pattern")].toString(), number("learning_rate_factor"));
    if (const QString decay = number("weight_decay"); !decay.isEmpty())
        words += tr(", weight decay %1").arg(decay);
    if (const QString start = number("start_step"); !start.isEmpty())
        words += tr(", after step %1").arg(start);
    return words;
}

QString listText(const QString& place, const QJsonArray& values) {
    QStringList texts;
    for (const QJsonValue value : values)
        texts << (value.isObject() ? groupText(value.toObject())
                  : place == QLatin1String("run.metrics")
                      ? metricLabel(value.toString().toStdString())
                      : simpleText(value));
    const bool areGroups = !values.isEmpty() && values.first().isObject();
    return texts.join(areGroups ? QStringLiteral("; ") : QStringLiteral(", "));
}

QString parameterText(const HyperParameter& parameter, double value) {
    const bool isSwitch = parameter.kind == HyperParameter::Kind::Switch;
    return simpleText(isSwitch ? QJsonValue(value != 0) : QJsonValue(value));
}

/// Of a name or a number.
QString selectableText(const Selectable& selectable, const QString& place,
                       const QJsonValue& value) {
    if (value.isString()) {
        const Choice* choice = choiceNamed(selectable, value.toString());
        return choice == nullptr ? value.toString() : engineText(choice->label);
    }
    const HyperParameter* parameter = numberAt(selectable, place).parameter;
    return parameter == nullptr ? simpleText(value) : parameterText(*parameter, value.toDouble());
}

std::map<QString, QString> usualNumbers(const Selectable& selectable, const QString& key) {
    std::map<QString, QString> numbers;
    if (const Choice* choice = choiceNamed(selectable, key))
        for (const HyperParameter& parameter : choice->hyperParameters)
            if (parameter.kind != HyperParameter::Kind::List)
                numbers[QLatin1String(selectable.place) + "values." + text(parameter.key)] =
                    parameterText(parameter, parameter.defaultValue);
    return numbers;
}

bool holdsData(const QString& place) {
    return place == QLatin1String("run.data") || place == QLatin1String("run.eval_data");
}

}  // namespace

RunChoices RunChoiceReader::read(const StoredRun& run) {
    RunChoices choices;
    const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(run.spec)).object();
    addAll({}, json[QLatin1String("training")].toObject(), choices);
    return choices;
}

/// `place`: what the places of the members begin with.
void RunChoiceReader::addAll(const QString& place, const QJsonObject& object, RunChoices& choices) {
    if (const Selectable* selectable = selectableOf(place))
        choices.usual.merge(usualNumbers(*selectable, object[QLatin1String("key")].toString()));
    for (auto item = object.begin(); item != object.end(); ++item) {
        const QString at = place + item.key();
        if (item->isObject())
            addAll(at + QLatin1Char('.'), item->toObject(), choices);
        else
            choices.chosen[at] = textOf(at, *item);
    }
}

QString RunChoiceReader::textOf(const QString& place, const QJsonValue& value) {
    if (value.isArray()) return listText(place, value.toArray());
    if (const Selectable* selectable = selectableOf(place))
        return selectableText(*selectable, place, value);
    const std::string words = value.toString().toStdString();
    if (place == QLatin1String("model")) return modelText(words);
    if (holdsData(place)) return dataText(words);
    if (place == QLatin1String("run.best_metric")) return metricLabel(words);
    return simpleText(value);
}

QString RunChoiceReader::modelText(const std::string& model) {
    const auto [place, isNew] = models_.try_emplace(model);
    if (isNew) place->second = modelTitle(model);
    return place->second;
}

QStringList choiceTitles(const QString& place) {
    const Selectable* selectable = selectableOf(place);
    if (selectable == nullptr) {
        const QString title = titleAt(place);
        return {title, tr("%1 (setting)").arg(title)};
    }
    const ChosenNumber number = numberAt(*selectable, place);
    const QString title = tr(selectable->title);
    if (number.parameter == nullptr) return {title, tr("%1: %2").arg(title, wordsOfKey(place))};
    const QString label = engineText(number.parameter->label);
    return {label, tr("%1: %2").arg(title, label),
            tr("%1: %2").arg(engineText(number.choice->label), label)};
}

}  // namespace temper::ui
