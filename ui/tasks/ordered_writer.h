// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace temper::ui {

/// Files written by several tasks end with the content of the last request, whichever thread runs
/// first.
/// Thread: any.
class OrderedWriter {
public:
    /// The next turn.
    int64_t next();
    /// Runs `work`, which writes `path`, unless a later turn has done so. Waits for a write in
    /// progress.
    void write(const QString& path, int64_t turn, const std::function<void()>& work);

private:
    std::mutex mutex_;
    int64_t next_ = 0;
    std::map<QString, int64_t> written_;
    std::mutex writing_;
};

}  // namespace temper::ui
