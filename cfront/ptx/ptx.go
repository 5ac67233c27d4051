// Package ptx writes instructions of PTX in inline assembly as the C that does the same, where C has it: accesses to memory, atomic updates, barriers, and
// what special registers hold (PTX ISA 8.5, 9.7 and 10).
package ptx

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Operand is one of inline assembly: a constraint such as "=f", and the text of an expression in C.
type Operand struct{ Constraint, Text string }

// C is the text of statements that do what instructions do, in which %0 is the first operand. It is false where one of them is not known.
func C(text string, operands []Operand) (c string, ok bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		text = text[1 : len(text)-1]
	}
	var out []string
	conditions := map[string]string{}
	for line := range strings.SplitSeq(text, ";") {
		if line = strings.Join(strings.Fields(line), " "); line == "" || predicate(line, operands, conditions) {
			continue
		}
		one, ok := guarded(line, operands, conditions)
		if !ok {
			return "", false
		}
		out = append(out, one)
	}
	return "{ " + strings.Join(out, " ") + " }", len(out) > 0
}

// instruction is one as C.
func instruction(line string, operands []Operand) (string, bool) {
	name, rest, _ := strings.Cut(line, " ")
	parts := strings.Split(name, ".")
	args, ok := arguments(rest, operands)
	if !ok {
		return "", false
	}
	switch parts[0] {
	case "cp":
		return copied(name, args)
	case "ldmatrix":
		return matrices(parts, args)
	case "ld":
		return load(parts[1:], args)
	case "st":
		return store(parts[1:], args)
	case "mov":
		return move(parts[1:], args)
	case "atom", "red":
		return atomic(parts, args)
	case "membar", "fence":
		return "__threadfence();", len(args) == 0 && parts[len(parts)-1] != "cta" && !strings.Contains(name, "proxy") && !strings.Contains(name, "mbarrier")
	case "bar", "barrier":
		all := len(args) == 1 && args[0].text == "0" && slices.Contains([]string{"bar.sync", "bar.cta.sync", "barrier.sync.aligned", "barrier.cta.sync.aligned"}, name)
		return "__syncthreads();", all
	}
	return "", false
}

var (
	declared = regexp.MustCompile(`^\.reg \.pred \w+$`)
	compared = regexp.MustCompile(`^setp\.(ne|eq|lt|le|gt|ge)\.[sub]32 (\w+), ?(%[0-9]+), ?(%[0-9]+|-?[0-9]+)$`)
	under    = regexp.MustCompile(`^@(!?)(\w+) (.*)$`)
)

