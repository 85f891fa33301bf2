# The Debian packages: `cmake --preset package`, build, then `cpack --preset package`. `saccade` holds the program, the
# library with its headers, the trained models, the configs and the examples; `python3-saccade` the Python package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The saccade authors <saccade@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "image captioning with visual attention: program and library")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "It trains captioners on a CPU, compares attention mechanisms under equal conditions,
and shows on the image which regions a model attended to for each word. This build needs
a processor with AVX2 (x86-64-v3).")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries that the files link, by dpkg-shlibdeps
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-dejavu-core)  # the font of the pictures
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(SACCADE_PYTHON_PLACE)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_COMPONENTS_ALL Unspecified python)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME saccade)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-saccade)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-pil)
  # Its modules are compiled for one version of Python, and for the library of the same build.
  find_package(Python REQUIRED COMPONENTS Interpreter)
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "saccade (= ${PROJECT_VERSION}), python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
endif()
set(CPACK_STRIP_FILES ON)
include(CPack)
