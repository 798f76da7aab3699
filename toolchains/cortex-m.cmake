# Bare-metal Arm Cortex-M with Debian's gcc-arm-none-eabi: OCTET_CORTEX_M is m4, m7 or m55 (the presets say which).
# ports/cortex-m has start-up code and the memory of each machine.
set(OCTET_CORTEX_M m4 CACHE STRING "Core: m4, m7 or m55")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OCTET_CORTEX_M)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-${OCTET_CORTEX_M})
include(${CMAKE_CURRENT_LIST_DIR}/compiler.cmake)
octet_compiler(arm-none-eabi "--tests")
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

if(OCTET_CORTEX_M STREQUAL m4)
  set(core "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16")
  set(machine mps2-an386)
elseif(OCTET_CORTEX_M STREQUAL m7)
  set(core "-mcpu=cortex-m7 -mfpu=fpv5-d16")
  set(machine mps2-an500)
elseif(OCTET_CORTEX_M STREQUAL m55)
  # Vectors of integers, not of floats: those flush denormals to zero, and the bits would be others than elsewhere.
  set(core "-mcpu=cortex-m55+nomve.fp -mfpu=auto")
  set(machine mps3-an547)
else()
  message(FATAL_ERROR "octet: OCTET_CORTEX_M=${OCTET_CORTEX_M}; take m4, m7 or m55")
endif()
set(CMAKE_C_FLAGS_INIT "-mthumb ${core} -mfloat-abi=hard")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
set(CMAKE_ASM_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-system-arm -M ${machine} -display none -monitor none -serial stdio
    -semihosting-config enable=on,target=native -kernel)
