package cfront

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gpuperf/cfront/cpp"
	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

// Programs of C have what kernels have not: functions that are called by pointers and before they are declared, parameters whose types follow the
// brackets, designated values, extensions of GNU. What no loop nest can hold is read as *Unknown.

// hostMacros are macros that compilers of C define, for a machine with 64-bit addresses.
const hostMacros = `#define __STDC__ 1
#define __STDC_VERSION__ 201112L
#define __STDC_HOSTED__ 1
#define __CHAR_BIT__ 8
#define __SIZE_TYPE__ unsigned long
#define __PTRDIFF_TYPE__ long
#define __WCHAR_TYPE__ int
#define __UINT16_TYPE__ unsigned short
#define __UINT32_TYPE__ unsigned int
#define __UINT64_TYPE__ unsigned long
#define __LP64__ 1
#define pencil_access pencil_access
`

func hostC() *dialect {
	return &dialect{
		predefined: hostMacros,
		hosted:     true,
		types: map[string]*ctype{
			"_Bool": number(expr.Bool), "_Float16": number(expr.Float16), "__bf16": number(expr.BFloat16), "__builtin_va_list": otherType, "__float128": otherType, "_Float128": otherType,
			"__int128_t": int128, "__uint128_t": int128,
		},
		ignored: strings.Fields(`volatile __volatile __volatile__ register auto inline __inline __inline__ _Noreturn _Thread_local __thread _Atomic
			__restrict`),
	}
}

// marked takes the pragmas out of the tokens of a program, and notes those of the main file that mark regions.
func (f *File) marked(tokens []cpp.Token) []cpp.Token {
	out := tokens[:0]
	for _, t := range tokens {
		if t.Kind != cpp.Pragma {
			out = append(out, t)
			continue
		}
		if len(t.Args) > 0 && t.At.File == f.Name && (t.Args[0].Text == "scop" || t.Args[0].Text == "endscop") {
			f.marks = append(f.marks, mark{t.Args[0].Text == "endscop", Pos{f.Name, source.Pos(t.Args[0].At.Pos)}})
		}
	}
	return out
}

// untyped reports whether a function is declared without the type of its value, or a variable after qualifiers without its type: that is int.
func (p *lookup) untyped(qualified bool) bool {
	if !p.lang.hosted || p.tok().Kind != cpp.Name {
		return false
	}
	after := p.peek(1)
	return p.within == nil && after.Is("(") || qualified && (after.Is(";") || after.Is("=") || after.Is(",") || after.Is("["))
}

// oldParameters reads the types of parameters after the brackets, as f(n, a) int n; float a[]; { … } has them.
func (p *parser) oldParameters(s *signature) {
	for p.tok().Kind == cpp.Name && p.startsType() {
		types := p.specifiers()
		for !p.accept(";") {
			d := p.declarator(types.t)
			for i := range s.params {
				if s.params[i].name == d.name {
					s.params[i].t, s.params[i].at, s.params[i].v.Pos = d.t, d.at, d.at
				}
			}
			if !p.accept(",") && !p.is(";") {
				p.unexpected(`"," or ";"`)
			}
		}
	}
}

// whole reads the body of a function in its place.
func (p *parser) whole(c *callable) {
	after := p.i
	p.define(c)
	p.i = after
	if c.fn.Err != nil {
		panic(fault{err: c.fn.Err})
	}
}

// designators passes what says where in a record or an array a value is, and reports whether it does: .x, [2], and GNU's x: and [1 ... 3].
func (p *cursor) designators() bool {
	named := p.tok().Kind == cpp.Name && p.peek(1).Is(":")
	switch {
	case !p.is(".") && !p.is("[") && !named:
		return false
	case !p.lang.hosted:
		p.fail(p.here(), "designated values are not read")
	case named:
		p.next()
		p.next()
		return true
	}
	for p.is(".") || p.is("[") {
		if p.is("[") {
			p.pass()
			continue
		}
		p.next()
		p.name()
	}
	p.accept("=")
	return true
}

// function is a function that a name means, or a call of it.
func (p *parser) function(at Pos, name string, result *ctype) value {
	t := &ctype{form: functionForm, elem: result, name: name}
	if !p.is("(") {
		return value{&Unknown{typed{Pos: at}, name, nil}, t}
	}
	p.next()
	return value{&Call{result.typed(at), name, expressions(p.arguments())}, result}
}

// indirect is a call of a value: of a function in brackets, or through a pointer.
func (p *parser) indirect(at Pos, of value, args []value) value {
	result := otherType
	switch t := of.t; {
	case t.form == functionForm:
		result = t.elem
		if _, named := of.e.(*Unknown); named && t.name != "" {
			return value{&Call{result.typed(at), t.name, expressions(args)}, result}
		}
	case t.form == pointerForm && t.elem.form == functionForm:
		result = t.elem.elem
	}
	if p.within != nil {
		p.within.unread++
	}
	return value{&Unknown{result.typed(at), "a call through a pointer", append([]Expr{of.e}, expressions(args)...)}, result}
}

