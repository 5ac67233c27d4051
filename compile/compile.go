// Package compile is a small compiler: from the text of a kernel in CUDA C or OpenCL C to machine code in the instructions of NVIDIA's GPUs, as package emulate
// executes and times it. No tools of CUDA are needed, and no GPU.
//
// Package cfront reads the text; package lower follows it and unrolls loops; package ssa has what comes of it as values that are folded, found again,
// hoisted and fused; package machine selects and orders instructions and gives them registers. The code has no control bits, and no machine would take
// it: it stands for what NVIDIA's compiler makes of the same text, and what is known of that compiler is in Like.
package compile

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/lower"
	"gpuperf/compile/machine"
	"gpuperf/compile/ssa"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/internal/fault"
	"gpuperf/samples"
	"gpuperf/sass"
)

// Program is the machine code of a kernel.
type Program struct {
	Function *sass.Function
	Shared   int64 // bytes of shared memory that the kernel declares
	Listing  string
}

// Options say what is compiled, and how.
type Options struct {
	Architecture string // such as sm_90
	Name         string // of the file that lines are of
	Language     cfront.Language
	Passes       int // for tests: only so many of the passes; 0 is all
	Registers    int // that a work-item may have; 0 is as many as there are
	Define       []string
	Fast, Cheap  bool          // functions and divisions are approximated; quotients and roots are not rounded correctly
	Local        map[int]int64 // bytes that the launch gives parameters in local memory, by their numbers
}

// Job compiles the kernel of a job.
func Job(ctx context.Context, job device.Job, o Options) (*Program, error) {
	o.read(job.Options)
	o.Local = map[int]int64{}
	for i, a := range job.Args {
		if a.Kind == device.Local {
			o.Local[i] = a.Bytes()
		}
	}
	return Kernel(ctx, job.Source, job.Entry, o)
}

var mostRegisters = regexp.MustCompile(`maxrregcount[= ](\d+)`)

// read takes what options of a compiler say.
func (o *Options) read(options string) {
	o.Cheap = o.Language == cfront.OpenCL // which promises no more
	words := strings.Fields(options)
	for i, w := range words {
		switch {
		case w == "-D" && i+1 < len(words):
			o.Define = append(o.Define, words[i+1])
		case strings.HasPrefix(w, "-D"):
			o.Define = append(o.Define, w[2:])
		case strings.Contains(w, "use_fast_math"), w == "-cl-fast-relaxed-math":
			o.Fast = true
		case strings.Contains(w, "prec-div=false"):
			o.Cheap = true
		case w == "-cl-fp32-correctly-rounded-divide-sqrt":
			o.Cheap = false
		}
	}
	if m := mostRegisters.FindStringSubmatch(options); m != nil {
		o.Registers, _ = strconv.Atoi(m[1])
	}
}

// parametersAt is where the parameters of a kernel begin in constant bank 0 from sm_90 on.
const parametersAt = 0x210

// registerFile are the registers of a multiprocessor, which the work-items of a work-group share (CUDA C++ Programming Guide, compute capability 5.x and later).
const registerFile = 65536

