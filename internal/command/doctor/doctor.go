// Package doctor looks at what measuring and predicting need of a machine, and says what to do about what is missing.
//
// A check answers with findings, each with a verdict, what was found and, where something is to be done, the remedy. The checks are a
// table; [Examine] runs all. They see the machine through [Machine] alone, so that tests can show them any.
package doctor

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/device/cuda"
	"gpuperf/device/measure"
	"gpuperf/device/opencl"
	"gpuperf/internal/command/stock"
	"gpuperf/internal/format"
	"gpuperf/internal/terminal"
	"gpuperf/samples"
)

// Verdict says how much a finding matters.
type Verdict string

const (
	Good    Verdict = "good"
	Note    Verdict = "note"    // something optional is missing
	Doubt   Verdict = "doubt"   // numbers may be wrong, or less is possible than the machine could do
	Failure Verdict = "failure" // something does not work
)

// Finding is what a check has found.
type Finding struct {
	Subject string  `json:"subject"`
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	Remedy  string  `json:"remedy,omitempty"`
}

// Machine is what the checks see.
type Machine struct {
	Root        string                         // the folder that holds etc, proc and sys; "" is /
	Data        string                         // the data directory
	Find        func(program string) string    // the path of a program, "" where it is missing
	Open        func(libraries []string) error // opens the first shared library that there is
	Counters    func() (string, error)         // the path of ncu
	Devices     func(context.Context) ([]device.Info, error)
	OpenDevice  func(context.Context) (device.Device, error) // the default device
	Privileged  bool                                         // the user is root
	found       []device.Info
	deviceError error
}

// checks in the order of their findings.
var checks = []func(context.Context, *Machine) []Finding{devices, openCL, nvidia, timers, steadiness, tools, data, profiles}

// Examine runs all checks.
func Examine(ctx context.Context, m Machine) (all []Finding) {
	m.found, m.deviceError = m.Devices(ctx)
	for _, check := range checks {
		if ctx.Err() != nil {
			return all
		}
		all = append(all, check(ctx, &m)...)
	}
	return all
}

// Worst is the gravest verdict of findings.
func Worst(all []Finding) Verdict {
	worst := Good
	for _, f := range all {
		order := []Verdict{Good, Note, Doubt, Failure}
		if slices.Index(order, f.Verdict) > slices.Index(order, worst) {
			worst = f.Verdict
		}
	}
	return worst
}

// marks stand before findings.
var marks = map[Verdict]string{Good: "✓", Note: "·", Doubt: "!", Failure: "✗"}

// Print writes findings, a line each, with the remedy below.
func Print(w io.Writer, all []Finding) {
	width := 0
	for _, f := range all {
		width = max(width, len(f.Subject))
	}
	indent := strings.Repeat(" ", width+4)
	for _, f := range all {
		mark := marks[f.Verdict]
		if f.Verdict == Failure || f.Verdict == Doubt {
			mark = terminal.Error.Paint(w, mark)
		}
		fmt.Fprintf(w, "%s %-*s  %s\n", mark, width, f.Subject, strings.ReplaceAll(f.Text, "\n", "\n"+indent))
		if f.Remedy != "" {
			fmt.Fprintf(w, "%s→ %s\n", indent, strings.ReplaceAll(f.Remedy, "\n", "\n"+indent+"  "))
		}
	}
}

// data says where samples and profiles are kept, how much there is, and whether more can be written.
func data(_ context.Context, m *Machine) []Finding {
	bytes, files := stock.Size(m.Data)
	f := Finding{Subject: "data", Verdict: Good, Text: fmt.Sprintf("%s: %d files, %s", m.Data, files, format.Bytes(bytes))}
	probe, err := probe(m.Data)
	if err != nil {
		f.Verdict, f.Text = Failure, fmt.Sprintf("nothing can be written to %s: %v", m.Data, err)
		f.Remedy = "make it writable, or name another directory by PERF_DATA"
	}
	os.Remove(probe)
	return []Finding{f}
}

