package features

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"gpuperf/internal/lex"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/launch"
)

// ParseID reads a feature identifier. The forms are those of Classes; the reference of features (internal/command/reference/features.yaml) says
// what each counts.
//
// A constraint is a number, with >, >=, < or <= before it or nothing for equality; for strides also an expression in
// sizes, as in {0:<n;1:16*n}, which no stride equals in a kernel that lacks a size of it. ? stands for strides that are not
// constant, !? for those that are, as in {0:!?;0:1}: without it, comparing a stride that is not constant is an error. Errors are
// *source.Error with the column.
func ParseID(text string) (ID, error) {
	p := &idParser{text}
	id := ID{text: text}
	for i := range classes {
		c := &classes[i]
		rest, ok := strings.CutPrefix(text, "f_"+string(c.name))
		if !ok || rest != "" && rest[0] != '_' {
			continue
		}
		id.Class = c.name
		if err := c.parse(p, c, &id, rest); err != nil {
			return ID{}, err
		}
		return id, nil
	}
	if !strings.HasPrefix(text, "f_") {
		return ID{}, p.fail(0, "a feature identifier starts with f_").WithHint("for example f_op_float32_madd")
	}
	names := lists.Map(classes, func(c class) string { return string(c.name) })
	return ID{}, p.fail(2, "unknown class of features").WithHint("%s", suggest(text[2:], names, "the classes are f_"+strings.Join(names, ", f_")))
}

