package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// Code that Kitex generates to write the list any_values, in two parts:
// between them is the check of a set for duplicates, if it was requested. The
// second part has a form for numbers, one for enums, and the same two behind a
// field mask.
var (
	writeBegin = mustParse(`
		any_begin := offset
		offset += thrift.Binary.any_beginLength()`)
	writeForms = forms(`
		var any_length int
		for _, any_value := range any_values {
			any_length++
			offset += thrift.Binary.any_write(buf[offset:], VALUE)
		}
		thrift.Binary.any_writeBegin(buf[any_begin:], thrift.any_type, any_length)`, `
		var any_length int
		for any_i, any_value := range any_values {
			if _, ex := any_mask.Int(any_i); !ex {
				continue
			} else {
				any_length++
				offset += thrift.Binary.any_write(buf[offset:], VALUE)
			}
		}
		thrift.Binary.any_writeBegin(buf[any_begin:], thrift.any_type, any_length)`,
		"any_value", "int32(any_value)")
)

// Code that Kitex generates to read any_list, in the same forms.
var readForms = forms(`
	_, any_size, l, err := thrift.Binary.any_readBegin(buf[offset:])
	offset += l
	if err != nil {
		return offset, err
	}
	any_list := make(any_slice, 0, any_size)
	for i := 0; i < any_size; i++ {
		var any_value any_element
		if v, l, err := thrift.Binary.any_read(buf[offset:]); err != nil {
			return offset, err
		} else {
			offset += l
			any_value = VALUE
		}
		any_list = append(any_list, any_value)
	}`, `
	_, any_size, l, err := thrift.Binary.any_readBegin(buf[offset:])
	offset += l
	if err != nil {
		return offset, err
	}
	any_list := make(any_slice, 0, any_size)
	for i := 0; i < any_size; i++ {
		if _, ex := any_mask.Int(i); !ex {
			l, err := thrift.Binary.Skip(buf[offset:], thrift.any_skipped)
			offset += l
			if err != nil {
				return offset, err
			}
			continue
		} else {
			var any_value any_element
			if v, l, err := thrift.Binary.any_read(buf[offset:]); err != nil {
				return offset, err
			} else {
				offset += l
				any_value = VALUE
			}
			any_list = append(any_list, any_value)
		}
	}`, "v", "any_element(v)")

// Code after reading a list that is a field and not part of a container.
var assignField = mustParse(`p.any_field = any_list`)

// A form is one way in which Kitex writes or reads a list.
type form struct {
	pattern pattern
	enums   bool
	masked  bool // elements are left out by a field mask, unless it is nil
}

// forms returns the plain and the masked statements with each value inserted.
func forms(plain, masked, number, enum string) []form {
	parse := func(statements, value string) pattern {
		return mustParse(strings.ReplaceAll(statements, "VALUE", value))
	}
	return []form{
		{parse(plain, number), false, false},
		{parse(plain, enum), true, false},
		{parse(masked, number), false, true},
		{parse(masked, enum), true, true},
	}
}

// match returns the form that matches the first statements of list and its
// bindings, or nil.
func match(forms []form, list []ast.Stmt, known bindings) (form, bindings) {
	for _, form := range forms {
		if bound := form.pattern.match(list, known); bound != nil {
			return form, bound
		}
	}
	return form{}, nil
}

// fixedTypes are the elements that thriftlist converts in bulk: the ends of
// the names of Kitex's methods, and its constants.
var fixedTypes = map[string]string{
	"Bool": "BOOL", "Byte": "BYTE", "I16": "I16", "I32": "I32", "I64": "I64", "Double": "DOUBLE",
}

// converts reports whether thriftlist supports the elements that Kitex writes
// and reads with a method of this name.
func (f form) converts(element string) bool {
	return fixedTypes[element] != "" && (!f.enums || element == "I32")
}

// function returns the function of thriftlist for the given operation.
func (f form) function(name, element string) string {
	if f.enums {
		name = strings.Replace(name, "Write", "WriteEnums", 1)
		name = strings.Replace(name, "Read", "ReadEnums", 1)
	}
	if element != "" {
		name += "[" + element + "]"
	}
	return "thriftlist." + name
}

