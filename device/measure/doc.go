// Package measure runs kernels in a worker process and keeps what they took.
//
// Drivers hang and crash, and a kernel under test may take them there; so the process that plans the work never touches a
// device. [Open] starts a worker, which is the program's own executable with a hidden argument that leads to
// [WorkerMain], and returns a [Remote]: a device.Device that passes jobs on as JSON lines, kills a worker
// that has not answered by the deadline, and starts another one. What happened is a typed status of the job. [Sweep]
// takes a list of tasks through any device.Device, remote or replayed, skips what its journal already has,
// checks outputs before times count, and appends every answer to the journal at once.
//
// It knows nothing of kernels but their jobs, and prints nothing: progress is a callback.
package measure
