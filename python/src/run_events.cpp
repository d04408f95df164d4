// SPDX-License-Identifier: Apache-2.0
#include "python/src/run_events.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "engine/core/tensor.h"
#include "engine/runs/run_event_fields.h"
#include "python/src/arrays.h"

namespace temper::python {
namespace {

/// Shapes: [classes, classes], row = true class.
nb::object arrayOf(const ConfusionMatrix& matrix) {
    const auto classes = static_cast<int64_t>(matrix.classes.size());
    Tensor counts(DType::Int64, {classes, classes});
    std::memcpy(counts.mutableData(), matrix.counts.data(), counts.byteSize());
    return viewOf(counts);
}

class FieldDictionary {
public:
    explicit FieldDictionary(nb::dict& fields) : fields_(fields) {}

    template <typename T>
    void operator()(const char* key, const T& member) {
        fields_[key] = member;
    }
    void operator()(const char* key, RunOutcome outcome) {
        fields_[key] = std::string(outcomeName(outcome));
    }
    void operator()(const char* key,
                    const std::shared_ptr<const std::vector<LayerStatistics>>& layers) {
        nb::list list;
        for (const LayerStatistics& layer : *layers) {
            nb::dict fields;
            visitFields(layer, FieldDictionary(fields));
            list.append(fields);
        }
        fields_[key] = list;
    }
    void optional(const char* key, const auto& member) { (*this)(key, member); }
    void ifSet(const char* key, const auto& member) { (*this)(key, member); }
    void ifSet(const char* key, const std::shared_ptr<const ConfusionMatrix>& matrix) {
        fields_[key] = matrix ? arrayOf(*matrix) : nb::none();
        fields_["classes"] = matrix ? matrix->classes : std::vector<std::string>();
    }

private:
    nb::dict& fields_;
};

}  // namespace

std::string kindOf(const RunEvent& event) { return std::string(kEventNames[event.fact.index()]); }

nb::dict fieldsOf(const RunEvent& event) {
    nb::dict fields;
    fields["event"] = kindOf(event);
    fields["time"] = event.time;
    std::visit([&](const auto& fact) { visitFields(fact, FieldDictionary(fields)); }, event.fact);
    return fields;
}

}  // namespace temper::python
