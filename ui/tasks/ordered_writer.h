// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace temper::ui {

/// Files that several tasks write end up as the last of those who asked would have them, whichever
/// thread comes first.
/// Thread: any.
class OrderedWriter {
public:
    /// A place in the line.
    int64_t next();
    /// Runs `work`, which writes `path`, unless a later turn has done so. Waits for what is being
    /// written.
    void write(const QString& path, int64_t turn, const std::function<void()>& work);

private:
    std::mutex mutex_;
    int64_t next_ = 0;
    std::map<QString, int64_t> written_;
    std::mutex writing_;
};

}  // namespace temper::ui
