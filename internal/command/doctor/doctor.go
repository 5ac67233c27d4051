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

	"gpuperf/device"
	"gpuperf/internal/command/stock"
	"gpuperf/internal/format"
	"gpuperf/internal/terminal"
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
	Root        string                               // the folder that holds etc, proc and sys; "" is /
	Data        string                               // the data directory
	Find        func(program string) (string, error) // the path of a program
	Open        func(libraries []string) error       // opens the first shared library that there is
	Counters    func() (string, error)               // the path of ncu
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

// tool is a program that some commands need.
type tool struct {
	names  []string // the first that is found serves
	serves string   // which command, and for what
	remedy string
	nvidia bool // needed for GPUs of NVIDIA alone
}

var programs = []tool{
	{[]string{"cc", "gcc", "clang"}, "perf capture: compiles what it puts into a process", "install a C compiler (Debian: apt install gcc libc6-dev)", false},
	{[]string{"nvdisasm"}, "perf emulate, sass, calibrate --emulator: reads machine code", "install CUDA's package cuda-nvdisasm, or the toolkit", true},
	{[]string{"nvcc"}, "perf emulate KERNEL.cu without a GPU", "install the CUDA toolkit", true},
}

// tools looks for programs, and for the permission to read counters.
func tools(_ context.Context, m *Machine) (all []Finding) {
	nvidia := slices.Contains(m.gpus(), "NVIDIA")
	for _, t := range programs {
		f := Finding{Subject: "programs", Verdict: Note, Text: t.names[0] + " is missing (" + t.serves + ")", Remedy: t.remedy}
		for _, name := range t.names {
			if path, err := m.Find(name); err == nil {
				f = Finding{Subject: "programs", Verdict: Good, Text: path + " (" + t.serves + ")"}
				break
			}
		}
		if f.Verdict == Good || !t.nvidia || nvidia {
			all = append(all, f)
		}
	}
	if !nvidia {
		return all
	}
	path, err := m.Counters()
	if err != nil {
		text, remedy, _ := strings.Cut(err.Error(), "\n")
		return append(all, Finding{"counters", Note, text, strings.TrimSpace(remedy)})
	}
	f := Finding{Subject: "counters", Verdict: Good, Text: path}
	parameters, _ := os.ReadFile(filepath.Join(m.Root, "/proc/driver/nvidia/params"))
	if strings.Contains(string(parameters), "RmProfilingAdminOnly: 1") && !m.Privileged {
		f.Verdict, f.Text = Doubt, path+", and only root may read the counters"
		f.Remedy = "as root: echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/profiling.conf, then load the driver anew"
	}
	return append(all, f)
}