// Kernel compiles a kernel of a text.
func Kernel(ctx context.Context, text, entry string, o Options) (_ *Program, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s cannot be compiled: %w", entry, fault.Of(p))
		}
	}()
	name := o.Name
	if name == "" {
		name = "kernel.cu"
	}
	file, err := cfront.Parse(ctx, name, text, cfront.Options{Language: cmp.Or(o.Language, cfront.CUDA), Instance: entry, Define: o.Define})
	if err != nil {
		return nil, err
	}
	fn, err := kernelOf(file, entry)
	if err != nil {
		return nil, err
	}
	like := Like
	f, err := lower.Kernel(file, fn, lower.Options{
		FullUnroll: like.FullUnroll, FullArrays: like.FullArrays, Runtime: like.Runtime, Times: like.Times, Again: like.Again, Fast: o.Fast, Cheap: o.Cheap, Parameters: parametersAt, Local: o.Local,
	})
	if err != nil {
		return nil, err
	}
	f.MostInRegisters = like.InRegisters
	passes := ssa.Passes
	if o.Passes > 0 {
		passes = passes[:o.Passes]
	}
	for _, p := range passes {
		p.Do(f)
	}
	most := o.Registers
	if n := fn.MostItems; n > 0 && (most == 0 || registerFile/int(n) < most) {
		most = registerFile / int(n)
	}
	code, err := machine.Make(f, machine.Options{Architecture: o.Architecture, Gaps: gapsOf(o.Architecture), File: name, Limit: most})
	if err != nil {
		return nil, fmt.Errorf("%s: %s is not compiled here: %w", name, entry, err)
	}
	l, err := sass.Parse(code.Listing)
	if err != nil {
		return nil, fmt.Errorf("%s: the code of %s: %w", name, entry, err)
	}
	p := &Program{Function: l.Functions[0], Shared: f.Shared, Listing: code.Listing}
	p.Function.Registers, p.Function.Rare = code.Registers, code.Rare
	p.Function.Target = o.Architecture
	held(p.Function, f)
	return p, nil
}

// gapsOf are those of devices of an architecture, by their data sheet; none where it does not say them.
func gapsOf(architecture string) machine.Gaps {
	d := facts.Of(samples.Fingerprint{Architecture: architecture})
	return machine.Gaps{ALU: d.Value(facts.ALUGap), IMAD: d.Value(facts.IMADGap), Floats: d.Value(facts.FMAGap)}
}

// kernelOf is the kernel of a name, or the only one.
func kernelOf(file *cfront.File, entry string) (fn *cfront.Function, err error) {
	for _, f := range file.Functions {
		if f.Kernel && (fn == nil || f.Name == entry) {
			fn = f
		}
	}
	if fn == nil {
		return nil, fmt.Errorf("%s: it has no kernel %s", file.Name, entry)
	}
	return fn, fn.Err
}

// The constant banks of variables, and of the addresses of variables in global memory.
const (
	variableBank = 3
	addressBank  = 4
)

// held says where parameters and variables of constant memory lie, and what the latter start with.
func held(to *sass.Function, f *ssa.Func) {
	for _, p := range f.Params {
		to.Parameters = append(to.Parameters, sass.Parameter{From: int(p.At), Bytes: int(p.Bytes)})
	}
	for _, g := range f.Global {
		if to.Variables == nil {
			to.Variables = map[string][]byte{}
		}
		to.Variables[g.Name] = g.Data
		to.Addresses = append(to.Addresses, sass.Address{Bank: addressBank, At: int(g.At), Variable: g.Name})
	}
	if len(f.Held) == 0 {
		return
	}
	var data []byte
	for _, h := range f.Held {
		if n := int(h.At + h.Bytes); n > len(data) {
			data = append(data, make([]byte, n-len(data))...)
		}
		copy(data[h.At:], h.Data)
		to.Held = append(to.Held, sass.Held{Variable: h.Name, Bank: variableBank, At: int(h.At), Bytes: int(h.Bytes)})
	}
	to.Constants = map[int][]byte{variableBank: data}
}

// Compiler is what is known of how a compiler decides.
type Compiler struct {
	// FullUnroll is the size up to which loops of known length are written out, in operations of all iterations. Runtime is that up to which Times
	// iterations of a loop of another length are written out beside each other.
	FullUnroll, Runtime, Times int
	// FullArrays is FullUnroll of loops in which subscripts of private arrays become constant.
	FullArrays int
	// Again is the size up to which the latter are so once more.
	Again int
	// InRegisters is the size of private memory, in bytes, up to which it is kept in registers although its subscripts are not constant.
	InRegisters int64
}

// Like is NVIDIA's compiler.
var Like = Compiler{FullUnroll: 435, FullArrays: 2000, Runtime: 200, Times: 4, Again: 7, InRegisters: 64}
