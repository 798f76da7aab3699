# octet_board_program(<name> <blob> <pictures> OPERATORS <words> PLANS <mask> ARENA_BYTES <n> DATA_ORIGIN <address or empty>)
function(octet_board_program name model pictures)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "OPERATORS;PLANS;ARENA_BYTES;DATA_ORIGIN" "")
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  # Its own copy: properties of a source are those of a folder, and two programs have other data.
  set(data ${CMAKE_CURRENT_BINARY_DIR}/${name}.S)
  configure_file(${folder}/data.S ${data} COPYONLY)
  if(COMMAND octet_cortex_m_program)
    octet_cortex_m_program(${name} ${folder}/main.cc ${data})
  else()
    add_executable(${name} ${folder}/main.cc ${data} ${folder}/desk.cc)
    target_link_libraries(${name} PRIVATE octet_host_options octet_runtime)
    target_link_options(${name} PRIVATE LINKER:--gc-sections)
    set_target_properties(${name} PROPERTIES SUFFIX .elf)
  endif()
  # The best level of this build.
  list(GET OCTET_CORTEX_M_LEVELS -1 level)
  octet_select_operators(${name} OPERATORS ${arg_OPERATORS} LEVELS ${level})
  string(TOUPPER OCTET_ISA_${level} isa)
  target_compile_definitions(${name} PRIVATE
    OCTET_BOARD_ISA=${isa} OCTET_PLAN_MASK=${arg_PLANS}u OCTET_ARENA_BYTES=${arg_ARENA_BYTES})
  set(section .rodata.octet_data)
  if(arg_DATA_ORIGIN)
    set(section .octet_data)
    target_link_options(${name} PRIVATE LINKER:--section-start=.octet_data=${arg_DATA_ORIGIN})
  endif()
  set_source_files_properties(${data} PROPERTIES
    COMPILE_DEFINITIONS "OCTET_MODEL=\"${model}\";OCTET_PICTURE=\"${pictures}\";OCTET_DATA_SECTION=${section}"
    OBJECT_DEPENDS "${model};${pictures}")
endfunction()

