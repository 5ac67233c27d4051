package opencl

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	"gpuperf/device"
	"gpuperf/device/dl"
	"gpuperf/device/runner"
)

// Parameters of clGetDeviceInfo. The numbers are those of cl.h; those behind the blank line are of extensions (cl_ext.h).
const (
	deviceType         = 0x1000
	deviceComputeUnits = 0x1002
	deviceMaxGroup     = 0x1004
	deviceMaxItems     = 0x1005
	deviceClock        = 0x100C
	deviceMaxAlloc     = 0x1010
	deviceCacheSize    = 0x101E
	deviceGlobalMem    = 0x101F
	deviceLocalMem     = 0x1023
	deviceTimer        = 0x1025
	deviceName         = 0x102B
	deviceVendor       = 0x102C
	deviceDriver       = 0x102D
	deviceVersion      = 0x102F
	deviceExtensions   = 0x1030

	deviceMajorNV        = 0x4000
	deviceMinorNV        = 0x4001
	deviceWarpSizeNV     = 0x4003
	devicePCIBusNV       = 0x4008
	devicePCISlotNV      = 0x4009
	devicePCIDomainNV    = 0x400A
	deviceTopologyAMD    = 0x4037
	deviceBoardNameAMD   = 0x4038
	deviceWavefrontAMD   = 0x4043
	deviceSubgroupsIntel = 0x4108
	deviceMultiple       = 0x1067 // since OpenCL 3.0
	devicePCIInfo        = 0x410F
	deviceUUID           = 0x106A
	assumedSubgroup      = 32     // of a GPU that does not tell it: that of most
	preferredMultiple    = 0x11B3 // of clGetKernelWorkGroupInfo
)

// subgroupQueries are the ways to learn how many work-items execute together, best first. What none of them
// tells, a compiled kernel does, and what that does not either is assumed.
var subgroupQueries = []struct {
	extension string
	param     uint32
	name      string
}{
	{"cl_nv_device_attribute_query", deviceWarpSizeNV, "CL_DEVICE_WARP_SIZE_NV"},
	{"cl_amd_device_attribute_query", deviceWavefrontAMD, "CL_DEVICE_WAVEFRONT_WIDTH_AMD"},
	{"cl_intel_required_subgroup_size", deviceSubgroupsIntel, "CL_DEVICE_SUB_GROUP_SIZES_INTEL, the largest"},
}

// deviceTypes maps the bits of CL_DEVICE_TYPE.
var deviceTypes = []struct {
	bit  uint64
	name string
}{{1 << 2, "gpu"}, {1 << 3, "accelerator"}, {1 << 1, "cpu"}, {1 << 4, "custom"}}

func (p platform) deviceIDs() ([]object, error) {
	const all = 0xFFFFFFFF // CL_DEVICE_TYPE_ALL
	ids, err := p.list(getDeviceIDs, deviceNotFound, uintptr(p.id), all)
	if err != nil {
		return nil, fmt.Errorf("platform %s: %w", p.name, err)
	}
	return ids, nil
}

// asker asks a device for a parameter; nil is no answer.
type asker func(param uint32) []byte

func (ask asker) num(param uint32) int64   { return int64(le(ask(param))) }
func (ask asker) text(param uint32) string { return str(ask(param)) }

// describeDevice asks a device for everything that Info holds. What a driver does not tell stays zero.
func (p platform) describeDevice(id object) device.Info {
	ask := asker(func(param uint32) []byte {
		b, _ := p.query(getDeviceInfo, param, id)
		return b
	})
	num, text := ask.num, ask.text

	var d device.Info
	d.Library = p.library
	d.Platform, d.PlatformVersion = p.name, p.version
	d.Name, d.Vendor = text(deviceName), text(deviceVendor)
	d.Driver, d.DeviceVersion = text(deviceDriver), text(deviceVersion)
	d.Extensions = strings.Fields(text(deviceExtensions))
	bits := le(ask(deviceType))
	for _, t := range deviceTypes {
		if d.Type == "" && bits&t.bit != 0 {
			d.Type = t.name
		}
	}
	d.ComputeUnits, d.ClockMHz = num(deviceComputeUnits), num(deviceClock)
	d.GlobalMem, d.LocalMem, d.MaxAlloc = num(deviceGlobalMem), num(deviceLocalMem), num(deviceMaxAlloc)
	d.MaxWorkGroup, d.MaxWorkItems = num(deviceMaxGroup), words(ask(deviceMaxItems))
	d.CacheSize, d.TimerNS = num(deviceCacheSize), num(deviceTimer)
	if d.Type == "cpu" {
		if d.Caches = listCaches(os.DirFS("/")); d.Caches == nil {
			d.Caches = libraryCaches(sysconf(dl.OpenFirst), d.ComputeUnits)
		}
	}
	p.describeVendor(&d, ask)
	p.describeSubgroup(&d, id, ask)
	return d
}

