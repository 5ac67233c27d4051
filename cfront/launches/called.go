package launches

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/cfront/cpp"
)

// called is a function that launches a kernel: which of its arguments say what, -1 for what they don't.
type called struct {
	kernel, grid, block, shared int
	args                        int // the first argument of the kernel
	list                        int // an array with the addresses of the kernel's arguments
	items                       bool
	axes                        bool // grid and block are the first of three extents
	variable                    bool // the kernel is a variable, made for a name
}

// calls are the functions of runtimes that launch kernels, by their names. hipLaunchKernel is a macro of old programs too, which takes the arguments themselves.
var calls = map[string]called{
	"hipLaunchKernelGGL":          {grid: 1, block: 2, shared: 3, args: 5, list: -1},
	"hipLaunchKernel":             {grid: 1, block: 2, shared: 3, args: 5, list: 3},
	"cudaLaunchKernel":            {grid: 1, block: 2, shared: 4, args: -1, list: 3},
	"cudaLaunchCooperativeKernel": {grid: 1, block: 2, shared: 4, args: -1, list: 3},
	"hipLaunchCooperativeKernel":  {grid: 1, block: 2, shared: 4, args: -1, list: 3},
	"cuLaunchKernel":              {grid: 1, block: 4, shared: 7, args: -1, list: 9, axes: true, variable: true},
	"hipModuleLaunchKernel":       {grid: 1, block: 4, shared: 7, args: -1, list: 9, axes: true, variable: true},
	"enqueueNDRangeKernel":        {grid: 2, block: 3, shared: -1, args: -1, list: -1, items: true, variable: true},
	"clEnqueueNDRangeKernel":      {kernel: 1, grid: 4, block: 5, shared: -1, args: -1, list: -1, items: true, variable: true},
}

// call reads the launch that a call of one of these functions is, its name at a token.
func (h *host) call(at int) *Launch {
	form := calls[h.tokens[at].Text]
	given := h.list(at + 1)
	if len(given) <= max(form.kernel, form.grid, form.block, form.shared) {
		return nil
	}
	l := &Launch{host: h, at: at, in: h.within(at), Items: form.items}
	if !l.named(given[form.kernel], form.variable) {
		return nil
	}
	l.config = []span{known(h, given[form.grid]), known(h, given[form.block])}
	if form.axes {
		l.config = []span{{given[1].from, given[3].to}, {given[4].from, given[6].to}}
	}
	addresses, listed := []span(nil), false
	if form.list >= 0 && form.list < len(given) {
		addresses, listed = h.addresses(given[form.list], l.in)
	}
	shared := form.shared
	switch {
	case listed:
		l.args, shared = addresses, max(shared, 4)
	case form.items:
		l.args, l.Apart = h.arguments(given[form.kernel], l.in, at), true
	case form.args >= 0 && form.args <= len(given):
		l.args = given[form.args:]
	default:
		l.Apart = true
	}
	if 0 <= shared && shared < len(given) {
		l.config = append(l.config, given[shared])
	}
	return l
}

// named gives a launch its kernel: a function, in brackets or as an address, or a variable that was made for the function of a name.
func (l *Launch) named(s span, variable bool) bool {
	h := l.host
	for s.to > s.from+1 && (h.is(s.from, "(") || h.is(s.from+1, "(")) { // (k<1>), HIP_KERNEL_NAME(k<1>), (const void *)k
		open := s.from
		if !h.is(open, "(") {
			open++
		}
		switch {
		case h.close[open] == s.to-1:
			s = span{open + 1, s.to - 1}
		case h.close[open] > 0 && open == s.from:
			s.from = h.close[open] + 1
		default:
			return false
		}
	}
	for h.is(s.from, "&") || h.is(s.from, "*") || s.from+1 < s.to && h.is(s.from+1, "::") {
		s.from++
		if h.is(s.from, "::") {
			s.from++
		}
	}
	if s.from >= s.to || h.tokens[s.from].Kind != cpp.Name {
		return false
	}
	l.Kernel, l.At = h.tokens[s.from].Text, h.tokens[s.from].At
	if h.is(s.from+1, "<") {
		if !h.is(s.to-1, ">") && !h.is(s.to-1, ">>") {
			return false
		}
		l.templated, l.template = true, h.items(span{s.from + 2, s.to - 1})
	} else if variable {
		l.Kernel = madeFor(h, l.Kernel, l.at)
	}
	return l.Kernel != ""
}

var isName = regexp.MustCompile(`^"(\w+)"$`)

