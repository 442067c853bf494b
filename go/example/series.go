package example

import (
	"github.com/cloudwego/gopkg/protocol/thrift"

	"github.com/bytelane/bytelane/go/thriftlist"
)

// Series is a handwritten struct that Kitex accepts like generated ones: it
// implements thrift.FastCodec. On the wire it is
//
//	struct Series { 1: string name, 2: list<i64> times, 3: list<double> values }
type Series struct {
	Name   string
	Times  []int64
	Values []float64
}

var _ thrift.FastCodec = (*Series)(nil)

// BLength returns the number of bytes that FastWriteNocopy writes.
func (s *Series) BLength() int {
	return 3*thrift.Binary.FieldBeginLength() +
		thrift.Binary.StringLengthNocopy(s.Name) +
		thriftlist.BLength(s.Times) +
		thriftlist.BLength(s.Values) +
		thrift.Binary.FieldStopLength()
}

// FastWriteNocopy writes the struct to buf.
func (s *Series) FastWriteNocopy(buf []byte, w thrift.NocopyWriter) int {
	offset := thrift.Binary.WriteFieldBegin(buf, thrift.STRING, 1)
	offset += thrift.Binary.WriteStringNocopy(buf[offset:], w, s.Name)
	offset += thrift.Binary.WriteFieldBegin(buf[offset:], thrift.LIST, 2)
	offset += thriftlist.Write(buf[offset:], s.Times)
	offset += thrift.Binary.WriteFieldBegin(buf[offset:], thrift.LIST, 3)
	offset += thriftlist.Write(buf[offset:], s.Values)
	return offset + thrift.Binary.WriteFieldStop(buf[offset:])
}

// FastRead reads the struct from buf, into the slices that s holds.
func (s *Series) FastRead(buf []byte) (int, error) {
	offset := 0
	for {
		kind, id, used, err := thrift.Binary.ReadFieldBegin(buf[offset:])
		offset += used
		if err != nil || kind == thrift.STOP {
			return offset, err
		}
		switch {
		case id == 1 && kind == thrift.STRING:
			s.Name, used, err = thrift.Binary.ReadString(buf[offset:])
		case id == 2 && kind == thrift.LIST:
			s.Times, used, err = thriftlist.ReadInto(s.Times, buf[offset:])
		case id == 3 && kind == thrift.LIST:
			s.Values, used, err = thriftlist.ReadInto(s.Values, buf[offset:])
		default:
			used, err = thrift.Binary.Skip(buf[offset:], kind)
		}
		offset += used
		if err != nil {
			return offset, err
		}
	}
}
