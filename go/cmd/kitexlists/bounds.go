package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/bits"
	"slices"
	"strings"
)

// Code that Kitex generates before it allocates memory for the elements of a
// container, and code that this command adds after it.
var (
	readListBegin = mustParse(`
		_, any_size, l, err := thrift.Binary.any_readBegin(buf[offset:])
		offset += l
		if err != nil {
			return offset, err
		}`)
	readMapBegin = mustParse(`
		_, _, any_size, l, err := thrift.Binary.any_readBegin(buf[offset:])
		offset += l
		if err != nil {
			return offset, err
		}`)
	readTypedBegin = mustParse(`_type, any_size, l, err := thrift.Binary.any_readBegin(buf[offset:])`)
	boundCheck     = mustParse(`
		if any_size > any_most {
			return offset, thrift.NewProtocolException(thrift.INVALID_DATA, thriftlist.TooMany(any_size, len(buf)-offset).Error())
		}`)
)

// smallest is the minimum number of bytes of a value, by the end or the
// beginning of the name of Kitex's method that reads it.
var smallest = map[string]int{
	"ReadBool": 1, "ReadByte": 1, "ReadI16": 2, "ReadI32": 4, "ReadI64": 8, "ReadDouble": 8,
	"ReadString": 4, "ReadBinary": 4, "ReadListBegin": 5, "ReadSetBegin": 5, "ReadMapBegin": 6,
	"FastRead": 1, // a struct
}

// bound adds a check of the size that the first statements read.
func (r *rewriter) bound(list []ast.Stmt) {
	if readTypedBegin.match(list, nil) != nil { // the work of an earlier run
		r.forget(list[0])
		return
	}
	begin, values := readListBegin, 1
	bound := begin.match(list, nil)
	if bound == nil {
		begin, values = readMapBegin, 2
		bound = begin.match(list, nil)
	}
	kind := bound.name("readBegin")
	if bound == nil || kind != "ReadListBegin" && kind != "ReadSetBegin" && kind != "ReadMapBegin" {
		return
	}
	r.forget(list[0])
	rest := list[len(begin):]
	loop := loopTo(rest, bound.name("size"))
	var reads []string
	if loop != nil {
		reads = valuesRead(loop.Body.List)
	}
	if len(reads) != values || slices.ContainsFunc(reads, func(read string) bool { return smallest[read] == 0 }) {
		r.unknown(list[0], "the size of a container", "what is read for each element is not what kitex 0.12 to 0.16 generates")
		return
	}
	least := 0
	for _, read := range reads {
		least += smallest[read]
	}
	// Dividing by a power of two costs nothing, and bounds memory as well.
	least = 1 << (bits.Len(uint(least)) - 1)
	left := "len(buf)-offset"
	if least > 1 {
		left = fmt.Sprintf("(len(buf)-offset)/%d", least)
	}
	if boundCheck.match(rest, bindings{"size": bound["size"]}) == nil { // not yet the work of an earlier run
		r.edit(list[len(begin)-1].End(), list[len(begin)-1].End(), fmt.Sprintf(`
			if %[1]s > %[2]s {
				return offset, thrift.NewProtocolException(thrift.INVALID_DATA, thriftlist.TooMany(%[1]s, len(buf)-offset).Error())
			}`, bound.name("size"), left))
		r.counts.bounds++
	}
	if values == 1 && fixedTypes[strings.TrimPrefix(reads[0], "Read")] != "" {
		r.unknown(list[0], "a list of fixed-width elements, read", "its loop is not one that kitex 0.12 to 0.16 generates, or has a comment inside")
		return
	}
	r.byDesign(list[0], describe(kind, reads)+", read", "only its size is checked")
}

// loopTo returns the loop to size among the statements.
func loopTo(list []ast.Stmt, size string) *ast.ForStmt {
	for _, statement := range list {
		if loop, ok := statement.(*ast.ForStmt); ok && mentions([]ast.Stmt{&ast.ExprStmt{X: loop.Cond}}, size) {
			return loop
		}
	}
	return nil
}

