// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/constant_layouts.h"

namespace temper {

std::shared_ptr<const FilledOnce> LayoutsOfConstant::find(const std::string& layout) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const FilledOnce>& memory = layouts_[layout];
    if (memory == nullptr) memory = std::make_shared<const FilledOnce>();
    return memory;
}

std::shared_ptr<LayoutsOfConstant> ConstantLayouts::of(const Tensor& constant) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<LayoutsOfConstant>& known = known_[constant.data()];
    std::shared_ptr<LayoutsOfConstant> layouts = known.lock();
    if (layouts == nullptr) known = layouts = std::make_shared<LayoutsOfConstant>(constant);
    return layouts;
}

}  // namespace temper
