package runner

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/internal/round"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// expected are the results of a job, kept on the device.
type expected struct {
	results map[string]result // by the name of the buffer
	// nothing says why agreeing with these results shows nothing; "" where it does.
	nothing string
}

type result struct {
	buffer
	dtype string
	usual float64 // magnitude of the elements, of floating-point numbers
}

func (e *expected) release(d *Device) {
	for _, r := range inOrder(e.results) {
		d.Free(r.id)
	}
}

// expected returns the results of the job that others are compared with, which runs when they are not at hand.
func (d *Device) expected(ctx context.Context, e *device.Expect) *expected {
	key := throw.Get(json.Marshal(e))
	if got, ok := d.pool.expected[string(key)]; ok {
		return got
	}
	out, err := d.expect(ctx, e)
	if verdict, ok := device.AsError(err); ok {
		verdict.Msg = "the reference: " + verdict.Msg
		panic(throw.Of(verdict))
	}
	if err != nil {
		panic(throw.Errorf("the reference: %w", err))
	}
	if d.pool.expected == nil {
		d.pool.expected = map[string]*expected{}
	}
	d.pool.expected[string(key)] = out
	return out
}

func (d *Device) expect(ctx context.Context, e *device.Expect) (*expected, error) {
	if len(e.Given) > 0 {
		return d.given(e)
	}
	job := e.Job
	job.Reuse, job.Expect = true, nil
	if err := job.Check(facts.Limits(d.info)); err != nil {
		return nil, err
	}
	bound, err := d.prepare(ctx, job, &device.Result{})
	if err != nil {
		return nil, err
	}
	defer bound.release()
	bound.limit = e.Limit
	if _, err := bound.run(ctx, false); err != nil {
		return nil, err
	}
	if err := bound.outside(job); err != nil {
		return nil, d.Verdict(Running, err)
	}
	out := &expected{results: map[string]result{}}
	untouched := true
	for _, name := range e.Results {
		same, err := d.keepResult(out, job, bound, name)
		if err != nil {
			out.release(d)
			return nil, d.Verdict(Preparing, err)
		}
		untouched = untouched && same
	}
	if untouched {
		out.nothing = "the reference leaves " + strings.Join(e.Results, ", ") + " as it was"
	}
	return out, nil
}

// keepResult copies a buffer that the job has written, on the device. It reports whether the buffer is as it was before.
func (d *Device) keepResult(out *expected, job device.Job, b *bound, name string) (untouched bool, err error) {
	buffers := job.Buffers()
	i := slices.IndexFunc(buffers, func(a device.Arg) bool { return a.Name == name })
	if i < 0 {
		return false, device.Errorf(samples.Refused, "it has no buffer %s", name)
	}
	from := b.buffers[name]
	id, err := d.Alloc(from.size)
	if err != nil {
		return false, err
	}
	r := result{buffer: buffer{id: id, size: from.size}, dtype: buffers[i].DType}
	out.results[name] = r
	d.pool.bytes += r.size
	if err := d.Copy(r.id, from.id, from.size); err != nil {
		return false, err
	}
	data, err := d.contents(r.buffer)
	if err != nil {
		return false, err
	}
	out.study(name, data)
	return holds(data, buffers[i])
}

// given makes results of buffers that start as them.
func (d *Device) given(e *device.Expect) (*expected, error) {
	out := &expected{results: map[string]result{}}
	for _, a := range e.Given {
		id, err := d.Alloc(a.Bytes())
		r := result{buffer: buffer{id: id, size: a.Bytes()}, dtype: a.DType}
		out.results[a.Name] = r
		d.pool.bytes += a.Bytes()
		if err == nil {
			err = d.fill(id, a)
		}
		if err == nil {
			var data []byte
			data, err = d.contents(r.buffer)
			out.study(a.Name, data)
		}
		if err != nil {
			out.release(d)
			return nil, d.Verdict(Preparing, err)
		}
	}
	return out, nil
}

