package cfront

import (
	"fmt"
	"strings"

	"gpuperf/cfront/cpp"
)

// Cooperative groups (CUDA C++ Programming Guide 12, 8) are read as what they stand for: the work-group, and sub-groups of it. A group is
// known by its type alone, so that variables and parameters that hold groups are left out of the trees, and operations on a group are
// calls and variables of the language.

// groupSpace is the namespace of cooperative groups.
const groupSpace = "cooperative_groups"

// What the names of that namespace mean, other than types: a function of groups, the template of tiles, and what is not read.
type (
	groupFunction func(p *parser, at Pos) value
	tileTemplate  struct{}
	unreadGroup   struct{ name string }
)

// blockType is the type of the work-group. That of a tile has an extent: the number of its work-items.
var blockType = &ctype{form: groupForm, name: "thread_block"}

// gridType is the type of all work-groups together. A barrier of them is one of each work-group, and an operation of its own.
var gridType = &ctype{form: groupForm, name: "grid_group"}

// groupNames are names that mean the same after "using namespace".
var groupNames map[string]any

func init() {
	groupNames = map[string]any{
		"thread_block": blockType, "thread_block_tile": tileTemplate{},
		"this_thread_block": groupFunction((*parser).thisBlock), "tiled_partition": groupFunction((*parser).partition),
		"grid_group": gridType, "this_grid": groupFunction((*parser).thisGrid),
	}
	for _, name := range []string{"reduce", "inclusive_scan", "exclusive_scan"} {
		groupNames[name] = groupFunction(func(p *parser, at Pos) value { return p.groupReduction(at, name) })
	}
	for name, member := range map[string]string{"sync": "sync", "thread_rank": "thread_rank", "group_size": "size"} {
		groupNames[name] = groupFunction(func(p *parser, at Pos) value { return p.groupCall(at, name, member) })
	}
	for _, name := range strings.Fields(`thread_group cluster_group multi_grid_group coalesced_group this_cluster this_multi_grid
		coalesced_threads labeled_partition binary_partition reduce_update_async memcpy_async wait wait_prior
		invoke_one invoke_one_broadcast plus less greater bit_and bit_or bit_xor block_tile_memory experimental`) {
		groupNames[name] = unreadGroup{name}
	}
}

// blockMembers are functions of the work-group without arguments, as what they stand for.
var blockMembers = map[string]string{
	"sync": "__syncthreads()", "thread_rank": "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)",
	"size": "(blockDim.x * blockDim.y * blockDim.z)", "num_threads": "(blockDim.x * blockDim.y * blockDim.z)",
	"group_index": "blockIdx", "thread_index": "threadIdx", "group_dim": "blockDim", "dim_threads": "blockDim",
}

// gridMembers are those of all work-groups.
var gridMembers = map[string]string{
	"thread_rank": "((" + blockRank + ") * blockDim.x * blockDim.y * blockDim.z + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)",
	"size":        allItems, "num_threads": allItems, "block_rank": "(" + blockRank + ")", "num_blocks": "(gridDim.x * gridDim.y * gridDim.z)",
	"sync":      "__grid_sync(0)",
	"group_dim": "gridDim", "dim_blocks": "gridDim", "block_index": "blockIdx", "is_valid": "true",
}

const (
	blockRank = "(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x"
	allItems  = "(gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z)"
)

// tileMembers are those of a tile of N work-items. RANK and SIZE are those of the work-group; MASK has the bits of the tile in a sub-group of 32.
var tileMembers = map[string]string{
	"sync": "__syncwarp(MASK)", "thread_rank": "RANK % N", "size": "N", "num_threads": "N", "meta_group_rank": "RANK / N",
	"meta_group_size": "(SIZE + (N - 1)) / N",
}

