# Targets: bytelane::bytelane, bytelane::bytelane_static, bytelane::streamvbyte and
# bytelane::streamvbyte_static.

get_filename_component(_bytelane_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

function(_bytelane_add name file)
    if(TARGET bytelane::${name})
        return()
    endif()
    add_library(bytelane::${name} SHARED IMPORTED)
    set_target_properties(bytelane::${name} PROPERTIES
        IMPORTED_LOCATION "${_bytelane_prefix}/lib/lib${file}.so"
        IMPORTED_SONAME "lib${file}.so.@ABI@"
        INTERFACE_INCLUDE_DIRECTORIES "${_bytelane_prefix}/include")
    add_library(bytelane::${name}_static STATIC IMPORTED)
    set_target_properties(bytelane::${name}_static PROPERTIES
        IMPORTED_LOCATION "${_bytelane_prefix}/lib/lib${file}.a"
        INTERFACE_INCLUDE_DIRECTORIES "${_bytelane_prefix}/include"
        INTERFACE_LINK_LIBRARIES "@PRIVATE@")
endfunction()

_bytelane_add(bytelane bytelane)
_bytelane_add(streamvbyte bytelane_streamvbyte)
unset(_bytelane_prefix)