// write replaces the first statements if they write a list.
func (r *rewriter) write(list []ast.Stmt) bool {
	begin := writeBegin.match(list, nil)
	if begin == nil {
		return false
	}
	for checks := range 2 {
		start := len(writeBegin) + checks
		if start > len(list) {
			return false
		}
		form, bound := match(writeForms, list[start:], begin)
		if bound == nil {
			continue
		}
		end := start + len(form.pattern)
		kind, isList := strings.CutSuffix(bound.name("beginLength"), "BeginLength")
		element, isWrite := strings.CutPrefix(bound.name("write"), "Write")
		if !isList || kind != "List" && kind != "Set" || bound.name("writeBegin") != "Write"+kind+"Begin" ||
			!isWrite || !form.converts(element) || bound.name("type") != fixedTypes[element] || !isPath(bound["values"]) {
			return false
		}
		check := list[len(writeBegin):start]
		temporaries := []string{bound.name("begin"), bound.name("length")}
		if mentions(check, append(temporaries, "offset", "buf")...) || mentions(list[end:], temporaries...) {
			return false
		}
		text := r.writeText(form, bound, list[:len(writeBegin)], list[start:end])
		if len(check) > 0 {
			text = r.text(check[0]) + "\n" + text
		}
		if !r.replace(list[:end], text) {
			return false
		}
		r.forget(list[:end]...)
		r.counts.writes++
		return true
	}
	return false
}

// Code that Kitex generates to write the header of a field.
var writeField = mustParse(`offset += thrift.Binary.WriteFieldBegin(buf[offset:], thrift.any_type, any_id)`)

// fieldHeader changes the field header at the end of the statements to be
// written to a slice of its length, which takes one bounds check instead of
// two. That makes up for the comparison of the list's length after it.
func (r *rewriter) fieldHeader(list []ast.Stmt) {
	if len(list) == 0 || writeField.match(list[len(list)-1:], nil) == nil {
		return
	}
	call := list[len(list)-1].(*ast.AssignStmt).Rhs[0].(*ast.CallExpr)
	r.edit(call.Args[0].Pos(), call.Args[0].End(), "buf[offset:offset+3]")
}

// writeText returns the replacement of the statements that write a list: the
// header comes first, so the elements need not be counted, unless a field mask
// decides how many there are. It is written to a slice of its length, as in
// fieldHeader.
func (r *rewriter) writeText(form form, bound bindings, begin, loop []ast.Stmt) string {
	values := r.text(bound["values"])
	if form.masked {
		return fmt.Sprintf(`if %[1]s == nil && len(%[2]s) >= thriftlist.BulkLength {
				offset += %[3]s(buf[offset:], %[2]s)
			} else {
				%[4]s
				%[5]s
			}`, r.text(bound["mask"]), values, form.function("Write", ""), r.between(begin), r.between(loop))
	}
	value := r.text(bound["value"])
	argument := value
	if form.enums {
		argument = "int32(" + value + ")"
	}
	return fmt.Sprintf(`if len(%[1]s) >= thriftlist.BulkLength {
			offset += %[2]s(buf[offset:], %[1]s)
		} else {
			offset += thrift.Binary.%[3]s(buf[offset:offset+thriftlist.HeaderLength], thrift.%[4]s, len(%[1]s))
			for _, %[5]s := range %[1]s {
				offset += thrift.Binary.%[6]s(buf[offset:], %[7]s)
			}
		}`, values, form.function("Write", ""), bound.name("writeBegin"), bound.name("type"), value, bound.name("write"), argument)
}

