package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// declaresStructs reports whether the file that belongs to the k-*.go at path
// declares structs. Kitex generates x.go with the types of an IDL, and k-x.go
// with their code.
func declaresStructs(path string) (bool, error) {
	name, ok := strings.CutPrefix(filepath.Base(path), "k-")
	if !ok {
		return false, nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(filepath.Dir(path), name), nil, parser.SkipObjectResolution)
	if os.IsNotExist(err) { // as for k-consts.go
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found := false
	ast.Inspect(file, func(node ast.Node) bool {
		if _, ok := node.(*ast.StructType); ok {
			found = true
		}
		return !found
	})
	return found, nil
}

// defaultFields returns the fields, as Struct.Field, that a method InitDefault
// of a package sets. Their slices may belong to the whole program: a list
// whose default is a constant of the IDL is that constant.
func defaultFields(directory string) (map[string]bool, error) {
	paths, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		return nil, err
	}
	fields := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Name.Name != "InitDefault" || function.Body == nil {
				continue
			}
			ast.Inspect(function.Body, func(node ast.Node) bool {
				if assignment, ok := node.(*ast.AssignStmt); ok {
					for _, target := range assignment.Lhs {
						if field, ok := target.(*ast.SelectorExpr); ok {
							fields[receiver(function)+"."+field.Sel.Name] = true
						}
					}
				}
				return true
			})
		}
	}
	return fields, nil
}
