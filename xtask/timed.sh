#!/bin/sh
# Runs a test program with unstable options that print the time of each test. The value of the variable
# allows these to the program, and forbids unstable features to compilers that it starts.
RUSTC_BOOTSTRAP=-1 exec "$@" -Zunstable-options --report-time
