/* Octet runtime, C API. No allocation, no OS calls, no globals: the caller gives a blob and one
 * arena.
 *
 *   octet_arena_bytes -> memory -> octet_bind -> { octet_set_input_* -> octet_run ->
 * octet_get_output }*
 *
 * A session is not thread-safe; several sessions over one blob are independent. */
#ifndef OCTET_OCTET_H_
#define OCTET_OCTET_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OCTET_API __attribute__((visibility("default")))
#else
#define OCTET_API
#endif

/* Of this header; octet_version() is that of the library. */
#define OCTET_VERSION_MAJOR 0
#define OCTET_VERSION_MINOR 1
#define OCTET_VERSION_PATCH 0
#define OCTET_VERSION \
  (OCTET_VERSION_MAJOR * 10000 + OCTET_VERSION_MINOR * 100 + OCTET_VERSION_PATCH)

/* Structs that later versions may add fields to begin with their size, set by the caller before
 * every call: sizeof the struct, which C++ does by itself. A library fills the fields that both
 * know, zero is the rest, and refuses (OCTET_INVALID_ARGUMENT) a field set that it does not know.
 * octet_status and the elements of arrays never change. */
#ifdef __cplusplus
#define OCTET_SIZE(type) = sizeof(type)
#else
#define OCTET_SIZE(type)
#endif

typedef uint32_t octet_code;
enum {
  OCTET_OK = 0,
  OCTET_INVALID_ARGUMENT = 1,
  OCTET_NOT_A_BLOB = 2,
  OCTET_UNSUPPORTED_VERSION = 3,
  OCTET_TRUNCATED = 4,
  OCTET_CORRUPT = 5,
  OCTET_MALFORMED = 6,
  OCTET_ARENA_TOO_SMALL = 7,
  OCTET_MISALIGNED = 8,
  OCTET_ISA_UNAVAILABLE = 9,
  OCTET_SHAPE_MISMATCH = 10,
  OCTET_OPERATOR_UNAVAILABLE = 11, /* offset: the layer whose operator was left out at link time */
  OCTET_CANCELLED = 12             /* octet_config.before_layer said so */
};

/* offset: byte of the blob where the first broken rule was found, else 0. */
typedef struct octet_status {
  octet_code code;
  uint32_t offset;
} octet_status;

typedef uint32_t octet_isa;
enum {
  OCTET_ISA_REFERENCE = 0,
  OCTET_ISA_AVX2 = 1,
  OCTET_ISA_AVXVNNI = 2,
  OCTET_ISA_AVX512VNNI = 3,
  OCTET_ISA_AMX = 4,
  OCTET_ISA_NEON = 5,
  OCTET_ISA_DOTPROD = 6,
  OCTET_ISA_I8MM = 7,
  OCTET_ISA_CM4 = 8,
  OCTET_ISA_HELIUM = 9
};

/* A pool of threads supplied by the port. run() calls task(argument, index) once for every index in
 * [0, thread_count), index 0 on the calling thread, and returns when all are done. */
typedef struct octet_pool {
  uint32_t size OCTET_SIZE(octet_pool);
  uint32_t thread_count;
  void* context;
  void (*run)(void* context, void (*task)(void* argument, uint32_t index), void* argument);
} octet_pool;

/* Values of verify_hashes. The third needs a CPU with SHA-256 instructions (x86 SHA extensions,
 * ARMv8 cryptographic extension); the port knows. */
#define OCTET_VERIFY_NONE 0u
#define OCTET_VERIFY_PORTABLE 1u
#define OCTET_VERIFY_SHA_INSTRUCTIONS 2u
/* octet_validate alone, in addition: reads every weight and checks what "same bits" rests on
 * (FORMAT.md, "The writer's duties"). OCTET_CORRUPT: a level would give other numbers. */
#define OCTET_VERIFY_CONTENT 4u

/* Bits of cpu_features: instructions that some machines of a level have and others lack. They make
 * kernels faster and change no bits of a result; the port knows. */
#define OCTET_CPU_AVX512_VBMI 1u /* of avx512vnni; amx has it without asking */

