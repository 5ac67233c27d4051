package modelgen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/features"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// A kernel with too few work-items to fill the device is bound by latency: in each iteration a work-item stalls for its loads and
// for each operation that depends on the one before. Resident work-groups stall at the same time; further ones run in waves. This
// is Little's law (Volkov, Understanding Latency Hiding on GPUs, 2016, chapter 3). GPUs issue in order, so the latencies of
// iterations add up unless the compiler unrolls the loop, which it does with short bodies: then several iterations stall together.
// Loop-carried dependences stall regardless of unrolling.

// waiting describes the latency terms of a model: the loops whose dependence chains matter, those of the subjects and of the
// measurement kernels.
type waiting struct {
	loops    []string // inames
	ops      map[string][]chainKind
	delays   []term            // the latencies of operations
	inLoop   map[string][]term // terms of waiting for loads, by loop
	dtypes   []expr.DType
	shared   bool // some pattern is one element for all work-items
	separate bool // some is not
}

// chainKind is a kind of operation on the longest dependence chain of a loop.
type chainKind struct {
	param   string // of the operation's latency
	kind    string // in identifiers
	carried bool   // it may be on the loop-carried chain
}

// Loops of measurement kernels, and the tags of their loads.
const (
	chainLoop = "link"
	bodyLoop  = "turn"
	turnTag   = "turnLD"
	sharedTag = "sharedLD"
)

// usualWindow is the number of instructions up to which compilers unroll a loop. The linear form assumes it; the other forms fit it,
// starting here. Compilers built on LLVM unroll a loop with an unknown trip count 8 times, or 4 or 2 times where that many copies
// exceed the limit, which is 75 for NVIDIA's (UnrollLoop and getUnrollingPreferences in LLVM).
const usualWindow = 75

// exposed is the share of an iteration's latency that is not hidden by other iterations of the unrolled loop: an eighth in the
// shortest loops, and twice as much beyond an eighth, a quarter and half of the window. The steps are smooth, since instruction
// counts are only nominal, and so that a fit can find the window.
func exposed(body, window string) string {
	steps := lists.Map([]int{8, 4, 2}, func(copies int) string { return fmt.Sprintf("step(log(%d * %s / %s), 3)", copies, body, window) })
	return "2 ** (" + strings.Join(steps, " + ") + ") / 8"
}

// waits reports that some subject may be too small to fill the device, and that the form has a term for its latency.
func waits(subjects []*subject, opt Options) bool {
	if !opt.overlaps() || opt.units() == 0 || opt.small() {
		return false
	}
	return slices.ContainsFunc(subjects, func(s *subject) bool {
		loops, err := s.stats.Loops()
		return err == nil && len(loops) > 0 && s.idle(opt)
	})
}

// addWaiting adds the latency terms: a parameter for each kind of operation on the dependence chains of the subjects' loops, and
// one for each pattern of loads in them. Far has the patterns whose loads take longer when they miss the cache.
func (c *content) addWaiting(subjects []*subject, major, all []*Pattern, far map[*Pattern]bool, ops []operation, opt Options) {
	w := &waiting{ops: map[string][]chainKind{}, inLoop: map[string][]term{}}
	throw.If(w.addChains(subjects, ops))
	if len(w.delays) == 0 {
		return
	}
	c.wait = w
	c.terms = append(c.terms, w.delays...)
	for _, p := range major {
		if p.Direction == features.Load {
			c.addWaits(p, all, far[p])
		}
	}
	if w.separate {
		c.addBodyWait(turnTag, bodyItems, term{param: "p_turn_wait", why: "of waiting for a load of neighbouring elements in body_pattern"})
	}
	if w.shared {
		c.addBodyWait(sharedTag, 1, term{param: "p_shared_wait", misses: true, why: "of waiting for misses of a load of one element for all in body_pattern"})
	}
	for _, loop := range w.loops {
		c.own = append(c.own, ownFeature{
			bodyFeature + loop, fmt.Sprintf("max(1, f_loop_size_iname:%s / max(1, f_loop_trips_iname:%s))", loop, loop), "instructions of an iteration of the loop over " + loop,
		}, ownFeature{
			exposedFeature + loop, exposed(bodyFeature+loop, fmt.Sprint(usualWindow)),
			"the part of what an iteration waits for that does not pass while others wait",
		})
	}
	c.own = append(c.own, ownFeature{
		wavesFeature, fmt.Sprintf("ceil(f_thread_groups / (%d * max(1, min(%s))))", opt.units(), strings.Join(resident(opt), ", ")),
		"how often the device is filled with work-groups",
	})
}