// read replaces the first statements if they read a list. A short list is read
// one value at a time, unless its elements have another type, which Read
// rejects.
func (r *rewriter) read(list []ast.Stmt) bool {
	form, bound := match(readForms, list, nil)
	if bound == nil {
		return false
	}
	own, rest := list[:len(form.pattern)], list[len(form.pattern):]
	kind := bound.name("readBegin")
	element, isRead := strings.CutPrefix(bound.name("read"), "Read")
	if kind != "ReadListBegin" && kind != "ReadSetBegin" || !isRead || !form.converts(element) ||
		mentions(rest, bound.name("size")) || mentions(list, "_type") ||
		form.masked && bound.name("skipped") != fixedTypes[element] {
		return false
	}
	field := ""
	if assigned := assignField.match(rest, bindings{"list": bound["list"]}); assigned != nil && r.reusable != nil {
		if name := assigned.name("field"); r.reusable(receiver(r.function), name) {
			field = name
		}
	}
	head, tail := r.readText(form, bound, fixedTypes[element], field)
	loop := own[len(own)-1]
	if form.masked { // the loop stays, and what it skips is replaced within
		if !r.replace(own[:len(own)-1], head) {
			return false
		}
		r.edit(loop.End(), loop.End(), tail)
	} else if !r.replace(own, head+r.readLoop(form, bound)+tail) {
		return false
	}
	r.forget(own...)
	r.counts.reads++
	return true
}

// readText returns the code before and after the loop that reads a short list.
// field is the one whose memory may be reused, or "".
func (r *rewriter) readText(form form, bound bindings, constant, field string) (head, tail string) {
	name, size, slice, element := bound.name("list"), bound.name("size"), r.text(bound["slice"]), r.text(bound["element"])
	short := size + " < thriftlist.BulkLength"
	// The loop behind a field mask appends; the plain one fills.
	length, room := size, size
	if form.masked {
		length, room = "0", "0, "+size
		short = fmt.Sprintf("(%s != nil || %s)", r.text(bound["mask"]), short)
	}
	empty := fmt.Sprintf("%s := %s{}", name, slice) // takes no memory, unlike make
	memory := fmt.Sprintf("%s = make(%s, %s)", name, slice, room)
	call := form.function("Read", element) + "(buf[offset-l:])"
	if field != "" {
		empty = fmt.Sprintf("%[1]s := p.%[2]s[:0]\nif %[1]s == nil {\n%[1]s = %[3]s{}\n}", name, field, slice)
		memory = fmt.Sprintf("if cap(%[1]s) < %[2]s {\n%[3]s\n}\n%[1]s = %[1]s[:%[4]s]", name, size, memory, length)
		call = fmt.Sprintf("%s(p.%s, buf[offset-l:])", form.function("ReadInto", element), field)
	}
	head = fmt.Sprintf(`_type, %[1]s, l, err := thrift.Binary.%[2]s(buf[offset:])
		offset += l
		if err != nil {
			return offset, err
		}
		%[3]s
		if 0 < %[1]s && %[4]s && _type == thrift.%[5]s {
			%[6]s
			`, size, bound.name("readBegin"), empty, short, constant, memory)
	tail = fmt.Sprintf(`
		} else if %[1]s > 0 {
			all, used, err := %[3]s
			if err != nil {
				return offset, thrift.NewProtocolException(thrift.INVALID_DATA, err.Error())
			}
			offset += used - thriftlist.HeaderLength
			%[2]s = all
		}`, size, name, call)
	return head, tail
}

// readLoop returns the loop that fills a short list. It does less than Kitex's
// loop, which appends.
func (r *rewriter) readLoop(form form, bound bindings) string {
	value := "v"
	if form.enums {
		value = r.text(bound["element"]) + "(v)"
	}
	return fmt.Sprintf(`for i := range %[1]s {
			v, l, err := thrift.Binary.%[2]s(buf[offset:])
			if err != nil {
				return offset, err
			}
			offset += l
			%[1]s[i] = %[3]s
		}`, bound.name("list"), bound.name("read"), value)
}

// isPath reports whether an expression consists only of names and dots, so
// that it has the same value however often it is evaluated.
func isPath(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPath(node.X)
	}
	return false
}

// between returns the source from the first to the last statement.
func (r *rewriter) between(list []ast.Stmt) string {
	return string(r.source[r.offset(list[0].Pos()):r.offset(list[len(list)-1].End())])
}