// predicate notes a register of conditions, or what it holds.
func predicate(line string, operands []Operand, conditions map[string]string) bool {
	m := compared.FindStringSubmatch(line)
	if m == nil {
		return declared.MatchString(line)
	}
	x, ok := operand(m[3], operands)
	y, is := operand(m[4], operands)
	if !is {
		y.text = m[4]
	}
	op := map[string]string{"ne": "!=", "eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}[m[1]]
	conditions[m[2]] = fmt.Sprintf("(int)%s %s (int)%s", x.text, op, y.text)
	return ok
}

// guarded is an instruction as C, where a condition holds that it has.
func guarded(line string, operands []Operand, conditions map[string]string) (string, bool) {
	m := under.FindStringSubmatch(line)
	if m == nil {
		return instruction(line, operands)
	}
	c, known := conditions[m[2]]
	one, ok := instruction(m[3], operands)
	if m[1] != "" {
		c = "!(" + c + ")"
	}
	return fmt.Sprintf("if (%s) { %s }", c, one), ok && known
}

// copied is a copy from global to shared memory that goes on beside (PTX ISA 8.5, 9.7.9.25.3): a load and a store. One that is given how many bytes there are loads
// where that is more than 0. Waiting for copies is nothing.
func copied(name string, args []argument) (string, bool) {
	switch {
	case name == "cp.async.commit_group", name == "cp.async.wait_all", name == "cp.async.wait_group":
		return ";", true
	case !strings.HasPrefix(name, "cp.async.ca.shared") && !strings.HasPrefix(name, "cp.async.cg.shared") || len(args) < 3 || !args[0].address || !args[1].address:
		return "", false
	}
	of, known := map[string]string{"4": "uint", "8": "uint2", "16": "uint4"}[strings.Trim(args[2].text, "() ")]
	if strings.HasPrefix(name, "cp.async.cg") { // which copies no fewer
		of, known = "uint4", true
	}
	to, from := args[0].place(of, 1, ""), args[1].place(of, 1, "const ")
	switch {
	case !known:
		return "", false
	case len(args) == 3:
		return fmt.Sprintf("%s = %s;", to, from), true
	case len(args) == 4:
		zero := map[string]string{"uint": "0", "uint2": "make_uint2(0, 0)", "uint4": "make_uint4(0, 0, 0, 0)"}[of]
		return fmt.Sprintf("if ((int)%s > 0) %s = %s; else %s = %s;", args[3].text, to, from, to, zero), true
	}
	return "", false
}

// matrices is a load of matrices of 8 rows of 16 bytes, whose addresses the first work-items of the sub-group have (9.7.14.5.15). How lanes share them out is that
// of an instruction, whose values are not known.
func matrices(parts []string, args []argument) (string, bool) {
	n := map[string]int{"x1": 1, "x2": 2, "x4": 4}[at(parts, 4)]
	if at(parts, 3) != "m8n8" || parts[len(parts)-1] != "b16" || len(args) != 2 || !args[1].address || n == 0 || len(args[0].values()) != n {
		return "", false
	}
	load := fmt.Sprintf("loaded__ = %s;", args[1].place("uint4", 1, "const "))
	if n < 4 {
		load = fmt.Sprintf("loaded__ = make_uint4(0, 0, 0, 0); if (%s < %d) %s", registers["laneid"], 8*n, load)
	}
	var out, in []string
	for i, x := range args[0].values() {
		out, in = append(out, fmt.Sprintf(`"=r"(%s)`, x.text)), append(in, fmt.Sprintf(`"r"(loaded__.%s)`, lane[i]))
	}
	return fmt.Sprintf(`{ uint4 %s asm volatile("ldmatrix" : %s : %s); }`, load, strings.Join(out, ", "), strings.Join(in, ", ")), true
}

func at(parts []string, i int) string {
	if i >= len(parts) {
		return ""
	}
	return parts[i]
}

// argument is an operand of an instruction: several in braces, or an address with so many bytes added.
type argument struct {
	text     string
	list     []argument
	address  bool
	add      int64
	constant bool // a number or a register of the machine
	kind     byte // the letter of the constraint
}

var (
	inBrackets = regexp.MustCompile(`^\[ ?(%[0-9]+)(?: ?\+ ?(-?[0-9]+|%[0-9]+))? ?\]$`)
	isOperand  = regexp.MustCompile(`^%[0-9]+$`)
	isNumber   = regexp.MustCompile(`^-?(0x[0-9a-fA-F]+|[0-9]+)$`)
)

// arguments are those behind the name of an instruction.
func arguments(text string, operands []Operand) (out []argument, ok bool) {
	for _, part := range split(text) {
		a := argument{}
		switch m := inBrackets.FindStringSubmatch(part); {
		case m != nil:
			of, found := operand(m[1], operands)
			if !found {
				return nil, false
			}
			a = of
			a.address = true
			if add, is := operand(m[2], operands); is {
				m[2] = strings.Trim(add.text, "() ")
			}
			if m[2] != "" {
				n, err := strconv.ParseInt(m[2], 0, 64)
				if err != nil {
					return nil, false
				}
				a.add = n
			}
		case strings.HasPrefix(part, "{"):
			if a.list, ok = arguments(strings.Trim(part, "{} "), operands); !ok {
				return nil, false
			}
		case isOperand.MatchString(part):
			if a, ok = operand(part, operands); !ok {
				return nil, false
			}
		case isNumber.MatchString(part):
			a = argument{text: part, constant: true}
		case registers[strings.TrimLeft(part, "%")] != "" && strings.HasPrefix(part, "%"):
			a = argument{text: registers[strings.TrimLeft(part, "%")], constant: true}
		default:
			return nil, false
		}
		out = append(out, a)
	}
	return out, true
}

// split cuts at commas outside of braces and brackets.
func split(text string) (out []string) {
	depth, from := 0, 0
	for i, c := range text + "," {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if part := strings.TrimSpace(text[from:i]); depth == 0 && part != "" {
				out = append(out, part)
			}
			if depth == 0 {
				from = i + 1
			}
		}
	}
	return out
}

func operand(name string, operands []Operand) (argument, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "%"))
	if err != nil || n >= len(operands) || !strings.HasPrefix(name, "%") {
		return argument{}, false
	}
	c := operands[n].Constraint
	return argument{text: "(" + operands[n].Text + ")", kind: c[len(c)-1]}, c != ""
}

// rank is the index of a work-item of its work-group.
const rank = "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)"

// registers are special ones, as C.
var registers = map[string]string{
	"laneid": "(" + rank + " % 32)", "warpid": "(" + rank + " / 32)", "tid.x": "threadIdx.x", "tid.y": "threadIdx.y", "tid.z": "threadIdx.z",
	"ntid.x": "blockDim.x", "ntid.y": "blockDim.y", "ntid.z": "blockDim.z", "ctaid.x": "blockIdx.x", "ctaid.y": "blockIdx.y", "ctaid.z": "blockIdx.z",
	"nctaid.x": "gridDim.x", "nctaid.y": "gridDim.y", "nctaid.z": "gridDim.z",
}

// ofType are the types of C by those of PTX, and of untyped bits by the constraint of what holds them.
var ofType = map[string]string{
	"f32": "float", "f64": "double", "u8": "uchar", "s8": "char", "u16": "ushort", "s16": "short", "u32": "uint", "s32": "int", "u64": "ulonglong", "s64": "longlong",
	"b32r": "uint", "b32f": "float", "b64l": "ulonglong", "b64d": "double", "b16h": "ushort", "b8r": "uchar", "b8h": "uchar",
}

