// Package compile is a small compiler: from the text of a kernel in CUDA C to machine code in the instructions of NVIDIA's GPUs, as package emulate
// executes and times it. No tools of CUDA are needed, and no GPU.
//
// Package cfront reads the text; package lower follows it and unrolls loops; package ssa has what comes of it as values that are folded, found again,
// hoisted and fused; package machine selects and orders instructions and gives them registers. The code has no control bits, and no machine would take
// it: it stands for what NVIDIA's compiler makes of the same text, and what is known of that compiler is in Like.
package compile

import (
	"context"
	"fmt"
	"strings"

	"gpuperf/cfront"
	"gpuperf/compile/lower"
	"gpuperf/compile/machine"
	"gpuperf/compile/ssa"
	"gpuperf/device"
	"gpuperf/sass"
)

// Program is the machine code of a kernel.
type Program struct {
	Function *sass.Function
	Shared   int64 // bytes of shared memory that the kernel declares
	Listing  string
}

// Options say what is compiled.
type Options struct {
	Architecture string // such as sm_90
	Name         string // of the file that lines are of
	Passes       int    // for tests: only so many of the passes; 0 is all
}

// Job compiles the kernel of a job.
func Job(ctx context.Context, job device.Job, o Options) (*Program, error) {
	define, fast := defines(job.Options)
	return Kernel(ctx, job.Source, job.Entry, define, fast, o)
}

// defines are the macros that options of a compiler define, and whether they ask for fast mathematics.
func defines(options string) (all []string, fast bool) {
	words := strings.Fields(options)
	for i, w := range words {
		switch {
		case w == "-D" && i+1 < len(words):
			all = append(all, words[i+1])
		case strings.HasPrefix(w, "-D"):
			all = append(all, w[2:])
		case strings.Contains(w, "use_fast_math"):
			fast = true
		}
	}
	return all, fast
}

// parametersAt is where the parameters of a kernel begin in constant bank 0 from sm_90 on.
const parametersAt = 0x210

// Kernel compiles a kernel of a text.
func Kernel(ctx context.Context, text, entry string, define []string, fast bool, o Options) (*Program, error) {
	name := o.Name
	if name == "" {
		name = "kernel.cu"
	}
	file, err := cfront.Parse(ctx, name, text, cfront.Options{Language: cfront.CUDA, Instance: entry, Define: define})
	if err != nil {
		return nil, err
	}
	var fn *cfront.Function
	for _, f := range file.Functions {
		if f.Kernel && (fn == nil || f.Name == entry) {
			fn = f
		}
	}
	if fn == nil {
		return nil, fmt.Errorf("%s: it has no kernel %s", name, entry)
	}
	if fn.Err != nil {
		return nil, fn.Err
	}
	like := Like
	f, err := lower.Kernel(file, fn, lower.Options{FullUnroll: like.FullUnroll, Runtime: like.Runtime, Times: like.Times, Fast: fast, Parameters: parametersAt})
	if err != nil {
		return nil, err
	}
	passes := ssa.Passes
	if o.Passes > 0 {
		passes = passes[:o.Passes]
	}
	for _, p := range passes {
		p.Do(f)
	}
	listing, registers, err := machine.Listing(f, machine.Options{Architecture: o.Architecture, File: name})
	if err != nil {
		return nil, fmt.Errorf("%s: %s is not compiled here: %w", name, entry, err)
	}
	l, err := sass.Parse(listing)
	if err != nil {
		return nil, fmt.Errorf("%s: the code of %s: %w", name, entry, err)
	}
	p := &Program{Function: l.Functions[0], Shared: f.Shared, Listing: listing}
	p.Function.Registers = registers
	p.Function.Target = o.Architecture
	held(p.Function, f)
	return p, nil
}

// The constant banks of variables, and of the addresses of variables in global memory.
const (
	variableBank = 3
	addressBank  = 4
)

// held says where variables of constant memory lie, and what they start with.
func held(to *sass.Function, f *ssa.Func) {
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
}

// Like is NVIDIA's compiler.
var Like = Compiler{FullUnroll: 400, Runtime: 120, Times: 4}