// addChains adds the loops of the subjects with the operations on their dependence chains, and those of the measurement kernels for
// these operations.
func (w *waiting) addChains(subjects []*subject, ops []operation) error {
	for _, s := range subjects {
		loops, err := s.stats.Loops()
		if err != nil {
			return err
		}
		for _, l := range loops {
			w.loops = addOnce(w.loops, l.Iname)
			for _, kind := range l.Path {
				// Without a measurement kernel for it there is no term, as a note says.
				if i := slices.IndexFunc(ops, func(o operation) bool { return o.kind() == kind }); i >= 0 {
					w.addOp(l.Iname, ops[i], slices.Contains(l.Carried, kind))
				}
			}
		}
	}
	// Kernels whose work is removed add up what they load.
	for _, loop := range w.loops {
		for _, o := range ops {
			if o.op == "add" {
				w.addOp(loop, o, true)
			}
		}
	}
	for _, o := range ops {
		if o.like != "" || !w.has(o) {
			continue
		}
		w.addOp(chainLoop, o, true)
		if slices.Contains(bodyFunctions, bodyFunction(o)) {
			w.addOp(bodyLoop, o, o.op == "add")
		}
	}
	w.loops = addOnce(w.loops, chainLoop, bodyLoop)
	return nil
}

// addOp adds an operation to the chain of a loop, and the term for its latency.
func (w *waiting) addOp(loop string, o operation, carried bool) {
	w.dtypes = addOnce(w.dtypes, o.dtype)
	chain := w.ops[loop]
	if at := slices.IndexFunc(chain, func(k chainKind) bool { return k.kind == o.kind() }); at >= 0 {
		chain[at].carried = chain[at].carried || carried
	} else {
		w.ops[loop] = append(chain, chainKind{o.delay(), o.kind(), carried})
	}
	if !w.has(o) {
		w.delays = append(w.delays, term{
			param: o.delay(), features: []string{"f_loop_path_" + o.kind()}, unit: "s per operation in turn", part: latency,
			why: fmt.Sprintf("of waiting for the result of %s in %s", o.measuredOp(), o.dtype),
		})
	}
}

// has reports whether the latency of an operation has a term.
func (w *waiting) has(o operation) bool {
	return slices.ContainsFunc(w.delays, func(t term) bool { return t.param == o.delay() })
}

// addBodyWait adds the wait for the loads of body_pattern with a tag, each of which serves so many work-items.
func (c *content) addBodyWait(tag string, items int, wait term) {
	name := turnsFeature + strings.TrimSuffix(tag, "LD")
	text := fmt.Sprintf("f_mem_access_tag:%s / f_thread_groups", tag)
	if items > 1 {
		text = fmt.Sprintf("f_mem_access_tag:%s / %d / f_thread_groups", tag, items)
	}
	c.own = append(c.own, ownFeature{name, text, "such loads that a work-item makes one after the other"})
	wait.features, wait.unit, wait.part, wait.loop = []string{name}, "s per load in turn", latency, bodyLoop
	c.terms = append(c.terms, wait)
	if wait.misses {
		c.terms = append(c.terms, term{
			param: hitParam, features: []string{name}, unit: wait.unit, part: latency,
			why: "of waiting for the multiprocessor's own cache, by loads of one element for all",
		})
	}
	c.wait.inLoop[bodyLoop] = append(c.wait.inLoop[bodyLoop], wait)
}

