package explore

import (
	"fmt"

	"gpuperf/lift/derive"
	"gpuperf/workload"
)

// VariantJSON is a variant in the form in which it is printed as JSON.
type VariantJSON struct {
	ID       string           `json:"id"`
	Term     string           `json:"term"`
	Steps    []string         `json:"steps"`
	Skeleton string           `json:"skeleton"`
	Recipe   string           `json:"recipe"`
	Numbers  map[string]int64 `json:"numbers,omitempty"`
}

// JSON is the variant in that form.
func JSON(v *derive.Variant) VariantJSON {
	out := VariantJSON{ID: v.ID, Term: v.Program.BodyText(), Steps: []string{}, Skeleton: v.Skeleton, Recipe: v.Recipe, Numbers: v.Numbers}
	for _, s := range v.Steps {
		out.Steps = append(out.Steps, s.String())
	}
	return out
}

// Text names the reference and the sizes at which it was compared with the semantics of the program; nil if it was not.
func (r *Reference) Text(verified map[string]int64) string {
	text := fmt.Sprintf("variant %s (%s)", r.Variant.ID, r.Variant.Recipe)
	switch {
	case verified == nil:
		return text
	case len(verified) == 0:
		return text + ", which is right"
	}
	return text + ", which is right at " + workload.FormatSizes(verified)
}
