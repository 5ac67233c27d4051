package cfront

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/cfront/ptx"
	"gpuperf/kernel/expr"
)

// Kind says what a function of a kernel language does.
type Kind string

// The kinds of functions. IR is the name that both languages share for one: that of OpenCL C, unless it says something else here.
const (
	Math            Kind = "math"              // IR: a function of kernel expressions, if expr.IsFunction knows it
	Operator        Kind = "operator"          // IR: the operator that it computes; / of one argument is the reciprocal
	WorkItem        Kind = "work-item"         // IR: get_global_id and so on; of CUDA's variables see Member
	Barrier         Kind = "barrier"           // of the work-group; the first argument, if any, says of which memory
	SubgroupBarrier Kind = "subgroup barrier"  // of the sub-group
	Fence           Kind = "fence"             //
	Atomic          Kind = "atomic"            // IR: add, sub, xchg, inc, dec, cmpxchg, min, max, and, or, xor, load, store
	Shuffle         Kind = "shuffle"           // IR: shfl, shfl_up, shfl_down, shfl_xor
	Vote            Kind = "vote"              // IR: all, any, ballot, active
	Reduction       Kind = "reduction"         // of a sub-group or work-group. IR: reduce_add, scan_inclusive_add and so on
	Convert         Kind = "convert"           // to the type of the call
	Reinterpret     Kind = "reinterpret"       // the same bits in the type of the call
	Load            Kind = "load"              // IR: vload (offset, pointer), load (pointer), prefetch
	Store           Kind = "store"             // IR: vstore (value, offset, pointer), store (pointer, value)
	Image           Kind = "image"             // a read or write of an image, or of a texture
	AsyncCopy       Kind = "asynchronous copy" // by all work-items of a work-group
	Print           Kind = "print"
	Trap            Kind = "trap"
	Sleep           Kind = "sleep"
	Clock           Kind = "clock"
	Outputs         Kind = "outputs" // of numbers, with results that are stored where the last arguments point to. IR: the operations of all results, which may be none
)

// Intrinsic is a function of a kernel language.
type Intrinsic struct {
	Name string
	Kind Kind
	IR   string
	// result is the type of a call.
	result rule
	fixed  expr.DType
}

// Exact is the function that a function of mathematics computes, be it an approximation or not.
func (f Intrinsic) Exact() string {
	name := strings.TrimPrefix(f.IR, "native_")
	if name == "powr" {
		return "pow"
	}
	return name
}

// rule tells the type of a call from those of its arguments.
type rule uint8

const (
	fixedResult    rule = iota
	firstResult         // that of the first argument
	secondResult        // that of the second
	commonResult        // the common type of all
	floatResult         // the common type; integers are taken as float
	laneResult          // that of one lane of the common type
	singleResult        // float, or vectors of it
	pointeeResult       // what the first argument points to
	integerResult       // int, as many as the argument has lanes
	booleanResult       // int, as comparisons have
	widerResult         // integers of twice the bits of the first argument
	shuffledResult      // lanes of the first argument, as many as the last has
	textureResult       // that of the elements of a texture, or the one that the call names
)

// IntrinsicOf is what a function of a kernel language does; ok is false for others.
func IntrinsicOf(name string) (f Intrinsic, ok bool) {
	if f, ok = intrinsics[name]; ok {
		return f, true
	}
	return derived(name)
}

func isIntrinsic(name string) bool { _, ok := IntrinsicOf(name); return ok }

// typeWord is the name of a type of numbers in that of a function: float4, ull.
var typeWord = map[string]expr.DType{
	"bool": expr.Bool, "char": expr.Int8, "uchar": expr.Uint8, "short": expr.Int16, "ushort": expr.Uint16, "int": expr.Int32, "uint": expr.Uint32,
	"long": expr.Int64, "ulong": expr.Uint64, "half": expr.Float16, "float": expr.Float32, "double": expr.Float64,
	"ll": expr.Int64, "ull": expr.Uint64, "longlong": expr.Int64, "ulonglong": expr.Uint64, "size_t": expr.Uint64, "half2": expr.Float16.Vector(2),
	"float2": expr.Float32.Vector(2),
}

var (
	clConvert = regexp.MustCompile(`^(convert|as)_([a-z]+?)(2|3|4|8|16)?(_sat)?(_rt[ezpn])?$`)
	clMemory  = regexp.MustCompile(`^(vload|vstore)(a?_half)?(2|3|4|8|16)?(_rt[ezpn])?$`)
	cuPacked  = regexp.MustCompile(`^__v(abs(ss|diff[su])?|add(ss|us)?|avg[su]|(cmp|set)(eq|ne|(ge|gt|le|lt)[su])|haddu|(max|min)[su]|neg(ss)?|sad[su]|sub(ss|us)?)[24]$`)
	cuThree   = regexp.MustCompile(`^__vi((?:add)?(?:max|min)|(?:max|min)3)_([su])(32|16x2)(_relu)?$`)
	cuConvert = regexp.MustCompile(`^__(half2|float2|[a-z]+?)(2|_as_)(half2|float2|[a-z]+)(_r[nzud])?$`)
)

