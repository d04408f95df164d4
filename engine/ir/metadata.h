// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace temper {

/// Keys and texts that ONNX files have on graphs, nodes and values (`metadata_props`).
using Metadata = std::map<std::string, std::string>;

/// Metadata that a graph and its copies share: exporters write a page of text to each node.
class SharedMetadata {
public:
    const Metadata& get() const;
    void set(Metadata metadata);

private:
    std::shared_ptr<const Metadata> metadata_;  ///< null: none
};

/// The text of a key; empty if it is not there.
const std::string& metadataText(const Metadata& metadata, const char* key);

/// The text in Python's quotes that begins at `at`, which then points after it.
std::string readQuoted(std::string_view text, size_t& at);

/// The texts of a list that Python printed: `['', 'body', 'it\'s']`.
std::vector<std::string> quotedTexts(std::string_view list);

}  // namespace temper
