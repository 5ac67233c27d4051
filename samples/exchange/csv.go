package exchange

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gpuperf/internal/lists"
	"gpuperf/samples"
)

// A column of the table: its name, and its cell of a record.
type column struct {
	name string
	cell func(r *samples.Record) string
}

// number is the cell of a count that is missing where it is 0.
func number(get func(r *samples.Record) int64) func(*samples.Record) string {
	return func(r *samples.Record) string {
		if v := get(r); v != 0 {
			return strconv.FormatInt(v, 10)
		}
		return ""
	}
}

// seconds is the cell of a time, empty where there is none.
func seconds(get func(s *samples.Summary) float64) func(*samples.Record) string {
	return func(r *samples.Record) string {
		if r.Summary == nil {
			return ""
		}
		return float(get(r.Summary))
	}
}

func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// conditions are the columns that every record has.
var conditions = []column{
	{"cache", func(r *samples.Record) string { return string(r.Mode) }},
	{"status", func(r *samples.Record) string { return string(r.Status) }},
	{"error", func(r *samples.Record) string { return r.Error }},
	{"median_seconds", seconds(func(s *samples.Summary) float64 { return s.Median })},
	{"lo_seconds", seconds(func(s *samples.Summary) float64 { return s.Lo })},
	{"hi_seconds", seconds(func(s *samples.Summary) float64 { return s.Hi })},
	{"min_seconds", seconds(func(s *samples.Summary) float64 { return s.Min })},
	{"registers", number(func(r *samples.Record) int64 { return r.Compiled.Registers })},
	{"local_mem_bytes", number(func(r *samples.Record) int64 { return r.Compiled.LocalMem })},
	{"dynamic_local_mem_bytes", number(func(r *samples.Record) int64 { return r.Compiled.DynamicMem })},
	{"private_mem_bytes", number(func(r *samples.Record) int64 { return r.Compiled.PrivateMem })},
	{"groups_per_unit", number(func(r *samples.Record) int64 { return r.Compiled.GroupsPerUnit })},
	{"global", func(r *samples.Record) string { return extents(r.Global) }},
	{"local", func(r *samples.Record) string { return extents(r.Local) }},
	{"device", func(r *samples.Record) string { return r.Device.Name }},
	{"interface", func(r *samples.Record) string { return r.Device.Interface.String() }},
	{"driver", func(r *samples.Record) string { return r.Device.Driver }},
	{"origin", origin},
	{"time", func(r *samples.Record) string { return r.Time.Format(time.RFC3339) }},
}

// writeCSV writes a table with a row for each sample. What only some samples have is empty for the others; the trials are in one cell,
// separated by blanks.
func writeCSV(w io.Writer, records []*samples.Record) error {
	args, sizes, metrics := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, r := range records {
		for k := range r.Kernel.Args {
			args[k] = true
		}
		for k := range r.Kernel.Sizes {
			sizes[k] = true
		}
		for k, m := range r.Metrics {
			metrics[k] = m.Unit
		}
	}
	columns := []column{{"kernel", program}}
	for _, k := range slices.Sorted(maps.Keys(args)) {
		columns = append(columns, column{k, func(r *samples.Record) string { return r.Kernel.Args[k] }})
	}
	for _, k := range slices.Sorted(maps.Keys(sizes)) {
		columns = append(columns, column{k, func(r *samples.Record) string {
			if v, ok := r.Kernel.Sizes[k]; ok {
				return strconv.FormatInt(v, 10)
			}
			return ""
		}})
	}
	columns = append(columns, conditions...)
	for _, k := range slices.Sorted(maps.Keys(metrics)) {
		columns = append(columns, column{strings.TrimSuffix(k+" ("+metrics[k]+")", " ()"), func(r *samples.Record) string {
			if m, ok := r.Metrics[k]; ok {
				return float(m.Value)
			}
			return ""
		}})
	}
	columns = append(columns, column{"trials_seconds", func(r *samples.Record) string {
		return lists.Join(r.Trials, " ", float)
	}})
	distinct(columns, len(args), len(sizes))
	out := csv.NewWriter(w)
	row := lists.Map(columns, func(c column) string { return c.name })
	out.Write(row)
	for _, r := range records {
		for i, c := range columns {
			row[i] = c.cell(r)
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// distinct names the columns of arguments, which come behind the kernel, and those of sizes, which follow, apart from others of the same name.
func distinct(columns []column, args, sizes int) {
	called := map[string]int{}
	for _, c := range columns {
		called[c.name]++
	}
	for i := range columns[1 : 1+args+sizes] {
		c, kind := &columns[1+i], "argument "
		if i >= args {
			kind = "size "
		}
		if called[c.name] > 1 {
			c.name = kind + c.name
		}
	}
}
