package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/device/cuda"
	"gpuperf/device/opencl"
	"gpuperf/internal/lists"
	"gpuperf/samples"
)

// devices says which devices can be measured.
func devices(_ context.Context, m *Machine) (all []Finding) {
	if m.deviceError != nil {
		text, remedy, _ := strings.Cut(m.deviceError.Error(), "\n")
		return []Finding{{"devices", Failure, text, strings.TrimSpace(remedy)}}
	}
	for _, interfaces := range device.Hardware(m.found) {
		by := lists.Map(interfaces, func(i int) string { return m.found[i].Interface.String() })
		all = append(all, Finding{Subject: "devices", Verdict: Good, Text: fmt.Sprintf("%s, by %s", m.found[interfaces[0]].Name, strings.Join(by, " and "))})
	}
	return all
}

// vendors of GPUs by their PCI identifiers.
var vendors = map[string]string{"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}

// GPUs are the vendors of the GPUs in the machine, as Linux lists them, and as the driver of NVIDIA does in containers.
func (m *Machine) GPUs() (names []string) {
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
	for _, vendor := range m.GPUs() {
		if !m.has(vendor, samples.OpenCL) {
			all = append(all, Finding{"OpenCL", Note, fmt.Sprintf("a GPU of %s is in the machine, and no OpenCL platform offers it", vendor), opencl.InstallHint})
		}
	}
	return all
}

// nvidia looks for the driver and the compiler where there is a GPU of NVIDIA.
func nvidia(_ context.Context, m *Machine) (all []Finding) {
	gpu := slices.Contains(m.GPUs(), "NVIDIA")
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
	if err := m.Open(cuda.CompilerLibraries()); err != nil {
		return append(all, Finding{"CUDA", Doubt, "NVRTC, which compiles CUDA C, is not there", "install the CUDA toolkit, or its package libnvrtc (cuda-nvrtc)"})
	}
	return append(all, Finding{Subject: "CUDA", Verdict: Good, Text: "NVRTC is there"})
}
