// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace temper::test {

/// Compares the message for a bad file, "<message> | <hint>", with its row in docs/bad_files.md:
/// that of the current data row, in the section `format`. The message must be printable. `folder`
/// is removed from paths, long lists of names are cut. If TEMPER_WRITE_BAD_FILES is set, the row is
/// written instead (tools/make_bad_files.sh).
void compareWithBadFiles(const QString& format, QString error, const QString& folder = {});

}  // namespace temper::test