// tileFunctions are functions of a tile with arguments, and how many those are. The bits of a vote are counted from the first work-item of the
// tile, which is that of the sub-group in tiles of 32 only.
var tileFunctions = map[string]struct {
	name  string
	args  int
	whole bool // the function takes no width
}{
	"shfl": {"__shfl_sync", 2, false}, "shfl_up": {"__shfl_up_sync", 2, false}, "shfl_down": {"__shfl_down_sync", 2, false},
	"shfl_xor": {"__shfl_xor_sync", 2, false}, "any": {"__any_sync", 1, true}, "all": {"__all_sync", 1, true}, "ballot": {"__ballot_sync", 1, true},
}

// subgroup is the number of work-items of a sub-group.
const subgroup = 32

// meant is the meaning of the name after n tokens of namespaces.
func (p *lookup) meant(n int) any {
	name := p.peek(n).Text
	group := n > 1 && p.groups[p.peek(n-2).Text]
	if x := groupNames[name]; group && x != nil {
		return x
	}
	if x := p.global.find(name); n > 0 && x != nil && p.scope.find(name) != nil { // a name of a namespace is none of a record
		return x
	}
	if !group {
		return p.meaning(name)
	}
	return unreadGroup{name}
}

// mentions reports whether a token is a name of the namespace of cooperative groups.
func (p *lookup) mentions(t cpp.Token) bool {
	if t.Kind == cpp.End {
		p.unexpected("a name")
	}
	return p.groups[t.Text]
}

// failGroup refuses what is not read of cooperative groups.
func (p *typer) failGroup(at Pos, name string) {
	p.failHint(at, "thread_block and thread_block_tile<N> are, with barriers, ranks, sizes and shuffles, and with votes for N = 32", "%s of cooperative groups is not read", name)
}

// groupValue is a value of a group type, which that type tells.
func groupValue(at Pos, t *ctype) value { return value{&Unknown{typed{Pos: at}, "a group", nil}, t} }

// group is the type of a group that a value is. The value is left out, and so it must have no effect.
func (p *typer) group(at Pos, v value) *ctype {
	if v.t == nil || v.t.form != groupForm {
		p.fail(at, "a group of work-items should stand here")
	}
	switch x := v.e.(type) {
	case *Member:
		return v.t
	case *Unknown:
		if len(x.Args) == 0 {
			return v.t
		}
	}
	p.failGroup(at, "a group that is computed")
	return nil
}

// groupOf is the group that a variable of a type has, whose value is given.
func (p *typer) groupOf(at Pos, t *ctype, v value) *ctype {
	of := p.group(at, v)
	if t.form == groupForm && !t.same(of) {
		p.fail(at, "%s is no %s", of, t)
	}
	return of
}

func (p *cursor) thisBlock(at Pos) value {
	p.expect("(")
	p.expect(")")
	return groupValue(at, blockType)
}

func (p *cursor) thisGrid(at Pos) value {
	p.expect("(")
	p.expect(")")
	return groupValue(at, gridType)
}

// partition reads tiled_partition<N>(group) from < on.
func (p *parser) partition(at Pos) value {
	if !p.is("<") {
		p.failGroup(at, "tiled_partition without <N>")
	}
	t := p.tileType(at)
	p.expect("(")
	args := p.arguments()
	if len(args) != 1 {
		p.fail(at, "tiled_partition takes one group")
	}
	of := p.group(at, args[0])
	n, known := t.extent.(*Int)
	if outer, ok := of.extent.(*Int); ok && known && n.Value > outer.Value {
		p.fail(at, "%s has no tiles of %d", of, n.Value)
	}
	return groupValue(at, t)
}

// tileType reads the arguments of thread_block_tile<N>, which may name the type of the group that is divided, too.
func (p *parser) tileType(at Pos) *ctype {
	p.expect("<")
	v := p.withAngle(1, p.conditional)
	if p.accept(",") {
		p.templateArgument()
	}
	p.closeAngle()
	switch x := v.e.(type) {
	case *Int:
		if n := x.Value; n < 1 || n > subgroup || n&(n-1) != 0 {
			p.failGroup(at, fmt.Sprintf("thread_block_tile<%d>", n))
		}
	case *Ref: // a parameter of a template that is to be deduced
	default:
		p.fail(at, "the size of a tile is an integer constant")
	}
	return &ctype{form: groupForm, name: "thread_block_tile", extent: v.e}
}

