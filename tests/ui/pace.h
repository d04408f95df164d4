// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace temper::ui {

/// Under a sanitizer our code is some ten times slower, Qt's own code is not.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr double kSlowdown = 15;
#else
inline constexpr double kSlowdown = 1;
#endif

/// The reason for QSKIP if kSlowdown is above 1: growth of time with the data differs there.
inline constexpr const char* kNoTimes = "times are not compared under a sanitizer";

/// CPU time of this thread in milliseconds: other programs do not count.
double threadMs();

/// Measures by threadMs().
class CoreTimer {
public:
    double ms() const { return threadMs() - start_; }

private:
    double start_ = threadMs();
};

template <typename F>
double msOf(F&& work) {
    const CoreTimer timer;
    work();
    return timer.ms();
}

/// The current speed of this machine: the CPU time in milliseconds of a fixed piece of a window's
/// work (text, lines, lists of words), the median of several; about 1 if the figures of
/// docs/studio.md hold. Tests limit times by multiples of it, so that they compare two times of the
/// same run.
double paceMs();

/// A delay of the window that people notice: 100 ms at a pace of 1.
double noticeableMs();

/// Whether the window responds in time while `use` uses it; `use` receives where to write the
/// longest time in ms for which the window did not respond. On a shared machine other programs may
/// block a window: the best of at most three windows counts. Ends early if a check of `use` fails.
bool answersInTime(const std::function<void(double& longestBlockMs)>& use);

}  // namespace temper::ui
