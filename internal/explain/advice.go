package explain

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/features"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/kernel"
	"gpuperf/launch"
)

const (
	worthwhile = 0.1  // share of the time from which on a cost gets advice
	again      = 2.0  // loads of an element from which on it is worth keeping in faster memory
	wasteful   = 0.6  // used share of the moved bytes below which an access is scattered
	nearRoof   = 0.85 // share of the rate of the device from which on there is little to gain
)

// advice is what there is to say beside remedies: that the roof is near, what the compiler made, and, by models that cannot price what a launch would be
// (remedies.go), changes for the costs that matter, the largest first.
func (e *explainer) advice(out *Explanation) error {
	say := func(format string, args ...any) { out.Advice = append(out.Advice, fmt.Sprintf(format, args...)) }
	if out.Roof != nil && out.Roof.Reached > nearRoof && len(out.Remedies) == 0 {
		say("the kernel reaches %.0f %% of the roof (%s): only doing less of that work makes it faster", 100*out.Roof.Reached, out.Roof.Resources[0].Name)
	}
	for _, c := range out.Costs {
		if e.priced || c.Share < worthwhile || c.Parameter == "" {
			continue
		}
		for _, text := range e.hints(c) {
			say("%s (%.0f %% of the time): %s", c.Words, 100*c.Share, text)
		}
	}
	if out.Compiled != nil {
		if text := out.Compiled.advice(); text != "" {
			say("%s", text)
		}
	}
	if n := len(out.Unpriced); n > 0 {
		say("the model has no cost for %s of work of this kernel; another model may count more", format.Count(n, "kind"))
	}
	return nil
}

// hints lists what the counts of a cost's work suggest, once for all arrays that it is the same of.
func (e *explainer) hints(c Cost) []string {
	var out []string
	arrays := map[string][]string{} // by what is suggested of them, with ofArray in place of their names
	for _, id := range c.ids {
		if id.Class == features.GroupsClass && len(c.ids) == 1 {
			out = append(out, "fewer and larger work-groups, or more work in each")
		}
		for _, r := range selected(e.statistics, id, e.Case.Sizes) {
			text := ""
			switch k := r.Key.(type) {
			case features.Mem:
				text = e.memory(k, r)
			case features.Op:
				text = e.operation(k, c)
			case features.Sync:
				text = map[string]string{
					"barrier_local": "fewer barriers: larger tiles between them, or two tiles in turn",
					"kernel_launch": "the launch itself: more work in one launch",
				}[k.Op]
			}
			if text != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
			if m, ok := r.Key.(features.Mem); ok && !slices.Contains(arrays[text], m.Variable) {
				arrays[text] = append(arrays[text], m.Variable)
			}
		}
	}
	return lists.Map(out, func(text string) string {
		return strings.ReplaceAll(text, ofArray, strings.Join(arrays[text], " and "))
	})
}

// ofArray stands for the names of arrays in hints.
const ofArray = "ARRAY"

func (e *explainer) memory(m features.Mem, r features.Record) string {
	if m.Space == kernel.Local {
		return e.bankConflict(m)
	}
	if scattered := e.scattered(m, r); scattered != "" {
		return scattered
	}
	ratio, err := e.statistics.AFR(m, e.Case.Sizes)
	if err != nil {
		return ""
	}
	if n, _ := ratio.Float64(); n >= again && m.Direction == features.Load {
		return fmt.Sprintf("each element of %s is loaded %s times: tiles in local memory or registers would serve it from nearer", ofArray, format.Quantity(n, ""))
	}
	return fmt.Sprintf("each element of %s is moved once, in full sectors: fewer bytes, by a smaller type or a kernel joined to this one", ofArray)
}

// scattered says how many of the bytes that an access moves are used; "" where most are, or nothing is known. An element that a whole
// sub-group shares is no waste.
func (e *explainer) scattered(m features.Mem, r features.Record) string {
	if m.Granularity != features.WorkItem {
		return ""
	}
	sectors, err := e.statistics.Sectors(m, e.Case.Sizes)
	if err != nil || sectors == 0 {
		return ""
	}
	asked, err := r.At(e.Case.Sizes)
	if err != nil {
		return ""
	}
	used := asked * float64(m.DType.Size()) / (launch.SectorBytes * sectors)
	if used >= wasteful {
		return ""
	}
	stride := m.LStrides.Along(0)
	if stride == "1" {
		return fmt.Sprintf("rows of work-items begin and end within sectors of %s, so that they ask for %.0f %% of the bytes in the 32-byte sectors that they touch: wider or aligned rows", ofArray, 100*used)
	}
	return fmt.Sprintf("neighbours along lid(0) are %s elements apart in %s, so that work-items ask for %.0f %% of the bytes in the 32-byte sectors that they touch: let the axis of stride 1 be lid(0)'s, by another layout or mapping",
		stride, ofArray, 100*used)
}

// bankConflict says how many neighbours share a bank of local memory, where the banks of the device are known.
func (e *explainer) bankConflict(m features.Mem) string {
	const fewer = "fewer accesses: keep what is used again in registers"
	if !e.Facts.Known(facts.Banks, facts.BankBytes) {
		return fewer
	}
	stride, ok := new(big.Int).SetString(m.LStrides.Along(0), 10)
	if !ok || !stride.IsInt64() {
		return ""
	}
	words := stride.Int64() * max(m.DType.Size()/e.Facts.Int(facts.BankBytes), 1)
	shared := new(big.Int).GCD(nil, nil, big.NewInt(e.Facts.Int(facts.Banks)), new(big.Int).Abs(big.NewInt(words))).Int64()
	if words == 0 || shared < 2 || m.DType.Size() > e.Facts.Int(facts.BankBytes) && shared == 2 {
		return fewer
	}
	return fmt.Sprintf("neighbours along lid(0) are %s elements apart in %s, so that up to %d of them share a bank: pad the rows by one element", stride, ofArray, shared)
}

func (e *explainer) operation(o features.Op, c Cost) string {
	if _, any := machine.ArithmeticPeak(e.Facts, "float32", "madd", "op/s"); !any {
		return ""
	}
	peak, known := machine.ArithmeticPeak(e.Facts, string(o.DType), o.Op, "op/s")
	if !known {
		return "fewer of these operations, or cheaper ones"
	}
	share := c.Work.Count * float64(e.Lanes) / c.Alone / peak.Rate
	return fmt.Sprintf("at %.0f %% of the peak rate: fewer operations", 100*share)
}
