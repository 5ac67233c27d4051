package explore

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/device"
	"gpuperf/device/datafile"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// Data is what an input holds in place of random numbers.
type Data struct {
	Text string     // as the user wrote it; samples with other data are other samples
	Arg  device.Arg // of which only what fills a buffer, or a value, is of use
}

var sequenceForm = regexp.MustCompile(`^\((\d+)\*i\+(\d+)\)/(\d+)%(\d+)$`)

// signed is the data of random numbers of both signs.
const signed = "signed"

// ParseData reads name=(a*i+b)/c%d, of whole numbers, name=signed, name=FILE.npy, or name=FORMULA, an expression of i, the number of the element.
func ParseData(text string) (name string, d Data, err error) {
	name, what, ok := strings.Cut(text, "=")
	name, what = strings.TrimSpace(name), strings.TrimSpace(what)
	if !ok || !expr.IsName(name) || what == "" {
		return name, d, fmt.Errorf("--data %q is not of the form x=FILE.npy, x=signed, or x=FORMULA of the number i of an element", text)
	}
	d.Text = strings.ReplaceAll(what, " ", "")
	switch m := sequenceForm.FindStringSubmatch(d.Text); {
	case m != nil:
		var n [4]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(m[1+i], 10, 64); err != nil {
				return name, d, fmt.Errorf("--data %q: %w", text, err)
			}
		}
		d.Arg.Sequence = &device.Sequence{Mul: n[0], Add: n[1], Div: n[2], Mod: n[3]}
	case what == signed:
		d.Arg.Signed = true
	case strings.HasSuffix(what, datafile.Suffix):
		f, err := openData(what)
		if err != nil {
			return name, d, fmt.Errorf("--data %s: %w", text, err)
		}
		d.Text = "sha256:" + f.File.Hash[:16]
		d.Arg = device.Arg{DType: f.DType, Count: f.Bytes / device.DTypeSize(f.DType), File: &f.File}
	default:
		e, err := expr.Parse(what)
		if err == nil {
			d.Arg.Formula, err = formula(e)
		}
		if err != nil {
			return name, d, fmt.Errorf("--data %q: %w", text, err)
		}
	}
	return name, d, nil
}

func openData(path string) (datafile.Data, error) {
	f, err := datafile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no file %s", path)
	}
	return f, err
}

// component is an array, or a number, of which an input consists: the arguments of kernels.
type component struct {
	name     string
	dtype    expr.DType
	elements int64
	value    bool // it is a number
}

// components are those of the inputs of a program at constant sizes, or of its result, which is named out.
func components(inputs ...lift.Param) (out []component) {
	for _, in := range inputs {
		var list []component
		var walk func(t *lift.Type, n int64, inArray bool)
		walk = func(t *lift.Type, n int64, inArray bool) {
			switch t.Kind {
			case lift.ArrayType:
				length, _ := t.Len.Const()
				walk(t.Elem, n*length, true)
			case lift.TupleType:
				for _, e := range t.Elems {
					walk(e, n, inArray)
				}
			default:
				list = append(list, component{in.Name, t.DType, n * max(1, int64(t.Width)), !inArray && t.Kind == lift.ScalarType})
			}
		}
		walk(in.Type, 1, false)
		for k := range list {
			if len(list) > 1 {
				list[k].name = fmt.Sprintf("%s_%d", in.Name, k)
			}
		}
		out = append(out, list...)
	}
	return out
}

