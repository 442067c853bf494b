# Appends the flags of the environment to those of a C library. That of Stream VByte asks for the machine's own instruction
# set, and the last flag counts.
separate_arguments(flags UNIX_COMMAND "$ENV{CFLAGS}")
add_compile_options(${flags})