// study finds the usual magnitude of a result, and whether it has anything to compare with.
func (e *expected) study(name string, data []byte) {
	r := e.results[name]
	if !device.DTypeIsFloat(r.dtype) {
		return
	}
	var m device.Magnitudes
	size := device.DTypeSize(r.dtype)
	first, unknown := int64(0), 0
	for at := int64(0); at+size <= int64(len(data)); at += size {
		v := element(r.dtype, data[at:at+size])
		if m.Add(v); math.IsNaN(v) {
			if unknown++; unknown == 1 {
				first = at / size
			}
		}
	}
	r.usual = m.Usual()
	e.results[name] = r
	if unknown > 0 && e.nothing == "" {
		e.nothing = fmt.Sprintf("the reference has NaN at %s[%d], one of %d such elements of %d", name, first, unknown, int64(len(data))/size)
	}
}

// holds reports whether data is what a buffer starts with.
func holds(data []byte, a device.Arg) (bool, error) {
	const piece = 1 << 20 // bytes that stay in a cache of the host
	size := device.DTypeSize(a.DType)
	start := make([]byte, min(piece, len(data)))
	for at := 0; at < len(data); at += piece {
		part := start[:min(piece, len(data)-at)]
		if err := a.Load(part, int64(at)/size); err != nil {
			return false, err
		}
		if !bytes.Equal(part, data[at:at+len(part)]) {
			return false, nil
		}
	}
	return true, nil
}

// comparer is the kernel that compares two arrays of a dtype.
type comparer struct {
	program Program
	kernel  Kernel
	wrong   Memory
}

func (c *comparer) release(d *Device) {
	d.Free(c.wrong)
	if c.kernel != nil {
		c.kernel.Release()
		d.Unload(c.program)
	}
}

// The kernel counts the elements that are wrong, and finds the first of them, to within 256 elements.
//
//go:embed compare.cl
var compareSource string

// wrongFloat says of a floating-point number g that it is not w. Nothing is known where w is NaN, and nothing but w is near an infinite w.
const wrongFloat = "!(g == w || isnan(w) || (!isnan(w - w) && fabs(g - w) <= tolerance * fmax(fabs(w), least)))"

// oclTypes are the names of dtypes in OpenCL C.
var oclTypes = map[string]string{
	"int8": "char", "int16": "short", "int32": "int", "int64": "long",
	"uint8": "uchar", "uint16": "ushort", "uint32": "uint", "uint64": "ulong",
	"float16": "half", "float32": "float", "float64": "double",
}

// computed is the type that elements are compared in: float16 is for storage alone on many devices.
func computed(dtype string) string {
	if dtype == "float16" {
		return "float32"
	}
	return dtype
}

func (d *Device) comparer(dtype string) *comparer {
	if c, ok := d.pool.compare[dtype]; ok {
		return c
	}
	name, ok := oclTypes[dtype]
	if !ok {
		panic(throw.Of(device.Errorf(samples.Refused, "arrays of %s cannot be compared on the device", dtype)))
	}
	head, wrong := fmt.Sprintf("#define STORED %s\n#define T %s\n#define LOAD(A, I) A[I]", name, name), "g != w"
	if dtype != computed(dtype) {
		head = fmt.Sprintf("#define STORED %s\n#define T %s\n#define LOAD(A, I) vload_half(I, A)", name, oclTypes[computed(dtype)])
	}
	if device.DTypeIsFloat(dtype) {
		wrong = wrongFloat
	}
	if dtype == "float32" {
		wrong += " && !(g == 0 && fabs(w) < 1.17549435e-38f)" // devices may take numbers that small for zero
	}
	if dtype == "float64" {
		head = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + head
	}
	c := &comparer{}
	var err error
	if c.program, c.kernel, err = d.helper(fmt.Sprintf(compareSource, head, wrong), "compare"); err == nil {
		c.wrong, err = d.Alloc(8)
	}
	if err != nil {
		c.release(d)
		panic(throw.Of(err))
	}
	if d.pool.compare == nil {
		d.pool.compare = map[string]*comparer{}
	}
	d.pool.compare[dtype] = c
	return c
}

// compare compares the results of the first run with those expected. An error of status wrong_result says how they differ.
func (b *bound) compare(e *device.Expect) error {
	var wrong []string
	for _, name := range e.Results {
		text, err := b.compareOne(name, e.Tolerance)
		if err != nil {
			return fmt.Errorf("comparing %s: %w", name, err)
		}
		if text != "" {
			wrong = append(wrong, text)
		}
	}
	if len(wrong) > 0 {
		return device.Errorf(samples.WrongResult, "%s", strings.Join(wrong, "; "))
	}
	return nil
}

