// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/onednn.h"

#include <omp.h>

namespace temper {
namespace {

constexpr auto kTraining = dnnl::prop_kind::forward_training;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;
constexpr auto kSums = OneDnnType::f32;

/// An array in the format that the primitive prefers.
dnnl::memory::desc anyDesc(const Shape& shape, OneDnnType type) {
    return {shape, type, dnnl::memory::format_tag::any};
}

dnnl::memory::desc biasDesc(const Shape& features) { return plainDesc({features[1]}, kSums); }

}  // namespace

SerialOneDnn::SerialOneDnn() : threadsBefore_(omp_get_max_threads()) {
    if (threadsBefore_ != 1) omp_set_num_threads(1);
}

SerialOneDnn::~SerialOneDnn() {
    if (threadsBefore_ != 1) omp_set_num_threads(threadsBefore_);
}

dnnl::primitive_attr userScratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

dnnl::memory::desc plainDesc(const Shape& shape, OneDnnType type) {
    const Shape dims = shape.empty() ? Shape{1} : shape;
    return {dims, type, stridesOf(dims)};
}

dnnl::convolution_forward::primitive_desc OneDnnConvolution::forward(const dnnl::engine& engine,
                                                                     bool hasBias) const {
    return forward(engine, hasBias, kSums);
}

#if DNNL_VERSION_MAJOR >= 3

dnnl::memory::dims dimsOf(const dnnl::memory::desc& desc) { return desc.get_dims(); }

dnnl::convolution_forward::primitive_desc OneDnnConvolution::forward(const dnnl::engine& engine,
                                                                     bool hasBias,
                                                                     OneDnnType result) const {
    const auto x = anyDesc(image, factors), w = anyDesc(weights, factors),
               y = anyDesc(features, result);
    if (hasBias) {
        return {engine, kTraining, kDirect,   x,        w,      biasDesc(features),
                y,      strides,   dilations, padBegin, padEnd, userScratchpad()};
    }
    return {engine,   kTraining, kDirect,         x, w, y, strides, dilations,
            padBegin, padEnd,    userScratchpad()};
}

dnnl::convolution_backward_data::primitive_desc OneDnnConvolution::backwardData(
    const dnnl::engine& engine) const {
    return {engine,
            kDirect,
            anyDesc(image, kSums),
            anyDesc(weights, factors),
            anyDesc(features, factors),
            strides,
            dilations,
            padBegin,
            padEnd,
            forwardHint(engine),
            userScratchpad()};
}

dnnl::convolution_backward_weights::primitive_desc OneDnnConvolution::backwardWeights(
    const dnnl::engine& engine) const {
    return {engine,
            kDirect,
            anyDesc(image, factors),
            anyDesc(weights, kSums),
            anyDesc(features, factors),
            strides,
            dilations,
            padBegin,
            padEnd,
            forwardHint(engine),
            userScratchpad()};
}

#else

dnnl::memory::dims dimsOf(const dnnl::memory::desc& desc) { return desc.dims(); }

dnnl::convolution_forward::primitive_desc OneDnnConvolution::forward(const dnnl::engine& engine,
                                                                     bool hasBias,
                                                                     OneDnnType result) const {
    using Desc = dnnl::convolution_forward::desc;
    const auto x = anyDesc(image, factors), w = anyDesc(weights, factors),
               y = anyDesc(features, result);
    const Desc desc = hasBias
                          ? Desc(kTraining, kDirect, x, w, biasDesc(features), y, strides,
                                 dilations, padBegin, padEnd)
                          : Desc(kTraining, kDirect, x, w, y, strides, dilations, padBegin, padEnd);
    return {desc, userScratchpad(), engine};
}

dnnl::convolution_backward_data::primitive_desc OneDnnConvolution::backwardData(
    const dnnl::engine& engine) const {
    const dnnl::convolution_backward_data::desc desc(
        kDirect, anyDesc(image, kSums), anyDesc(weights, factors), anyDesc(features, factors),
        strides, dilations, padBegin, padEnd);
    return {desc, userScratchpad(), engine, forwardHint(engine)};
}

dnnl::convolution_backward_weights::primitive_desc OneDnnConvolution::backwardWeights(
    const dnnl::engine& engine) const {
    const dnnl::convolution_backward_weights::desc desc(
        kDirect, anyDesc(image, factors), anyDesc(weights, kSums), anyDesc(features, factors),
        strides, dilations, padBegin, padEnd);
    return {desc, userScratchpad(), engine, forwardHint(engine)};
}

#endif

OneDnnCall::OneDnnCall(const dnnl::engine& engine, dnnl::primitive primitive,
                       const std::vector<Argument>& arguments)
    : primitive_(std::move(primitive)), stream_(engine) {
    for (const Argument& argument : arguments) {
        memories_.push_back({argument.desc, engine, DNNL_MEMORY_NONE});
        arguments_.push_back({argument.index, memories_.back().get()});
    }
}

void OneDnnCall::execute(std::initializer_list<const void*> addresses) const {
    TEMPER_ASSERT(addresses.size() == arguments_.size(), "one address per argument");
    const SerialOneDnn serial;
    auto argument = arguments_.begin();
    for (const void* address : addresses)
        dnnl_memory_set_data_handle((argument++)->memory, const_cast<void*>(address));
    const dnnl_status_t status = dnnl_primitive_execute(
        primitive_.get(), stream_.get(), static_cast<int>(arguments_.size()), arguments_.data());
    TEMPER_ASSERT(status == dnnl_success, "a prepared primitive runs");
}

size_t OneDnnCall::scratchpadBytes() const {
    for (size_t i = 0; i < arguments_.size(); ++i) {
        if (arguments_[i].arg == DNNL_ARG_SCRATCHPAD) return memories_[i].get_desc().get_size();
    }
    return 0;
}

OneDnnCall makeReorder(const dnnl::engine& engine, const dnnl::memory::desc& from,
                       const dnnl::memory::desc& to) {
    const SerialOneDnn serial;
    const dnnl::reorder::primitive_desc descriptor(engine, from, engine, to, userScratchpad());
    return {engine,
            dnnl::reorder(descriptor),
            {{DNNL_ARG_FROM, from},
             {DNNL_ARG_TO, to},
             {DNNL_ARG_SCRATCHPAD, descriptor.scratchpad_desc()}}};
}

}  // namespace temper
