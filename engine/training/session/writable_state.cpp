// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/writable_state.h"

namespace temper {

Parameter& WritableState::ownParameter(const std::string& name) {
    if (state_.isNominal()) static_cast<void>(state_.parameterData(name));  // which throws
    Parameter& parameter = state_.parameter(name);
    if (parameter.staysAsItIs() && own_.insert(name).second)
        parameter.data = parameter.data.duplicate();
    return parameter;
}

void WritableState::setParameter(const std::string& name, const Tensor& data) {
    const Parameter& current = state_.parameter(name);
    const bool fits = !state_.isNominal() && data.dtype() == current.data.dtype() &&
                      data.shape() == current.data.shape();
    if (fits && data.address() != current.data.address()) {
        ownParameter(name).data.assign(data);
    } else {
        state_.setParameter(name, data);
    }
}

}  // namespace temper