// valuesRead returns the names of Kitex's methods for the values that the
// statements read, or FastRead for a struct. Of a nested list, only the header
// counts.
func valuesRead(list []ast.Stmt) (reads []string) {
	for _, statement := range list {
		switch statement := statement.(type) {
		case *ast.AssignStmt:
			if name := kitexCall(statement.Rhs[0]); smallest[name] > 0 {
				reads = append(reads, name)
			}
		case *ast.IfStmt:
			assign, ok := statement.Init.(*ast.AssignStmt)
			if !ok {
				continue
			}
			name := kitexCall(assign.Rhs[0])
			if call, ok := assign.Rhs[0].(*ast.CallExpr); ok && name == "" {
				if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "FastRead" {
					name = "FastRead"
				}
			}
			if name != "" {
				reads = append(reads, name)
			} else if masked, ok := statement.Else.(*ast.BlockStmt); ok { // if _, ex := fm.Int(i); !ex { skip } else { read }
				reads = append(reads, valuesRead(masked.List)...)
			}
		}
	}
	return reads
}

// Code that Kitex generates to skip an unknown field.
var (
	skipLabelled = mustParse(`l, err = thrift.Binary.Skip(buf[offset:], any_type)`)
	skipDirectly = mustParse(`
		l, err := thrift.Binary.Skip(buf[offset:], any_type)
		offset += l
		if err != nil {
			return offset, err
		}`)
	skipFailed = mustParse(`return offset, thrift.PrependError(any_text, err)`)
)

// skips makes thriftlist skip what the function skips. If the function returns
// the errors, they become Kitex's errors.
func (r *rewriter) skips() {
	var failed *ast.ReturnStmt
	var calls []*ast.CallExpr
	ast.Inspect(r.function.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.LabeledStmt:
			if node.Label.Name == "SkipFieldError" && skipFailed.match([]ast.Stmt{node.Stmt}, nil) != nil {
				failed = node.Stmt.(*ast.ReturnStmt)
			}
		case *ast.BlockStmt:
			for i := range node.List {
				r.skipDirectly(node.List[i:])
			}
			calls = append(calls, skipsOf(node.List)...)
		case *ast.CaseClause:
			calls = append(calls, skipsOf(node.Body)...)
		}
		return true
	})
	if failed == nil || len(calls) == 0 {
		return
	}
	for _, call := range calls {
		r.skip(call)
	}
	exception := failed.Results[1].(*ast.CallExpr).Args[1]
	r.edit(exception.Pos(), exception.End(), "thrift.NewProtocolException(thrift.INVALID_DATA, err.Error())")
}

// skipsOf returns the calls of Skip whose errors are handled at a label.
func skipsOf(list []ast.Stmt) (calls []*ast.CallExpr) {
	for i := range list {
		if skipLabelled.match(list[i:], nil) != nil {
			calls = append(calls, list[i].(*ast.AssignStmt).Rhs[0].(*ast.CallExpr))
		}
	}
	return calls
}

// skipDirectly replaces a call of Skip whose error is returned at once.
func (r *rewriter) skipDirectly(list []ast.Stmt) {
	if skipDirectly.match(list, nil) == nil {
		return
	}
	r.skip(list[0].(*ast.AssignStmt).Rhs[0].(*ast.CallExpr))
	returned := list[2].(*ast.IfStmt).Body.List[0].(*ast.ReturnStmt).Results[1]
	r.edit(returned.Pos(), returned.End(), "thrift.NewProtocolException(thrift.INVALID_DATA, err.Error())")
}

// skip replaces one call of Kitex's Skip.
func (r *rewriter) skip(call *ast.CallExpr) {
	r.edit(call.Pos(), call.End(), fmt.Sprintf("thriftlist.Skip(buf[offset:], thriftlist.Type(%s))", r.text(call.Args[1])))
	r.done[call] = true
	r.counts.skips++
}

// forget marks the calls within nodes as handled.
func (r *rewriter) forget(nodes ...ast.Stmt) {
	for _, node := range nodes {
		ast.Inspect(node, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				r.done[call] = true
			}
			return true
		})
	}
}

// position returns where a node begins.
func (r *rewriter) position(node ast.Node) token.Position { return r.files.Position(node.Pos()) }
