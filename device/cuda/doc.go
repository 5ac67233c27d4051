// Package cuda drives NVIDIA's GPUs through libcuda, opened at run time, without cgo, and compiles CUDA C with NVRTC.
//
// api.go calls the functions of the two libraries and describes the devices, errors.go says what their errors mean for a job.
// driver.go, kernel.go and compile.go are the driver by which package runner runs jobs. A launch is timed by two events; a kernel that
// waits for the host holds the stream until both and the launch are enqueued, so that the time between them is that of the device
// alone (hold.go).
package cuda
