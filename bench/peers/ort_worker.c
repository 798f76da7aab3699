/* ort_worker LIBRARY MODEL.onnx THREADS [SHAPE]: a session of ONNX Runtime with all optimisations.
 * Its first input takes floats in SHAPE (1,3,224,224); without one, dimensions that have no number
 * are 1. Prints "ready" and the library's version. Then a line with a count comes in, and the
 * milliseconds of so many inferences go out.
 *
 * MASK=avx2|avxvnni|avx512vnni limits the library to that level, if its CPUID instructions are
 * replaced by UD2 (engines.py makes such a copy): the handler answers them without the features
 * above the level. CPUID itself traps on few virtual machines. The bits: Intel, Software
 * Developer's Manual, volume 2A, CPUID, leaf 7.
 *
 * The C interface is a table of functions whose places never change (onnxruntime_c_api.h, "version
 * 1"); those used here are named below, so that neither the header nor the library is needed to
 * build this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <signal.h>
#include <ucontext.h>
#endif

enum {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetGraphOptimization = 23,
  kSetIntraThreads = 24,
  kSetInterThreads = 25,
  kOutputCount = 31,
  kInputType = 33,
  kInputName = 36,
  kOutputName = 37,
  kTensorOfData = 49,
  kTensorType = 55,
  kRank = 61,
  kDimensions = 62,
  kCpuMemory = 69,
  kAllocator = 78
};
enum {
  kWarning = 2,
  kAllOptimisations = 99,
  kArena = 1,
  kDefaultMemory = 0,
  kFloat = 1,
  kMost = 16
};

typedef struct Base {
  const void* const* (*api)(uint32_t version);
  const char* (*version)(void);
} Base;

static const void* const* api;

static void Fail(const char* what) {
  fprintf(stderr, "ort_worker: %s\n", what);
  exit(2);
}

static void Check(void* status) {
  if (status != NULL) Fail(((const char* (*)(void*))api[kGetErrorMessage])(status));
}

#if defined(__x86_64__)
/* Features that are hidden: of leaf 7, EBX, ECX and EDX of subleaf 0, EAX and EDX of subleaf 1. */
typedef struct Hidden {
  uint32_t ebx, ecx, edx, eax1, edx1;
} Hidden;
#define BIT(n) (1u << (n))
enum {
  kAmx = BIT(22) | BIT(24) | BIT(25), /* BF16, TILE, INT8 */
  kAmx1Eax = BIT(21),                 /* FP16 */
  kAmx1Edx = BIT(8),                  /* COMPLEX */
  kAvx512Ebx = BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | (int)BIT(31),
  kAvx512Ecx = BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14),
  kAvx512Edx = BIT(2) | BIT(3) | BIT(8) | BIT(23),
  kAvx512Eax1 = BIT(5),                           /* BF16 */
  kVnniEax1 = BIT(4) | BIT(23),                   /* AVX-VNNI, AVX-IFMA */
  kVnniEdx1 = BIT(4) | BIT(5) | BIT(10) | BIT(19) /* VNNI-INT8, NE-CONVERT, VNNI-INT16, AVX10 */
};
static Hidden hidden;

static void AnswerCpuid(int number, siginfo_t* info, void* context) {
  (void)info;
  greg_t* const registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  const uint8_t* at = (const uint8_t*)registers[REG_RIP];
  if (at[0] != 0x0F || at[1] != 0x0B) {
    signal(number, SIG_DFL); /* not ours: it comes again, and ends the program */
    return;
  }
  const uint32_t leaf = (uint32_t)registers[REG_RAX], part = (uint32_t)registers[REG_RCX];
  uint32_t eax, ebx, ecx, edx;
  __cpuid_count(leaf, part, eax, ebx, ecx, edx);
  if (leaf == 7 && part == 0) ebx &= ~hidden.ebx, ecx &= ~hidden.ecx, edx &= ~hidden.edx;
  if (leaf == 7 && part == 1) eax &= ~hidden.eax1, edx &= ~hidden.edx1;
  registers[REG_RAX] = eax;
  registers[REG_RBX] = ebx;
  registers[REG_RCX] = ecx;
  registers[REG_RDX] = edx;
  registers[REG_RIP] += 2;
}

