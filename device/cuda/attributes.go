package cuda

import (
	"runtime"
	"unsafe"

	"gpuperf/device"
	"gpuperf/samples"
)

// launchAttribute is a CUlaunchAttribute.
type launchAttribute struct {
	id    uint32
	_     uint32
	value [16]uint32
}

// Attributes of launches (CUlaunchAttributeID).
const (
	launchCooperative = 2
	launchCluster     = 4
)

// launchConfig is a CUlaunchConfig.
type launchConfig struct {
	grid, block [3]uint32
	shared      uint32
	_           uint32
	stream      uintptr
	attributes  uintptr
	count       uint32
	_           uint32
}

// SetAttributes takes what launches and the function have beside their arguments.
func (k *kernel) SetAttributes(a *device.Attributes) error {
	if a == nil {
		return nil
	}
	if a.Begin != nil {
		return device.Errorf(samples.Refused, "work-items under CUDA are numbered from 0")
	}
	if a.Cooperative {
		k.launched = append(k.launched, launchAttribute{id: launchCooperative, value: [16]uint32{1}})
	}
	if len(a.Cluster) > 0 {
		cluster, groups := launchAttribute{id: launchCluster, value: [16]uint32{1, 1, 1}}, int64(1)
		for i, n := range a.Cluster {
			cluster.value[i] = uint32(n)
			groups *= n
		}
		k.launched = append(k.launched, cluster)
		const portable = 8 // work-groups, which every device with clusters runs
		if groups > portable {
			if err := k.do("cuFuncSetAttribute", k.function, functionWide, 1); err != nil {
				return err
			}
		}
	}
	if a.Carveout == nil {
		return nil
	}
	k.carved = true
	return k.do("cuFuncSetAttribute", k.function, functionCarveout, uintptr(*a.Carveout))
}

// enqueueWith launches the kernel with attributes.
func (k *kernel) enqueueWith(pin *runtime.Pinner, groups, group [3]int64, one, all uintptr) error {
	pin.Pin(&k.launched[0])
	c := &launchConfig{
		shared: uint32(k.shared), stream: k.stream, attributes: uintptr(unsafe.Pointer(&k.launched[0])), count: uint32(len(k.launched)),
	}
	for i := range 3 {
		c.grid[i], c.block[i] = uint32(groups[i]), uint32(group[i])
	}
	pin.Pin(c)
	return k.do("cuLaunchKernelEx", uintptr(unsafe.Pointer(c)), k.function, one, all)
}
