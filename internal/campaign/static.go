package campaign

import (
	"fmt"
	"io"
	"strings"

	"gpuperf/internal/warning"
	"gpuperf/launch"
	"gpuperf/samples"
	"gpuperf/workload"
)

// Static evaluates the static features of cases.
func Static(cases []*workload.Case, opt launch.Options) (all []*launch.Vector, warnings []string, err error) {
	for _, c := range cases {
		if err := c.CheckSizes(); err != nil {
			return nil, nil, &InputError{err}
		}
		program, err := c.Static(opt)
		if err != nil {
			return nil, nil, err
		}
		v, err := program.At(c.Sizes)
		if err != nil {
			return nil, nil, err
		}
		v.Kernel = c.Name
		if !v.Exact {
			warnings = append(warnings, warning.Estimated.About(c.Name, "work-items differ so much that features are estimated from a sample of them"))
		}
		all = append(all, v)
	}
	return all, warnings, nil
}

// WriteStatic writes the static features of cases.
func WriteStatic(w io.Writer, cases []*workload.Case, all []*launch.Vector) error {
	for i, v := range all {
		fmt.Fprintf(w, "%s%s, %s\n", strings.Repeat("\n", min(i, 1)), v.Kernel, samples.Identity{Source: "at", Sizes: cases[i].Sizes})
		if err := v.Write(w); err != nil {
			return err
		}
	}
	return nil
}
