package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
)

// A pattern is a sequence of Go statements in which an identifier that begins
// with any_ matches any expression, type or name: the same one wherever it is
// repeated.
type pattern []ast.Stmt

func mustParse(statements string) pattern {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+statements+"\n}", parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	return file.Decls[0].(*ast.FuncDecl).Body.List
}

// match compares the first statements of list with the pattern. It returns the
// bindings of the any_ identifiers, or nil if the two differ. The map starts
// with the contents of known.
func (p pattern) match(list []ast.Stmt, known bindings) bindings {
	if len(list) < len(p) {
		return nil
	}
	bound := bindings{}
	for name, node := range known {
		bound[name] = node
	}
	for i, statement := range p {
		if !bound.unify(reflect.ValueOf(statement), reflect.ValueOf(list[i])) {
			return nil
		}
	}
	return bound
}

// bindings maps each any_ identifier, without any_, to what it matched.
type bindings map[string]ast.Node

// name returns the identifier bound to name, or "" if it is something else.
func (b bindings) name(name string) string {
	if identifier, ok := b[name].(*ast.Ident); ok {
		return identifier.Name
	}
	return ""
}

var (
	positionType = reflect.TypeFor[token.Pos]()
	commentType  = reflect.TypeFor[*ast.CommentGroup]()
)

// unify compares two syntax trees field by field. Both were parsed without
// resolving names.
func (b bindings) unify(pattern, node reflect.Value) bool {
	if pattern.Kind() == reflect.Interface {
		pattern = pattern.Elem()
	}
	if node.Kind() == reflect.Interface {
		node = node.Elem()
	}
	if !pattern.IsValid() || !node.IsValid() {
		return pattern.IsValid() == node.IsValid()
	}
	if identifier, ok := pattern.Interface().(*ast.Ident); ok && identifier != nil {
		if name, wild := strings.CutPrefix(identifier.Name, "any_"); wild {
			return b.bind(name, node)
		}
	}
	if pattern.Type() != node.Type() {
		return false
	}
	if pattern.Type() == commentType {
		return true
	}
	if pattern.Type() == positionType { // where it is does not matter, that it is does
		return (pattern.Int() == 0) == (node.Int() == 0)
	}
	switch pattern.Kind() {
	case reflect.Pointer:
		if pattern.IsNil() || node.IsNil() {
			return pattern.IsNil() == node.IsNil()
		}
		return b.unify(pattern.Elem(), node.Elem())
	case reflect.Struct:
		for i := range pattern.NumField() {
			if !b.unify(pattern.Field(i), node.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if pattern.Len() != node.Len() {
			return false
		}
		for i := range pattern.Len() {
			if !b.unify(pattern.Index(i), node.Index(i)) {
				return false
			}
		}
		return true
	default:
		return pattern.Interface() == node.Interface()
	}
}

// bind binds name to node, or compares node with what name is bound to.
func (b bindings) bind(name string, node reflect.Value) bool {
	expression, ok := node.Interface().(ast.Expr)
	if !ok || node.IsNil() {
		return false
	}
	if before, known := b[name]; known {
		return b.unify(reflect.ValueOf(before), node)
	}
	b[name] = expression
	return true
}
