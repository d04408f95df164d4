// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/chrome_trace.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/joined.h"

namespace temper {
namespace {

using TimePoint = Profile::Clock::time_point;

/// A JSON string. Source: RFC 8259, section 7.
std::string jsonString(std::string_view text) {
    std::string json = "\"";
    for (const char character : text) {
        const auto code = static_cast<unsigned char>(character);
        if (code < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", code);
            json += escape.data();
            continue;
        }
        if (character == '"' || character == '\\') json += '\\';
        json += character;
    }
    return json + '"';
}

/// To the nanosecond, so that consecutive events do not overlap.
std::string microseconds(Profile::Clock::duration duration) {
    const auto nanoseconds = std::chrono::nanoseconds(duration).count();
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%lld.%03lld",
                  static_cast<long long>(nanoseconds / 1000),
                  static_cast<long long>(nanoseconds % 1000));
    return text.data();
}

std::string concatenated(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
}

class TraceWriter {
public:
    explicit TraceWriter(const Profile& profile) : profile_(profile) {
        for (const Profile::Span& span : profile.spans()) marks_.push_back({&span, nullptr});
        for (const Profile::Event& call : profile.timeline()) marks_.push_back({nullptr, &call});
        // events come after those that contain them
        std::ranges::stable_sort(marks_, {}, &Mark::begin);
        if (!marks_.empty()) origin_ = marks_.front().begin();
    }

    std::string write() {
        add(R"({"name":"process_name","ph":"M","pid":1,"tid":1,"args":{"name":"temper"}})");
        add(R"({"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{"name":"training"}})");
        for (const Mark& mark : marks_) {
            if (mark.span != nullptr) {
                addSpan(*mark.span);
            } else {
                addCall(*mark.call);
            }
        }
        return concatenated({"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n",
                             joinedBy(",\n", events_), "\n]}\n"});
    }

private:
    /// A span or a call; the other one is null.
    struct Mark {
        const Profile::Span* span;
        const Profile::Event* call;

        TimePoint begin() const { return span != nullptr ? span->begin : call->begin; }
    };

    void add(std::string event) { events_.push_back(std::move(event)); }

    void addSpan(const Profile::Span& span) {
        add(completeEvent({span.name, "step", span.begin, span.end, {}}));
    }

    void addCall(const Profile::Event& call) {
        const Profile::Step& step = profile_.steps()[call.step];
        const std::string arguments = concatenated(
            {"\"op\":", jsonString(step.op), ",\"node\":", jsonString(step.node),
             ",\"flops\":", std::to_string(call.flops), ",\"bytes\":", std::to_string(call.bytes)});
        add(completeEvent({step.nodeName(), step.phase, call.begin, call.end, arguments}));
    }

    /// The content of a complete event ("ph": "X").
    struct Complete {
        std::string name;
        std::string category;
        TimePoint begin;
        TimePoint end;
        std::string arguments;
    };

    std::string completeEvent(const Complete& event) const {
        return concatenated(
            {"{\"name\":", jsonString(event.name), ",\"cat\":", jsonString(event.category),
             ",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":", microseconds(event.begin - origin_),
             ",\"dur\":", microseconds(event.end - event.begin), ",\"args\":{", event.arguments,
             "}}"});
    }

    const Profile& profile_;
    std::vector<Mark> marks_;
    TimePoint origin_;
    std::vector<std::string> events_;
};

}  // namespace

std::string chromeTrace(const Profile& profile) { return TraceWriter(profile).write(); }

}  // namespace temper
