# cmake --install: programs, headers, the runtime archive, find_package(octet) and pkg-config; cpack: the same as two
# archives, octet-<version>-linux-<arch>-programs.tar.gz and -sdk.tar.gz.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/octet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT sdk FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS octet_runtime EXPORT octetTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(octet_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/octet)
install(EXPORT octetTargets NAMESPACE octet:: DESTINATION ${octet_config_dir} COMPONENT sdk)
file(WRITE ${CMAKE_BINARY_DIR}/octetConfig.cmake "include(\${CMAKE_CURRENT_LIST_DIR}/octetTargets.cmake)\n")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/octetConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/octetConfig.cmake ${CMAKE_BINARY_DIR}/octetConfigVersion.cmake
        DESTINATION ${octet_config_dir} COMPONENT sdk)
# Relative, so that the installed folder can be moved.
file(RELATIVE_PATH octet_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/octet.pc.in ${CMAKE_BINARY_DIR}/octet.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/octet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT sdk)

set(octet_documents ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
foreach(component IN ITEMS programs sdk)
  install(FILES ${octet_documents} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/runtime/format/FORMAT.md ${PROJECT_SOURCE_DIR}/runtime/quant/QUANTIZATION.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT sdk)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/boards DESTINATION ${CMAKE_INSTALL_DATADIR}/octet COMPONENT programs
        FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/labels DESTINATION ${CMAKE_INSTALL_DATADIR}/octet COMPONENT programs)

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
