// Package samples records measurements of kernels in an append-only journal that several tools can read.
//
// A [Record] is one kernel at one size: an [Identity] that survives edits of the kernel, the hash of what was
// generated beside it, every raw trial, their [Summary], a [Status], and the [Fingerprint] of the device. A
// [Journal] is a file of such records, one JSON object a line, written record by record, so that a killed run
// loses nothing that was finished; [Load] opens it for reading. [Set.Find] tells a fresh sample from a stale one. A
// journal is read strictly: anything that is not a record of a known version, or not of the same device as the
// records before it, is an error with its line. Schema is the JSON schema of a line.
//
// The package runs nothing and fits nothing, and it does not average: a summary is order statistics.
package samples
