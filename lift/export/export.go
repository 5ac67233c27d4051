// Package export writes files by which a variant of a program of package lift runs elsewhere: its kernels, a host function of C that does all of it in
// one call, and a description of arguments, buffers and launches for those who write their own host.
//
// New lowers the variant and finds what the function needs (a Result, which is also the description), and writes the function, in a way of each
// language (language.go). For devices it calls the helpers of package kernel/emit/host. In plain C the same variant is executed by one work-item, whose
// loops are those of the variant: its tiles and chunks.
package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/lists"
	"gpuperf/internal/replace"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/lower"
	"gpuperf/workload"
)

// What is to be exported: a variant of a program at sizes and an ND-range, where 0 is inferred.
type What struct {
	Program       *lift.Program
	Variant       *derive.Variant
	Sizes         map[string]int64
	Local, Global [3]int64
	Accuracy      emit.Accuracy // of divisions and square roots
}

// Result describes what was exported.
type Result struct {
	Program  string           `json:"program"`
	Variant  string           `json:"variant"`
	Recipe   string           `json:"recipe"`
	Term     string           `json:"term"`
	Sizes    map[string]int64 `json:"sizes"`
	Language string           `json:"language"`
	// Why the variant was chosen: "" where the user named it.
	Why      string   `json:"why,omitempty"`
	Function string   `json:"function"`
	Build    string   `json:"build"`             // a command that makes an object file of it
	Options  string   `json:"options,omitempty"` // of the compiler of kernels
	Files    []string `json:"files"`
	// Arguments are those of the function, in order. A kernel has the same names for them, and for temporaries.
	Arguments   []Array  `json:"arguments"`
	Temporaries []Array  `json:"temporaries"`
	Launches    []Launch `json:"launches"` // in order

	// Kernels is their source.
	Kernels string `json:"-"`

	texts map[string]string
	name  string // of files, without extension
}

// Array is an argument or a temporary.
type Array struct {
	Name     string     `json:"name"`
	Input    string     `json:"input,omitempty"` // that it is, or a component of; "" for results
	Kind     Kind       `json:"kind"`
	DType    expr.DType `json:"dtype"`
	Elements int64      `json:"elements"`
	Bytes    int64      `json:"bytes"`
}

// Kind is what the function does with an argument.
type Kind string

// The kinds of arguments. Of an updated one some elements keep their values.
const (
	In        Kind = "in"
	Out       Kind = "out"
	Updated   Kind = "in_out"
	ByValue   Kind = "value"
	Temporary Kind = "temporary"
)

// Launch is a launch of a kernel.
type Launch struct {
	Kernel    string   `json:"kernel"`
	Global    [3]int64 `json:"global"` // work-items
	Local     [3]int64 `json:"local"`
	Arguments []string `json:"arguments"`
	// LocalBytes is the local memory that the source declares for a work-group, Dynamic what the launch adds.
	LocalBytes int64 `json:"local_bytes"`
	Dynamic    int64 `json:"dynamic_bytes"`
}

// New prepares files for a language of Languages.
func New(what What, as string) (*Result, error) {
	l, ok := languages[as]
	if !ok {
		return nil, fmt.Errorf("the languages are %s, not %q", strings.Join(Languages(), ", "), as)
	}
	if l.alone {
		what.Local, what.Global = [3]int64{1, 1, 1}, [3]int64{1, 1, 1}
	}
	v := what.Variant
	lowered, err := lower.Lower(v.Program, lower.Options{Sizes: what.Sizes, Local: what.Local, Global: what.Global})
	if err != nil {
		return nil, fmt.Errorf("variant %s: %w", v.ID, err)
	}
	name := what.Program.Name
	r := &Result{
		Program: name, Variant: v.ID, Recipe: v.Recipe, Term: v.Program.BodyText(), Sizes: what.Sizes, Language: as, Function: "lift_" + name,
		Arguments: []Array{}, Temporaries: []Array{}, name: name,
	}
	r.arguments(what.Program, lowered)
	c := &workload.ProgramCase{Program: workload.NewProgram(lowered.Program), Interface: l.device, Accuracy: what.Accuracy}
	if r.Kernels, err = r.launches(c, l); err != nil {
		return nil, fmt.Errorf("variant %s: %w", v.ID, err)
	}
	r.files(l)
	return r, nil
}

