package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"gpuperf/internal/format"
)

// Row compares the devices by one figure.
type Row struct {
	What   string     `json:"what"`
	Unit   string     `json:"unit"`
	Values []*float64 `json:"values"`           // by device; nil where there is none
	Choice []string   `json:"choice,omitempty"` // what gave the values
	parts  [][]int    // of dealt work, by device, that gave the values
}

// Spread is how much larger than the least value the greatest is, NaN where there are not two, where they differ in sign, or where devices had different parts
// of the work.
func (r Row) Spread() float64 {
	least, most, n := math.Inf(1), math.Inf(-1), 0
	for _, v := range r.Values {
		if v != nil {
			least, most, n = min(least, *v), max(most, *v), n+1
		}
	}
	if n < 2 || least <= 0 || r.divided() {
		return math.NaN()
	}
	return most/least - 1
}

// divided reports whether devices had different parts of the work.
func (r Row) divided() bool {
	var first []int
	for i, parts := range r.parts {
		switch {
		case r.Values[i] == nil:
		case first == nil:
			first = parts
		case !slices.Equal(first, parts):
			return true
		}
	}
	return false
}

// MarshalJSON adds the spread.
func (r Row) MarshalJSON() ([]byte, error) {
	type plain Row
	out := struct {
		plain
		Spread *float64 `json:"spread"`
	}{plain: plain(r)}
	if s := r.Spread(); !math.IsNaN(s) {
		out.Spread = &s
	}
	return json.Marshal(out)
}

// compare makes the rows from the results of the devices, in the order of the work.
func (f *File) compare(devices []MergedDevice) (rows []Row, err error) {
	rows = []Row{}
	at := map[string]int{}
	for _, u := range f.Units(Shard{0, 1}) {
		for i, d := range devices {
			figures, err := d.figures(u)
			if err != nil {
				return nil, err
			}
			for _, g := range figures {
				key := fmt.Sprintf("%d %s", u.Item, g.What)
				n, known := at[key]
				if !known {
					n = len(rows)
					at[key] = n
					rows = append(rows, Row{What: u.title(g), Unit: g.Unit, Values: make([]*float64, len(devices)), parts: make([][]int, len(devices))})
				}
				rows[n].enter(i, g)
				rows[n].parts[i] = append(rows[n].parts[i], u.Part)
			}
		}
	}
	return rows, nil
}

// figures are those of a unit on the device, by the last that has done it.
func (d *MergedDevice) figures(u Unit) ([]Figure, error) {
	for i := len(d.done) - 1; i >= 0; i-- {
		if d.done[i].Unit != u.Name {
			continue
		}
		text, err := os.ReadFile(d.done[i].Result)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		return u.Work.Kind.Figures(text), nil
	}
	return nil, nil
}

// enter puts the figure of a device into the row; of parts the least stays.
func (r *Row) enter(i int, g Figure) {
	if was := r.Values[i]; was != nil && g.Lower && *was <= g.Value {
		return
	}
	r.Values[i] = &g.Value
	if g.Choice != "" {
		if r.Choice == nil {
			r.Choice = make([]string, len(r.Values))
		}
		r.Choice[i] = g.Choice
	}
}

// mostColumns is the number of devices up to which each has a column of its own.
const mostColumns = 4

// Write prints the devices, what is missing, and the comparison.
func (m *Merged) Write(w io.Writer) error {
	t := format.NewTable(">device", "name", "host", "driver", ">shards", ">samples", "folder")
	for i, d := range m.Devices {
		t.Row(fmt.Sprint(i+1), d.Label, d.Host, d.Driver, fmt.Sprint(len(d.Shards)), fmt.Sprint(d.Count), d.Key)
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if len(m.Rows) > 0 {
		fmt.Fprintln(w)
		if err := m.table().Write(w); err != nil {
			return err
		}
	}
	for _, text := range m.Missing {
		fmt.Fprintf(w, "missing: %s\n", text)
	}
	for _, path := range m.Tables {
		fmt.Fprintf(w, "table: %s\n", path)
	}
	_, err := fmt.Fprintf(w, "folder: %s\n", m.Output)
	return err
}

// table has a column for each device, or, where they are many, the least and the greatest value with their devices.
func (m *Merged) table() *format.Table {
	header := []string{"figure"}
	if len(m.Devices) <= mostColumns {
		for i := range m.Devices {
			header = append(header, fmt.Sprintf(">device %d", i+1))
		}
	} else {
		header = append(header, ">least", ">by device", ">greatest", ">by device", ">devices")
	}
	t := format.NewTable(append(header, ">spread", "best choice")...)
	for _, r := range m.Rows {
		cells := []string{r.What}
		least, most, n := -1, -1, 0
		for i, v := range r.Values {
			if v == nil {
				continue
			}
			n++
			if least < 0 || *v < *r.Values[least] {
				least = i
			}
			if most < 0 || *v > *r.Values[most] {
				most = i
			}
		}
		if len(m.Devices) <= mostColumns {
			for i := range r.Values {
				cells = append(cells, r.cell(i))
			}
		} else {
			cells = append(cells, r.cell(least), fmt.Sprint(least+1), r.cell(most), fmt.Sprint(most+1), fmt.Sprint(n))
		}
		choice := ""
		if r.Choice != nil {
			choice = r.Choice[least]
		}
		t.Row(append(cells, format.Known(r.Spread(), format.Percent(r.Spread())), choice)...)
	}
	return t
}

func (r Row) cell(i int) string {
	v := r.Values[i]
	switch {
	case v == nil:
		return "-"
	case r.Unit == "%":
		return fmt.Sprintf("%.2f %%", *v)
	case r.Unit == "":
		return fmt.Sprintf("%.4g", *v)
	}
	return format.Quantity(*v, r.Unit)
}
