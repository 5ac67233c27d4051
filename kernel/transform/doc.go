// Package transform holds the transformations of kernels, one per file. Each takes a kernel and returns a new one that
// computes the same result. If that is impossible, or the request makes no sense, it returns an error that names the iname,
// statement or access. Prepare applies those that every kernel needs before it is counted or run.
//
// The names follow Loopy's. The table of package kernel/script makes them available to kernel scripts.
package transform
