// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "engine/runs/run_record.h"

namespace temper {

/// The curves of a run as an event file of TensorBoard: a scalar per step for "train/loss",
/// "train/learning_rate" and "train/grad_norm", and per evaluation for "eval/<metric>".
/// `startedAt`: when the run began, in seconds since 1970.
///
/// Source: TFRecord framing (length, masked CRC-32C of it, bytes, masked CRC-32C of them) and the
/// fields of tensorflow/core/util/event.proto and framework/summary.proto.
std::string tensorBoardEvents(const RunRecord& record, double startedAt);

/// Writes tensorBoardEvents() to "events.out.tfevents.<time>.temper" in `folder`, which is created
/// if it is missing. Returns: the file. Throws: Error(Io) naming the path.
std::filesystem::path writeTensorBoard(const RunRecord& record, double startedAt,
                                       const std::filesystem::path& folder);

}  // namespace temper
