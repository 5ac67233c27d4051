// Package cname takes apart the names of functions of C++ with their parameters, as compilers, demanglers and profilers write them.
package cname

import (
	"cmp"
	"slices"
	"strings"

	"gpuperf/internal/lex"
)

// Split is the name of a function in its declaration, with its namespaces and the arguments of its template, and the types of its parameters: of
// "void ns::scale<float>(int, float*)" ns::scale<float>, int and float*. Names without parameters, as extern "C" has them, have none.
func Split(declaration string) (name string, params []string) {
	name = declaration
	if open, end := list(declaration); open > 0 {
		name = declaration[:open]
		if inside := declaration[open+1 : end]; strings.TrimSpace(inside) != "" {
			for _, p := range lex.Split(inside, ",", "()<>[]{}") {
				params = append(params, strings.TrimSpace(p))
			}
		}
	}
	depth := 0
	for i, c := range slices.Backward([]byte(name)) {
		switch c {
		case '>', ')':
			depth++
		case '<', '(':
			depth--
		case ' ':
			if depth == 0 { // behind what it returns
				return cmp.Or(name[i+1:], declaration), params
			}
		}
	}
	return name, params
}

// list is where the list of parameters opens and ends: the last brackets, unless they are part of the name; -1 where there is none.
func list(declaration string) (open, end int) {
	end = strings.LastIndexByte(declaration, ')')
	depth := 0
	for i := end; i >= 0; i-- {
		switch declaration[i] {
		case ')', '>', ']', '}':
			depth++
		case '(', '<', '[', '{':
			if depth--; depth == 0 {
				if declaration[i] != '(' || strings.HasPrefix(declaration[end:], ")::") {
					return -1, -1
				}
				return i, end
			}
		}
	}
	return -1, -1
}

// Base is the name of a function alone: without what it returns, its namespaces, the arguments of its template and its parameters.
func Base(declaration string) string {
	name, _ := Split(declaration)
	depth, from := 0, 0
	for i, c := range name {
		switch c {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ':':
			if depth == 0 {
				from = i + 1
			}
		}
	}
	name = name[from:]
	if i := strings.IndexAny(name, "<("); i > 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}

// DTypes are the types of C, CUDA and OpenCL as launch files name them.
var DTypes = map[string]string{
	"char": "int8", "signed char": "int8", "unsigned char": "uint8", "uchar": "uint8", "bool": "uint8",
	"short": "int16", "unsigned short": "uint16", "ushort": "uint16",
	"int": "int32", "signed": "int32", "signed int": "int32", "unsigned": "uint32", "unsigned int": "uint32", "uint": "uint32",
	"long": "int64", "unsigned long": "uint64", "ulong": "uint64", "long long": "int64", "unsigned long long": "uint64",
	"longlong": "int64", "ulonglong": "uint64", "size_t": "uint64", "ptrdiff_t": "int64",
	"int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint16_t": "uint16", "int32_t": "int32", "uint32_t": "uint32",
	"int64_t": "int64", "uint64_t": "uint64",
	"half": "float16", "__half": "float16", "float": "float32", "double": "float64",
}
