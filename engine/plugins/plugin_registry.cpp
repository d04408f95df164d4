// SPDX-License-Identifier: Apache-2.0
#include "engine/plugins/plugin_registry.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <variant>

#include "engine/plugins/plugin_data.h"
#include "engine/plugins/plugin_handles.h"
#include "engine/plugins/plugin_operator.h"
#include "engine/plugins/plugin_training.h"
#include "engine/training/loss/formula_builder.h"

namespace temper {
namespace {

int fail(TemperError* error, const char* message, const char* hint) {
    *error = {textOf(message), textOf(hint)};
    return 1;
}

/// Copies a table, of which a plugin may know fewer members than Temper does.
template <typename Table>
int addTo(std::vector<Table>& tables, const Table* given, TemperError* error) {
    try {
        if (given == nullptr || given->size < sizeof(size_t))
            return fail(error, "It added a table that does not exist.", nullptr);
        Table table{};
        std::memcpy(&table, given, std::min(given->size, sizeof(Table)));
        requireValid(table);
        tables.push_back(table);
        return 0;
    } catch (const Error& problem) {
        return fail(error, problem.what(), problem.hint().c_str());
    }
}

int addOperator(TemperRegistry* registry, const TemperOperator* op, TemperError* error) {
    return addTo(registry->operators, op, error);
}
int addFormat(TemperRegistry* registry, const TemperDataFormat* format, TemperError* error) {
    return addTo(registry->dataFormats, format, error);
}
int addMetricTable(TemperRegistry* registry, const TemperMetric* metric, TemperError* error) {
    return addTo(registry->metrics, metric, error);
}
int addLoss(TemperRegistry* registry, const TemperLoss* loss, TemperError* error) {
    return addTo(registry->losses, loss, error);
}
int addSchedule(TemperRegistry* registry, const TemperSchedule* schedule, TemperError* error) {
    return addTo(registry->schedules, schedule, error);
}

int addPanel(TemperRegistry* registry, const TemperPanel* panel, TemperError* error) {
    return addTo(registry->panels, panel, error);
}

/// The attribute if it has this kind, else null.
template <typename T>
const T* find(const TemperNode* node, const char* name) {
    const auto found = node->attributes.find(textOf(name));
    return found == node->attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

int64_t intAttribute(const TemperNode* node, const char* name, int64_t fallback) {
    const auto* value = find<int64_t>(node, name);
    return value == nullptr ? fallback : *value;
}
float floatAttribute(const TemperNode* node, const char* name, float fallback) {
    const auto* value = find<float>(node, name);
    return value == nullptr ? fallback : *value;
}
const char* stringAttribute(const TemperNode* node, const char* name, const char* fallback) {
    const auto* value = find<std::string>(node, name);
    return value == nullptr ? fallback : value->c_str();
}
template <typename T>
size_t listAttribute(const TemperNode* node, const char* name, const T** values) {
    const auto* list = find<std::vector<T>>(node, name);
    *values = list == nullptr ? nullptr : list->data();
    return list == nullptr ? 0 : list->size();
}

void parallelFor(TemperThreads* threads, int64_t count, int64_t grain,
                 void (*body)(void* context, int64_t begin, int64_t end), void* context) {
    threads->pool.forRanges(count, grain,
                            [&](int64_t begin, int64_t end) { body(context, begin, end); });
}

std::string nameOf(const TemperOperator& op) { return textOf(op.domain) + "." + textOf(op.name); }

[[noreturn]] void refuseTwice(const std::string& what) {
    throw Error(ErrorCode::InvalidInput, "It has the " + what + ", which already exists.",
                "Rename it in the plugin, or remove the other plugin that has it.");
}

/// The existing names of losses and formulas, spelled as keys.
std::vector<std::string> lossNames() {
    std::vector<std::string> names{"none"};
    for (std::string call : formulaCalls()) {
        call.resize(std::min(call.find('('), call.size()));
        std::ranges::replace(call, '_', '-');
        names.push_back(std::move(call));
    }
    return names;
}

/// The operator of a loss is one of the plugin's, or one that exists.
void requireOperator(const TemperLoss& loss, const TemperRegistry& registry, const OpSet& ops) {
    const auto isIts = [&](const TemperOperator& op) {
        return textOf(op.domain) == textOf(loss.domain) && textOf(op.name) == textOf(loss.op_type);
    };
    if (std::ranges::any_of(registry.operators, isIts)) return;
    if (ops.catalog.find(textOf(loss.domain), textOf(loss.op_type)) != nullptr) return;
    throw Error(ErrorCode::InvalidInput, "Its loss '" + textOf(loss.key) + "' is the operator '" +
                                             textOf(loss.domain) + "." + textOf(loss.op_type) +
                                             "', which does not exist.");
}

/// Checks that no new name is one of the known ones.
template <typename Known, typename New>
void requireDifferent(const std::string& what, const Known& known, const New& added) {
    std::set<std::string> names(known.begin(), known.end());
    for (const std::string& name : added) {
        if (!names.insert(name).second) refuseTwice(what + " '" + name + "'");
    }
}

template <typename List, typename F>
std::vector<std::string> names(const List& list, const F& nameOfOne) {
    std::vector<std::string> result;
    for (const auto& one : list) result.push_back(nameOfOne(one));
    return result;
}

std::string keyOf(const auto& table) { return textOf(table.key); }

}  // namespace

const TemperHost& pluginHost() {
    static const TemperHost kHost = {
        sizeof(TemperHost),   TEMPER_VERSION, addOperator,     addFormat,
        addMetricTable,       addLoss,        addSchedule,     fail,
        intAttribute,         floatAttribute, stringAttribute, listAttribute<int64_t>,
        listAttribute<float>, parallelFor,    addPanel,
    };
    return kHost;
}

void requireNew(const TemperRegistry& registry) {
    const OpSet ops = standardOps();
    std::set<std::string> seen;
    for (const TemperOperator& op : registry.operators) {
        for (const char* suffix : {"", "Grad"}) {
            const std::string name = textOf(op.name) + suffix;
            if (ops.catalog.find(textOf(op.domain), name) != nullptr ||
                !seen.insert(textOf(op.domain) + "." + name).second)
                refuseTwice("operator '" + nameOf(op) + suffix + "'");
        }
    }
    requireDifferent("data format",
                     names(dataFormats(), [](const auto& known) { return known.kind.key; }),
                     names(registry.dataFormats, keyOf<TemperDataFormat>));
    requireDifferent("metric", names(metricInfos(), [](const auto& known) { return known.key; }),
                     names(registry.metrics, keyOf<TemperMetric>));
    requireDifferent("loss", lossNames(), names(registry.losses, keyOf<TemperLoss>));
    for (const TemperLoss& loss : registry.losses) requireOperator(loss, registry, ops);
    requireDifferent("panel", std::vector<std::string>{},
                     names(registry.panels, keyOf<TemperPanel>));
    requireDifferent("schedule",
                     names(scheduleChoices(), [](const auto& known) { return known.key; }),
                     names(registry.schedules, keyOf<TemperSchedule>));
}

void addAll(const TemperRegistry& registry) {
    if (!registry.operators.empty()) {
        addOperators([operators = registry.operators](OpSet& ops) {
            for (const TemperOperator& op : operators) addPluginOperator(ops, op);
        });
    }
    for (const auto& format : registry.dataFormats) addDataFormat(pluginDataFormat(format));
    for (const auto& metric : registry.metrics)
        addMetric(pluginMetricInfo(metric), [metric] { return makePluginMetric(metric); });
    for (const auto& loss : registry.losses) addLossFunction(pluginLoss(loss));
    for (const auto& schedule : registry.schedules)
        addLrSchedule(pluginScheduleChoice(schedule), pluginCurve(schedule));
}

std::vector<std::string> describe(const TemperRegistry& registry) {
    std::vector<std::string> lines;
    for (const auto& op : registry.operators) lines.push_back("operator " + nameOf(op));
    for (const auto& format : registry.dataFormats) lines.push_back("data format " + keyOf(format));
    for (const auto& metric : registry.metrics) lines.push_back("metric " + keyOf(metric));
    for (const auto& loss : registry.losses) lines.push_back("loss " + keyOf(loss));
    for (const auto& schedule : registry.schedules) lines.push_back("schedule " + keyOf(schedule));
    for (const auto& panel : registry.panels) lines.push_back("panel " + keyOf(panel));
    return lines;
}

}  // namespace temper
