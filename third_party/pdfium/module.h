// One instance of PDFium, compiled from WebAssembly: memory of its own and no way out of it. What
// runs in it can spend the time and the memory that it is given, and nothing else. Instances share
// nothing and may be used by several threads, each by one at a time.
#pragma once

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;

#include "translated.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why the code inside did not come to its end. A trapped instance is only good for
// pdfium_instance_delete.
typedef enum {
  PDFIUM_DONE = 0,
  PDFIUM_FAULT = 1,         // it did what WebAssembly forbids, or gave up
  PDFIUM_TIME_IS_OVER = 2,  // `budget` is spent
  PDFIUM_CALLS_TOO_DEEP = 3,
} pdfium_ending;

enum {
  PDFIUM_PAGE_BYTES = 65536,
  PDFIUM_MEMORY_OFFSET = 4096,
  // Memory of an instance, reserved but not used before it is needed.
  PDFIUM_MEMORY_SPAN = 1 << 30,
  // Offsets in instructions and the widest access reach so far behind it.
  PDFIUM_MEMORY_SLACK = (2 << 20) + 4096,
  PDFIUM_SPARE_KINDS = 64,
  PDFIUM_DEPTH_MAX = 3000,  // calls; a few megabytes of the caller's stack
};

typedef struct Z_pdfium_instance_t {
  s64 budget;  // iterations of loops and calls that are left
  u32 depth, pages, pages_max, stack_end;
  int memory_refused;  // an allocation was beyond pages_max
  // Blocks that were freed, by size in 16 bytes, for the next ones who ask: see
  // module_operations.h.
  u32 spare[PDFIUM_SPARE_KINDS], spare_bytes;
  MODULE_GLOBALS
  jmp_buf* on_trap;
  jmp_buf* on_longjmp;
} Z_pdfium_instance_t;

// An instance ready for FPDF_ calls, or NULL when there is no memory. `memory_bytes_max` is at most
// PDFIUM_MEMORY_SPAN.
Z_pdfium_instance_t* pdfium_instance_new(u64 memory_bytes_max);
void pdfium_instance_delete(Z_pdfium_instance_t* instance);

// Runs `work`, which may call what pdfium_exports.h has. When the code inside cannot go on, `work`
// is left by longjmp: it must not own anything that has a destructor.
pdfium_ending pdfium_run(Z_pdfium_instance_t* instance, void (*work)(Z_pdfium_instance_t*, void*),
                         void* argument);

// The instance's address `address` in ours, or NULL where the instance has no such `size` bytes.
static inline u8* pdfium_memory(Z_pdfium_instance_t* instance, u32 address, u64 size) {
  if (address + size > (u64)instance->pages * PDFIUM_PAGE_BYTES) return NULL;
  return (u8*)instance + PDFIUM_MEMORY_OFFSET + address;
}

#ifdef __cplusplus
}
#endif
