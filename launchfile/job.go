package launchfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"gpuperf/device"
	"gpuperf/device/datafile"
	"gpuperf/internal/format"
	"gpuperf/internal/throw"
	"gpuperf/internal/yamlfile"
	"gpuperf/samples"
)

// Bounds of a sequence: its launches, and the arguments of all.
const (
	maxLaunches  = 10_000
	maxArguments = 500_000
)

// Job is the launch at sizes, where they differ from those of the file.
func (f *File) Job(sizes map[string]int64) (_ device.Job, err error) {
	defer throw.Catch(&err)
	if f.program.path == "" {
		return device.Job{}, f.root.Get("listing").Errorf("a listing of machine code can be emulated, and not executed").
			WithHint("name what is executed as source, beside the listing or in its place")
	}
	return f.job(sizes, true), nil
}

// Emulated is Job, for emulation: a listing in place of a source is enough. A job of machine code has no hash of its content, which takes time.
func (f *File) Emulated(sizes map[string]int64) (_ device.Job, err error) {
	defer throw.Catch(&err)
	return f.job(sizes, !f.program.kind.image), nil
}

func (f *File) job(sizes map[string]int64, hashed bool) device.Job {
	at := f.at(sizes)
	job := device.Job{Identity: samples.Identity{Source: filepath.Base(f.Path), Sizes: maps.Clone(at)}}
	var headers []byte
	if f.program.path != "" {
		headers = throw.Get(f.load(f.program, &job, f.launches))
	}
	throw.If(f.launch(&job, f.launches, at))
	if more := throw.Get(f.expected(&job, at)); hashed {
		job.Content = content(job, append(headers, more...))
	}
	return job
}

// inPlace stands for the machine code of a job while the rest is encoded: that of a library is large.
var inPlace = []byte("the machine code that a launch file names")

// content is a hash of all that the results and times of a job depend on but its source, its options and its sizes: of JSON, with the machine code
// as JSON has it.
func content(job device.Job, headers []byte) string {
	image := job.Image
	if image != nil {
		job.Image = inPlace
	}
	text := throw.Get(json.Marshal(job))
	var plain device.Job // a copy of its own
	throw.If(json.Unmarshal(text, &plain))
	plain.Identity, plain.Source, plain.Include = samples.Identity{}, "", nil
	withoutPaths(plain.Variables)
	for _, l := range plain.Launches() {
		withoutPaths(l.Args)
	}
	if e := plain.Expect; e != nil {
		e.Job.Include = nil
		withoutPaths(e.Given)
		withoutPaths(e.Job.Variables)
		for _, l := range e.Job.Launches() {
			withoutPaths(l.Args)
		}
	}
	text = throw.Get(json.Marshal(plain))
	h := sha256.New()
	before, after, found := bytes.Cut(text, []byte(base64.StdEncoding.EncodeToString(inPlace)))
	h.Write(before)
	if found {
		e := base64.NewEncoder(base64.StdEncoding, h)
		e.Write(image)
		e.Close()
	}
	h.Write(after)
	h.Write(headers)
	return hex.EncodeToString(h.Sum(nil))
}

// withoutPaths forgets where files of data lie: what they hold counts.
func withoutPaths(args []device.Arg) {
	for _, a := range args {
		if a.File != nil {
			a.File.Path = ""
		}
		for _, f := range a.Fields {
			withoutPaths([]device.Arg{f.Arg})
		}
	}
}

func (f *File) launch(job *device.Job, launches []launch, at map[string]int64) (err error) {
	defer throw.Catch(&err)
	var all []device.Launch
	for _, l := range launches {
		times := int64(1)
		if l.repeat != nil {
			times = throw.Get(l.repeat.atLeast(0, at))
			if times > maxLaunches-int64(len(all)) {
				return l.repeat.errorAt(at, "there are more than %d launches", maxLaunches)
			}
			if times*int64(len(l.args)) > maxArguments {
				return l.repeat.errorAt(at, "the launches have more than %d arguments", maxArguments)
			}
		}
		for i := range times {
			here := maps.Clone(at)
			if l.repeat != nil {
				here[step] = i
			}
			all = append(all, f.one(l, here))
		}
	}
	if len(all) == 0 {
		return f.root.Errorf("nothing is launched")
	}
	first := all[0]
	job.Entry, job.Global, job.Local, job.Args, job.Packed = first.Entry, first.Global, first.Local, first.Args, first.Packed
	job.Dynamic, job.Attributes, job.Then = first.Dynamic, first.Attributes, all[1:]
	for _, b := range launches[0].globals {
		job.Variables = append(job.Variables, throw.Get(f.filled(b, at)))
	}
	return nil
}

