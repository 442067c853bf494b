// Package golden generates the files of testdata/golden/big_endian, at the
// root of the repository, which the tests of every language read. It is
// independent of the code under test: it uses only encoding/binary, value by
// value.
package golden

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Count is the number of values in each file: odd, and not a multiple of a
// vector.
const Count = 97

// Read returns a golden file for a package at depth levels below the module's
// directory. The files lie outside the module, so the test is skipped for
// users who have only the module.
func Read(t *testing.T, depth int, name string) []byte {
	t.Helper()
	return ReadFrom(t, depth, "big_endian", name)
}

// ReadFrom returns a golden file of any codec, as Read does.
func ReadFrom(t *testing.T, depth int, codec, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(directory(depth, codec), name))
	if os.IsNotExist(err) {
		t.Skipf("SKIPPED: no golden files beside this module: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func directory(depth int, codec string) string {
	path := filepath.Join("..", "testdata", "golden", codec)
	for range depth {
		path = filepath.Join("..", path)
	}
	return path
}

// Files returns every golden file by its name.
func Files() map[string][]byte {
	files := map[string][]byte{}
	number := func(name string, width int, thriftType byte, value func(i int) uint64) {
		var values, swapped []byte
		for i := range Count {
			values = appendNumber(binary.LittleEndian, values, width, value(i))
			swapped = appendNumber(binary.BigEndian, swapped, width, value(i))
		}
		files[name+".values"] = values
		if width > 1 {
			files[name+".bytes"] = swapped
		}
		if thriftType != 0 {
			files[name+".thrift"] = append(header(thriftType, Count), swapped...)
		}
	}
	number("bool", 1, 2, func(i int) uint64 { return integer(i) >> 5 & 1 })
	number("byte", 1, 3, integer)
	number("i16", 2, 6, integer)
	number("u16", 2, 0, integer)
	number("i32", 4, 8, integer)
	number("u32", 4, 0, integer)
	number("i64", 8, 10, integer)
	number("u64", 8, 0, integer)
	number("f32", 4, 0, func(i int) uint64 { return uint64(math.Float32bits(float32(double(i)))) })
	number("f64", 8, 4, func(i int) uint64 { return math.Float64bits(double(i)) })

	var values, list []byte
	for i := range Count {
		text := text(i)
		values = append(binary.LittleEndian.AppendUint32(values, uint32(len(text))), text...)
		list = append(binary.BigEndian.AppendUint32(list, uint32(len(text))), text...)
	}
	files["string.values"] = values
	files["string.thrift"] = append(header(11, Count), list...)
	files["empty_i64.thrift"] = header(10, 0)
	return files
}

func header(thriftType byte, size uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{thriftType}, size)
}

func appendNumber(order binary.AppendByteOrder, to []byte, width int, bits uint64) []byte {
	switch width {
	case 1:
		return append(to, byte(bits))
	case 2:
		return order.AppendUint16(to, uint16(bits))
	case 4:
		return order.AppendUint32(to, uint32(bits))
	default:
		return order.AppendUint64(to, bits)
	}
}

// integer returns the bounds of every width, then the values of SplitMix64
// seeded with 0.
func integer(i int) uint64 {
	bounds := []uint64{
		0, 1, math.MaxUint64, 0x0102030405060708,
		math.MaxInt8, 1 << 7, math.MaxInt16, 1 << 15, math.MaxInt32, 1 << 31, math.MaxInt64, 1 << 63,
	}
	if i < len(bounds) {
		return bounds[i]
	}
	z := uint64(i-len(bounds)+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// double returns the special values, then numbers of mixed sign and exponent.
func double(i int) float64 {
	special := []float64{
		0, math.Copysign(0, -1), 1, -1.5, math.Inf(1), math.Inf(-1), math.NaN(),
		math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, math.SmallestNonzeroFloat32,
	}
	if i < len(special) {
		return special[i]
	}
	bits := integer(i + 12)
	return math.Ldexp(float64(int64(bits)), int(bits%60)-90)
}

// text returns a string of 0 to 16 characters of UTF-8.
func text(i int) string {
	letters := []rune("The quick brown fox, 敏捷的棕色狐狸, été \"\\\x00")
	var text []rune
	for j := range i % 17 {
		text = append(text, letters[(i*7+j)%len(letters)])
	}
	return string(text)
}
