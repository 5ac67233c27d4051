// Package opencl drives OpenCL devices through the system's libraries, opened at run time, without cgo.
//
// A [Search] finds the platforms: those of the ICD loader (libOpenCL), then those of vendors' drivers that are
// installed though no .icd file names them, as in NVIDIA's containers; without a loader it reads the .icd
// files itself. Every platform carries an api, the addresses of the few functions used here: looked up by
// name in a loader, taken from the dispatch table that the first word of every object points to in a bare driver
// (the layout is fixed by the extension cl_khr_icd). On it stand the queries that describe a device and the driver by which
// package runner runs jobs, timed by the profiling events of a queue.
//
// Drivers can crash and hang, and then take the process along; package measure runs this one in a worker.
package opencl