// madeFor is the name of the kernel that a variable stands for, by the last string in a statement that makes it before a token, or else by the first behind it.
func madeFor(h *host, variable string, at int) (name string) {
	for i, t := range h.tokens {
		if t.Kind != cpp.Name || t.Text != variable || !h.is(i-1, "&") && !h.is(i+1, "=") && !h.is(i+1, "(") && !h.is(i+1, "{") {
			continue
		}
		if name != "" && i > at {
			break
		}
		for j := i; j < len(h.tokens) && !h.is(j, ";"); j++ {
			if m := isName.FindStringSubmatch(h.tokens[j].Text); m != nil && h.tokens[j].Kind == cpp.String {
				name = m[1]
				break
			}
		}
	}
	return name
}

// nothing are the words for extents that are left to the runtime.
var nothing = map[string]bool{"NULL": true, "nullptr": true, "0": true, "NullRange": true}

// known is a text that says something, or an empty one.
func known(h *host, s span) span {
	if nothing[h.tokens[s.to-1].Text] {
		return span{}
	}
	return s
}

// addresses are what the elements of an array point to, which is a variable with its values beside it, or such values themselves.
func (h *host) addresses(s span, in *function) (out []span, ok bool) {
	open := slices.IndexFunc(h.tokens[s.from:s.to], func(t cpp.Token) bool { return t.Is("{") })
	if open >= 0 {
		open += s.from
	} else if s.to == s.from+1 {
		for i := in.body.from; i < in.body.to; i++ {
			if h.tokens[i].Text == h.tokens[s.from].Text && h.is(i+1, "[") && h.is(h.close[i+1]+1, "=") && h.is(h.close[i+1]+2, "{") {
				open = h.close[i+1] + 2
			}
		}
	}
	if open < 0 {
		return nil, false
	}
	for _, a := range h.list(open) {
		out = append(out, pointedTo(h, a))
	}
	return out, true
}

// pointedTo is x of &x and (void *)&x.
func pointedTo(h *host, s span) span {
	for i := s.to - 1; i >= s.from; i-- {
		if h.is(i, "&") {
			return span{i + 1, s.to}
		}
	}
	return s
}

// arguments are those that were set last for a kernel before a token of a function: by k.setArg(0, x) or clSetKernelArg(k, 0, sizeof x, &x), of which i++ is the next one.
func (h *host) arguments(kernel span, in *function, at int) (out []span) {
	variable := h.tokens[kernel.from].Text
	next := 0
	for i := in.body.from; i < at; i++ {
		var given []span
		switch {
		case h.is(i, "setArg") && i > 1 && h.tokens[i-2].Text == variable && h.is(i+1, "("):
			given = h.list(i + 1)
		case h.is(i, "clSetKernelArg") && h.is(i+1, "("):
			if given = h.list(i + 1); len(given) != 4 || h.tokens[given[0].from].Text != variable {
				continue
			}
			given = []span{given[1], pointedTo(h, given[3])}
		}
		if len(given) < 2 {
			continue
		}
		n, err := strconv.Atoi(strings.TrimRight(h.tokens[given[0].from].Text, "uU"))
		if err != nil {
			n = next
		}
		if next = n + 1; n < 0 || n >= maxArguments {
			continue
		}
		for len(out) <= n {
			out = append(out, span{})
		}
		out[n] = given[1]
	}
	return out
}

// maxArguments bounds the arguments of kernels.
const maxArguments = 1024

// Find lists the launches of a file, in its order. It is nil where there are none.
func Find(tokens []cpp.Token) (out []*Launch) {
	if !slices.ContainsFunc(tokens, func(t cpp.Token) bool { _, is := calls[t.Text]; return is || t.Is("<<") }) {
		return nil
	}
	h := newHost(tokens)
	for i := 1; i+1 < len(tokens); i++ {
		var l *Launch
		if _, is := calls[tokens[i].Text]; is && tokens[i+1].Is("(") {
			l = h.call(i)
		} else if tokens[i].Is("<<") && tokens[i+1].Is("<") {
			l = h.launch(i)
		}
		if l != nil {
			out = append(out, l)
		}
	}
	return out
}

// OfText are the launches in the text of a program, whose headers are not read; none where it cannot be cut into tokens.
func OfText(ctx context.Context, path, text string) []*Launch {
	tokens, err := cpp.Run(ctx, cpp.Config{Open: func(name string, _ bool, _ string) (string, string, bool) { return name, "", true }}, path, text)
	if err != nil {
		return nil
	}
	return Find(tokens)
}
