// Package example shows both ways in which a Kitex service takes bytelane's
// lists, and its tests exchange bytes with Kitex's own code.
//
// The generated way: kitex_gen is what the command kitex made of
// telemetry.thrift and the command kitexlists then rewrote. plain_gen is the
// same before it was rewritten, which the tests talk to. Both come from
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
