// The surroundings of PDFium inside: memory, an end to what does not end, and a system that has no
// files, no clock and no environment.
#define _GNU_SOURCE
#include "module.h"

#include <sys/mman.h>

#include "translated_code.h"
#include "pdfium_exports.h"

enum { ERRNO_NOSYS = 52, ERRNO_BADF = 8, STACK_BYTES = 1 << 20 };

static const size_t instance_bytes =
    (size_t)PDFIUM_MEMORY_OFFSET + PDFIUM_MEMORY_SPAN + PDFIUM_MEMORY_SLACK;

void module_trap(Z_pdfium_instance_t* instance, pdfium_ending why) {
  longjmp(*instance->on_trap, (int)why);
}

pdfium_ending pdfium_run(Z_pdfium_instance_t* instance, void (*work)(Z_pdfium_instance_t*, void*),
                         void* argument) {
  jmp_buf here;
  instance->on_trap = &here;
  instance->on_longjmp = NULL;
  instance->depth = 0;
  const int ending = setjmp(here);
  if (ending == 0) work(instance, argument);
  return (pdfium_ending)ending;
}

static void initialize(Z_pdfium_instance_t* instance, void* unused) {
  (void)unused;
  pdfium___wasm_call_ctors(instance);
  // What the module was linked with is 64 KiB, too little for what documents nest.
  const u32 stack = pdfium_malloc(instance, STACK_BYTES);
  if (stack == 0) module_trap(instance, PDFIUM_FAULT);
  instance->stack_end = stack;
  instance->w2c_g2 = stack;                         // what emscripten_stack_get_end says
  instance->w2c_g3 = (stack + STACK_BYTES) & ~15U;  // ... and emscripten_stack_get_base
  instance->w2c_g0 = instance->w2c_g3;
  pdfium_FPDF_InitLibrary(instance);
}

