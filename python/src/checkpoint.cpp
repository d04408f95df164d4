// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "python/src/arrays.h"
#include "python/src/interpreter.h"
#include "python/src/shared_state.h"

namespace temper::python {
namespace {

using State = SharedState;

std::shared_ptr<State> parseState(const nb::bytes& bytes) {
    const std::span<const std::byte> data(static_cast<const std::byte*>(bytes.data()),
                                          bytes.size());
    const LockReleased released;
    return std::make_shared<State>(CheckpointState::parse(data));
}

nb::bytes stateBytes(State& self, bool includeOptimizerState) {
    std::string bytes;
    {
        const Turn turn(self);
        bytes =
            serializeCheckpoint(self.state().toFile(includeOptimizerState), {.sortByName = true});
    }
    return nb::bytes(bytes.data(), bytes.size());
}

void save(State& self, const std::filesystem::path& path, bool includeOptimizerState) {
    const Turn turn(self);
    self.state().save(path, includeOptimizerState);
}

std::vector<std::string> names(State& self) {
    std::vector<std::string> names;
    for (const Parameter& parameter : self.state().parameters()) names.push_back(parameter.name);
    return names;
}

nb::object data(State& self, const std::string& name) {
    Tensor data;
    {
        const Turn turn(self);
        data = self.ownParameter(name).data;
    }
    return viewOf(data);
}

void setData(State& self, const std::string& name, nb::handle array) {
    const Tensor data = tensorFrom(array, "parameter '" + name + "'");
    const Turn turn(self);
    self.setParameter(name, data);
}

nb::object gradient(State& self, const std::string& name) {
    Tensor gradient;
    {
        const Turn turn(self);
        gradient = self.state().parameter(name).gradient;
    }
    return gradient.empty() ? nb::none() : viewOf(gradient);
}

bool requiresGradient(State& self, const std::string& name) {
    return self.state().parameter(name).requiresGrad;
}

std::map<std::string, PropertyValue> properties(State& self) {
    const Turn turn(self);
    return std::as_const(self.state()).properties();
}

std::optional<PropertyValue> property(State& self, const std::string& name) {
    const Turn turn(self);
    if (!self.state().hasProperty(name)) return std::nullopt;
    return self.state().property(name);
}

void setProperty(State& self, const std::string& name, PropertyValue value) {
    const Turn turn(self);
    self.state().setProperty(name, std::move(value));
}

bool removeProperty(State& self, const std::string& name) {
    const Turn turn(self);
    return self.state().properties().erase(name) > 0;
}

int64_t step(State& self) {
    const Turn turn(self);
    return self.state().optimizerState().step;
}

}  // namespace

void bindCheckpoint(nb::module_& module) {
    nb::class_<State>(module, "State", "Parameters, optimizer state and properties.")
        .def("names", &names)
        .def("has",
             [](State& self, const std::string& name) { return self.state().hasParameter(name); })
        .def("data", &data, nb::sig("def data(self, name: str) -> " TEMPER_ARRAY))
        .def("set_data", &setData)
        .def("gradient", &gradient,
             nb::sig("def gradient(self, name: str) -> " TEMPER_ARRAY " | None"))
        .def("requires_grad", &requiresGradient)
        .def("properties", &properties)
        .def("get_property", &property)
        .def("set_property", &setProperty)
        .def("remove_property", &removeProperty)
        .def_prop_ro("step", &step)
        .def_prop_ro("is_nominal",
                     [](State& self) {
                         const Turn turn(self);
                         return self.state().isNominal();
                     })
        .def(
            "save", &save, nb::arg("path"), nb::arg("include_optimizer_state"),
            nb::sig("def save(self, path: " TEMPER_PATH ", include_optimizer_state: bool) -> None"))
        .def("to_bytes", &stateBytes, nb::arg("include_optimizer_state"));
    module.def(
        "load_state",
        [](const std::filesystem::path& path) {
            return std::make_shared<State>(CheckpointState::load(path));
        },
        nb::arg("path"), nb::call_guard<LockReleased>(),
        nb::sig("def load_state(path: " TEMPER_PATH ") -> State"));
    module.def("parse_state", &parseState, nb::arg("data"));
}

}  // namespace temper::python
