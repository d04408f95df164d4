// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "engine/core/file.h"
#include "engine/core/output_check.h"
#include "engine/data/batch_loader.h"
#include "engine/runs/html_report.h"
#include "engine/runs/svg_chart.h"
#include "python/src/arrays.h"
#include "python/src/fit.h"
#include "python/src/interpreter.h"
#include "python/src/run_events.h"

namespace temper::python {
namespace {

/// The values of all steps. Shapes: [steps].
template <typename T, typename Of>
nb::object columnOf(const std::vector<const StepEvent*>& steps, Of&& of) {
    Tensor column(kDTypeOf<T>, {static_cast<int64_t>(steps.size())});
    const auto values = column.mutableValues<T>();
    for (size_t i = 0; i < steps.size(); ++i) values[i] = static_cast<T>(of(*steps[i]));
    return viewOf(column);
}

nb::dict stepColumns(const Fit& fit) {
    std::vector<const StepEvent*> steps;
    for (const RunEvent& event : fit.events())
        if (const auto* step = std::get_if<StepEvent>(&event.fact)) steps.push_back(step);
    nb::dict columns;
    const auto add = [&]<typename T>(const char* name, T StepEvent::*member) {
        columns[name] =
            columnOf<T>(steps, [member](const StepEvent& step) { return step.*member; });
    };
    add("step", &StepEvent::step);
    add("epoch", &StepEvent::epoch);
    add("loss", &StepEvent::loss);
    add("learning_rate", &StepEvent::learningRate);
    add("grad_norm", &StepEvent::gradientNorm);
    add("samples", &StepEvent::samples);
    add("step_seconds", &StepEvent::stepSeconds);
    add("data_wait_seconds", &StepEvent::dataWaitSeconds);
    return columns;
}

nb::list eventsOf(const Fit& fit, bool withSteps) {
    nb::list events;
    for (const RunEvent& event : fit.events()) {
        if (withSteps || !std::holds_alternative<StepEvent>(event.fact))
            events.append(fieldsOf(event));
    }
    return events;
}

void runFit(Fit& fit, const nb::object& receive, const std::set<std::string>& kinds, bool ticks,
            const std::string& title, const LabelledValues& environment,
            const std::filesystem::path& log, const std::filesystem::path& profile) {
    fit.run({receive, kinds, ticks}, {title, {}, {}, environment}, {log, profile});
}

/// As keyword arguments of a tuple with names.
nb::list costsOf(const Fit& fit) {
    nb::list rows;
    for (const OperatorCost& cost : fit.costs()) {
        nb::dict row;
        row["op"] = cost.op;
        row["calls"] = cost.calls;
        row["seconds"] = cost.seconds;
        row["flops"] = cost.flops;
        row["bytes"] = cost.bytes;
        row["least_seconds"] = cost.leastSeconds;
        rows.append(row);
    }
    return rows;
}

nb::object orderOfEpoch(int64_t size, uint64_t seed, int64_t epoch) {
    const std::vector<int64_t> order = epochOrder(size, seed, epoch);
    Tensor indices(DType::Int64, {size});
    std::ranges::copy(order, indices.mutableValues<int64_t>().begin());
    return viewOf(indices);
}

using Curve = std::tuple<std::string, std::vector<double>, std::vector<double>>;

std::string lineChart(const std::string& title, const std::string& label,
                      const std::vector<Curve>& curves) {
    std::vector<ChartSeries> series;
    for (const auto& [name, x, y] : curves) {
        ChartSeries& each = series.emplace_back();
        each.name = name;
        for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
            each.points.push_back({x[i], y[i]});
    }
    return svgLineChart(title, label, series);
}

void bindDataRemarks(nb::module_& module) {
    nb::class_<DataRemarks>(module, "DataRemarks", "What opening data told.")
        .def_ro("summary", &DataRemarks::summary)
        .def_ro("findings", &DataRemarks::findings);
}

}  // namespace

void bindFit(nb::module_& module) {
    bindDataRemarks(module);
    nb::class_<Fit>(module, "Fit", "A run of the trainer, and its record.")
        .def(nb::init<Session&, const std::string&, bool>(), nb::arg("session"),
             nb::arg("specification"), nb::arg("follows_schedule"), nb::keep_alive<1, 2>())
        .def("take_specified", &Fit::takeSpecified)
        .def("take_arrays", &Fit::takeArrays, nb::arg("training"), nb::arg("evaluation").none(),
             nb::sig("def take_arrays(self, training: dict[str, typing.Any], "
                     "evaluation: dict[str, typing.Any] | None) -> DataRemarks"))
        .def("take_stream", &Fit::takeStream, nb::arg("stream"), nb::arg("evaluation").none(),
             nb::sig("def take_stream(self, stream: object, "
                     "evaluation: dict[str, typing.Any] | None) -> DataRemarks"))
        .def("run", &runFit, nb::arg("receive"), nb::arg("kinds"), nb::arg("ticks"),
             nb::arg("title"), nb::arg("environment"), nb::arg("log"), nb::arg("profile"),
             nb::sig("def run(self, receive: collections.abc.Callable[[str, dict[str, "
                     "typing.Any]], None], kinds: set[str], ticks: bool, title: str, "
                     "environment: list[tuple[str, str]], log: str, profile: str) -> None"))
        .def("steps", &stepColumns, nb::sig("def steps(self) -> dict[str, " TEMPER_ARRAY "]"))
        .def("costs", &costsOf, nb::sig("def costs(self) -> list[dict[str, typing.Any]]"))
        .def("events", &eventsOf, nb::arg("with_steps"),
             nb::sig("def events(self, with_steps: bool) -> list[dict[str, typing.Any]]"))
        .def(
            "report", [](const Fit& fit) { return htmlReport(fit.record()); },
            nb::call_guard<LockReleased>())
        .def(
            "write_report",
            [](const Fit& fit, const std::filesystem::path& path) {
                writeHtmlReport(fit.record(), path);
            },
            nb::arg("path"), nb::call_guard<LockReleased>(),
            nb::sig("def write_report(self, path: str) -> None"));
    module.def("epoch_order", &orderOfEpoch, nb::arg("size"), nb::arg("seed"), nb::arg("epoch"),
               nb::sig("def epoch_order(size: int, seed: int, epoch: int) -> " TEMPER_ARRAY));
    module.def("line_chart", &lineChart, nb::arg("title"), nb::arg("label"), nb::arg("curves"));
    module.def("escape_html", [](const std::string& text) { return escapeHtml(text); });
    module.def("write_text", &writeFileAtomically, nb::arg("path"), nb::arg("text"),
               nb::call_guard<LockReleased>(),
               nb::sig("def write_text(path: str, text: str) -> None"));
    module.def(
        "require_writable_file",
        [](const std::filesystem::path& path) { requireWritableFile(path); },
        nb::sig("def require_writable_file(path: str) -> None"));
}

}  // namespace temper::python
