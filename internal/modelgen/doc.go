// Package modelgen goes from kernels to a model file and the measurement kernels that predict them.
//
// Make finds the patterns in which the kernels access global memory (patterns.go), the operations, accesses to local memory
// and barriers (onchip.go), chooses sizes around those asked for (sizes.go), isolates each pattern by removing
// the rest of the work (isolate.go; Stevens and Klöckner, section 7.1.1), writes a term for each cost (terms.go), and for what
// work-items wait for where they are too few for the device (latency.go), and leaves out terms that these measurements could
// not tell apart (identify.go). The result is the text of a model file (write.go), which people can read and edit. Cases
// (cases.go) turns an item of a measure section into kernels. The package runs nothing.
package modelgen
