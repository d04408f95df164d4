// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

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
const std::string& metadataText(const Metadata& metadata, const std::string& key);

}  // namespace temper
