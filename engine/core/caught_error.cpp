// SPDX-License-Identifier: Apache-2.0
#include "engine/core/caught_error.h"

#include <exception>
#include <new>
#include <string>

namespace temper {

Error caughtError() {
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return {ErrorCode::Io, "Not enough memory.",
                "Use a smaller batch, or a machine with more memory."};
    } catch (const std::exception& error) {
        return {ErrorCode::Internal, std::string("Internal error: ") + error.what(),
                "This is a bug in Temper; please report it with the command."};
    }
}

}  // namespace temper