// functionNames are names that hold the name of the function around them.
var functionNames = map[string]bool{"__func__": true, "__FUNCTION__": true, "__PRETTY_FUNCTION__": true}

// nameOfFunction reads one of these names.
func (p *parser) nameOfFunction(at Pos) value {
	p.next()
	t := pointerTo(number(expr.Int8))
	return value{&Unknown{t.typed(at), AString, nil}, t}
}

// undeclared is a name that a program uses without declaring it: what compilers know, or a function whose value is an int.
func (p *parser) undeclared(at Pos, name cpp.Token) value {
	switch {
	case !p.peek(1).Is("("):
		p.unknown(name, "%s is not declared")
	case operators[name.Text] != "":
		p.next()
		return p.unread(at, operators[name.Text])
	}
	p.next()
	t := intType
	if known, ok := library()[strings.TrimPrefix(name.Text, "__builtin_")]; ok {
		t = known
	}
	return p.function(at, name.Text, t)
}

// operators are what compilers know that is no function: types are among their operands.
var operators = map[string]string{
	"__builtin_va_arg": "an argument of a function that takes any number", "__builtin_offsetof": "the place of a member",
	"__builtin_types_compatible_p": "a comparison of types", "_Generic": "a choice by type",
}

// unread passes a bracket whose value is not known.
func (p *cursor) unread(at Pos, what string) value {
	if !p.lang.hosted {
		p.fail(at, "%s are not read", what)
	}
	if p.is("{") { // the bracket around it is open
		p.pass()
		p.expect(")")
	} else {
		p.pass()
	}
	return value{&Unknown{typed{Pos: at}, what, nil}, otherType}
}

// library are the types of the values of the mathematical functions of C, by name: compilers know them without their header.
var library = sync.OnceValue(func() map[string]*ctype {
	all := map[string]*ctype{}
	text, err := headers.ReadFile("include/math.h")
	if err != nil {
		panic(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^(float|double) (\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		all[m[2]] = numbers[m[1]]
	}
	return all
})

// text reads strings that stand side by side. They are an array of characters.
func (p *cursor) text(at Pos) value {
	n := int64(1)
	for p.tok().Kind == cpp.String {
		bytes, _ := unescaped(p.next().Text)
		n += int64(len(bytes))
	}
	t := &ctype{form: arrayForm, elem: number(expr.Int8), extent: &Int{intType.typed(at), n}}
	return value{&Unknown{t.typed(at), AString, []Expr{t.extent}}, t}
}

// AString is what an Unknown is that stands for a string. Its operand is how long that is, with the zero at its end.
const AString = "a string"

// characterOf is the value of a character, as 'a', '\n' or '\377': that of a char, which has a sign.
func characterOf(text string) (n int64, ok bool) {
	bytes, ok := unescaped(text)
	switch {
	case !ok || len(bytes) == 0:
		return 0, false
	case len(bytes) == 1:
		return int64(int8(bytes[0])), true
	}
	if text[0] != '\'' { // a wide character
		return int64([]rune(string(bytes))[0]), true
	}
	for _, b := range bytes {
		n = n<<8 | int64(b)
	}
	return int64(int32(n)), true
}

// escapes are characters that a backslash gives another meaning (C11, 6.4.4.4).
var escapes = map[byte]byte{
	'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': 27, '\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// unescaped are the bytes of a string or a character with its quotes.
func unescaped(text string) (out []byte, ok bool) {
	text = strings.TrimLeft(text, "LuU8")
	if len(text) < 2 {
		return nil, false
	}
	text = text[1 : len(text)-1]
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		if i++; i == len(text) {
			return nil, false
		}
		digits, base := 0, 8
		switch c := text[i]; {
		case escapes[c] != 0:
			out = append(out, escapes[c])
			continue
		case c == 'x':
			base = 16
			i++
			digits = len(text[i:]) - len(strings.TrimLeft(text[i:], "0123456789abcdefABCDEF"))
		case c == 'u', c == 'U':
			base = 16
			i++
			digits = min(len(text)-i, map[byte]int{'u': 4, 'U': 8}[c])
		default:
			digits = min(3, len(text[i:])-len(strings.TrimLeft(text[i:], "01234567")))
		}
		n, err := strconv.ParseUint(text[i:i+digits], base, 32)
		if err != nil {
			return nil, false
		}
		if base == 16 && text[i-1] != 'x' {
			out = append(out, string(rune(n))...)
		} else {
			out = append(out, byte(n))
		}
		i += digits - 1
	}
	return out, true
}
