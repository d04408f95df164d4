// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/shape.h"

namespace temper {

/// Leaves the choice of instructions to oneDNN.
#if DNNL_VERSION_MAJOR >= 3
constexpr dnnl::cpu_isa kAnyInstructions = dnnl::cpu_isa::isa_default;
#else
constexpr dnnl::cpu_isa kAnyInstructions = dnnl::cpu_isa::all;
#endif

/// While it lives, oneDNN uses the calling thread only: kernels split their work themselves, by
/// size, so that results do not depend on the number of threads.
class SerialOneDnn {
public:
    SerialOneDnn();
    ~SerialOneDnn();
    SerialOneDnn(const SerialOneDnn&) = delete;
    SerialOneDnn& operator=(const SerialOneDnn&) = delete;

private:
    int threadsBefore_;
};

/// Attributes of a primitive that receives its scratch memory (argument DNNL_ARG_SCRATCHPAD).
dnnl::primitive_attr userScratchpad();

using OneDnnType = dnnl::memory::data_type;

/// A dense row-major array. oneDNN has no rank 0: a scalar becomes [1].
dnnl::memory::desc plainDesc(const Shape& shape, OneDnnType type = OneDnnType::f32);

/// The sizes of an array.
dnnl::memory::dims dimsOf(const dnnl::memory::desc& desc);

/// A convolution for which oneDNN chooses the layouts: the sizes of its arrays, and one number for
/// each spatial axis. `dilations` are 0 if the taps are adjacent. The functions support oneDNN 2
/// and 3. Primitives take their scratch memory from the caller.
/// Throw: dnnl::error if oneDNN has no implementation.
struct OneDnnConvolution {
    Shape image, weights, features;
    OneDnnType factors = OneDnnType::f32;  ///< the type of what is multiplied; the rest is float32
    dnnl::memory::dims strides{}, dilations{}, padBegin{}, padEnd{};  ///< filled in axis by axis

    dnnl::convolution_forward::primitive_desc forward(const dnnl::engine& engine,
                                                      bool hasBias) const;
    dnnl::convolution_backward_data::primitive_desc backwardData(const dnnl::engine& engine) const;
    dnnl::convolution_backward_weights::primitive_desc backwardWeights(
        const dnnl::engine& engine) const;

private:
    dnnl::convolution_forward::primitive_desc forward(const dnnl::engine& engine, bool hasBias,
                                                      OneDnnType result) const;
    /// oneDNN wants one for the gradients, whose types do not matter.
    dnnl::convolution_forward::primitive_desc forwardHint(const dnnl::engine& engine) const {
        return forward(engine, false, factors);
    }
};

/// A primitive and its arguments, ready to run: only the addresses change from run to run.
/// Thread: one execute() at a time; primitives may be shared between calls, calls may not.
class OneDnnCall {
public:
    struct Argument {
        int index;  ///< DNNL_ARG_...
        dnnl::memory::desc desc;
    };

    OneDnnCall(const dnnl::engine& engine, dnnl::primitive primitive,
               const std::vector<Argument>& arguments);
    OneDnnCall(OneDnnCall&&) = default;
    OneDnnCall& operator=(OneDnnCall&&) = default;

    /// `addresses` in the order of the arguments. Allocates nothing.
    void execute(std::initializer_list<const void*> addresses) const;

    /// Required bytes of the argument DNNL_ARG_SCRATCHPAD; 0 if there is none.
    size_t scratchpadBytes() const;

private:
    dnnl::primitive primitive_;
    dnnl::stream stream_;
    std::vector<dnnl::memory> memories_;
    std::vector<dnnl_exec_arg_t> arguments_;
};

/// A copy between two layouts of the same dimensions.
OneDnnCall makeReorder(const dnnl::engine& engine, const dnnl::memory::desc& from,
                       const dnnl::memory::desc& to);

/// Runs `f`; turns an error of oneDNN into an Error(Unsupported) that says what was prepared.
template <typename F>
decltype(auto) translatingOneDnnErrors(const std::string& what, F&& f) {
    try {
        return std::forward<F>(f)();
    } catch (const dnnl::error& error) {
        throw Error(ErrorCode::Unsupported,
                    "oneDNN can't prepare " + what + ": " + error.what() + ".");
    }
}

}  // namespace temper
