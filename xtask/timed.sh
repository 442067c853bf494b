#!/bin/sh
# Runs a test program so that it prints the time of each test, which only unstable options do. The value
# of the variable allows them to the program, and forbids unstable features to compilers that it starts.
RUSTC_BOOTSTRAP=-1 exec "$@" -Zunstable-options --report-time