// one is a launch at sizes.
func (f *File) one(l launch, at map[string]int64) (out device.Launch) {
	out.Entry = l.kernel
	for d := range max(len(l.grid), len(l.block)) {
		groups, items := int64(1), int64(1)
		if d < len(l.grid) {
			groups = throw.Get(l.grid[d].atLeast(1, at))
		}
		if d < len(l.block) {
			items = throw.Get(l.block[d].atLeast(1, at))
		}
		const most = 1 << 40 // work-items: years of any device
		if groups > most/items {
			panic(throw.Of(l.grid[min(d, len(l.grid)-1)].errorAt(at, "there are %d work-groups of %d work-items, more than any device launches", groups, items)))
		}
		out.Global, out.Local = append(out.Global, groups*items), append(out.Local, items)
	}
	if l.shared != nil {
		out.Dynamic = throw.Get(l.shared.atLeast(0, at))
	}
	out.Attributes = throw.Get(l.attributes.at(out, at))
	out.Packed = slices.ContainsFunc(l.args, func(a arg) bool { return a.offset != nil })
	if out.Packed {
		out.Args = []device.Arg{f.packed(l.args, at)}
		return out
	}
	out.Args = make([]device.Arg, len(l.args))
	for i, a := range l.args {
		out.Args[i] = throw.Get(f.arg(a, at))
	}
	return out
}

// at are the attributes of a launch at sizes, nil for none.
func (a attributes) at(l device.Launch, at map[string]int64) (*device.Attributes, error) {
	if a.begin == nil && a.cluster == nil && !a.cooperative && a.carveout == nil {
		return nil, nil
	}
	out := &device.Attributes{Cooperative: a.cooperative}
	for d, v := range a.begin {
		n, err := v.atLeast(0, at)
		if err == nil && d >= len(l.Global) {
			err = v.errorAt(at, "the launch has only %s", format.Count(len(l.Global), "dimension"))
		}
		if err != nil {
			return nil, err
		}
		out.Begin = append(out.Begin, n)
	}
	groups := int64(1)
	for d, v := range a.cluster {
		n, err := v.atLeast(1, at)
		if err != nil {
			return nil, err
		}
		grid := int64(1)
		if d < len(l.Global) {
			grid = l.Global[d] / l.Local[d]
		}
		const most = 16 // work-groups of a cluster, with the attribute for more than 8
		if groups *= min(n, most+1); groups > most {
			return nil, v.errorAt(at, "the cluster has more than %d work-groups, which is more than any device runs", most)
		}
		if grid%n != 0 {
			return nil, v.errorAt(at, "the grid has %d work-groups in this dimension, which %d do not divide", grid, n)
		}
		out.Cluster = append(out.Cluster, n)
	}
	if a.carveout != nil {
		percent, err := a.carveout.atLeast(0, at)
		if err == nil && percent > 100 {
			err = a.carveout.errorAt(at, "it is %d, and a part of the cache is at most 100 percent", percent)
		}
		out.Carveout = &percent
		return out, err
	}
	return out, nil
}

func (f *File) arg(a arg, at map[string]int64) (out device.Arg, err error) {
	defer throw.Catch(&err)
	switch a.kind {
	case device.Buffer:
		return f.pointer(a, at), nil
	case device.Struct:
		return f.structure(a, at), nil
	case device.Raw:
		return device.Arg{Name: "bytes", Kind: a.kind, Bits: a.bits}, nil
	case device.Local:
		out = device.Arg{Name: "local memory", Kind: device.Local, DType: a.dtype}
		out.Count = throw.Get(a.value.atLeast(1, at))
		return out, nil
	}
	out = device.Arg{Name: a.value.node.Text, Kind: device.Scalar, DType: a.dtype}
	if device.DTypeIsFloat(a.dtype) {
		out.Float, err = a.value.float(at)
	} else {
		out.Int, err = a.value.int(at)
	}
	if err == nil {
		if _, wrong := out.ScalarBytes(); wrong != nil {
			err = a.value.errorAt(at, "%v", wrong)
		}
	}
	return out, err
}

