package native

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// rewrite makes C++ over the classes of the shim of a text in OpenCL C or CUDA C, token by token: types of numbers become those of variables and
// values that count, arms of ?: functions, memory of work-groups static arrays that are known by name.
func rewrite(source string, openCL bool) string {
	r := &rewriter{in: tokens(source), openCL: openCL, types: map[string]bool{}}
	r.aliases()
	r.words()
	r.in = r.out
	r.heads()
	r.in = selects(r.in)
	return text(r.in)
}

type rewriter struct {
	in, out []token
	openCL  bool
	types   map[string]bool // names of types: of typedef, using, #define and parameters of templates
}

// bases are words that types of numbers are made of.
var bases = map[string]bool{"unsigned": true, "signed": true, "int": true, "long": true, "short": true, "char": true, "float": true, "double": true, "bool": true}

// short names of types.
var short = map[string]string{
	"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long", "size_t": "unsigned long",
	"int8_t": "signed char", "uint8_t": "unsigned char", "int16_t": "short", "uint16_t": "unsigned short", "int32_t": "int", "uint32_t": "unsigned int",
	"int64_t": "long", "uint64_t": "unsigned long", "half": "Half", "__half": "Half", "half2": "Vec<Half, 2>", "__half2": "Vec<Half, 2>", "ptrdiff_t": "long",
}

var vectorType = regexp.MustCompile(`^(u?(?:char|short|int|long)|float|double|half|longlong|ulonglong)(2|3|4|8|16)$`)

// halfAccess is a function that keeps numbers in 16 bits.
var halfAccess = regexp.MustCompile(`^(vload|vstore)a?_half(2|4|8|16)?(?:_rt[ezpn])?$`)

var conversion = regexp.MustCompile(`^convert_(u?(?:char|short|int|long)|float|double|half)(?:2|4|8|16)?(?:_sat)?(?:_rt[ezpn])?$`)

// left out, some with what stands in parentheses after them.
var (
	dropped = words(`__global__ __device__ __host__ __kernel __global __private volatile __volatile__ __restrict__ __restrict restrict __forceinline__
		__noinline__ __inline__ static register read_only __read_only extern`)
	droppedCall = words("__launch_bounds__ __attribute__ __align__ alignas")
	droppedCL   = words("kernel global private")
	localWords  = words("__shared__ __local local")
	constWords  = words("__constant__ __constant constant")
)

func words(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}

func (r *rewriter) at(i int) string {
	if i < 0 || i >= len(r.in) {
		return ""
	}
	return r.in[i].text
}

func (r *rewriter) isWord(i int) bool { return i >= 0 && i < len(r.in) && r.in[i].kind == word }

// close is the index of the bracket that closes the one at i.
func closing(list []token, i int) int {
	depth := 0
	for ; i < len(list); i++ {
		switch list[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(list) - 1
}

// aliases finds the names of types.
func (r *rewriter) aliases() {
	for i, t := range r.in {
		switch {
		case t.text == "typedef":
			end := i
			for end < len(r.in) && r.at(end) != ";" {
				end++
			}
			if r.at(i+1) != "struct" {
				r.types[r.at(end-1)] = true
			}
		case t.text == "using" && r.at(i+2) == "=":
			r.types[r.at(i+1)] = true
		case (t.text == "typename" || t.text == "class") && (r.at(i-1) == "<" || r.at(i-1) == ","):
			r.types[r.at(i+1)] = true
		case t.kind == directive:
			f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(t.text[1:]), "define"))
			if _, n := r.numberType(i + 1); len(f) == 1 && strings.Contains(t.text, "define") && n > 0 && (i+1+n == len(r.in) || strings.Contains(r.in[i+1+n].space, "\n")) {
				r.types[f[0]] = true
			}
		}
	}
}

// numberType is the type of numbers or vectors that begins at i, and how many tokens it has; 0 where none does.
func (r *rewriter) numberType(i int) (name string, n int) {
	if !r.isWord(i) {
		return "", 0
	}
	t := r.at(i)
	if s := short[t]; s != "" {
		return s, 1
	}
	if m := vectorType.FindStringSubmatch(t); m != nil {
		base := strings.TrimSpace(m[1])
		if s := short[base]; s != "" {
			base = s
		} else if base == "longlong" || base == "ulonglong" {
			base = strings.Replace(base, "longlong", " long", 1)
			base = strings.TrimSpace(strings.Replace(base, "u ", "unsigned ", 1))
		}
		return fmt.Sprintf("Vec<%s, %s>", base, m[2]), 1
	}
	var list []string
	for bases[r.at(i+n)] && r.isWord(i+n) && (n == 0 || !strings.Contains(r.in[i+n].space, "\n")) {
		list = append(list, r.at(i+n))
		n++
	}
	return strings.Join(list, " "), n
}

