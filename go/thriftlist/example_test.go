package thriftlist_test

import (
	"errors"
	"fmt"

	"github.com/bytelane/bytelane/go/thriftlist"
)

func Example() {
	prices := []float64{1.5, 2}
	buf := make([]byte, thriftlist.BLength(prices))
	thriftlist.Write(buf, prices)
	fmt.Printf("% x\n", buf)

	read, used, err := thriftlist.Read[float64](buf)
	fmt.Println(read, used, err)
	// Output:
	// 04 00 00 00 02 3f f8 00 00 00 00 00 00 40 00 00 00 00 00 00 00
	// [1.5 2] 21 <nil>
}

// A service that decodes one message after another keeps its slices.
func ExampleReadInto() {
	var rows []int32
	for _, message := range [][]byte{
		{8, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2},
		{8, 0, 0, 0, 1, 0, 0, 0, 3},
	} {
		var err error
		rows, _, err = thriftlist.ReadInto(rows, message)
		fmt.Println(rows, cap(rows), err)
	}
	// Output:
	// [1 2] 2 <nil>
	// [3] 2 <nil>
}

func ExampleError() {
	hostile := []byte{10, 0x7f, 0xff, 0xff, 0xff, 0, 0}
	_, _, err := thriftlist.Read[int64](hostile)
	fmt.Println(err)
	fmt.Println(errors.Is(err, thriftlist.ErrTruncated))
	// Output:
	// thriftlist: truncated at byte 7: 2147483647 elements of i64 need more than the 2 bytes left
	// true
}

// Elements of other types are written one by one after the header.
func ExampleAppendHeader() {
	maps := []map[string]bool{{}, {}}
	buf := thriftlist.AppendHeader(nil, thriftlist.Map, len(maps))
	for range maps {
		buf = append(buf, byte(thriftlist.String), byte(thriftlist.Bool), 0, 0, 0, 0)
	}
	size, used, err := thriftlist.ReadHeader(buf, thriftlist.Map, 6)
	fmt.Println(size, used, err)
	// Output: 2 5 <nil>
}
