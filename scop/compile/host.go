package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront/cexpr"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop/offload"
)

// rewritten is the text of the file with its regions replaced, and that of the second file of languages that have one.
func (u *unit) rewritten(kernels, second string) (main, extra string) {
	var made strings.Builder
	made.WriteString(u.helpers + "\n" + u.write(kernels))
	var prototypes strings.Builder
	for _, p := range u.parts {
		made.WriteString(p.function + "\n")
		prototypes.WriteString(p.prototype() + ";\n")
	}
	head := fmt.Sprintf("// By perf scop compile from %s: its loop nests run on a device.\n\n", u.file.Name)
	inserted := checks + made.String() + "// End of what perf scop compile adds.\n\n"
	if u.apart {
		extra = head + made.String()
		inserted = checks + arithmetic + "// In " + second + ".\n" + prototypes.String() + "\n"
	}
	text := u.text
	for _, p := range slices.Backward(u.parts) {
		text = text[:p.start] + p.call() + text[p.end:]
	}
	at := u.beginning()
	return head + u.defines() + text[:at] + inserted + text[at:], extra
}

// arithmetic is what values after regions are computed with, where kernels and what launches them are in a file of their own.
const arithmetic = `__attribute__((unused)) static long scop_min(long a, long b) { return a < b ? a : b; }
__attribute__((unused)) static long scop_max(long a, long b) { return a > b ? a : b; }
__attribute__((unused)) static long scop_floor(long a, long b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
`

// beginning is where declarations can be added: before the first header is included, where all macros that headers look for are defined, or else at the
// first line.
func (u *unit) beginning() int {
	at, depth, outermost := 0, 0, 0
	for line := range strings.Lines(u.text[:u.parts[0].start]) {
		if m := directive.FindStringSubmatch(line); m != nil {
			switch m[1] {
			case "if", "ifdef", "ifndef":
				if depth++; depth == 1 {
					outermost = at
				}
			case "endif":
				depth--
			case "include":
				if depth > 0 {
					return outermost
				}
				return at
			}
		}
		at += len(line)
	}
	return 0
}

// defines has the macros of the command line in the file, as the kernels are made with them.
func (u *unit) defines() string {
	var b strings.Builder
	for _, d := range u.options.Define {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		if _, err := strconv.Atoi(value); err == nil && expr.IsName(name) {
			fmt.Fprintf(&b, "#ifndef %[1]s\n#define %[1]s %[2]s\n#elif %[1]s != %[2]s\n#error \"the file is compiled for another value of %[1]s\"\n#endif\n", name, value)
		} else {
			fmt.Fprintf(&b, "#define %s %s\n", name, value)
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// prototype is the head of the function that replaces the region.
func (p *part) prototype() string {
	list := lists.Map(p.parameters(), func(x parameter) string { return x.declared })
	if len(list) == 0 {
		list = []string{"void"}
	}
	return fmt.Sprintf("%svoid %s(%s)", map[bool]string{false: "static "}[p.apart], p.entry, strings.Join(list, ", "))
}

// written writes the function that replaces the region.
func (p *part) written() error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "    "+format+"\n", args...) }
	fmt.Fprintf(&b, "// Lines %d to %d of %s.\n", p.region.First, p.region.Last, p.file.Name)
	if p.apart {
		b.WriteString(`extern "C" `)
	}
	fmt.Fprintf(&b, "%s\n{\n", p.prototype())
	p.setup(p, line)
	b.WriteByte('\n')
	for _, x := range p.arrays {
		data := x.of.Name
		if x.packing != nil {
			data = x.packing.memory
			line("%[1]s *%[2]s = (%[1]s *) scop_memory(\"%[3]s\", %[4]s, sizeof(%[1]s));", p.names[x.of.DType], data, x.of.Name, x.elements())
			if x.in {
				p.pack(x, line, false)
			}
		}
		if !x.in || x.moved != "" {
			data = "NULL"
		}
		line(p.buffer, x.name, p.names[x.of.DType], x.of.Name, x.elements(), data)
		if x.in && x.moved != "" {
			line("scop_fill(\"%s\", %s, %s, sizeof(%s), %s);", x.of.Name, x.name, x.moved, p.names[x.of.DType], x.of.Name)
		}
	}
	p.changing = map[string]bool{}
	p.note(p.program.Steps)
	p.arguments(line)
	b.WriteByte('\n')
	p.steps(&b, p.program.Steps, 1, p.nest.Context)
	b.WriteByte('\n')
	for _, x := range p.arrays {
		if x.out {
			data := x.of.Name
			if x.packing != nil {
				data = x.packing.memory
			}
			line(p.back, x.name, p.names[x.of.DType], x.of.Name, cmp.Or(x.moved, x.elements()), data)
		}
	}
	line("scop_wait(\"%s\");", p.nest.Name)
	for _, x := range p.arrays {
		if x.packing != nil {
			if x.out {
				p.pack(x, line, true)
			}
			line("free(%s);", x.packing.memory)
		}
	}
	for _, x := range p.arrays {
		line(p.release, x.name)
	}
	b.WriteString("}\n")
	p.function = b.String()
	return p.err
}