// variable is a type as that of variables.
func variable(name string) string {
	if strings.HasPrefix(name, "Vec<") {
		return name
	}
	return "Var<" + name + ">"
}

func (r *rewriter) put(k kind, text, space string) { r.out = append(r.out, token{k, text, space}) }

// words rewrites types, literals, and qualifiers.
func (r *rewriter) words() {
	depth := 0 // of braces
	for i := 0; i < len(r.in); i++ {
		t := r.in[i]
		switch {
		case t.text == "{":
			depth++
		case t.text == "}":
			depth--
		}
		next := r.at(i + 1)
		switch {
		case t.kind == directive:
			if strings.Contains(t.text, "include") || strings.Contains(t.text, "pragma") {
				r.put(sign, "", t.space)
				continue
			}
			r.out = append(r.out, t)
		case t.kind == number && isFloat(t.text):
			r.put(word, "literal("+halfLiteral(t.text)+")", t.space)
		case t.kind != word:
			r.out = append(r.out, t)
		case droppedCall[t.text] && next == "(":
			r.put(sign, "", t.space)
			i = closing(r.in, i+1)
		case t.text == "extern" && r.in[min(i+1, len(r.in)-1)].kind == quoted:
			r.put(sign, "", t.space)
			i++
		case r.isSpace(localWords, t.text) && depth > 0 && !r.inParameters(i) && !r.pointerDeclared(i):
			i = r.shared(i)
		case (r.isSpace(constWords, t.text) || t.text == "__device__") && depth == 0 && r.isArray(i):
			i = r.fileArray(i, t.text == "__device__")
		case t.text == "static" && (next == "constexpr" || depth > 0 && next == "__device__"): // a member of a record
			r.out = append(r.out, t)
		case r.isSpace(localWords, t.text) || r.isSpace(constWords, t.text) || dropped[t.text] || r.openCL && droppedCL[t.text]:
			r.put(sign, "", t.space)
		case t.text == "sizeof" && next == "(":
			end := closing(r.in, i+1)
			if name, n := r.numberType(i + 2); n > 0 && i+2+n == end {
				r.put(number, fmt.Sprint(sizes[name]), t.space)
			} else {
				r.put(word, text(r.in[i:end+1]), t.space)
			}
			i = end
		case t.text == "template" && next == "<":
			i = r.template(i)
		case t.text == "auto" && r.isWord(i+1) && r.at(i+2) == "=":
			r.put(word, "auto", t.space)
			r.put(word, r.at(i+1), " ")
			r.put(sign, "=", " ")
			r.put(word, "native::variable |=", " ")
			i += 2
		case (t.text == "constexpr" || t.text == "const") && r.constant(i) > 0:
			n := r.constant(i)
			r.put(word, "constexpr", t.space)
			r.out = append(r.out, r.in[i+1:i+n]...)
			i += n - 1
		case strings.HasPrefix(t.text, "make_") && vectorType.MatchString(t.text[5:]) && next == "(":
			name, _ := (&rewriter{in: []token{{word, t.text[5:], ""}}}).numberType(0)
			r.put(word, "vector"+strings.TrimPrefix(name, "Vec"), t.space)
		case next == "(" && conversion.MatchString(t.text):
			base := conversion.FindStringSubmatch(t.text)[1]
			if long := short[base]; long != "" {
				base = long
			}
			r.put(word, "convert_to<"+base+">", t.space)
		case halfAccess.MatchString(t.text) && next == "(":
			m := halfAccess.FindStringSubmatch(t.text)
			r.put(word, m[1]+"_half_of<"+cmp.Or(m[2], "1")+">", t.space)
		case strings.HasPrefix(t.text, "vload") && len(t.text) > 5 && next == "(":
			r.put(word, "vload_of<"+t.text[5:]+">", t.space)
		case strings.HasPrefix(t.text, "vstore") && len(t.text) > 6 && next == "(":
			r.put(word, "vstore_of<"+t.text[6:]+">", t.space)
		case r.at(i-1) == "." && swizzle.MatchString(t.text):
			r.swizzle(t.text)
		default:
			i = r.typeOrName(i)
		}
	}
}

