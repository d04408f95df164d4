// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "engine/jobs/job_client.h"

namespace temper::ui {

/// The server for the jobs of this user on this machine; nothing if none has run here.
/// Throws: Error if its folder can't be read.
std::optional<ServerAddress> ownServer();

/// Starts `temper serve --background`, the program beside this one, and waits until it answers.
/// Thread: any. Throws: Error(NotFound) if there is no such program; Error(Io) with what it said.
ServerAddress startOwnServer();

}  // namespace temper::ui
