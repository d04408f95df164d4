// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <type_traits>

#include "engine/ir/outline_builder.h"

namespace temper {
namespace {

constexpr size_t kLongestPeriod = 64;
constexpr size_t kMinRepeats = 3;

/// Source of the mixing step: SplitMix64 (Steele, Lea, Flood 2014).
class Fingerprint {
public:
    Fingerprint& add(uint64_t number) {
        state_ = (state_ ^ number) + 0x9E3779B97F4A7C15ULL;
        state_ = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9ULL;
        state_ = (state_ ^ (state_ >> 27)) * 0x94D049BB133111EBULL;
        state_ ^= state_ >> 31;
        return *this;
    }
    Fingerprint& addText(std::string_view text) { return add(std::hash<std::string_view>()(text)); }
    Fingerprint& addType(const Tensor& tensor) {
        add(static_cast<uint64_t>(tensor.dtype()));
        for (const int64_t dim : tensor.shape()) add(static_cast<uint64_t>(dim));
        return *this;
    }
    Fingerprint& addAttribute(const Attribute& attribute) {
        add(attribute.index());
        std::visit(
            [this]<typename T>(const T& value) {
                if constexpr (std::is_same_v<T, std::string>) {
                    addText(value);
                } else if constexpr (std::is_same_v<T, Tensor>) {
                    addType(value);
                } else if constexpr (std::is_same_v<T, std::shared_ptr<const Graph>>) {
                    add(value->nodeCount());
                } else if constexpr (std::is_same_v<T, ValueType>) {
                    addText(formatType(value));
                } else if constexpr (std::is_arithmetic_v<T>) {
                    add(static_cast<uint64_t>(std::hash<T>()(value)));
                } else {
                    for (const auto& element : value)
                        add(static_cast<uint64_t>(
                            std::hash<std::decay_t<decltype(element)>>()(element)));
                }
            },
            attribute);
        return *this;
    }
    uint64_t value() const { return state_; }

private:
    uint64_t state_ = 0;
};

size_t matchLength(const std::vector<uint64_t>& keys, size_t first, size_t period) {
    size_t length = 0;
    while (first + length + period < keys.size() &&
           keys[first + length] == keys[first + length + period])
        ++length;
    return length;
}

TandemRepeat longestRepeat(const std::vector<uint64_t>& keys, size_t first) {
    TandemRepeat best{first, 0, 0};
    const size_t longest = std::min(kLongestPeriod, (keys.size() - first) / kMinRepeats);
    for (size_t period = 1; period <= longest; ++period) {
        const size_t count = matchLength(keys, first, period) / period + 1;
        if (count >= kMinRepeats && count * period > best.count * best.period)
            best = {first, period, count};
    }
    return best;
}

}  // namespace

uint64_t nodeFingerprint(const Node& node) {
    Fingerprint print;
    print.addText(node.domain()).addText(node.opType()).add(node.outputs().size());
    for (const auto& [name, value] : node.attributes()) print.addText(name).addAttribute(value);
    for (const Value* input : node.inputs())
        if (input != nullptr && input->isInitializer()) print.addType(input->constant());
    return print.value();
}

uint64_t structureFingerprint(const std::vector<Node*>& nodes,
                              const OutlineBuilder::Indices& indices,
                              const std::vector<int>& members,
                              const std::vector<uint64_t>& prints) {
    const auto placeOf = [&members](int node) {
        const auto found = std::lower_bound(members.begin(), members.end(), node);
        return found != members.end() && *found == node ? found - members.begin() : -1;
    };
    Fingerprint print;
    for (size_t i = 0; i < members.size(); ++i) {
        print.add(prints[i]);
        for (const Value* input : nodes[static_cast<size_t>(members[i])]->inputs()) {
            const Node* producer = input == nullptr ? nullptr : input->producer();
            const auto place = producer == nullptr ? -1 : placeOf(indices[producer->index()]);
            print.add(place < 0 ? ~uint64_t{input == nullptr} : static_cast<uint64_t>(place));
            if (place >= 0) print.add(input->producerOutput());
        }
    }
    return print.value();
}

std::vector<TandemRepeat> tandemRepeats(const std::vector<uint64_t>& keys) {
    std::vector<TandemRepeat> repeats;
    for (size_t i = 0; i < keys.size();) {
        const TandemRepeat repeat = longestRepeat(keys, i);
        if (repeat.count > 0) repeats.push_back(repeat);
        i += std::max<size_t>(1, repeat.count * repeat.period);
    }
    return repeats;
}

}  // namespace temper
