// Zeroed memory straight from the system: pages that are never written to take no memory.
#pragma once

#include <sys/mman.h>
#include "standard.hpp"

namespace starspiel {

class ZeroedMemory {
 public:
  explicit ZeroedMemory(std::size_t bytes)
      : bytes_(bytes), data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    // Huge pages are slow to zero and fast to access; the first pages, all that a short search needs, stay small.
    if (bytes > kSmall) madvise(static_cast<char*>(data_) + kSmall, bytes - kSmall, MADV_HUGEPAGE);
#endif
  }
  ~ZeroedMemory() { munmap(data_, bytes_); }
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  void* data() const { return data_; }

 private:
  static constexpr std::size_t kSmall = 1 << 21;

  std::size_t bytes_;
  void* data_;
};

}  // namespace starspiel
