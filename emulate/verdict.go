package emulate

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
	"gpuperf/emulate/trace"
	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/sass"
)

// Status is what kind of a time emulation gives.
type Status string

// The kinds of times.
const (
	// Whole is the time of a launch that was executed to its end, or whose turns of loops were counted to their end.
	Whole Status = "time"
	// Supposed is a time that follows from what nobody has said, such as data that stands for anything. It has no interval.
	Supposed Status = "supposed"
	// AtLeast is a lower bound: what was executed is a part of what the launch does.
	AtLeast Status = "at least"
	// Unknown is a launch of which a part may be executed more often than the launch does, and another less often: it has no time, and no bound.
	Unknown Status = "unknown"
	// Endless is a launch that waits for what never comes. It has no time.
	Endless Status = "endless"
)

// statuses are in the order of how much is wrong.
var statuses = []Status{Whole, Supposed, AtLeast, Unknown, Endless}

// Worse is the one of two with which more is wrong.
func (s Status) Worse(than Status) Status {
	return statuses[max(slices.Index(statuses, s), slices.Index(statuses, than), 0)]
}

// Interval is what a time of the kind is taken to be in, in seconds: that of a whole one reaches as far on each side as those of recorded launches do.
func (s Status) Interval(seconds, within float64) [2]float64 {
	switch s {
	case Supposed:
		return [2]float64{0, math.Inf(1)}
	case AtLeast:
		return [2]float64{seconds / within, math.Inf(1)}
	case Unknown, Endless:
		return [2]float64{math.Inf(1), math.Inf(1)}
	}
	return [2]float64{seconds / within, seconds * within}
}

// Finite reports whether the launch has a time that can be compared with others: a bound is none.
func (s Status) Finite() bool { return s == Whole || s == Supposed }

// Timed reports whether the launch has a time, or a bound of it.
func (s Status) Timed() bool { return s != Unknown && s != Endless }

// Text is a time of the kind, in seconds.
func (s Status) Text(seconds float64) string {
	switch s {
	case Supposed:
		return format.Seconds(seconds) + ", supposed"
	case AtLeast:
		return "≥ " + format.Seconds(seconds)
	case Unknown:
		return "not known"
	case Endless:
		return "none"
	}
	return format.Seconds(seconds)
}

