package exchange

import (
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// Nsight Systems writes a row for each operation on the GPU (Nsight Systems User Guide, report cuda_gpu_trace): launches have a grid and
// a block, copies have none. Units stand in the names of columns.
const nsysHeader = "Start ("

func isNsys(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, nsysHeader) {
			return strings.Contains(line, ",GrdX,") && strings.Contains(line, ",Name")
		}
	}
	return false
}

func readNsys(f file) (_ []samples.Record, err error) {
	defer throw.Catch(&err)
	rows := throw.Get(f.rows(nsysHeader))
	like := samples.Record{Origin: "nsys", Mode: samples.Warm, Time: f.modified}
	var launches []launch
	for _, r := range rows {
		if r.cells["GrdX"] == "" {
			continue // a copy
		}
		f.oneDevice(r, rows[0])
		l, err := nsysRow(f, r)
		if err != nil {
			f.drop(err)
			continue
		}
		launches = append(launches, l)
		like.Device = nvidia()
		like.Device.Name, _, _ = strings.Cut(r.cells["Device"], " (") // behind it stands its number
	}
	return gather(launches, like), nil
}

func nsysRow(f file, r row) (launch, error) {
	l := launch{kernel: r.cells["Name"], metrics: map[string]samples.Metric{}}
	var ok, grid, block bool
	l.grid, grid = counts([]string{r.cells["GrdX"], r.cells["GrdY"], r.cells["GrdZ"]})
	l.block, block = counts([]string{r.cells["BlkX"], r.cells["BlkY"], r.cells["BlkZ"]})
	duration, unit := r.column("Duration")
	if l.seconds, ok = parseFloat(duration); !ok || !grid || !block || l.kernel == "" || r.cells["Device"] == "" {
		return l, f.at(r.line, "the launch needs a Duration, GrdX to GrdZ, BlkX to BlkZ, a Device and a Name")
	}
	second, ok := perSecond[unit]
	if !ok {
		return l, f.at(r.line, "Duration is in %q, which is no unit of time", unit)
	}
	if l.seconds /= second; !isTime(l.seconds) {
		return l, f.at(r.line, "a Duration of %s is no time", duration)
	}
	l.registers, _ = parseCount(r.cells["Reg/Trd"])
	for _, name := range []string{"StcSMem", "DymSMem"} {
		if text, unit := r.column(name); text != "" {
			if v, ok := parseFloat(text); ok {
				l.metrics[name] = samples.Metric{Value: v, Unit: unit}
			}
		}
	}
	return l, nil
}

// column is the cell of a column whose name has its unit behind it, as "Duration (ns)".
func (r row) column(name string) (text, unit string) {
	for full, text := range r.cells {
		if before, unit, ok := strings.Cut(full, " ("); ok && before == name {
			return text, strings.TrimSuffix(unit, ")")
		}
	}
	return r.cells[name], ""
}
