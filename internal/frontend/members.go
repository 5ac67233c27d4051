package frontend

import (
	"fmt"
	"strings"

	"gpuperf/cfront"
	"gpuperf/ckernel"
	"gpuperf/device"
	"gpuperf/kernel/expr"
	"gpuperf/samples"
)

// parameters are what is passed for each parameter of the function, as arguments of a launch file.
func (f *function) parameters(at map[string]int64) (list []string, err error) {
	end := int64(0) // of the parameters before, in bytes
	for _, p := range f.fn.Params {
		arg, err := f.argument(p, at)
		if err != nil {
			return nil, err
		}
		size, align := passedAs(p)
		start := (end + align - 1) / align * align
		if word := base(p); f.runs() == samples.CUDA && (end+word-1)/word*word != start { // members do not tell the alignment of a vector
			arg += fmt.Sprintf(", offset: %d", start)
		}
		list, end = append(list, arg), start+size
	}
	return list, nil
}

// base is the size of a number of a vector, or the alignment of what is none.
func base(p *cfront.Var) int64 {
	if p.DType.IsVector() && !p.Pointer {
		return p.DType.Base().Size()
	}
	_, align := passedAs(p)
	return align
}

// runs is the interface that the source runs under.
func (f *function) runs() samples.Interface { return interfaces[f.file.Language] }

// passedAs is how many bytes a parameter has, and a multiple of what it begins at.
func passedAs(p *cfront.Var) (size, align int64) {
	switch {
	case p.Pointer:
		return 8, 8
	case p.Record != nil:
		return p.Record.Size, max(p.Record.Align, 1)
	}
	size = max(p.DType.Distance(), 1)
	return size, size
}

// structure is what is passed for a parameter that is a structure or a vector: its members, of which integers are sizes with its name before theirs.
func (f *function) structure(p *cfront.Var, at map[string]int64) (string, error) {
	if p.Record == nil {
		return vector(p.DType), nil
	}
	return f.members(p, p.Record, p.Name, at)
}

// vector is a vector, whose lanes are no sizes; one of three has a fourth in OpenCL C.
func vector(t expr.DType) string {
	one := "{" + number(t.Base(), "", nil) + "}"
	return "struct: [" + strings.Repeat(one+", ", int(t.Distance()/t.Base().Size())-1) + one + "]"
}

func (f *function) members(p *cfront.Var, r *cfront.Record, name string, at map[string]int64) (string, error) {
	if r.Unknown != "" || r.Union {
		return "", f.unknown(p)
	}
	var list []string
	add := func(offset int64, text string) {
		if f.runs() == samples.CUDA {
			text += fmt.Sprintf(", offset: %d", offset)
		}
		list = append(list, "{"+text+"}")
	}
	for _, m := range r.Fields {
		whole := name + "_" + m.Name
		switch {
		case m.Pointer && len(m.Dims) == 0:
			base, n := expr.Float32, int64(1)
			if a := f.array(whole); a != nil {
				var err error
				if n, err = a.Elements(at); err != nil {
					return "", mistake("%v", err)
				}
				base = a.DType
			}
			add(m.Offset, fmt.Sprintf("buffer: %q, dtype: %s, size: %d", whole, base.Base(), max(n, 1)*int64(base.Lanes())))
		case m.Record != nil && !m.Pointer && len(m.Dims) == 0:
			text, err := f.members(p, m.Record, whole, at)
			if err != nil {
				return "", err
			}
			add(m.Offset, text)
		case m.DType.IsVector() && !m.Pointer && len(m.Dims) == 0:
			add(m.Offset, vector(m.DType))
		case m.DType != "" && !m.Pointer:
			n := int64(m.DType.Lanes())
			for _, d := range m.Dims {
				n *= d
			}
			for i := range n {
				add(m.Offset+i*m.DType.Base().Size(), number(m.DType.Base(), whole, at))
			}
		default:
			return "", f.unknown(p)
		}
	}
	return "struct: [" + strings.Join(list, ", ") + "]", nil
}

// number is what is passed for a number by a name.
func number(t expr.DType, name string, at map[string]int64) string {
	if t.IsFloat() {
		return string(t) + ": " + float
	}
	n, ok := at[name]
	if !ok {
		n = 1
	}
	return fmt.Sprintf("%s: %d", t, n)
}

// name gives arguments the names that they have in kernels: those of parameters, and of members with the parameter's before it. What is in a structure is listed
// in order, however deep it is; a single structure may hold all arguments.
func name(args []device.Arg, params []*cfront.Var) {
	var names []string
	for _, p := range params {
		switch {
		case p.Pointer:
			names = append(names, p.Name)
		case p.Record != nil:
			names = append(names, leaves(p.Record, p.Name)...)
		case p.DType.IsVector():
			names = append(names, lanes(p.Name, p.DType)...)
		default:
			names = append(names, p.Name)
		}
	}
	var list func(a *device.Arg)
	list = func(a *device.Arg) {
		for i := range a.Fields {
			list(&a.Fields[i].Arg)
		}
		if a.Kind != device.Struct && len(names) > 0 {
			a.Name, names = names[0], names[1:]
		}
	}
	for i := range args {
		list(&args[i])
	}
}

// lanes are the names of the lanes of a vector; what fills it up is one more.
func lanes(name string, t expr.DType) (list []string) {
	for lane := range t.Distance() / t.Base().Size() {
		list = append(list, ckernel.LaneName(name, lane))
	}
	return list
}

// leaves are the names of the numbers, pointers and lanes of a record; elements of arrays have none.
func leaves(r *cfront.Record, name string) (list []string) {
	for _, m := range r.Fields {
		whole := name + "_" + m.Name
		switch n := m.DType.Distance() / max(m.DType.Base().Size(), 1); {
		case m.Record != nil && !m.Pointer:
			list = append(list, leaves(m.Record, whole)...)
		case m.Pointer || n == 1 && len(m.Dims) == 0:
			list = append(list, whole)
		case len(m.Dims) == 0:
			list = append(list, lanes(whole, m.DType)...)
		default:
			for _, d := range m.Dims {
				n *= d
			}
			list = append(list, make([]string, n)...)
		}
	}
	return list
}

// unknown says that it is not known what to pass.
func (f *function) unknown(p *cfront.Var) error {
	return f.errorf(p, "nothing is known to pass for %s", p.Name).WithHint("a launch file can say it: perf init launch --from %s", f.path)
}
