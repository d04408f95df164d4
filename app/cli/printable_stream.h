// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace temper::cli {

/// Passes on output as printable() shows it: nothing that a command prints of a file can control a
/// terminal.
class PrintableBuffer : public std::streambuf {
public:
    explicit PrintableBuffer(std::ostream& target) : target_(target) {}
    ~PrintableBuffer() override;
    PrintableBuffer(const PrintableBuffer&) = delete;
    PrintableBuffer& operator=(const PrintableBuffer&) = delete;

protected:
    int_type overflow(int_type character) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    std::ostream& target_;
    std::string unfinished_;  ///< the first bytes of an incomplete character
};

class PrintableStream : public std::ostream {
public:
    explicit PrintableStream(std::ostream& target) : std::ostream(nullptr), buffer_(target) {
        rdbuf(&buffer_);
    }

private:
    PrintableBuffer buffer_;
};

}  // namespace temper::cli
