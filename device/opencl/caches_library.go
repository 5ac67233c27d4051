package opencl

import (
	"runtime"

	"gpuperf/device/dl"
	"gpuperf/samples"
)

// cacheSizes are what sysconf of glibc is asked for the size of the caches of data, innermost first (bits/confname.h, from _SC_LEVEL1_DCACHE_SIZE on). Two
// further on is the length of a line. It asks the processor, where virtual machines and containers hide the list of the operating system.
var cacheSizes = []uintptr{188, 191, 194, 197}

// libraryCaches are the caches that the C library knows. Who shares them it does not say: the last of several is taken for that of all processors,
// those before it for each one's own.
func libraryCaches(sysconf func(name uintptr) int64, processors int64) (list []samples.Cache) {
	for _, name := range cacheSizes {
		if c := (samples.Cache{Bytes: sysconf(name), LineBytes: sysconf(name + 2), Units: 1}); c.Bytes > 0 && c.LineBytes > 0 {
			list = append(list, c)
		}
	}
	if n := len(list); n > 1 {
		list[n-1].Units = max(processors, 1)
	}
	return list
}

// sysconf is that of the C library; it answers 0 where there is no such library.
func sysconf(open dl.Opener) func(name uintptr) int64 {
	if runtime.GOOS == "linux" {
		if lib, err := open([]string{"libc.so.6"}); err == nil {
			return func(name uintptr) int64 {
				value, _ := lib.Do("sysconf", []uintptr{name})
				return int64(value)
			}
		}
	}
	return func(uintptr) int64 { return 0 }
}
