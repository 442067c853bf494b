// Package compare measures the packages bigendian and thriftlist against what
// Go services use today, in one process: Kitex's generated code, the append
// functions of gopkg that it builds on, Apache Thrift, Frugal, and plain loops
// over encoding/binary. It is a module of its own, so that none of them becomes
// a dependency of the library.
//
// Every way writes and reads the same message, a struct with one list field,
// and is checked against the others before it is timed. As the limit, copy
// moves the list's bytes without converting them.
//
//	go generate .                                      # make kitex_gen and bulk_gen, which the others need
//	go test ./...                                      # every way agrees
//	./record.sh 2026-11-22-go-sapphire-rapids          # measure, and keep it
//	python3 ../../benchmarks/tables/go_lists.py FILE   # the ratios of a record
//	go run ./messages                                  # what kitexlists makes of Kitex's code
//	go run ./offsets                                   # destinations that are not aligned
//
// generate.sh creates kitex_gen, what Kitex generates from lists.thrift, and
// bulk_gen, a copy of it whose k-lists.go kitexlists has rewritten.
package compare

//go:generate ./generate.sh
