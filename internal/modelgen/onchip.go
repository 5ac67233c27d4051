package modelgen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/intmath"
	"gpuperf/internal/warning"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// operation is an arithmetic operation that some subject makes: what counts it and what measures it.
type operation struct {
	dtype     expr.DType
	op        string
	feature   string
	param     string
	unit      string
	generator string // tag
	function  string // of flops_func_pattern
	like      string // the operation whose cost it is given, where none measures it
}

// measured is the table of the operations that measurement kernels exist for.
var measured = []struct {
	op, generator, function string
	flops                   int
}{
	{"add", "flops_add_pattern", "", 1},
	{"mul", "flops_mul_pattern", "", 1},
	{"madd", "flops_madd_pattern", "", 2},
	{"div", "flops_div_pattern", "", 1},
	{"pow", "flops_pow_pattern", "", 1},
	{"func:exp", "flops_func_pattern", "exp", 1},
	{"func:rsqrt", "flops_func_pattern", "rsqrt", 1},
	{"func:sin", "flops_func_pattern", "sin", 1},
	{"func:cos", "flops_func_pattern", "cos", 1},
	{"func:sqrt", "flops_func_pattern", "sqrt", 1},
	{"func:tanh", "flops_func_pattern", "tanh", 1},
}

// alike are operations without a measurement kernel that take an instruction of the same kind.
var alike = map[string]string{"maxmin": "add", "func:max": "add", "func:min": "add", "func:fmax": "add", "func:fmin": "add", "func:fabs": "add"}

// findOperations lists the operations of the subjects, and notes on those that the model leaves out. With additions it adds those that
// kernels without their work make of what they load.
func findOperations(subjects []*subject, additions bool) (ops []operation, notes []string) {
	add := func(dtype expr.DType, op, like string) bool {
		if slices.ContainsFunc(ops, func(o operation) bool { return o.dtype == dtype && o.op == op }) {
			return true
		}
		o, ok := operationOf(dtype, op, like)
		if ok {
			ops = append(ops, o)
		}
		return ok
	}
	for _, s := range subjects {
		for _, r := range s.stats.Records {
			o, ok := r.Key.(features.Op)
			if !ok {
				continue
			}
			like := alike[o.Op]
			if like != "" {
				add(o.DType, like, "")
			}
			if !add(o.DType, o.Op, like) {
				notes = append(notes, warning.NoCost.About(fmt.Sprintf("%s, operations %s of %s", s.Variant.Name, o.Op, o.DType), "no measurement kernel has them; they cost nothing in this model"))
			}
		}
	}
	for _, s := range subjects {
		for _, t := range s.dtypes() {
			if additions {
				add(t, "add", "")
			}
		}
	}
	slices.SortStableFunc(ops, func(a, b operation) int { return strings.Compare(a.param+a.feature, b.param+b.feature) })
	return ops, notes
}

// operationOf is an operation as the table has it, or as it has the one that is like it; false where it has none.
func operationOf(dtype expr.DType, op, like string) (operation, bool) {
	at := cmp.Or(like, op)
	for _, m := range measured {
		if m.op != at || dtype != expr.Float32 && dtype != expr.Float64 {
			continue
		}
		short := strings.TrimPrefix(at, "func:")
		if dtype != expr.Float32 {
			short += "_" + string(dtype)
		}
		return operation{
			dtype: dtype, op: op, like: like, feature: fmt.Sprintf("f_op_%s_%s", dtype, op), param: "p_" + short,
			unit: fmt.Sprintf("s per %d FLOP per lane", m.flops), generator: m.generator, function: m.function,
		}, true
	}
	return operation{}, false
}

// localClass is a kind of access to local memory, by data type and stride along lid(0) in elements.
type localClass struct {
	dtype   expr.DType
	strides []int64 // along lid(0), positive; 1 includes one element for all work-items
	measure int64   // the stride of the measurement kernel
}

const (
	lmemRows  = 17 // elements of a work-item in lmem_pattern
	lmemItems = 16 // work-items along either axis
)

// findLocal lists the classes of the subjects' accesses to local memory. Strides with equal bank conflicts share a class.
func findLocal(subjects []*subject, device *facts.Device) (out []localClass, notes []string) {
	for _, s := range subjects {
		for _, m := range s.memory(kernel.Local) {
			if m.DType != expr.Float32 && m.DType != expr.Float64 {
				notes = append(notes, warning.NoCost.About(fmt.Sprintf("%s, local memory of %s", s.Variant.Name, m.DType), "no measurement kernel has it; it costs nothing in this model"))
				continue
			}
			stride, err := strconv.ParseInt(m.LStrides.Along(0), 10, 64)
			if err != nil {
				notes = append(notes, warning.Estimated.About(s.Variant.Name, "the stride of %s is no number, it costs as much as 1", m))
				continue
			}
			stride = max(1, stride, -stride)
			measure, ok := likeConflicts(stride, m.DType.Size(), device)
			if !ok {
				notes = append(notes, warning.Estimated.About(s.Variant.Name, "no measurement kernel has a stride of %d in local memory; it costs as much as 1", stride))
				stride, measure = 1, 1
			}
			i := slices.IndexFunc(out, func(c localClass) bool { return c.dtype == m.DType && c.measure == measure })
			if i < 0 {
				i = len(out)
				out = append(out, localClass{dtype: m.DType, measure: measure})
			}
			out[i].strides = addOnce(out[i].strides, stride)
		}
	}
	for i := range out {
		out[i].strides = addOnce(out[i].strides, out[i].measure)
		slices.Sort(out[i].strides)
	}
	slices.SortFunc(out, func(a, b localClass) int {
		return cmp.Or(cmp.Compare(a.dtype, b.dtype), cmp.Compare(a.measure, b.measure))
	})
	return out, notes
}

// likeConflicts returns the least stride that lmem_pattern can have whose accesses use as many banks as those of the given stride.
// A stride of 1 element is free of conflicts.
func likeConflicts(stride, size int64, device *facts.Device) (int64, bool) {
	most := machine.Of(device).MostLocal / (lmemRows * lmemItems * size)
	device = device.Typical()
	ways := func(s int64) int64 { return intmath.GCD(s*size/device.Int(facts.BankBytes), device.Int(facts.Banks)) }
	if ways(stride) == ways(1) {
		return 1, true
	}
	for s := int64(lmemItems); s <= most; s++ {
		if ways(s) == ways(stride) {
			return s, true
		}
	}
	return 0, false
}

// features lists the identifiers that select the class.
func (c localClass) features() []string {
	var out []string
	for _, s := range c.strides {
		constraint := strconv.FormatInt(s, 10)
		if s == 1 {
			constraint = "<2" // also 0, one element for all
		}
		out = append(out, fmt.Sprintf("f_mem_hoisted_local_%s_lstrides:{0:%s}", c.dtype, constraint))
	}
	return out
}

func (c localClass) param() string {
	p := "p_local"
	if c.dtype != expr.Float32 {
		p += "_" + string(c.dtype)
	}
	if c.measure > 1 {
		p += fmt.Sprintf("_%d", c.measure)
	}
	return p
}

// barriers reports that some subject has barriers.
func barriers(subjects []*subject) bool {
	return slices.ContainsFunc(subjects, func(s *subject) bool {
		return slices.ContainsFunc(s.stats.Records, func(r features.Record) bool { return r.Key == features.Sync{Op: "barrier_local"} })
	})
}
