package triton

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuperf/emulate"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
)

// columns are the constexprs and options of all configurations, in the order of the first.
func (r *Ranking) columns() (names []string) {
	for _, one := range slices.Concat(r.Ranked, r.Failed) {
		for _, name := range one.names {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// differs tells whether not all configurations have the same value.
func (r *Ranking) differs(name string) bool {
	all := slices.Concat(r.Ranked, r.Failed)
	return slices.ContainsFunc(all, func(one *Ranked) bool { return one.values[name] != all[0].values[name] })
}

// Write prints the ranking as a table: what tells configurations apart, their times, and what bounds them.
func (r *Ranking) Write(w io.Writer) error {
	var varying, same []string
	for _, name := range r.columns() {
		if r.differs(name) {
			varying = append(varying, name)
		} else {
			same = append(same, name+" "+r.Ranked[0].values[name])
		}
	}
	fmt.Fprintf(w, "%s on %s: %s\n", r.Kernel, r.Device, format.Count(len(r.Ranked)+len(r.Failed), "configuration"))
	if len(same) > 0 {
		fmt.Fprintf(w, "all have %s\n", strings.Join(same, ", "))
	}
	fmt.Fprintln(w)
	header := []string{">"}
	for _, name := range varying {
		header = append(header, ">"+name)
	}
	bound := r.Ranked[0].Result.Bottleneck.String() != "" // where it was asked for
	if header = append(header, ">time", ">of the best"); bound {
		header = append(header, "bottleneck")
	}
	t := format.NewTable(append(header, ">registers", ">shared", ">resident", "limited by", "machine code")...)
	for i, one := range r.Ranked {
		cells := []string{fmt.Sprint(i + 1)}
		for _, name := range varying {
			cells = append(cells, one.values[name])
		}
		if cells = append(cells, format.Seconds(one.Result.Seconds), fmt.Sprintf("%.2f", one.Result.Seconds/r.Ranked[0].Result.Seconds)); bound {
			cells = append(cells, one.Result.Bottleneck.String())
		}
		t.Row(append(cells, fmt.Sprint(one.Registers), format.Bytes(one.Entry.Shared), fmt.Sprint(one.Result.Blocks), one.Result.LimitedBy, one.Entry.short())...)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	for _, one := range r.Failed {
		fmt.Fprintf(w, "\nnot ranked: %s: %v\n", one.configuration(), one.Err)
	}
	return nil
}

func (one *Ranked) configuration() string {
	list := lists.Map(one.names, func(name string) string { return name + " " + one.values[name] })
	return strings.Join(list, ", ")
}

// rankedJSON is the form of a configuration for other programs.
type rankedJSON struct {
	Configuration []valueJSON     `json:"configuration"`
	Hash          string          `json:"hash"`
	Code          string          `json:"code"`
	Registers     int             `json:"registers"`
	Shared        int64           `json:"shared"`
	Seconds       float64         `json:"seconds,omitempty"`
	Emulation     *emulate.Result `json:"emulation,omitempty"`
	Error         string          `json:"error,omitempty"`
}

type valueJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// MarshalJSON writes the ranking as other programs read it.
func (r *Ranking) MarshalJSON() ([]byte, error) {
	list := []rankedJSON{}
	for _, one := range slices.Concat(r.Ranked, r.Failed) {
		j := rankedJSON{
			Hash: one.Entry.Hash, Code: one.Entry.code(), Registers: one.Registers, Shared: one.Entry.Shared, Emulation: one.Result,
		}
		for _, name := range one.names {
			j.Configuration = append(j.Configuration, valueJSON{name, one.values[name]})
		}
		if one.Err != nil {
			j.Error = one.Err.Error()
		} else {
			j.Seconds = one.Result.Seconds
		}
		list = append(list, j)
	}
	return json.Marshal(struct {
		Kernel         string       `json:"kernel"`
		Device         string       `json:"device"`
		Configurations []rankedJSON `json:"configurations"`
	}{r.Kernel, r.Device, list})
}
