// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "engine/ir/required_tensors.h"
#include "engine/ir/selected_outputs.h"
#include "engine/runtime/cpu/compute_pool.h"
#include "engine/runtime/graph_runner.h"
#include "python/src/arrays.h"
#include "python/src/home_process.h"
#include "python/src/interpreter.h"
#include "python/src/model.h"
#include "python/src/signal_watch.h"

namespace temper::python {
namespace {

/// Inference with a model. Calls from several threads take turns.
class Runner {
public:
    /// `outputs`: any values of the model; none for its outputs. Throws: Error(Unsupported) for
    /// sequences and optionals.
    Runner(const Model& model, const std::vector<std::string>& outputs, int threads)
        : ops_(sharedOps()),
          pool_(makeComputePool(threads)),
          runner_(withOutputs(model.graph, outputs), ops_->catalog, ops_->cpuKernels,
                  std::make_shared<Arena>(), *pool_) {
        requireTensorInputs(runner_.graph());
        requireTensorOutputs(runner_.graph());
        for (const Value* output : runner_.graph().outputs()) outputs_.push_back(output->name());
    }

    const std::vector<std::string>& inputs() const { return runner_.fedInputs(); }
    const std::vector<std::string>& outputs() const { return outputs_; }

    nb::list run(const std::vector<nb::object>& arrays, uint64_t seed) {
        const std::vector<Tensor> inputs = tensorsFrom(arrays, runner_.fedInputs());
        std::vector<Tensor> results;
        home_.require("inference session");
        {
            const LockReleased released;
            const std::lock_guard lock(mutex_);
            SignalWatch::during([&] {
                for (const Tensor& result : runner_.run(inputs, seed))
                    results.push_back(result.clone());
            });
        }
        return viewsOf(results);
    }

private:
    std::shared_ptr<const OpSet> ops_;
    std::unique_ptr<ThreadPool> pool_;
    GraphRunner runner_;
    std::vector<std::string> outputs_;
    std::mutex mutex_;
    HomeProcess home_;
};

}  // namespace

void bindRunner(nb::module_& module) {
    nb::class_<Runner>(module, "Runner", "Inference with a model.")
        .def(nb::init<const Model&, const std::vector<std::string>&, int>(), nb::arg("model"),
             nb::arg("outputs"), nb::arg("threads"), nb::call_guard<LockReleased>())
        .def("inputs", &Runner::inputs)
        .def("outputs", &Runner::outputs)
        .def("run", &Runner::run, nb::arg("arrays"), nb::arg("seed"),
             nb::sig("def run(self, arrays: " TEMPER_INPUTS ", seed: int) -> " TEMPER_ARRAYS));
}

}  // namespace temper::python
