// What translated code consists of. Included behind wasm2c's own prelude, some of whose macros are
// replaced.
#pragma once

#define MEMORY(instance) ((u8*)(instance) + PDFIUM_MEMORY_OFFSET)
#define RARELY(condition) __builtin_expect(!!(condition), 0)

__attribute__((noreturn, cold)) void module_trap(Z_pdfium_instance_t* instance, pdfium_ending why);

#undef TRAP
#define TRAP(reason) (module_trap(instance, PDFIUM_FAULT), 0)

#define SPEND \
  if (RARELY(--instance->budget < 0)) module_trap(instance, PDFIUM_TIME_IS_OVER)

#undef FUNC_PROLOGUE
#undef FUNC_EPILOGUE
#define FUNC_PROLOGUE \
  SPEND;              \
  if (RARELY(++instance->depth > PDFIUM_DEPTH_MAX)) module_trap(instance, PDFIUM_CALLS_TOO_DEEP)
#define FUNC_EPILOGUE --instance->depth

#define SET_STACK_POINTER(value)                                                             \
  do {                                                                                       \
    if (RARELY((value) < instance->stack_end)) module_trap(instance, PDFIUM_CALLS_TOO_DEEP); \
    instance->w2c_g0 = (value);                                                              \
  } while (0)

// Addresses below the span that are no memory (yet) read as zero: only getting out is prevented.
#define CHECK_ADDRESS(base) \
  if (RARELY((base) >= PDFIUM_MEMORY_SPAN)) module_trap(instance, PDFIUM_FAULT)

#define LOADS(name, stored, extended, result)                                           \
  static inline result name##_in(Z_pdfium_instance_t* instance, u32 base, u32 offset) { \
    CHECK_ADDRESS(base);                                                                \
    stored value;                                                                       \
    __builtin_memcpy(&value, MEMORY(instance) + base + offset, sizeof(value));          \
    return (result)(extended)value;                                                     \
  }
#define STORES(name, stored, given)                                                                \
  static inline void name##_in(Z_pdfium_instance_t* instance, u32 base, u32 offset, given value) { \
    CHECK_ADDRESS(base);                                                                           \
    const stored narrow = (stored)value;                                                           \
    __builtin_memcpy(MEMORY(instance) + base + offset, &narrow, sizeof(narrow));                   \
  }

LOADS(i32_load, u32, u32, u32)
LOADS(i64_load, u64, u64, u64)
LOADS(f32_load, f32, f32, f32)
LOADS(f64_load, f64, f64, f64)
LOADS(i32_load8_s, s8, s32, u32)
LOADS(i64_load8_s, s8, s64, u64)
LOADS(i32_load8_u, u8, u32, u32)
LOADS(i64_load8_u, u8, u64, u64)
LOADS(i32_load16_s, s16, s32, u32)
LOADS(i64_load16_s, s16, s64, u64)
LOADS(i32_load16_u, u16, u32, u32)
LOADS(i64_load16_u, u16, u64, u64)
LOADS(i64_load32_s, s32, s64, u64)
LOADS(i64_load32_u, u32, u64, u64)
STORES(i32_store, u32, u32)
STORES(i64_store, u64, u64)
STORES(f32_store, f32, f32)
STORES(f64_store, f64, f64)
STORES(i32_store8, u8, u32)
STORES(i32_store16, u16, u32)
STORES(i64_store8, u8, u64)
STORES(i64_store16, u16, u64)
STORES(i64_store32, u32, u64)

// Bulk operations cost what they move.
#define CHECK_RANGE(base, size)                                                               \
  if (RARELY((u64)(base) + (size) > PDFIUM_MEMORY_SPAN)) module_trap(instance, PDFIUM_FAULT); \
  if (RARELY((instance->budget -= (size) >> 6) < 0)) module_trap(instance, PDFIUM_TIME_IS_OVER)

static inline void memory_fill_in(Z_pdfium_instance_t* instance, u32 to, u32 value, u32 size) {
  CHECK_RANGE(to, size);
  __builtin_memset(MEMORY(instance) + to, (int)value, size);
}

static inline void memory_copy_in(Z_pdfium_instance_t* instance, u32 to, u32 from, u32 size) {
  CHECK_RANGE(to, size);
  CHECK_RANGE(from, size);
  __builtin_memmove(MEMORY(instance) + to, MEMORY(instance) + from, size);
}

