#!/usr/bin/env bash
# Measures everything and keeps the result in benchmarks/record, at the root of
# the repository:
#
#   NAME.txt            every way of writing and reading a list
#   NAME-messages.txt   Kitex's code and the output of kitexlists: messages
#                       with lists of 0 to 1,000 elements, with allocations
#   NAME-offsets.txt    bigendian.Write to destinations at offsets 0 to 7, from
#                       256 bytes to 512 KiB
#
#   ./record.sh NAME        e.g. 2026-11-22-go-sapphire-rapids
#   RUN="taskset -c 3" ./record.sh NAME
#
# Needs the package duckdb of Python for the ratios. All figures are medians of interleaved turns, see the package interleave. Do not use
# a real-time scheduler: Linux stops its processes for 50 ms in every second.
set -euo pipefail
cd "$(dirname "$0")"
name=${1:?usage: record.sh NAME}
record=../../benchmarks/record/$name
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go generate .
read -ra run <<<"${RUN:-taskset -c 1}"

go test -c -o "$work/compare" .
go build -o "$work/" ./messages ./offsets
environment() {
    echo "go: $(go env GOVERSION)"
    echo "goos: $(go env GOOS)"
    echo "goarch: $(go env GOARCH)"
    sed -n '/^model name/{s/.*: */cpu: /p;q}' /proc/cpuinfo
}
{
    environment
    "${run[@]}" "$work/compare" -test.run '^TestRecord$' -record 41 | grep ^Benchmark
} >"$work/lists.txt"
for part in messages offsets; do
    {
        environment
        "${run[@]}" "$work/$part"
    } >"$work/$part.txt"
done
mkdir -p "$(dirname "$record")"
mv "$work/lists.txt" "$record.txt"
mv "$work/messages.txt" "$record-messages.txt"
mv "$work/offsets.txt" "$record-offsets.txt"
python3 ../../benchmarks/tables/go_lists.py "$record.txt"
grep SLOWER "$record-messages.txt" || echo "rewritten code is nowhere slower by more than the greater of 3% and 1 ns"