// probe writes a file to a folder, or to the nearest above it that there is, and returns its path.
func probe(folder string) (string, error) {
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	file, err := os.CreateTemp(folder, ".perf-*")
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// profiles says which profiles there are, and which of their models may no longer hold.
func profiles(_ context.Context, m *Machine) (all []Finding) {
	found, err := stock.Profiles(m.Data, m.found)
	if err != nil {
		return []Finding{{Subject: "profiles", Verdict: Failure, Text: err.Error()}}
	}
	for _, p := range found {
		switch {
		case p.Path == "": // it comes with the program
			continue
		case p.Error != "":
			all = append(all, Finding{"profiles", Failure, p.Error, "perf profile remove " + p.Name})
		case len(p.Doubts) == 0:
			all = append(all, Finding{Subject: "profiles", Verdict: Good, Text: p.Name})
		}
		for _, d := range p.Doubts {
			all = append(all, Finding{"profiles", Doubt, p.Name + ": " + d.Text, d.Remedy})
		}
	}
	if len(all) == 0 {
		return []Finding{{"profiles", Note, "no device has been calibrated yet", "perf calibrate; or predict for a device that the program knows: --profile h200"}}
	}
	return all
}

// coarse is the resolution of a timer, in seconds, above which times of short kernels say little.
const coarse = 1.1e-6

// timers says how fine the devices take times.
func timers(_ context.Context, m *Machine) (all []Finding) {
	for _, d := range m.found {
		resolution := float64(d.TimerNS) * 1e-9
		f := Finding{Subject: "timer", Verdict: Good, Text: fmt.Sprintf("%s: times are multiples of %s", d.Fingerprint, format.Rough(resolution, "s"))}
		switch {
		case d.TimerNS == 0:
			continue
		case resolution > coarse:
			f.Verdict, f.Remedy = Doubt, "measure sizes that take longer: --time-range 1ms..10s"
		}
		all = append(all, f)
	}
	return all
}

const (
	rounds = 5                     // of the kernel that shows whether a device is steady
	pause  = 50 * time.Millisecond // between them
	steady = 0.02                  // the least spread of their medians that is a doubt
	hot    = 85                    // degrees Celsius
)

// steadiness runs a kernel on the default device, several times with pauses, and compares the medians of its times.
func steadiness(ctx context.Context, m *Machine) []Finding {
	if m.deviceError != nil {
		return nil
	}
	dev, err := m.OpenDevice(ctx)
	if err != nil {
		return []Finding{{Subject: "clock", Verdict: Failure, Text: err.Error()}}
	}
	defer dev.Close()
	name := dev.Info().Name
	job := measure.SentinelJob(dev.Info().Fingerprint)
	var medians []float64
	var all []Finding
	for round := range rounds {
		if round > 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
		}
		r, err := dev.Run(ctx, job)
		if err != nil {
			return []Finding{{
				"clock", Failure, fmt.Sprintf("%s: a kernel that only multiplies and adds did not run: %v", name, err),
				"look at the message of the driver; other kernels will not run either",
			}}
		}
		medians = append(medians, samples.Summarize(r.Trials).Median)
		if c := r.Clocks; c != nil && round == rounds-1 {
			state := Finding{Subject: "temperature", Verdict: Good, Text: fmt.Sprintf("%s: %d °C, %.0f W, %d MHz", name, c.Temperature, c.Power, c.SM)}
			held := slices.DeleteFunc(slices.Clone(c.Limits), func(l string) bool { return l == "idle" })
			if len(held) > 0 {
				state.Text += "; clocks are held down by " + strings.Join(held, ", ")
			}
			if c.Temperature >= hot || slices.ContainsFunc(held, func(l string) bool { return strings.Contains(l, "thermal") || strings.Contains(l, "brake") }) {
				state.Verdict, state.Remedy = Doubt, "let the device cool, and look at its fans and its power limit"
			}
			all = append(all, state)
		}
	}
	slices.Sort(medians)
	spread := medians[len(medians)-1]/medians[0] - 1
	f := Finding{Subject: "clock", Verdict: Good, Text: fmt.Sprintf("%s: %d runs of one kernel differ by %.1f %%", name, rounds, 100*spread)}
	if spread > steady {
		f.Verdict, f.Remedy = Doubt, "stop other work on the device; fix the clocks, if you may (NVIDIA: nvidia-smi --lock-gpu-clocks)"
	}
	return append([]Finding{f}, all...)
}

