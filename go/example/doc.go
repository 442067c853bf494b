// Package example shows both ways to use bytelane's lists in a Kitex service.
// Its tests exchange bytes with Kitex's own code.
//
// The generated way: the command kitex generated kitex_gen from
// telemetry.thrift, and the command kitexlists then rewrote it:
//
//	go tool kitex -module github.com/bytelane/bytelane/go/example telemetry.thrift
//	go run github.com/bytelane/bytelane/go/cmd/kitexlists kitex_gen/telemetry/k-*.go
//
// The tests communicate with plain_gen, the same code before it was rewritten.
// It is generated when it is used:
//
//	go generate .
//
// The handwritten way: [Series] implements Kitex's FastCodec with the package
// thriftlist.
package example

//go:generate ./generate.sh