var sizes = map[string]int{
	"float": 4, "double": 8, "int": 4, "unsigned int": 4, "unsigned": 4, "long": 8, "unsigned long": 8, "long long": 8, "char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "Half": 2,
	"Vec<float, 4>": 16, "Vec<float, 2>": 8,
}

func halfLiteral(s string) string {
	if before, ok := strings.CutSuffix(s, "h"); ok {
		return "Half(" + before + "f)"
	}
	return s
}

// typeOrName writes a type as that of a variable or, in a cast, of a value; other names as they are.
func (r *rewriter) typeOrName(i int) int {
	t := r.in[i]
	name, n := r.numberType(i)
	named := n == 0 && r.types[t.text]
	if n == 0 && !named {
		r.out = append(r.out, t)
		return i
	}
	as := t.text
	if !named {
		as = variable(name)
	} else {
		n = 1
	}
	end := i + n
	if r.at(end) == "const" { // float const *
		end++
	}
	before := r.before(i)
	value := "value_t<" + as + ">"
	switch {
	case r.at(before) == "(" && r.at(end) == ")" && r.operand(end+1) && !r.isCall(before): // (float) x
		if strings.HasPrefix(as, "Vec<") && r.at(end+1) == "(" { // (float4)(a, b, c, d)
			r.out = r.out[:len(r.out)-(i-before)]
			r.put(word, "vector"+as[3:], t.space)
			return end
		}
		r.put(word, value, t.space)
	case r.at(before) == "<" && r.at(before-1) == "static_cast" && r.at(end) == ">":
		r.put(word, value, t.space)
	case r.at(end) == "(" && r.at(end-1) != "const" && (r.at(i-1) != "typename" && !r.isWord(i-1) || r.at(i-1) == "return"): // float(x)
		r.put(word, value, t.space)
	default:
		r.put(word, as, t.space)
	}
	return i + n - 1
}

// before is the index of the token before a type and its qualifiers.
func (r *rewriter) before(i int) int {
	for i--; r.at(i) == "const" || dropped[r.at(i)] || r.openCL && droppedCL[r.at(i)]; i-- {
	}
	return i
}

// isCall reports whether the parenthesis at i follows the name of a function: f(int).
func (r *rewriter) isCall(i int) bool {
	return r.isWord(i-1) && r.at(i-1) != "return" && !strings.Contains(r.in[i].space, "\n")
}

// operand reports whether an operand begins at i.
func (r *rewriter) operand(i int) bool {
	if i >= len(r.in) {
		return false
	}
	t := r.in[i]
	return t.kind == word || t.kind == number || slices.Contains([]string{"(", "-", "+", "~", "!", "*", "&", "++", "--"}, t.text)
}

// isSpace reports whether a word is one of a set; those without underscores are words of OpenCL C alone.
func (r *rewriter) isSpace(set map[string]bool, name string) bool {
	return set[name] && (r.openCL || strings.HasPrefix(name, "_"))
}

// inParameters reports whether i stands in parentheses.
func (r *rewriter) inParameters(i int) bool {
	depth := 0
	for i--; i >= 0; i-- {
		switch r.at(i) {
		case ")", "]", "}":
			depth++
		case "(", "[":
			if depth--; depth < 0 {
				return true
			}
		case "{":
			if depth--; depth < 0 {
				return false
			}
		case ";":
			if depth == 0 {
				return false
			}
		}
	}
	return false
}

// pointerDeclared reports whether what is declared at i is a pointer, as in __local float *p = part.
func (r *rewriter) pointerDeclared(i int) bool {
	for ; i < len(r.in) && !strings.Contains(";=[,", r.at(i)); i++ {
		if r.at(i) == "*" {
			return true
		}
	}
	return false
}

// isArray reports whether a variable of the file is declared at i, and no function.
func (r *rewriter) isArray(i int) bool {
	for ; i < len(r.in); i++ {
		switch r.at(i) {
		case "(", "{", "operator":
			return false
		case "[", ";", "=":
			return true
		}
	}
	return false
}

