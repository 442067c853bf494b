// Reads the values of a file's first column with the library arrow-go.
package main

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/bytelane/bytelane/interop/readers/go/answers"
)

// Several batches per page, some of which extend into the next page.
var properties = pqarrow.ArrowReadProperties{BatchSize: 64}

func main() {
	answers.Serve(read)
}

func read(path string) ([]string, error) {
	whole, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	reader, err := pqarrow.NewFileReader(whole, properties, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	table, err := reader.ReadTable(context.Background())
	if err != nil {
		return nil, err
	}
	defer table.Release()
	var values []string
	for _, chunk := range table.Column(0).Data().Chunks() {
		for row := range chunk.Len() {
			// The text of a float is the shortest one that restores its bits.
			values = append(values, chunk.ValueStr(row))
		}
	}
	return values, nil
}
