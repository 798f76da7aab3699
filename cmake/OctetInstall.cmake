# cmake --install: programs, headers, archives of runtime and Linux port, liboctet.so, find_package(octet), pkg-config; cpack: the same as two
# archives, octet-<version>-linux-<arch>-programs.tar.gz and -sdk.tar.gz. debian/ makes Debian packages of it.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/octet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT sdk FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS octet_runtime EXPORT octetTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET octet_port_linux)
  install(TARGETS octet_port_linux EXPORT octetTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(TARGET octet_shared)
  install(TARGETS octet_shared EXPORT octetTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk
          NAMELINK_COMPONENT sdk INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
set(octet_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/octet)
install(EXPORT octetTargets NAMESPACE octet:: DESTINATION ${octet_config_dir} COMPONENT sdk)
file(RELATIVE_PATH octet_config_to_prefix /${octet_config_dir} /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/octetConfig.cmake.in ${CMAKE_BINARY_DIR}/octetConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/octetConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/octetConfig.cmake ${CMAKE_BINARY_DIR}/octetConfigVersion.cmake
        DESTINATION ${octet_config_dir} COMPONENT sdk)
# Relative, so that the installed folder can be moved.
file(RELATIVE_PATH octet_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(octet_pc_names octet)
if(TARGET octet_port_linux)
  list(APPEND octet_pc_names octet_port_linux)
endif()
foreach(name IN LISTS octet_pc_names)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT sdk)
endforeach()

# What a program with operators of its own needs beside the runtime (docs/plugins.md): the programs octet and octet-run as
# one archive each, main() included, and the headers of the layers that such an operator is written against.
if(TARGET octet)
  set(octet_converter_objects $<TARGET_OBJECTS:octet>)
  foreach(library IN ITEMS octet_cli octet_support octet_boards octet_decode_spec octet_metadata octet_recognise octet_import octet_passes octet_executor octet_calibrate octet_quantize
          octet_assign octet_simulate octet_recover octet_analyze octet_report octet_lower octet_plan octet_export octet_judge octet_ort octet_write octet_images octet_operators octet_graph octet_pictures
          octet_command_line octet_words octet_guard_settings octet_output octet_slot octet_port_linux)
    list(APPEND octet_converter_objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  add_library(octet_converter STATIC ${octet_converter_objects})
  add_library(octet_run STATIC $<TARGET_OBJECTS:octet-run> $<TARGET_OBJECTS:octet_tracks> $<TARGET_OBJECTS:octet_results> $<TARGET_OBJECTS:octet_thermal> $<TARGET_OBJECTS:octet_capture>
              $<TARGET_OBJECTS:octet_output> $<TARGET_OBJECTS:octet_pictures> $<TARGET_OBJECTS:octet_command_line> $<TARGET_OBJECTS:octet_words> $<TARGET_OBJECTS:octet_port_linux>)
  install(FILES $<TARGET_FILE:octet_converter> $<TARGET_FILE:octet_run> DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT plugins)
  foreach(folder IN ITEMS runtime/core runtime/format runtime/quant runtime/image runtime/kernels converter/support converter/graph
          converter/operators converter/quantize converter/lower converter/calibrate
          converter/images)
    get_filename_component(parent ${folder} DIRECTORY)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/octet-plugins/${parent}
            COMPONENT plugins FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
  endforeach()
endif()

set(octet_documents ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
foreach(component IN ITEMS programs sdk)
  install(FILES ${octet_documents} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component}
          FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN __pycache__ EXCLUDE PATTERN docs/man EXCLUDE)
endforeach()
if(TARGET octet)
  # What the pages for users link to, at the same places.
  foreach(page IN ITEMS SECURITY.md PORTING.md boards/README.md bench/README.md ports/linux/monitoring/README.md runtime/format/FORMAT.md
          runtime/quant/QUANTIZATION.md packaging/yocto/README.md demo/README.md boards/emulated/README.md)
    get_filename_component(folder ${page} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT programs)
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/examples/draw_boxes.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT programs)
  # For who ships many boards: docs/roll-out.md, packaging/yocto/README.md.
  foreach(part IN ITEMS roll-out updates yocto)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/${part} DESTINATION ${CMAKE_INSTALL_DATADIR}/octet COMPONENT programs
            USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE PATTERN README.md EXCLUDE)
  endforeach()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/runtime/format/FORMAT.md ${PROJECT_SOURCE_DIR}/runtime/quant/QUANTIZATION.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sdk)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/boards DESTINATION ${CMAKE_INSTALL_DATADIR}/octet COMPONENT programs
        FILES_MATCHING PATTERN "*.yaml" PATTERN emulated EXCLUDE PATTERN __pycache__ EXCLUDE)
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/ports/linux/monitoring ${PROJECT_SOURCE_DIR}/packaging/systemd
          DESTINATION ${CMAKE_INSTALL_DATADIR}/octet COMPONENT programs)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/labels DESTINATION ${CMAKE_INSTALL_DATADIR}/octet COMPONENT programs)
# octet-camera --source scene finds them from its own place.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/demo/scene DESTINATION ${CMAKE_INSTALL_DATADIR}/octet COMPONENT programs)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME octet)
set(CPACK_PACKAGE_FILE_NAME octet-${PROJECT_VERSION}-linux-${OCTET_ARCH})
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs sdk)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
include(CPack)