// resident lists the limits of resident work-groups of a multiprocessor, as expressions: their number, sub-groups and local memory.
// Registers are no limit: the compiler decides how many it needs, and kernels such as these need at most 32.
func resident(opt Options) []string {
	d := opt.Device.Typical()
	items, most := d.Int(facts.Items), d.Int(facts.Groups)
	// A quotient rounded down is -ceil of its negative.
	out := []string{fmt.Sprint(most), fmt.Sprintf("-ceil(-%d * f_thread_groups / max(f_sub_groups, 1))", items/opt.lanes())}
	if d.Known(facts.LocalBytes, facts.LocalReserved) {
		out = append(out, fmt.Sprintf("-ceil(-%d / (f_local_bytes + %d))", d.Int(facts.LocalBytes), max(d.Int(facts.LocalReserved), 1)))
	}
	return out
}

// delay is the parameter of the operation's latency.
func (o operation) delay() string { return "p_delay_" + strings.TrimPrefix(o.param, "p_") }

// kind names the operation in identifiers of latency features.
func (o operation) kind() string { return string(o.dtype) + "_" + o.op }

// measuredOp is the operation whose cost is measured: the operation itself, or the one that it is like.
func (o operation) measuredOp() string { return cmp.Or(o.like, o.op) }

const (
	bodyFeature    = "f_body_"
	exposedFeature = "f_exposed_"
	wavesFeature   = "f_waves"
	bodyItems      = 32  // of a work-group of body_pattern
	chainItems     = 128 // of a work-group of chain_pattern
)

// addWaits adds the latency of a pattern's loads, in each loop that has some.
func (c *content) addWaits(p *Pattern, all []*Pattern, far bool) {
	w := c.wait
	loops, turns := p.turnsByLoop(all)
	for i, loop := range loops {
		name := turnsFeature + p.Name
		if len(loops) > 1 {
			name += "_" + loop
		}
		c.own = append(c.own, ownFeature{name, turns[i], "such loads that a work-item makes one after the other"})
		wait := term{
			pattern: p, param: "p_" + p.Name + "_wait", features: []string{name}, unit: "s per load in turn", part: latency, loop: loop, optional: true,
			why: "of waiting for " + strings.TrimPrefix(p.describe(), "a "),
		}
		if p.LStrides.Along(0) == "0" {
			wait.misses, wait.why = true, "of waiting for misses of "+strings.TrimPrefix(p.describe(), "a ")
		}
		add := func(t term) {
			w.inLoop[loop] = append(w.inLoop[loop], t)
			c.addTerm(t)
		}
		add(wait)
		if far {
			wait.param, wait.factor, wait.why = wait.param+"_far", farFeature, "more where what the kernel touches exceeds the cache"
			add(wait)
		}
	}
	if len(loops) > 0 {
		if p.LStrides.Along(0) == "0" {
			w.shared = true
		} else {
			w.separate = true
		}
	}
}

// turnsByLoop gives the number of the pattern's loads that a work-item makes one after the other, by loop, as expressions; the
// loads of one iteration are in flight together.
func (p *Pattern) turnsByLoop(all []*Pattern) (loops, turns []string) {
	in := map[string][]string{}
	for _, u := range p.Uses {
		s := u.subject
		for _, m := range u.records {
			loop := s.innermost(m)
			if loop == "" {
				continue
			}
			loops = addOnce(loops, loop)
			in[loop] = addOnce(in[loop], p.perItem(s, m, all))
		}
	}
	for _, loop := range loops {
		turns = append(turns, largest(in[loop])+" / f_thread_groups")
	}
	return loops, turns
}

// innermost is the sequential loop directly around the accesses of a record, "" for none.
func (s *subject) innermost(m features.Mem) string {
	inames := strings.Split(s.loopOf(m), ",")
	loops, err := s.stats.Loops()
	if err != nil {
		return ""
	}
	found := ""
	for _, l := range loops { // outer ones first
		if slices.Contains(inames, l.Iname) {
			found = l.Iname
		}
	}
	return found
}

// The parameters of latency terms that are not costs.
const (
	hitParam    = "p_hit"
	windowParam = "p_window"
	hideParam   = "p_hide"
	meetParam   = "p_meet"
)
