package lower

import (
	"regexp"
	"strconv"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/ssa"
	"gpuperf/kernel/expr"
)

// An assembler reads instructions of PTX that kernels have as inline assembly: asynchronous copies, matrices, and some that compute.
type assembler struct {
	*lowering
	at       cfront.Pos
	a        *cfront.Assembly
	operands []string // as the text has them
}

// assembly compiles inline assembly. It reports false where that is not compiled here.
func (l *lowering) assembly(at cfront.Pos, a *cfront.Assembly) bool {
	for text := range strings.SplitSeq(strings.ReplaceAll(a.Text, "\n", " "), ";") {
		text = strings.Trim(strings.TrimSpace(text), "{}")
		if text == "" {
			continue
		}
		name, rest, _ := strings.Cut(text, " ")
		s := &assembler{l, at, a, nil}
		for part := range strings.SplitSeq(strings.NewReplacer("{", "", "}", "", "[", "", "]", "").Replace(rest), ",") {
			if part = strings.TrimSpace(part); part != "" {
				s.operands = append(s.operands, part)
			}
		}
		if !s.instruction(name) {
			return false
		}
	}
	return true
}

// operand is the expression that a part of the text means; nil for a number.
func (s *assembler) operand(i int) cfront.Expr {
	if i >= len(s.operands) || !strings.HasPrefix(s.operands[i], "%") {
		return nil
	}
	n, err := strconv.Atoi(s.operands[i][1:])
	switch {
	case err != nil:
		return nil
	case n < len(s.a.Out):
		return s.a.Out[n]
	case n-len(s.a.Out) < len(s.a.In):
		return s.a.In[n-len(s.a.Out)]
	}
	return nil
}

// input is an operand as a word.
func (s *assembler) input(i int) *ssa.Value {
	e := s.operand(i)
	if e == nil {
		n, _ := strconv.ParseInt(s.operands[min(i, len(s.operands)-1)], 0, 64)
		return s.Const(n)
	}
	v := s.expression(e)
	if v.p != nil {
		v = s.convert(s.at, v, expr.Uint64)
	}
	if len(v.x) != 1 {
		s.fail(s.at, "operand %s of inline assembly is no number", s.operands[i])
	}
	if v.x[0].Type == ssa.D && wordType(v.t) == ssa.D {
		return s.Word(v.x[0], 0)
	}
	return v.x[0]
}

// output gives an operand a value.
func (s *assembler) output(i int, x *ssa.Value) {
	e := s.operand(i)
	if e == nil {
		s.fail(s.at, "inline assembly has too few operands")
	}
	s.write(s.at, s.placeOf(e), value{t: e.Type(), x: []*ssa.Value{x}})
}

var (
	copies   = regexp.MustCompile(`^cp\.async\.(ca|cg)\.shared(?:::\w+)?\.global(?:\.\w+(?:::\w+)?)*$`)
	matrices = regexp.MustCompile(`^ldmatrix\.sync\.aligned\.m8n8\.x([124])(\.trans)?\.shared(?:::\w+)?\.b16$`)
	products = regexp.MustCompile(`^mma\.sync\.aligned\.m16n8k(8|16)\.row\.col\.(f32|f16)\.(f16|bf16|tf32)\.(?:f16|bf16|tf32)\.(?:f32|f16)$`)
)

func (s *assembler) instruction(name string) bool {
	switch {
	case copies.MatchString(name):
		s.copy(copies.FindStringSubmatch(name)[1] == "cg")
	case name == "cp.async.commit_group":
		s.effect(ssa.None, "LDGDEPBAR")
	case name == "cp.async.wait_group":
		s.waits(s.input(0).Int)
	case name == "cp.async.wait_all":
		s.effect(ssa.None, "LDGDEPBAR")
		s.waits(0)
	case matrices.MatchString(name):
		m := matrices.FindStringSubmatch(name)
		s.matrices(int(m[1][0]-'0'), m[2] != "")
	case products.MatchString(name):
		return s.product(products.FindStringSubmatch(name))
	case name == "bar.sync" && len(s.operands) == 1:
		s.changedAll()
		s.effect(ssa.None, "BAR.SYNC.DEFER_BLOCKING 0x"+strconv.FormatInt(s.input(0).Int, 16))
	case name == "cvt.rn.f16x2.f32":
		s.output(0, s.MakeAux(ssa.Raw, ssa.W, "F2FP.F16.F32.PACK_AB", s.input(1), s.input(2)))
	default:
		return false
	}
	return true
}

func (s *assembler) waits(groups int64) {
	s.changedAll()
	s.effect(ssa.None, "DEPBAR.LE SB0, 0x"+strconv.FormatInt(groups, 16))
}

// copy is an asynchronous copy from global to shared memory.
func (s *assembler) copy(bypass bool) {
	to := s.input(0)
	from := s.expression(s.operand(1))
	if from.p == nil || from.p.space != ssa.Global {
		s.fail(s.at, "a copy from elsewhere than global memory is not compiled here")
	}
	toBase, toOff := s.split(&pointer{space: ssa.Shared, base: to})
	fromBase, fromOff := s.split(from.p)
	if toBase == nil {
		toBase = s.Const(0)
	}
	s.Changed(ssa.Shared)
	a := ssa.Access{Space: ssa.Global, Bytes: int(s.input(2).Int), Offset: fromOff, Other: toOff, Suffix: map[bool]string{true: "BYPASS", false: ""}[bypass]}
	s.Emit(&ssa.Value{Op: ssa.Copy, Access: &a, Args: []*ssa.Value{toBase, fromBase}})
}

// matrices loads matrices of 8 by 8 halves from shared memory.
func (s *assembler) matrices(n int, transposed bool) {
	base, off := s.split(&pointer{space: ssa.Shared, base: s.input(n)})
	kind := map[int]ssa.Type{1: ssa.W, 2: ssa.D, 4: ssa.V4}[n]
	suffix := "16.M88"
	if transposed {
		suffix = "16.MT88"
	}
	if n > 1 {
		suffix += "." + strconv.Itoa(n)
	}
	a := ssa.Access{Space: ssa.Shared, Bytes: 4 * n, Offset: off, Suffix: suffix}
	v := &ssa.Value{Op: ssa.Load, Type: kind, Access: &a}
	if base != nil {
		v.Args = []*ssa.Value{base}
	}
	s.Emit(v)
	for i := range n {
		s.output(i, s.Word(v, i))
	}
}

// product is a product of matrices of 16 rows by 8 columns: four words of the result, two or four of the first factor, one or two of the second.
func (s *assembler) product(m []string) bool {
	if m[2] != "f32" || m[3] == "tf32" {
		return false
	}
	a, b := 4, 2
	name := "HMMA.16816.F32"
	if m[1] == "8" {
		a, b, name = 2, 1, "HMMA.1688.F32"
	}
	if m[3] == "bf16" {
		name += ".BF16"
	}
	words := func(from, n int) *ssa.Value {
		var list []*ssa.Value
		for i := range n {
			list = append(list, s.input(from+i))
		}
		if n == 1 {
			return list[0]
		}
		return s.Make(ssa.Pack, map[int]ssa.Type{2: ssa.D, 4: ssa.V4}[n], list...)
	}
	const result = 4 // words of a tensor instruction's result
	c := words(result+a+b, result)
	d := s.MakeAux(ssa.Raw, ssa.V4, name, words(result, a), words(result+a, b), c)
	for i := range result {
		s.output(i, s.Word(d, i))
	}
	return true
}
