module github.com/bytelane/bytelane/interop/thrift/go

go 1.26

require (
	github.com/apache/thrift v0.25.0
	github.com/cloudwego/gopkg v0.1.4
)

require (
	github.com/bytedance/gopkg v0.1.1 // indirect
	golang.org/x/net v0.24.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)
