// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph_view/graph_look_state.h"

#include <QJsonArray>

namespace temper::ui {
namespace {

const std::pair<const char*, bool GraphFold::*> kFlags[] = {
    {"shapeNodes", &GraphFold::shapeNodes}, {"attributes", &GraphFold::attributes},
    {"weights", &GraphFold::weights},       {"names", &GraphFold::names},
    {"horizontal", &GraphFold::horizontal},
};

QJsonArray toJson(const std::set<int>& numbers) {
    QJsonArray json;
    for (const int number : numbers) json.append(number);
    return json;
}

std::set<int> numbersOf(const QJsonValue& json) {
    std::set<int> numbers;
    for (const QJsonValue number : json.toArray()) numbers.insert(number.toInt());
    return numbers;
}

}  // namespace

QJsonObject toJson(const GraphLookState& state) {
    QJsonObject json{{"zoom", state.place.zoom},
                     {"x", state.place.center.x()},
                     {"y", state.place.center.y()},
                     {"fits", state.place.fits},
                     {"node", state.node},
                     {"group", state.group},
                     {"open", toJson(state.fold.open)},
                     {"revealed", toJson(state.fold.revealed)}};
    for (const auto& [name, flag] : kFlags) json[QLatin1String(name)] = state.fold.*flag;
    return json;
}

GraphLookState graphLookFromJson(const QJsonObject& json) {
    GraphLookState state;
    state.place = {json["zoom"].toDouble(1),
                   {json["x"].toDouble(), json["y"].toDouble()},
                   json["fits"].toBool(true)};
    state.node = json["node"].toInt(-1);
    state.group = json["group"].toInt(-1);
    state.fold.open = numbersOf(json["open"]);
    state.fold.revealed = numbersOf(json["revealed"]);
    for (const auto& [name, flag] : kFlags) state.fold.*flag = json[QLatin1String(name)].toBool();
    return state;
}

void leaveWhatExists(GraphFold& fold, const GraphDocument& document) {
    const auto groups = static_cast<int>(document.outline().groups().size());
    const auto keep = [](std::set<int>& numbers, int count) {
        std::erase_if(numbers, [count](int number) { return number < 0 || number >= count; });
    };
    keep(fold.open, groups);
    keep(fold.revealed, document.nodeCount());
}

}  // namespace temper::ui
