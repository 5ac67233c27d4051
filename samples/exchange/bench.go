package exchange

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"gpuperf/samples"
)

// writeBench writes Go's benchmark format (golang.org/design/14313-benchmark-format): lines of configuration for the device, and a line
// for each trial, so that benchstat finds medians and intervals itself. The name of a benchmark consists of keys and values, by which
// benchstat selects and compares: `benchstat -col /kernel`.
func writeBench(w io.Writer, records []*samples.Record) error {
	out := bufio.NewWriter(w)
	var last []string
	for _, r := range records {
		config := []string{
			"device: " + r.Device.Name, "platform: " + r.Device.Platform, "interface: " + r.Device.Interface.String(), "driver: " + r.Device.Driver,
			"origin: " + origin(r),
		}
		for i, line := range config {
			if last == nil || last[i] != line {
				fmt.Fprintln(out, strings.TrimRight(line, " "))
			}
		}
		last = config
		for _, t := range r.Trials {
			if r.Status == samples.OK {
				fmt.Fprintf(out, "%s 1 %.9g ns/op\n", benchName(r), 1e9*t)
			}
		}
	}
	return out.Flush()
}

func origin(r *samples.Record) string {
	if r.Origin == "" {
		return "perf"
	}
	return r.Origin
}

// benchName is like "BenchmarkKernel/kernel=matmul.star#tiled/n=1024/cache=warm". It ends in no number after a hyphen, which would be
// taken for a number of processors.
func benchName(r *samples.Record) string {
	id := r.Kernel
	name := word("kernel=" + program(r))
	for _, k := range slices.Sorted(maps.Keys(id.Args)) {
		name += "/" + word(k+"="+id.Args[k])
	}
	for _, k := range slices.Sorted(maps.Keys(id.Sizes)) {
		name += "/" + word(fmt.Sprintf("%s=%d", k, id.Sizes[k]))
	}
	return "BenchmarkKernel/" + name + "/cache=" + string(r.Mode)
}

// word replaces what separates the parts of a line or of a name.
func word(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '/' || unicode.IsSpace(c) {
			return '_'
		}
		return c
	}, text)
}
