// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace temper {

/// What kernel calls cost together.
struct KernelCost {
    int64_t count = 0;   ///< kernel calls
    double seconds = 0;  ///< wall time
    int64_t flops = 0;   ///< floating point operations, where kernels state them
    int64_t bytes = 0;   ///< read and written, see trafficOf()

    KernelCost& operator+=(const KernelCost& other);
};

/// Time, work and memory traffic of kernel calls, by step of the plans that ran: over any number of
/// runs, and where it is asked for call by call. Thread: one at a time.
class Profile {
public:
    using Clock = std::chrono::steady_clock;

    /// A step of a plan. The plans of other shapes of the same graph have the same ones.
    struct Step {
        std::string phase;  ///< "forward", "backward" or "optimizer"
        std::string op;     ///< qualified operator
        std::string node;   ///< Node::describe()
        KernelCost cost;

        /// The node's name alone, where it has one.
        std::string nodeName() const;
    };
    /// One kernel call.
    struct Event {
        size_t step = 0;  ///< which of steps()
        Clock::time_point begin;
        Clock::time_point end;
        int64_t flops = 0;
        int64_t bytes = 0;
    };
    /// Something that kernel calls are part of, such as a training step.
    struct Span {
        std::string name;
        Clock::time_point begin;
        Clock::time_point end;
    };

    /// Keeps each call as an Event from now on, or no more.
    void keepTimeline(bool keep) { keepsTimeline_ = keep; }
    void addSpan(Span span) { spans_.push_back(std::move(span)); }

    /// The number of the step; the same one gets the same number again.
    size_t addStep(const std::string& phase, const std::string& op, const std::string& node);
    void addCall(const Event& call);

    /// In the order in which they were added.
    const std::vector<Step>& steps() const { return steps_; }
    const std::vector<Event>& timeline() const { return timeline_; }
    const std::vector<Span>& spans() const { return spans_; }

    double secondsOf(const std::string& phase) const;

private:
    std::vector<Step> steps_;
    std::map<std::tuple<std::string, std::string, std::string>, size_t> numbers_;
    bool keepsTimeline_ = false;
    std::vector<Event> timeline_;
    std::vector<Span> spans_;
};

}  // namespace temper
