package exchange

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gpuperf/internal/cname"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// file is what another program has written.
type file struct {
	path     string
	text     string
	modified time.Time // stands for the time of measuring where the file does not tell
	dropped  *[]error  // what was left out, each with its place
}

// drop leaves out a record, or a part of one, that cannot be used; the others are kept.
func (f file) drop(err error) { *f.dropped = append(*f.dropped, err) }

func (f file) lineOf(offset int) int { return 1 + strings.Count(f.text[:max(offset, 0)], "\n") }

// plainJSON is the text with the numbers that JSON does not have, as Python writes them, in quotes: then what expects a number refuses them where
// they stand, and not the whole file.
func plainJSON(text string) string {
	var out strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '"' {
			quoted = !quoted
		} else if quoted && c == '\\' && i+1 < len(text) {
			out.WriteByte(c)
			i++
		} else if !quoted && (c == 'N' || c == 'I' || c == '-') {
			if word := noNumber.FindString(text[i:]); word != "" {
				out.WriteString(`"` + word + `"`)
				i += len(word) - 1
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

var noNumber = regexp.MustCompile(`^(NaN|-?Infinity)\b`)

const maxFile = 256 << 20 // bytes: results of weeks of tuning

func load(path string) (text string, modified time.Time, err error) {
	f, err := source.Open(path)
	if err != nil {
		return "", modified, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", modified, source.Unreadable(path, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it has more than %d MB", maxFile>>20)
	}
	if err != nil {
		return "", modified, source.Unreadable(path, err)
	}
	return strings.TrimPrefix(string(data), "\ufeff"), info.ModTime().UTC().Truncate(time.Second), nil
}

func (f file) at(line int, format string, args ...any) *source.Error {
	return &source.Error{File: f.path, Pos: source.Pos{Line: line, Column: 1}, Msg: fmt.Sprintf(format, args...)}
}

// wrong is an error about the file as a whole.
func (f file) wrong(format string, args ...any) *source.Error {
	return &source.Error{File: f.path, Msg: fmt.Sprintf(format, args...)}
}

// row is a line of a table, its cells by the names in the header.
type row struct {
	line  int
	cells map[string]string
	units map[string]string // from the row below the header
}

// rows reads the rows below each line that begins as a header does: profilers print other things before, between and after them.
// A row with units has nothing in the first column.
func (f file) rows(header string) (rows []row, err error) {
	var names []string
	var units map[string]string
	line := 0
	for text := range strings.Lines(f.text) {
		line++
		text = strings.TrimRight(text, "\r\n")
		if strings.HasPrefix(text, header) {
			names, units = nil, nil
		} else if names == nil || text == "" || header[0] == '"' && text[0] != '"' {
			continue
		}
		reader := csv.NewReader(strings.NewReader(text))
		cells, err := reader.Read()
		if err != nil && names == nil {
			return nil, f.at(line, "not a row of a table: %v", errors.Unwrap(err))
		} else if err != nil {
			f.drop(f.at(line, "not a row of a table: %v", errors.Unwrap(err)))
			continue
		}
		if names == nil {
			names = cells
			continue
		}
		if len(cells) != len(names) {
			f.drop(f.at(line, "the row has %d cells, the header has %d", len(cells), len(names)))
			continue
		}
		one := row{line, map[string]string{}, units}
		for i, name := range names {
			one.cells[name] = strings.TrimSpace(cells[i])
		}
		if cells[0] == "" {
			units = one.cells
			continue
		}
		rows = append(rows, one)
	}
	return rows, nil
}

// oneDevice returns an error where a row is of another device than the first, as a samples file is of one.
func (f file) oneDevice(r, first row) {
	if r.cells["Device"] == first.cells["Device"] {
		return
	}
	panic(throw.Of(f.at(r.line, "the launch is on device %s, those before it are on %s", r.cells["Device"], first.cells["Device"]).
		WithHint("a samples file is of one device: leave out the rows of the others")))
}

// launch is one launch of a kernel.
type launch struct {
	kernel      string
	grid, block []int64
	seconds     float64 // 0 where it was not measured
	registers   int64
	metrics     map[string]samples.Metric
}

// gather makes a record of all launches of a kernel with the same grid and block: their times are the trials, and a metric is the median
// over those that have it, in the unit that it has first. The launch is in the identity, as the sizes that it came from are not known.
func gather(launches []launch, like samples.Record) []samples.Record {
	var order []string
	of := map[string][]launch{}
	for _, l := range launches {
		key := fmt.Sprintf("%s %d %d", l.kernel, l.grid, l.block)
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], l)
	}
	var records []samples.Record
	for _, key := range order {
		first := of[key][0]
		r := like
		r.Version, r.Status = samples.Version, samples.OK
		r.Kernel = samples.Identity{Source: first.kernel, Args: map[string]string{"grid": extents(first.grid), "block": extents(first.block)}}
		r.Entry, _ = cname.Split(first.kernel)
		r.Local = first.block
		for i, n := range first.grid {
			r.Global = append(r.Global, n*first.block[i])
		}
		r.Compiled.Registers = first.registers
		values := map[string][]float64{}
		for _, l := range of[key] {
			if l.seconds > 0 {
				r.Trials = append(r.Trials, l.seconds)
			}
			for name, m := range l.metrics {
				values[name+m.Unit] = append(values[name+m.Unit], m.Value)
			}
		}
		for name, m := range first.metrics {
			if r.Metrics == nil {
				r.Metrics = map[string]samples.Metric{}
			}
			r.Metrics[name] = samples.Metric{Value: samples.Summarize(values[name+m.Unit]).Median, Unit: m.Unit}
		}
		records = append(records, summarized(r))
	}
	return records
}

func summarized(r samples.Record) samples.Record {
	if len(r.Trials) > 0 {
		s := samples.Summarize(r.Trials)
		r.Summary = &s
	}
	return r
}

// perSecond are the units of time, by how many make a second.
var perSecond = map[string]float64{
	"ns": 1e9, "nsecond": 1e9, "us": 1e6, "usecond": 1e6, "µs": 1e6, "ms": 1e3, "msecond": 1e3, "s": 1, "second": 1, "sec": 1,
}

// parseFloat reads a number with commas between its thousands. Behind the number may stand those of its instances: "12 (5; 7)".
func parseFloat(text string) (float64, bool) {
	text, _, _ = strings.Cut(text, " (")
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func parseCount(text string) (int64, bool) {
	v, ok := parseFloat(text)
	return int64(v), ok && v == math.Trunc(v) && v > 0 && v < 1<<31
}

// longest is more than any kernel takes: a day.
const longest = 24 * 60 * 60

// isTime reports that seconds can be what a kernel took.
func isTime(seconds float64) bool { return seconds > 0 && seconds <= longest }

// extents is like "64x64x1".
func extents(v []int64) string {
	return lists.Join(v, "x", func(n int64) string { return strconv.FormatInt(n, 10) })
}
