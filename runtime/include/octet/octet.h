/* Octet runtime, C API. It does not allocate, makes no OS calls and has no globals. The caller
 * gives a blob and one arena.
 *
 *   octet_arena_bytes -> memory -> octet_bind -> { octet_set_input_* -> octet_run ->
 * octet_get_output }*
 *
 * A session is not thread-safe. Several sessions over one blob are independent. */
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

/* The version of this header. octet_version() is the version of the library. */
#define OCTET_VERSION_MAJOR 0
#define OCTET_VERSION_MINOR 1
#define OCTET_VERSION_PATCH 0
#define OCTET_VERSION \
  (OCTET_VERSION_MAJOR * 10000 + OCTET_VERSION_MINOR * 100 + OCTET_VERSION_PATCH)

/* Structs that may get more fields in later versions begin with their size. The caller sets it to
 * sizeof the struct before every call. In C++ it is set already. A library fills the fields that
 * both versions know and sets the others to zero. It refuses a field that is set and that it does
 * not know (OCTET_INVALID_ARGUMENT). octet_status and the elements of arrays never change. */
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
  OCTET_OPERATOR_UNAVAILABLE = 11, /* offset: the layer whose operator is not linked */
  OCTET_CANCELLED = 12             /* octet_config.before_layer returned not 0 */
};

/* offset: the byte of the blob that breaks the first rule, else 0. */
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

/* A pool of threads that the port gives. run() calls task(argument, index) once for every index in
 * [0, thread_count). It calls index 0 on its own thread. It returns when all calls have returned.
 */
typedef struct octet_pool {
  uint32_t size OCTET_SIZE(octet_pool);
  uint32_t thread_count;
  void* context;
  void (*run)(void* context, void (*task)(void* argument, uint32_t index), void* argument);
} octet_pool;

/* Values of verify_hashes. The third needs a CPU with SHA-256 instructions (x86 SHA extensions,
 * ARMv8 cryptographic extension). The port detects them. */
#define OCTET_VERIFY_NONE 0u
#define OCTET_VERIFY_PORTABLE 1u
#define OCTET_VERIFY_SHA_INSTRUCTIONS 2u
/* An addition for octet_validate only: it reads every weight and checks the rules that "same bits"
 * needs (FORMAT.md, "The writer's duties"). OCTET_CORRUPT: a level would give other numbers. */
#define OCTET_VERIFY_CONTENT 4u

/* Bits of cpu_features: instructions that only some machines of a level have. They make kernels
 * faster and change no bits of a result. The port detects them. */
#define OCTET_CPU_AVX512_VBMI 1u /* of avx512vnni; every amx machine has it */

typedef struct octet_config {
  uint32_t size OCTET_SIZE(octet_config);
  octet_isa isa;           /* level to run at; the port detects the machine's */
  const octet_pool* pool;  /* NULL: one thread */
  uint32_t verify_hashes;  /* OCTET_VERIFY_*: check SHA-256 of every section before binding */
  uint32_t plan_mask;      /* bit p: bind plan p; 0: all. Other plans are not read. Bits
                            * OCTET_WITH_*: features that live in the arena */
  uint64_t (*ticks)(void); /* clock for the profile, or NULL */
  /* octet_run calls it before every layer, on its thread, as to feed a watchdog or to check a
   * deadline. If it returns not 0, octet_run returns OCTET_CANCELLED, and the inputs must be set
   * again. NULL: no call. */
  int (*before_layer)(void* context, uint32_t layer);
  void* before_layer_context;
  /* A blob may allow FP16 layers to add in FP16 (octet convert --native-fp16). 1: they add in float
   * and give the same bits as on machines without FP16 arithmetic. 0: they add in FP16 where the
   * level has this arithmetic. */
  uint32_t float_sums;
  /* OCTET_CPU_*; 0: none. It has 64 bits, because 32 would be in the padding of older versions. */
  uint64_t cpu_features;
} octet_config;

typedef struct octet_session octet_session; /* lives in the arena */

typedef struct octet_tensor_info {
  uint32_t size OCTET_SIZE(octet_tensor_info);
  const char* name;
  uint32_t rank;
  uint32_t dims[8]; /* logical shape, batch first */
  size_t element_count;
  uint32_t is_image; /* inputs: 1 if octet_set_input_image works. The image is then [1, H, W, C]: */
  uint32_t height, width, channels;
} octet_tensor_info;