// ParseIDs parses each of the texts.
func ParseIDs(texts []string) (ids []ID, err error) {
	for _, text := range texts {
		id, err := ParseID(text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

type idParser struct{ text string }

func (p *idParser) fail(offset int, format string, args ...any) *source.Error {
	return source.New("", p.text, offset, format, args...)
}

// at is the offset of a suffix of the text.
func (p *idParser) at(rest string) int { return len(p.text) - len(rest) }

func (p *idParser) op(_ *class, id *ID, rest string) error {
	rest = strings.TrimPrefix(rest, "_")
	dtype, op, ok := strings.Cut(rest, "_")
	if !expr.DType(dtype).Known() {
		return p.fail(p.at(rest), "unknown dtype %q", dtype).WithHint("%s", suggest(dtype, dtypeNames, "an operation is f_op_<dtype>_<op>, for example f_op_float32_madd"))
	}
	function, isFunction := strings.CutPrefix(op, "func:")
	switch {
	case !ok || op == "":
		return p.fail(len(p.text), "the operation is missing").WithHint("one of %s, func:<name>", strings.Join(kernel.OpCounts, ", "))
	case isFunction && !lex.IsName(function):
		return p.fail(p.at(function), "a function needs a name").WithHint("for example func:exp")
	case !isFunction && !slices.Contains(kernel.OpCounts, op):
		return p.fail(p.at(op), "unknown operation %q", op).WithHint("%s", suggest(op, kernel.OpCounts, "one of "+strings.Join(kernel.OpCounts, ", ")+", func:<name>"))
	}
	id.DType, id.Op = expr.DType(dtype), op
	return nil
}

// loop reads the optional iname at the end of a feature of loops.
func (p *idParser) loop(_ *class, id *ID, rest string) error {
	if rest == "" {
		return nil
	}
	iname, ok := strings.CutPrefix(rest, "_iname:")
	if !ok || !lex.IsName(iname) {
		return p.fail(p.at(rest), "f_%s takes nothing after it but an iname", id.Class).WithHint("for example f_%s_iname:k", id.Class)
	}
	id.Iname = iname
	return nil
}

// chain reads the kind of operation on a chain, and the loop.
func (p *idParser) chain(c *class, id *ID, rest string) error {
	what := rest
	if at := strings.Index(rest, "_iname:"); at >= 0 {
		what = rest[:at]
		if err := p.loop(c, id, rest[at:]); err != nil {
			return err
		}
	}
	if what == "_global" || what == "_local" {
		id.Space = kernel.Space(what[1:])
		return nil
	}
	return (&idParser{p.text[:len(p.text)-len(rest)+len(what)]}).op(c, id, what)
}

func (p *idParser) sync(_ *class, id *ID, rest string) error {
	return p.name(id, rest, []string{"barrier_local", "barrier_global", kernelLaunch}, "unknown synchronization %q")
}

// name reads one of some names, which is all that is left.
func (p *idParser) name(id *ID, rest string, names []string, unknown string) error {
	rest = strings.TrimPrefix(rest, "_")
	if !slices.Contains(names, rest) {
		return p.fail(p.at(rest), unknown, rest).WithHint("%s", suggest(rest, names, "one of "+strings.Join(names, ", ")))
	}
	id.Op = rest
	return nil
}

func (p *idParser) static(_ *class, id *ID, rest string) error {
	names := lists.Map(launch.Totals(), func(t launch.Total) string { return t.Name })
	return p.name(id, rest, names, "unknown total %q of static features")
}

// end expects nothing more.
func (p *idParser) end(_ *class, id *ID, rest string) error {
	if rest != "" {
		return p.fail(p.at(rest), "f_%s takes nothing after it", id.Class)
	}
	return nil
}

func (p *idParser) time(_ *class, id *ID, rest string) error {
	if rest == "" {
		return nil
	}
	platform, device, ok := strings.Cut(rest[1:], "_")
	if !ok || !lex.IsWord(platform) || !lex.IsWord(device) {
		return p.fail(p.at(rest), "a platform and a device are needed, or neither").WithHint("for example f_cl_wall_time_nvidia_geforce")
	}
	id.Platform, id.Device = platform, device
	return nil
}

// field is an optional part of f_mem_access; fields are written in the order of the table.
type field struct {
	name string
	is   func(part string) bool
	set  func(p *idParser, id *ID, part string) error
}

func prefixed(prefix string) func(string) bool {
	return func(part string) bool { return strings.HasPrefix(part, prefix) }
}

func oneOf(words ...string) func(string) bool {
	return func(part string) bool { return slices.Contains(words, part) }
}

var fields = []field{
	{"tag:<tag>", prefixed("tag:"), (*idParser).setTag},
	{"global, local or constant", oneOf("global", "local", "constant"), func(_ *idParser, id *ID, part string) error {
		id.Space = kernel.Space(part)
		return nil
	}},
	{"dtype", func(part string) bool { return expr.DType(part).Known() }, func(_ *idParser, id *ID, part string) error {
		id.DType = expr.DType(part)
		return nil
	}},
	{"load or store", oneOf("load", "store"), func(_ *idParser, id *ID, part string) error {
		id.Direction = Direction(part)
		return nil
	}},
	{"lstrides:{...}", prefixed("lstrides:"), func(p *idParser, id *ID, part string) (err error) {
		id.LStrides, err = p.strides(part)
		return err
	}},
	{"gstrides:{...}", prefixed("gstrides:"), func(p *idParser, id *ID, part string) (err error) {
		id.GStrides, err = p.strides(part)
		return err
	}},
	{"afr:<constraint>", prefixed("afr:"), (*idParser).setAFR},
}

func (p *idParser) mem(c *class, id *ID, rest string) error {
	type found struct {
		part  string
		field int
	}
	var parts []found
	ordered := true
	last := -1
	var firstWrong string
	for rest != "" {
		rest = rest[1:] // the underscore
		part := cutPart(rest)
		i := slices.IndexFunc(fields, func(f field) bool { return f.is(part) })
		if i < 0 {
			words := append([]string{"global", "local", "load", "store", "lstrides:{}", "gstrides:{}", "afr:", "tag:"}, dtypeNames...)
			return p.fail(p.at(rest), "unknown part %q of a memory access", part).WithHint("%s", suggest(part, words, "the parts, all optional, are "+fieldNames()))
		}
		for _, f := range parts {
			if f.field == i {
				return p.fail(p.at(rest), "a second %s", fields[i].name).WithHint("each part of a memory access is written once")
			}
		}
		if i < last && ordered {
			ordered, firstWrong = false, rest
		}
		last = i
		if err := fields[i].set(p, id, part); err != nil {
			return err
		}
		if id.Space != "" && c.space != "" && id.Space != c.space {
			return p.fail(p.at(rest), "local memory has no lines and sectors").WithHint("leave it out, or count accesses: f_mem_access_local")
		}
		parts = append(parts, found{part, i})
		rest = rest[len(part):]
	}
	if !ordered {
		slices.SortStableFunc(parts, func(a, b found) int { return a.field - b.field })
		right := "f_" + string(id.Class)
		for _, f := range parts {
			right += "_" + f.part
		}
		return p.fail(p.at(firstWrong), "%s is out of order", cutPart(firstWrong)).WithHint("the order is %s: %s", fieldNames(), right)
	}
	return nil
}

func fieldNames() string { return strings.Join(MemoryParts(), ", ") }

// MemoryParts lists the parts of an identifier that select accesses to memory, in their order.
func MemoryParts() (names []string) {
	return lists.Map(fields, func(f field) string { return f.name })
}

// cutPart is the start of text up to the first underscore outside braces.
func cutPart(text string) string {
	depth := 0
	for i, r := range text {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case r == '_' && depth <= 0:
			return text[:i]
		}
	}
	return text
}

func (p *idParser) setTag(id *ID, part string) error {
	tag := strings.TrimPrefix(part, "tag:")
	if !lex.IsName(tag) || strings.Contains(tag, "_") {
		return p.fail(p.offsetOf(part)+len("tag:"), "a tag is letters and digits, a letter first")
	}
	id.Tag = tag
	return nil
}

func (p *idParser) setAFR(id *ID, part string) error {
	text := strings.TrimPrefix(part, "afr:")
	_, number := cutRelation(text)
	if _, ok := parseNumber(number); !ok {
		return p.fail(p.offsetOf(part)+len("afr:"), "afr takes a number, with >, >=, < or <= or nothing before it").WithHint("for example afr:>1")
	}
	id.AFR = text
	return nil
}

// strides checks the constraints of lstrides:{…} or gstrides:{…} and returns what is inside the braces, items separated
// by semicolons.
func (p *idParser) strides(part string) (string, error) {
	start := p.offsetOf(part) + strings.Index(part, ":") + 1
	body := part[strings.Index(part, ":")+1:]
	const example = "for example lstrides:{0:1;1:>15}"
	if len(body) < 2 || body[0] != '{' || body[len(body)-1] != '}' {
		return "", p.fail(start, "strides are written in braces").WithHint(example)
	}
	body = body[1 : len(body)-1]
	start++
	items := strings.FieldsFunc(body, func(r rune) bool { return r == ';' || r == ',' })
	if len(items) == 0 || strings.Count(body, ";")+strings.Count(body, ",") != len(items)-1 {
		return "", p.fail(start, "braces hold constraints, separated by semicolons").WithHint(example)
	}
	for _, item := range items {
		axis, text, ok := strings.Cut(item, ":")
		if !ok || len(axis) != 1 || axis[0] < '0' || axis[0] > '2' {
			return "", p.fail(start, "a constraint is axis:value, with axis 0, 1 or 2").WithHint(example)
		}
		if _, err := parseConstraint(text); err != nil {
			return "", p.fail(start+2, "%v", err).WithHint("a number or an expression in sizes, with >, >=, < or <= or nothing before it, or ? or !? for strides that are not, or are, constant")
		}
		start += len(item) + 1
	}
	return strings.Join(items, ";"), nil
}

// offsetOf is the offset of a part; a kind of part occurs once.
func (p *idParser) offsetOf(part string) int { return strings.Index(p.text, "_"+part) + 1 }

var relations = []string{">=", "<=", ">", "<"}

// cutRelation splits ">15" into ">" and "15"; without a relation the first result is "=".
func cutRelation(text string) (relation, rest string) {
	for _, r := range relations {
		if rest, ok := strings.CutPrefix(text, r); ok {
			return r, rest
		}
	}
	return "=", text
}

// parseNumber reads a decimal number without exponent.
func parseNumber(text string) (*big.Rat, bool) {
	if strings.Trim(strings.TrimPrefix(text, "-"), "0123456789.") != "" || len(text) > 40 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

var dtypeNames = []string{
	"float32", "float64", "float16", "int32", "int64", "int16", "int8", "uint32", "uint64", "uint16", "uint8",
	"complex64", "complex128", "bool",
}

// suggest proposes the candidate that is nearest to what was written, or else says what is possible.
func suggest(word string, candidates []string, otherwise string) string {
	if near := source.Nearest(word, candidates); near != "" {
		return fmt.Sprintf("did you mean %s? %s", near, otherwise)
	}
	return otherwise
}
