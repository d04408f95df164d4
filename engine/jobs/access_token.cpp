// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/access_token.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/file.h"

namespace temper {
namespace {

constexpr size_t kBytes = 32;
constexpr std::string_view kDigits = "0123456789abcdef";

std::string newToken() {
    std::array<unsigned char, kBytes> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        throw Error(ErrorCode::Io,
                    "The system has no random numbers: " + std::string(std::strerror(errno)) + ".");
    }
    std::string token;
    for (const unsigned char byte : bytes) {
        token += kDigits[byte >> 4];
        token += kDigits[byte & 15];
    }
    return token;
}

[[noreturn]] void failToWrite(const std::filesystem::path& path) {
    throw Error(ErrorCode::Io,
                "The token '" + path.string() + "' can't be written: " + std::strerror(errno) + ".",
                errno == ENOSPC ? "Free some space." : "");
}

/// Whole or not at all, and never readable by others.
void write(const std::filesystem::path& path, const std::string& token) {
    const std::string temporary = path.string() + ".new";
    ::unlink(temporary.c_str());
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) failToWrite(path);
    const std::string line = token + '\n';
    const bool isWritten =
        ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        ::fsync(file) == 0;
    const int error = errno;
    ::close(file);
    errno = error;
    if (!isWritten || ::rename(temporary.c_str(), path.c_str()) != 0) failToWrite(path);
}

std::string tokenIn(const std::filesystem::path& path, const char* hint) {
    std::string token = readFile(path, 2 * kBytes + 2);
    if (token.ends_with('\n')) token.pop_back();
    const auto isDigit = [](char c) { return kDigits.find(c) != std::string_view::npos; };
    if (token.size() == 2 * kBytes && std::ranges::all_of(token, isDigit)) return token;
    throw Error(ErrorCode::InvalidInput,
                "'" + path.string() + "' is not a token: " + std::to_string(2 * kBytes) +
                    " hexadecimal digits are expected.",
                hint);
}

}  // namespace

std::string ownToken(const std::filesystem::path& path) {
    if (std::filesystem::exists(path))
        return tokenIn(path, "Remove the file; the server makes a new one when it starts.");
    const std::string token = newToken();
    write(path, token);
    return token;
}

std::string readToken(const std::filesystem::path& path) {
    return tokenIn(path, "Specify the file 'token' in the folder of the server, or a copy of it.");
}

bool isSameToken(std::string_view given, std::string_view token) {
    unsigned difference = given.size() == token.size() ? 0 : 1;
    for (size_t i = 0; i < token.size(); ++i) {
        const char other = i < given.size() ? given[i] : '\0';
        difference |= static_cast<unsigned char>(token[i] ^ other);
    }
    return difference == 0;
}

}  // namespace temper
