// SPDX-License-Identifier: Apache-2.0
#include "python/src/arguments.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/joined.h"

namespace temper::python {
namespace {

bool isMapping(nb::handle object) {
    if (nb::isinstance<nb::dict>(object)) return true;
    return nb::isinstance(object, nb::module_::import_("collections.abc").attr("Mapping"));
}

/// Null if there is none: a subclass that would make the item (`__missing__`) is not asked.
nb::object itemOf(const nb::dict& items, nb::handle key) {
    const nb::ft_object_guard lock(items);
    PyObject* found = PyDict_GetItemWithError(items.ptr(), key.ptr());
    if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    return nb::borrow(found);
}

std::string text(nb::handle name) { return nb::cast<std::string>(nb::str(name)); }

/// `inOrder`: how many arrays have no name.
[[noreturn]] void throwMismatch(const nb::list& names, size_t inOrder, const nb::dict& named) {
    std::vector<std::string> known, problems;
    for (const nb::handle name : names) {
        known.push_back(text(name));
        if (known.size() > inOrder && !named.contains(name))
            problems.push_back("'" + known.back() + "' is missing");
    }
    for (const auto& [key, array] : named) {
        const std::string name = text(key);
        const auto found = std::ranges::find(known, name);
        const bool isTaken = found - known.begin() < static_cast<std::ptrdiff_t>(inOrder);
        if (found == known.end() || isTaken) problems.push_back("'" + name + "' is surplus");
    }
    throw Error(ErrorCode::InvalidInput,
                "The model takes the inputs " + joined(known) + ": " + joined(problems) + ".",
                "Pass one array for each.");
}

}  // namespace

std::vector<nb::object> arranged(const nb::list& names, nb::tuple arrays, nb::dict named) {
    if (arrays.size() == 1 && isMapping(arrays[0])) {
        nb::dict all;
        if (named.empty() && nb::isinstance<nb::dict>(arrays[0])) {
            all = nb::borrow<nb::dict>(arrays[0]);
        } else {
            all.update(arrays[0]);
            all.update(named);
        }
        named = std::move(all);
        arrays = nb::tuple();
    }
    std::vector<nb::object> inputs;
    inputs.reserve(names.size());
    for (const nb::handle array : arrays) inputs.push_back(nb::borrow(array));
    if (named.empty()) return inputs;
    const size_t inOrder = arrays.size();
    if (inOrder + named.size() != names.size()) throwMismatch(names, inOrder, named);
    for (size_t i = inOrder; i < names.size(); ++i) {
        nb::object array = itemOf(named, names[i]);
        if (!array.is_valid()) throwMismatch(names, inOrder, named);
        inputs.push_back(std::move(array));
    }
    return inputs;
}

void bindArguments(nb::module_& module) {
    module.def("arranged", &arranged, nb::arg("names"), nb::arg("arrays"), nb::arg("named"),
               nb::sig("def arranged(names: list[str], arrays: tuple[object, ...], "
                       "named: dict[str, object]) -> list[object]"));
}

}  // namespace temper::python
