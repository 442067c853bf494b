// Reads the values of a file's first column with the library parquet-go.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bytelane/bytelane/interop/readers/go/answers"
	"github.com/parquet-go/parquet-go"
)

func main() {
	answers.Serve(read)
}

func read(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	status, err := file.Stat()
	if err != nil {
		return nil, err
	}
	whole, err := parquet.OpenFile(file, status.Size())
	if err != nil {
		return nil, err
	}
	var values []string
	for _, group := range whole.RowGroups() {
		values, err = appendRows(values, group.Rows())
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

func appendRows(values []string, rows parquet.Rows) ([]string, error) {
	defer rows.Close()
	buffer := make([]parquet.Row, 100)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			text := "null"
			if !row[0].IsNull() {
				text = fmt.Sprintf("%x", row[0].Bytes())
			}
			values = append(values, text)
		}
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
