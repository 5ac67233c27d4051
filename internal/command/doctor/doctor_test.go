package doctor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/internal/command/doctor"
	"gpuperf/samples"
)

// fake is a machine with files, libraries and programs.
type fake struct {
	files     map[string]string
	libraries []string
	programs  []string
	devices   []device.Info
	times     []float64 // of the kernel that shows whether the device is steady, a run each
	clocks    samples.Clocks
}

// steadyDevice answers with the times of a fake, one after the other.
type steadyDevice struct {
	info   device.Info
	times  []float64
	clocks samples.Clocks
}

func (d *steadyDevice) Info() device.Info { return d.info }
func (d *steadyDevice) Close() error      { return nil }
func (d *steadyDevice) Run(context.Context, device.Job) (*device.Result, error) {
	t := d.times[0]
	d.times = append(d.times[1:], t)
	return &device.Result{Trials: []float64{t}, Clocks: &d.clocks}, nil
}

func (f fake) machine(t *testing.T) doctor.Machine {
	root := t.TempDir()
	for name, text := range f.files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	missing := errors.New("not there")
	find := func(name string) string {
		if slices.Contains(f.programs, name) {
			return "/bin/" + name
		}
		return ""
	}
	return doctor.Machine{
		Root: root, Data: filepath.Join(root, "data"), Find: find,
		Open: func(names []string) error {
			if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(f.libraries, n) }) {
				return nil
			}
			return missing
		},
		Counters: func() (string, error) {
			if path := find("ncu"); path != "" {
				return path, nil
			}
			return "", missing
		},
		Devices: func(context.Context) ([]device.Info, error) {
			if len(f.devices) == 0 {
				return nil, errors.New("no platform\n  install one")
			}
			return f.devices, nil
		},
		OpenDevice: func(context.Context) (device.Device, error) {
			return &steadyDevice{f.devices[0], f.times, f.clocks}, nil
		},
	}
}

// h200 is a machine with nothing to say against it.
func h200() fake {
	gpu := samples.Fingerprint{Name: "NVIDIA H200", Vendor: "NVIDIA Corporation", Type: "gpu", UUID: "00", TimerNS: 1000, ComputeUnits: 132}
	byCUDA := gpu
	byCUDA.Interface = samples.CUDA
	return fake{
		files: map[string]string{
			"/sys/bus/pci/devices/0/class": "0x030200\n", "/sys/bus/pci/devices/0/vendor": "0x10de\n",
			"/etc/OpenCL/vendors/nvidia.icd": "libnvidia-opencl.so.1\n", "/proc/driver/nvidia/params": "RmProfilingAdminOnly: 0\n",
		},
		libraries: []string{"libOpenCL.so.1", "libcuda.so.1", "libnvrtc.so", "libnvidia-opencl.so.1"},
		programs:  []string{"gcc", "nvdisasm", "nvcc", "ncu"},
		devices:   []device.Info{{Fingerprint: byCUDA}, {Fingerprint: gpu}},
		times:     []float64{1e-4, 1.001e-4},
		clocks:    samples.Clocks{SM: 1980, Temperature: 40, Limits: []string{"idle"}},
	}
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
}

// TestFindings: each fault of a machine is found, with a verdict, and nothing else is.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*fake)
		verdict doctor.Verdict
		want    string // in a finding with this verdict
	}{
		{"whole", func(*fake) {}, doctor.Note, "no device has been calibrated"},
		{"no device", func(f *fake) { f.devices = nil }, doctor.Failure, "no platform"},
		{"no loader", func(f *fake) { f.libraries = without(f.libraries, "libOpenCL.so.1") }, doctor.Note, "there is no loader"},
		{"lost driver of OpenCL", func(f *fake) { f.libraries = without(f.libraries, "libnvidia-opencl.so.1") }, doctor.Doubt, "which cannot be opened"},
		{"GPU without OpenCL", func(f *fake) { f.devices = f.devices[:1] }, doctor.Note, "no OpenCL platform offers it"},
		{"no libcuda", func(f *fake) { f.libraries = without(f.libraries, "libcuda.so.1") }, doctor.Failure, "libcuda is not"},
		{"libcuda without a GPU", func(f *fake) { f.devices = f.devices[1:] }, doctor.Doubt, "finds no GPU"},
		{"no NVRTC", func(f *fake) { f.libraries = without(f.libraries, "libnvrtc.so") }, doctor.Doubt, "NVRTC"},
		{"coarse timer", func(f *fake) { f.devices[0].TimerNS = 1e6 }, doctor.Doubt, "times are multiples of 1 ms"},
		{"unsteady", func(f *fake) { f.times = []float64{1e-4, 1.1e-4} }, doctor.Doubt, "differ by 10.0 %"},
		{"hot", func(f *fake) { f.clocks.Temperature = 90 }, doctor.Doubt, "90 °C"},
		{"held down", func(f *fake) { f.clocks.Limits = []string{"hardware thermal slowdown"} }, doctor.Doubt, "held down by hardware thermal slowdown"},
		{"no C compiler", func(f *fake) { f.programs = without(f.programs, "gcc") }, doctor.Note, "cc is missing"},
		{"no ncu", func(f *fake) { f.programs = without(f.programs, "ncu") }, doctor.Note, "not there"},
		{"counters for root alone", func(f *fake) { f.files["/proc/driver/nvidia/params"] = "RmProfilingAdminOnly: 1\n" }, doctor.Doubt, "only root may read"},
		{"data is a file", func(f *fake) { f.files["/data"] = "" }, doctor.Failure, "nothing can be written"},
		{"broken profile", func(f *fake) { f.files["/data/profiles/x.yaml"] = "version: 77\n" }, doctor.Failure, "x.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // it waits between runs
			f := h200()
			c.change(&f)
			all := doctor.Examine(context.Background(), f.machine(t))
			if !slices.ContainsFunc(all, func(f doctor.Finding) bool { return f.Verdict == c.verdict && strings.Contains(f.Text, c.want) }) {
				t.Errorf("no %s with %q", c.verdict, c.want)
			}
			if worst := doctor.Worst(all); worst != c.verdict {
				t.Errorf("the worst is a %s, want a %s", worst, c.verdict)
			}
			if t.Failed() {
				var text strings.Builder
				doctor.Print(&text, all)
				t.Log("\n" + text.String())
			}
		})
	}
}
