// SPDX-License-Identifier: Apache-2.0
#include "engine/training/spec/choice.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "python/src/bindings.h"

namespace temper::python {
namespace {

using Numbers = std::map<std::string, double>;
using Lists = std::map<std::string, std::vector<double>>;

/// lossChoices() does not learn of plugins that are loaded after its first call.
std::vector<Choice> losses() {
    std::vector<Choice> choices;
    for (const LossFunction& loss : lossFunctions())
        if (loss.predictions == 1) choices.push_back(loss.choice);
    choices.push_back(lossChoices().back());  // "none"
    return choices;
}

/// `family`: "loss", "optimizer" or "schedule".
std::vector<Choice> choicesOf(const std::string& family) {
    if (family == "loss") return losses();
    return family == "optimizer" ? optimizerChoices() : scheduleChoices();
}

}  // namespace

void bindChoices(nb::module_& module) {
    nb::class_<HyperParameter>(module, "HyperParameter", "A number that may be set.")
        .def_ro("key", &HyperParameter::key, "Its name: 'weight_decay'.")
        .def_ro("label", &HyperParameter::label, "Its name for people: 'Weight decay'.")
        .def_ro("unit", &HyperParameter::unit, "Of the number, or ''.")
        .def_ro("default", &HyperParameter::defaultValue)
        .def_ro("minimum", &HyperParameter::minimum)
        .def_ro("maximum", &HyperParameter::maximum)
        .def_ro("help", &HyperParameter::help, "One sentence.")
        .def_prop_ro(
            "kind", [](const HyperParameter& self) { return kindName(self.kind); },
            "'number', 'switch' (a number that is 0 or 1) or 'list' (of numbers in the range, "
            "empty by default).");
    nb::class_<Choice>(module, "Choice", "A loss, an optimizer or a schedule of the engine.")
        .def_ro("key", &Choice::key, "Its name: 'cross-entropy'.")
        .def_ro("label", &Choice::label, "Its name for people: 'Cross entropy'.")
        .def_ro("help", &Choice::help, "One sentence: what it is for.")
        .def_ro("hyperparameters", &Choice::hyperParameters);
    module.def(
        "choices", [](const std::string& family) { return choicesOf(family); }, nb::arg("family"),
        "The losses, optimizers or schedules; the first is the default.");
    module.def(
        "require_valid",
        [](const std::string& family, const std::string& key, const Numbers& values,
           const Lists& lists) {
            requireValid({key, values, lists}, choicesOf(family));
        },
        nb::arg("family"), nb::arg("key"), nb::arg("values"), nb::arg("lists"));
    module.def(
        "schedule_rate",
        [](const std::string& key, const Numbers& values, const Lists& lists, double initialRate,
           int64_t totalSteps, int64_t stepsDone) {
            return makeLrSchedule({key, values, lists}, initialRate, totalSteps)->rateAt(stepsDone);
        },
        nb::arg("key"), nb::arg("values"), nb::arg("lists"), nb::arg("initial_rate"),
        nb::arg("total_steps"), nb::arg("steps_done"));
}

}  // namespace temper::python
