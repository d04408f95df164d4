// SPDX-License-Identifier: Apache-2.0
#include "engine/core/lost_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "engine/core/error.h"

namespace temper {
namespace {

struct Slot {
    std::atomic<uintptr_t> begin{0};  ///< 0: free
    std::atomic<uintptr_t> end{0};
    std::atomic<bool> isLost{false};
    /// Not for the handler. Optional: 4,096 texts would be 229 kB of the program.
    std::optional<std::string> file;
};

constexpr size_t kSlots = 4096;

// The handler reads static data only: it may run at any moment, until the program's end.
std::array<Slot, kSlots> slots;
std::atomic<size_t> slotsUsed{0};
std::atomic<int> lostSlots{0};
struct sigaction handlerBefore = {};
std::mutex mutex;

/// Replaces the page by zeros. Calls only what a signal handler may.
bool replacePage(uintptr_t address) {
    const size_t used = slotsUsed.load();
    for (size_t i = 0; i < used; ++i) {
        Slot& slot = slots[i];
        const uintptr_t begin = slot.begin.load();
        if (begin == 0 || address < begin || address >= slot.end.load()) continue;
        const auto size = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
        void* page = reinterpret_cast<void*>(address / size * size);
        if (::mmap(page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                   0) == MAP_FAILED) {
            return false;
        }
        if (!slot.isLost.exchange(true)) ++lostSlots;
        return true;
    }
    return false;
}

void onBusError(int, siginfo_t* info, void*) {
    const int errorBefore = errno;
    const bool isMended = replacePage(reinterpret_cast<uintptr_t>(info->si_addr));
    errno = errorBefore;
    // The instruction runs again, and the previous handler takes faults that are not ours.
    if (!isMended) ::sigaction(SIGBUS, &handlerBefore, nullptr);
}

void installHandler() {
    static const bool isInstalled = [] {
        struct sigaction action = {};
        action.sa_sigaction = onBusError;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        ::sigemptyset(&action.sa_mask);
        return ::sigaction(SIGBUS, &action, &handlerBefore) == 0;
    }();
    static_cast<void>(isInstalled);
}

int freeSlot() {
    for (size_t i = 0; i < kSlots; ++i) {
        if (slots[i].begin.load() != 0) continue;
        if (i >= slotsUsed.load()) slotsUsed = i + 1;
        return static_cast<int>(i);
    }
    return -1;
}

}  // namespace

PageGuard::PageGuard(const void* begin, size_t size, const std::filesystem::path& file) {
    const std::scoped_lock lock(mutex);
    installHandler();
    slot_ = freeSlot();
    if (slot_ < 0) return;
    Slot& slot = slots[static_cast<size_t>(slot_)];
    slot.file = file.string();
    slot.end = reinterpret_cast<uintptr_t>(begin) + size;
    slot.begin = reinterpret_cast<uintptr_t>(begin);
}

PageGuard::~PageGuard() {
    if (slot_ < 0) return;
    const std::scoped_lock lock(mutex);
    Slot& slot = slots[static_cast<size_t>(slot_)];
    slot.begin = 0;
    slot.end = 0;
    if (slot.isLost.exchange(false)) --lostSlots;
}

void requireNoLostPages() {
    if (lostSlots.load(std::memory_order_relaxed) == 0) return;
    const std::scoped_lock lock(mutex);
    for (const Slot& slot : slots) {
        if (!slot.isLost) continue;
        throw Error(ErrorCode::Io,
                    "File '" + slot.file.value_or("") +
                        "' was cut off or replaced by another program while it was in use.",
                    "Open it again.");
    }
}

}  // namespace temper
