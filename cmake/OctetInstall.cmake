# cmake --install: headers, the runtime archive, find_package(octet) and pkg-config.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/octet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS octet_runtime EXPORT octetTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(octet_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/octet)
install(EXPORT octetTargets NAMESPACE octet:: DESTINATION ${octet_config_dir})
file(WRITE ${CMAKE_BINARY_DIR}/octetConfig.cmake "include(\${CMAKE_CURRENT_LIST_DIR}/octetTargets.cmake)\n")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/octetConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/octetConfig.cmake ${CMAKE_BINARY_DIR}/octetConfigVersion.cmake
        DESTINATION ${octet_config_dir})
# Relative, so that the installed folder can be moved.
file(RELATIVE_PATH octet_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/octet.pc.in ${CMAKE_BINARY_DIR}/octet.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/octet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
