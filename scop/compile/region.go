package compile

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/cexpr"
	"gpuperf/cfront/cpp"
	"gpuperf/device/machine"
	"gpuperf/internal/lists"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/scop"
	"gpuperf/scop/deps"
	"gpuperf/scop/offload"
)

// part is a region with what replaces it.
type part struct {
	*unit
	region  *cfront.Region
	nest    *scop.Nest
	program *offload.Program
	linear  []*linear.Nest
	sources []*emit.Source // of the kernels
	arrays  []*buffer
	values  []*scop.Array // scalars that are only read
	entry   string        // the function that replaces the region
	taken   map[string]bool
	// start and end are the bytes of the text that are replaced, indent is what its first line begins with.
	start, end int
	indent     string
	declared   []*cfront.Var        // in the region, and used after it
	inside     map[*cfront.Var]bool // declared in the region
	finals     []*cfront.Var        // integers that the text assigns and no kernel
	repeated   bool                 // the region may run several times in its function
	changing   map[string]bool      // loops of the host
	function   string               // the text of the entry
	err        error
}

var directive = regexp.MustCompile(`^[ \t]*#[ \t]*([a-z]+)`)

// place finds the text of the region: the lines of the pragmas and those between them, or a body from brace to brace.
func (p *part) place() error {
	lines := strings.SplitAfter(p.text, "\n")
	offset := func(line int) (bytes int) {
		return lists.Sum(lines[:min(line, len(lines))], func(l string) int { return len(l) })
	}
	r := p.region
	p.start, p.end = offset(r.First-1), offset(r.Last)
	if !r.Marked {
		var err error
		if p.start, p.end, err = p.braces(offset); err != nil {
			return err
		}
	}
	line := lines[r.First-1]
	if len(r.Items) > 0 && r.Items[0].Place().Line > r.First {
		line = lines[r.Items[0].Place().Line-1]
	}
	p.indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	depth := 0
	for i := r.First - 1; i < r.Last; i++ {
		m := directive.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		switch m[1] {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			depth--
		case "define", "undef", "include":
			return p.refuse(i+1, "#%s in a region would be lost to what follows it", m[1])
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		return p.refuse(r.First, "a condition of the preprocessor begins or ends in the region")
	}
	return nil
}

func (p *part) refuse(line int, format string, args ...any) error {
	at := cfront.Pos{File: p.file.Name}
	at.Line, at.Column = line, 1
	return p.file.Errorf(at, format, args...)
}

// braces are the bytes of a body.
func (p *part) braces(offset func(line int) int) (start, end int, err error) {
	body := p.region.Function.Body
	start = -1
	depth := 0
	for _, t := range cpp.Lex(p.file.Name, p.text) {
		if start < 0 && (t.At.Line != body.Line || t.At.Column != body.Column || !t.Is("{")) {
			continue
		}
		at := offset(t.At.Line-1) + t.At.Column - 1
		switch {
		case t.Is("{"):
			if depth++; start < 0 {
				start = at
			}
		case t.Is("}"):
			if depth--; depth == 0 {
				if t.At.Line != body.Last || p.text[at] != '}' || p.text[start] != '{' {
					return 0, 0, p.refuse(body.Line, "the braces of %s come from macros", p.nest.Name)
				}
				return start, at + 1, nil
			}
		}
	}
	return 0, 0, p.refuse(body.Line, "the braces of %s come from macros", p.nest.Name)
}

// scalarsAfter finds the integers that no kernel assigns and that may be used after the region, with their values there, and the variables that are declared in the
// region and used after it. It refuses regions whose iterators are used after them where their values are not known.
func (p *part) scalarsAfter() error {
	use := usesOf(p.region)
	for v := range p.nest.Counters {
		if !use.declared[v] && len(p.nest.Finals[v]) == 0 && live(p.region, v) {
			return p.file.Errorf(v.Pos, "%s counts a loop of the region, may be used after it, and has no value there that is affine", v.Name)
		}
	}
	for v, values := range p.nest.Finals {
		stored := slices.ContainsFunc(p.nest.Arrays, func(a *scop.Array) bool { return p.nest.Vars[a.Name] == v && a.Written })
		if len(values) > 0 && !stored && live(p.region, v) {
			p.finals = append(p.finals, v)
		}
	}
	slices.SortFunc(p.finals, func(v, w *cfront.Var) int { return strings.Compare(v.Name, w.Name) })
	p.repeated, p.inside = use.repeated, use.declared
	for _, s := range p.region.Items {
		d, ok := s.(*cfront.Declare)
		if !ok {
			continue
		}
		for _, v := range d.Vars {
			if !use.after[v] {
				continue
			}
			if len(v.Dims) > 0 || v.DType == "" || v.Class == cfront.Global {
				return p.file.Errorf(v.Pos, "%s is declared in the region and used after it", v.Name)
			}
			p.declared = append(p.declared, v)
		}
	}
	return nil
}

// carried makes what may carry values from one run of the region to the next data of the program, though nothing else there uses it.
func (p *part) carried() error {
	var analysis *deps.Analysis
	for _, a := range p.nest.Arrays {
		v := p.nest.Vars[a.Name]
		if !a.Local || !p.repeated || v == nil || p.inside[v] {
			continue
		}
		var err error
		if analysis == nil {
			if analysis, err = deps.Analyze(p.nest); err != nil {
				return err
			}
		}
		a.Local = !analysis.Needs(a)
	}
	return nil
}

// kernels makes the kernels of the region, and their sources.
func (p *part) kernels(ctx context.Context) error {
	if len(p.nest.Statements) == 0 {
		return p.refuse(p.region.First, "nothing runs in it")
	}
	var err error
	if p.program, err = p.options.Find(ctx, p.nest, offload.Options{Sizes: p.options.Sizes, On: p.on()}); err != nil {
		return err
	}
	for _, k := range p.program.Kernels {
		n, err := linear.New(k)
		if err != nil {
			return err
		}
		p.linear = append(p.linear, n)
	}
	p.sources, err = emit.WriteProgram(p.linear, emit.Options{Language: p.emitted})
	return err
}

// on is the machine, without what the language of the kernels does not have.
func (p *part) on() *machine.Machine {
	if p.emitted == emit.CUDAC {
		return p.options.On
	}
	on := *cmp.Or(p.options.On, machine.Of(nil))
	on.Product = 0
	return &on
}

// transfers finds the buffers and what is copied.
func (p *part) transfers() error {
	analyze := deps.Analyze
	if p.program.Original != nil { // perhaps as it takes long to find out more
		analyze = deps.ByMemory
	}
	analysis, err := analyze(p.nest)
	if err != nil {
		return err
	}
	whole, err := p.program.Nest.Kernel()
	if err != nil {
		return err
	}
	p.reserve()
	used := map[string]bool{}
	for _, s := range p.sources {
		for _, x := range s.Params {
			used[x.Name] = used[x.Name] || !x.IsValue
		}
	}
	for _, a := range slices.Concat(whole.Args, whole.Temps) {
		if !used[a.Name] {
			continue
		}
		b := &buffer{of: a, name: p.fresh("d_" + a.Name)}
		own := p.nest.Array(a.Name)
		if b.scratch = own == nil || own.Local; !b.scratch {
			b.in, b.out = analysis.Needs(own), own.Written
			if len(own.Shape) > 0 && own.Shape[0] == nil {
				if b.outer, err = p.reach(own, 0, []string{"element"}); err != nil {
					return err
				}
			}
			if own.Flat && b.outer != "" {
				if b.moved, err = p.flat(b, own); err != nil {
					return err
				}
			}
			if b.packing, err = p.packed(own); err != nil {
				return err
			}
		}
		p.arrays = append(p.arrays, b)
	}
	for _, a := range p.nest.Arrays {
		if len(a.Shape) == 0 && !a.Written {
			p.values = append(p.values, a)
		}
	}
	return nil
}

// reserve notes the names that are taken, and gives the function of the part one of its own.
func (p *part) reserve() {
	for _, name := range p.program.Nest.Params {
		p.taken[name] = true
	}
	for _, a := range p.program.Nest.Arrays {
		p.taken[a.Name] = true
	}
	for _, s := range p.sources {
		p.taken[s.Entry] = true
	}
	p.loops(p.program.Steps)
	p.entry = p.fresh(p.nest.Name + "_scop")
	for strings.Contains(p.text, p.entry) {
		p.entry = p.fresh(p.entry)
	}
}

func (p *part) loops(steps []offload.Step) {
	for _, s := range steps {
		if l, ok := s.(*offload.Loop); ok {
			p.taken[l.Name] = true
			p.loops(l.Body)
		}
	}
}

func (p *part) describe(out *Region) {
	out.Compiled = true
	if p.program.Original != nil {
		out.Original = p.program.Original.Error()
	}
	for _, s := range p.sources {
		out.Kernels = append(out.Kernels, s.Entry)
	}
	for _, b := range p.arrays {
		if b.in {
			out.CopiedIn = append(out.CopiedIn, b.of.Name)
		}
		if b.out {
			out.CopiedOut = append(out.CopiedOut, b.of.Name)
		}
	}
}

// parameter is a parameter of the function that replaces the region, with what the region's place gives it.
type parameter struct{ declared, given string }

// parameters are the sizes, the scalars, and the arrays.
func (p *part) parameters() (list []parameter) {
	text := func(name string) string {
		t, _ := scop.Text(cfront.Use(p.nest.Vars[name]))
		return t
	}
	for _, name := range p.nest.Params {
		list = append(list, parameter{"long " + name, p.textOf(name)})
	}
	for _, a := range p.values {
		list = append(list, parameter{ctypes[a.DType] + " " + a.Name, text(a.Name)})
	}
	for _, b := range p.arrays {
		if b.scratch {
			continue
		}
		own := p.nest.Array(b.of.Name)
		x := parameter{"const void *" + b.of.Name, p.element(own, 0)}
		if b.out {
			x.declared = "void *" + b.of.Name
		}
		if len(own.Shape) == 0 || b.packing != nil && b.packing.apart != "" {
			x.given = "&" + p.element(own, len(own.Shape))
		}
		list = append(list, x)
		if b.packing != nil && b.packing.apart != "" {
			list = append(list, parameter{"long " + b.packing.apart, "sizeof " + p.nest.Vars[own.Name].Whole.Name + strings.Repeat("[0]", p.members(own))})
		}
	}
	return list
}

// ctypes are the types of C; those of 64 bits are what they are on machines whose addresses have 64 bits.
var ctypes = map[expr.DType]string{
	expr.Bool: "_Bool", expr.Int8: "signed char", expr.Int16: "short", expr.Int32: "int", expr.Int64: "long",
	expr.Uint8: "unsigned char", expr.Uint16: "unsigned short", expr.Uint32: "unsigned int", expr.Uint64: "unsigned long",
	expr.Float32: "float", expr.Float64: "double",
}

// final is the value of an integer after the region, in the names that the text has.
func (p *part) final(values []scop.Final) (text string) {
	own := map[string]expr.Expr{}
	name := func(n string) {
		own[n] = expr.Var{Name: p.textOf(n)}
	}
	for i, f := range slices.Backward(values) {
		for _, n := range f.Value.Names() {
			name(n)
		}
		value := inC(expr.Subst(expr.FromAffine(f.Value), own))
		if i == len(values)-1 {
			text = value
			continue
		}
		for _, n := range f.When.Params() {
			name(n)
		}
		text = fmt.Sprintf("%s ? %s : (%s)", inC(expr.Subst(cexpr.Disjunction(f.When), own)), value, text)
	}
	return text
}

// textOf is what the text calls a parameter: a variable, or an expression in brackets.
func (p *part) textOf(name string) string {
	e := p.nest.Given[name]
	if e == nil && p.nest.Vars[name] == nil { // how many elements an array has
		return fmt.Sprint(p.options.Sizes[name])
	}
	if e == nil {
		e = cfront.Use(p.nest.Vars[name])
	}
	text, _ := scop.Text(e)
	if _, variable := e.(*cfront.Ref); !variable {
		text = "(" + text + ")"
	}
	return text
}

// call is the text that replaces the region.
func (p *part) call() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, p.indent+format+"\n", args...) }
	line("// Lines %d to %d of %s run on a device: see %s.", p.region.First, p.region.Last, p.file.Name, p.entry)
	for _, v := range p.declared {
		line("%s %s;", ctypes[v.DType], v.Name)
	}
	for _, x := range p.arrays {
		if !x.scratch {
			p.assertions(line, p.nest.Array(x.of.Name))
		}
	}
	for _, a := range p.values {
		p.assertions(line, a)
	}
	var given []string
	for _, x := range p.parameters() {
		given = append(given, x.given)
	}
	line("%s(%s);", p.entry, strings.Join(given, ", "))
	for i, v := range p.finals {
		line("const long %s_%d = %s;", p.entry, i, p.final(p.nest.Finals[v]))
	}
	for i, v := range p.finals {
		line("%s = %s_%d;", v.Name, p.entry, i)
	}
	if p.region.Marked {
		return b.String()
	}
	return "{\n" + b.String() + "}"
}