// derived are functions whose name is made of those of types.
func derived(name string) (Intrinsic, bool) {
	if strings.HasPrefix(name, bitsPrefix) {
		return Intrinsic{Name: name, Kind: Reinterpret, result: firstResult}, true
	}
	if rest, is := strings.CutPrefix(name, "__builtin_"); is {
		f, known := intrinsics[rest]
		f.Name = name
		return f, known && f.Kind == Math
	}
	if m := cuPacked.FindStringSubmatch(name); m != nil {
		return Intrinsic{name, Math, "packed_" + m[1], fixedResult, expr.Uint32}, true
	}
	if m := cuThree.FindStringSubmatch(name); m != nil {
		t := expr.DType(expr.Uint32)
		if m[2]+m[3] == "s32" {
			t = expr.Int32
		}
		return Intrinsic{name, Math, m[1] + m[4], fixedResult, t}, true
	}
	if m := clConvert.FindStringSubmatch(name); m != nil {
		if t := typeWord[m[2]]; t != "" {
			return Intrinsic{name, kindOf(m[1] == "as"), "", fixedResult, t.Vector(lanesIn(m[3]))}, true
		}
	}
	if m := clMemory.FindStringSubmatch(name); m != nil && (m[2] != "" || m[3] != "") {
		if m[1] == "vstore" {
			return Intrinsic{Name: name, Kind: Store, IR: "vstore"}, true
		}
		f := Intrinsic{Name: name, Kind: Load, IR: "vload", result: pointeeResult, fixed: ""}
		if m[2] != "" {
			f.result, f.fixed = fixedResult, expr.DType(expr.Float32).Vector(lanesIn(m[3]))
		}
		return f, true
	}
	if m := cuConvert.FindStringSubmatch(name); m != nil {
		from, to := typeWord[m[1]], typeWord[m[3]]
		if from != "" && to != "" {
			return Intrinsic{name, kindOf(m[2] == "_as_"), "", fixedResult, to}, true
		}
	}
	return Intrinsic{}, false
}

func kindOf(reinterpret bool) Kind {
	if reinterpret {
		return Reinterpret
	}
	return Convert
}

func lanesIn(digits string) int64 {
	return map[string]int64{"": 1, "2": 2, "3": 3, "4": 4, "8": 8, "16": 16}[digits]
}

// resultOf is the type of a call of a function that the file does not define.
func (p *typer) resultOf(name string, args []value) *ctype {
	f, ok := IntrinsicOf(name)
	if !ok { // common sense
		f.result = firstResult
	}
	if f.Kind == Load && f.IR == "vload" && f.result == pointeeResult {
		if len(args) < 2 {
			return otherType
		}
		m := clMemory.FindStringSubmatch(name)
		return numberOf(args[1].t.pointee().Vector(lanesIn(m[3])))
	}
	common := expr.DType("")
	for _, a := range args {
		if a.t.form == numberForm {
			common = join(common, a.t.dtype)
		}
	}
	switch f.result {
	case widerResult:
		return wider(common)
	case shuffledResult:
		return shuffledLanes(args)
	case textureResult:
		if len(args) > 0 && args[0].t.elem != nil {
			return args[0].t.elem
		}
		return number(expr.Float32)
	case firstResult, secondResult:
		if i := int(f.result - firstResult); i < len(args) {
			return args[i].t
		}
		return otherType
	case commonResult:
		return numberOf(common)
	case floatResult:
		return numberOf(floating(common))
	case laneResult:
		return numberOf(common.Base())
	case singleResult:
		return numberOf(expr.DType(expr.Float32).Vector(common.Lanes()))
	case integerResult:
		return numberOf(expr.DType(expr.Int32).Vector(common.Lanes()))
	case booleanResult:
		if common.IsVector() {
			return numberOf(signed(common.Base()).Vector(common.Lanes()))
		}
		return intType
	case pointeeResult:
		if len(args) > 0 {
			return numberOf(args[0].t.pointee())
		}
		return otherType
	}
	if f.fixed == "" {
		return voidType
	}
	return number(f.fixed)
}

// floating is float in the place of integers.
func floating(t expr.DType) expr.DType {
	if base := t.Base(); base.IsInteger() || base == expr.Bool {
		return expr.DType(expr.Float32).Vector(t.Lanes())
	}
	return t
}