// declaration is the type that a declaration begins with, and what it declares, each with its extents.
func (r *rewriter) declaration(i int) (name string, declared [][]token, end int) {
	for ; ; i++ {
		if droppedCall[r.at(i)] {
			i = closing(r.in, i+1)
			continue
		}
		if t, n := r.numberType(i); n > 0 {
			name, i = variable(t), i+n
			break
		}
		if r.types[r.at(i)] {
			name, i = r.at(i), i+1
			break
		}
		if i >= len(r.in) || r.at(i) == ";" {
			return "", nil, i
		}
	}
	var one []token
	for ; i < len(r.in); i++ {
		switch {
		case r.at(i) == "const":
		case r.at(i) == ";" || r.at(i) == ",":
			declared = append(declared, one)
			one = nil
			if r.at(i) == ";" {
				return name, declared, i
			}
		case r.at(i) == "[":
			c := closing(r.in, i)
			one = append(one, r.in[i:c+1]...)
			i = c
		case r.at(i) == "=":
			c := i
			for r.at(c) != ";" && c < len(r.in) {
				if r.at(c) == "{" {
					c = closing(r.in, c)
				}
				c++
			}
			sub := &rewriter{in: r.in[i:c], openCL: r.openCL, types: r.types}
			sub.words()
			one = append(one, sub.out...)
			i = c - 1
		default:
			one = append(one, r.in[i])
		}
	}
	return name, declared, i
}

// shared writes memory of a work-group.
func (r *rewriter) shared(i int) int {
	dynamic := r.at(i-1) == "extern" || r.at(i+1) == "extern"
	space := r.in[i].space
	t, declared, end := r.declaration(i + 1)
	for _, d := range declared {
		name := d[0].text
		if dynamic {
			r.put(word, fmt.Sprintf("%s *%s = dynamic<%[1]s *>(\"%[2]s\");", t, name), space)
			continue
		}
		r.put(word, fmt.Sprintf("static %s %s; shared(%s, \"%[3]s\");", t, text(d), name), space)
	}
	return end
}

// fileArray writes memory that a file declares.
func (r *rewriter) fileArray(i int, global bool) int {
	space := "constant"
	if global {
		space = "global"
	}
	before := r.in[i].space
	t, declared, end := r.declaration(i + 1)
	for _, d := range declared {
		r.put(word, fmt.Sprintf("static %s %s; static FileArray file_%s(%[3]s, \"%[3]s\", \"%s\");", t, text(d), d[0].text, space), before)
	}
	return end
}

// template writes the parameters of a template, whose numbers are plain.
func (r *rewriter) template(i int) int {
	depth := 0
	for ; i < len(r.in); i++ {
		r.out = append(r.out, r.in[i])
		switch r.at(i) {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

var plainNumber = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*$`)

// constant is the number of tokens of the beginning of a constant that extents may have, up to its value; 0 where there is none at i. Its value is
// made of numbers, of macros and of other constants, which are in capitals.
func (r *rewriter) constant(i int) int {
	start := i
	for r.at(i) == "const" || r.at(i) == "constexpr" || r.at(i) == "static" {
		i++
	}
	t, n := r.numberType(i)
	if n == 0 || strings.Contains(t, "float") || strings.Contains(t, "double") || strings.Contains(t, "<") || t == "Half" || r.at(i+n+1) != "=" {
		return 0
	}
	for j := i + n + 2; j < len(r.in) && r.at(j) != ";"; j++ {
		x := r.in[j]
		switch {
		case x.kind == number && plainNumber.MatchString(x.text), x.kind == sign && strings.Contains("+-*/%()<<>>", x.text):
		case x.kind == word && strings.ToUpper(x.text) == x.text:
		default:
			return 0
		}
	}
	return i + n - start
}

var swizzle = regexp.MustCompile(`^(s[0-9a-fA-F]+|[xyzw]{2,4}|lo|hi|odd|even)$`)

// swizzle writes lanes of a vector.
func (r *rewriter) swizzle(name string) {
	var lanes []string
	if name[0] == 's' {
		for _, c := range name[1:] {
			lanes = append(lanes, fmt.Sprint(strings.Index("0123456789abcdef", strings.ToLower(string(c)))))
		}
	} else {
		for _, c := range name {
			lanes = append(lanes, fmt.Sprint(strings.IndexRune("xyzw", c)))
		}
	}
	if len(lanes) == 1 {
		r.put(word, "lane("+lanes[0]+")", "")
		return
	}
	r.put(word, "template picked<"+strings.Join(lanes, ", ")+">()", "")
}
