package frontend

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront"
	"gpuperf/device"
	"gpuperf/internal/intmath"
	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
	"gpuperf/launchfile"
)

// float is passed for arguments in floating point, of which nobody says a value.
const float = "1.5"

// job is the launch at sizes of a function whose launch options describe: that of the launch file which says the same. Arguments have the
// names of the parameters.
func (f *function) job(at map[string]int64) (device.Job, error) {
	groups, err := f.groups(at)
	if err != nil {
		return device.Job{}, err
	}
	text, err := f.launchFile(groups, at)
	if err != nil {
		return device.Job{}, err
	}
	file, err := launchfile.Parse(f.path, []byte(text))
	if err != nil {
		return device.Job{}, mistake("%s", source.Message(err))
	}
	job, err := file.Job(nil)
	if err != nil {
		return device.Job{}, err
	}
	name(job.Args, f.fn.Params)
	return job, nil
}

// launchFile is the text of that launch file with so many work-groups, with numbers for the sizes.
func (f *function) launchFile(groups []int64, at map[string]int64) (string, error) {
	if before := f.opt.C.Before; len(before) > 0 {
		return "", mistake("a launch has one file of source, and %s stands before %s", before[0], f.path).WithHint("put them into one file, or #include the first")
	}
	l := &lines{}
	l.add("version: 1")
	l.add("source: %q", filepath.Base(f.path))
	l.add("kernel: %q", f.name())
	defines := slices.Concat(f.opt.C.Define, f.file.Defined)
	for i, d := range defines {
		if strings.ContainsAny(d, " \t\n") {
			return "", mistake("-D %s: a macro with blanks cannot be passed to the compiler", d).WithHint("define it in the source")
		}
		if i == 0 {
			l.add("options:")
		}
		l.add("  - %q", "-D"+d)
	}
	for i, dir := range slices.Concat(f.opt.C.Include, f.file.Folders) {
		if i == 0 {
			l.add("include:")
		}
		dir, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		l.add("  - %q", dir)
	}
	l.add("grid: %s", numbers(groups))
	l.add("block: %s", numbers(f.block()))
	if f.opt.Dynamic != "" && !strings.Contains(f.opt.Dynamic, "=") {
		bytes, err := value(f.opt.Dynamic, at)
		if err != nil {
			return "", err
		}
		l.add("shared: %d", bytes)
	} else if bytes := f.dynamic(at); bytes > 0 {
		l.add("shared: %d", bytes)
	}
	if len(f.fn.Params) > 0 {
		l.add("args:")
	}
	args, err := f.parameters(at)
	if err != nil {
		return "", err
	}
	for _, a := range args {
		l.add("  - {%s}", a)
	}
	return l.String(), nil
}

// lines are those of a text.
type lines struct{ strings.Builder }

func (l *lines) add(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

func numbers(list []int64) string { return strings.ReplaceAll(fmt.Sprint(list), " ", ", ") }

// block are the work-items of a work-group along the axes.
func (f *function) block() []int64 {
	if f.opt.Local == nil {
		return f.fn.Group
	}
	return f.opt.Local
}

// groups are the work-groups along the axes.
func (f *function) groups(at map[string]int64) (out []int64, err error) {
	given, items := f.opt.Groups, false
	if given == nil {
		given, items = f.opt.Global, true
	}
	block := f.block()
	for d, text := range given {
		n, err := value(text, at)
		if err != nil {
			return nil, err
		}
		if items && d < len(block) {
			n = intmath.CeilDiv(n, block[d])
		}
		if n < 1 {
			return nil, device.Refusal("dimension %d of the launch has %d work-groups", d, n)
		}
		out = append(out, n)
	}
	return out, nil
}

// value is that of an expression in sizes, whose quotients round down.
func value(text string, at map[string]int64) (int64, error) {
	e, err := expr.Parse(text)
	if err != nil {
		return 0, mistake("%s: %s", text, source.Message(err))
	}
	v, err := expr.EvalInt(expr.Rewrite(expr.Rewrite(e, expr.Extremes), quotients), at)
	if err != nil {
		return 0, mistake("%s: %v", text, err)
	}
	if !v.IsInt64() {
		return 0, mistake("%s: it is %v, which needs more than 64 bits", text, v)
	}
	return v.Int64(), nil
}

// quotients makes quotients integers.
func quotients(e expr.Expr) expr.Expr {
	if op, ok := e.(*expr.Op); ok && op.Kind == expr.Div {
		return &expr.Op{Kind: expr.FloorDiv, Args: op.Args}
	}
	return e
}

// argument is what is passed for a parameter.
func (f *function) argument(p *cfront.Var, at map[string]int64) (string, error) {
	base, lanes := string(p.DType.Base()), p.DType.Lanes()
	switch {
	case p.Pointer && p.Space == cfront.LocalSpace:
		n, err := f.elements(p, at)
		return fmt.Sprintf("local: %s, size: %d", base, n*lanes), err
	case p.Pointer:
		n := int64(1) // of what the function does not access
		if a := f.array(p.Name); a != nil {
			var err error
			if n, err = a.Elements(at); err != nil {
				return "", mistake("%v", err).WithHint("a launch file can say it: perf init launch --from %s", f.path)
			}
			base, lanes = string(a.DType.Base()), a.DType.Lanes()
		}
		return fmt.Sprintf("buffer: %q, dtype: %s, size: %d, restore: %t", p.Name, base, max(n, 1)*lanes, !p.Const), nil
	case p.Record != nil || p.DType.IsVector():
		return f.structure(p, at)
	case p.DType.IsFloat() && device.DTypeSize(base) > 2:
		return base + ": " + float, nil
	case p.DType.IsInteger():
		n, ok := at[p.Name]
		if !ok {
			n = 1
		}
		if _, err := (device.Arg{DType: base, Int: n}).ScalarBytes(); err != nil {
			return "", f.errorf(p, "%s is %d, which does not fit its type, %s", p.Name, n, base).WithHint("indices of that type overflow, too: declare it and what is computed from it with 64 bits, or take a smaller %s", p.Name)
		}
		return base + ": " + strconv.FormatInt(n, 10), nil
	}
	return "", f.unknown(p)
}

// elements are those of local memory that a parameter points to, which the options say as in "tile=256, part=64", or those that it accesses.
func (f *function) elements(p *cfront.Var, at map[string]int64) (int64, error) {
	for _, one := range extents(f.opt.Dynamic) {
		if name, text, _ := strings.Cut(one, "="); strings.TrimSpace(name) == p.Name {
			return value(text, at)
		}
	}
	if a := f.array(p.Name); a != nil {
		return a.Elements(at)
	}
	return 0, f.errorf(p, "the elements of the local memory %s are not known", p.Name).WithHint("give them: --shared %s=256", p.Name)
}

// dynamic are the bytes of local memory that is no parameter and has the size that the launch gives (extern __shared__): those that the function
// accesses. Arrays of this kind begin at the same place.
func (f *function) dynamic(at map[string]int64) (bytes int64) {
	for _, a := range f.ir.Temps {
		if a.Dynamic && !slices.ContainsFunc(f.fn.Params, func(p *cfront.Var) bool { return p.Name == a.Name }) {
			n, _ := a.Elements(at)
			bytes = max(bytes, n*a.DType.Size())
		}
	}
	return bytes
}

// errorf is an error at the declaration of a parameter.
func (f *function) errorf(p *cfront.Var, format string, args ...any) *source.Error {
	return f.file.Errorf(p.Pos, format, args...)
}
