// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/distributed/group.h"
#include "engine/distributed/local_transport.h"

namespace temper::test {

/// Calls `work` once for each rank, in threads; returns what each threw, or an empty text.
inline std::vector<std::string> runRanks(int ranks, const std::function<void(Group&)>& work) {
    const Patience patience{std::chrono::seconds(60), std::chrono::milliseconds(50)};
    std::vector<std::unique_ptr<Transport>> transports = makeLocalTransports(ranks);
    std::vector<std::string> errors(static_cast<size_t>(ranks));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < errors.size(); ++i) {
        threads.emplace_back([&, i] {
            try {
                Group group([&] { return std::move(transports[i]); }, patience);
                try {
                    work(group);
                } catch (const Error& error) {
                    group.fail(error);
                    throw;
                }
            } catch (const std::exception& error) {
                errors[i] = error.what();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return errors;
}

/// What runRanks() returns if no rank threw.
inline std::vector<std::string> noErrors(int ranks) {
    return std::vector<std::string>(static_cast<size_t>(ranks));
}

}  // namespace temper::test
