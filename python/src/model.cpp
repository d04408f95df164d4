// SPDX-License-Identifier: Apache-2.0
#include "python/src/model.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "engine/ir/type_inference.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"
#include "engine/training/opset/opset_conversion.h"
#include "python/src/interpreter.h"

namespace temper::python {
namespace {

std::vector<Finding> findingsOf(const Model& model) {
    return findingsOfModel(*model.graph, *sharedOps(), model.remarks);
}

std::vector<ModelParameter> parametersOf(const Model& model) {
    return parametersOfModel(*model.graph, *sharedOps(), findingsOf(model));
}

/// Throws: Error(InvalidInput) for a model whose nodes contradict their operators.
Model typed(std::unique_ptr<Graph> graph, const std::string& origin, std::vector<Finding> remarks) {
    for (Finding& finding : inferTypes(*graph, sharedOps()->catalog)) {
        if (finding.severity == Severity::Error) {
            Error error(ErrorCode::InvalidInput, finding.message, finding.hint);
            error.addContext("model '" + origin + "'");
            throw error;
        }
        remarks.push_back(std::move(finding));
    }
    return {std::move(graph), origin, std::move(remarks)};
}

LoadOptions loadOptions(std::vector<Finding>& remarks) {
    return {.remarks = &remarks, .unifyOpsets = opsetUnifier(sharedOps()->catalog)};
}

Model parseModelBytes(const nb::bytes& bytes) {
    const std::span<const std::byte> data(static_cast<const std::byte*>(bytes.data()),
                                          bytes.size());
    const LockReleased released;
    std::vector<Finding> remarks;
    auto graph = parseModel(data, "(memory)", {}, loadOptions(remarks));
    return typed(std::move(graph), "(memory)", std::move(remarks));
}

Model parseModelText(const std::string& text) {
    const LockReleased released;
    return typed(parseText(text), "(text)", {});
}

nb::bytes modelBytes(const Model& model) {
    std::string bytes;
    {
        const LockReleased released;
        bytes = serializeModel(*model.graph);
    }
    return nb::bytes(bytes.data(), bytes.size());
}

using ModelState = std::tuple<nb::bytes, std::string, std::vector<Finding>>;

ModelState stateOfModel(const Model& model) {
    return {modelBytes(model), model.origin, model.remarks};
}

void restoreModel(Model& model, const ModelState& state) {
    const auto& [bytes, origin, remarks] = state;
    Model restored = parseModelBytes(bytes);
    new (&model) Model{restored.graph, origin, remarks};
}

}  // namespace

Model openModel(const std::filesystem::path& path) {
    std::vector<Finding> remarks;
    auto graph = loadModel(path, loadOptions(remarks));
    return typed(std::move(graph), path.string(), std::move(remarks));
}

void bindModel(nb::module_& module) {
    using Released = nb::call_guard<LockReleased>;
    nb::class_<Model>(module, "Model",
                      "An ONNX model. It does not change: making artifacts of it or running it "
                      "leaves it as it is.\n\n"
                      ">>> import temper\n"
                      ">>> model = temper.open(mlp_path)\n"
                      ">>> model.parameter_names\n"
                      "['fc1.weight', 'fc1.bias', 'fc2.weight', 'fc2.bias']")
        .def_prop_ro(
            "inputs", [](const Model& self) { return describe(self.graph->inputs()); },
            "The inputs without the parameters, a list of Value.")
        .def_prop_ro(
            "outputs", [](const Model& self) { return describe(self.graph->outputs()); },
            "The outputs, a list of Value.")
        .def_prop_ro("parameters", &parametersOf, Released(),
                     "The initializers in file order, a list of ParameterInfo.")
        .def_prop_ro("findings", &findingsOf, Released(),
                     "What keeps parameters from training, and remarks: a list of Finding. An "
                     "empty list means that everything trains.")
        .def_prop_ro(
            "opset", [](const Model& self) { return self.graph->info().onnxOpset(); },
            "Version of ONNX's operators that it uses.")
        .def_prop_ro(
            "parameter_names",
            [](const Model& self) {
                std::vector<std::string> names;
                for (const Value* value : self.graph->initializers())
                    if (!value->isLiteral()) names.push_back(value->name());
                return names;
            },
            "Names of the initializers; faster than parameters, which tries their gradients.")
        .def(
            "has_value",
            [](const Model& self, const std::string& name) {
                return self.graph->find(name) != nullptr;
            },
            nb::arg("name"), "Whether a value of the model has this name.")
        .def_ro("origin", &Model::origin, "The path it was opened from, or '(memory)'.")
        .def("to_bytes", &modelBytes,
             "The model as the bytes of an ONNX file.\n\nRaises: UnsupportedError above 2 GiB.")
        .def(
            "to_text", [](const Model& self) { return toText(*self.graph); }, Released(),
            "The model in ONNX's textual format.")
        .def(
            "save",
            [](const Model& self, const std::filesystem::path& path) {
                saveModel(*self.graph, path);
            },
            nb::arg("path"), Released(), nb::sig("def save(self, path: " TEMPER_PATH ") -> None"),
            "Writes the model, to ORT format if the path ends with '.ort'. The file is replaced "
            "only if writing succeeds.")
        .def("__getstate__", &stateOfModel)
        .def("__setstate__", &restoreModel)
        .def("__copy__", [](const nb::object& self) { return self; })
        .def("__deepcopy__", [](const nb::object& self, const nb::handle&) { return self; })
        .def(
            "_repr_html_",
            [](nb::handle self) {
                return nb::module_::import_("temper._html").attr("model")(self);
            },
            nb::sig("def _repr_html_(self) -> str"))
        .def("__repr__", [](const Model& self) {
            return "<Model '" + self.origin + "' with " + std::to_string(self.graph->nodeCount()) +
                   " nodes>";
        });
    module.def("open_model", &openModel, nb::arg("path"), Released(),
               nb::sig("def open_model(path: " TEMPER_PATH ") -> Model"));
    module.def("parse_model", &parseModelBytes, nb::arg("data"));
    module.def("parse_text", &parseModelText, nb::arg("text"));
}

}  // namespace temper::python
