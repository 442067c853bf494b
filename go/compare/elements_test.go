package compare

import (
	"encoding/binary"
	"math"

	apache "github.com/apache/thrift/lib/go/thrift"
	"github.com/cloudwego/gopkg/protocol/thrift"

	"github.com/bytelane/bytelane/go/compare/kitex_gen/lists"
	"github.com/bytelane/bytelane/go/thriftlist"
)

var shorts = element[int16]{
	name: "i16", code: thriftlist.I16, values: fill(func(bits uint64) int16 { return int16(bits) }),
	put: func(body []byte, values []int16) {
		for i, v := range values {
			binary.BigEndian.PutUint16(body[2*i:], uint16(v))
		}
	},
	get: func(values []int16, body []byte) {
		for i := range values {
			values[i] = int16(binary.BigEndian.Uint16(body[2*i:]))
		}
	},
	gopkg: func(buf []byte, values []int16) []byte {
		for _, v := range values {
			buf = thrift.Binary.AppendI16(buf, v)
		}
		return buf
	},
	apacheWrite: func(p apache.TProtocol, values []int16) error {
		for _, v := range values {
			if err := p.WriteI16(background, v); err != nil {
				return err
			}
		}
		return nil
	},
	apacheRead: func(p apache.TProtocol, values []int16) (err error) {
		for i := range values {
			if values[i], err = p.ReadI16(background); err != nil {
				return err
			}
		}
		return nil
	},
	generated: func(values []int16) thrift.FastCodec { return &lists.Shorts{Values: values} },
	contents:  func(s thrift.FastCodec) []int16 { return s.(*lists.Shorts).Values },
}

var words = element[int32]{
	name: "i32", code: thriftlist.I32, values: fill(func(bits uint64) int32 { return int32(bits) }),
	put: func(body []byte, values []int32) {
		for i, v := range values {
			binary.BigEndian.PutUint32(body[4*i:], uint32(v))
		}
	},
	get: func(values []int32, body []byte) {
		for i := range values {
			values[i] = int32(binary.BigEndian.Uint32(body[4*i:]))
		}
	},
	gopkg: func(buf []byte, values []int32) []byte {
		for _, v := range values {
			buf = thrift.Binary.AppendI32(buf, v)
		}
		return buf
	},
	apacheWrite: func(p apache.TProtocol, values []int32) error {
		for _, v := range values {
			if err := p.WriteI32(background, v); err != nil {
				return err
			}
		}
		return nil
	},
	apacheRead: func(p apache.TProtocol, values []int32) (err error) {
		for i := range values {
			if values[i], err = p.ReadI32(background); err != nil {
				return err
			}
		}
		return nil
	},
	generated: func(values []int32) thrift.FastCodec { return &lists.Words{Values: values} },
	contents:  func(s thrift.FastCodec) []int32 { return s.(*lists.Words).Values },
}

var longs = element[int64]{
	name: "i64", code: thriftlist.I64, values: fill(func(bits uint64) int64 { return int64(bits) }),
	put: func(body []byte, values []int64) {
		for i, v := range values {
			binary.BigEndian.PutUint64(body[8*i:], uint64(v))
		}
	},
	get: func(values []int64, body []byte) {
		for i := range values {
			values[i] = int64(binary.BigEndian.Uint64(body[8*i:]))
		}
	},
	gopkg: func(buf []byte, values []int64) []byte {
		for _, v := range values {
			buf = thrift.Binary.AppendI64(buf, v)
		}
		return buf
	},
	apacheWrite: func(p apache.TProtocol, values []int64) error {
		for _, v := range values {
			if err := p.WriteI64(background, v); err != nil {
				return err
			}
		}
		return nil
	},
	apacheRead: func(p apache.TProtocol, values []int64) (err error) {
		for i := range values {
			if values[i], err = p.ReadI64(background); err != nil {
				return err
			}
		}
		return nil
	},
	generated: func(values []int64) thrift.FastCodec { return &lists.Longs{Values: values} },
	contents:  func(s thrift.FastCodec) []int64 { return s.(*lists.Longs).Values },
}

var doubles = element[float64]{
	name: "double", code: thriftlist.Double, values: fill(double),
	put: func(body []byte, values []float64) {
		for i, v := range values {
			binary.BigEndian.PutUint64(body[8*i:], math.Float64bits(v))
		}
	},
	get: func(values []float64, body []byte) {
		for i := range values {
			values[i] = math.Float64frombits(binary.BigEndian.Uint64(body[8*i:]))
		}
	},
	gopkg: func(buf []byte, values []float64) []byte {
		for _, v := range values {
			buf = thrift.Binary.AppendDouble(buf, v)
		}
		return buf
	},
	apacheWrite: func(p apache.TProtocol, values []float64) error {
		for _, v := range values {
			if err := p.WriteDouble(background, v); err != nil {
				return err
			}
		}
		return nil
	},
	apacheRead: func(p apache.TProtocol, values []float64) (err error) {
		for i := range values {
			if values[i], err = p.ReadDouble(background); err != nil {
				return err
			}
		}
		return nil
	},
	generated: func(values []float64) thrift.FastCodec { return &lists.Doubles{Values: values} },
	contents:  func(s thrift.FastCodec) []float64 { return s.(*lists.Doubles).Values },
}
