// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/capture_texts.h"

#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

/// The text of the system is in its own language; it helps those who search for it.
QString withDetails(const QString& sentence, const QString& details) {
    return details.isEmpty() ? sentence : sentence + QStringLiteral(" (%1)").arg(details);
}

}  // namespace

QString cameraText(const CaptureFailure& failure) {
    switch (failure.fault) {
        case CaptureFault::NotOpened:
            return tr(
                "The camera can't be opened. Another program may be using it: close that one and "
                "try again.");
        case CaptureFault::Unplugged:
            return tr("The camera was unplugged. Plug it in and try again.");
        case CaptureFault::Other: break;
    }
    return withDetails(tr("The camera does not work. Try another one."), failure.details);
}

QString microphoneText(const CaptureFailure& failure) {
    switch (failure.fault) {
        case CaptureFault::NotOpened:
            return tr(
                "The microphone can't be opened. Another program may be using it: close that one "
                "and try again.");
        case CaptureFault::Unplugged:
            return tr(
                "The microphone was unplugged and the recording discarded. Plug it in and try "
                "again.");
        case CaptureFault::Other: break;
    }
    return withDetails(tr("The microphone does not work. Try another one."), failure.details);
}

}  // namespace temper::ui