typedef struct octet_layer_info {
  uint32_t size OCTET_SIZE(octet_layer_info);
  const char* name;
  const char* op;
  const char* kernel; /* level of the bound kernel, as octet_isa_name */
  uint32_t precision; /* 0 int8, 1 fp16 */
  uint64_t macs;
  uint64_t weight_bytes;
  uint64_t ticks; /* of the last run; 0 without a clock */
} octet_layer_info;

OCTET_API uint32_t octet_version(void); /* OCTET_VERSION when the library was built */

/* A short name of an error or a level. The strings are static. */
OCTET_API const char* octet_code_name(octet_code code);
OCTET_API const char* octet_isa_name(octet_isa isa);
OCTET_API octet_status octet_isa_from_name(const char* name, octet_isa* isa);
/* 1 if this build has kernels of this level. The machine may lack the level. */
OCTET_API int octet_isa_built(octet_isa isa);

/* Verifies a blob completely (see FORMAT.md): bounds, shapes, arena extents and lifetimes, order,
 * accumulator bounds, and with verify_hashes every hash. It does not allocate. A blob that passes
 * cannot cause a fault. blob: 64-byte aligned. */
OCTET_API octet_status octet_validate(const void* blob, size_t blob_bytes, uint32_t verify_hashes);

#define OCTET_MAX_PLANS 8u
typedef struct octet_blob_info {
  uint32_t size OCTET_SIZE(octet_blob_info);
  uint32_t version_major, version_minor;
  uint64_t security_counter; /* rises with every release of a model; 0: unused */
  char board[25];            /* that it was converted for; "": any */
  uint8_t digest[32];        /* SHA-256 that identifies the whole file; it is signed */
  size_t file_bytes;
  uint32_t plan_count;
  const char* plan_names[OCTET_MAX_PLANS]; /* in the blob */
  size_t plan_bytes[OCTET_MAX_PLANS];      /* of a plan's tensors */
} octet_blob_info;

/* Describes a blob without binding it. Header and model section are checked, hashes are not. */
OCTET_API octet_status octet_blob_describe(const void* blob, size_t blob_bytes,
                                           octet_blob_info* info);

/* Exact arena size for a level, a thread count and plans (octet_config.plan_mask). The size depends
 * on the layers, so everything except the hashes is checked. Levels of other machines have one too,
 * unless the program selects levels: OCTET_ISA_UNAVAILABLE. */
OCTET_API octet_status octet_arena_bytes(const void* blob, size_t blob_bytes, octet_isa isa,
                                         uint32_t threads, uint32_t plan_mask, size_t* arena_bytes);

/* Validates the blob and binds the plans of the mask. The first of them becomes the current plan.
 * arena: 64-byte aligned, at least octet_arena_bytes. The caller keeps arena and blob as long as
 * the session is used. */
OCTET_API octet_status octet_bind(const void* blob, size_t blob_bytes, void* arena,
                                  size_t arena_bytes, const octet_config* config,
                                  octet_session** session);

OCTET_API uint32_t octet_plan_count(const octet_session* session);
OCTET_API const char* octet_plan_name(const octet_session* session, uint32_t plan);
OCTET_API uint32_t octet_plan(const octet_session* session);
/* The bound plans; bit p: plan p. */
OCTET_API uint32_t octet_plan_mask(const octet_session* session);
/* The bound plans whose weights are in memory: all of them, unless the program has said otherwise.
 * A program that keeps weights in a file until a plan needs them says which are there
 * (OCTET_INVALID_ARGUMENT: a plan that is not bound, or none). */
OCTET_API uint32_t octet_resident_plans(const octet_session* session);
OCTET_API octet_status octet_set_resident_plans(octet_session* session, uint32_t plan_mask);
/* Call it between two frames. The inputs must be set again. It takes bounded time and does not
 * allocate. OCTET_INVALID_ARGUMENT: the plan is not bound, or not in memory. */
OCTET_API octet_status octet_set_plan(octet_session* session, uint32_t plan);

OCTET_API uint32_t octet_input_count(const octet_session* session);
OCTET_API uint32_t octet_output_count(const octet_session* session);
OCTET_API octet_status octet_input_info(const octet_session* session, uint32_t index,
                                        octet_tensor_info* info);
OCTET_API octet_status octet_output_info(const octet_session* session, uint32_t index,
                                         octet_tensor_info* info);

/* pixels: RGB (channels 3) or grey (channels 1) bytes [height, width, channels], rows row_bytes
 * apart, of any size. They are resized, normalised and quantized as the blob says. */
