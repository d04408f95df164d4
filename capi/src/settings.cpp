// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "capi/src/arguments.h"
#include "capi/src/failure.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/spec/run_settings.h"

namespace temper::capi {
namespace {

using Json = nlohmann::ordered_json;

Json limitOf(double limit) { return std::isfinite(limit) ? Json(limit) : Json(); }

Json jsonOfSettings() {
    RunSpec usual;
    Json rows = Json::array();
    for (const Setting<RunSpec>& setting : runSettings()) {
        const SettingValue value = setting.value(usual);
        rows.push_back({{"key", setting.key},
                        {"label", setting.label},
                        {"help", setting.help},
                        {"kind", kindName(value)},
                        {"default", settingText(value)},
                        {"minimum", limitOf(setting.minimum)},
                        {"maximum", limitOf(setting.maximum)},
                        {"unit", setting.unit}});
    }
    return rows;
}

Json jsonOf(const std::vector<Choice>& choices) {
    Json rows = Json::array();
    for (const Choice& choice : choices) {
        Json numbers = Json::array();
        for (const HyperParameter& number : choice.hyperParameters) {
            numbers.push_back({{"key", number.key},
                               {"label", number.label},
                               {"help", number.help},
                               {"kind", kindName(number.kind)},
                               {"default", number.defaultValue},
                               {"minimum", limitOf(number.minimum)},
                               {"maximum", limitOf(number.maximum)},
                               {"unit", number.unit}});
        }
        rows.push_back({{"key", choice.key},
                        {"label", choice.label},
                        {"help", choice.help},
                        {"hyperparameters", numbers}});
    }
    return rows;
}

}  // namespace

}  // namespace temper::capi

using namespace temper;
using namespace temper::capi;

TemperStatus temper_specification_complete(const char* specification, char** complete,
                                           TemperFailure** failure) {
    return guarded(failure, [&] {
        set(complete, nullptr, "complete");
        *complete = copyForProgram(toJson(specificationOf(specification)));
    });
}

TemperStatus temper_settings(char** settings, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(settings, nullptr, "settings");
        const Json all = {{"run", jsonOfSettings()},
                          {"loss", jsonOf(lossChoices())},
                          {"optimizer", jsonOf(optimizerChoices())},
                          {"schedule", jsonOf(scheduleChoices())}};
        *settings = copyForProgram(all.dump());
    });
}
