// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "engine/core/tensor.h"
#include "engine/runtime/cpu/filled_once.h"

namespace temper {

/// A constant in layouts that kernels prefer. Thread: any.
class LayoutsOfConstant {
public:
    /// `constant` is kept.
    explicit LayoutsOfConstant(Tensor constant = {}) : constant_(std::move(constant)) {}

    /// The memory of the layout of this name: the same for all that ask.
    std::shared_ptr<const FilledOnce> find(const std::string& layout);

private:
    Tensor constant_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const FilledOnce>> layouts_;
};

/// The layouts of constants that the plans of a graph share, one plan for each set of input shapes:
/// each exists once, as long as a kernel needs it. Thread: any.
class ConstantLayouts {
public:
    std::shared_ptr<LayoutsOfConstant> of(const Tensor& constant);

private:
    std::mutex mutex_;
    /// By the address of the constant, which is nobody else's while it is kept.
    std::map<const void*, std::weak_ptr<LayoutsOfConstant>> known_;
};

}  // namespace temper
