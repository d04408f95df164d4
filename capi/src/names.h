// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capi/include/temper/temper.h"

namespace temper::capi {

/// Names as C sees them. They stay where they are, also if the list is moved.
class NameList {
public:
    NameList() = default;
    explicit NameList(std::vector<std::string> names) : names_(std::move(names)) {
        for (const std::string& name : names_) pointers_.push_back(name.c_str());
    }
    NameList(NameList&&) noexcept = default;
    NameList& operator=(NameList&&) noexcept = default;
    NameList(const NameList&) = delete;
    NameList& operator=(const NameList&) = delete;

    const std::vector<std::string>& names() const { return names_; }
    TemperNames view() const { return {pointers_.data(), static_cast<int64_t>(pointers_.size())}; }

private:
    std::vector<std::string> names_;
    std::vector<const char*> pointers_;
};

}  // namespace temper::capi
