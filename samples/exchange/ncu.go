package exchange

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"gpuperf/internal/throw"
	"gpuperf/samples"
)

// Nsight Compute writes a row for each launch: columns for the launch, then one for each metric; below the header a row with the units
// (Nsight Compute CLI, "Output pages", the page raw).
const (
	ncuHeader   = `"ID","Process ID"`
	ncuDuration = "gpu__time_duration.sum"
	ncuMessage  = "==" // begins what it says itself, as ==WARNING== No kernels were profiled.
	ncuDevice   = "device__attribute_"
)

// ncuLaunch are the columns that are about the launch.
var ncuLaunch = []string{
	"ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC",
	"Domain:Range:PushPop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg", "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
}

// ncuOther begin the names of what is said of the machine and of ncu's own work, in every row, whatever was asked for.
var ncuOther = []string{ncuDevice, "c2clink__", "numa__", "nvlink__", "pcie__", "profiler__"}

func isNCU(text string) bool {
	return strings.HasPrefix(text, ncuMessage) || strings.HasPrefix(text, ncuHeader) || strings.Contains(text, "\n"+ncuHeader)
}

func readNCU(f file) (_ []samples.Record, err error) {
	defer throw.Catch(&err)
	rows := throw.Get(f.rows(ncuHeader))
	if len(rows) == 0 && len(*f.dropped) == 0 {
		wrong := f.wrong("no launch of a kernel is in it")
		if last := lastMessage(f.text); last != "" {
			wrong = wrong.WithHint("ncu says: %s", last)
		}
		return nil, wrong
	}
	like := samples.Record{Origin: "ncu", Mode: samples.Cold, Time: f.modified} // it flushes the caches before each launch, unless told not to
	var launches []launch
	for _, r := range rows {
		if _, long := r.cells["Metric Name"]; long {
			return nil, f.at(r.line, "this is the page details, with a row for each metric").WithHint("export with: ncu --csv --page raw")
		}
		f.oneDevice(r, rows[0])
		l, err := ncuRow(f, r)
		if err != nil {
			f.drop(err)
			continue
		}
		launches = append(launches, l)
		like.Device = ncuFingerprint(r)
	}
	return gather(launches, like), nil
}

// lastMessage is the last of ncu's own messages.
func lastMessage(text string) (last string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ncuMessage) {
			last = strings.TrimSpace(line)
		}
	}
	return last
}

func ncuRow(f file, r row) (launch, error) {
	l := launch{kernel: r.cells["Kernel Name"], metrics: map[string]samples.Metric{}}
	var ok bool
	if l.kernel == "" {
		return l, f.at(r.line, "the launch has no Kernel Name")
	}
	for name, to := range map[string]*[]int64{"Grid Size": &l.grid, "Block Size": &l.block} {
		if *to, ok = triple(r.cells[name]); !ok {
			return l, f.at(r.line, "%s is %q, not as (64, 1, 1)", name, r.cells[name])
		}
	}
	for name, text := range r.cells {
		other := slices.Contains(ncuLaunch, name) || slices.ContainsFunc(ncuOther, func(p string) bool { return strings.HasPrefix(name, p) })
		if v, ok := parseFloat(text); ok && !other {
			l.metrics[name] = samples.Metric{Value: v, Unit: r.units[name]}
		}
	}
	d, measured := l.metrics[ncuDuration]
	if text := r.cells[ncuDuration]; !measured && text != "" && !strings.HasPrefix(text, "n/a") {
		return l, f.at(r.line, "%s is %q, which is no time", ncuDuration, text)
	}
	if measured {
		second, known := perSecond[d.Unit]
		if !known {
			return l, f.at(r.line, "%s is in %q, which is no unit of time", ncuDuration, d.Unit)
		}
		if l.seconds = d.Value / second; !isTime(l.seconds) {
			return l, f.at(r.line, "%s is %g, which is no time", ncuDuration, d.Value)
		}
	}
	l.registers = int64(l.metrics["launch__registers_per_thread"].Value)
	return l, nil
}

// ncuFingerprint is what a row tells of the device. The name is among the metrics of the larger sets alone.
func ncuFingerprint(r row) samples.Fingerprint {
	on := nvidia()
	capability := "compute capability " + r.cells["CC"]
	on.Name = cmp.Or(r.cells[ncuDevice+"display_name"], "NVIDIA GPU of "+capability)
	on.DeviceVersion = capability
	on.Architecture = "sm_" + strings.ReplaceAll(r.cells["CC"], ".", "")
	on.ComputeUnits, _ = parseCount(r.cells[ncuDevice+"multiprocessor_count"])
	return on
}

// nvidia is what all devices of NVIDIA's profilers have in common. The platform is none of those that this program measures on, so that no
// file holds samples of both.
func nvidia() samples.Fingerprint {
	return samples.Fingerprint{Vendor: "NVIDIA Corporation", Platform: "CUDA, under a profiler", Type: "gpu", Interface: samples.CUDA}
}

var triplePattern = regexp.MustCompile(`^\((\d+), (\d+), (\d+)\)$`)

// triple reads the extents of a grid or block: "(64, 1, 1)".
func triple(text string) ([]int64, bool) {
	m := triplePattern.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	return counts(m[1:])
}

// counts reads positive numbers.
func counts(texts []string) (all []int64, ok bool) {
	for _, text := range texts {
		n, ok := parseCount(text)
		if !ok {
			return nil, false
		}
		all = append(all, n)
	}
	return all, true
}

// Launches reads what Nsight Compute has counted (ncu --csv --page raw), launch by launch.
func Launches(path string) (_ []map[string]samples.Metric, err error) {
	defer throw.Catch(&err)
	text, modified := throw.Get2(load(path))
	var dropped []error
	f := file{path, text, modified, &dropped}
	rows := throw.Get(f.rows(ncuHeader))
	if len(dropped) > 0 {
		return nil, dropped[0] // which launch is which is told by their order
	}
	var all []map[string]samples.Metric
	for _, r := range rows {
		l := throw.Get(ncuRow(f, r))
		all = append(all, l.metrics)
	}
	return all, nil
}
