// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/problem.h"

#include "engine/core/error.h"
#include "engine/core/printable.h"
#include "ui/messages/hint_text.h"
#include "ui/translation/tr.h"

namespace temper::ui {

Problem problemFrom(const std::exception_ptr& exception, const QString& title) {
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        return {title, text(error.what()), hintText(error.hint())};
    } catch (const std::bad_alloc&) {
        return {title, tr("Not enough memory."),
                tr("Close other programs or use a smaller batch.")};
    } catch (const std::exception& error) {
        return {title, text(error.what()), {}};
    } catch (...) {
        return {title, tr("Something unexpected went wrong."), {}};
    }
}

QString text(std::string_view utf8) {
    const std::string shown = printable(utf8);
    return QString::fromUtf8(shown.data(), static_cast<qsizetype>(shown.size()));
}

}  // namespace temper::ui