typedef struct octet_config {
  uint32_t size OCTET_SIZE(octet_config);
  octet_isa isa;           /* level to run at; the port knows what the machine has */
  const octet_pool* pool;  /* NULL: one thread */
  uint32_t verify_hashes;  /* OCTET_VERIFY_*: check SHA-256 of every section before binding */
  uint32_t plan_mask;      /* bit p: plan p is wanted; 0: all. The others are not looked at; bit 31:
                            * octet/drift.h */
  uint64_t (*ticks)(void); /* clock for the profile, or NULL */
  /* Called by octet_run before every layer, on its thread: feeds a watchdog, looks at a deadline.
   * Not 0: octet_run ends there with OCTET_CANCELLED; inputs have to be set again. NULL: none. */
  int (*before_layer)(void* context, uint32_t layer);
  void* before_layer_context;
  /* 1: FP16 layers that the blob lets add in FP16 add in float, for the bits of every other
   * machine. 0: where the level computes in FP16, they do. */
  uint32_t float_sums;
  /* OCTET_CPU_*, 0: none. 64 bits: 32 would lie in what was padding before there was this field. */
  uint64_t cpu_features;
} octet_config;

typedef struct octet_session octet_session; /* lives in the arena */

typedef struct octet_tensor_info {
  uint32_t size OCTET_SIZE(octet_tensor_info);
  const char* name;
  uint32_t rank;
  uint32_t dims[8]; /* logical shape, batch first */
  size_t element_count;
  uint32_t
      is_image; /* inputs: 1 when octet_set_input_image works; then [1, H, W, C] of the image: */
  uint32_t height, width, channels;
} octet_tensor_info;

typedef struct octet_layer_info {
  uint32_t size OCTET_SIZE(octet_layer_info);
  const char* name;
  const char* op;
  const char* kernel; /* ISA word of the kernel bound */
  uint32_t precision; /* 0 int8, 1 fp16 */
  uint64_t macs;
  uint64_t weight_bytes;
  uint64_t ticks; /* of the last run, 0 without a clock */
} octet_layer_info;

OCTET_API uint32_t octet_version(void); /* OCTET_VERSION when the library was built */

/* One word per error and per level, static strings. */
OCTET_API const char* octet_code_name(octet_code code);
OCTET_API const char* octet_isa_name(octet_isa isa);
OCTET_API octet_status octet_isa_from_name(const char* name, octet_isa* isa);
/* 1 when kernels of this level are in this build (says nothing about the machine). */
OCTET_API int octet_isa_built(octet_isa isa);

/* Verify a blob completely (see FORMAT.md): bounds, shapes, arena extents and lifetimes, order,
 * accumulator bounds, and with verify_hashes every hash. Allocates nothing. What passes cannot
 * fault. blob: 64-byte aligned. */
OCTET_API octet_status octet_validate(const void* blob, size_t blob_bytes, uint32_t verify_hashes);

#define OCTET_MAX_PLANS 8u
typedef struct octet_blob_info {
  uint32_t size OCTET_SIZE(octet_blob_info);
  uint32_t version_major, version_minor;
  uint64_t security_counter; /* rises with every release of a model, 0 when unused */
  char board[25];            /* it was converted for, "": any */
  uint8_t digest[32];        /* SHA-256 that stands for the whole file, and what is signed */
  size_t file_bytes;
  uint32_t plan_count;
  const char* plan_names[OCTET_MAX_PLANS]; /* in the blob */
  size_t plan_bytes[OCTET_MAX_PLANS];      /* of a plan's tensors */
} octet_blob_info;

/* What a blob is, without binding it; header and model section are checked, hashes are not. */
OCTET_API octet_status octet_blob_describe(const void* blob, size_t blob_bytes,
                                           octet_blob_info* info);

/* Exact arena size for a level, a thread count and plans (octet_config.plan_mask). Working memory
 * follows from the layers, so that everything but the hashes is checked. */
OCTET_API octet_status octet_arena_bytes(const void* blob, size_t blob_bytes, octet_isa isa,
                                         uint32_t threads, uint32_t plan_mask, size_t* arena_bytes);

/* Validate, then bind the plans of the mask; the first of them is the current one. arena: 64-byte
 * aligned, at least octet_arena_bytes, kept by the caller (as the blob is) as long as the session
 * is used. */
OCTET_API octet_status octet_bind(const void* blob, size_t blob_bytes, void* arena,
                                  size_t arena_bytes, const octet_config* config,
                                  octet_session** session);

OCTET_API uint32_t octet_plan_count(const octet_session* session);
OCTET_API const char* octet_plan_name(const octet_session* session, uint32_t plan);
OCTET_API uint32_t octet_plan(const octet_session* session);
/* Those bound, bit p: plan p. */
OCTET_API uint32_t octet_plan_mask(const octet_session* session);
/* Between two frames; inputs have to be set again. Bounded time, no allocation.
 * OCTET_INVALID_ARGUMENT: not among the plans bound. */
OCTET_API octet_status octet_set_plan(octet_session* session, uint32_t plan);

