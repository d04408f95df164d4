// SPDX-License-Identifier: Apache-2.0
#include "python/src/data.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

#include "python/src/arrays.h"
#include "python/src/errors.h"
#include "python/src/interpreter.h"

namespace temper::python {
namespace {

/// Whoever drops it last need not hold the interpreter's lock.
std::shared_ptr<nb::object> shared(nb::object object) {
    return {new nb::object(std::move(object)), [](nb::object* kept) {
                const LockAcquired lock;
                delete kept;
            }};
}

/// "ValueError: what is wrong"
std::string messageOf(const nb::python_error& error) {
    const auto type = nb::cast<std::string>(nb::str(error.type().attr("__name__")));
    return type + ": " + nb::cast<std::string>(nb::str(error.value()));
}

}  // namespace

NamedRows rowsFrom(const nb::dict& arrays) {
    NamedRows rows;
    for (const auto [key, array] : arrays) {
        const auto name = nb::cast<std::string>(key);
        const Tensor tensor = tensorFrom(array, "column '" + name + "'");
        if (tensor.dtype() == DType::String) {
            throwTypeError("The array for column '" + name + "' holds texts; expected numbers.",
                           "Number the classes from 0, or convert the texts to token numbers.");
        }
        rows.emplace_back(name, rowsOf(tensor));
    }
    return rows;
}

PythonStream::PythonStream(nb::object source, std::vector<std::string> targets,
                           const SharedState& trained, std::function<void()> awaited,
                           std::function<void(std::exception_ptr)> failed)
    : source_(shared(std::move(source))),
      targets_(std::move(targets)),
      trained_(trained),
      awaited_(std::move(awaited)),
      failed_(std::move(failed)),
      batches_(nb::cast<std::optional<int64_t>>(source_->attr("batches"))),
      samples_(nb::cast<int64_t>(source_->attr("samples"))) {}

std::shared_ptr<const Dataset> PythonStream::peek() { return batchOf(source_->attr("peek")()); }

/// The engine reports its own errors only.
template <typename F>
auto PythonStream::guarded(F&& action) {
    const LockAcquired lock;
    const FeedingScope feeding(trained_);
    try {
        return action();
    } catch (const nb::python_error& error) {
        failed_(std::current_exception());
        throw Error(ErrorCode::Internal, messageOf(error));
    }
}

void PythonStream::begin(int64_t epoch) {
    guarded([&] { source_->attr("begin")(epoch); });
}

std::shared_ptr<const Dataset> PythonStream::next() {
    return guarded([&] { return batchOf(source_->attr("next")()); });
}

std::shared_ptr<const Dataset> PythonStream::batchOf(const nb::object& arrays) const {
    if (arrays.is_none()) return nullptr;
    const NamedRows rows = rowsFrom(nb::cast<nb::dict>(arrays));
    std::vector<Column> columns;
    std::vector<RowsPtr> chosen;
    for (const auto& [name, stored] : rows) {
        Column column;
        column.name = name;
        column.isTarget = std::ranges::find(targets_, name) != targets_.end();
        columns.push_back(std::move(column));
        chosen.push_back(stored->dtype() == DType::Float16 ? castRows(stored, DType::Float32)
                                                           : stored);
    }
    return std::make_shared<ArrayDataset>(std::move(columns), std::move(chosen));
}

}  // namespace temper::python
