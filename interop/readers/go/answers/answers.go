// Package answers implements the Go side of the exchange with ../reader_programs.py.
package answers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type answer struct {
	Values []string `json:"values"`
	Error  string   `json:"error,omitempty"`
}

// Serve reads a path from each line of standard input, and writes the values that read returns for
// the file, or the error, as a line of JSON. read may panic.
func Serve(read func(path string) ([]string, error)) {
	paths := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for paths.Scan() {
		values, err := recovered(read, paths.Text())
		reply := answer{Values: values}
		if err != nil {
			reply = answer{Error: err.Error()}
		}
		if err := answers.Encode(reply); err != nil {
			panic(err)
		}
	}
}

func recovered(read func(string) ([]string, error), path string) (values []string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return read(path)
}
