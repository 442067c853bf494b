module github.com/bytelane/bytelane/go/compare

go 1.26.0

require (
	github.com/apache/thrift v0.25.0
	github.com/bytelane/bytelane/go v0.0.0
	github.com/cloudwego/frugal v0.3.0
	github.com/cloudwego/gopkg v0.1.6
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/bytedance/gopkg v0.1.1 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	golang.org/x/sys v0.48.0 // indirect
)

tool golang.org/x/perf/cmd/benchstat

replace github.com/bytelane/bytelane/go => ../
