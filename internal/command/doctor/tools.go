package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
	nvidia := slices.Contains(m.GPUs(), "NVIDIA")
	for _, t := range programs {
		f := Finding{Subject: "programs", Verdict: Note, Text: t.names[0] + " is missing (" + t.serves + ")", Remedy: t.remedy}
		for _, name := range t.names {
			if path := m.Find(name); path != "" {
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