OCTET_API uint32_t octet_input_count(const octet_session* session);
OCTET_API uint32_t octet_output_count(const octet_session* session);
OCTET_API octet_status octet_input_info(const octet_session* session, uint32_t index,
                                        octet_tensor_info* info);
OCTET_API octet_status octet_output_info(const octet_session* session, uint32_t index,
                                         octet_tensor_info* info);

/* RGB (channels 3) or grey (channels 1) bytes [height, width, channels], rows row_bytes apart; any
 * size: resized, normalised and quantized as the blob says. */
OCTET_API octet_status octet_set_input_image(octet_session* session, uint32_t index,
                                             const uint8_t* pixels, uint32_t height, uint32_t width,
                                             uint32_t channels, size_t row_bytes);

/* Order and sizes of planes: OCTET_PIXELS_NV12 has Y and interleaved UV, OCTET_PIXELS_YUV420P Y, U
 * and V, the others one plane. 4:2:0 chroma planes are ceil(width / 2) x ceil(height / 2), a YUYV
 * row holds the width rounded up to two. YUV is BT.601 limited range. */
typedef uint32_t octet_pixel_format;
enum {
  OCTET_PIXELS_RGB24 = 0,
  OCTET_PIXELS_GREY8 = 1,
  OCTET_PIXELS_NV12 = 2,
  OCTET_PIXELS_YUV420P = 3,
  OCTET_PIXELS_YUYV = 4
};

typedef struct octet_frame {
  uint32_t size OCTET_SIZE(octet_frame);
  octet_pixel_format format;
  uint32_t width, height;
  const uint8_t* planes[3];
  size_t strides[3]; /* bytes from row to row, at least a row; planes that are not used: ignored */
} octet_frame;

/* A frame of any size: resized, converted, normalised and quantized as the blob says, in integers,
 * on the session's threads. Allocates nothing, uses at most 16 KiB of each thread's stack.
 * OCTET_INVALID_ARGUMENT: format, sizes (1 to 65535), a missing plane, a stride shorter than a row;
 * OCTET_SHAPE_MISMATCH: this input takes no pictures. */
OCTET_API octet_status octet_set_input_frame(octet_session* session, uint32_t index,
                                             const octet_frame* frame);
/* float32 in the model's own layout, already normalised. */
OCTET_API octet_status octet_set_input_f32(octet_session* session, uint32_t index,
                                           const float* values, size_t element_count);
OCTET_API octet_status octet_run(octet_session* session);
/* Layer `layer` alone (0 to octet_layer_count - 1): all of them in order are an octet_run, for a
 * loop that has other work between two. before_layer is not called. */
OCTET_API octet_status octet_run_layer(octet_session* session, uint32_t layer);
/* float32 in the model's own layout. */
OCTET_API octet_status octet_get_output(const octet_session* session, uint32_t index, float* values,
                                        size_t element_count);

/* A tensor of the current plan where it lies in the arena, to be filled or read without a copy. A
 * dense array [n, h, w, c]; int8: scale * ((int8_t)(byte ^ sign) - zero_point), FP16: scale * half
 * (IEEE binary16 bits), int32: the number. */
typedef uint32_t octet_element;
enum { OCTET_ELEMENT_INT8 = 1, OCTET_ELEMENT_FP16 = 2, OCTET_ELEMENT_INT32 = 3 };
typedef struct octet_tensor_view {
  uint32_t size OCTET_SIZE(octet_tensor_view);
  void* data;
  size_t bytes;
  octet_element element;
  uint32_t dims[4];
  float scale;
  int32_t zero_point;
  uint32_t sign; /* 0x80 where the level keeps int8 as q + 128, else 0 */
  /* Where element (n, h, w, c) stands in the logical array: base + the sum of index * stride. */
  uint32_t base, strides[4];
  uint32_t function; /* of an output, applied to the value: 0 none, 3 sigmoid, 7 tanh, 8 exp */
  /* Of an output, added behind the function in float: offsets[i % offset_count] to element i of the
   * dense array. offset_count 0: nothing is added. */
  const float* offsets;
  uint32_t offset_count;
} octet_tensor_view;

/* The tensor of an input, to be written before each octet_run (a run may overwrite it). The pointer
 * holds until the plan changes. */
OCTET_API octet_status octet_input_view(octet_session* session, uint32_t index,
                                        octet_tensor_view* view);
/* An output is put together from so many tensors of the current plan; after octet_run they hold
 * until the next inputs are set. */
OCTET_API uint32_t octet_output_part_count(const octet_session* session, uint32_t index);
/* OCTET_INVALID_ARGUMENT also where the part has offsets and `size` is that of an older header,
 * which has no place for them: octet_get_output adds them for every caller. */
