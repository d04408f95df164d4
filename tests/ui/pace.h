// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace temper::ui {

/// Under a sanitizer our code is some ten times slower, what Qt does is not.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr double kSlowdown = 15;
#else
inline constexpr double kSlowdown = 1;
#endif

/// Reason for QSKIP if kSlowdown is above 1: how the time grows with the data is another matter
/// there.
inline constexpr const char* kNoTimes = "times are not compared under a sanitizer";

/// Milliseconds of processor time that this thread has had: what other programs take does not
/// count.
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

/// How fast this machine is now: milliseconds of processor time that a fixed piece of a window's
/// work takes (text, lines, lists of words), the median of several; about 1 where the figures of
/// docs/studio.md hold. Tests limit times by multiples of it, so that they are ratios of two times
/// of the same run.
double paceMs();

/// A block of the window that people notice: 100 ms at a pace of 1.
double noticeableMs();

/// Whether the window answers in time while `use` uses it; it is told where to write the longest
/// time in ms for which the window did not answer. On a shared machine a window may be blocked for
/// reasons of others: the best of at most three windows counts. Ends early where a check of `use`
/// fails.
bool answersInTime(const std::function<void(double& longestBlockMs)>& use);

}  // namespace temper::ui
