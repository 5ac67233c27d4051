package cuda

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"gpuperf/device"
	"gpuperf/samples"
)

// Attributes of devices (CUdevice_attribute). The numbers are those of cuda.h.
const (
	maxThreadsPerBlock   = 1
	maxBlockDimX         = 2
	maxSharedPerBlock    = 8
	warpSize             = 10
	maxRegistersPerBlock = 12
	clockRate            = 13 // kHz
	multiprocessors      = 16
	memoryClockRate      = 36 // kHz
	memoryBusWidth       = 37 // bits
	l2CacheSize          = 38
	maxThreadsPerSM      = 39
	computeMajor         = 75
	computeMinor         = 76
	maxSharedPerSM       = 81
	maxRegistersPerSM    = 82
	maxSharedPerBlockOpt = 97
	eventResolution      = 500 // ns: that of the events, as the documentation of cuEventElapsedTime has it
	platform             = "CUDA"
)

// count is the number of devices.
func (a *api) count() (int, error) {
	n, err := get[int32](a, "cuDeviceGetCount")
	return int(n), err
}

// attribute is an attribute of a device, 0 where the driver does not know it.
func (a *api) attribute(dev uintptr, attribute uintptr) int64 {
	v, _ := get[int32](a, "cuDeviceGetAttribute", attribute, dev)
	return int64(v)
}

// describe asks a device for everything that Info holds.
func (a *api) describe(index int) (dev uintptr, info device.Info, err error) {
	d, err := get[int32](a, "cuDeviceGet", uintptr(index))
	if err != nil {
		return 0, info, err
	}
	dev = uintptr(d)
	ask := func(attribute uintptr) int64 { return a.attribute(dev, attribute) }
	info.Interface, info.Platform, info.Library = samples.CUDA, platform, a.Name
	info.Vendor, info.Type = "NVIDIA Corporation", "gpu"
	if info.Name, err = a.text("cuDeviceGetName", 256, dev); err != nil {
		return 0, info, err
	}
	version, _ := get[int32](a, "cuDriverGetVersion")
	info.PlatformVersion = fmt.Sprintf("CUDA %d.%d", version/1000, version%1000/10)
	info.DeviceVersion = fmt.Sprintf("compute capability %d.%d", ask(computeMajor), ask(computeMinor))
	info.Architecture = fmt.Sprintf("sm_%d%d", ask(computeMajor), ask(computeMinor))
	info.ComputeUnits, info.ClockMHz = ask(multiprocessors), ask(clockRate)/1000
	memory, _ := get[uint64](a, "cuDeviceTotalMem_v2", dev)
	info.GlobalMem, info.MaxAlloc = int64(memory), int64(memory)
	info.LocalMem, info.CacheSize = ask(maxSharedPerBlock), ask(l2CacheSize)
	info.MaxWorkGroup = ask(maxThreadsPerBlock)
	info.MaxWorkItems = []int64{ask(maxBlockDimX), ask(maxBlockDimX + 1), ask(maxBlockDimX + 2)}
	info.SubgroupSize, info.SubgroupSource = ask(warpSize), "CU_DEVICE_ATTRIBUTE_WARP_SIZE"
	info.TimerNS = eventResolution
	info.CUDA = &device.CUDA{
		LocalMemOptIn: ask(maxSharedPerBlockOpt), LocalMemPerUnit: ask(maxSharedPerSM),
		Registers: ask(maxRegistersPerBlock), RegistersPerUnit: ask(maxRegistersPerSM), WorkItemsPerUnit: ask(maxThreadsPerSM),
		MemoryClockMHz: ask(memoryClockRate) / 1000, MemoryBusBits: ask(memoryBusWidth),
	}
	a.describePlace(dev, &info)
	return dev, info, nil
}

// describePlace asks for what tells a device from others of its model.
func (a *api) describePlace(dev uintptr, info *device.Info) {
	var pin runtime.Pinner
	defer pin.Unpin()
	uuid := new([16]byte)
	pin.Pin(uuid)
	if a.do("cuDeviceGetUuid_v2", uintptr(unsafe.Pointer(uuid)), dev) == nil {
		info.UUID = hex.EncodeToString(uuid[:])
	}
	if pci, err := a.text("cuDeviceGetPCIBusId", 32, dev); err == nil {
		info.PCI = strings.ToLower(pci)
	}
}
