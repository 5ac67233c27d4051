package export

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuperf/workload"
)

// files writes the texts of all files.
func (r *Result) files(l *language) {
	main := r.name + l.host
	r.Build = l.build(r.Options, main)
	r.Files = []string{main, r.name + ".h"}
	r.texts = map[string]string{r.name + ".h": r.header(), main: r.host(l)}
	if l.kernels != "" {
		file := r.name + l.kernels
		r.Files = append(r.Files, file)
		r.texts[file] = r.Kernels
	}
	r.Files = append(r.Files, r.name+".json") // which lists the others
}

// head is a comment on what is exported.
func (r *Result) head() string {
	var b strings.Builder
	at := ""
	if len(r.Sizes) > 0 {
		at = " at " + workload.FormatSizes(r.Sizes)
	}
	comment(&b, fmt.Sprintf("By perf lift export: program %s%s, variant %s (%s).", r.Program, at, r.Variant, r.Recipe))
	return b.String()
}

// prototype declares the function.
func (r *Result) prototype() string {
	var list []string
	for _, a := range r.Arguments {
		t, name := hostTypes[a.DType], cName(a.Name)
		switch a.Kind {
		case ByValue:
			list = append(list, t+" "+name)
		case In:
			list = append(list, "const "+t+" *"+name)
		default:
			list = append(list, t+" *"+name)
		}
	}
	return fmt.Sprintf("void %s(%s)", r.Function, strings.Join(list, ", "))
}

// header is the file that declares the function.
func (r *Result) header() string {
	var b strings.Builder
	b.WriteString(r.head())
	for _, a := range r.Arguments {
		if a.Kind == ByValue {
			continue
		}
		what := map[Kind]string{In: "read", Out: "written", Updated: "written, but for elements that keep their values"}[a.Kind]
		comment(&b, fmt.Sprintf("%s: %d of %s, %s", cName(a.Name), a.Elements, a.DType, what))
	}
	guard := strings.ToUpper(r.Function) + "_H"
	fmt.Fprintf(&b, "#ifndef %[1]s\n#define %[1]s\n#include <stdint.h>\n#ifdef __cplusplus\nextern \"C\"\n#endif\n%[2]s;\n#endif\n", guard, r.prototype())
	return b.String()
}

// host is the file with the function.
func (r *Result) host(l *language) string {
	var b strings.Builder
	b.WriteString(r.head())
	fmt.Fprintf(&b, "#include \"%s.h\"\n", r.name)
	if r.wide() {
		b.WriteString("#include <limits.h>\n#define LIFT_MOST LONG_MAX\n")
	}
	b.WriteString(l.before(r, r.name+l.kernels))
	line := func(format string, args ...any) { fmt.Fprintf(&b, "    "+format+"\n", args...) }
	fmt.Fprintf(&b, "%s\n{\n", r.prototype())
	if l.setup != nil {
		l.setup(r, line)
	}
	r.each(l.buffer, line, In, Out, Updated, Temporary)
	for _, x := range r.Launches {
		l.launch(r, x, line)
	}
	r.each(l.back, line, Out, Updated)
	if l.end != "" {
		line(l.end, r.Program)
	}
	r.each(l.release, line, In, Out, Updated, Temporary)
	b.WriteString("}\n")
	return b.String()
}

// each writes something of all arguments and temporaries of some kinds.
func (r *Result) each(write func(a Array, line printer), line printer, kinds ...Kind) {
	for _, a := range slices.Concat(r.Arguments, r.Temporaries) {
		if write != nil && slices.Contains(kinds, a.Kind) {
			write(a, line)
		}
	}
}

// wide reports that an array has more elements than an int counts; the kernels then count in 64 bits.
func (r *Result) wide() bool {
	return slices.ContainsFunc(slices.Concat(r.Arguments, r.Temporaries), func(a Array) bool { return a.Elements > math.MaxInt32 })
}
