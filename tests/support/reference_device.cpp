// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/core/error.h"

namespace temper::test {

/// Runs work in order on a thread. After an exception, nothing runs until somebody waits.
class WorkQueue {
public:
    WorkQueue() : thread_([this] { loop(); }) {}

    ~WorkQueue() {
        {
            const std::scoped_lock lock(mutex_);
            isEnding_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    void add(std::function<void()> work) {
        {
            const std::scoped_lock lock(mutex_);
            work_.push_back(std::move(work));
        }
        changed_.notify_all();
    }

    void wait() {
        std::unique_lock lock(mutex_);
        untilIdle(lock);
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    /// Like wait(), but an exception is kept for wait().
    void finish() {
        std::unique_lock lock(mutex_);
        untilIdle(lock);
    }

private:
    void untilIdle(std::unique_lock<std::mutex>& lock) {
        changed_.wait(lock, [this] { return work_.empty() && !isBusy_; });
    }

    void loop() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return isEnding_ || !work_.empty(); });
            if (work_.empty()) return;
            const std::function<void()> work = std::move(work_.front());
            work_.pop_front();
            if (error_) {
                changed_.notify_all();
                continue;
            }
            isBusy_ = true;
            lock.unlock();
            std::exception_ptr error;
            try {
                work();
            } catch (...) {
                error = std::current_exception();
            }
            lock.lock();
            isBusy_ = false;
            if (error && !error_) error_ = error;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> work_;
    std::exception_ptr error_;
    bool isBusy_ = false;
    bool isEnding_ = false;
    std::thread thread_;
};

namespace {

/// A file in memory, mapped twice: the addresses of tensors can be neither read nor written;
/// kernels find the same bytes at a fixed distance.
class ReferenceMemory : public DeviceMemory, public std::enable_shared_from_this<ReferenceMemory> {
public:
    explicit ReferenceMemory(std::shared_ptr<WorkQueue> queue) : queue_(std::move(queue)) {
        const int file = ::memfd_create("reference-device", MFD_CLOEXEC);
        if (file < 0 || ::ftruncate(file, kBytes) != 0)
            throw Error(ErrorCode::Io, "There is no memory for the reference device.");
        addresses_ = map(file, PROT_NONE);
        bytes_ = map(file, PROT_READ | PROT_WRITE);
        ::close(file);
        free_[0] = kBytes;
    }

    ~ReferenceMemory() override {
        ::munmap(addresses_, kBytes);
        ::munmap(bytes_, kBytes);
    }

    std::shared_ptr<std::byte> allocate(size_t bytes) override {
        const size_t size = (std::max<size_t>(bytes, 1) + 63) / 64 * 64;
        const size_t offset = take(size);
        std::memset(bytes_ + offset, 0, size);
        return {addresses_ + offset, [self = shared_from_this(), offset, size](std::byte*) {
                    self->queue_->finish();  // which may still read it
                    self->give(offset, size);
                }};
    }

    void copyFromHost(std::byte* to, const void* from, size_t bytes) override {
        const auto* begin = static_cast<const std::byte*>(from);
        queue_->add([data = std::vector(begin, begin + bytes), there = forKernels(to)] {
            std::memcpy(there, data.data(), data.size());
        });
    }

    void copyToHost(void* to, const std::byte* from, size_t bytes) override {
        queue_->add([=, there = forKernels(from)] { std::memcpy(to, there, bytes); });
        queue_->wait();
    }

    void copy(std::byte* to, const std::byte* from, size_t bytes) override {
        queue_->add([bytes, there = forKernels(to), here = forKernels(from)] {
            std::memmove(there, here, bytes);
        });
    }

    std::byte* forKernels(const std::byte* address) const {
        TEMPER_ASSERT(address >= addresses_ && address < addresses_ + kBytes,
                      "the address is in the device's memory");
        return bytes_ + (address - addresses_);
    }

private:
    static constexpr size_t kBytes = size_t{8} << 30;  ///< sparse: only written pages exist

    static std::byte* map(int file, int protection) {
        void* const at = ::mmap(nullptr, kBytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
        if (at == MAP_FAILED)
            throw Error(ErrorCode::Io, "There are no addresses for the reference device.");
        return static_cast<std::byte*>(at);
    }

    size_t take(size_t size) {
        const std::scoped_lock lock(mutex_);
        const auto found =
            std::ranges::find_if(free_, [size](const auto& range) { return range.second >= size; });
        if (found == free_.end())
            throw Error(ErrorCode::Io, "Out of memory: " + std::to_string(size) +
                                           " bytes on the reference device.");
        const auto [offset, room] = *found;
        free_.erase(found);
        if (room > size) free_[offset + size] = room - size;
        return offset;
    }

    void give(size_t offset, size_t size) {
        const std::scoped_lock lock(mutex_);
        auto next = free_.lower_bound(offset);
        if (next != free_.end() && offset + size == next->first) {
            size += next->second;
            next = free_.erase(next);
        }
        if (next != free_.begin()) {
            const auto previous = std::prev(next);
            if (previous->first + previous->second == offset) {
                previous->second += size;
                return;
            }
        }
        free_[offset] = size;
    }

    std::shared_ptr<WorkQueue> queue_;
    std::byte* addresses_;
    std::byte* bytes_;
    std::mutex mutex_;
    std::map<size_t, size_t> free_;  ///< size by offset
};

}  // namespace

ReferenceDevice::ReferenceDevice(const KernelRegistry& kernels, int threads)
    : cpu_(kernels, threads),
      queue_(std::make_shared<WorkQueue>()),
      memory_(std::make_shared<ReferenceMemory>(queue_)) {}

ReferenceDevice::~ReferenceDevice() { queue_->finish(); }

void ReferenceDevice::submit(std::function<void()> work) { queue_->add(std::move(work)); }

void ReferenceDevice::synchronize() { queue_->wait(); }

void* ReferenceDevice::kernelAddress(std::byte* address) const {
    return static_cast<const ReferenceMemory&>(*memory_).forKernels(address);
}

/// As a host tensor, for work on the device's thread.
Tensor ReferenceDevice::forKernels(const Tensor& tensor) const {
    return Tensor::wrap(tensor.dtype(), tensor.shape(), nullptr, kernelAddress(tensor.address()));
}

double ReferenceDevice::sumOfSquares(const Tensor& tensor) {
    double sum = 0;
    queue_->add([this, &sum, there = forKernels(tensor)] { sum = cpu_.sumOfSquares(there); });
    queue_->wait();
    return sum;
}

void ReferenceDevice::scale(Tensor& tensor, float factor) {
    queue_->add(
        [this, factor, there = forKernels(tensor)]() mutable { cpu_.scale(there, factor); });
}

void ReferenceDevice::clamp(Tensor& tensor, float limit) {
    queue_->add([this, limit, there = forKernels(tensor)]() mutable { cpu_.clamp(there, limit); });
}

void ReferenceDevice::average(Tensor& mean, const Tensor& values, float decay) {
    queue_->add([this, decay, to = forKernels(mean), from = forKernels(values)]() mutable {
        cpu_.average(to, from, decay);
    });
}

void addReferenceDevice() {
    const auto isReference = [](const DeviceEntry& entry) { return entry.name == "reference"; };
    if (std::ranges::any_of(devices(), isReference)) return;
    addDevice({"reference", [](const KernelRegistry& kernels, int threads) {
                   return std::make_shared<ReferenceDevice>(kernels, threads);
               }});
}

}  // namespace temper::test
