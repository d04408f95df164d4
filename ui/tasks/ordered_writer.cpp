// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/ordered_writer.h"

namespace temper::ui {

int64_t OrderedWriter::next() {
    const std::lock_guard lock(mutex_);
    return ++next_;
}

void OrderedWriter::write(const QString& path, int64_t turn, const std::function<void()>& work) {
    const std::lock_guard lock(writing_);
    int64_t& written = written_[path];
    if (turn < written) return;
    work();
    written = turn;
}

}  // namespace temper::ui