// In front of the module's own allocator (dlmalloc, whose heads hold a block's size and two flags,
// 0 for blocks of another kind): small blocks are kept, and given again, without being merged and
// split.
#define SPARE_BYTES_MAX (16U << 20)
#define SPARE_ALLOCATOR                                                    \
  u32 w2c_malloc(Z_pdfium_instance_t* instance, u32 size) {                \
    const u32 kind = size <= 900 ? (size + 4 + 15) >> 4 : 0;               \
    const u32 place = instance->spare[kind];                               \
    if (place == 0) return slow_malloc(instance, size);                    \
    instance->spare[kind] = i32_load_in(instance, place, 0);               \
    instance->spare_bytes -= kind << 4;                                    \
    return place;                                                          \
  }                                                                        \
  void w2c_free(Z_pdfium_instance_t* instance, u32 place) {                \
    const u32 head = place == 0 ? 0 : i32_load_in(instance, place - 4, 0); \
    const u32 kind = head >> 4;                                            \
    if (kind == 0 || kind >= PDFIUM_SPARE_KINDS || (head & 3) == 0 ||      \
        instance->spare_bytes > SPARE_BYTES_MAX) {                         \
      slow_free(instance, place);                                          \
      return;                                                              \
    }                                                                      \
    i32_store_in(instance, place, 0, instance->spare[kind]);               \
    instance->spare[kind] = place;                                         \
    instance->spare_bytes += kind << 4;                                    \
  }

typedef struct {
  u32 type;
  void (*function)(void);
} module_function;

#define NO_TYPE UINT32_MAX
extern const module_function module_table[] __attribute__((visibility("hidden")));

#undef CALL_INDIRECT
#define CALL_INDIRECT(signature, kind, index, ...)                                           \
  (__builtin_expect((index) < MODULE_TABLE_SIZE && module_table[index].type == (kind), 1) || \
       TRAP(CALL_INDIRECT),                                                                  \
   ((signature)module_table[index].function)(__VA_ARGS__))

void module_initialize(Z_pdfium_instance_t* instance);

// What the module imports: emscripten's and WASI's names, none of which reaches outside.
#define INSTANCE Z_pdfium_instance_t* instance
u32 Z_envZ___syscall_fcntl64(INSTANCE, u32, u32, u32);
u32 Z_envZ___syscall_fstat64(INSTANCE, u32, u32);
u32 Z_envZ___syscall_ftruncate64(INSTANCE, u32, u64);
u32 Z_envZ___syscall_getdents64(INSTANCE, u32, u32, u32);
u32 Z_envZ___syscall_ioctl(INSTANCE, u32, u32, u32);
u32 Z_envZ___syscall_lstat64(INSTANCE, u32, u32);
u32 Z_envZ___syscall_newfstatat(INSTANCE, u32, u32, u32, u32);
u32 Z_envZ___syscall_openat(INSTANCE, u32, u32, u32, u32);
u32 Z_envZ___syscall_rmdir(INSTANCE, u32);
u32 Z_envZ___syscall_stat64(INSTANCE, u32, u32);
u32 Z_envZ___syscall_unlinkat(INSTANCE, u32, u32, u32);
void Z_envZ__abort_js(INSTANCE);
void Z_envZ__emscripten_throw_longjmp(INSTANCE);
void Z_envZ__gmtime_js(INSTANCE, u64, u32);
void Z_envZ__localtime_js(INSTANCE, u64, u32);
void Z_envZ__tzset_js(INSTANCE, u32, u32, u32, u32);
f64 Z_envZ_emscripten_date_now(INSTANCE);
u32 Z_envZ_emscripten_resize_heap(INSTANCE, u32);
u32 Z_envZ_invoke_ii(INSTANCE, u32, u32);
u32 Z_envZ_invoke_iii(INSTANCE, u32, u32, u32);
u32 Z_envZ_invoke_iiii(INSTANCE, u32, u32, u32, u32);
u32 Z_envZ_invoke_iiiii(INSTANCE, u32, u32, u32, u32, u32);
void Z_envZ_invoke_viii(INSTANCE, u32, u32, u32, u32);
u32 Z_wasi_snapshot_preview1Z_environ_get(INSTANCE, u32, u32);
u32 Z_wasi_snapshot_preview1Z_environ_sizes_get(INSTANCE, u32, u32);
u32 Z_wasi_snapshot_preview1Z_fd_close(INSTANCE, u32);
u32 Z_wasi_snapshot_preview1Z_fd_read(INSTANCE, u32, u32, u32, u32);
u32 Z_wasi_snapshot_preview1Z_fd_seek(INSTANCE, u32, u64, u32, u32);
u32 Z_wasi_snapshot_preview1Z_fd_sync(INSTANCE, u32);
u32 Z_wasi_snapshot_preview1Z_fd_write(INSTANCE, u32, u32, u32, u32);
#undef INSTANCE
