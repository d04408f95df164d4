// SPDX-License-Identifier: Apache-2.0
#include "app/cli/version.h"

#include <fstream>
#include <thread>

namespace temper::cli {
namespace {

std::string programVersion() {
    return std::string(TEMPER_VERSION) + " (" + TEMPER_BUILD_TYPE + ")";
}

/// The processor's name as the kernel reports it, or "cpu".
std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "cpu";
}

std::string coreCount() { return std::to_string(std::thread::hardware_concurrency()); }

}  // namespace

std::string versionText() {
    return "temper " + programVersion() + "\noneDNN " + TEMPER_ONEDNN_VERSION + ", ONNX " +
           TEMPER_ONNX_VERSION + ", Qt " + TEMPER_QT_VERSION +
           " (temper-studio only)\ndevice cpu: " + processorName() + ", " + coreCount() +
           " threads";
}

LabelledValues environmentOfRun(int threads) {
    return {{"Temper", programVersion()},
            {"oneDNN", TEMPER_ONEDNN_VERSION},
            {"device", "cpu: " + processorName()},
            {"threads", threads > 0 ? std::to_string(threads) : coreCount()}};
}

}  // namespace temper::cli
