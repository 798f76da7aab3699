/* ort_worker LIBRARY MODEL.onnx REPEAT: inferences of ONNX Runtime's library for AArch64, one
 * thread, all of its optimisations, one float input of zeros and ones in turn (dimensions without a
 * number are 1). Prints the library's version and the first value of the first output.
 *
 * The C interface is a table of functions whose places never change (onnxruntime_c_api.h, "version
 * 1"); those used here are named below, so that neither the header nor the library is needed to
 * build this. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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
  kTensorData = 51,
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

static void Check(void* status) {
  if (status != NULL) {
    fprintf(stderr, "ort_worker: %s\n", ((const char* (*)(void*))api[kGetErrorMessage])(status));
    exit(2);
  }
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: ort_worker LIBRARY MODEL.onnx REPEAT\n");
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "ort_worker: %s\n", dlerror());
    return 2;
  }
  const Base* base = ((const Base* (*)(void))dlsym(library, "OrtGetApiBase"))();
  api = base->api(1);

  void *env, *options, *session, *memory, *allocator;
  Check(((void* (*)(int, const char*, void**))api[kCreateEnv])(kWarning, "bench", &env));
  Check(((void* (*)(void**))api[kCreateSessionOptions])(&options));
  Check(((void* (*)(void*, int))api[kSetGraphOptimization])(options, kAllOptimisations));
  Check(((void* (*)(void*, int))api[kSetIntraThreads])(options, 1));
  Check(((void* (*)(void*, int))api[kSetInterThreads])(options, 1));
  Check(((void* (*)(void*, const char*, void*, void**))api[kCreateSession])(env, argv[2], options,
                                                                            &session));
  Check(((void* (*)(int, int, void**))api[kCpuMemory])(kArena, kDefaultMemory, &memory));
  Check(((void* (*)(void**))api[kAllocator])(&allocator));

  void* type;
  const void* tensor_type;
  int64_t shape[kMost];
  size_t rank = 0, count = 1;
  Check(((void* (*)(void*, size_t, void**))api[kInputType])(session, 0, &type));
  Check(((void* (*)(void*, const void**))api[kTensorType])(type, &tensor_type));
  Check(((void* (*)(const void*, size_t*))api[kRank])(tensor_type, &rank));
  if (rank > kMost) {
    fprintf(stderr, "ort_worker: the input has %zu dimensions\n", rank);
    return 2;
  }
  Check(((void* (*)(const void*, int64_t*, size_t))api[kDimensions])(tensor_type, shape, rank));
  for (size_t i = 0; i < rank; ++i) {
    shape[i] = shape[i] > 0 ? shape[i] : 1;
    count *= (size_t)shape[i];
  }
  float* data = malloc(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    data[i] = (float)(i & 1);
  }
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
  void* values[kMost] = {NULL}; /* kept between runs: the library writes into them again */
  for (int i = 0; i < atoi(argv[3]); ++i) {
    Check(((void* (*)(void*, void*, const char* const*, void* const*, size_t, const char* const*,
                      size_t, void**))api[kRun])(session, NULL, (const char* const*)&input_name,
                                                 &input, 1, (const char* const*)names, outputs,
                                                 values));
  }
  float* first = NULL;
  if (values[0] != NULL) {
    Check(((void* (*)(void*, void**))api[kTensorData])(values[0], (void**)&first));
  }
  printf("%s %g\n", base->version(), first != NULL ? first[0] : 0.0);
  fflush(stdout);
  _Exit(0);
}
