// Package fleet does the work of a campaign on many devices.
//
// A [File] lists the work: commands of perf (figures.go). The work is split into shards (shard.go); a [Worker] does a shard on one device. Some work, such as calibrating,
// is done on every device; other work, such as searches, is dealt out among the shards. A worker keeps a journal of its shard, and a data
// directory for each device that it has had, so that it may be killed at any time and nothing of two devices is ever pooled. [File.Status] follows
// the shards, [File.Merge] collects what they have measured: of each device its samples and its profile, and a table that compares the devices.
//
// Shards do not talk to each other. They find each other's results in the output folder, which all hosts must see. How they are started is
// nothing of this package: package internal/fleet/slurm submits them as a job array, and [Run] starts one process for each device of a host.
package fleet
