// SPDX-License-Identifier: Apache-2.0
#include "engine/core/interruption.h"

#include <utility>

namespace temper {
namespace {

thread_local InterruptionScope* innermost = nullptr;

}  // namespace

Interrupted::Interrupted() : Error(ErrorCode::State, "The operation was cancelled.") {}

InterruptionScope::InterruptionScope(std::function<bool()> isRequested)
    : isRequested_(std::move(isRequested)), outer_(std::exchange(innermost, this)) {}

InterruptionScope::~InterruptionScope() { innermost = outer_; }

void InterruptionScope::check() {
    for (const InterruptionScope* scope = innermost; scope != nullptr; scope = scope->outer_) {
        if (scope->isRequested_ && scope->isRequested_()) throw Interrupted();
    }
}

}  // namespace temper
