package draft

import (
	"path/filepath"
	"strings"

	"gpuperf/internal/cname"
	"gpuperf/internal/format"
	"gpuperf/samples/exchange"
)

// readRecorded reads the launches that Nsight Compute has exported. Their names are demangled, with the types of the parameters.
func readRecorded(path, _ string) (kernels []Kernel, err error) {
	_, records, _, err := exchange.Import(path, "ncu")
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		k := Kernel{Dims: 1, Block: r.Local}
		for i, items := range r.Global {
			k.Grid = append(k.Grid, items/r.Local[i])
			if items > 1 {
				k.Dims = i + 1
			}
		}
		k.Grid, k.Block = k.Grid[:k.Dims], k.Block[:k.Dims]
		var params []string
		k.Name, params = cname.Split(strings.ReplaceAll(r.Kernel.Source, "<unnamed>::", ""))
		for _, p := range params {
			if one, ok := readParam(p, nil); ok {
				k.Params = append(k.Params, one)
			}
		}
		k.Params = named(k.Params)
		k.Notes = []string{"ND-range as in " + filepath.Base(path) + ", which has " + format.Count(len(r.Trials), "launch") + " of it"}
		kernels = append(kernels, k)
	}
	return kernels, nil
}