Z_pdfium_instance_t* pdfium_instance_new(u64 memory_bytes_max) {
  if (memory_bytes_max > PDFIUM_MEMORY_SPAN) memory_bytes_max = PDFIUM_MEMORY_SPAN;
  void* place = mmap(NULL, instance_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return NULL;
  // Fewer faults, where the system has large pages to give.
  madvise(place, 32 << 20, MADV_HUGEPAGE);
  Z_pdfium_instance_t* instance = place;
  instance->budget = INT64_C(1) << 40;
  instance->pages_max = (u32)(memory_bytes_max / PDFIUM_PAGE_BYTES);
  module_initialize(instance);
  instance->stack_end = instance->w2c_g0 - PDFIUM_PAGE_BYTES;
  if (instance->pages > instance->pages_max || pdfium_run(instance, initialize, NULL) != PDFIUM_DONE) {
    pdfium_instance_delete(instance);
    return NULL;
  }
  return instance;
}

void pdfium_instance_delete(Z_pdfium_instance_t* instance) {
  if (instance != NULL) munmap(instance, instance_bytes);
}

u32 Z_envZ_emscripten_resize_heap(Z_pdfium_instance_t* instance, u32 size_bytes) {
  const u32 wanted = (u32)(((u64)size_bytes + PDFIUM_PAGE_BYTES - 1) / PDFIUM_PAGE_BYTES);
  if (wanted > instance->pages_max) {
    instance->memory_refused = 1;
    return 0;
  }
  if (wanted > instance->pages) instance->pages = wanted;
  return 1;
}

// setjmp and longjmp inside (in the decoders of images): what may be jumped out of is called through
// these.
#define INVOKE(call)                                                      \
  jmp_buf here;                                                           \
  jmp_buf* const outer = instance->on_longjmp;                            \
  const u32 stack = pdfium_emscripten_stack_get_current(instance);        \
  const u32 depth = instance->depth;                                      \
  instance->on_longjmp = &here;                                           \
  if (setjmp(here) == 0) {                                                \
    call;                                                                 \
    instance->on_longjmp = outer;                                         \
  } else {                                                                \
    instance->on_longjmp = outer;                                         \
    instance->depth = depth;                                              \
    pdfium__emscripten_stack_restore(instance, stack);                    \
    pdfium_setThrew(instance, 1, 0);                                      \
  }

static void (*callee(Z_pdfium_instance_t* instance, u32 index, u32 type))(void) {
  if (index >= MODULE_TABLE_SIZE || module_table[index].type != type) {
    module_trap(instance, PDFIUM_FAULT);
  }
  return module_table[index].function;
}

u32 Z_envZ_invoke_ii(Z_pdfium_instance_t* instance, u32 index, u32 a) {
  volatile u32 result = 0;
  INVOKE(result = ((u32(*)(void*, u32))callee(instance, index, TYPE_II))(instance, a));
  return result;
}

u32 Z_envZ_invoke_iii(Z_pdfium_instance_t* instance, u32 index, u32 a, u32 b) {
  volatile u32 result = 0;
  INVOKE(result = ((u32(*)(void*, u32, u32))callee(instance, index, TYPE_III))(instance, a, b));
  return result;
}

u32 Z_envZ_invoke_iiii(Z_pdfium_instance_t* instance, u32 index, u32 a, u32 b, u32 c) {
  volatile u32 result = 0;
  INVOKE(result = ((u32(*)(void*, u32, u32, u32))callee(instance, index, TYPE_IIII))(instance, a, b, c));
  return result;
}

u32 Z_envZ_invoke_iiiii(Z_pdfium_instance_t* instance, u32 index, u32 a, u32 b, u32 c, u32 d) {
  volatile u32 result = 0;
  INVOKE(result = ((u32(*)(void*, u32, u32, u32, u32))callee(instance, index, TYPE_IIIII))(instance, a, b, c, d));
  return result;
}

void Z_envZ_invoke_viii(Z_pdfium_instance_t* instance, u32 index, u32 a, u32 b, u32 c) {
  INVOKE(((void (*)(void*, u32, u32, u32))callee(instance, index, TYPE_VIII))(instance, a, b, c));
}

void Z_envZ__emscripten_throw_longjmp(Z_pdfium_instance_t* instance) {
  if (instance->on_longjmp == NULL) module_trap(instance, PDFIUM_FAULT);
  longjmp(*instance->on_longjmp, 1);
}

void Z_envZ__abort_js(Z_pdfium_instance_t* instance) { module_trap(instance, PDFIUM_FAULT); }

// It is always 1970, so that the same bytes give the same answers.
f64 Z_envZ_emscripten_date_now(Z_pdfium_instance_t* instance) { return 0; }
void Z_envZ__tzset_js(Z_pdfium_instance_t* instance, u32 a, u32 b, u32 c, u32 d) {}
static void no_time(Z_pdfium_instance_t* instance, u32 to) { memory_fill_in(instance, to, 0, 44); }
void Z_envZ__gmtime_js(Z_pdfium_instance_t* instance, u64 time, u32 to) { no_time(instance, to); }
void Z_envZ__localtime_js(Z_pdfium_instance_t* instance, u64 time, u32 to) { no_time(instance, to); }

// There are no files.
#define REFUSED(name, error, ...) \
  u32 name(Z_pdfium_instance_t* instance, __VA_ARGS__) { return (u32)(error); }
REFUSED(Z_envZ___syscall_fcntl64, -ERRNO_NOSYS, u32 a, u32 b, u32 c)
REFUSED(Z_envZ___syscall_fstat64, -ERRNO_NOSYS, u32 a, u32 b)
REFUSED(Z_envZ___syscall_ftruncate64, -ERRNO_NOSYS, u32 a, u64 b)
REFUSED(Z_envZ___syscall_getdents64, -ERRNO_NOSYS, u32 a, u32 b, u32 c)
REFUSED(Z_envZ___syscall_ioctl, -ERRNO_NOSYS, u32 a, u32 b, u32 c)
REFUSED(Z_envZ___syscall_lstat64, -ERRNO_NOSYS, u32 a, u32 b)
REFUSED(Z_envZ___syscall_newfstatat, -ERRNO_NOSYS, u32 a, u32 b, u32 c, u32 d)
REFUSED(Z_envZ___syscall_openat, -ERRNO_NOSYS, u32 a, u32 b, u32 c, u32 d)
REFUSED(Z_envZ___syscall_rmdir, -ERRNO_NOSYS, u32 a)
REFUSED(Z_envZ___syscall_stat64, -ERRNO_NOSYS, u32 a, u32 b)
REFUSED(Z_envZ___syscall_unlinkat, -ERRNO_NOSYS, u32 a, u32 b, u32 c)
REFUSED(Z_wasi_snapshot_preview1Z_fd_close, ERRNO_BADF, u32 a)
REFUSED(Z_wasi_snapshot_preview1Z_fd_read, ERRNO_BADF, u32 a, u32 b, u32 c, u32 d)
REFUSED(Z_wasi_snapshot_preview1Z_fd_seek, ERRNO_BADF, u32 a, u64 b, u32 c, u32 d)
REFUSED(Z_wasi_snapshot_preview1Z_fd_sync, ERRNO_BADF, u32 a)
REFUSED(Z_wasi_snapshot_preview1Z_fd_write, ERRNO_BADF, u32 a, u32 b, u32 c, u32 d)

u32 Z_wasi_snapshot_preview1Z_environ_get(Z_pdfium_instance_t* instance, u32 a, u32 b) { return 0; }
u32 Z_wasi_snapshot_preview1Z_environ_sizes_get(Z_pdfium_instance_t* instance, u32 count, u32 size) {
  i32_store_in(instance, count, 0, 0);
  i32_store_in(instance, size, 0, 0);
  return 0;
}
