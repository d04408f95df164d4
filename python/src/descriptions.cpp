// SPDX-License-Identifier: Apache-2.0
#include "python/src/descriptions.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace temper::python {
namespace {

std::string dtypeText(DType dtype) { return std::string(dtypeName(dtype)); }

std::string onnxText(DType dtype) {
    if (dtype == DType::Float32) return "float";
    return dtype == DType::Float64 ? "double" : dtypeText(dtype);
}

nb::tuple shapeOf(const Shape& shape) {
    nb::list dims;
    for (const int64_t dim : shape) dims.append(dim);
    return nb::tuple(dims);
}

nb::object dimOf(const Dim& dim) {
    if (dim.isNumber()) return nb::int_(dim.value);
    if (dim.isSymbol()) return nb::str(dim.symbol.c_str());
    return nb::none();
}

nb::object shapeOf(const ValueType& type) {
    if (!type.shape) return nb::none();
    nb::list dims;
    for (const Dim& dim : *type.shape) dims.append(dimOf(dim));
    return nb::tuple(dims);
}

std::string textOf(const ValueDescription& value) {
    return "<Value '" + value.name + "' " + formatType(value.type) + ">";
}

std::string textOf(const ModelParameter& parameter) {
    const ParameterInfo& info = parameter.info;
    return "<ParameterInfo '" + info.name + "' " + dtypeText(info.dtype) + formatShape(info.shape) +
           ", " + std::string(parameterClassName(info.parameterClass)) + ">";
}

std::string textOf(const Finding& finding) {
    std::string text = std::string(severityName(finding.severity)) + " " + finding.code + ": ";
    text += finding.message;
    return finding.hint.empty() ? text : text + " " + finding.hint;
}

using FindingState = std::tuple<std::string, int, std::string, std::string, std::string,
                                std::string, std::vector<std::string>>;

FindingState stateOf(const Finding& finding) {
    return {finding.code,      static_cast<int>(finding.severity),
            finding.node,      finding.op,
            finding.message,   finding.hint,
            finding.parameters};
}

void restore(Finding& finding, const FindingState& state) {
    const auto& [code, severity, node, op, message, hint, parameters] = state;
    new (&finding)
        Finding{code, static_cast<Severity>(severity), node, op, message, hint, parameters};
}

void bindFinding(nb::module_& module) {
    nb::class_<Finding>(
        module, "Finding",
        "A problem of a model, or a remark about it.\n\n"
        ">>> import temper\n"
        ">>> text = '(float[N] x) => (y) <float[1] w = {2}> "
        "{ z = Mul(x, w) y = Round(z) }'\n"
        ">>> [(found.code, found.op) for found in temper.from_text(text).findings]\n"
        "[('G002', 'Round')]")
        .def_ro("code", &Finding::code, "Stable: 'G001' means no gradient rule.")
        .def_prop_ro(
            "severity",
            [](const Finding& self) { return std::string(severityName(self.severity)); },
            "'info', 'warning' or 'error'.")
        .def_ro("node", &Finding::node, "Name of the node concerned, or ''.")
        .def_ro("op", &Finding::op, "Its operator, or ''.")
        .def_ro("message", &Finding::message, "What is wrong, in one sentence.")
        .def_ro("hint", &Finding::hint, "What to do, or ''.")
        .def_ro("parameters", &Finding::parameters, "Names of the parameters concerned.")
        .def("__getstate__", &stateOf)
        .def("__setstate__", &restore)
        .def(
            "_repr_html_",
            [](nb::handle self) {
                return nb::module_::import_("temper._html").attr("finding")(self);
            },
            nb::sig("def _repr_html_(self) -> str"))
        .def("__str__", [](const Finding& self) { return textOf(self); })
        .def("__repr__", [](const Finding& self) { return "<Finding " + textOf(self) + ">"; });
}

}  // namespace

std::vector<ValueDescription> describe(const std::vector<Value*>& values) {
    std::vector<ValueDescription> described;
    for (const Value* value : values) described.push_back({value->name(), value->type()});
    return described;
}

void bindDescriptions(nb::module_& module) {
    bindFinding(module);
    nb::class_<ValueDescription>(module, "Value",
                                 "An input or output of a model.\n\n"
                                 ">>> import temper\n"
                                 ">>> (x,) = temper.open(mlp_path).inputs\n"
                                 ">>> x.name, x.dtype, x.shape\n"
                                 "('x', 'float32', ('batch', 4))")
        .def_ro("name", &ValueDescription::name)
        .def_prop_ro(
            "dtype", [](const ValueDescription& self) { return dtypeText(self.type.dtype); },
            "Element type as NumPy names it: 'float32'.")
        .def_prop_ro(
            "type",
            [](const ValueDescription& self) {
                return "tensor(" + onnxText(self.type.dtype) + ")";
            },
            "As ONNX Runtime writes it: 'tensor(float)'.")
        .def_prop_ro(
            "shape", [](const ValueDescription& self) { return shapeOf(self.type); },
            nb::sig("def shape(self) -> tuple[int | str | None, ...] | None"),
            "Per dimension its size, its symbol, or None if it is unknown; None without a rank.")
        .def("__repr__", [](const ValueDescription& self) { return textOf(self); });
    nb::class_<ModelParameter>(module, "ParameterInfo",
                               "An initializer of a model.\n\n"
                               ">>> import temper\n"
                               ">>> temper.open(mlp_path).parameters[0]\n"
                               "<ParameterInfo 'fc1.weight' float32[5, 4], trainable>")
        .def_prop_ro("name", [](const ModelParameter& self) { return self.info.name; })
        .def_prop_ro("dtype", [](const ModelParameter& self) { return dtypeText(self.info.dtype); })
        .def_prop_ro(
            "shape", [](const ModelParameter& self) { return shapeOf(self.info.shape); },
            nb::sig("def shape(self) -> tuple[int, ...]"))
        .def_prop_ro(
            "kind",
            [](const ModelParameter& self) {
                return std::string(parameterClassName(self.info.parameterClass));
            },
            "'trainable', 'batch-norm statistic', 'constant' or 'shape data'.")
        .def_ro("trains", &ModelParameter::trains, "Whether it trains unless you choose otherwise.")
        .def_prop_ro(
            "reason", [](const ModelParameter& self) { return self.info.reason; },
            "Why it is of this kind.")
        .def("__repr__", [](const ModelParameter& self) { return textOf(self); });
}

}  // namespace temper::python
