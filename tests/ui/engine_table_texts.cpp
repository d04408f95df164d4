// SPDX-License-Identifier: GPL-3.0-or-later
#include <iomanip>
#include <iostream>
#include <set>
#include <string>

#include "engine/autodiff/trainability.h"
#include "engine/core/error.h"
#include "engine/provenance/reasons.h"
#include "engine/runs/report_language.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/parameters/name_expression.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/spec/artifact_choices.h"
#include "engine/training/spec/run_settings.h"
#include "ui/run/run_model.h"
#include "ui/translation/engine_texts.h"

namespace temper::ui {
namespace {

void add(const std::vector<Choice>& choices, std::set<std::string>& texts) {
    for (const Choice& choice : choices) {
        texts.insert({choice.label, choice.help});
        for (const HyperParameter& each : choice.hyperParameters)
            texts.insert({each.label, each.help, each.unit});
    }
}

/// Reports have all labels, forms also the help of some.
void addSettings(std::set<std::string>& texts) {
    for (const ArtifactChoice& choice : artifactChoices()) texts.insert(choice.label);
    for (const Setting<RunSpec>& setting : runSettings()) {
        texts.insert(setting.label);
        if (setting.place != SettingInfo::Place::None) texts.insert({setting.help, setting.zero});
    }
}

void addLessons(std::set<std::string>& texts) {
    for (const Lesson& lesson : bundledLessons()) {
        texts.insert({lesson.title, lesson.summary});
        for (const LessonStep& step : lesson.steps) texts.insert({step.title, step.text});
    }
}

/// Why a run kept a checkpoint: see CheckpointEvent::kind.
constexpr const char* kCheckpointKinds[] = {"last", "best", "kept", "every", "pause", "requested"};

/// The curves that the history has for each run beside its metrics: see MetricSummary::name.
constexpr const char* kCurves[] = {"loss", "validation_loss"};

std::set<std::string> engineTableTexts() {
    std::set<std::string> texts(std::begin(reasons::kAll), std::end(reasons::kAll));
    texts.insert(std::begin(kCheckpointKinds), std::end(kCheckpointKinds));
    add(lossChoices(), texts);
    add(optimizerChoices(), texts);
    add(scheduleChoices(), texts);
    for (const LossFunction& function : lossFunctions()) add({function.choice}, texts);
    for (const MetricInfo& metric : metricInfos())
        texts.insert(metricLabel(metric.key).toStdString());
    for (const char* name : kCurves) texts.insert(metricLabel(name).toStdString());
    for (const auto each : {ParameterClass::Trainable, ParameterClass::BatchNormStatistic,
                            ParameterClass::Constant, ParameterClass::ShapeData})
        texts.insert(std::string(parameterClassName(each)));
    for (const auto each : {Severity::Info, Severity::Warning, Severity::Error})
        texts.insert(std::string(severityName(each)));
    using Fault = ExpressionFault::Kind;
    for (const Fault kind :
         {Fault::Bracket, Fault::Parenthesis, Fault::Brace, Fault::Range, Fault::Repeat,
          Fault::Escape, Fault::CharacterClass, Fault::Length, Fault::Other})
        texts.insert(std::string(ExpressionFault{kind, 0}.reason()));
    for (const Replacement& each : replacements()) texts.insert(each.by);
    texts.insert(reportTexts().begin(), reportTexts().end());
    addLessons(texts);
    addSettings(texts);
    texts.erase("");
    return texts;
}

}  // namespace
}  // namespace temper::ui

/// Prints the texts of the engine's tables that the window shows through engineText(), as a source
/// for lupdate. See tools/update_translations.sh.
int main() {
    using namespace temper::ui;
    std::cout << "static const char* const kTexts[] = {\n";
    for (const std::string& text : engineTableTexts())
        std::cout << "    QT_TRANSLATE_NOOP(" << std::quoted(kEngineContext) << ", "
                  << std::quoted(text) << "),\n";
    std::cout << "};\n";
}
