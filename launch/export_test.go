package launch

import (
	"gpuperf/launch/machine"
	"gpuperf/samples"
)

// Executed is what a sub-group executes of machine code, in the mean.
func (p *Program) Executed(sizes map[string]int64, code *samples.Code) (*machine.Counts, error) {
	r, err := p.collect(sizes, &stream{compiled: &samples.Compiled{Code: code}, parts: p.newParts()})
	if err != nil {
		return nil, err
	}
	c, err := r.executed()
	if err != nil {
		return nil, err
	}
	for class := range c.Classes {
		c.Classes[class] /= float64(r.numGroups() * r.subgroups())
	}
	return c, nil
}
