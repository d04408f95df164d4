// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

namespace temper::test {

/// How far a model came: by command, the message that it ended with, or nothing.
using Journey = std::map<std::string, std::string>;

/// What a user does with a model, in memory: "inspect"; "artifacts" for a loss over its first
/// output of floating-point numbers; one training step and optimizer step of them as they would be
/// read from files, "step"; "export" of that output, read again. What comes after a refusal is not
/// there.
/// Throws: std::logic_error for an Error(Internal), naming the command; what is no Error at all.
Journey journeyOf(std::span<const std::byte> model);

}  // namespace temper::test
