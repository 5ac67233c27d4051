package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuperf/emulate"
	"gpuperf/emulate/timing"
	"gpuperf/launch"
	"gpuperf/search/params"
)

// next is the configuration that the bottleneck of another one asks for (algorithm 3); nil for none.
func (s *walker) next(now *Seen) (Configuration, string) {
	b := now.result.Bottleneck
	if b.Kind == emulate.Latency {
		if to, why := s.busier(now, b.Unit); to != nil {
			return to, why
		}
	}
	return s.fewer(now, b.Unit)
}

// unit is what a step in one direction changes: one parameter has its next value.
type unit struct {
	parameter int
	factor    float64 // of the parameter
	from, to  *Seen
}

// units emulates the configurations one step away.
func (s *walker) units(now *Seen) (list []unit) {
	for p := range s.Parameters {
		to := s.fitted(now.Configuration, p, 1)
		if c := s.look(to, "unit step", false); c != nil {
			list = append(list, unit{p, float64(to[p]) / float64(now.Configuration[p]), now, c})
		}
	}
	return list
}

// fitted moves a parameter; where values then do not go together, another parameter of the launch is made less for it.
func (s *walker) fitted(c Configuration, parameter, steps int) Configuration {
	if to := s.moved(c, parameter, steps); to != nil {
		return to
	}
	values := s.Parameters[parameter].Values
	at := slices.Index(values, c[parameter]) + steps
	if at < 0 || at >= len(values) {
		return nil
	}
	for q := range s.Parameters {
		less := slices.Index(s.Parameters[q].Values, c[q]) - 1
		if q == parameter || s.Parameters[q].Compiled || less < 0 {
			continue
		}
		out := slices.Clone(c)
		out[parameter], out[q] = values[at], s.Parameters[q].Values[less]
		if s.Has(out) {
			return out
		}
	}
	return nil
}

// busier goes in the directions in which the unit that is waited for would be busiest, of the same transactions, as far as it then is busy all the
// time: by the least K with U + dU (K - 1) >= 1 in the best direction, and where the space has no such K, further in the next best one. U is
// that of the start times by how much faster a configuration is: what one direction saves of the transactions then counts for it.
func (s *walker) busier(now *Seen, u timing.Unit) (Configuration, string) {
	to, have, names := now.Configuration, max(now.result.Utilization[u], 0.01), []string(nil)
	for _, step := range s.byGain() {
		gain := step.gain()
		if !s.Parameters[step.parameter].Compiled || gain <= 0 || have >= 1 {
			continue
		}
		k := math.Ceil((1/have-1)/gain) + 1
		for next := s.times(to, step.parameter, max(k, step.factor)); next != nil; next = s.moved(next, step.parameter, -1) {
			if next[step.parameter] <= to[step.parameter] {
				break
			}
			if s.needed(next) > mostRegisters {
				continue
			}
			have *= 1 + gain*(float64(next[step.parameter])/float64(to[step.parameter])-1)
			to, names = next, append(names, s.Parameters[step.parameter].Name)
			break
		}
	}
	if names == nil || s.codes[s.code(to)] {
		return nil, ""
	}
	return to, fmt.Sprintf("%s keep %s busy, whose latency is waited for", strings.Join(names, ", "), u)
}

// gain is by how much a step from the start is faster, in parts.
func (u *unit) gain() float64 { return u.from.Seconds/u.to.Seconds - 1 }

// byGain are the steps from the start, the best first.
func (s *walker) byGain() []unit {
	steps := slices.Clone(s.steps)
	slices.SortStableFunc(steps, func(a, b unit) int { return cmp.Compare(b.gain(), a.gain()) })
	return steps
}

// mostRegisters is beyond what compilers keep values in registers.
const mostRegisters = 255

// fewer asks the unit that is busy for less: of the configurations whose registers leave as many work-groups at once as it takes for another
// bottleneck, that with the fewest transactions, by what single steps from the start change.
func (s *walker) fewer(now *Seen, u timing.Unit) (best Configuration, why string) {
	most := max(s.registers(now), used(now))
	least := s.share(now.Configuration, u) * fewEnough
	var walk func(p int, c Configuration)
	walk = func(p int, c Configuration) {
		if p < len(s.Parameters) {
			if !s.Parameters[p].Compiled {
				walk(p+1, c)
				return
			}
			for _, v := range s.Parameters[p].Values {
				if v < now.Configuration[p] { // coarser alone shares more
					continue
				}
				to := slices.Clone(c)
				to[p] = v
				walk(p+1, to)
			}
			return
		}
		if to := s.lessened(c); to != nil && !s.codes[s.code(to)] && s.needed(to) <= most {
			if share := s.share(to, u); share < least {
				best, least = to, share
			}
		}
	}
	walk(0, now.Configuration)
	return best, fmt.Sprintf("fewer transactions of %s, which is busy", u)
}

// fewEnough is the part of the transactions that a move leaves at most.
const fewEnough = 0.95

// lessened is a configuration that the space has, with less of the parameters of the launch where it does not have the one given.
func (s *walker) lessened(c Configuration) Configuration {
	for !s.Has(c) {
		at := -1
		for p := range s.Parameters {
			if !s.Parameters[p].Compiled && c[p] > s.Parameters[p].Values[0] && (at < 0 || s.Parameters[p].Role == params.Places && s.Parameters[at].Role != params.Places || c[p] > c[at]) {
				at = p
			}
		}
		if at < 0 {
			return nil
		}
		c = slices.Clone(c)
		c[at] = s.Parameters[at].Values[slices.Index(s.Parameters[at].Values, c[at])-1]
	}
	return c
}

// share is which part of the transactions of a unit remains of those of the start. What neighbours have in common is saved by all but one.
func (s *walker) share(c Configuration, u timing.Unit) float64 {
	share := 1.0
	for _, step := range s.steps {
		saved := 1 - transactions(step.to, u)/max(transactions(step.from, u), 1)
		if f := float64(c[step.parameter]) / float64(step.from.Configuration[step.parameter]); f > 1 {
			share *= max(1-saved*(1-1/f)/(1-1/step.factor), 1/f)
		}
	}
	return share
}

// needed are the registers of a work-item, by what single steps from the start add.
func (s *walker) needed(c Configuration) float64 {
	registers := 0.0
	for i, step := range s.steps {
		if i == 0 {
			registers = used(step.from)
		}
		more := max(used(step.to)-used(step.from), 0) / used(step.from)
		if f := float64(c[step.parameter]) / float64(step.from.Configuration[step.parameter]); f > 1 {
			registers *= 1 + more*(f-1)/(step.factor-1)
		}
	}
	return registers
}

// registers are those that work-items may have: with as many work-groups at once as it takes for another bottleneck.
func (s *walker) registers(now *Seen) float64 {
	r := now.result
	for n := r.Blocks; n > 1; n-- {
		if r.BottleneckAt(n-1) == r.Bottleneck {
			continue
		}
		for registers := int64(255); registers > 0; registers-- {
			if room, _ := r.Room(func(g *launch.Group) { g.Registers = registers }); room >= n-1 {
				return float64(registers)
			}
		}
	}
	return 255
}

// transactions are the cycles for which a unit is busy.
func transactions(c *Seen, u timing.Unit) float64 { return c.result.Utilization[u] * c.result.Cycles }

// used are the registers of a work-item.
func used(c *Seen) (n float64) {
	c.result.Room(func(g *launch.Group) { n = float64(g.Registers) })
	return max(n, 1)
}
