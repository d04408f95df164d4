// SPDX-License-Identifier: Apache-2.0
#include "app/cli/version.h"

#include <thread>

#include "engine/runtime/device.h"

namespace temper::cli {
namespace {

std::string programVersion() {
    return std::string(TEMPER_VERSION) + " (" + TEMPER_BUILD_TYPE + ")";
}

std::string coreCount() { return std::to_string(std::thread::hardware_concurrency()); }

/// A line for each device.
std::string deviceLines() {
    std::string lines;
    for (const std::string& name : deviceNames()) {
        lines += "\ndevice " + describeDevice(name);
        if (name == "cpu") lines += ", " + coreCount() + " threads";
    }
    return lines;
}

}  // namespace

std::string buildText() {
    return "temper " + programVersion() + "\noneDNN " + TEMPER_ONEDNN_VERSION + ", ONNX " +
           TEMPER_ONNX_VERSION + ", Qt " + TEMPER_QT_VERSION + " (temper-studio only)";
}

std::string versionText() { return buildText() + deviceLines(); }

LabelledValues environmentOfRun(const SessionOptions& session) {
    return {{"Temper", programVersion()},
            {"oneDNN", TEMPER_ONEDNN_VERSION},
            {"device", describeDevice(session.device)},
            {"threads", session.threads > 0 ? std::to_string(session.threads) : coreCount()}};
}

}  // namespace temper::cli
