package launches

import (
	"slices"

	"gpuperf/cfront/cpp"
)

// allocations are functions that are passed the address of a pointer, and how many bytes it is to point to.
var allocations = map[string]bool{
	"cudaMalloc": true, "cudaMallocManaged": true, "cudaMallocAsync": true, "cudaMallocHost": true, "cudaHostAlloc": true,
	"hipMalloc": true, "hipMallocManaged": true,
}

// bytesOf are the bytes that the pointer which an argument is was given before the launch; nil where that does not show.
func (l *Launch) bytesOf(i int) *Expr {
	s := l.args[i]
	if s.to != s.from+1 || l.host.tokens[s.from].Kind != cpp.Name {
		return nil
	}
	return l.host.allocated(l.host.tokens[s.from].Text, l.in, l.at, 0)
}

// allocated are the bytes of the last allocation of a pointer before a token of a function, or of what the first caller passes for a parameter of it.
func (h *host) allocated(name string, in *function, at, depth int) (bytes *Expr) {
	for i := in.body.from; i < min(at, in.body.to); i++ {
		if h.tokens[i].Kind != cpp.Name || !allocations[h.tokens[i].Text] || !h.is(i+1, "(") {
			continue
		}
		if args := h.list(i + 1); len(args) > 1 && h.lastName(args[0]) == name && h.is(args[0].to-2, "&") {
			bytes = h.parse(args[1], in, i, depth+1)
		}
	}
	p := slices.Index(in.params, name)
	if bytes != nil || p < 0 || depth > maxFollowed {
		return bytes
	}
	for _, c := range in.calls {
		if p < len(c.args) && c.by != in && c.args[p].to == c.args[p].from+1 {
			return h.allocated(h.tokens[c.args[p].from].Text, c.by, c.at, depth+1)
		}
	}
	return nil
}