// note enters the loops of the host, whose values change from launch to launch.
func (p *part) note(steps []offload.Step) {
	for _, s := range steps {
		if l, ok := s.(*offload.Loop); ok {
			p.changing[l.Name] = true
			p.note(l.Body)
		}
	}
}

// arguments sets what is the same in all launches, for languages in which arguments are set one by one.
func (p *part) arguments(line func(string, ...any)) {
	if p.emitted != emit.OpenCLC {
		return
	}
	for _, s := range p.sources {
		for i, x := range s.Params {
			if p.changing[x.Name] {
				continue
			}
			t := "cl_mem"
			if x.IsValue {
				t = p.names[x.DType]
			}
			line("scop_arg(%s, %d, %s, %s);", s.Entry, i, t, p.argument(x))
		}
	}
}

// argument is what a launch gives a parameter of a kernel.
func (p *part) argument(x emit.Param) string {
	if i := slices.IndexFunc(p.arrays, func(b *buffer) bool { return b.of.Name == x.Name }); i >= 0 && !x.IsValue {
		return p.arrays[i].name
	}
	if slices.Contains(p.program.Nest.Params, x.Name) || p.changing[x.Name] {
		return fmt.Sprintf("scop_int(\"%[1]s\", %[1]s)", x.Name)
	}
	return x.Name
}

// steps writes loops and launches. The context is what is known of sizes and of the values of loops around.
func (p *part) steps(b *strings.Builder, steps []offload.Step, depth int, context *polycount.Set) {
	line := func(format string, args ...any) {
		fmt.Fprintf(b, strings.Repeat("    ", depth)+format+"\n", args...)
	}
	for _, s := range steps {
		switch x := s.(type) {
		case *offload.Loop:
			lower, end, inside := p.bounds(x, context)
			repeated := depth == 1 && p.loop != ""
			if repeated {
				line("%s", p.loop)
			}
			line("for (long %[1]s = %[2]s; %[1]s %[3]s; %[1]s++) {", x.Name, lower, end)
			p.steps(b, x.Body, depth+1, inside)
			line("}")
			if repeated {
				line(p.loopEnd, p.nest.Name)
			}
		case *offload.Launch:
			k := slices.Index(p.program.Kernels, x.Kernel)
			inner := line
			when := p.condition(x.Where, context)
			if when != "" {
				line("if (%s) {", when)
				inner = func(format string, args ...any) { line("    "+format, args...) }
			}
			p.launch(p, k, inner)
			if when != "" {
				line("}")
			}
		}
	}
}

// bounds are the bounds of a loop of the host, which may have values that do nothing, and the context in it.
func (p *part) bounds(l *offload.Loop, context *polycount.Set) (lower, end string, inside *polycount.Set) {
	inside = context.AddDims(l.Name)
	parts, err := kernel.Inhabited(l.Values)
	p.check(err)
	if len(parts) == 0 {
		return "0", "< 0", inside
	}
	low, high, err := kernel.CommonBounds(parts, l.Name)
	p.check(err)
	if len(low) > 0 && len(high) > 0 {
		cs := lists.Map(low, func(x polycount.Bound) polycount.Constraint { return kernel.AtLeast(l.Name, x) })
		for _, x := range high {
			cs = append(cs, kernel.AtMost(l.Name, x))
		}
		inside, err = inside.Constrain(cs...)
		p.check(err)
		return folded("scop_max", low, ceiling), until(high), inside
	}
	var lows, highs []string // of each part
	for _, part := range parts {
		low, high, err := part.Bounds(l.Name)
		p.check(err)
		lows, highs = append(lows, folded("scop_max", low, ceiling)), append(highs, folded("scop_min", high, floor))
	}
	return nested("scop_min", lows), "<= " + nested("scop_max", highs), inside
}

// condition is when a launch does something, as far as the loops around do not tell; "" for always. What the sizes alone decide is left out: no
// work-item does anything then, or there is none.
func (p *part) condition(where, context *polycount.Set) string {
	host := where.Dims()
	rest, err := where.Gist(context)
	p.check(err)
	if err != nil {
		return ""
	}
	parts := rest.Disjuncts()
	var sides []string
	for _, part := range parts {
		var all []string
		for _, c := range cexpr.Predicates(part) {
			if len(parts) == 1 && !slices.ContainsFunc(host, func(d string) bool { return expr.Mentions(c, d) }) {
				continue
			}
			all = append(all, inC(c))
		}
		side := strings.Join(all, " && ")
		if len(all) > 1 && len(parts) > 1 {
			side = "(" + side + ")"
		}
		if side == "" {
			return ""
		}
		sides = append(sides, side)
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(sides, " || ")
}

// groups are the numbers of work-groups along the axes.
func (p *part) groups(kernel int) (out [3]string) {
	for axis, list := range p.linear[kernel].Groups {
		out[axis] = folded("scop_min", list, func(x polycount.Bound) string {
			if x.Den == 1 {
				return inC(expr.FromAffine(x.Num.AddInt(1)))
			}
			return fmt.Sprintf("scop_ceil(%s, %d)", inC(expr.FromAffine(x.Num.AddInt(1))), x.Den) // ⌊num/den⌋ + 1
		})
	}
	return out
}

// check keeps the first error of sets.
func (p *part) check(err error) {
	if p.err == nil {
		p.err = err
	}
}
