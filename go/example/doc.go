// Package example shows both ways to use bytelane's lists in a Kitex service.
// Its tests exchange bytes with Kitex's own code.
//
// The generated way: the command kitex generated kitex_gen from
// telemetry.thrift, and the command kitexlists then rewrote it. plain_gen is
// the same code before it was rewritten; the tests communicate with it. Both
// come from
//
//	go run github.com/cloudwego/kitex/tool/cmd/kitex@v0.15.0 \
//		-module github.com/bytelane/bytelane/go/example telemetry.thrift
//	go run github.com/cloudwego/kitex/tool/cmd/kitex@v0.15.0 \
//		-module github.com/bytelane/bytelane/go/example -gen-path plain_gen telemetry.thrift
//	go run github.com/bytelane/bytelane/go/cmd/kitexlists kitex_gen/telemetry/k-*.go
//
// The handwritten way: [Series] implements Kitex's FastCodec with the package
// thriftlist.
package example
