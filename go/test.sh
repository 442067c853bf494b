#!/usr/bin/env bash
# Runs all tests in go/: the library in all its builds, then the modules
# example/ and compare/.
#
#   ./test.sh              tests that need only Go
#   ./test.sh --race       also under the race detector (needs cgo and a C compiler)
#   ./test.sh --arm64      also for arm64 under qemu (needs qemu-aarch64-static)
#   ./test.sh --s390x      also on a big-endian machine under qemu (needs qemu-s390x-static)
#   ./test.sh --require .. a missing tool fails the run instead of skipping tests
set -euo pipefail
cd "$(dirname "$0")"

race=false arm64=false s390x=false require=false
for argument in "$@"; do
    case $argument in
    --race) race=true ;;
    --arm64) arm64=true ;;
    --s390x) s390x=true ;;
    --require) require=true ;;
    *)
        echo "test.sh: unknown argument $argument" >&2
        exit 2
        ;;
    esac
done

stage() { echo "== go: $*"; }

# skip WHAT WHY: reports a skipped test, and fails if everything is required.
skip() {
    echo "SKIPPED: go: $1: $2"
    if $require; then
        echo "test.sh: --require, and $1 cannot run" >&2
        exit 1
    fi
}

if ! command -v go >/dev/null; then
    skip "everything" "there is no command go"
    exit 0
fi
if [[ ! -d ../testdata/golden/big_endian ]]; then
    echo "test.sh: the golden files are missing" >&2
    exit 1
fi

stage "format and vet, on every kind of build"
(cd compare && go generate .)
(cd example && go generate .)
unformatted=$(gofmt -l .)
if [[ -n $unformatted ]]; then
    echo "test.sh: not formatted: $unformatted" >&2
    exit 1
fi
for architecture in amd64 arm64 386 s390x; do
    GOARCH=$architecture CGO_ENABLED=0 go vet ./...
done
go vet -tags purego ./...

stage "staticcheck"
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
(cd compare && go build -o "$tools/staticcheck" honnef.co/go/tools/cmd/staticcheck)
"$tools/staticcheck" ./...
GOARCH=arm64 CGO_ENABLED=0 "$tools/staticcheck" ./...
"$tools/staticcheck" -tags purego ./...

# The library's tests, and those of the code that kitexlists has rewritten.
tested() {
    go test "$@" ./...
    (cd compare && go test "$@" ./messages)
}

stage "tests"
tested
if [[ $(go env GOARCH) == amd64 ]] && ! grep -qw avx2 /proc/cpuinfo; then
    skip "the AVX2 path" "this processor has no AVX2"
fi
if [[ $(go env GOARCH) == amd64 ]] && ! grep -qw avx512_vbmi2 /proc/cpuinfo; then
    skip "the AVX-512 path" "this processor has no AVX-512 with VBMI2"
fi
stage "tests of the plain loops (purego)"
tested -tags purego
# The race detector checks pointers, too.
if ! $race; then
    stage "tests with checked pointers"
    tested -gcflags=all=-d=checkptr
fi

stage "the commands of the documents, from an empty directory"
./readme_test.sh

# A fixed number of runs, since a duration that ends while a worker is busy sometimes fails with
# "context deadline exceeded".
stage "fuzzing, briefly"
fuzz() { go test -run '^$' -fuzz "^$2\$" -fuzztime 20000x "./$1"; }
fuzz internal/bulk FuzzConvert
fuzz bigendian FuzzAgainstEncodingBinary
fuzz thriftlist FuzzRead
fuzz thriftlist FuzzSkip
fuzz fsst FuzzAnyTableAndCodes

if $race; then
    stage "tests under the race detector"
    if [[ $(go env CGO_ENABLED) == 1 ]] && command -v "$(go env CC)" >/dev/null; then
        tested -race
    else
        skip "the race detector" "it needs cgo and a C compiler"
    fi
fi

# emulated ARCHITECTURE EMULATOR
emulated() {
    stage "tests on $1 under $2"
    if command -v "$2" >/dev/null; then
        GOARCH=$1 CGO_ENABLED=0 go test -exec "$2" ./bigendian ./fsst ./thriftlist ./internal/...
        (cd compare && GOARCH=$1 CGO_ENABLED=0 go test -exec "$2" ./messages)
    else
        skip "$1" "there is no $2"
    fi
}
if $arm64; then emulated arm64 qemu-aarch64-static; fi
if $s390x; then emulated s390x qemu-s390x-static; fi

stage "benchmarks, once each"
go test -run '^$' -bench . -benchtime 1x ./... >/dev/null

stage "example: Kitex's packages"
(cd example && go vet ./... && "$tools/staticcheck" . && go test ./...)
stage "compare: every way agrees, and every benchmark runs"
(
    cd compare
    go vet ./...
    "$tools/staticcheck" . ./interleave ./messages ./offsets
    go test ./...
    go test -run '^$' -bench . -benchtime 1x . >/dev/null
)

echo "== go: passed"