OCTET_API octet_status octet_set_input_image(octet_session* session, uint32_t index,
                                             const uint8_t* pixels, uint32_t height, uint32_t width,
                                             uint32_t channels, size_t row_bytes);

/* Planes: OCTET_PIXELS_NV12 has Y and interleaved UV. OCTET_PIXELS_YUV420P has Y, U and V. The
 * others have one plane. 4:2:0 chroma planes are ceil(width / 2) x ceil(height / 2). A YUYV row has
 * the width rounded up to two. YUV is BT.601 limited range. */
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
  size_t strides[3]; /* bytes from row to row, at least a row; ignored for unused planes */
} octet_frame;

/* Takes a frame of any size. It is resized, converted, normalised and quantized as the blob says,
 * in integers, on the session's threads. It does not allocate and uses at most 16 KiB of each
 * thread's stack. OCTET_INVALID_ARGUMENT: format, sizes (1 to 65535), a missing plane, or a stride
 * shorter than a row. OCTET_SHAPE_MISMATCH: this input does not take pictures. */
OCTET_API octet_status octet_set_input_frame(octet_session* session, uint32_t index,
                                             const octet_frame* frame);
/* float32 in the model's own layout, already normalised. */
OCTET_API octet_status octet_set_input_f32(octet_session* session, uint32_t index,
                                           const float* values, size_t element_count);
OCTET_API octet_status octet_run(octet_session* session);
/* Runs one layer (0 to octet_layer_count - 1), for a loop that has other work between layers. All
 * layers in order are one octet_run. before_layer is not called. */
OCTET_API octet_status octet_run_layer(octet_session* session, uint32_t layer);
/* float32 in the model's own layout. */
OCTET_API octet_status octet_get_output(const octet_session* session, uint32_t index, float* values,
                                        size_t element_count);

/* A tensor of the current plan at its place in the arena, to write or read without a copy. A const
 * session has no view, because `data` can be written. It is a dense array [n, h, w, c]. An
 * element's value is, for int8: scale * ((int8_t)(byte ^ sign) - zero_point); for FP16: scale *
 * half (IEEE binary16 bits); for int32: the number. */
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
  /* Element (n, h, w, c) is in the logical array at base + the sum of index * stride. */
  uint32_t base, strides[4];
  uint32_t function; /* of an output, applied to the value: 0 none, 3 sigmoid, 7 tanh, 8 exp */
  /* Of an output, added after the function, in float: offsets[i % offset_count] to element i of the
   * dense array. offset_count 0: nothing is added. */
  const float* offsets;
  uint32_t offset_count;
} octet_tensor_view;

/* The tensor of an input. Write it before each octet_run, because a run may overwrite it. The
 * pointer is valid until the plan changes. */
OCTET_API octet_status octet_input_view(octet_session* session, uint32_t index,
                                        octet_tensor_view* view);
/* The number of tensors of the current plan that make up an output. After octet_run they are valid
 * until the next inputs are set. */
OCTET_API uint32_t octet_output_part_count(const octet_session* session, uint32_t index);
/* OCTET_INVALID_ARGUMENT also where the part has offsets and `size` is that of an older header
 * without the fields for them. octet_get_output adds them for every caller. */
OCTET_API octet_status octet_output_view(octet_session* session, uint32_t index, uint32_t part,
                                         octet_tensor_view* view);

/* The result of a layer. It is valid until another layer runs: in before_layer of the next layer,
 * or between two calls of octet_run_layer. OCTET_INVALID_ARGUMENT: no such layer. Strides are those
 * of the dense array. The offsets and the function of an output are not applied. */
OCTET_API octet_status octet_layer_view(octet_session* session, uint32_t layer,
                                        octet_tensor_view* view);

OCTET_API uint32_t octet_layer_count(const octet_session* session);
OCTET_API octet_status octet_layer(const octet_session* session, uint32_t index,
                                   octet_layer_info* info);
/* Multiply-accumulates of the current plan, counted from its layers. */
OCTET_API uint64_t octet_macs(const octet_session* session);
/* A bound on the current plan's run time, computed from the layers' shapes: multiply-accumulates
 * and elements read, written and compared. A blob cannot lower it by what it says of itself. A step
 * takes about 0.01 to 10 ns. A program that runs blobs of others can check each plan and refuse one
 * that is too long. */