// describeVendor asks what only extensions tell.
func (p platform) describeVendor(d *device.Info, ask asker) {
	has := func(ext string) bool { return slices.Contains(d.Extensions, ext) }
	if has("cl_khr_device_uuid") {
		if b := ask(deviceUUID); len(b) == 16 && slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) {
			d.UUID = hex.EncodeToString(b)
		}
	}
	nvidia := has("cl_nv_device_attribute_query")
	if nvidia {
		d.Architecture = fmt.Sprintf("sm_%d%d", ask.num(deviceMajorNV), ask.num(deviceMinorNV))
	}
	if has("cl_amd_device_attribute_query") {
		// AMD's device name is the architecture, the board name is what the user bought.
		d.Architecture = d.Name
		if board := ask.text(deviceBoardNameAMD); board != "" {
			d.Name = board
		}
	}
	switch {
	case has("cl_khr_pci_bus_info"):
		if b := ask(devicePCIInfo); len(b) == 16 {
			w := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
			d.PCI = fmt.Sprintf("%04x:%02x:%02x.%x", w(0), w(1), w(2), w(3))
		}
	case nvidia:
		d.PCI = fmt.Sprintf("%04x:%02x:%02x.0", ask.num(devicePCIDomainNV), ask.num(devicePCIBusNV), ask.num(devicePCISlotNV))
	case has("cl_amd_device_attribute_query"):
		if b := ask(deviceTopologyAMD); len(b) == 24 {
			d.PCI = fmt.Sprintf("%02x:%02x.%x", b[21], b[22], b[23])
		}
	}
}

func (p platform) describeSubgroup(d *device.Info, id object, ask asker) {
	for _, q := range subgroupQueries {
		if !slices.Contains(d.Extensions, q.extension) || q.param == deviceSubgroupsIntel && d.Type == "cpu" {
			continue // sub-groups of a CPU are of any size that a program asks for, whatever it executes together
		}
		b := ask(q.param)
		n := int64(le(b))
		if q.param == deviceSubgroupsIntel && len(b) >= 8 {
			n = slices.Max(words(b))
		}
		if n > 0 {
			d.SubgroupSize, d.SubgroupSource = n, q.name
			return
		}
	}
	if n := int64(le(ask(deviceMultiple))); n > 1 {
		d.SubgroupSize, d.SubgroupSource = n, "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE"
		return
	}
	n, err := p.trivialMultiple(id)
	if err == nil && n > 1 {
		d.SubgroupSize, d.SubgroupSource = n, "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE of a trivial kernel"
		return
	}
	d.SubgroupSize, d.SubgroupSource = assumedSubgroup, "assumed: the driver does not tell"
}

// trivialMultiple, for drivers that do not tell it of the device, compiles a small kernel, which may take half a second, and asks which multiple of the work-group size the driver prefers for it.
func (p platform) trivialMultiple(id object) (int64, error) {
	d, err := openDevice(p, id, device.Info{})
	if err != nil {
		return 0, err
	}
	defer d.Close()
	program, _, err := d.Compile(runner.Source{Text: "__kernel void trivial(__global float *a) { a[get_global_id(0)] += 1.0f; }"})
	if err != nil {
		return 0, err
	}
	defer d.Unload(program)
	kernel, err := d.Kernel(program, "trivial")
	if err != nil {
		return 0, err
	}
	defer kernel.Release()
	return kernel.Compiled(0).PreferredMultiple, nil
}

// le reads a little-endian number of 4 or 8 bytes; anything else is 0.
func le(b []byte) uint64 {
	switch len(b) {
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 8:
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// words reads an array of size_t.
func words(b []byte) []int64 {
	const size = int(unsafe.Sizeof(uintptr(0)))
	var out []int64
	for ; len(b) >= size; b = b[size:] {
		out = append(out, int64(le(b[:size])))
	}
	return out
}

// str reads a C string and drops the padding that some drivers put around it.
func str(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return strings.Join(strings.Fields(s), " ")
}
