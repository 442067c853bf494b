package bigendian_test

import (
	"fmt"

	"github.com/bytelane/bytelane/go/bigendian"
)

func Example() {
	values := []int32{1, -2, 0x01020304}
	wire := bigendian.Append(nil, values)
	fmt.Printf("% x\n", wire)
	fmt.Println(bigendian.Read[int32](wire, 3))
	// Output:
	// 00 00 00 01 ff ff ff fe 01 02 03 04
	// [1 -2 16909060]
}

// With a buffer and a slice that are reused, both directions allocate nothing.
func ExampleReadInto() {
	message := []byte{'d', 0x3f, 0xf8, 0, 0, 0, 0, 0, 0}
	values := make([]float64, 0, 1000)

	values = values[:1]
	used := bigendian.ReadInto(values, message[1:])
	fmt.Println(values, used)
	// Output: [1.5] 8
}

func ExampleWrite() {
	ports := []uint16{80, 443}
	buf := make([]byte, 16)
	n := bigendian.Write(buf, ports)
	fmt.Printf("% x\n", buf[:n])
	// Output: 00 50 01 bb
}