func find(list []component, name string) (component, error) {
	var names []string
	for _, c := range list {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return component{}, fmt.Errorf("there is no %s to hold data; there are %s", name, strings.Join(names, ", "))
}

// CheckData returns an error for data that inputs cannot hold, or whose indices are outside the arrays that they select from. at is the program at
// the sizes of the space.
func CheckData(at *lift.Program, data map[string]Data) error {
	list, longest, starts := components(at.Inputs...), longestIndexed(at.Body), lift.Starts(at)
	for _, name := range slices.Sorted(maps.Keys(data)) {
		c, err := find(list, name)
		if err != nil {
			return fmt.Errorf("program %s: %w", at.Name, err)
		}
		if err := c.check(data[name].Arg); err != nil {
			return fmt.Errorf("data of %s: %w", name, err)
		}
		if of, ok := starts[name]; ok {
			n, _ := of.Const()
			if err := c.ascends(data[name].Arg, n); err != nil {
				return fmt.Errorf("data of %s: %w", name, err)
			}
			continue
		}
		if longest > 0 && c.dtype.IsInteger() && !c.value {
			if err := c.indexes(data[name].Arg, longest); err != nil {
				return fmt.Errorf("data of %s: %w", name, err)
			}
		}
	}
	return nil
}

// check returns an error for data that the component cannot hold.
func (c component) check(a device.Arg) error {
	switch {
	case a.Sequence != nil:
		return c.checkSequence(a.Sequence)
	case a.File != nil && c.value:
		return fmt.Errorf("it is a number, and not read from a file")
	case a.File != nil && a.DType != string(c.dtype):
		return fmt.Errorf("the file holds %s, and it is of %s", a.DType, c.dtype)
	case a.File != nil && a.Count != c.elements:
		return fmt.Errorf("the file holds %d numbers, and it has %d", a.Count, c.elements)
	case a.Signed && c.value:
		return fmt.Errorf("it is one number: give its value")
	case a.Formula != nil && c.value && slices.Contains(a.Formula, "i"):
		return fmt.Errorf("it is one number, and i would be the number of an element")
	case a.Formula != nil:
		return a.Formula.Check(string(c.dtype))
	}
	return nil
}

func (c component) checkSequence(s *device.Sequence) error {
	switch n, most := c.elements, greatest(c.dtype); {
	case c.value || !c.dtype.IsInteger():
		return fmt.Errorf("it is of %s, and quotients of whole numbers are for arrays of integers", c.dtype)
	case s.Div < 1 || s.Mod < 1:
		return fmt.Errorf("it is divided by %d and taken modulo %d, which are at least 1", s.Div, s.Mod)
	case s.Mul < 0 || s.Add < 0:
		return fmt.Errorf("%d*i + %d: neither may be negative", s.Mul, s.Add)
	case s.Mul > 0 && n > (math.MaxInt64-s.Add)/s.Mul:
		return fmt.Errorf("element %d is too great for 64 bits", n-1)
	case n > 0 && min(s.Mod-1, (s.Mul*(n-1)+s.Add)/s.Div) > most:
		return fmt.Errorf("numbers above %d, the greatest %s", most, c.dtype)
	}
	return nil
}

// indexes returns an error for data with an index outside the longest array that it may choose from.
func (c component) indexes(a device.Arg, longest int64) error {
	if a.Sequence != nil {
		if a.Sequence.Mod > longest {
			return fmt.Errorf("numbers up to %d, and the longest array that it can choose from has %d elements", a.Sequence.Mod-1, longest)
		}
		return nil
	}
	return c.each(a, func(i, v int64) error {
		if v < 0 || v >= longest {
			return fmt.Errorf("element %d is %d, and the longest array that it can choose from has %d elements", i, v, longest)
		}
		return nil
	})
}

// ascends returns an error for data that are no starts of segments of n elements.
func (c component) ascends(a device.Arg, n int64) error {
	before := int64(0)
	return c.each(a, func(i, v int64) error {
		if v < before || v > n {
			return fmt.Errorf("element %d is %d, and must be from %d, where the segment before it starts, to %d, the number of elements", i, v, before, n)
		}
		before = v
		return nil
	})
}

// each calls a function for the number and the value of each element, until it returns an error.
func (c component) each(a device.Arg, check func(i, v int64) error) error {
	const chunk = 1 << 16 // elements at once, which stay in a cache of the host
	a.DType, a.Seed = string(c.dtype), 1
	size := c.dtype.Size()
	for first := int64(0); first < c.elements; first += chunk {
		n := min(chunk, c.elements-first)
		bytes := make([]byte, n*size)
		if err := a.Load(bytes, first); err != nil {
			return err
		}
		for i := range n {
			if err := check(first+i, integer(c.dtype, bytes[i*size:(i+1)*size])); err != nil {
				return err
			}
		}
	}
	return nil
}

// integer is a little-endian number.
func integer(d expr.DType, bytes []byte) int64 {
	var v uint64
	for _, b := range slices.Backward(bytes) {
		v = v<<8 | uint64(b)
	}
	if shift := 64 - 8*d.Size(); d.IsSigned() {
		return int64(v<<shift) >> shift
	}
	return int64(min(v, math.MaxInt64))
}

// greatest is the greatest number of an integer type, that of int64 for wider ones.
func greatest(d expr.DType) int64 {
	bits := 8 * d.Size()
	if d.IsSigned() {
		bits--
	}
	return math.MaxInt64 >> max(63-bits, 0)
}

// longestIndexed is the length of the longest array that is accessed at computed indices, 0 without one.
func longestIndexed(body *lift.Term) (longest int64) {
	lift.Walk(body, lift.Set(lift.At), func(t *lift.Term) {
		if t.Kids[0].Op == lift.Literal || t.Kids[0].Op == lift.SizeLit {
			return
		}
		if n, ok := t.Arg().Type.Len.Const(); ok {
			longest = max(longest, n)
		}
	})
	return longest
}

// dataPrefix begins the names of arguments that say what an input holds.
const dataPrefix = "data_"

// dataArgs are the arguments that distinguish samples with different data.
func dataArgs(data map[string]Data) map[string]string {
	args := map[string]string{}
	for name, d := range data {
		args[dataPrefix+name] = d.Text
	}
	return args
}

// Segments is data for the inputs of a program at constant sizes that are starts of segments, which have one and a half and half of their mean length
// in turn.
func Segments(at *lift.Program) map[string]Data {
	out := map[string]Data{}
	starts := lift.Starts(at)
	for _, in := range at.Inputs {
		of, known := starts[in.Name]
		n, _ := of.Const()
		count, _ := in.Type.Len.Const()
		if m := count - 1; known && m > 0 {
			out[in.Name] = Data{Arg: device.Arg{Sequence: &device.Sequence{Terms: []device.Term{
				{Times: 1, Of: device.Sequence{Mul: n, Div: m}}, {Times: -(n / m / 2), Of: device.Sequence{Mul: 1, Mod: 2}},
			}}}}
		}
	}
	return out
}

// data is what the inputs of the program hold instead of random numbers: what the user gave, and starts of segments. It is found once for all points.
func (s *Space) data() map[string]Data {
	found, ok := s.at.Load(s.Program)
	if !ok {
		found, _ = s.at.LoadOrStore(s.Program, s.findData())
	}
	return found.(map[string]Data)
}

// hold replaces the data that the user gave.
func (s *Space) hold(data map[string]Data) {
	s.options.Data = data
	s.at.Delete(s.Program)
}

func (s *Space) findData() map[string]Data {
	at, err := s.Program.AtSizes(s.Sizes)
	if err != nil {
		return s.options.Data
	}
	all := Segments(at)
	maps.Copy(all, s.options.Data)
	return all
}

// fillings are the data as arguments.
func fillings(data map[string]Data) map[string]device.Arg {
	out := map[string]device.Arg{}
	for name, d := range data {
		out[name] = d.Arg
	}
	return out
}

// atAnySize are the data of numbers that do not depend on sizes: indices and files do.
func atAnySize(p *lift.Program, data map[string]Data) map[string]Data {
	out := map[string]Data{}
	for _, c := range components(p.Inputs...) {
		if d, ok := data[c.name]; ok && c.dtype.IsFloat() && d.Arg.File == nil {
			out[c.name] = d
		}
	}
	return out
}

// signedData is data of both signs for all arrays of floating-point numbers that have none of their own. It is nil unless all functions of the program
// are made of sums, products and choices: others, such as quotients, need not be exact or defined for all numbers.
func signedData(p *lift.Program, data map[string]Data) map[string]Data {
	if !total(p.Body) {
		return nil
	}
	out := map[string]Data{}
	maps.Copy(out, data)
	for _, c := range components(p.Inputs...) {
		if _, own := data[c.name]; !own && c.dtype.IsFloat() && !c.value {
			out[c.name] = Data{Text: signed, Arg: device.Arg{Signed: true}}
		}
	}
	return out
}

// total reports whether all functions are sums, products and choices.
func total(body *lift.Term) bool {
	yes := true
	calls := []string{"abs", "fabs", "min", "max", "fmin", "fmax", "fma", "mad"}
	partial := func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Op:
			return x.Kind == expr.Div || x.Kind == expr.FloorDiv || x.Kind == expr.Mod || x.Kind == expr.Pow
		case *expr.Call:
			return !slices.Contains(calls, x.Func)
		case *expr.Cast:
			return true
		}
		return false
	}
	lift.Walk(body, lift.Set(lift.Fun), func(t *lift.Term) {
		yes = yes && len(t.User.Defs) > 0 && !slices.ContainsFunc(t.User.Expanded(), func(e expr.Expr) bool { return expr.Any(e, partial) })
	})
	return yes
}