// modifiers are parts of the names of loads and stores that do not change which bytes they access.
var modifiers = strings.Fields("weak volatile relaxed acquire release gpu cta sys cluster global shared shared::cta const nc ca cg cs cv lu wb wt L1::evict_last " +
	"L1::no_allocate L1::evict_first L1::evict_normal L1::evict_unchanged L2::64B L2::128B L2::256B")

// access is the type of an access, with its lanes.
func access(parts []string, values []argument) (of string, lanes int, ok bool) {
	lanes = 1
	for i, p := range parts {
		switch {
		case i == len(parts)-1:
			kind := ""
			if strings.HasPrefix(p, "b") && len(values) > 0 {
				kind = string(values[0].kind)
			}
			of = ofType[p+kind]
		case p == "v2", p == "v4":
			lanes = int(p[1] - '0')
		case !slices.Contains(modifiers, p):
			return "", 0, false
		}
	}
	return of, lanes, of != "" && lanes == len(values)
}

// values are those of an argument, several in braces.
func (a argument) values() []argument {
	if a.list != nil {
		return a.list
	}
	return []argument{a}
}

// sizes are those of the types of C, in bytes.
var sizes = map[string]int64{"uint2": 8, "uint4": 16, "float": 4, "double": 8, "uchar": 1, "char": 1, "ushort": 2, "short": 2, "uint": 4, "int": 4, "ulonglong": 8, "longlong": 8}

// place is what an address points to, as an element of a type with so many lanes.
func (a argument) place(of string, lanes int, qualifier string) string {
	size := sizes[of]
	if lanes > 1 {
		of, size = fmt.Sprint(of, lanes), size*int64(lanes)
	}
	of = qualifier + of
	switch {
	case a.add == 0:
		return fmt.Sprintf("*(%s *)%s", of, a.text)
	case a.add%size == 0:
		return fmt.Sprintf("((%s *)%s)[%d]", of, a.text, a.add/size)
	}
	return fmt.Sprintf("*(%s *)((char *)%s + %d)", of, a.text, a.add)
}

var lane = []string{"x", "y", "z", "w"}

func load(parts []string, args []argument) (string, bool) {
	if len(args) != 2 || !args[1].address {
		return "", false
	}
	to := args[0].values()
	of, lanes, ok := access(parts, to)
	if !ok {
		return "", false
	}
	if lanes == 1 {
		return to[0].text + " = " + args[1].place(of, 1, "const ") + ";", true
	}
	out := fmt.Sprintf("%s%d loaded__ = %s;", of, lanes, args[1].place(of, lanes, "const "))
	for i, x := range to {
		out += fmt.Sprintf(" %s = loaded__.%s;", x.text, lane[i])
	}
	return "{ " + out + " }", true
}

func store(parts []string, args []argument) (string, bool) {
	if len(args) != 2 || !args[0].address {
		return "", false
	}
	from := args[1].values()
	of, lanes, ok := access(parts, from)
	if !ok {
		return "", false
	}
	if lanes == 1 {
		return args[0].place(of, 1, "") + " = " + from[0].text + ";", true
	}
	var texts []string
	for _, x := range from {
		texts = append(texts, x.text)
	}
	return fmt.Sprintf("%s = make_%s%d(%s);", args[0].place(of, lanes, ""), of, lanes, strings.Join(texts, ", ")), true
}

// move is one of a value or of a special register.
func move(parts []string, args []argument) (string, bool) {
	if len(parts) != 1 || len(args) != 2 || args[0].list != nil || args[1].list != nil || args[0].address || args[1].address {
		return "", false
	}
	if !args[1].constant && args[0].kind != args[1].kind { // which keeps the bits, and not the value
		return "", false
	}
	return args[0].text + " = " + args[1].text + ";", true
}

// atomics are functions of CUDA C by the names of operations.
var atomics = map[string]string{
	"add": "atomicAdd", "min": "atomicMin", "max": "atomicMax", "and": "atomicAnd", "or": "atomicOr", "xor": "atomicXor", "exch": "atomicExch", "cas": "atomicCAS",
	"inc": "atomicInc", "dec": "atomicDec",
}

func atomic(parts []string, args []argument) (string, bool) {
	of, function := "", ""
	for _, p := range parts[1 : len(parts)-1] {
		switch {
		case atomics[p] != "":
			function = atomics[p]
		case !slices.Contains(modifiers, p):
			return "", false
		}
	}
	to := ""
	if parts[0] == "atom" {
		if len(args) == 0 {
			return "", false
		}
		to, args = args[0].text+" = ", args[1:]
	}
	if len(args) < 2 || !args[0].address || function == "" {
		return "", false
	}
	if of = parts[len(parts)-1]; strings.HasPrefix(of, "b") {
		of += string(args[1].kind)
	}
	if ofType[of] == "" {
		return "", false
	}
	call := fmt.Sprintf("%s%s(&%s", to, function, args[0].place(ofType[of], 1, ""))
	for _, a := range args[1:] {
		call += ", " + a.text
	}
	return call + ");", true
}
