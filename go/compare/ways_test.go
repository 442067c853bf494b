package compare

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"

	apache "github.com/apache/thrift/lib/go/thrift"
	"github.com/cloudwego/frugal"
	"github.com/cloudwego/gopkg/protocol/thrift"

	"github.com/bytelane/bytelane/go/bigendian"
	"github.com/bytelane/bytelane/go/thriftlist"
)

// A way writes its values as a struct with one list field to the front of buf
// and returns the number of bytes, or reads such a struct. Either may be
// missing.
type way[T thriftlist.Fixed] struct {
	name  string
	write func(buf []byte) int
	read  func(buf []byte) []T
}

// element describes how one type is written and read value by value.
type element[T thriftlist.Fixed] struct {
	name   string
	code   thriftlist.Type
	values func(n int) []T
	// Body of a list: a plain loop for each direction.
	put func(body []byte, values []T)
	get func(values []T, body []byte)
	// gopkg's append functions and Apache Thrift, which have one name per type.
	gopkg       func(buf []byte, values []T) []byte
	apacheWrite func(p apache.TProtocol, values []T) error
	apacheRead  func(p apache.TProtocol, values []T) error
	// The generated struct, for Kitex and Frugal.
	generated func(values []T) thrift.FastCodec
	contents  func(thrift.FastCodec) []T
}

// The message is a field header, the list, and a stop byte. The values begin 8
// bytes in, as in every struct whose first field is a list.
const (
	bodyOffset = 3 + thriftlist.HeaderLength
	stop       = byte(thrift.STOP)
)

// ways returns everything that is compared, with the values to write.
func ways[T interface {
	thriftlist.Fixed
	bigendian.Element
}](e element[T], values []T) []way[T] {
	begin := func(buf []byte, n int) {
		thrift.Binary.WriteFieldBegin(buf, thrift.LIST, 1)
		thrift.Binary.WriteListBegin(buf[3:], thrift.TType(e.code), n)
	}
	finish := func(buf []byte, n int) int {
		end := bodyOffset + bigendian.Size[T](n)
		buf[end] = stop
		return end + 1
	}
	size := func(buf []byte) int { return int(binary.BigEndian.Uint32(buf[4:])) }
	var kept []T
	keep := func(n int) []T {
		if cap(kept) < n {
			kept = make([]T, n)
		}
		return kept[:n]
	}
	written, read := e.generated(values), e.generated(nil)

	return []way[T]{
		{"bytelane", func(buf []byte) int {
			thrift.Binary.WriteFieldBegin(buf, thrift.LIST, 1)
			offset := 3 + thriftlist.Write(buf[3:], values)
			buf[offset] = stop
			return offset + 1
		}, func(buf []byte) []T {
			values, _, _ := thriftlist.Read[T](buf[3:])
			return values
		}},
		{"bytelane-reused", nil, func(buf []byte) []T {
			kept, _, _ = thriftlist.ReadInto(kept, buf[3:])
			return kept
		}},
		{"bytelane-append", func(buf []byte) int {
			buf = thrift.Binary.AppendFieldBegin(buf[:0], thrift.LIST, 1)
			return len(append(thriftlist.Append(buf, values), stop))
		}, nil},
		{"loop", func(buf []byte) int {
			begin(buf, len(values))
			e.put(buf[bodyOffset:], values)
			return finish(buf, len(values))
		}, func(buf []byte) []T {
			values := make([]T, size(buf))
			e.get(values, buf[bodyOffset:])
			return values
		}},
		{"loop-reused", nil, func(buf []byte) []T {
			values := keep(size(buf))
			e.get(values, buf[bodyOffset:])
			return values
		}},
		{"encoding-binary", func(buf []byte) int {
			begin(buf, len(values))
			binary.Append(buf[:bodyOffset], binary.BigEndian, values)
			return finish(buf, len(values))
		}, func(buf []byte) []T {
			values := make([]T, size(buf))
			binary.Decode(buf[bodyOffset:], binary.BigEndian, values)
			return values
		}},
		{"kitex", func(buf []byte) int {
			return written.FastWriteNocopy(buf, nil)
		}, func(buf []byte) []T {
			read.FastRead(buf)
			return e.contents(read)
		}},
		{"gopkg-append", func(buf []byte) int {
			buf = thrift.Binary.AppendFieldBegin(buf[:0], thrift.LIST, 1)
			buf = thrift.Binary.AppendListBegin(buf, thrift.TType(e.code), len(values))
			return len(append(e.gopkg(buf, values), stop))
		}, nil},
		{"frugal", func(buf []byte) int {
			n, _ := frugal.EncodeObject(buf, nil, written)
			return n
		}, func(buf []byte) []T {
			frugal.DecodeObject(buf, read)
			return e.contents(read)
		}},
		{"apache", func(buf []byte) int {
			transport := &apache.TMemoryBuffer{Buffer: bytes.NewBuffer(buf[:0])}
			return apacheWrite(e, transport, values)
		}, func(buf []byte) []T {
			return apacheRead(e, &apache.TMemoryBuffer{Buffer: bytes.NewBuffer(buf)})
		}},
	}
}

var background = context.Background()

// apacheWrite does what the code generated for Apache Thrift does.
func apacheWrite[T thriftlist.Fixed](e element[T], transport *apache.TMemoryBuffer, values []T) int {
	p := apache.NewTBinaryProtocolConf(transport, nil)
	p.WriteStructBegin(background, "Struct")
	p.WriteFieldBegin(background, "values", apache.LIST, 1)
	p.WriteListBegin(background, apache.TType(e.code), len(values))
	e.apacheWrite(p, values)
	p.WriteListEnd(background)
	p.WriteFieldEnd(background)
	p.WriteFieldStop(background)
	p.WriteStructEnd(background)
	return transport.Len()
}

func apacheRead[T thriftlist.Fixed](e element[T], transport *apache.TMemoryBuffer) []T {
	p := apache.NewTBinaryProtocolConf(transport, nil)
	p.ReadStructBegin(background)
	p.ReadFieldBegin(background)
	_, size, err := p.ReadListBegin(background)
	if err != nil {
		return nil
	}
	values := make([]T, size)
	e.apacheRead(p, values)
	p.ReadListEnd(background)
	p.ReadFieldEnd(background)
	p.ReadFieldBegin(background)
	p.ReadStructEnd(background)
	return values
}

// fill returns n values of every magnitude, the same ones each time.
func fill[T any](value func(bits uint64) T) func(n int) []T {
	return func(n int) []T {
		values := make([]T, n)
		for i := range values {
			bits := 0x9e3779b97f4a7c15 * uint64(i+1)
			values[i] = value(bits ^ bits>>29)
		}
		return values
	}
}

func double(bits uint64) float64 { return math.Ldexp(float64(int64(bits)), int(bits%60)-90) }
