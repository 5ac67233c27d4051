package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/models"
)

// termWords are what the terms of the models that come with the program stand for.
var termWords = map[string]string{
	"gmem":           "global memory",
	"onchip":         "on-chip work",
	"overhead":       "overhead of launches, groups and barriers",
	"dram":           "DRAM",
	"memory":         "DRAM",
	"l2":             "L2",
	"fetch":          "what work-groups fetch",
	"starts":         "starts of work-groups",
	"pipe":           "the path of L1 and local memory",
	"slots":          "issue of instructions",
	"issue":          "issue of instructions",
	"special":        "the unit of functions and conversions",
	"logic":          "the unit of logic and comparisons",
	"products":       "the unit of float64 and integer products",
	"wait":           "waiting for results",
	"latency":        "waiting for results",
	models.WholeTerm: "the rest",
	crowdTerm:        "atomic operations that meet in L2",
	roofTerm:         "the roof of the device, which the model does not know",
}

// workWords are short words for what totals of static features count.
var workWords = map[string]string{
	"launches":              "launches",
	"groups":                "work-groups",
	"sub_groups":            "sub-groups",
	"data_bytes":            "data that is touched",
	"tile_bytes":            "what work-groups fetch, each its own",
	"dram_read_unit_bytes":  "reads",
	"dram_write_unit_bytes": "writes",
	"dram_pages":            "changes of place in DRAM",
	"l2_load_bytes":         "loads",
	"l2_load_lines":         "requests of loads",
	"l2_store_bytes":        "stores",
	"l2_store_lines":        "requests of stores",
	"wavefronts":            "cycles of the banks",
	"lines":                 "lines that are looked up",
	"store_lines":           "lines that are stored to",
	"accesses":              "loads and stores",
	"global_accesses":       "loads and stores of global memory",
	"local_accesses":        "loads and stores of local memory",
	"addresses":             "addresses",
	"arithmetic":            "arithmetic",
	"half_ops":              "float16 arithmetic",
	"single_ops":            "float32 arithmetic",
	"double_ops":            "float64 arithmetic",
	"double_extremes":       "minima and maxima of float64",
	"integer_ops":           "integer additions",
	"integer_products":      "integer products",
	"logic_ops":             "integer logic",
	"divisions":             "divisions",
	"float_divisions":       "float divisions",
	"double_divisions":      "float64 divisions",
	"integer_divisions":     "integer divisions",
	"functions":             "functions",
	"roots":                 "roots",
	"double_roots":          "float64 roots",
	"float_functions":       "functions",
	"double_functions":      "float64 functions",
	"powers":                "powers",
	"periodic_functions":    "sines and cosines",
	"conversions":           "conversions",
	"double_conversions":    "conversions of 64 bits",
	"control":               "loops, guards and selects",
	"turns":                 "iterations of loops",
	"entries":               "starts of loops",
	"conditions":            "conditions",
	"divergences":           "diverging sub-groups",
	"selects":               "selects",
	"barriers":              "barriers",
	"phases":                "barriers in turn",
	"axes":                  "indices of work-items",
	"rounds":                "loads in turn",
	"load_rounds":           "loads in turn",
	"fresh_rounds":          "loads in turn of what is new",
	"l2_rounds":             "loads in turn from L2",
	"dram_rounds":           "loads in turn from DRAM",
	"chain_cycles":          "chains of dependent operations",
	"turnover":              "changes of work-groups",
	"sub_group_share":       "few sub-groups on a multiprocessor",
	"code_accesses":         "loads and stores of the machine code",
	"code_half":             "float16 instructions",
	"code_single":           "float32 instructions",
	"code_double":           "float64 instructions",
	"code_integer":          "integer instructions",
	"code_logic":            "instructions of logic",
	"code_conversions":      "instructions of conversions",
	"code_special":          "instructions of functions",
	"code_barriers":         "instructions of barriers",
}

// classWords are short words for what classes of features count without records.
var classWords = map[features.Class]string{
	features.GroupsClass:      "work-groups",
	features.SubGroupsClass:   "sub-groups",
	features.LocalBytesClass:  "bytes of local memory of a work-group",
	features.LoopTripsClass:   "iterations of loops",
	features.LoopSizeClass:    "instructions of loops",
	features.LoopPathClass:    "operations that an iteration waits for in turn",
	features.LoopCarriedClass: "operations that iterations wait for in turn",
}

// selected lists the records that a feature selects; none if an error prevents it.
func selected(s *features.Statistics, id features.ID, sizes map[string]int64) []features.Record {
	if classWords[id.Class] != "" {
		return nil
	}
	at, err := s.Selected(id, sizes)
	if err != nil {
		return nil
	}
	return lists.Map(at, func(i int) features.Record { return s.Records[i] })
}

// Words says what features count of a kernel at the sizes: accesses by their arrays, operations and totals by their names. It is "" where there is none of that.
func Words(s *features.Statistics, sizes map[string]int64, ids []features.ID) string {
	var words []string
	arrays := map[string][]string{} // by the words before and after them
	add := func(text string) {
		if text != "" && !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	for _, id := range ids {
		if id.Class == features.StaticClass {
			add(cmp.Or(workWords[id.Op], strings.ReplaceAll(id.Op, "_", " ")))
			continue
		}
		for _, r := range selected(s, id, sizes) {
			switch k := r.Key.(type) {
			case features.Op:
				add(fmt.Sprintf("%s %s", k.DType, k.Op))
			case features.Mem:
				text := fmt.Sprintf("%ss of %%s", k.Direction)
				if k.Space != kernel.Global {
					text += fmt.Sprintf(" in %s memory", k.Space)
				}
				if !slices.Contains(arrays[text], k.Variable) {
					arrays[text] = append(arrays[text], k.Variable)
				}
				add(text)
			case features.Sync:
				add(strings.ReplaceAll(k.Op, "_", " "))
			}
		}
		if len(ids) == 1 {
			add(classWords[id.Class])
		}
	}
	for i, text := range words {
		if of := arrays[text]; of != nil {
			words[i] = fmt.Sprintf(text, strings.Join(of, " and "))
		}
	}
	return strings.Join(words, ", ")
}
