package main

import (
	"fmt"
	"go/ast"
	"strings"
)

func (f finding) String() string {
	if f.where == "" {
		return fmt.Sprintf("%s: %s: %s", f.position.Filename, f.what, f.why)
	}
	return fmt.Sprintf("%s:%d: %s: %s: %s", f.position.Filename, f.position.Line, f.where, f.what, f.why)
}

// unknown records that code was left alone because it was not recognised.
func (r *rewriter) unknown(node ast.Node, what, why string) { r.find(node, what, why, true) }

// byDesign records that code was left alone because a call for the whole list
// would not make it faster.
func (r *rewriter) byDesign(node ast.Node, what, why string) { r.find(node, what, why, false) }

func (r *rewriter) find(node ast.Node, what, why string, unknown bool) {
	where := r.function.Name.Name
	if structure := receiver(r.function); structure != "" {
		where = structure + "." + where
	}
	r.findings = append(r.findings, finding{r.position(node), where, what, why, unknown})
}

// leftovers records the calls of Kitex in the current function that nothing
// above has handled, if they belong to containers or skip values.
func (r *rewriter) leftovers() {
	ast.Inspect(r.function.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || r.done[call] {
			return true
		}
		if isFrugal(call) {
			r.unknown(call, "the whole struct", "it is left to frugal, as after kitex -frugal-struct")
			return true
		}
		switch name := kitexCall(call); name {
		case "WriteListBegin", "WriteSetBegin":
			r.leftWrite(call, name)
		case "WriteMapBegin":
			r.byDesign(call, "map, written", "its entries go one by one")
		case "ReadListBegin", "ReadSetBegin", "ReadMapBegin":
			r.unknown(call, "the size of a container", "its loop is not one that kitex 0.12 to 0.16 generates")
		case "Skip":
			r.unknown(call, "a value that is skipped", "its error is not handled as in what kitex 0.12 to 0.16 generates")
		}
		return true
	})
}

// leftWrite records a list that is written as before.
func (r *rewriter) leftWrite(call *ast.CallExpr, name string) {
	element := ""
	if len(call.Args) == 3 {
		element = strings.TrimPrefix(r.text(call.Args[1]), "thrift.")
	}
	kind := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "Write"), "Begin"))
	switch element {
	case "STRING":
		r.byDesign(call, kind+" of strings or binaries, written", "Kitex hands long ones on without copying them")
	case "STRUCT", "MAP", "SET", "LIST":
		r.byDesign(call, kind+" of "+strings.ToLower(element)+"s, written", "its elements are of different sizes")
	default:
		r.unknown(call, kind+" of fixed-width elements, written", "its loop is not one that kitex 0.12 to 0.16 generates, or has a comment inside")
	}
}

// isFrugal reports whether a call passes a struct to frugal.
func isFrugal(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	library, ok := method.X.(*ast.Ident)
	return ok && library.Name == "frugal"
}

// describe names a container by Kitex's methods that read it.
func describe(begin string, reads []string) string {
	names := make([]string, len(reads))
	for i, read := range reads {
		switch {
		case read == "FastRead":
			names[i] = "struct"
		default:
			names[i] = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(read, "Read"), "Begin"))
		}
	}
	kind := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(begin, "Read"), "Begin"))
	return fmt.Sprintf("%s<%s>", kind, strings.Join(names, ", "))
}
