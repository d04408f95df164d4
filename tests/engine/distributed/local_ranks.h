// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/distributed/group.h"
#include "engine/distributed/local_transport.h"

namespace temper::test {

using Transports = std::vector<std::unique_ptr<Transport>>;

/// Calls `work` once for each transport, as its rank, in threads; returns what each threw, or an
/// empty text. A rank without a transport never answers.
inline std::vector<std::string> runRanks(Transports transports, const Patience& patience,
                                         const std::function<void(Group&)>& work) {
    std::vector<std::string> errors(transports.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < errors.size(); ++i) {
        if (!transports[i]) continue;
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

/// The same for ranks that have all the time they need.
inline std::vector<std::string> runRanks(int ranks, const std::function<void(Group&)>& work) {
    const Patience patience{std::chrono::seconds(60), std::chrono::seconds(60)};
    return runRanks(makeLocalTransports(ranks), patience, work);
}

/// What runRanks() returns if no rank threw.
inline std::vector<std::string> noErrors(int ranks) {
    return std::vector<std::string>(static_cast<size_t>(ranks));
}

}  // namespace temper::test
