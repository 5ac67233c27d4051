package explain

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/internal/lists"
	"gpuperf/internal/rows"
	"gpuperf/kernel"
)

//go:embed words.txt
var words string

// termWords are what the terms of the models that come with the program stand for, workWords short words for what totals of static features count.
var termWords, workWords = func() (terms, work map[string]string) {
	terms, work = map[string]string{}, map[string]string{}
	for r := range rows.Of(words) {
		map[string]map[string]string{"term": terms, "work": work}[r[0]][r[1]] = r[2]
	}
	return terms, work
}()

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
