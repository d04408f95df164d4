// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/core/file.h"
#include "engine/runtime/profile.h"

namespace temper::cli {

/// A Chrome trace that a command writes when its work is done. A file that can't be written is
/// refused before that.
class TraceFile {
public:
    /// Throws: Error(Io) naming the file.
    explicit TraceFile(const std::string& path);

    /// Once. Throws: Error(Io); a file that was there is then as it was.
    void write(const Profile& profile);

private:
    AtomicFile file_;
};

}  // namespace temper::cli
