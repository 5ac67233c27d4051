package evaluate

import (
	"fmt"
	"strings"

	"gpuperf/calibrate"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/models"
	"gpuperf/workload"
)

// overPeak is the share of the peak above which a rate gets a remark. Vendors round by as much, and clocks vary by as much.
const overPeak = 1.01

// Cost is a fitted parameter compared with the peak rate of the device, a line of table 3 of the Perflex paper.
type Cost struct {
	calibrate.Estimate
	Of     []string      // the features that the parameter is the cost of; none if it is not the cost of features alone
	Peak   *machine.Peak // of the device, for the implied rate; nil if unknown
	Remark string        // on a rate above the peak
}

// Share is the implied rate over the peak, 0 if that is unknown.
func (c Cost) Share() float64 {
	if c.Peak == nil {
		return 0
	}
	return c.Rate / c.Peak.Rate
}

// Costs compares the parameters of a fit with the peak rates of the device, which may be nil. The cases are the kernels that the fit was
// made from, and lanes is the size of a sub-group: accesses are counted in them where a feature's identifier leaves the memory space or
// the reuse open.
func Costs(m *models.Model, fit *calibrate.Fit, device *facts.Device, cases []*workload.Case, lanes int) (_ []Cost, err error) {
	defer throw.Catch(&err)
	of, work := m.CostFeatures(), counter{cases, lanes}
	var all []Cost
	for _, e := range fit.Parameters {
		c := Cost{Estimate: e, Of: of[e.Name]}
		ids := throw.Get(features.ParseIDs(c.Of))
		if device != nil && e.RateUnit != "" {
			c.Peak = work.bound(device, ids, e.RateUnit)
		}
		if c.Share() > overPeak {
			c.Remark = work.remark(ids)
		}
		all = append(all, c)
	}
	return all, nil
}

// counter counts features in cases.
type counter struct {
	cases []*workload.Case
	lanes int
}

// shared reports whether work-items share accesses of a feature: those of a sub-group that read one element are counted once for all of them.
func (k counter) shared(id features.ID) (bool, error) {
	if id.Class != features.MemClass && id.Class != features.HoistedClass {
		return false, nil
	}
	together, err := k.count(id)
	if err != nil {
		return false, err
	}
	each, err := counter{k.cases, 1}.count(id)
	return each > together, err
}

// count returns the sum of a feature over the cases.
func (k counter) count(id features.ID) (sum float64, err error) {
	for _, c := range k.cases {
		values, err := c.Features(nil, []features.ID{id}, k.lanes)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c, err)
		}
		sum += values[id.String()]
	}
	return sum, nil
}

// countWith counts the accesses of a feature that also satisfy a condition which its identifier leaves open.
func (k counter) countWith(id features.ID, after, condition string) (float64, error) {
	narrow, err := features.ParseID(after + condition + strings.TrimPrefix(id.String(), after))
	if err != nil {
		return 0, err
	}
	return k.count(narrow)
}

// bound returns the peak of the work that the features count, nil where there is none or they do not share one.
func (k counter) bound(device *facts.Device, ids []features.ID, unit string) *machine.Peak {
	var common *machine.Peak
	for _, id := range ids {
		p, ok, err := k.peak(device, id, unit)
		if err != nil || !ok || p.Unit != unit || common != nil && p.Rate != common.Rate {
			throw.If(err)
			return nil
		}
		common = &p
	}
	return common
}

func (k counter) peak(device *facts.Device, id features.ID, unit string) (p machine.Peak, ok bool, err error) {
	switch id.Class.Work() {
	case features.Arithmetic:
		p, ok = machine.ArithmeticPeak(device, string(id.DType), id.Op, unit)
		return p, ok, nil
	case features.Memory:
		space, err := k.space(id)
		switch space {
		case kernel.Local:
			p, ok = machine.LocalPeak(device)
		case kernel.Global:
			// What each of a sub-group's lanes gets of one element is not moved from memory lane by lane.
			shared, err := k.shared(id)
			p, ok = machine.GlobalPeak(device)
			return p, ok && !shared, err
		}
		return p, ok, err
	}
	return p, false, nil
}

// space returns the memory that a feature's accesses go to, in the cases where its identifier does not say: "" for both or neither.
func (k counter) space(id features.ID) (kernel.Space, error) {
	if space := id.Memory(); space != "" {
		return space, nil
	}
	prefix := "f_mem_access"
	if id.Tag != "" {
		prefix += "_tag:" + id.Tag
	}
	local, err := k.countWith(id, prefix, "_local")
	if err != nil {
		return "", err
	}
	global, err := k.countWith(id, prefix, "_global")
	switch {
	case err != nil:
		return "", err
	case global > 0 && local == 0:
		return kernel.Global, nil
	case local > 0 && global == 0:
		return kernel.Local, nil
	}
	return "", nil
}

// remark says why a rate may be above the peak (Perflex paper, section 8.3, on table 3).
func (k counter) remark(ids []features.ID) string {
	if ids[0].Class.Work() != features.Memory {
		return "more work is counted than is done, or the unit of the parameter is wrong"
	}
	if space, err := k.space(ids[0]); err != nil || space == kernel.Local {
		throw.If(err)
		return "work-items that read one address share an access, or the unit of the parameter is wrong"
	}
	if ids[0].Class == features.FootprintClass {
		return "each element counts once, so that the data may stay in a cache between launches, another term may bear part of the " +
			"cost, or the unit of the parameter is wrong"
	}
	again, total := 0.0, 0.0
	for _, id := range ids {
		a, t := throw.Get2(k.reuse(id))
		again, total = again+a, total+t
	}
	switch {
	case total == 0:
		return "caches may serve these accesses"
	case again == 0:
		return "no element is accessed more than once, so that the data may stay in a cache between launches, another " +
			"term may bear part of the cost, or the unit of the parameter is wrong"
	}
	return fmt.Sprintf("caches serve elements that are accessed more than once, as %.3g %% of these accesses are "+
		"(access-to-footprint ratio over 1)", 100*again/total)
}

// reuse counts the accesses of a feature in the cases, and those of them whose access-to-footprint ratio exceeds one. Both are 0 where
// the identifier has a condition on the ratio that leaves it open.
func (k counter) reuse(id features.ID) (again, total float64, err error) {
	if total, err = k.count(id); err != nil {
		return 0, 0, err
	}
	switch id.AFR {
	case "":
		again, err = k.countWith(id, id.String(), "_afr:>1")
		return again, total, err
	case "1":
		return 0, total, nil
	case ">1":
		return total, total, nil
	}
	return 0, 0, nil
}
