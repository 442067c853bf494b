// The library arrow-go: the values of a file's first column.
package main

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/bytelane/bytelane/interop/go-readers/answers"
)

func main() {
	answers.Serve(read)
}

func read(path string) ([]string, error) {
	whole, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	var values []string
	for group := range whole.NumRowGroups() {
		column, err := whole.RowGroup(group).Column(0)
		if err != nil {
			return nil, err
		}
		values, err = appendColumn(values, column)
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

func appendColumn(values []string, column file.ColumnChunkReader) ([]string, error) {
	switch column := column.(type) {
	case *file.Int32ColumnChunkReader:
		return appendValues(values, column, column.ReadBatch, func(value int32) any { return value })
	case *file.Int64ColumnChunkReader:
		return appendValues(values, column, column.ReadBatch, func(value int64) any { return value })
	case *file.Float32ColumnChunkReader:
		return appendValues(values, column, column.ReadBatch, func(value float32) any { return math.Float32bits(value) })
	case *file.Float64ColumnChunkReader:
		return appendValues(values, column, column.ReadBatch, func(value float64) any { return math.Float64bits(value) })
	case *file.ByteArrayColumnChunkReader:
		return appendValues(values, column, column.ReadBatch, func(value parquet.ByteArray) any { return value })
	case *file.FixedLenByteArrayColumnChunkReader:
		return appendValues(values, column, column.ReadBatch, func(value parquet.FixedLenByteArray) any { return value })
	}
	return nil, fmt.Errorf("a column of type %T", column)
}

type batchReader[T any] func(batchSize int64, values []T, definitions, repetitions []int16) (int64, int, error)

func appendValues[T any](
	values []string, column file.ColumnChunkReader, readBatch batchReader[T], bits func(T) any,
) ([]string, error) {
	buffer := make([]T, 100)
	definitions := make([]int16, len(buffer))
	highest := column.Descriptor().MaxDefinitionLevel()
	for column.HasNext() {
		rows, _, err := readBatch(int64(len(buffer)), buffer, definitions, nil)
		if err != nil {
			return nil, err
		}
		if rows == 0 {
			break
		}
		present := 0
		for row := range rows {
			if highest > 0 && definitions[row] < highest {
				values = append(values, "null")
				continue
			}
			values = append(values, fmt.Sprintf("%x", bits(buffer[present])))
			present++
		}
	}
	return values, column.Err()
}
