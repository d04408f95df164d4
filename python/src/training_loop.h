// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/src/bindings.h"
#include "python/src/session.h"
#include "python/src/step_outputs.h"

namespace temper::python {

/// The base of temper.Session: what a loop calls in each step, without a function in Python. A step
/// takes less than a millisecond for small models and empties the processor's caches for large
/// ones, so that such a function would add about 3 us.
class TrainingLoop {
public:
    /// `outputsType` makes an empty mapping, which gets the outputs of a step by name.
    TrainingLoop(nb::object session, nb::object outputsType);

    nb::object trainStep(nb::args arrays, nb::kwargs named);
    void optimizerStep();
    void resetGradients();

    /// The Session of this module. Throws: Error(State) if the loop is closed.
    nb::object session() const;
    bool isClosed() const;
    /// Lets go of the session, which lives on until a step that another thread runs has ended.
    void close();

private:
    mutable nb::ft_mutex mutex_;  ///< for `session_` and `outputs_`
    nb::object session_;          ///< null if closed
    nb::list inputNames_;
    StepOutputs outputs_;
};

}  // namespace temper::python
