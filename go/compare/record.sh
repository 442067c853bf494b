#!/usr/bin/env bash
# Measures every way and keeps the result as benchmarks/record/NAME.txt, at the
# root of the repository: the output of all rounds, which benchstat reads. The
# rounds go through all benchmarks in turn, so that a slow minute of the machine
# meets every way.
#
#   ./record.sh NAME        e.g. 2026-11-21-go-sapphire-rapids
#   RUN="taskset -c 3" ROUNDS=21 ./record.sh NAME
#
# Not under a real-time scheduler: Linux stops its processes for 50 ms in every
# second, which doubles the time of whichever benchmark is running.
set -euo pipefail
cd "$(dirname "$0")"
name=${1:?usage: record.sh NAME}
record=../../benchmarks/record/$name.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

go test -c -o "$work/compare" .
for ((round = 0; round < ${ROUNDS:-11}; round++)); do
    ${RUN:-taskset -c 1} "$work/compare" -test.run '^$' -test.bench . -test.cpu 1 \
        -test.benchtime "${BENCHTIME:-50ms}" >>"$work/raw"
done
mkdir -p "$(dirname "$record")"
{
    echo "go: $(go env GOVERSION)"
    awk '/^[a-z]+: / { if (!seen[$0]++) print; next } /^Benchmark/ { print $1, $2, $3, $4 }' "$work/raw"
} >"$work/record"
mv "$work/record" "$record"
go tool benchstat -row .name,/type,/n -col /by "$record" >"${record%.txt}.benchstat.txt"
go run ./ratios <"$record"
