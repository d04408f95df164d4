// SPDX-License-Identifier: Apache-2.0
#include "app/cli/printable_stream.h"

#include "engine/core/printable.h"

namespace temper::cli {

PrintableBuffer::~PrintableBuffer() { target_ << printable(unfinished_) << std::flush; }

PrintableBuffer::int_type PrintableBuffer::overflow(int_type character) {
    if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(0);
    const char byte = traits_type::to_char_type(character);
    return xsputn(&byte, 1) == 1 ? character : traits_type::eof();
}

std::streamsize PrintableBuffer::xsputn(const char* text, std::streamsize size) {
    unfinished_.append(text, static_cast<size_t>(size));
    const size_t complete = unfinished_.size() - unfinishedBytes(unfinished_);
    target_ << printable(std::string_view(unfinished_).substr(0, complete));
    unfinished_.erase(0, complete);
    return target_.good() ? size : 0;
}

int PrintableBuffer::sync() { return target_.flush().good() ? 0 : -1; }

}  // namespace temper::cli