// Spread is an interval behind a time, as a text; "" where there is none.
func (s Status) Spread(in [2]float64) string {
	if s != Whole {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", format.Seconds(in[0]), format.Seconds(in[1]))
}

// Reason says why a launch has no time with an interval.
type Reason struct {
	Status Status
	Index  int // of the instruction; -1 for none
	Text   string
}

// judgement is what is found out about the time of a launch.
type judgement struct {
	status Status
	why    []Reason
	more   bool // may have been executed than the launch does, so that its time is no bound
}

func (j *judgement) add(s Status, index int, form string, args ...any) {
	r := Reason{s, index, fmt.Sprintf(form, args...)}
	if !slices.Contains(j.why, r) {
		j.status, j.why = j.status.Worse(s), append(j.why, r)
	}
}

// farApart is by how much iterations that were counted may differ from those that stand for them, in parts of their instructions.
const farApart = 0.1

// judge says what kind of a time it is. The reasons with which most is wrong come first, and of these those of the first instructions.
func (e *emulation) judge(base timed) (j judgement) {
	j.status = Whole
	if e.builder.Stuck || base.Stuck {
		j.add(Endless, -1, "sub-groups wait at barriers for others that never come")
	}
	for at := range e.builder.Endless {
		j.add(Endless, int(at), "the loop never ends by itself, and it loads nothing that others could change")
	}
	e.judgeWaits(&j)
	e.judgeCoherent(&j)
	e.judgePlaces(&j)
	e.judgeTextures(&j)
	if e.builder.Lost {
		j.add(Unknown, -1, "a loop looks at other places each time, and nothing that it finds there ends it")
	} else if slices.ContainsFunc(e.blocks, func(b *timing.Block) bool { return b.Cut }) {
		j.add(AtLeast, -1, "a work-group was not executed to its end, as it takes more than %s instructions", format.Rough(trace.Most, ""))
	}
	e.judgeData(&j)
	if part := float64(e.builder.Apart) / float64(max(e.builder.Long, 1)); part > farApart {
		j.add(Supposed, -1, "iterations of a long loop stand for others, and execute %.0f %% more or fewer instructions than these", 100*part)
		j.more = true
	}
	if e.builder.Uneven {
		j.add(AtLeast, -1, "not all iterations of a long loop were executed, and it did not go on as it began")
	}
	if e.builder.Unlike {
		j.add(AtLeast, -1, "of a long loop with barriers in shared memory the phases were not followed to their end")
	}
	if j.more && j.status == AtLeast {
		j.status = Unknown
	}
	slices.SortStableFunc(j.why, func(a, b Reason) int {
		return cmp.Or(slices.Index(statuses, b.Status)-slices.Index(statuses, a.Status), cmp.Compare(a.Index, b.Index))
	})
	return j
}

// judgePlaces looks for buffers that lie in the memory of the host.
func (e *emulation) judgePlaces(j *judgement) {
	for _, a := range e.Job.Buffers() {
		if a.Memory == device.Host {
			j.add(AtLeast, -1, "%s lies in the memory of the host: what goes over the link is taken to come from the device's own", e.buffer(a.Name))
		}
	}
}

// warnOfPages tells of buffers whose pages may lie elsewhere.
func (e *emulation) warnOfPages() {
	for _, a := range e.Job.Buffers() {
		if a.Memory == device.Managed {
			e.warn("%s is managed memory: its pages are taken to lie on the device", e.buffer(a.Name))
		}
	}
}

// judgeTextures looks for textures and surfaces: no launch file says how large they are and how they lie in memory.
func (e *emulation) judgeTextures(j *judgement) {
	for i := range e.Function.Instructions {
		if op := e.Function.Instructions[i].Opcode; op != nil && op.Space == sass.Textures {
			j.add(AtLeast, i, "what lies in a texture or a surface is not known: its texels are taken to be in the first-level cache, and not to be filtered in three dimensions")
		}
	}
}

// judgeData looks for what nobody has said.
func (e *emulation) judgeData(j *judgement) {
	from := map[int]exec.Decision{}
	for _, d := range e.launch.Decisions() {
		if d.Way != exec.Addresses {
			from[d.Index] = d
		}
	}
	guessed := map[int]bool{}
	for _, d := range e.launch.Doubts() {
		if e.awaited(d.Index) {
			guessed[d.Index] = true
			continue
		}
		status, what, taken := Supposed, "", ""
		switch d.Kind {
		case exec.UnknownTrips:
			status, what, taken = AtLeast, "how often the loop turns", "it is taken to turn once"
			if e.chain.looks {
				status = Supposed
			}
		case exec.UnknownBranch:
			what, taken = "which way the branch goes", "both ways are taken"
			j.more = true
		case exec.UnknownLeave:
			what, taken = "whether work-items go that way", "none does"
		case exec.UnknownTarget:
			status, what, taken = AtLeast, "where the jump leads", "work-items end there"
		case exec.UnknownCall: // printf, malloc and free, launches from within kernels
			status, what, taken = AtLeast, "how long the called function takes, as the listing lacks its code,", "it is taken to take no time"
		case exec.Sleeps:
			status, what, taken = AtLeast, "how long work-items sleep", "they are taken not to"
		case exec.Misaligned:
			j.add(Endless, d.Index, "the address is no multiple of the size of the access, which ends the launch with an error")
			continue
		case exec.UnknownAddress:
			if _, said := e.assumed(e.ops[d.Index].Address); said {
				continue
			}
			what, taken = "where the access goes", "each work-item is taken to go to a place of its own"
		default:
			continue
		}
		guessed[d.Index] = true
		if source, ok := from[d.Index]; ok && len(source.Buffers) > 0 {
			j.add(status, d.Index, "%s follows from %s: %s", what, e.said(source), taken)
		} else {
			j.add(status, d.Index, "%s is not known: %s", what, taken)
		}
	}
	shared := slices.ContainsFunc(e.launch.Doubts(), func(d exec.Doubt) bool { return d.Kind == exec.AssumedShare })
	for _, d := range e.launch.Decisions() {
		if (d.Way == exec.Addresses || !guessed[d.Index]) && !e.awaited(d.Index) {
			status := Supposed
			if d.Others && d.Way == exec.Turns && !shared && e.works(d.Index) { // which others may do in its place, or undo
				status = Unknown
			}
			j.add(status, d.Index, "%s %s from %s: %s", d.Way, follow[d.Way], e.said(d), e.taken(d))
		}
	}
}

var follow = map[exec.Way]string{exec.Turns: "follows", exec.Branches: "follows", exec.Accesses: "follows", exec.Addresses: "follow"}

// said names the buffers that a decision follows from.
func (e *emulation) said(d exec.Decision) string {
	var list []string
	for _, name := range d.Buffers {
		by := "which nobody has said"
		if e.launch.Memory.Overwritten(name) {
			by = "which earlier launches have written"
		}
		list = append(list, fmt.Sprintf("what %s holds, %s", e.buffer(name), by))
	}
	if d.Others {
		list = append(list, "what other work-groups do at the same time")
	}
	return strings.Join(list, ", and ")
}

// buffer names a buffer as the launch has it.
func (e *emulation) buffer(name string) string {
	for i, a := range e.Job.Args {
		if a.Name == name && a.Kind == device.Buffer {
			return fmt.Sprintf("buffer %s (argument %d)", name, i+1)
		}
	}
	return "buffer " + name
}

// taken says what is assumed in place of what nobody has said.
func (e *emulation) taken(d exec.Decision) string {
	var list []string
	for _, name := range d.Buffers {
		a := e.launch.Memory.Argument(name)
		numbers := "random numbers of 1 to 16 are taken"
		if a.Unknown {
			numbers = "zeros are taken"
		} else if strings.HasPrefix(a.DType, "float") {
			numbers = "random numbers of 0.5 to 1.5 are taken"
		}
		if !e.launch.Memory.Overwritten(name) && !slices.Contains(list, numbers) {
			list = append(list, numbers)
		}
	}
	if d.Others {
		list = append(list, "they are taken to come in turn, or to claim as much as each other")
	}
	if len(list) == 0 {
		return "anything is taken"
	}
	return strings.Join(list, ", and ")
}

// works reports whether the loop of an instruction does more for others than to try again: it stores in global memory, too.
func (e *emulation) works(index int) bool {
	return e.loopHas(index, func(op *sass.Opcode) bool {
		return (op.Space == sass.Global || op.Space == sass.Generic) && op.Action == sass.Store
	})
}

// loopHas reports whether the innermost loop of an instruction has another one of some kind.
func (e *emulation) loopHas(index int, kind func(*sass.Opcode) bool) bool {
	for i := range e.Function.Instructions {
		if op := e.Function.Instructions[i].Opcode; i != index && op != nil && kind(op) && e.launch.Together(index, i) {
			return true
		}
	}
	return false
}

// awaited reports whether an instruction is in a loop that waits for what others store.
func (e *emulation) awaited(index int) bool {
	for op := range e.builder.Awaits {
		if e.launch.Together(index, int(op)) {
			return true
		}
	}
	return false
}

// judgeWaits says of what loops wait for, and for whom.
func (e *emulation) judgeWaits(j *judgement) {
	if e.chain.links > 0 || e.chain.looks {
		return
	}
	room := e.resident * e.busy
	waited := e.waited()
	for op, w := range waited {
		switch name := e.buffer(w.buffer); {
		case w.nobody && e.elsewhere(int(op), waited): // its loop waits for something else
		case w.nobody:
			j.add(Endless, int(op), "a loop waits for what nobody stores in %s", name)
		case w.all && e.work.Groups > room:
			j.add(Endless, int(op), "all %s wait for each other in %s, and %d have room at once", format.Count(int(e.work.Groups), "work-group"), name, room)
		case w.all: // they are taken to come at once
		case e.work.Groups <= room && forFree(e):
			j.add(Supposed, int(op), "a loop waits for what other work-groups store in %s: they are taken to have done so by then", name)
		default:
			j.add(AtLeast, int(op), "a loop waits for what other work-groups store in %s: how long is not known", name)
		}
	}
}

// elsewhere reports whether the loop of an instruction waits with others for what somebody stores.
func (e *emulation) elsewhere(index int, waited map[int32]waited) bool {
	for op, w := range waited {
		if !w.nobody && e.launch.Together(index, int(op)) {
			return true
		}
	}
	return false
}

// Grouped are the reasons of a result, those of one text as one, as lines.
type Grouped struct {
	Status Status
	Line   string
}

// Grouped are the reasons why the launch has no time with an interval: those with which most is wrong come first.
func (r *Result) Grouped() (list []Grouped) {
	const most = 4 // places
	at, texts := map[string][]int{}, []Reason(nil)
	for _, why := range r.Reasons {
		if _, ok := at[why.Text]; !ok {
			texts, at[why.Text] = append(texts, why), nil
		}
		if why.Index >= 0 {
			at[why.Text] = append(at[why.Text], why.Index)
		}
	}
	for _, why := range texts {
		line := why.Text
		if places := wheres(r, at[why.Text]); len(places) > most {
			line = fmt.Sprintf("%s and %d others: %s", strings.Join(places[:most], ", "), len(places)-most, line)
		} else if len(places) > 0 {
			line = strings.Join(places, ", ") + ": " + line
		}
		list = append(list, Grouped{why.Status, line})
	}
	return list
}

// outside warns of accesses that lie in no buffer.
func (r *Result) outside() (warnings []string) {
	const most = 4 // places
	var at []int
	for _, d := range r.Doubts {
		if d.Kind == exec.Outside {
			at = append(at, d.Index)
		}
	}
	places := wheres(r, at)
	if n := len(places) - most; n > 0 {
		places = append(places[:most], fmt.Sprintf("%d others", n))
	}
	if len(places) > 0 {
		warnings = append(warnings, fmt.Sprintf("%s accesses memory behind the end of a buffer of the launch: %s", r.Kernel, strings.Join(places, ", ")))
	}
	return warnings
}

// where is an instruction by its line and its address.
func (r *Result) where(index int) string {
	if place := r.place(index); place != "" {
		return path.Base(place) + " (" + r.address(index) + ")"
	}
	return r.address(index)
}

// wheres are where instructions are: several of one line as the line.
func wheres(r *Result, list []int) (places []string) {
	times := map[string]int{}
	for _, index := range list {
		times[r.place(index)]++
	}
	for _, index := range list {
		switch line := r.place(index); {
		case line == "" || times[line] == 1:
			places = append(places, r.where(index))
		case times[line] > 1:
			places, times[line] = append(places, path.Base(line)), 0
		}
	}
	return places
}

// Why are the reasons of Grouped as lines of text.
func (r *Result) Why() (lines []string) {
	return lists.Map(r.Grouped(), func(g Grouped) string { return g.Line })
}
