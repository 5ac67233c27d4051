package modelgen

import (
	"fmt"
	"io"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
)

// JSON is what would be measured, for machines. The path is that of the model's file, "" for none.
func (s *Set) JSON(path string) any {
	all := []map[string]any{}
	for _, p := range s.Planned {
		all = append(all, map[string]any{"kernel": p.Identity, "estimated_seconds": p.Seconds})
	}
	return map[string]any{"model": path, "kernels": all, "estimated_seconds": s.seconds(), "notes": s.Notes}
}

func (s *Set) seconds() (total float64) {
	return lists.Sum(s.Planned, func(p Planned) float64 { return p.Seconds })
}

// Write lists what would be measured.
func (s *Set) Write(w io.Writer, path string) error {
	t := format.NewTable("kernel", "sizes", ">estimated time")
	for _, p := range s.Planned {
		t.Row(p.Program(), format.Sizes(p.Sizes), format.Seconds(p.Seconds))
	}
	t.Write(w)
	if path != "" {
		path = "; model: " + path
	}
	_, err := fmt.Fprintf(w, "%s, %s for one of each%s\n", format.Count(len(s.Planned), "launch"), format.Seconds(s.seconds()), path)
	return err
}
