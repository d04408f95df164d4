// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/html_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/file.h"
#include "engine/runs/svg_chart.h"

namespace temper {
namespace {

constexpr const char* kStyle = R"(<style>
:root { color-scheme: light dark; --page: #ffffff; --text: #1c2024; --faint: #667079;
  --line: #dde2e6; --panel: #f5f7f8; --heat: 32, 112, 192;
  --s0: #2070c0; --s1: #c85a10; --s2: #2a8a4a; --s3: #8a4ab0; --s4: #b03050; --s5: #5a6a10; }
@media (prefers-color-scheme: dark) { :root { --page: #16191c; --text: #e4e8eb; --faint: #98a2aa;
  --line: #333a40; --panel: #1f2429; --heat: 90, 160, 230;
  --s0: #6cb0f0; --s1: #f0a060; --s2: #70c890; --s3: #c090e8; --s4: #f08098; --s5: #b8c860; } }
body { font: 15px/1.5 system-ui, sans-serif; background: var(--page); color: var(--text);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.faint { color: var(--faint); } .failed { color: var(--s4); }
table { border-collapse: collapse; } th, td { padding: .25rem .7rem; text-align: left;
  border-bottom: 1px solid var(--line); } td.number, th.number { text-align: right;
  font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } .matrix td { text-align: right; border: 1px solid var(--line); }
pre { background: var(--panel); padding: .8rem; overflow-x: auto; border-radius: 4px; }
svg { width: 100%; height: auto; } .grid { stroke: var(--line); }
text { fill: var(--faint); font-size: 11px; } .tick.y { text-anchor: end; }
.tick.x, .axis { text-anchor: middle; } .line { fill: none; stroke-width: 1.5; }
.legend span { margin-right: 1.2rem; } .legend i { display: inline-block; width: 1.2em;
  height: .25em; margin-right: .4em; vertical-align: middle; }
)";

std::string styleSheet() {
    std::string style = kStyle;
    for (int i = 0; i < 6; ++i) {
        const std::string name = std::to_string(i);
        style += ".line.series-" + name + " { stroke: var(--s" + name + "); } .dot.series-" + name +
                 ", .legend i.series-" + name + " { fill: var(--s" + name +
                 "); background: var(--s" + name + "); }\n";
    }
    return style + "</style>\n";
}

std::string heading(const std::string& text) { return "<h2>" + escapeHtml(text) + "</h2>\n"; }

std::string cell(const std::string& text) { return "<td>" + escapeHtml(text) + "</td>"; }
std::string numberCell(const std::string& text) {
    return "<td class=\"number\">" + escapeHtml(text) + "</td>";
}
std::string numberHead(const std::string& text) {
    return "<th class=\"number\">" + escapeHtml(text) + "</th>";
}

std::string labelledTable(const ReportWords& words, const std::string& title,
                          const LabelledValues& values) {
    if (values.empty()) return {};
    std::string html = heading(title) + "<table>\n";
    for (const auto& [label, value] : values) {
        html += "<tr><th>" + escapeHtml(words.label(label)) + "</th>" + cell(value) + "</tr>\n";
    }
    return html + "</table>\n";
}

std::string legend(const std::vector<ChartSeries>& series) {
    std::string html = "<p class=\"legend\">";
    for (size_t i = 0; i < series.size(); ++i) {
        html += "<span><i class=\"series-" + std::to_string(i) + "\"></i>" +
                escapeHtml(series[i].name) + "</span>";
    }
    return html + "</p>\n";
}

/// Empty if there is nothing to draw.
std::string chart(const ReportWords& words, const std::string& title,
                  std::vector<ChartSeries> series) {
    std::erase_if(series, [](const ChartSeries& line) { return line.points.empty(); });
    if (series.empty()) return {};
    return heading(title) + legend(series) +
           svgLineChart(title, words("step"), series, words.language().decimalPoint);
}

template <typename T>
ChartSeries seriesOf(std::string name, const std::vector<T>& events, double T::*value) {
    ChartSeries series{std::move(name), {}};
    for (const T& event : events) {
        series.points.push_back({static_cast<double>(event.step), event.*value});
    }
    return series;
}

/// Mean of the last steps, which shows the trend under the noise of batches.
ChartSeries smoothed(std::string name, const std::vector<StepEvent>& steps) {
    ChartSeries series{std::move(name), {}};
    constexpr size_t kEnough = 20;
    if (steps.size() < kEnough) return series;
    const double keep = 1.0 - 1.0 / std::max(5.0, static_cast<double>(steps.size()) / 50.0);
    double mean = 0;
    double weight = 0;
    for (const StepEvent& step : steps) {
        if (!std::isfinite(step.loss)) continue;
        mean = keep * mean + (1 - keep) * step.loss;
        weight = keep * weight + (1 - keep);
        series.points.push_back({static_cast<double>(step.step), mean / weight});
    }
    return series;
}

std::string lossChart(const ReportWords& words, const RunRecord& record) {
    return chart(words, words("Loss"),
                 {seriesOf(words("training"), record.steps, &StepEvent::loss),
                  seriesOf(words("evaluation"), record.evaluations, &EvalEvent::loss),
                  smoothed(words("training, smoothed"), record.steps)});
}

std::string metricsChart(const ReportWords& words, const RunRecord& record) {
    std::vector<ChartSeries> series;
    for (const std::string& name : metricNames(record)) {
        ChartSeries line{name, {}};
        for (const EvalEvent& evaluation : record.evaluations) {
            const auto found = evaluation.metrics.find(name);
            if (found == evaluation.metrics.end()) continue;
            line.points.push_back({static_cast<double>(evaluation.step), found->second});
        }
        series.push_back(std::move(line));
    }
    return chart(words, words("Metrics"), std::move(series));
}

std::string evaluationTable(const ReportWords& words, const RunRecord& record) {
    if (record.evaluations.empty()) return {};
    const std::vector<std::string> names = metricNames(record);
    std::string html = heading(words("Evaluations")) + "<div class=\"scroll\"><table>\n<tr>" +
                       numberHead(words("step")) + numberHead(words("epoch")) +
                       numberHead(words("loss"));
    for (const std::string& name : names) html += numberHead(name);
    html += "</tr>\n";
    for (const EvalEvent& evaluation : record.evaluations) {
        html += "<tr>" + numberCell(std::to_string(evaluation.step)) +
                numberCell(words.number(evaluation.epoch)) +
                numberCell(words.number(evaluation.loss));
        for (const std::string& name : names) {
            const auto found = evaluation.metrics.find(name);
            const bool known = found != evaluation.metrics.end();
            html += numberCell(known ? words.number(found->second) : "");
        }
        html += "</tr>\n";
    }
    return html + "</table></div>\n";
}

std::string bestLine(const ReportWords& words, const RunRecord& record) {
    std::vector<std::string> names = metricNames(record);
    names.insert(names.begin(), "loss");
    std::string html;
    for (const std::string& name : names) {
        const EvalEvent* best = bestEvaluation(record, name);
        if (best == nullptr) continue;
        const double value = name == "loss" ? best->loss : best->metrics.at(name);
        html += "<p>" +
                words("Best %1: %2 at step %3.",
                      {escapeHtml(words.label(name)), "<b>" + words.number(value) + "</b>",
                       std::to_string(best->step)}) +
                "</p>\n";
    }
    return html;
}

/// Style sheets use a decimal point in every language.
std::string opacity(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string matrixRow(const ConfusionMatrix& matrix, size_t truth) {
    int64_t total = 0;
    for (size_t i = 0; i < matrix.classes.size(); ++i) total += matrix.at(truth, i);
    std::string html = "<tr><th>" + escapeHtml(matrix.classes[truth]) + "</th>";
    for (size_t i = 0; i < matrix.classes.size(); ++i) {
        const int64_t count = matrix.at(truth, i);
        const double share =
            static_cast<double>(count) / static_cast<double>(std::max<int64_t>(total, 1));
        html += "<td style=\"background: rgba(var(--heat), " + opacity(share * 0.6) + ")\">" +
                std::to_string(count) + "</td>";
    }
    return html + "</tr>\n";
}

std::string confusionTable(const ReportWords& words, const RunRecord& record) {
    const auto& all = record.evaluations;
    if (all.empty() || all.back().confusion == nullptr) return {};
    const ConfusionMatrix& matrix = *all.back().confusion;
    std::string html = heading(words("Confusion matrix")) + "<p class=\"faint\">" +
                       words(
                           "Rows are the true classes, columns the predicted ones, after the "
                           "last evaluation.") +
                       "</p>\n<div class=\"scroll\"><table class=\"matrix\">\n<tr><th></th>";
    for (const std::string& name : matrix.classes) html += numberHead(name);
    html += "</tr>\n";
    for (size_t i = 0; i < matrix.classes.size(); ++i) html += matrixRow(matrix, i);
    return html + "</table></div>\n";
}

std::string_view outcomeText(RunOutcome outcome) {
    switch (outcome) {
        case RunOutcome::Finished: return "Run finished after %1 steps, %2.";
        case RunOutcome::Stopped: return "Run stopped after %1 steps, %2.";
        case RunOutcome::Failed: break;
    }
    return "Run failed after %1 steps, %2.";
}

std::string outcomeLine(const ReportWords& words, const RunRecord& record) {
    if (!record.end) return "<p class=\"faint\">" + words("The run has not ended.") + "</p>\n";
    const EndEvent& end = *record.end;
    const bool failed = end.outcome == RunOutcome::Failed;
    std::string html =
        std::string("<p class=\"") + (failed ? "failed" : "faint") + "\">" +
        words(outcomeText(end.outcome), {std::to_string(end.step), words.duration(end.seconds)});
    if (!end.message.empty()) html += " " + escapeHtml(end.message);
    if (!end.hint.empty()) html += " " + escapeHtml(end.hint);
    return html + "</p>\n";
}

std::string sizes(const ReportWords& words, const RunRecord& record) {
    if (!record.started) return {};
    const StartedEvent& started = *record.started;
    LabelledValues values{
        {"training samples", std::to_string(started.trainSamples)},
        {"evaluation samples", std::to_string(started.evalSamples)},
        {"parameters", words("%1 (%2 trainable)", {std::to_string(started.parameters),
                                                   std::to_string(started.trainableParameters)})},
        {"steps per epoch", std::to_string(started.stepsPerEpoch)}};
    if (!record.steps.empty()) {
        const auto planned = static_cast<double>(record.steps.back().arenaBytes) / (1 << 20);
        values.emplace_back("planned memory", words.number(planned) + " MiB");
    }
    if (started.firstStep > 0) {
        values.emplace_back("continued after step", std::to_string(started.firstStep));
    }
    return labelledTable(words, words("Sizes"), values);
}

std::string notes(const ReportWords& words, const RunRecord& record) {
    std::string html;
    if (!record.warnings.empty()) html += heading(words("Warnings")) + "<ul>\n";
    for (const WarningEvent& warning : record.warnings) {
        html += "<li>" +
                words("step %1: %2", {std::to_string(warning.step), escapeHtml(warning.message)}) +
                " " + escapeHtml(warning.hint) + "</li>\n";
    }
    if (!record.warnings.empty()) html += "</ul>\n";
    LabelledValues files;
    for (const CheckpointEvent& saved : record.checkpoints) {
        files.emplace_back(
            words("%1, step %2", {words.label(saved.kind), std::to_string(saved.step)}),
            saved.path);
    }
    return html + labelledTable(words, words("Checkpoints"), files);
}

std::string command(const ReportWords& words, const RunRecord& record) {
    if (record.settings.command.empty()) return {};
    return heading(words("To reproduce it")) + "<pre>" + escapeHtml(record.settings.command) +
           "</pre>\n";
}

}  // namespace

std::string htmlReport(const RunRecord& record, const ReportLanguage& language) {
    const ReportWords words(language);
    const std::string title =
        record.settings.title.empty() ? words("Training run") : record.settings.title;
    return "<!DOCTYPE html>\n<html lang=\"" + escapeHtml(language.code) +
           "\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
           escapeHtml(title) + "</title>\n" + styleSheet() + "</head>\n<body>\n<h1>" +
           escapeHtml(title) + "</h1>\n" + outcomeLine(words, record) + bestLine(words, record) +
           lossChart(words, record) + metricsChart(words, record) +
           chart(words, words("Learning rate"),
                 {seriesOf(words("learning rate"), record.steps, &StepEvent::learningRate)}) +
           chart(words, words("Gradient norm"),
                 {seriesOf(words("gradient norm"), record.steps, &StepEvent::gradientNorm)}) +
           evaluationTable(words, record) + confusionTable(words, record) + notes(words, record) +
           sizes(words, record) + labelledTable(words, words("Settings"), record.settings.choices) +
           labelledTable(words, words("Environment"), record.settings.environment) +
           command(words, record) + "</body>\n</html>\n";
}

void writeHtmlReport(const RunRecord& record, const std::filesystem::path& path,
                     const ReportLanguage& language) {
    writeFileAtomically(path, htmlReport(record, language));
}

}  // namespace temper
