package fsst_test

import (
	"fmt"

	"github.com/bytelane/bytelane/go/fsst"
)

func Example() {
	urls := []string{"https://example.com/one", "https://example.com/two", "https://example.org/"}
	table := fsst.Train(urls)

	encoded := table.AppendEncode(nil, []byte("https://example.com/three"))
	text, err := table.AppendDecode(nil, encoded)
	fmt.Println(len(encoded) < 16, string(text), err)
	// Output: true https://example.com/three <nil>
}

// Many strings at once, as in Arrow: bytes and offsets.
func ExampleEncode() {
	table, err := fsst.NewTable([]string{"https://", ".com"})
	if err != nil {
		panic(err)
	}
	encoded, err := fsst.Encode(table, fsst.Join[int32]([]string{"https://a.com", "b.com"}))
	fmt.Println(encoded.Bytes, encoded.Offsets, err)

	last, err := fsst.Decode(table, encoded.Range(1, 2))
	fmt.Println(string(last.At(0)), err)
	// Output:
	// [0 255 97 1 255 98 1] [0 4 7] <nil>
	// b.com <nil>
}

func ExampleFinder() {
	table, err := fsst.NewTable([]string{"one", "two"})
	if err != nil {
		panic(err)
	}
	finder := table.NewFinder([]byte("netw"))
	found, err := finder.In([]byte{1, 0, 1})
	fmt.Println(found, err)
	// Output: true <nil>
}
