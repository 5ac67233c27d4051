package campaign

import (
	"strings"
	"testing"

	"gpuperf/samples"
)

// TestCompiledColumns: what nobody has told of any of the kernels takes no column, and what is not known of one of them is a dash.
func TestCompiledColumns(t *testing.T) {
	for _, c := range []struct {
		compiled []samples.Compiled
		want     string // of the columns, by rows
	}{
		{[]samples.Compiled{{}, {MaxWorkGroup: 256, PrivateMem: 1024}}, ""},
		{[]samples.Compiled{{Registers: 10, GroupsPerUnit: 8}, {Registers: 40}}, "registers 10 40, occupancy 8 groups -"},
		{[]samples.Compiled{{}, {Registers: 255, PrivateMem: 2048, GroupsPerUnit: 1, Occupancy: 0.125}}, "registers - 255, private - 2 KiB, occupancy - 12 %"},
	} {
		var list []Sample
		for _, of := range c.compiled {
			list = append(list, Sample{Record: samples.Record{Status: samples.OK, Summary: &samples.Summary{}, Compiled: of}})
		}
		var columns []string
		for _, column := range compiledColumns(list) {
			text := strings.TrimPrefix(column.header, ">")
			for _, s := range list {
				cell := column.cell(s.Compiled)
				if cell == "" {
					cell = "-"
				}
				text += " " + cell
			}
			columns = append(columns, text)
		}
		if got := strings.Join(columns, ", "); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}
