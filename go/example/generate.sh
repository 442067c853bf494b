#!/usr/bin/env bash
# Makes plain_gen: the code that kitex generates, before kitexlists rewrites it.
set -euo pipefail
cd "$(dirname "$0")"
rm -rf plain_gen
go tool kitex -module github.com/bytelane/bytelane/go/example -gen-path plain_gen telemetry.thrift
