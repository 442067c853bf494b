module github.com/bytelane/bytelane/go/compare

go 1.26.0

require (
	github.com/apache/thrift v0.25.0
	github.com/bytelane/bytelane/go v0.0.0
	github.com/cloudwego/frugal v0.3.0
	github.com/cloudwego/gopkg v0.1.6
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/bytedance/gopkg v0.1.1 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)

tool honnef.co/go/tools/cmd/staticcheck

replace github.com/bytelane/bytelane/go => ../
