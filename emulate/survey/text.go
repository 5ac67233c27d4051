package survey

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"

	"github.com/ianlancetaylor/demangle"

	"gpuperf/emulate"
	"gpuperf/internal/format"
	"gpuperf/internal/jsonvalue"
)

// Write prints the launches as a table, and their sum. Launches of one kernel that take about as long share a row.
func (s *Survey) Write(w io.Writer) error {
	without := ""
	if n := s.Unknown(); n > 0 {
		without = fmt.Sprintf("; of %s no time is known", format.Count(int(n), "other"))
	}
	fmt.Fprintf(w, "%s on %s: %s in %s%s\n", s.Folder, s.Device, format.Seconds(s.Seconds()), format.Count(int(s.Times()-s.Unknown()), "launch"), without)
	e := s.Errors()
	e.write(w)
	fmt.Fprintln(w)
	head := []string{"kernel", ">launches", ">each", ">all", ">share", "bottleneck", "busiest", ">waves", "launch file"}
	if e.Kinds > 0 {
		head = append([]string{"kernel", ">launches", ">measured", ">predicted", ">error"}, head[3:]...)
	}
	t := format.NewTable(head...)
	for _, g := range s.groups() {
		t.Row(s.cells(g, e.Kinds > 0)...)
	}
	return t.Write(w)
}

func (s *Survey) cells(r *group, measured bool) (cells []string) {
	cells = append(cells, short(r.Kernel), fmt.Sprint(r.Times))
	if measured {
		seconds, off := "", ""
		if m := r.Measured(); m > 0 {
			seconds = format.Seconds(m)
		}
		if e, ok := r.Error(); ok {
			off = fmt.Sprintf("%+.0f %%", 100*e)
		}
		cells = append(cells, seconds, r.Status.Text(r.Predicted()), off)
	} else {
		cells = append(cells, r.Status.Text(r.Seconds()))
	}
	all, share := r.Status.Text(r.All()), ""
	if r.Application != nil {
		all = format.Seconds(r.All())
	}
	if r.counts() {
		share = fmt.Sprintf("%.1f %%", 100*r.All()/s.Seconds())
	}
	return append(cells, all, share, r.Bottleneck, r.Busiest, fmt.Sprintf("%.2f", r.Waves), r.name())
}

// space is what C++ writes before a name to say where it belongs, and before a function what it returns.
var space = regexp.MustCompile(`\(anonymous namespace\)::|[A-Za-z_]\w*::|^void `)

// short is the name of a kernel in a column: as in C++, without what it is declared in.
func short(name string) string {
	const longest = 60 // characters: half of a line
	name = space.ReplaceAllString(demangle.Filter(name, demangle.NoParams), "")
	if runes := []rune(name); len(runes) > longest {
		return string(runes[:longest-3]) + "..."
	}
	return name
}

// rowJSON is the form of a row for other programs.
type rowJSON struct {
	File       string          `json:"file"`
	Kernel     string          `json:"kernel,omitempty"`
	Name       string          `json:"name,omitempty"` // as in C++, short
	Launches   int64           `json:"launches"`
	Seconds    *float64        `json:"seconds,omitempty"`  // of all, as measured or else as predicted; null for no time
	Measured   float64         `json:"measured,omitempty"` // a launch, in seconds
	Predicted  *float64        `json:"predicted,omitempty"`
	Interval   *[2]*float64    `json:"interval,omitempty"`
	Status     emulate.Status  `json:"status,omitempty"`
	Off        *float64        `json:"error_of_prediction,omitempty"`
	Share      float64         `json:"share,omitempty"`
	Bottleneck string          `json:"bottleneck,omitempty"`
	Busiest    string          `json:"busiest,omitempty"`
	Stream     int64           `json:"stream,omitempty"`
	Order      int64           `json:"order,omitempty"`
	Lines      []Line          `json:"lines,omitempty"`
	Each       json.RawMessage `json:"each,omitempty"`
	Error      string          `json:"error,omitempty"`
}

// interval is that of the predicted time.
func (r *Row) interval() (in *[2]*float64) {
	in = &[2]*float64{}
	for i, end := range r.Interval {
		if end != nil {
			in[i] = jsonvalue.Finite(r.recorded(*end))
		}
	}
	return in
}

// MarshalJSON writes the survey as other programs read it.
func (s *Survey) MarshalJSON() ([]byte, error) {
	list := []rowJSON{}
	for _, r := range s.Rows {
		one := rowJSON{
			File: r.File, Kernel: r.Kernel, Name: short(r.Kernel), Launches: r.Times, Seconds: jsonvalue.Finite(r.All()), Measured: r.Measured(), Predicted: jsonvalue.Finite(r.Predicted()), Interval: r.interval(),
			Status: r.Status, Bottleneck: r.Bottleneck, Busiest: r.Busiest, Lines: r.Lines, Each: r.Report,
		}
		if r.counts() {
			one.Share = r.All() / s.Seconds()
		}
		if e, ok := r.Error(); ok {
			one.Off = &e
		}
		if a := r.Application; a != nil {
			one.Stream, one.Order = a.Stream, a.Order
		}
		list = append(list, one)
	}
	for _, r := range s.Failed {
		list = append(list, rowJSON{File: r.File, Launches: r.Times, Error: r.Err.Error()})
	}
	return json.Marshal(struct {
		Folder  string    `json:"folder"`
		Device  string    `json:"device"`
		Seconds float64   `json:"seconds"`
		Errors  *Errors   `json:"errors,omitempty"`
		Alike   int       `json:"alike"`
		Known   int       `json:"known"`
		Rows    []rowJSON `json:"launches"`
	}{s.Folder, s.Device, s.Seconds(), s.Errors().orNil(), s.Alike, s.Known, list})
}