// devices says which devices can be measured.
func devices(_ context.Context, m *Machine) (all []Finding) {
	if m.deviceError != nil {
		text, remedy, _ := strings.Cut(m.deviceError.Error(), "\n")
		return []Finding{{"devices", Failure, text, strings.TrimSpace(remedy)}}
	}
	for _, interfaces := range device.Hardware(m.found) {
		var by []string
		for _, i := range interfaces {
			by = append(by, m.found[i].Interface.String())
		}
		all = append(all, Finding{Subject: "devices", Verdict: Good, Text: fmt.Sprintf("%s, by %s", m.found[interfaces[0]].Name, strings.Join(by, " and "))})
	}
	return all
}

// vendors of GPUs by their PCI identifiers.
var vendors = map[string]string{"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}

// gpus are the vendors of the GPUs in the machine, as Linux lists them, and as the driver of NVIDIA does in containers.
func (m *Machine) gpus() (names []string) {
	classes, _ := filepath.Glob(filepath.Join(m.Root, "/sys/bus/pci/devices/*/class"))
	for _, path := range classes {
		class, _ := os.ReadFile(path)
		vendor, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "vendor"))
		name, known := vendors[strings.TrimSpace(string(vendor))]
		if known && strings.HasPrefix(string(class), "0x03") { // a display controller
			names = append(names, name)
		}
	}
	if nodes, _ := filepath.Glob(filepath.Join(m.Root, "/dev/nvidia[0-9]*")); len(nodes) > 0 {
		names = append(names, "NVIDIA")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// has reports whether a device of a vendor was found by an interface.
func (m *Machine) has(vendor string, by samples.Interface) bool {
	return slices.ContainsFunc(m.found, func(d device.Info) bool {
		return d.Interface == by && d.Type == "gpu" && strings.Contains(strings.ToLower(d.Vendor+d.Name), strings.ToLower(vendor))
	})
}

// openCL looks for the loader, the drivers that are registered with it, and a platform for each GPU.
func openCL(_ context.Context, m *Machine) (all []Finding) {
	loaders := opencl.Loaders()
	if err := m.Open(loaders); err != nil {
		all = append(all, Finding{"OpenCL", Note, "there is no loader: " + strings.Join(loaders, ", "), opencl.InstallHint})
	} else {
		all = append(all, Finding{Subject: "OpenCL", Verdict: Good, Text: "the loader is there"})
	}
	files, _ := filepath.Glob(filepath.Join(m.Root, "/etc/OpenCL/vendors/*.icd"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		library := strings.TrimSpace(string(text))
		if err == nil {
			err = m.Open([]string{library})
		}
		if err != nil {
			all = append(all, Finding{
				"OpenCL", Doubt, fmt.Sprintf("%s names %s, which cannot be opened: %v", file, library, err),
				"install the package of this driver anew, or remove the file",
			})
		}
	}
	for _, vendor := range m.gpus() {
		if !m.has(vendor, samples.OpenCL) {
			all = append(all, Finding{"OpenCL", Note, fmt.Sprintf("a GPU of %s is in the machine, and no OpenCL platform offers it", vendor), opencl.InstallHint})
		}
	}
	return all
}

// nvidia looks for the driver and the compiler where there is a GPU of NVIDIA.
func nvidia(_ context.Context, m *Machine) (all []Finding) {
	gpu := slices.Contains(m.gpus(), "NVIDIA")
	switch err := m.Open(cuda.DriverLibraries); {
	case err == nil && m.has("NVIDIA", samples.CUDA):
		all = append(all, Finding{Subject: "CUDA", Verdict: Good, Text: "the driver is there"})
	case err == nil:
		all = append(all, Finding{"CUDA", Doubt, "libcuda is there, and finds no GPU", "nvidia-smi says why; in a container, run it with --gpus all"})
	case gpu:
		all = append(all, Finding{
			"CUDA", Failure, "a GPU of NVIDIA is in the machine, and libcuda is not: " + err.Error(),
			"install the driver of NVIDIA; in a container, run it with --gpus all",
		})
	default:
		return []Finding{{Subject: "CUDA", Verdict: Note, Text: "there is no GPU of NVIDIA"}}
	}
	if err := m.Open(cuda.CompilerLibraries); err != nil {
		return append(all, Finding{"CUDA", Doubt, "NVRTC, which compiles CUDA C, is not there", "install the CUDA toolkit, or its package libnvrtc (cuda-nvrtc)"})
	}
	return append(all, Finding{Subject: "CUDA", Verdict: Good, Text: "NVRTC is there"})
}
