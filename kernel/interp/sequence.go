package interp

import (
	"fmt"

	"gpuperf/kernel"
	"gpuperf/kernel/linear"
)

// RunProgram runs the kernels of a program one after the other on the same buffers, and returns a report of each. Scratch
// that has no buffer gets one, undefined at first, so that reading what no kernel has written is an error.
func RunProgram(p *kernel.Program, params map[string]int64, buffers map[string]*Buffer) ([]*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for _, name := range p.Scratch {
		if buffers[name] != nil {
			continue
		}
		a := p.Array(name)
		n, err := a.Elements(params)
		if err != nil {
			return nil, fmt.Errorf("program %s: %w", p.Name, err)
		}
		buffers[name] = NewBuffer(a.DType, int(n))
	}
	var reports []*Report
	for _, k := range p.Kernels {
		n, err := linear.New(k)
		if err != nil {
			return reports, err
		}
		own := map[string]int64{}
		for _, name := range n.Kernel.Params() {
			if v, ok := params[name]; ok {
				own[name] = v
			}
		}
		r, err := Run(n, own, buffers)
		if err != nil {
			return reports, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}
