// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// Entries for some operators, found by domain and type without a copy of either. The domain
/// "ai.onnx" is "".
template <typename T>
class OperatorTable {
public:
    /// Returns: false if there is an entry for the operator already, which stays.
    bool add(std::string_view domain, std::string_view opType, T value) {
        return entries_.try_emplace(ownedKey(domain, opType), std::move(value)).second;
    }
    /// Replaces an existing entry.
    void set(std::string_view domain, std::string_view opType, T value) {
        entries_.insert_or_assign(ownedKey(domain, opType), std::move(value));
    }
    /// Null if there is nothing.
    const T* find(std::string_view domain, std::string_view opType) const {
        const auto found = entries_.find(Key{shortDomain(domain), opType});
        return found == entries_.end() ? nullptr : &found->second;
    }
    const T* find(const Node& node) const { return find(node.domain(), node.opType()); }
    bool contains(const Node& node) const { return find(node) != nullptr; }
    /// In no particular order.
    std::vector<const T*> all() const {
        std::vector<const T*> result;
        for (const auto& [key, value] : entries_) result.push_back(&value);
        return result;
    }

private:
    using Key = std::pair<std::string_view, std::string_view>;
    using OwnedKey = std::pair<std::string, std::string>;

    struct Hash {
        using is_transparent = void;
        size_t operator()(const auto& key) const {
            const std::hash<std::string_view> hash;
            return hash(key.second) * 31 + hash(key.first);
        }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(const auto& a, const auto& b) const {
            return a.second == b.second && a.first == b.first;
        }
    };

    static std::string_view shortDomain(std::string_view domain) {
        return domain == kLongOnnxDomain ? kOnnxDomain : domain;
    }
    static OwnedKey ownedKey(std::string_view domain, std::string_view opType) {
        return {std::string(shortDomain(domain)), std::string(opType)};
    }

    std::unordered_map<OwnedKey, T, Hash, Equal> entries_;
};

}  // namespace temper