// wider is the type of integers of twice the bits.
func wider(t expr.DType) *ctype {
	bits := t.Base().Size() * 16
	if bits > 64 || !t.Base().IsInteger() {
		return otherType
	}
	out := expr.DType(fmt.Sprintf("int%d", bits))
	if !t.Base().IsSigned() {
		out = "u" + out
	}
	return numberOf(out.Vector(t.Lanes()))
}

// shuffledLanes is a vector of the lanes of the first argument, as many as the last has.
func shuffledLanes(args []value) *ctype {
	if len(args) < 2 {
		return otherType
	}
	return numberOf(args[0].t.dtype.Base().Vector(args[len(args)-1].t.dtype.Lanes()))
}

func numberOf(t expr.DType) *ctype {
	if !t.Known() {
		return otherType
	}
	return number(t)
}

// join is the type of arithmetic on arguments of two types.
func join(a, b expr.DType) expr.DType {
	switch {
	case a == "":
		return b
	case a.IsVector():
		return a
	case b.IsVector():
		return b
	case a == b:
		return a
	}
	return common(a, b)
}

// reinterpreted is a constant from the bits of an integer.
func reinterpreted(at Pos, n *Int, t *ctype) value {
	switch t.dtype {
	case expr.Float32:
		return floatValue(at, float64(math.Float32frombits(uint32(n.Value))), t.dtype)
	case expr.Float64:
		return floatValue(at, math.Float64frombits(uint64(n.Value)), t.dtype)
	}
	return value{&Int{t.typed(at), t.dtype.Wrap(n.Value)}, t}
}

// intrinsics by their names.
var intrinsics = func() map[string]Intrinsic {
	all := map[string]Intrinsic{}
	for _, row := range intrinsicTable {
		for _, entry := range strings.Fields(row.names) {
			name, ir, given := strings.Cut(entry, ":")
			if !given {
				ir = name
			}
			all[name] = Intrinsic{name, row.kind, ir, row.result, row.fixed}
		}
	}
	for name, f := range all { // functions of float in C: sinf
		if _, taken := all[name+"f"]; f.Kind == Math && (f.result == floatResult || f.result == commonResult && name != "min" && name != "max") && !taken && !strings.Contains(name, "_") {
			single := f
			single.Name, single.result = name+"f", singleResult
			all[single.Name] = single
		}
	}
	return all
}()

// HasEffects reports whether a function of a kernel language does more than give a value.
func HasEffects(name string) bool {
	f, ok := IntrinsicOf(name)
	return ok && slices.Contains([]Kind{Atomic, Store, Barrier, Print, Trap, Shuffle, Vote, Reduction, Outputs, AsyncCopy}, f.Kind)
}

// asC is what asm does that begins at a token, where C has it; nil for others.
func (p *parser) asC(start int) (s Stmt) {
	if !p.lang.plusPlus || !p.is("(") {
		return nil
	}
	text, operands, end := operandTexts(p)
	c, ok := ptx.C(text, operands)
	if !ok {
		return nil
	}
	tokens := cpp.Lex("", c)
	for i := range tokens {
		tokens[i].At = p.tokens[start].At
	}
	read := p.operandsAt(start)
	if p.attempt(func() { p.splice(tokens[:len(tokens)-1], func() { s = p.statement() }) }) != nil {
		return nil
	}
	p.i = end
	p.expect(";")
	return p.stands(s, read)
}

// operandTexts are the text and the operands of the asm whose bracket the cursor stands at, and the token behind them.
func operandTexts(p *parser) (text string, operands []ptx.Operand, end int) {
	i, part := p.i+1, 0
	for ; p.tokens[i].Kind == cpp.String; i++ {
		text += strings.NewReplacer(`\n`, " ", `\t`, " ").Replace(strings.Trim(p.tokens[i].Text, `"`))
	}
	for depth := 1; i < len(p.tokens)-1; i++ {
		switch t := p.tokens[i]; {
		case t.Is(")"):
			if depth--; depth == 0 {
				return text, operands, i + 1
			}
		case t.Is("("):
			depth++
		case depth == 1 && t.Is(":"):
			part++
		case depth == 1 && t.Is("::"):
			part += 2
		case depth == 1 && part < 3 && t.Kind == cpp.String && p.tokens[i+1].Is("("):
			from := i + 2
			p.at(i+1, p.scope, func() {
				p.pass()
				i = p.i - 1
			})
			words := []string{}
			for _, x := range p.tokens[from:i] {
				words = append(words, x.Text)
			}
			operands = append(operands, ptx.Operand{Constraint: strings.Trim(t.Text, `"`), Text: strings.Join(words, " ")})
		}
	}
	return text, nil, i
}
