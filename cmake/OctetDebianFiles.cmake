# Run by cpack between staging and packing: where Debian wants what the components have elsewhere.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(programs ${CPACK_TEMPORARY_DIRECTORY}/programs${CPACK_PACKAGING_INSTALL_PREFIX})
set(sdk ${CPACK_TEMPORARY_DIRECTORY}/sdk${CPACK_PACKAGING_INSTALL_PREFIX})
# The shared library goes with the programs; liboctet.so, which compilers look for, stays.
file(GLOB libraries ${sdk}/${CPACK_OCTET_LIBDIR}/liboctet.so.*)
foreach(library IN LISTS libraries)
  file(COPY ${library} DESTINATION ${programs}/${CPACK_OCTET_LIBDIR})
  file(REMOVE ${library})
endforeach()
file(GLOB pages ${programs}/share/man/man1/*.1)
if(pages)
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
# Every package has its own folder of documents.
file(RENAME ${sdk}/share/doc/octet ${sdk}/share/doc/octet-dev)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(documents IN ITEMS ${programs}/share/doc/octet ${sdk}/share/doc/octet-dev)
  file(REMOVE ${documents}/LICENSE)
  file(WRITE ${documents}/copyright
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: octet\n\n"
    "Files: *\nCopyright: 2026 the authors of Octet\nLicense: Apache-2.0\n"
    " Licensed under the Apache License, Version 2.0; the whole text is in\n /usr/share/common-licenses/Apache-2.0.\n\n"
    "Files: demo/scene/*.npy\nCopyright: 2017 Zalando SE, https://tech.zalando.com\nLicense: Expat\n"
    " The whole text is in /usr/share/octet/scene/LICENSE of the package octet.\n")
  file(WRITE ${documents}/changelog
    "octet (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * Built by cpack; CHANGELOG.md lists what changed.\n\n"
    " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
  execute_process(COMMAND gzip -9nf changelog WORKING_DIRECTORY ${documents} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