// pointer is a place in a buffer.
func (f *File) pointer(a arg, at map[string]int64) (out device.Arg) {
	out = throw.Get(f.filled(a.buffer, at))
	if a.at == nil {
		return out
	}
	if out.At = throw.Get(a.at.atLeast(0, at)); out.At > out.Bytes() {
		panic(throw.Of(a.at.errorAt(at, "it is %d, and %s has %d bytes", out.At, out.Name, out.Bytes())))
	}
	return out
}

// filled is a buffer with what it starts with.
func (f *File) filled(b *buffer, at map[string]int64) (out device.Arg, err error) {
	defer throw.Catch(&err)
	// A buffer that is not restored is written, and starts with its data once.
	out = device.Arg{Name: b.name, Kind: device.Buffer, DType: b.dtype, Seed: device.SeedOf(b.name), Read: b.restore, Write: true, Memory: b.memory}
	if b.global {
		out.Kind = device.Variable
	}
	if b.size != nil {
		if out.Count, err = b.size.atLeast(1, at); err != nil {
			return out, err
		}
	}
	fills[b.fill](&out)
	out.Stated = b.stated
	if a := f.Application; a != nil && len(a.Addresses) > 0 {
		out.Place = a.Addresses[0][b.name]
	}
	if b.data == nil {
		return out, nil
	}
	if b.dataAt != nil {
		f.part(b.data, &out, throw.Get(b.dataAt.atLeast(0, at)))
		return out, nil
	}
	f.from(b.data, &out)
	return out, nil
}

// part lets a buffer have the data of a file from a byte on.
func (f *File) part(n *yamlfile.Node, out *device.Arg, at int64) {
	d := f.elements(n, out)
	if left := out.Bytes() - at; d.Bytes > left || d.Bytes == 0 {
		panic(throw.Of(n.Errorf("%s holds %d bytes, and from byte %d on %s has %d", n.Text, d.Bytes, at, out.Name, max(left, 0))))
	}
	d.File.At, d.File.Bytes = at, d.Bytes
	out.Seed, out.Sequence, out.File = 0, nil, &d.File
}

// from lets a buffer start with the data of a file.
func (f *File) from(n *yamlfile.Node, out *device.Arg) {
	d := f.elements(n, out)
	size := device.DTypeSize(out.DType)
	if out.Count == 0 {
		out.Count = d.Bytes / size
	}
	if d.Bytes != out.Count*size || d.Bytes == 0 {
		panic(throw.Of(n.Errorf("%s holds %d bytes, and %s has %d elements of %d", n.Text, d.Bytes, out.Name, out.Count, size)))
	}
	out.Seed, out.Sequence, out.File = 0, nil, &d.File
}

// elements opens the data of a buffer, which are of its type; where it has none, it gets theirs.
func (f *File) elements(n *yamlfile.Node, out *device.Arg) datafile.Data {
	d := f.data(n)
	if out.DType == "" {
		out.DType = d.DType
	}
	if d.DType != "" && d.DType != out.DType {
		panic(throw.Of(n.Errorf("%s holds %s, and %s is of %s", n.Text, d.DType, out.Name, out.DType)))
	}
	return d
}

// expected gives a job what its results are compared with. It returns a hash of the headers of the reference.
func (f *File) expected(job *device.Job, at map[string]int64) (headers []byte, err error) {
	defer throw.Catch(&err)
	e := f.expect
	if e == nil {
		return nil, nil
	}
	out := &device.Expect{Tolerance: e.tolerance}
	for _, b := range e.results {
		out.Results = append(out.Results, b.name)
	}
	job.Expect = out
	if e.launch == nil {
		for i, b := range e.results {
			a := throw.Get(f.filled(b, at))
			f.from(e.files[i], &a)
			out.Given = append(out.Given, a)
		}
		out.Job.Identity = samples.Identity{Source: filepath.Base(e.files[0].Text)}
		return nil, nil
	}
	headers = throw.Get(f.load(e.program, &out.Job, []launch{*e.launch}))
	out.Job.Identity = samples.Identity{Source: filepath.Base(e.program.path), Variant: e.launch.kernel}
	return headers, f.launch(&out.Job, []launch{*e.launch}, at)
}