OCTET_API octet_status octet_output_view(const octet_session* session, uint32_t index,
                                         uint32_t part, octet_tensor_view* view);

/* What a layer has written: good until another layer runs, so from before_layer of the next one, or
 * between two octet_run_layer. OCTET_INVALID_ARGUMENT: no such layer. Strides are those of the
 * dense array; what an output adds to it is not in it. */
OCTET_API octet_status octet_layer_view(const octet_session* session, uint32_t layer,
                                        octet_tensor_view* view);

OCTET_API uint32_t octet_layer_count(const octet_session* session);
OCTET_API octet_status octet_layer(const octet_session* session, uint32_t index,
                                   octet_layer_info* info);
/* Multiply-accumulates of the current plan, counted from its layers. */
OCTET_API uint64_t octet_macs(const octet_session* session);
/* A bound on the current plan's run time that a stranger's blob cannot talk down:
 * multiply-accumulates and elements read, written and compared, from the layers' shapes. A step
 * takes about 0.01 to 10 ns. Who runs blobs of others asks it of each plan and refuses what is too
 * much. */
OCTET_API uint64_t octet_steps(const octet_session* session);
OCTET_API uint32_t octet_label_count(const octet_session* session);
OCTET_API const char* octet_label(const octet_session* session, uint32_t index);

/* What the outputs mean, where the blob says so (octet convert --task, --decode). Scalar IEEE in
 * one order: equal outputs give equal answers on every machine. Nothing is allocated. */
typedef uint32_t octet_task;
enum {
  OCTET_TASK_NONE = 0,
  OCTET_TASK_CLASSIFY = 1,
  OCTET_TASK_DETECT = 2,
  OCTET_TASK_SEGMENT = 3
};

typedef struct octet_class_score {
  uint32_t label; /* octet_label() names it */
  float score;
} octet_class_score;

/* Pixels of the frame, x to the right, y down, clipped to it. */
typedef struct octet_detection {
  float x0, y0, x1, y1;
  float score;
  uint32_t label;
} octet_detection;

OCTET_API octet_task octet_model_task(const octet_session* session);
/* Working memory of the calls below, 64-byte aligned, supplied with each call; 0: the blob has no
 * decoder. */
OCTET_API size_t octet_decode_bytes(const octet_session* session);
/* After octet_run, for a blob of that task; OCTET_INVALID_ARGUMENT for another. */
/* The best classes, best first; *count at most `capacity`. */
OCTET_API octet_status octet_classify(const octet_session* session, void* memory,
                                      octet_class_score* best, uint32_t capacity, uint32_t* count);
/* Boxes, best first, after suppression. frame_*: size of the picture given to the input, whose
 * resize is undone. */
OCTET_API octet_status octet_detect(const octet_session* session, uint32_t frame_width,
                                    uint32_t frame_height, void* memory,
                                    octet_detection* detections, uint32_t capacity,
                                    uint32_t* count);
/* Of detection `index` of the last octet_detect with this memory (and the same frame size); no run,
 * no change of the plan and no other use of the memory may lie between. OCTET_INVALID_ARGUMENT for
 * a detection there is not and for a model without key points or masks. */
/* Pixels of the frame, clipped to it; score 1 where the model gives none. */
typedef struct octet_keypoint {
  float x, y;
  float score;
} octet_keypoint;
/* Key points of every detection, always as many; 0: the model has none. */
OCTET_API uint32_t octet_keypoint_count(const octet_session* session);
OCTET_API octet_status octet_keypoints(const octet_session* session, uint32_t frame_width,
                                       uint32_t frame_height, const void* memory, uint32_t index,
                                       octet_keypoint* points, uint32_t capacity);
/* 1: detections have masks. */
OCTET_API int octet_has_masks(const octet_session* session);
/* A byte for each pixel of the frame in [left, left + width) x [top, top + height), rows first: 1
 * where the detection's object is (never outside its box), else 0. mask_bytes = width * height.
 * Works in `memory`. */
OCTET_API octet_status octet_mask(const octet_session* session, uint32_t frame_width,
                                  uint32_t frame_height, void* memory, uint32_t index,
                                  uint32_t left, uint32_t top, uint32_t width, uint32_t height,
                                  uint8_t* mask, size_t mask_bytes);
/* One label a pixel of the output's grid, rows first; label_bytes = height * width. */
OCTET_API octet_status octet_segment_size(const octet_session* session, uint32_t* height,
                                          uint32_t* width);
OCTET_API octet_status octet_segment(const octet_session* session, void* memory, uint8_t* labels,
                                     size_t label_bytes);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_OCTET_H_ */
