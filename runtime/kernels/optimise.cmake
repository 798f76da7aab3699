octet_optimise(-Os convolution_content.cc function.cc run_convolution.cc)
# Where no other kernel fits: small before fast. Where they may be the only kernels: 0.6 of the instructions for 3 KB of flash
# (demo's classifier, Cortex-M4).
if(OCTET_ARCH MATCHES "^(cortex_m|generic)$")
  octet_optimise(-O2 ALSO_MINSIZE */reference.cc */portable.cc)
else()
  octet_optimise(-Os */reference.cc */portable.cc)
endif()
