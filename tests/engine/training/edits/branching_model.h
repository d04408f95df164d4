// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cmath>
#include <string>

namespace temper::test {

/// "{0.1, -0.2, ...}" with `count` numbers, which depend on `place`.
inline std::string numbers(int count, int place) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) {
        const double value = 0.4 * std::sin(1.7 * i + place);
        text += (i > 0 ? ", " : "") + std::to_string(value);
    }
    return text + "}";
}

/// One branch of speechDetector(): a spectrum, a recurrent layer and a score; the names of the
/// weights start with `name`.
inline std::string detectorBranch(const std::string& name, int kernel, int place) {
    const std::string k = std::to_string(kernel);
    const auto quoted = [&name](const char* weight) { return "\"" + name + weight + "\""; };
    std::string text = name + " () => (float[N, 1] %s, float[2, N, 4] %t) <" + "float[8, 1, " + k +
                       "] %basis = " + numbers(8 * kernel, place) + ", " +
                       "float[1, 16, 8] %w = " + numbers(128, place + 1) + ", " +
                       "float[1, 16, 4] %r = " + numbers(64, place + 2) + ", " +
                       "float[1, 32] %b = " + numbers(32, place + 3) + ", " +
                       "float[4, 1] %score = " + numbers(4, place + 4) + ", float %two = {2}> {" +
                       "%one = Constant<value = int64[1] {1}>() %x = Unsqueeze(input, %one) " +
                       "%c = Conv<strides = [8]>(%x, %basis) %q = Pow(%c, %two) " +
                       "%eps = Constant<value = float {0.001}>() %p = Add(%q, %eps) " +
                       "%m = Sqrt(%p) %f = Transpose<perm = [2, 0, 1]>(%m) " +
                       "%h0, %c0 = Split<axis = 0>(state) " +
                       "%y, %h, %d = LSTM<hidden_size = 4>(%f, %w, %r, %b, , %h0, %c0) " +
                       "%t = Concat<axis = 0>(%h, %d) %zero = Constant<value = int64[1] {0}>() " +
                       "%l = Squeeze(%h, %zero) %a = MatMul(%l, %score) %s = Sigmoid(%a) }";
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        size_t end = i + 1;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
        result += quoted(("." + text.substr(i + 1, end - i - 1)).c_str());
        i = end - 1;
    }
    return result;
}

/// A speech detector like Silero VAD: an If over the sampling rate, with all weights in its
/// branches. ONNX text.
inline std::string speechDetector() {
    return R"(<ir_version: 8, opset_import: ["" : 16]>
        detector (float[N, 64] input, float[2, N, 4] state, int64 sr)
            => (float[N, 1] output, float[2, N, 4] stateN) {
            rate = Constant<value = int64 {16000}>()
            is_wide = Equal(sr, rate)
            ["If_0"] output, stateN = If (is_wide) <
                then_branch = )" +
           detectorBranch("wide", 16, 0) + ", else_branch = " + detectorBranch("narrow", 8, 5) +
           "> }";
}

}  // namespace temper::test