// compareOne words what is wrong with an array, "" for nothing.
func (b *bound) compareOne(name string, tolerance float64) (_ string, err error) {
	defer throw.Catch(&err)
	d := b.dev
	got, want := b.buffers[name], b.want.results[name]
	dtype := want.dtype
	if got.size != want.size {
		return fmt.Sprintf("%s has %d bytes instead of %d", name, got.size, want.size), nil
	}
	c := d.comparer(dtype)
	state := []byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff} // no wrong element; the first of them is nowhere
	throw.If(d.Write(c.wrong, 0, state))
	size := device.DTypeSize(dtype)
	args := []device.Arg{
		{Name: "n", Kind: device.Scalar, DType: "uint64", Int: got.size / size},
		{Name: "tolerance", Kind: device.Scalar, DType: computed(dtype)},
		{Name: "least", Kind: device.Scalar, DType: computed(dtype)},
	}
	if device.DTypeIsFloat(dtype) {
		args[1].Float, args[2].Float = tolerance, want.usual
	}
	for i, id := range map[int]Memory{0: got.id, 1: want.id, 5: c.wrong} {
		throw.If(c.kernel.SetBuffer(i, id))
	}
	for i, a := range args {
		s, err := b.setting(2+i, a, false)
		if err == nil {
			err = s.apply(b, c.kernel)
		}
		if err != nil {
			return "", err
		}
	}
	group := max(min(64, d.info.MaxWorkGroup), 1)
	groups := min((got.size/size+group-1)/group, max(d.info.ComputeUnits, 1)*64)
	if _, err := b.launch([]launch{{kernel: c.kernel, global: []int64{groups * group}, local: []int64{group}}}, false); err != nil {
		return "", err
	}
	throw.If(d.Read(c.wrong, 0, state))
	count, first := binary.LittleEndian.Uint32(state), binary.LittleEndian.Uint32(state[4:])
	if count == 0 {
		return "", nil
	}
	return b.difference(name, int64(count), int64(first)<<8, tolerance), nil
}

// difference finds the first of the wrong elements, not far from where the device saw it, and words it.
func (b *bound) difference(name string, count, from int64, tolerance float64) string {
	got, want := b.buffers[name], b.want.results[name]
	dtype := want.dtype
	size := device.DTypeSize(dtype)
	length := min(256*size, got.size-from*size)
	g, w := make([]byte, length), make([]byte, length)
	throw.If(b.dev.Read(got.id, from*size, g))
	throw.If(b.dev.Read(want.id, from*size, w))
	for at := int64(0); at < length; at += size {
		x, y := element(dtype, g[at:at+size]), element(dtype, w[at:at+size])
		if want.right(x, y, tolerance) {
			continue
		}
		return fmt.Sprintf("%s[%d] is %v instead of %v, one of %d wrong elements of %d", name, from+at/size, x, y, count, got.size/size)
	}
	return fmt.Sprintf("%d of the %d elements of %s are wrong", count, got.size/size, name)
}

// right is the judgement of the kernel that compares.
func (r result) right(got, want, tolerance float64) bool {
	switch {
	case got == want:
		return true
	case !device.DTypeIsFloat(r.dtype) || math.IsInf(want, 0):
		return false
	case math.IsNaN(want) || r.dtype == "float32" && got == 0 && math.Abs(want) < 0x1p-126:
		return true
	}
	return math.Abs(got-want) <= tolerance*max(math.Abs(want), r.usual)
}

// element is a number of a dtype as a float64, for messages.
func element(dtype string, b []byte) float64 {
	var v uint64
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	switch dtype {
	case "float16":
		return round.FromHalf(uint16(v))
	case "bfloat16":
		return round.FromBfloat(uint16(v))
	case "float32":
		return float64(math.Float32frombits(uint32(v)))
	case "float64":
		return math.Float64frombits(v)
	case "int8", "int16", "int32", "int64":
		unused := 64 - 8*len(b)
		return float64(int64(v<<unused) >> unused)
	}
	return float64(v)
}