// assertions has the compiler check that the type of a variable, and extents that are numbers, are those that the kernels are made for: other
// macros at the command line would change them.
func (p *part) assertions(line func(string, ...any), a *scop.Array) {
	v := p.nest.Vars[a.Name]
	t := ctypes[a.DType]
	element := p.element(a, len(a.Shape))
	switch a.DType {
	case expr.Int8, expr.Int64, expr.Uint64: // which C has two of
		line("SCOP_SIZE(%s, %s);", element, t)
	default:
		line("SCOP_TYPE(%s, %s);", element, t)
	}
	known := 0 // extents that are numbers, from the innermost on
	for _, e := range slices.Backward(a.Shape) {
		if _, ok := e.(expr.Int); !ok {
			break
		}
		known++
	}
	if v.Class == cfront.Param || v.Pointer {
		known = min(known, len(a.Shape)-1)
	}
	if a.Flat {
		known = 0
	}
	if n := p.members(a); n > 0 {
		known = min(known, len(a.Shape)-n)
	}
	if known > 0 {
		extents := ""
		for _, e := range a.Shape[len(a.Shape)-known:] {
			extents += "[" + e.String() + "]"
		}
		line("SCOP_SIZE(%s, %s%s);", p.element(a, len(a.Shape)-known), t, extents)
	}
}
