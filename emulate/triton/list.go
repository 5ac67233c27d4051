package triton

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/internal/format"
)

// Kernels are those of a cache, for who is about to describe a launch.
type Kernels struct {
	Folder string
	List   []*Kernel

	warnings []string
}

// Kernel is the entries of a cache that share a name.
type Kernel struct {
	Name      string     `json:"kernel"`
	Arguments []string   `json:"arguments"` // that machine code takes, by the cache; none where it does not say
	Entries   []kernelOf `json:"configurations"`
}

type kernelOf struct {
	Hash      string `json:"hash"`
	NumWarps  int64  `json:"num_warps"`
	NumStages int64  `json:"num_stages"`
	Shared    int64  `json:"shared"`
}

// List lists the kernels of a cache.
func List(folder string) (*Kernels, error) {
	c, err := ReadCache(folder)
	if err != nil {
		return nil, err
	}
	k := &Kernels{Folder: folder}
	for _, l := range c.Left {
		k.warnings = append(k.warnings, l.String())
	}
	for _, e := range c.Entries {
		if n := len(k.List); n == 0 || k.List[n-1].Name != e.Name {
			k.List = append(k.List, &Kernel{Name: e.Name, Arguments: []string{}})
		}
		last := k.List[len(k.List)-1]
		last.Entries = append(last.Entries, kernelOf{e.Hash, e.NumWarps, e.NumStages, e.Shared})
		for _, a := range e.Arguments {
			if text := a.String(); !slices.Contains(last.Arguments, text) {
				last.Arguments = append(last.Arguments, text)
			}
		}
	}
	return k, nil
}

// String is the argument as a description would have it, with its type.
func (a Argument) String() string {
	what := a.Type
	if a.Pointer {
		what = "buffer of " + a.Type
	}
	return a.Name + ": " + what
}

// All are warnings: of what is left out.
func (k *Kernels) All() []string { return k.warnings }

// Write prints the kernels as a table.
func (k *Kernels) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s is a cache of Triton's\n\n", k.Folder)
	t := format.NewTable("kernel", ">configurations", "arguments of the machine code")
	for _, one := range k.List {
		t.Row(one.Name, fmt.Sprint(len(one.Entries)), strings.Join(one.Arguments, ", "))
	}
	if err := t.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\na description says grid, arguments and constexprs, and ranks them: perf emulate --triton %s %s.yaml\n", k.Folder, k.List[0].Name)
	return err
}

// MarshalJSON writes the kernels as other programs read them.
func (k *Kernels) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Folder  string    `json:"folder"`
		Kernels []*Kernel `json:"kernels"`
	}{k.Folder, k.List})
}
