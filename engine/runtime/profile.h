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

/// The total cost of kernel calls.
struct KernelCost {
    int64_t count = 0;   ///< kernel calls
    double seconds = 0;  ///< wall time
    int64_t flops = 0;   ///< floating-point operations, if kernels state them
    int64_t bytes = 0;   ///< read and written, see trafficOf()

    KernelCost& operator+=(const KernelCost& other);
};

/// Time, work and memory traffic of kernel calls, by step of the plans that ran: over any number of
/// runs, and call by call if requested. Thread: one at a time.
class Profile {
public:
    using Clock = std::chrono::steady_clock;

    /// A step of a plan. Plans for other shapes of the same graph have the same steps.
    struct Step {
        std::string phase;  ///< "forward", "backward" or "optimizer"
        std::string op;     ///< qualified operator
        std::string node;   ///< Node::describe()
        KernelCost cost;

        /// Only the node's name, if it has one.
        std::string nodeName() const;
    };
    /// One kernel call.
    struct Event {
        size_t step = 0;  ///< index in steps()
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

    /// Starts or stops keeping each call as an Event.
    void keepTimeline(bool keep) { keepsTimeline_ = keep; }
    void addSpan(Span span) { spans_.push_back(std::move(span)); }

    /// The number of the step; equal steps get the same number.
    size_t addStep(const std::string& phase, const std::string& op, const std::string& node);
    void addCall(Event call);
    /// The call under way has waited for others so long, which is not part of its time.
    void addWait(Clock::duration wait) { waited_ += wait; }

    /// In the order in which they were added.
    const std::vector<Step>& steps() const { return steps_; }
    const std::vector<Event>& timeline() const { return timeline_; }
    const std::vector<Span>& spans() const { return spans_; }

    double secondsOf(const std::string& phase) const;

private:
    std::vector<Step> steps_;
    std::map<std::tuple<std::string, std::string, std::string>, size_t> numbers_;
    Clock::duration waited_{};
    bool keepsTimeline_ = false;
    std::vector<Event> timeline_;
    std::vector<Span> spans_;
};

}  // namespace temper
