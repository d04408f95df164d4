// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/core/file.h"
#include "engine/runtime/profile.h"

namespace temper::cli {

/// A Chrome trace that a command writes when its work is done. A file that can't be written is
/// rejected before the work.
class TraceFile {
public:
    /// Throws: Error(Io) naming the file.
    explicit TraceFile(const std::string& path);

    /// Call it once. Throws: Error(Io); an existing file is then unchanged.
    void write(const Profile& profile);

private:
    AtomicFile file_;
};

}  // namespace temper::cli
