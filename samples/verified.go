package samples

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/lists"
)

// Comparison is one run whose results agreed with a reference.
type Comparison struct {
	Sizes  map[string]int64 `json:"sizes,omitempty"`
	Groups int64            `json:"groups,omitempty"` // work-groups whose results were compared; 0 is all
	Of     int64            `json:"of,omitempty"`     // work-groups of the launch
	// Tolerance is the largest difference that was allowed, relative to the usual magnitude of the elements of an array; 0 where
	// results had to be equal.
	Tolerance float64 `json:"tolerance,omitempty"`
	Reference string  `json:"reference,omitempty"` // what gave the right results; "" is the interpreter
}

// String is like "n=4096: 5 of 256 work-groups within 2e-06".
func (c Comparison) String() string {
	text := lists.Join(slices.Sorted(maps.Keys(c.Sizes)), " ", func(name string) string { return fmt.Sprintf("%s=%d", name, c.Sizes[name]) })
	if text != "" {
		text += ": "
	}
	switch {
	case c.Groups == 0 || c.Groups == c.Of:
		text += "all results"
	default:
		text += fmt.Sprintf("%d of %d work-groups", c.Groups, c.Of)
	}
	if c.Tolerance > 0 {
		text += fmt.Sprintf(" within %.1g", c.Tolerance)
	}
	if c.Reference != "" {
		text += " of " + c.Reference
	}
	return text
}

func (c Comparison) check() error {
	if c.Groups < 0 || c.Of < c.Groups || !(c.Tolerance >= 0) {
		return fmt.Errorf("%d of %d work-groups within %g are no comparison", c.Groups, c.Of, c.Tolerance)
	}
	return nil
}

// Verification says how the results of the kernel were compared with a reference, or why not.
func (r Record) Verification() string {
	list := lists.Map(r.Verified, Comparison.String)
	switch {
	case r.Unverified != "" && len(list) > 0:
		list = append(list, r.Unverified)
	case r.Unverified != "":
		list = append(list, "not verified: "+r.Unverified)
	case len(list) == 0:
		list = append(list, "not verified: the sample does not say")
	}
	return strings.Join(list, "; ")
}
