package capture

import (
	"slices"
	"strings"
)

// dtypes are the types of launch files by the names of C++, as demanglers write them, and of OpenCL C.
var dtypes = map[string]string{
	"bool": "uint8", "char": "int8", "signed char": "int8", "unsigned char": "uint8", "short": "int16", "unsigned short": "uint16",
	"int": "int32", "unsigned int": "uint32", "long": "int64", "unsigned long": "uint64", "long long": "int64", "unsigned long long": "uint64",
	"float": "float32", "double": "float64", "__half": "float16", "half": "float16",
	"uchar": "uint8", "ushort": "uint16", "uint": "uint32", "ulong": "uint64",
}

// qualifiers say nothing about how a value lies in memory.
var qualifiers = map[string]bool{"const": true, "volatile": true, "restrict": true, "__restrict__": true, "__restrict": true}

// dtype is the type of a value, or of what a pointer points to; "" where launch files have none. A vector behind a pointer is its elements.
func dtype(name string) string {
	value, pointer := strings.CutSuffix(strings.TrimSpace(name), "*")
	plain := slices.DeleteFunc(strings.Fields(value), func(word string) bool { return qualifiers[word] })
	text := strings.Join(plain, " ")
	if d, ok := dtypes[text]; ok || !pointer {
		return d
	}
	return dtypes[strings.TrimRight(text, "0123456789")]
}

// parameters splits the parameter list of a function as demanglers write it. Names without one, as extern "C" has them, give nil.
func parameters(function string) (types []string) {
	end := strings.LastIndex(function, ")")
	if end < 0 {
		return nil
	}
	depth, last := 0, end
	for i := end; i >= 0; i-- {
		switch function[i] {
		case ')', '>', ']', '}':
			depth++
		case '(', '<', '[', '{':
			depth--
			if depth == 0 {
				if text := strings.TrimSpace(function[i+1 : last]); text != "" {
					types = append([]string{text}, types...)
				}
				return types
			}
		case ',':
			if depth == 1 {
				types = append([]string{strings.TrimSpace(function[i+1 : last])}, types...)
				last = i
			}
		}
	}
	return nil
}

// short is the name of a function without what it returns, where it is declared and what it is called with.
func short(function string) string {
	depth, from, to := 0, 0, len(function)
	for i, c := range function {
		switch c {
		case '<':
			depth++
		case '>', ')':
			depth--
		case '(':
			if depth == 0 && i > from {
				to = i
				break
			}
			depth++
		case ' ', ':':
			if depth == 0 {
				from = i + 1
			}
		}
		if to < len(function) {
			break
		}
	}
	name, _, _ := strings.Cut(function[from:to], "<")
	return name
}
