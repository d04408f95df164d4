// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/core/error.h"
#include "engine/runs/run_event_fields.h"

namespace temper {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDamaged = "The log is damaged or was not written by Temper.";

class FieldWriter {
public:
    explicit FieldWriter(Json& json) : json_(json) {}

    template <typename T>
    void operator()(const char* key, const T& member) {
        if constexpr (std::is_same_v<T, RunOutcome>) {
            json_[key] = outcomeName(member);
        } else {
            json_[key] = member;
        }
    }
    void operator()(const char* key, const std::map<std::string, double>& numbers) {
        Json& object = json_[key] = Json::object();
        for (const auto& [name, value] : numbers) object[name] = value;
    }
    void operator()(const char* key,
                    const std::shared_ptr<const std::vector<LayerStatistics>>& layers) {
        Json& list = json_[key] = Json::array();
        if (layers == nullptr) return;
        for (const LayerStatistics& layer : *layers) {
            visitFields(layer, FieldWriter(list.emplace_back(Json::object())));
        }
    }
    void optional(const char* key, const auto& member) { (*this)(key, member); }
    void ifSet(const char* key, const std::string& text) {
        if (!text.empty()) (*this)(key, text);
    }
    void ifSet(const char* key, const std::optional<int64_t>& number) {
        if (number) (*this)(key, *number);
    }
    /// Two fields: the rows, and the classes.
    void ifSet(const char* key, const std::shared_ptr<const ConfusionMatrix>& matrix) {
        if (matrix == nullptr) return;
        const size_t count = matrix->classes.size();
        Json& rows = json_[key] = Json::array();
        for (size_t truth = 0; truth < count; ++truth) {
            const auto row = matrix->counts.begin() + static_cast<std::ptrdiff_t>(truth * count);
            rows.push_back(
                Json(std::vector<int64_t>(row, row + static_cast<std::ptrdiff_t>(count))));
        }
        json_["classes"] = matrix->classes;
    }

private:
    Json& json_;
};

/// Fields of one line, checked as they are read.
class FieldReader {
public:
    explicit FieldReader(const Json& json) : json_(json) {}

    void operator()(const char* key, double& number) const {
        const Json& value = field(key);
        if (!value.is_null() && !value.is_number()) throwWrong(key, "a number");
        number = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
    }
    template <std::integral T>
    void operator()(const char* key, T& integer) const {
        const Json& value = field(key);
        if (!value.is_number_integer()) throwWrong(key, "an integer");
        integer = static_cast<T>(value.get<int64_t>());
    }
    void operator()(const char* key, bool& flag) const {
        const Json& value = field(key);
        if (!value.is_boolean()) throwWrong(key, "true or false");
        flag = value.get<bool>();
    }
    void operator()(const char* key, std::string& text) const {
        const Json& value = field(key);
        if (!value.is_string()) throwWrong(key, "a string");
        text = value.get<std::string>();
    }
    void operator()(const char* key, RunOutcome& outcome) const {
        std::string name;
        (*this)(key, name);
        for (const RunOutcome known :
             {RunOutcome::Finished, RunOutcome::Stopped, RunOutcome::Failed}) {
            outcome = known;
            if (outcomeName(known) == name) return;
        }
        throw Error(ErrorCode::InvalidInput,
                    "The outcome '" + name +
                        "' of a run is unknown; expected 'finished', 'stopped' or 'failed'.");
    }
    void operator()(const char* key, std::map<std::string, double>& numbers) const {
        const Json& object = field(key);
        if (!object.is_object()) throwWrong(key, "an object of numbers");
        const FieldReader items(object);
        for (const auto& item : object.items()) {
            items(item.key().c_str(), numbers[item.key()]);
        }
    }
    void operator()(const char* key,
                    std::shared_ptr<const std::vector<LayerStatistics>>& layers) const {
        const Json& list = field(key);
        if (!list.is_array()) throwWrong(key, "an array");
        auto read = std::make_shared<std::vector<LayerStatistics>>(list.size());
        for (size_t i = 0; i < read->size(); ++i) visitFields((*read)[i], FieldReader(list[i]));
        layers = std::move(read);
    }
    void operator()(const char* key, std::optional<int64_t>& number) const {
        (*this)(key, number.emplace());
    }
    void operator()(const char* key, std::shared_ptr<const ConfusionMatrix>& matrix) const {
        auto read = std::make_shared<ConfusionMatrix>();
        for (const Json& name : field("classes")) {
            if (!name.is_string()) throwWrong("classes", "an array of strings");
            read->classes.push_back(name.get<std::string>());
        }
        for (const Json& row : field(key)) appendRow(key, row, *read);
        if (read->counts.size() != read->classes.size() * read->classes.size()) {
            throwWrong(key, "one row and one column for each class");
        }
        matrix = std::move(read);
    }
    void optional(const char* key, auto& member) const {
        if (json_.contains(key)) (*this)(key, member);
    }
    void ifSet(const char* key, auto& member) const { optional(key, member); }

private:
    const Json& field(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end()) throwWrong(key, "a value");
        return *found;
    }
    static void appendRow(const char* key, const Json& row, ConfusionMatrix& matrix) {
        for (const Json& count : row) {
            if (!count.is_number_integer()) throwWrong(key, "rows of integers");
            matrix.counts.push_back(count.get<int64_t>());
        }
    }
    [[noreturn]] static void throwWrong(const std::string& key, const std::string& expected) {
        throw Error(ErrorCode::InvalidInput,
                    "Field '" + key + "' of a run event is wrong; expected " + expected + ".",
                    kDamaged);
    }

    const Json& json_;
};

/// The event of this kind, an index into RunFact.
template <size_t kind = 0>
RunFact readFact(size_t wanted, const FieldReader& fields) {
    if constexpr (kind < kEventNames.size()) {
        if (kind != wanted) return readFact<kind + 1>(wanted, fields);
        std::variant_alternative_t<kind, RunFact> event;
        visitFields(event, fields);
        return event;
    } else {
        throw Error(ErrorCode::Internal, "Run events have no kind " + std::to_string(wanted) + ".");
    }
}

}  // namespace

std::string toJsonLine(const RunEvent& event) {
    Json json;
    json["event"] = kEventNames[event.fact.index()];
    json["time"] = event.time;
    std::visit([&](const auto& fact) { visitFields(fact, FieldWriter(json)); }, event.fact);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunEvent runEventFromJsonLine(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
        throw Error(ErrorCode::InvalidInput, "The line is not a JSON object.",
                    "Expected a log written by `temper train --log`.");
    }
    const FieldReader fields(json);
    RunEvent event;
    std::string name;
    fields("time", event.time);
    fields("event", name);
    const auto kind = std::ranges::find(kEventNames, name);
    if (kind == kEventNames.end()) {
        throw Error(ErrorCode::InvalidInput, "Run event '" + name + "' is unknown.",
                    "The log was written by a newer Temper or another program.");
    }
    event.fact = readFact(static_cast<size_t>(kind - kEventNames.begin()), fields);
    return event;
}

}  // namespace temper