static void Limit(const char* level) {
  const Hidden amx = {0, 0, kAmx, kAmx1Eax, kAmx1Edx};
  hidden = amx;
  if (strcmp(level, "avx512vnni") != 0) {
    hidden.ebx |= (uint32_t)kAvx512Ebx;
    hidden.ecx |= kAvx512Ecx;
    hidden.edx |= kAvx512Edx;
    hidden.eax1 |= kAvx512Eax1;
    if (strcmp(level, "avxvnni") != 0) {
      if (strcmp(level, "avx2") != 0) Fail("MASK: avx2, avxvnni or avx512vnni");
      hidden.eax1 |= kVnniEax1;
      hidden.edx1 |= kVnniEdx1;
    }
  }
  struct sigaction action = {0};
  action.sa_sigaction = AnswerCpuid;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, NULL);
}
#else
static void Limit(const char* level) {
  (void)level;
  Fail("MASK: for x86 alone");
}
#endif

/* The dimensions in words, or those of the model's first input. */
static size_t ShapeOf(void* session, const char* words, int64_t* shape) {
  void* type;
  const void* tensor_type;
  size_t rank = 0;
  Check(((void* (*)(void*, size_t, void**))api[kInputType])(session, 0, &type));
  Check(((void* (*)(void*, const void**))api[kTensorType])(type, &tensor_type));
  Check(((void* (*)(const void*, size_t*))api[kRank])(tensor_type, &rank));
  if (rank > kMost) Fail("the input has more than 16 dimensions");
  Check(((void* (*)(const void*, int64_t*, size_t))api[kDimensions])(tensor_type, shape, rank));
  char* next = NULL;
  for (size_t i = 0; i < rank; ++i) {
    if (words != NULL) {
      shape[i] = strtoll(words, &next, 10);
      words = next + (*next == ',');
    }
    if (shape[i] <= 0) shape[i] = 1;
  }
  return rank;
}

static double Milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) Fail("usage: ort_worker LIBRARY MODEL.onnx THREADS [SHAPE]");
  const char* level = getenv("MASK");
  if (level != NULL && *level != '\0') Limit(level);
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) Fail(dlerror());
  const Base* base = ((const Base* (*)(void))dlsym(library, "OrtGetApiBase"))();
  api = base->api(1);

  void *env, *options, *session, *memory, *allocator;
  Check(((void* (*)(int, const char*, void**))api[kCreateEnv])(kWarning, "bench", &env));
  Check(((void* (*)(void**))api[kCreateSessionOptions])(&options));
  Check(((void* (*)(void*, int))api[kSetGraphOptimization])(options, kAllOptimisations));
  Check(((void* (*)(void*, int))api[kSetIntraThreads])(options, atoi(argv[3])));
  Check(((void* (*)(void*, int))api[kSetInterThreads])(options, 1));
  Check(((void* (*)(void*, const char*, void*, void**))api[kCreateSession])(env, argv[2], options,
                                                                            &session));
  Check(((void* (*)(int, int, void**))api[kCpuMemory])(kArena, kDefaultMemory, &memory));
  Check(((void* (*)(void**))api[kAllocator])(&allocator));

  int64_t shape[kMost];
  const size_t rank = ShapeOf(session, argc == 5 ? argv[4] : NULL, shape);
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= (size_t)shape[i];
  float* data = malloc(count * sizeof(float));
  if (data == NULL) Fail("no memory for the input");
  for (size_t i = 0; i < count; ++i) data[i] = (float)(i * 7919 % 6001) / 1000 - 3;
  void* input = NULL;
  Check(((void* (*)(void*, void*, size_t, const int64_t*, size_t, int, void**))api[kTensorOfData])(
      memory, data, count * sizeof(float), shape, rank, kFloat, &input));

  char *input_name, *names[kMost];
  size_t outputs = 0;
  Check(((void* (*)(void*, size_t, void*, char**))api[kInputName])(session, 0, allocator,
                                                                   &input_name));
  Check(((void* (*)(void*, size_t*))api[kOutputCount])(session, &outputs));
  outputs = outputs < kMost ? outputs : kMost;
  for (size_t i = 0; i < outputs; ++i) {
    Check(((void* (*)(void*, size_t, void*, char**))api[kOutputName])(session, i, allocator,
                                                                      &names[i]));
  }
  printf("ready %s\n", base->version());
  fflush(stdout);
  void* values[kMost] = {NULL}; /* kept between runs: the library writes into them again */
  for (int times; scanf("%d", &times) == 1;) {
    for (int i = 0; i < times; ++i) {
      const double start = Milliseconds();
      Check(((void* (*)(void*, void*, const char* const*, void* const*, size_t, const char* const*,
                        size_t, void**))api[kRun])(session, NULL, (const char* const*)&input_name,
                                                   &input, 1, (const char* const*)names, outputs,
                                                   values));
      printf("%.6f ", Milliseconds() - start);
    }
    printf("\n");
    fflush(stdout);
  }
  _Exit(0);
}
