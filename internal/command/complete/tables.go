package complete

import (
	_ "embed"
	"slices"
	"strings"

	"gpuperf/device/replay"
	"gpuperf/emulate/launches"
	"gpuperf/internal/frontend"
	"gpuperf/internal/lists"
	"gpuperf/internal/rows"
	"gpuperf/internal/tune"
	"gpuperf/launchfile"
	"gpuperf/launchfile/draft"
	"gpuperf/lift/explore"
	"gpuperf/lift/export"
	"gpuperf/models"
	"gpuperf/models/library"
	"gpuperf/samples/exchange"
	"gpuperf/scop/compile"
	"gpuperf/scop/offload"
	"gpuperf/scop/schedule"
	"gpuperf/search"
)

// arguments are what completes the words of lines of usage.
var arguments = map[string]offer{
	"KERNEL":        kernels(frontend.Extensions()...),
	"KERNEL.star":   kernels(".star"),
	"FILE.c":        files(".c"),
	"MODEL":         either(fixed(library.All.Names), files(".yaml")),
	"NAME":          fixed(library.All.Names),
	"TAG":           tags,
	"FEATURE":       featureIDs,
	"SUITE.yaml":    files(".yaml"),
	"CAMPAIGN.yaml": files(".yaml"),
	"LAUNCH.yaml":   files(launchfile.Extensions...),
	"PROG.lift":     files(".lift"),
	"DB.jsonl":      files(".jsonl", ".jsonl.gz"),
	"SAMPLES.jsonl": files(".jsonl", ".jsonl.gz"),
	"PROFILE":       either(profileNames, files(".yaml")),
	"FILE.yaml":     files(".yaml"),
	"FILE":          files(".csv", ".json"),
	"LISTING|CUBIN": files(".sass", ".cubin"),
	"DIR":           files(),
	"COMMAND":       commands,
	"PAGE":          pages,
	"ENTRY":         entries,
}

// forms are the forms that models are fitted in.
var forms = either(words(models.Forms), words([]string{"auto"}))

// flags are what completes flags, of one command or of all that have one of the name.
var flags = map[string]offer{
	"--device":    either(devices, prefixed(replay.Prefix, files(".jsonl", ".jsonl.gz"))),
	"--interface": words([]string{"cuda", "opencl"}),
	"--hardware":  factSheets,
	"--on":        either(factSheets, files(".yaml")),
	"--like":      factSheets,
	"--profile":   either(profileNames, files(".yaml")),
	"--model":     modelsOfProfile,
	"--tag":       anyTag,
	"--match":     words(models.Matches),
	"--cache":     words([]string{"warm", "cold", "both"}),
	"--remeasure": either(words([]string{"all"}), anyTag),
	"--param":     sizesOfKernel,
	"--size":      sizesOfKernel,
	"--for":       kernels(".star"),
	"--kernel":    functions,
	"--against":   either(kernels(frontend.Extensions()...), anyTag),
	"--order":     words(append(search.Names(nil), explore.Strategies()...)),
	"--ranker":    rankers,
	"--as":        words([]string{"nest", "ir", "opencl", "cuda"}),
	"--data":      either(files(".csv"), files(".jsonl", ".jsonl.gz")),
	"--expect":    prefixed("out=", files(".npy")),
	"--fusion":    words(schedule.Fusions),
	"--paths":     words(launches.Paths),
	"--from":      words(append(slices.Clone(launches.Origins), "model")),

	"calibrate --model":        forms,
	"emulate --from":           words(launches.Origins),
	"fit --model":              forms,
	"evaluate --model":         forms,
	"export --as":              words(exchange.Names(exchange.Exports)),
	"import --as":              words(exchange.Names(exchange.Imports)),
	"init launch --from":       files(draft.Extensions()...),
	"init launch --kernel":     sourceKernels,
	"init launch --output":     files(launchfile.Extensions...),
	"samples show --kernel":    words([]string{}),
	"scop schedule --strategy": fixed(schedule.Strategies),
	"--objective":              fixed(tune.AllObjectives),
	"tune --over":              fixed(tune.AllOvers),
	"tune --strategy":          words(append(search.Names(nil), explore.Strategies()...)),
	"tune --device":            either(devices, words([]string{"all"})),
	"tune --schedules":         fixed(offload.AllSchedules),
	"scop compile --as":        words(compile.Languages),
	"lift explore --device":    either(devices, words([]string{"all"})),
	"lift emit --as":           either(fixed(export.Languages), words([]string{"ir", "lift", "derivation"})),
	"lift export --as":         fixed(export.Languages),
}

//go:embed files.txt
var fileFlags string

func init() {
	for r := range rows.Of(fileFlags) {
		flags[r[0]] = files(strings.Fields(r.At(1))...)
	}
}

// fixed offers the words of a list, which need not be those that have been begun.
func fixed(list func() []string) offer { return func(*call, string) []string { return list() } }

// words is fixed for a list at hand.
func words[T ~string](list []T) offer {
	return func(*call, string) (all []string) {
		return lists.Map(list, func(w T) string { return string(w) })
	}
}

// either offers what several do.
func either(offers ...offer) offer {
	return func(c *call, begun string) (all []string) {
		return lists.Flat(offers, func(o offer) []string { return o(c, begun) })
	}
}