OCTET_API uint64_t octet_steps(const octet_session* session);
OCTET_API uint32_t octet_label_count(const octet_session* session);
OCTET_API const char* octet_label(const octet_session* session, uint32_t index);

/* The meaning of the outputs, where the blob has a decoder (octet convert --task, --decode).
 * Decoding is scalar IEEE arithmetic in one order: equal outputs give equal answers on every
 * machine. It does not allocate. */
typedef uint32_t octet_task;
enum {
  OCTET_TASK_NONE = 0,
  OCTET_TASK_CLASSIFY = 1,
  OCTET_TASK_DETECT = 2,
  OCTET_TASK_SEGMENT = 3,
  OCTET_TASK_TEXT = 4
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
/* Size of the working memory of the calls below. The caller gives it to each call, 64-byte aligned.
 * 0: the blob has no decoder. */
OCTET_API size_t octet_decode_bytes(const octet_session* session);
/* Call these after octet_run. OCTET_INVALID_ARGUMENT: the blob has another task. */
/* The best classes, best first; *count at most `capacity`. */
OCTET_API octet_status octet_classify(const octet_session* session, void* memory,
                                      octet_class_score* best, uint32_t capacity, uint32_t* count);
/* Boxes after suppression, best first. frame_*: the size of the picture that the input got. Boxes
 * are in pixels of that picture; those of which less than 5 % lies in it are left out. */
OCTET_API octet_status octet_detect(const octet_session* session, uint32_t frame_width,
                                    uint32_t frame_height, void* memory,
                                    octet_detection* detections, uint32_t capacity,
                                    uint32_t* count);
/* The same with boxes of at least this score, in place of the blob's own threshold. The blob's
 * limits of boxes hold. A lower threshold keeps the boxes that a higher one gives, as long as fewer
 * candidates than the blob's limit reach it, and adds weaker ones behind them.
 * OCTET_INVALID_ARGUMENT also for NaN. */
OCTET_API octet_status octet_detect_above(const octet_session* session, float score_threshold,
                                          uint32_t frame_width, uint32_t frame_height, void* memory,
                                          octet_detection* detections, uint32_t capacity,
                                          uint32_t* count);
/* Key points and masks are of detection `index` of the last octet_detect with this memory and frame
 * size. Do not run, change the plan or use the memory otherwise in between. OCTET_INVALID_ARGUMENT:
 * no such detection, or the model has no key points or masks. */
/* In pixels of the frame, clipped to it. score is 1 where the model gives none. */
typedef struct octet_keypoint {
  float x, y;
  float score;
} octet_keypoint;
/* The number of key points, the same for every detection; 0: the model has none. */
OCTET_API uint32_t octet_keypoint_count(const octet_session* session);
OCTET_API octet_status octet_keypoints(const octet_session* session, uint32_t frame_width,
                                       uint32_t frame_height, const void* memory, uint32_t index,
                                       octet_keypoint* points, uint32_t capacity);
/* 1: detections have masks. */
OCTET_API int octet_has_masks(const octet_session* session);
/* Writes a byte for each pixel of the frame in [left, left + width) x [top, top + height), rows
 * first: 1 for the detection's object, else 0. Outside its box every byte is 0. mask_bytes = width
 * * height. `memory` is its working memory. */
OCTET_API octet_status octet_mask(const octet_session* session, uint32_t frame_width,
                                  uint32_t frame_height, void* memory, uint32_t index,
                                  uint32_t left, uint32_t top, uint32_t width, uint32_t height,
                                  uint8_t* mask, size_t mask_bytes);
/* One label for each pixel of the output's grid, rows first. label_bytes = height * width. */
OCTET_API octet_status octet_segment_size(const octet_session* session, uint32_t* height,
                                          uint32_t* width);
OCTET_API octet_status octet_segment(const octet_session* session, void* memory, uint8_t* labels,
                                     size_t label_bytes);
/* The characters of a text, first to last; octet_label() has each one's UTF-8. Every step's best
 * class counts: equal ones side by side are one character, the blank is none (greedy CTC). A score
 * is that of the first step of its character. *count at most `capacity`. octet_text_size says how
 * many characters a text has at most. */
OCTET_API octet_status octet_text_size(const octet_session* session, uint32_t* characters);
OCTET_API octet_status octet_text(const octet_session* session, void* memory,
                                  octet_class_score* characters, uint32_t capacity,
                                  uint32_t* count);

#ifdef __cplusplus
}
#endif

#endif /* OCTET_OCTET_H_ */
