package calibrate

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gpuperf/internal/bounded"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/models"
)

// Table is a CSV file of feature values: the first line names the columns; a column whose name is that of a feature is one; a
// column "kernel", where there is one, groups the rows for cross-validation; a column "ratio" holds Row.Ratio, empty for 0. Other
// columns are ignored. Lines that start with # are comments.
type Table struct {
	File    string
	Columns []string // features by their identifiers, other columns as they are named

	text   string
	lines  []int        // offsets at which they start
	header []source.Pos // of the columns
	cells  [][]cell
}

type cell struct {
	text string
	pos  source.Pos
}

// kernelColumn is the column that groups rows.
const kernelColumn = "kernel"

// wallTime is the output of models of run times.
const wallTime = "f_cl_wall_time"

// ratioColumn marks the rows of the overlap experiment.
const ratioColumn = "ratio"

// Limits of a table.
const (
	maxTable   = 64 << 20 // bytes that LoadTable reads
	maxColumns = 4096
)

// LoadTable reads a table from a file.
func LoadTable(path string) (*Table, error) {
	text, err := bounded.ReadFile(path, maxTable)
	if err != nil {
		return nil, err
	}
	return ReadTable(path, text)
}

// ReadTable reads a table. Errors are *source.Error: a line with more or fewer cells than columns, two columns of one name, a
// malformed quote, no lines at all.
func ReadTable(file string, text []byte) (_ *Table, err error) {
	defer throw.Catch(&err)
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	t := &Table{File: file, text: string(text), lines: startsOf(string(text))}
	if !utf8.Valid(text) {
		return nil, source.At(file, "", source.Pos{}, "the table is not text in UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comment = '#'
	r.FieldsPerRecord = -1
	r.TrimLeadingSpace = true
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return nil, t.errorAt(t.pos(bad.Line, bad.Column), "%s", bad.Err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(record) > maxColumns {
			return nil, t.errorAt(t.pos(r.FieldPos(maxColumns)), "this line has %d cells, and a table has at most %d columns", len(record), maxColumns)
		}
		row := make([]cell, len(record))
		for i, field := range record {
			row[i] = cell{strings.TrimSpace(field), t.pos(r.FieldPos(i))}
		}
		if t.Columns == nil {
			t.readHeader(row)
			continue
		}
		if len(row) != len(t.Columns) {
			return nil, t.errorAt(row[len(row)-1].pos, "this line has %d cells, the first line names %d columns", len(row), len(t.Columns))
		}
		t.cells = append(t.cells, row)
	}
	if t.Columns == nil {
		return nil, t.errorAt(source.Pos{Line: 1, Column: 1}, "the table is empty").WithHint("its first line names the columns")
	}
	return t, nil
}

func (t *Table) readHeader(row []cell) {
	for _, c := range row {
		name := c.text
		if f, ok := models.FeatureName(name); ok {
			name = f
		}
		if name != "" && slices.Contains(t.Columns, name) {
			panic(throw.Of(t.errorAt(c.pos, "two columns are named %s", name)))
		}
		t.Columns = append(t.Columns, name)
		t.header = append(t.header, c.pos)
	}
}

// pos converts encoding/csv's line and byte column into a place.
func (t *Table) pos(line, column int) source.Pos {
	if line < 1 || line > len(t.lines) {
		return source.Pos{Line: line}
	}
	start := t.lines[line-1]
	end := min(start+max(column-1, 0), len(t.text))
	return source.Pos{Line: line, Column: 1 + utf8.RuneCountInString(t.text[start:end])}
}

// startsOf lists the offsets at which the lines of a text start.
func startsOf(text string) []int {
	out := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

func (t *Table) errorAt(pos source.Pos, format string, args ...any) *source.Error {
	return source.At(t.File, t.text, pos, format, args...)
}

// column finds a feature's column; a missing one is an error at the header.
func (t *Table) column(name, what string) int {
	if i := slices.Index(t.Columns, name); i >= 0 {
		return i
	}
	features := lists.Where(t.Columns, func(c string) bool { return strings.HasPrefix(c, "f_") })
	e := t.errorAt(t.header[len(t.header)-1], "the table has no column %s, %s", name, what)
	panic(throw.Of(e.WithHint("%s", source.Suggest(name, features))))
}

func (t *Table) number(row, column int) float64 {
	c := t.cells[row][column]
	v, err := strconv.ParseFloat(c.text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		panic(throw.Of(t.errorAt(c.pos, "%q in column %s is not a finite number", c.text, t.Columns[column])))
	}
	return v
}

// Features returns the values of the named features, one map per row.
func (t *Table) Features(names []string) (_ []map[string]float64, err error) {
	defer throw.Catch(&err)
	out := make([]map[string]float64, len(t.cells))
	for i := range out {
		out[i] = make(map[string]float64, len(names))
	}
	for _, name := range names {
		column := t.column(name, "which the model needs")
		for i := range t.cells {
			out[i][name] = t.number(i, column)
		}
	}
	return out, nil
}

// Kernels returns the kernel of each row, all "" where the table has no such column.
func (t *Table) Kernels() []string {
	out := make([]string, len(t.cells))
	if k := slices.Index(t.Columns, kernelColumn); k >= 0 {
		for i := range out {
			out[i] = t.cells[i][k].text
		}
	}
	return out
}

// ratio is the row's cell in the column of ratios, 0 where there is none.
func (t *Table) ratio(row int) float64 {
	k := slices.Index(t.Columns, ratioColumn)
	if k < 0 || t.cells[row][k].text == "" {
		return 0
	}
	return t.number(row, k)
}

// Label names a row for messages.
func (t *Table) Label(row int) string {
	return fmt.Sprintf("%s:%d", t.File, t.cells[row][0].pos.Line)
}

// Rows returns the rows with the features and the output of a model. The output is a column, or computed from columns where it is
// one of the model's own features.
func (t *Table) Rows(m *models.Model) (_ []Row, err error) {
	defer throw.Catch(&err)
	features := throw.Get(t.Features(m.FeatureNames()))
	needs, output := models.Evaluator(m.OutputExpr())
	kernels := t.Kernels()
	rows := make([]Row, len(t.cells))
	columns := lists.Map(needs, func(name string) int { return t.column(name, "which the model's output needs") })
	values := make([]float64, len(needs))
	for i := range rows {
		for k, c := range columns {
			values[k] = t.number(i, c)
		}
		y := output(values)
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return nil, t.errorAt(t.cells[i][columns[0]].pos, "the output %s of this row is %g", m.Output, y)
		}
		if m.Output == wallTime && y <= 0 {
			return nil, t.errorAt(t.cells[i][columns[0]].pos, "the time of this row is %g: a time is greater than 0", y)
		}
		ratio := t.ratio(i)
		rows[i] = Row{Ratio: ratio, Kernel: kernels[i], Features: features[i], Output: y, Label: t.Label(i)}
	}
	if len(rows) == 0 {
		return nil, t.errorAt(source.Pos{Line: 1, Column: 1}, "the table names columns and has no rows")
	}
	return rows, nil
}
