// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

namespace temper::test {

/// How far a model got: by command, the message that it ended with, or nothing.
using Journey = std::map<std::string, std::string>;

/// A user's steps with a model, in memory: "inspect"; "artifacts" for a loss over its first
/// floating-point output; "step", a training step and an optimizer step of the artifacts as read
/// from files; "export" of that output, which is read again. Commands after a refusal are absent.
/// Throws: std::logic_error for an Error(Internal), naming the command; any exception other than
/// Error.
Journey journeyOf(std::span<const std::byte> model);

}  // namespace temper::test
