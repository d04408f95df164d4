// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/exchange.h"

#include <utility>

namespace temper {

std::shared_ptr<Exchange> Exchange::done() {
    auto exchange = std::make_shared<Exchange>();
    exchange->finish();
    return exchange;
}

void Exchange::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return isDone_; });
    if (error_) throw Error(*error_);
}

bool Exchange::isDone() const {
    const std::lock_guard lock(mutex_);
    return isDone_;
}

void Exchange::finish(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    if (isDone_) return;
    isDone_ = true;
    error_ = std::move(error);
    changed_.notify_all();
}

}  // namespace temper
