// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/array_dataset.h"
#include "engine/training/trainer/batch_stream.h"
#include "python/src/bindings.h"
#include "python/src/shared_state.h"

namespace temper::python {

/// The arrays of a dictionary, which are shared as tensorFrom() does. Shapes: [samples, ...] each.
/// Throws: ArgumentTypeError naming what is not an array of numbers.
NamedRows rowsFrom(const nb::dict& arrays);

/// The batches of a Python object with `batches` (a number, or None), `samples`, `begin(epoch)` and
/// `next()`, which returns a dictionary of arrays, or None after the last batch.
/// Thread: one at a time, with or without the interpreter's lock.
class PythonStream final : public BatchStream {
public:
    /// `targets`: the columns to predict. `trained`: what the run trains, which outlives the
    /// stream; `awaited`: see BatchStream. `failed` receives an error of Python that begin() or
    /// next() throws as an Error.
    PythonStream(nb::object source, std::vector<std::string> targets, const SharedState& trained,
                 std::function<void()> awaited, std::function<void(std::exception_ptr)> failed);

    /// The first batch of the first pass, which the pass still has. Null if it has none.
    /// Throws: what the object raises.
    std::shared_ptr<const Dataset> peek();

    std::optional<int64_t> batchesPerEpoch() const override { return batches_; }
    int64_t samplesPerEpoch() const override { return samples_; }
    void begin(int64_t epoch) override;
    std::shared_ptr<const Dataset> next() override;
    void awaited() override { awaited_(); }

private:
    std::shared_ptr<const Dataset> batchOf(const nb::object& arrays) const;
    template <typename F>
    auto guarded(F&& action);

    std::shared_ptr<nb::object> source_;
    std::vector<std::string> targets_;
    const SharedState& trained_;
    std::function<void()> awaited_;
    std::function<void(std::exception_ptr)> failed_;
    std::optional<int64_t> batches_;
    int64_t samples_ = 0;
};

}  // namespace temper::python