// groupCall reads the arguments of a function of a group, as sync(b).
func (p *parser) groupCall(at Pos, name, member string) value {
	p.expect("(")
	args := p.arguments()
	if len(args) != 1 {
		p.fail(at, "%s takes one group", name)
	}
	return p.groupResult(at, p.group(at, args[0]), member, nil)
}

// groupMember reads a call of a member of a group, after its name.
func (p *parser) groupMember(at Pos, of value, name string) value {
	t := p.group(at, of)
	if !p.is("(") {
		p.unexpected(`"("`)
	}
	p.next()
	return p.groupResult(at, t, name, p.arguments())
}

func (p *parser) groupResult(at Pos, t *ctype, name string, args []value) value {
	n, tile := t.extent.(*Int)
	members := blockMembers
	switch {
	case tile:
		members = tileMembers
	case t.same(gridType):
		members = gridMembers
	}
	text, known := members[name]
	switch {
	case known && len(args) > 0:
		p.fail(at, "%s of %s takes no arguments", name, t)
	case known && tile:
		return p.standsFor(at, tileText(text, n.Value))
	case known:
		return p.standsFor(at, text)
	}
	f, known := tileFunctions[name]
	switch {
	case !tile || !known || f.whole && n.Value < subgroup:
		p.failGroup(at, name+" of "+t.String())
	case len(args) != f.args:
		p.fail(at, "%s of %s takes %d arguments", name, t, f.args)
	}
	mask := tileText("MASK", n.Value)
	if mask == "" {
		mask = "0xffffffffu"
	}
	args = append([]value{p.standsFor(at, mask)}, args...)
	if n.Value < subgroup {
		args = append(args, value{&Int{intType.typed(at), n.Value}, intType})
	}
	return p.known(at, f.name, args)
}

// tileText is a text of tileMembers for n work-items. The mask of all 32 is the one that functions have without it.
func tileText(text string, n int64) string {
	mask := ""
	if n < subgroup {
		mask = fmt.Sprintf("%#xu << RANK %% 32 / N * N", 1<<n-1)
	}
	text = strings.ReplaceAll(text, "MASK", mask)
	return strings.NewReplacer("RANK", blockMembers["thread_rank"], "SIZE", blockMembers["size"], "N", fmt.Sprint(n, "u")).Replace(text)
}

// standsFor is the value of a text, at a place.
func (p *parser) standsFor(at Pos, text string) (v value) {
	start := len(p.tokens)
	for _, t := range cpp.Lex("", text) {
		t.At = cpp.Pos(at)
		p.tokens = append(p.tokens, t)
	}
	p.at(start, p.global, func() { v = p.value() })
	p.tokens = p.tokens[:start]
	return v
}

// groupOperations are what functions of cooperative groups combine values by, as operations are counted.
var groupOperations = map[string]string{
	"plus": "add", "less": "maxmin", "greater": "maxmin", "bit_and": "bw", "bit_or": "bw", "bit_xor": "bw",
}

// groupReduction reads the arguments of a reduction or a scan over a tile: the tile, a value, and the operation, which is a sum if none is given.
func (p *parser) groupReduction(at Pos, name string) value {
	p.expect("(")
	t := p.group(at, p.assignment())
	p.expect(",")
	v := p.assignment()
	op := "plus"
	if p.accept(",") {
		p.i += p.qualifiers()
		op = p.name().Text
		if p.is("<") {
			p.templateArguments()
		}
		if p.is("(") || p.is("{") {
			p.pass()
		}
	}
	p.expect(")")
	n, tile := t.extent.(*Int)
	if !tile || groupOperations[op] == "" {
		p.failGroup(at, name+" of "+t.String()+" by "+op)
	}
	return value{&Call{v.t.typed(at), fmt.Sprintf("cg_%s_%s_%d", name, groupOperations[op], n.Value), []Expr{v.e}}, v.t}
}
