package survey

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"

	"github.com/ianlancetaylor/demangle"

	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/emulate/timing"
	"gpuperf/internal/format"
)

// Write prints the launches as a table, and their sum.
func (s *Survey) Write(w io.Writer) error {
	all := s.Seconds()
	without := ""
	if n := s.Unknown(); n > 0 {
		without = fmt.Sprintf("; of %s no time is known", format.Count(int(n), "other"))
	}
	fmt.Fprintf(w, "%s on %s: %s in %s%s\n\n", s.Folder, s.Device, format.Seconds(all), format.Count(int(s.Times()-s.Unknown()), "launch"), without)
	t := format.NewTable("kernel", ">launches", ">each", ">all", ">share", "bottleneck", "busiest", ">waves", "launch file")
	for _, r := range s.Rows {
		l, share := r.longest(), ""
		if r.Finite() {
			share = fmt.Sprintf("%.1f %%", 100*r.Seconds()/all)
		}
		t.Row(short(r.Report.Launches[0].Kernel), fmt.Sprint(r.Times), r.Report.Text(), r.Report.Status().Text(r.Seconds()), share, l.Bottleneck.String(), busiest(l), fmt.Sprintf("%.2f", l.Waves), r.File)
	}
	return t.Write(w)
}

// longest is the launch of a sequence that takes most of the time.
func (r *Row) longest() *emulate.Result {
	best := r.Report.Launches[0]
	for _, l := range r.Report.Launches {
		if float64(l.Times)*l.Result.Seconds > float64(best.Times)*best.Result.Seconds {
			best = l
		}
	}
	return best.Result
}

// busiest is the unit that is busy for most of the time: where it is always busy, the kernel is as fast as it can be with this work.
func busiest(r *emulate.Result) string {
	var most timing.Unit
	part := 0.0
	for _, u := range timing.Units() {
		if p := r.Utilization[u]; p > part {
			most, part = u, p
		}
	}
	if part == 0 {
		return ""
	}
	return fmt.Sprintf("%s %.0f %%", most, 100*min(part, 1))
}

// space is what C++ writes before a name to say where it belongs, and before a function what it returns.
var space = regexp.MustCompile(`\(anonymous namespace\)::|[A-Za-z_]\w*::|^void `)

// short is the name of a kernel in a column: as in C++, without what it is declared in.
func short(name string) string {
	const longest = 60
	name = space.ReplaceAllString(demangle.Filter(name, demangle.NoParams), "")
	if runes := []rune(name); len(runes) > longest {
		return string(runes[:longest-3]) + "..."
	}
	return name
}

// rowJSON is the form of a row for other programs.
type rowJSON struct {
	File     string           `json:"file"`
	Kernel   string           `json:"kernel,omitempty"`
	Launches int64            `json:"launches"`
	Seconds  *float64         `json:"seconds,omitempty"` // of all; null for no time
	Share    float64          `json:"share,omitempty"`
	Each     *launches.Report `json:"each,omitempty"`
	Error    string           `json:"error,omitempty"`
}

// MarshalJSON writes the survey as other programs read it.
func (s *Survey) MarshalJSON() ([]byte, error) {
	list := []rowJSON{}
	for _, r := range s.Rows {
		one := rowJSON{File: r.File, Kernel: r.Report.Launches[0].Kernel, Launches: r.Times, Seconds: emulate.Number(r.Seconds()), Each: r.Report}
		if r.Finite() {
			one.Share = r.Seconds() / s.Seconds()
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
		Rows    []rowJSON `json:"launches"`
	}{s.Folder, s.Device, s.Seconds(), list})
}
