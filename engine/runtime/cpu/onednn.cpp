// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/onednn.h"

#include <omp.h>

namespace temper {

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

dnnl::memory::desc plainDesc(const Shape& shape) {
    const Shape dims = shape.empty() ? Shape{1} : shape;
    return {dims, dnnl::memory::data_type::f32, stridesOf(dims)};
}

dnnl::memory::desc anyDesc(const Shape& shape) {
    return {shape, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

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
