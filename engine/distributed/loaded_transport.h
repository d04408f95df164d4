// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "engine/distributed/transport.h"

namespace temper {

/// Throws: Error(NotFound) if there is no such file.
void requireTransport(const std::filesystem::path& library);

/// Opens the transport of a shared library; see transport_api.h. Returns when all ranks have. Call
/// it in the thread that will use it.
/// Throws: Error(NotFound) if there is no such file, Error(InvalidInput) if it is no transport,
/// Error(Io) if the ranks can't be joined.
std::unique_ptr<Transport> openTransport(const std::filesystem::path& library);

}  // namespace temper