// arguments fills the arguments of the function, and the temporaries.
func (r *Result) arguments(p *lift.Program, l *lower.Lowered) {
	for _, a := range l.Inputs {
		kind := In
		if a.Value {
			kind = ByValue
		}
		r.Arguments = append(r.Arguments, newArray(a.Name, a.Input, kind, a.DType, a.Elements))
	}
	kind := Out
	if p.Body.Ops()&lift.Set(lift.Inset, lift.Filter, lift.Put) != 0 {
		kind = Updated
	}
	for _, a := range l.Outputs {
		r.Arguments = append(r.Arguments, newArray(a.Name, "", kind, a.DType, a.Elements))
	}
	for _, name := range l.Scratch {
		a := l.Array(name)
		n := int64(1)
		for _, e := range a.Shape {
			if size, ok := e.(expr.Int); ok {
				n *= size.Value
			}
		}
		r.Temporaries = append(r.Temporaries, newArray(name, "", Temporary, a.DType, n))
	}
}

func newArray(name, input string, kind Kind, d expr.DType, n int64) Array {
	return Array{Name: name, Input: input, Kind: kind, DType: d, Elements: n, Bytes: n * d.Size()}
}

// launches fills the launches and returns the text of the kernels.
func (r *Result) launches(c *workload.ProgramCase, l *language) (string, error) {
	if l.alone {
		return r.calls(c)
	}
	job, err := c.Job(device.Policy{})
	if err != nil {
		return "", err
	}
	for _, x := range job.Launches() {
		one := Launch{Kernel: x.Entry, Global: workload.Extents(x.Global), Local: workload.Extents(x.Local), LocalBytes: x.LocalMem, Dynamic: x.Dynamic}
		for _, a := range x.Args {
			one.Arguments = append(one.Arguments, a.Name)
		}
		r.Launches = append(r.Launches, one)
	}
	r.Options = job.Options
	return job.Source, nil
}

// calls are the launches of kernels that are functions.
func (r *Result) calls(c *workload.ProgramCase) (string, error) {
	if err := c.IR.Check(); err != nil {
		return "", err
	}
	var nests []*linear.Nest
	for _, k := range c.Kernels {
		n, err := k.Nest()
		if err != nil {
			return "", err
		}
		nests = append(nests, n)
	}
	list, err := emit.WriteProgram(nests, emit.Options{Language: emit.C, Index64: true})
	if err != nil {
		return "", err
	}
	for _, s := range list {
		one := Launch{Kernel: s.Entry, Global: [3]int64{1, 1, 1}, Local: [3]int64{1, 1, 1}, LocalBytes: s.LocalBytes}
		for _, a := range s.Params {
			one.Arguments = append(one.Arguments, a.Name)
		}
		r.Launches = append(r.Launches, one)
	}
	return list[0].Text, nil
}

// array is the argument or temporary of a name.
func (r *Result) array(name string) Array {
	all := slices.Concat(r.Arguments, r.Temporaries)
	return all[slices.IndexFunc(all, func(a Array) bool { return a.Name == name })]
}

// Write writes the files into a folder, which is made where there is none.
func (r *Result) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var description bytes.Buffer
	enc := json.NewEncoder(&description)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	r.texts[r.name+".json"] = description.String()
	for _, write := range []func(path string, text []byte) error{replace.Source.Check, replace.Source.Bytes} {
		for _, name := range r.Files {
			if err := write(filepath.Join(dir, name), []byte(r.texts[name])); err != nil {
				return err
			}
		}
	}
	return nil
}

// Print says what was written to a folder.
func (r *Result) Print(w io.Writer, dir string) error {
	fmt.Fprintf(w, "variant %s: %s", r.Variant, r.Recipe)
	if r.Why != "" {
		fmt.Fprintf(w, " (%s)", r.Why)
	}
	fmt.Fprintf(w, "\n%s\n", r.prototype())
	for _, l := range r.Launches {
		fmt.Fprintf(w, "launch %s: %v work-items in groups of %v\n", l.Kernel, l.Global, l.Local)
	}
	for _, t := range r.Temporaries {
		fmt.Fprintf(w, "temporary %s: %d bytes\n", t.Name, t.Bytes)
	}
	_, err := fmt.Fprintf(w, "wrote %s\n%s\n", lists.Join(r.Files, ", ", func(f string) string { return filepath.Join(dir, f) }), r.Build)
	return err
}
