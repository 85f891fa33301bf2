# The Debian package: `cmake --preset package`, build, then `cpack --preset package`. It holds the program, the
# library with its headers, the trained models, the configs and the examples.
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
set(CPACK_STRIP_FILES ON)
include(CPack)
