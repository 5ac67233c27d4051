package facts

import "gpuperf/samples"

// told is what a fingerprint tells of a device; 0 is nothing.
type told struct {
	key    Key
	value  int64
	source string
}

// caches are what a fingerprint tells of caches. OpenCL's CL_DEVICE_GLOBAL_MEM_CACHE_SIZE is another cache for each driver of GPUs, but the last
// level of a CPU's.
func caches(f samples.Fingerprint) []told {
	switch {
	case f.Interface == samples.CUDA:
		return []told{{L2Bytes, f.CacheSize, "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE of the device"}}
	case f.Type != "cpu":
		return nil
	case len(f.Caches) == 0:
		return []told{{L2Bytes, f.CacheSize, "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE of the device"}}
	}
	return ofCores(f.Caches, f.ComputeUnits)
}

// ofCores are the caches of a CPU as those of a device whose multiprocessors are its logical processors: L1 is all that a core has of its own, of
// which each of its processors has a part, and L2 the last level.
func ofCores(list []samples.Cache, processors int64) []told {
	const source = "the system's list of caches"
	own, last := list[0], list[len(list)-1]
	for _, c := range list {
		if c.Units == own.Units {
			own.Bytes = max(own.Bytes, c.Bytes)
		}
	}
	return []told{
		{L1Bytes, own.Bytes / own.Units, source + ": the largest that only the processors of one core share, by processors"},
		{L2Bytes, last.Bytes * max(processors/last.Units, 1), source + ": the last level, all of them that the processors have"},
		{LineBytes, last.LineBytes, source},
		{SectorBytes, last.LineBytes, source + ": whole lines are transferred"},
	}
}
