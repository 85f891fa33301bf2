// An object that each thread has for itself, such as a buffer between calls. A thread_local with a
// destructor ends the program where glibc has no memory to register it; this throws.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>
#include <utility>

namespace saccade::parallel {

// The objects live until their threads end; the owner lives as long as the program.
template <class T>
class PerThread {
 public:
  // Throws std::bad_alloc where the process has no key left for another object.
  PerThread() {
    if (pthread_key_create(&key_, [](void* object) { delete static_cast<T*>(object); }) != 0) {
      throw std::bad_alloc();
    }
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  // The object of the calling thread, made of `arguments` at its first call. Throws std::bad_alloc,
  // and what the constructor of T throws; the next call then tries again.
  template <class... Arguments>
  T& get(Arguments&&... arguments) {
    if (void* object = pthread_getspecific(key_)) return *static_cast<T*>(object);
    auto made = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    if (pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  pthread_key_t key_{};
};

}  // namespace saccade::parallel
