package frontend

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront"
	"gpuperf/cfront/launches"
	"gpuperf/ckernel"
	"gpuperf/internal/cname"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// hosted is how the host code of a file launches a kernel of it, where the options do not say it.
type hosted struct {
	launch *launches.Launch
	given  map[string]int64  // sizes with the values that they have there
	bytes  map[string]string // of buffers, by the parameters that point to them
}

// fromHost completes options by the launch of the function among those that the host code of a file makes. It is nil where there is none.
func (o Options) fromHost(ctx context.Context, path string, text *cfront.File, opt *ckernel.Options) *hosted {
	name := cname.Base(o.Kernel)
	if name == "" && len(text.Launches) > 0 {
		name = text.Launches[0].Kernel
	}
	var best *launches.Launch
	for _, l := range text.Launches {
		if l.Kernel != name {
			continue
		}
		if l.Resolve(); best == nil || knowledge(l) > knowledge(best) {
			best = l
		}
	}
	if best == nil {
		return nil
	}
	if o.Kernel == "" || !strings.Contains(o.Kernel, "<") {
		opt.Kernel, opt.C.Instance = name, ""
		switch {
		case best.Template != nil:
			opt.Kernel, opt.C.Instance, opt.C.Arguments = "", text.InstanceOf(best), best.Types
			opt.C.Proposed = text.IsProposed(opt.C.Instance)
		default:
			chooseInstance(ctx, path, text, opt, best)
		}
	}
	return &hosted{launch: best, given: map[string]int64{}}
}

// knowledge is how much is known of a launch.
func knowledge(l *launches.Launch) (n int) {
	for _, list := range [][]*launches.Expr{l.Grid, l.Block} {
		for _, e := range list {
			if n++; e == nil {
				return 0
			} else if _, is := e.Value(); is {
				n++
			}
		}
	}
	return n
}

// chooseInstance names the instance of a template that a launch without arguments means, or else one that is proposed.
func chooseInstance(ctx context.Context, path string, text *cfront.File, opt *ckernel.Options, l *launches.Launch) {
	if !slices.Contains(text.Templates, l.Kernel) {
		return
	}
	opt.Kernel, opt.C.Instance, opt.C.Arguments = "", l.Kernel, l.Types
	if _, err := cfront.Read(ctx, path, opt.C); err != nil && text.Proposed[l.Kernel] != "" {
		opt.C.Instance, opt.C.Arguments, opt.C.Proposed = text.Proposed[l.Kernel], nil, true
	}
}

// launchesOf are the launches of the kernels of a file, without those of kernels of other files, or of whatever a function is given.
func launchesOf(text *cfront.File) []*launches.Launch {
	own := append(ckernel.Names(text), text.Templates...)
	if len(own) == 0 {
		return text.Launches
	}
	return lists.Where(text.Launches, func(l *launches.Launch) bool { return slices.Contains(own, l.Kernel) })
}

func launchedKernels(all []*launches.Launch) (names []string) {
	for _, l := range all {
		if !slices.Contains(names, l.Kernel) {
			names = append(names, l.Kernel)
		}
	}
	return names
}

// complete gives options what the launch says, once the parameters of the function are known.
func (h *hosted) complete(fn *cfront.Function, opt *ckernel.Options) error {
	l := h.launch
	if len(fn.Params) != l.Arguments() && !l.Apart && !l.Packed() {
		return mistake("%s: the launch %s has %d arguments, and %s %d parameters", l.At.File, l.Describe(), l.Arguments(), fn.Name, len(fn.Params))
	}
	var params []launches.Param
	for _, p := range fn.Params {
		params = append(params, launches.Param{Name: p.Name, Integer: p.DType.IsInteger() && len(p.Dims) == 0 && !p.DType.IsVector()})
	}
	b := l.Bind(params)
	opt.Bind, h.given, h.bytes = b.Args, b.Given, b.Bytes
	if opt.Global == nil && opt.Groups == nil {
		if opt.Groups = b.Grid; l.Items {
			opt.Groups, opt.Global = nil, b.Grid
		}
	}
	if opt.Local == nil && fn.Group == nil {
		if opt.Local = b.Block; b.Block == nil {
			local := "--local " + proposedBlock(l, fn.MostItems)
			err := source.At(l.At.File, "", l.At.Pos, "the work-group of the launch %s is not known", l.Describe()).WithHint("give it, as in %s", local)
			err.Flags = []string{local}
			return err
		}
	}
	if opt.Dynamic == "" {
		opt.Dynamic = b.Shared
	}
	return nil
}

// proposedBlock is a work-group for a launch whose own is not known: what is known of it, and 16 work-items along other axes, or 256 along the only one, or as many as
// the function allows if these are fewer; most is 0 where it allows any.
func proposedBlock(l *launches.Launch, most int64) string {
	axes := []string{"256"}
	for d, e := range l.Block {
		axes = append(axes[:d], "16")
		if n, known := e.Value(); known {
			axes[d] = strconv.FormatInt(n, 10)
		}
	}
	if axes = launches.Trimmed(axes, "1"); len(axes) == 1 {
		if axes[0] = "256"; 0 < most && most < 256 {
			axes[0] = strconv.FormatInt(most, 10)
		}
	}
	return strings.Join(axes, ",")
}

// extent is the outermost extent of an array, by the bytes that the host code allocates for it; 0 where these are not known, or a size says it.
func (h *hosted) extent(a *kernel.Array, at map[string]int64) int64 {
	e, err := expr.ParseSizes(h.bytes[a.Name])
	if given, is := a.Shape[0].(expr.Var); err != nil || is && at[given.Name] > 0 {
		return 0
	}
	all, _ := expr.EvalInt64(e, at)
	return all / innerBytes(a, at)
}

// text is how the launch is said by options, for what is shown and recorded.
func (h *hosted) text(opt ckernel.Options) map[string]string {
	local := lists.Map(opt.Local, func(n int64) string { return strconv.FormatInt(n, 10) })
	out := map[string]string{"local": strings.Join(local, ","), "groups": strings.Join(opt.Groups, ","), "global": strings.Join(opt.Global, ","), "shared": opt.Dynamic}
	maps.DeleteFunc(out, func(_, text string) bool { return text == "" })
	return out
}
