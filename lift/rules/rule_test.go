package rules_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/lift"
	"gpuperf/lift/rules"
)

// An instance of a rule is made of the rule's own text: its variables are replaced by random functions, sizes and numbers,
// in a program that has random inputs, and the hole may stand in a context of other patterns.

// leftOf is the left side of the rules in code, as a program that can be read.
var leftOf = map[string]string{
	"iterateSplit":        "iterate(3, f) $ xs",
	"gatherToScatter":     "map(f) o gather(p) $ xs",
	"scatterToGather":     "scatter(p) o map(f) $ xs",
	"splitZip":            "split(n) $ zip(xs, map(neg) $ map(h) $ xs)",
	"zipJoin":             "zip(join $ xs, join o map(gather(reverse)) $ xs)",
	"mapZipFusion":        "map(fun((y, e) => tuple(e, y, y))) $ zip(map(g) $ xs, xs)",
	"mapFission":          "map(fun(x => map(f) o gather(p) $ x)) $ split(n) $ xs",
	"scalarizePartials":   "reduce(f, z) o asScalar o reduce(mapVec(f), vec(w, z)) o join o map(fun(e => generate(1, fun(j => mapVec(f, e, e))))) o asVector(w) $ xs",
	"copyLocalZip2D":      "mapWrg(d, fun(e => map(map(fun(x0 => at(0) o at(0) $ x0))) o map(transpose) o slide(n, 1) o map(slide(m, 1)) o get(0) $ e)) $ zip(xs, xs)",
	"tileSteps":           "iterate(j, map(f) o slide(n, 1) o pad(2, 1, wrap)) $ xs",
	"tileSteps2D":         "iterate(j, map(map(f)) o map(transpose) o slide(n, 1) o map(slide(m, 1)) o pad(1, 1, wrap) o map(pad(1, 0, wrap))) $ xs",
	"copyPrivateZip":      "mapGlb(d, fun(e => map(map(fun(x0 => at(0) o at(0) $ x0))) o map(transpose) o slide(n, 1) o map(slide(m, 1)) o get(0) $ e)) $ zip(xs, xs)",
	"mapFissionZip":       "map(fun(x => map(fun(e => tuple(e, at(0, x)))) o map(g) $ x)) $ split(n) $ xs",
	"letInline":           "let(e = map(f) $ xs, zip(e, gather(p) $ e))",
	"vectorizeZip":        "map(*) $ zip(xs, map(neg) $ xs)",
	"tileStencilsZip2D":   "map(fun((a0, b0) => map(fun((x0, y0) => tuple(at(0) o at(0) $ x0, y0))) $ zip(a0, b0))) $ zip(map(transpose) o slide(n, s) o map(slide(m, u)) $ xs, map(gather(reverse)) o map(map(fun(x0 => at(0) o at(0) $ x0))) o map(transpose) o slide(n, s) o map(slide(m, u)) $ xs)",
	"reduceOutwards":      "map(fun(x0 => join o map(fun(y0 => reduceSeq(fun(a0, e => a0 * c + get(0, e) * get(1, e) + get(1, e)), c) $ zip(map(h) $ y0, gather(p) $ x0))) $ ys)) $ xs",
	"reduceSeqZipSplit":   "reduceSeq(fun(a0, e => a0 * c + get(0, e) - get(1, e)), c) $ zip(xs, map(h) $ ys)",
	"copyLocalOperands":   "reduceSeq(fun(a0, e => a0 * c + (at(0) o at(2) o at(1) $ get(0, e)) - (at(0) o at(1) o at(0) $ get(1, e))), c) $ zip(xs, ys)",
	"copyPrivateOperands": "reduceSeq(fun(a0, e => a0 * c + (at(0) $ get(0, e)) - (at(0) o gather(reverse) $ get(1, e))), c) $ zip(xs, ys)",
	"blockResult":         "at(0) o reduceSeq(fun(a0, e => map(map(map(map(fun(x0 => x0 * c + e))))) $ a0), generate(2, fun(i0 => generate(1, fun(i1 => generate(3, fun(i2 => generate(2, fun(i3 => c))))))))) $ xs",
	"streamStencils2D":    "map(map(fun(x0 => zip(x0, gather(reverse) $ x0)))) o map(transpose) o slide(n, s) $ xs",
	"streamStencils3D":    "map(map(map(fun(x0 => zip(x0, gather(reverse) $ x0))))) o map(map(transpose) o transpose) o slide(n, s) $ xs",
	"streamStencilsZip2D": "map(fun((a0, b0) => map(fun((x0, y0) => tuple(gather(reverse) $ x0, y0))) $ zip(a0, b0))) $ zip(map(transpose) o slide(n, 1) $ xs, map(map(fun(x0 => at(0) $ x0))) o map(gather(reverse)) o map(transpose) o slide(n, 1) $ xs)",
	"streamStencilsZip3D": "map(fun((a0, b0) => map(fun((a1, b1) => map(fun((x0, y0) => tuple(gather(reverse) $ x0, y0))) $ zip(a1, b1))) $ zip(a0, b0))) $ zip(map(map(transpose) o transpose) o slide(n, 1) $ xs, map(map(map(fun(x0 => at(0) $ x0)))) o map(map(transpose) o transpose) o slide(n, 1) $ xs)",
	"tileStencils3D":      "map(map(map(fun(x0 => tuple(at(0) o at(0) o at(0) $ x0, join o join $ x0))))) o map(map(transpose) o transpose) o slide(n, s) o map(map(transpose) o slide(m, u) o map(slide(v, t))) $ xs",
	"tileStencilsZip3D":   "map(fun((a0, b0) => map(fun((a1, b1) => map(fun((x0, y0) => tuple(join o join $ x0, y0))) $ zip(a1, b1))) $ zip(a0, b0))) $ zip(map(map(transpose) o transpose) o slide(n, s) o map(map(transpose) o slide(m, u) o map(slide(v, t))) $ xs, map(gather(reverse)) o map(map(map(fun(x0 => at(0) o at(0) o at(0) $ x0)))) o map(map(transpose) o transpose) o slide(n, s) o map(map(transpose) o slide(m, u) o map(slide(v, t))) $ xs)",
	"copyLocalZip3D":      "mapWrg(d, fun(e => map(map(map(fun(x0 => at(0) $ x0)))) o map(map(transpose) o transpose) o slide(n, 1) o get(0) $ e)) $ zip(xs, xs)",
	"copyLocalVectors":    "reduceSeq(fun(a0, e => a0 * c + (at(0) o at(1) o at(0) $ get(0, e)) - (at(1) o at(3) o at(0) $ get(1, e))), c) $ zip(xs, ys)",
	"reduceMapPad":        "reduce(+, 0) o map(*) $ zip(xs, map(h) $ xs)",
	"takeZip":             "take(n) $ zip(xs, map(h) $ xs)",
	"padStencils":         "map(fun((a0, b0) => map(fun((x0, y0) => tuple(at(0) o at(0) $ x0, y0))) $ zip(a0, b0))) $ zip(map(transpose) o slide(n, s) o map(slide(m, u)) $ xs, map(gather(reverse)) o map(map(fun(x0 => at(0) o at(0) $ x0))) o map(transpose) o slide(n, s) o map(slide(m, u)) $ xs)",
	"padStencilsFront":    "map(fun((a0, b0) => map(fun((x0, y0) => tuple(at(0) o at(0) $ x0, y0))) $ zip(a0, b0))) $ zip(map(transpose) o slide(n, s) o map(slide(m, u)) $ xs, map(gather(reverse)) o map(map(fun(x0 => at(0) o at(0) $ x0))) o map(transpose) o slide(n, s) o map(slide(m, u)) $ xs)",
	"padStencils3D":       "map(map(map(fun(x0 => tuple(at(0) o at(0) o at(0) $ x0, join o join $ x0))))) o map(map(transpose) o transpose) o slide(n, s) o map(map(transpose) o slide(m, u) o map(slide(v, t))) $ xs",
	"copy":                "split(n) $ xs",
	"tupleMaps":           "tuple(map(f) $ xs, map(fun(e => tuple(e, c))) $ xs)",
	"mapPad":              "pad(2, 1, wrap) o map(f) $ xs",
	"letArg":              "padConst(1, 2, c) o map(f) $ xs",
	"generateMap":         "generate(n, fun(x0 => map(fun(y0 => tuple(y0, x0))) $ xs))",
	"scanSplitFrom":       "scanBefore(+, c) $ xs",
	"filterScan":          "filter(fun(e => 1)) $ xs",
	"segmentsMap":         "reduceSegments(+, 0, generate(3, fun(j => j))) $ generate(4, fun(j => j * 3 + 1))",
	"segmentsRows":        "reduceSegments(+, 5, generate(3, fun(j => j))) $ generate(4, fun(j => j * 3 + 1))",
	"segmentsScan":        "reduceSegments(*, 1, generate(4, fun(j => j * j))) $ generate(9, fun(j => j * 3 + 1))",
	"betweenParts":        "reduceBetween(+, 0, 1, 9, s) $ generate(9, fun(j => j * 3 + 1))",
	"letOut":              "gather(p) $ let(e = map(f) $ xs, map(g) $ e)",
	"betweenMapFusion":    "reduceBetween(fun(a0, e => a0 * 2 + e), c, 0, 1, 2) o map(fun(e => 7)) $ xs",
	"zipRotate":           "map(fun((y, e) => tuple(e, y))) $ zip(map(g) $ xs, xs)",
}

// scheme is how the variables of a rule are filled.
type scheme struct {
	r      *rand.Rand
	elem   string // the type of the elements of xs
	n, m   int    // the lengths N and M
	xs, ys string
	sub    map[string]string
	args   rules.Args
}

func (s *scheme) pick(list ...string) string { return list[s.r.Intn(len(list))] }

var word = regexp.MustCompile(`\b[A-Za-z]+\b`)

// fill replaces the variables in a text.
func (s *scheme) fill(text string) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if by, ok := s.sub[w]; ok {
			return by
		}
		return w
	})
}

// unary is the text of a random function on elements; same keeps the type.
func (s *scheme) unary(same bool) string {
	var list []string
	switch {
	case strings.HasPrefix(s.elem, "["):
		list = []string{"map(neg)", "map(fun(e => e * 3 + c))", "gather(reverse)"}
		if !same {
			list = append(list, "reduce(+, 0)", "fun(r => at(0, r))", "slide(2, 1)", "fun(r => zip(r, r))")
		}
	case strings.HasPrefix(s.elem, "("):
		list = []string{"id", "fun((a0, b0) => tuple(b0, a0))", "fun((a0, b0) => tuple(a0 + b0, a0 * c))"}
		if !same {
			list = append(list, "-", "fun((a0, b0) => a0 * b0 + c)", "get(1)")
		}
	case strings.HasPrefix(s.elem, "<"):
		list = []string{"id", "mapVec(neg)", "fun(e => mapVec(+, e, e))"}
	default:
		list = []string{"id", "neg", "abs", "fun(e => e * 3 + 1)", "fun(e => e * e - c)"}
		if !same {
			list = append(list, "fun(e => tuple(e, e + 1))", "fun(e => generate(2, fun(j => e)))")
		}
	}
	return "(" + s.pick(list...) + ")"
}

var binaryF = regexp.MustCompile(`(reduce\w*|partRed|scan\w*)\(f`)

// lengths chooses N and M: three times of four such that what the rule splits, slides over or makes vectors of divides.
func (s *scheme) lengths(rule *rules.Rule, left string) {
	s.n, s.m = 1+s.r.Intn(12), 1+s.r.Intn(6)
	if s.r.Intn(4) == 0 {
		return
	}
	value := func(name string) int {
		v, _ := strconv.Atoi(s.sub[name])
		return v
	}
	both := left + rule.Right
	switch {
	case strings.Contains(left, "slide(n, s)"):
		s.n = value("n") + value("s")*s.r.Intn(4)
		s.m = value("n") + value("s")*s.r.Intn(3)
	case strings.Contains(both, "asVector(w)"):
		s.n = value("w") * (1 + s.r.Intn(3))
	case strings.Contains(left, "split(k)"):
		s.n = value("k") * (1 + s.r.Intn(3))
	case strings.Contains(left, "split(m)") && strings.Contains(left, "split(n)"):
		s.sub["m"] = strconv.Itoa(value("n") * (1 + s.r.Intn(2)))
		s.n = value("m") * (1 + s.r.Intn(2))
	case strings.Contains(left, "split(n) o join"):
		s.m = value("n")
	case strings.Contains(both, "split(n)"):
		s.n, s.m = value("n")*(1+s.r.Intn(3)), value("n")*(1+s.r.Intn(2))
	case strings.Contains(both, ", m)"):
		s.n = value("m") * (1 + s.r.Intn(3))
	}
}

// ofWindow is a random function on the windows of a slide.
func (s *scheme) ofWindow() string {
	return "(" + s.pick("fun(x0 => at(0, x0))", "gather(reverse)", "fun(x0 => zip(x0, x0))", "map("+s.unary(true)+")", "map("+s.unary(false)+")", "split(1)") + ")"
}

// instance fills the rule's variables at random.
func newScheme(r *rand.Rand, rule *rules.Rule, left string) *scheme {
	s := &scheme{r: r, args: rules.Args{}}
	scalar := s.pick("int32", "float32")
	s.elem = s.pick(scalar, scalar, "("+scalar+", "+scalar+")", "["+scalar+"]"+strconv.Itoa(1+r.Intn(3)))
	if strings.Contains(rule.Types, "scalar") {
		s.elem = scalar
	}
	if strings.Contains(rule.Types, "vector") {
		s.elem = "<" + scalar + ">" + s.pick("2", "4")
	}
	binary := binaryF.MatchString(left) || strings.Contains(left, "f(x, y)")
	if binary && strings.HasPrefix(s.elem, "[") || rule.Name == "splitZip" || rule.Name == "copyLocal" {
		s.elem = scalar
	}
	num := func(most int) string { return strconv.Itoa(1 + r.Intn(most)) }
	s.sub = map[string]string{
		"n": num(6), "m": num(6), "s": num(4), "t": num(6), "u": num(3), "v": num(6), "k": num(4), "i": num(3), "r": num(5),
		"d": strconv.Itoa(r.Intn(2)), "w": s.pick("2", "4"), "z": "0",
		"f": s.unary(false), "g": s.unary(true), "h": s.unary(true),
		"p": s.pick("reverse", "shift(1)", "shift(2)", "stride(2)", "stride(3)", `index("(5*i + 1) % n")`),
	}
	s.lengths(rule, left)
	shape := func(name, fallback string) string {
		for _, part := range strings.Split(rule.Types, ", ") {
			if t, ok := strings.CutPrefix(part, name+": "); ok {
				t = strings.NewReplacer("A", s.elem, "scalar", s.elem, "vector", s.elem).Replace(t)
				return strings.NewReplacer("N", strconv.Itoa(s.n), "M", strconv.Itoa(s.m)).Replace(t)
			}
		}
		return fallback
	}
	s.xs = shape("xs", "["+s.elem+"]1")
	s.ys = shape("ys", s.xs)
	s.sub["q"] = s.sub["p"]
	if r.Intn(2) == 0 { // a pair of inverse strides
		a := 1 + r.Intn(4)
		s.sub["p"], s.sub["q"] = fmt.Sprintf("stride(%d)", a), fmt.Sprintf("stride(%d)", max(1, s.n/a))
	}
	switch {
	case binary && strings.HasPrefix(s.elem, "("):
		s.sub["f"], s.sub["z"] = "plus2", s.pick("tuple(0, 0)", "tuple(0, 0)", "tuple(1, 0)")
		if scalar == "float32" {
			s.sub["f"], s.sub["z"] = "plusf", s.pick("tuple(0.0f, 0.0f)", "tuple(0.0f, 0.0f)", "tuple(1.0f, 0.0f)")
		}
	case binary:
		choice := [][2]string{{"+", "0"}, {"+", "0"}, {"*", "1"}, {"-", "0"}, {"max", "5"}, {"+", "5"}, {"(fun(a0, b0 => a0 * 2 + b0))", "1"}, {"+", "c"}}[r.Intn(8)]
		s.sub["f"], s.sub["z"] = choice[0], choice[1]
		if scalar == "float32" && s.sub["z"] != "c" {
			s.sub["z"] += ".0f"
		}
		if s.sub["f"] == "max" && strings.Contains(left, "f(x, y)") {
			s.sub["f"] = "-"
		}
	case strings.Contains(left, "iterate"):
		s.sub["f"] = "(map" + s.unary(true) + ")"
	case strings.Contains(left, "map(map(f))") && strings.HasPrefix(s.elem, "["):
		s.sub["f"] = s.unary(true)
	}
	switch rule.Name {
	case "mapID", "mapSeqID":
		s.sub["f"] = s.pick("id", "id", s.sub["f"])
	case "copyLocalOperands":
		if r.Intn(4) > 0 {
			s.sub["i"], s.sub["k"] = strconv.Itoa(r.Intn(3)), strconv.Itoa(r.Intn(3))
			s.sub["m"], s.sub["w"] = "2", s.pick("1", "2")
		}
	case "mapWrg", "copyLocal", "copyPrivate", "copyPrivateGlb": // functions of rows
		s.sub["f"] = s.pick("(map"+s.unary(false)+")", "(fun(row => map(fun(e => at(0, row)))$ row))")
	case "copyLocal3D", "copyPrivateGlb3D":
		s.sub["f"] = "(map(map(map" + s.unary(false) + ")))"
	case "copyLocalVectors":
		s.sub["m"], s.sub["w"], s.sub["n"], s.sub["u"] = s.pick("1", "2", "4"), s.pick("1", "2"), s.pick("1", "2"), "2"
		s.sub["i"], s.sub["k"] = s.pick("0", "1"), s.pick("0", "1")
	case "tileSteps", "tileSteps2D":
		s.sub["j"], s.sub["n"], s.sub["m"] = num(3), s.pick("4", "4", "3"), "2"
		s.sub["f"] = s.pick("(fun(x0 => at(0, x0) * 3 + (at(0) o gather(reverse) $ x0)))", "(fun(x0 => at(2, x0) - at(1, x0) * c))")
		tall, wide := 1+r.Intn(3), 1+r.Intn(2)
		s.sub["t"], s.sub["k"] = strconv.Itoa(tall), strconv.Itoa(wide)
		s.xs = fmt.Sprintf("[%s]%d", scalar, tall*(1+r.Intn(3)))
		if rule.Name == "tileSteps2D" {
			s.sub["n"] = s.pick("3", "3", "3", "2")
			s.sub["f"] = s.pick("(fun(x0 => (at(0) o at(0) $ x0) * 3 + (at(0) o gather(reverse) o at(2) $ x0)))", "(fun(x0 => (at(1) o at(1) $ x0) - (at(0) o at(0) $ x0) * c))")
			s.xs = fmt.Sprintf("[[%s]%d]%d", scalar, wide*(1+r.Intn(3)), tall*(1+r.Intn(3)))
		}
	case "tileStages2D":
		rows, columns, tall, wide := 1+r.Intn(3), 1+r.Intn(3), 1+r.Intn(3), 1+r.Intn(2)
		s.sub["n"], s.sub["m"], s.sub["t"], s.sub["k"] = strconv.Itoa(rows), strconv.Itoa(columns), strconv.Itoa(tall), strconv.Itoa(wide)
		s.xs = fmt.Sprintf("[[%s]%d]%d", s.elem, columns-1+wide*(1+r.Intn(3)), rows-1+tall*(1+r.Intn(3)))
		if r.Intn(4) == 0 { // seldom a divisor
			s.sub["t"] = num(6)
		}
	case "reduceMapPad":
		s.elem = scalar
		if r.Intn(4) == 0 { // nothing makes 0 of it
			s.sub["h"] = "(fun(e => e * e + 1))"
		}
	case "tileStencils3D", "tileStencilsZip3D", "padStencils3D":
		s.xs = s.elem
		for _, names := range [][3]string{{"v", "t", "w"}, {"m", "u", "k"}, {"n", "s", "i"}} {
			width, tile := 1+r.Intn(2), 1+r.Intn(2)
			s.sub[names[0]], s.sub[names[1]], s.sub[names[2]] = strconv.Itoa(width), "1", strconv.Itoa(tile)
			s.xs = fmt.Sprintf("[%s]%d", s.xs, width-1+tile*(1+r.Intn(2)))
		}
		if r.Intn(4) == 0 { // seldom a divisor
			s.sub["i"] = num(6)
		}
	case "copyLocal2D", "copyPrivate2D", "copyPrivateGlb2D":
		s.sub["f"] = "(map(map" + s.unary(false) + "))"
	case "mapUnroll", "mapSeqSlide", "slideUnroll":
		if rule.Name != "mapUnroll" {
			s.sub["f"] = s.ofWindow()
		}
		if strings.HasPrefix(s.elem, "[") && r.Intn(4) == 0 {
			s.sub["f"] = "(map(mapLcl(0, id)))"
			if rule.Name == "mapUnroll" {
				s.sub["f"] = "(mapLcl(0, id))"
			}
		}
	case "partRedIterate", "partRedSplit":
		if r.Intn(4) > 0 {
			a, b, k := 1+r.Intn(3), 1+r.Intn(2), r.Intn(3)
			n := a * b
			s.sub["m"], s.sub["k"], s.sub["n"] = strconv.Itoa(n), strconv.Itoa(k), strconv.Itoa(1+r.Intn(3))
			chunk, _ := strconv.Atoi(s.sub["n"])
			for range k {
				n *= chunk
			}
			if rule.Name == "partRedSplit" {
				s.sub["n"] = strconv.Itoa(n / a)
			}
			s.xs = "[" + s.elem + "]" + strconv.Itoa(n)
		}
	case "slideTiling", "tileStencils", "tileStencils2D", "tileStencilsZip2D", "padStencils", "padStencilsFront": // sizes at random would seldom divide
		s.sub["f"] = s.ofWindow()
		if r.Intn(4) > 0 {
			wide := func(width, tile, length string) {
				w, t := 1+r.Intn(3), 1+r.Intn(3)
				s.sub[width], s.sub[tile] = strconv.Itoa(w), strconv.Itoa(t)
				s.xs = strings.Replace(s.xs, "]"+length, "]"+strconv.Itoa(w-1+t*(1+r.Intn(2))), 1)
			}
			s.sub["s"], s.sub["u"] = "1", "1"
			s.xs = strings.NewReplacer("A", s.elem, "N", "?N", "M", "?M").Replace(strings.TrimPrefix(rule.Types, "xs: "))
			wide("n", "t", "?N")
			wide("m", "v", "?M")
		}
	}
	for _, p := range rule.Params {
		v, _ := strconv.Atoi(s.sub[p.Name])
		s.args[p.Name] = lift.Nat(int64(v))
	}
	return s
}

// frame is a context: its text around the hole, how many arrays it maps over, and the path to the hole.
type frame struct {
	before, after string
	nest          int
	path          []int
}

var frames = []frame{
	{"", "", 0, nil},
	{"map(fun(xs => ", ")) $ xs", 1, []int{0, 0}},
	{"mapWrg(0, fun(xs => ", ")) $ xs", 1, []int{0, 0}},
	{"mapWrg(0, mapLcl(0, fun(xs => ", "))) $ xs", 2, []int{0, 0, 0, 0}},
	{"mapWrg(1, mapWrg(0, fun(xs => ", "))) $ xs", 2, []int{0, 0, 0, 0}},
	{"mapGlb(0, fun(xs => ", ")) $ xs", 1, []int{0, 0}},
	{"mapSeq(fun(xs => ", ")) $ xs", 1, []int{0, 0}},
}

// placed are the frames in which rules hold that need one: half of their instances stand there.
var placed = map[string]int{"mapLcl": 2, "mapWrg": 0, "mapGlb": 0, "toPrivate": 3, "reduceResult": 2}

// siteAt follows a path; ok is false where the canonical form of the context is another.
func siteAt(t *lift.Term, path []int) (*lift.Term, *rules.Site, bool) {
	var site *rules.Site
	for _, k := range path {
		if k >= len(t.Kids) {
			return nil, nil, false
		}
		site = &rules.Site{site, t, k}
		t = t.Kids[k]
	}
	return t, site, true
}

// functions are declared in the instances that use them.
var functions = map[string]string{
	"plus2": `def plus2(a: (int32, int32), b: (int32, int32)): (int32, int32) = a[0] + b[0], a[1] + b[1]
associative
commutative
neutral tuple(0, 0)
`,
	"plusf": `def plusf(a: (float32, float32), b: (float32, float32)): (float32, float32) = a[0] + b[0], a[1] + b[1]
associative
commutative
neutral tuple(0.0f, 0.0f)
`,
}

var errSkip = errors.New("no instance")

// try makes one instance and applies the rule; it returns errSkip where the left side has no type, a *Refused, or a
// counterexample.
func try(r *rand.Rand, rule *rules.Rule, left string) error {
	s := newScheme(r, rule, left)
	fr := frames[r.Intn(len(frames))]
	if at, ok := placed[rule.Name]; ok && r.Intn(2) == 0 {
		fr = frames[at]
	}
	hole := s.fill(left)
	xs := s.xs
	if strings.Contains(left, "partRed") { // what it makes is determined only when it is reduced
		fr = frame{s.fill("reduce(f, z) $ "), "", 0, []int{2}}
	}
	for range fr.nest {
		xs = "[" + xs + "]2"
	}
	c := "int32"
	if strings.Contains(s.elem, "float32") {
		c = "float32"
	}
	text := fmt.Sprintf("%sfun(xs: %s, ys: %s, c: %s => %s%s%s)", functions[s.sub["f"]], xs, s.ys, c, fr.before, hole, fr.after)
	p, err := lift.Parse(text)
	if err != nil {
		return errSkip
	}
	t, site, ok := siteAt(p.Body, fr.path)
	if !ok {
		return errSkip
	}
	right, err := rule.Apply(t, site, s.args, rules.Options{})
	if err != nil {
		return err
	}
	body, err := (&rules.Run{}).Do(rules.At(fr.path, func(*rules.Run, *lift.Term, *rules.Site) (*lift.Term, error) { return right, nil }), p.Body)
	if err != nil {
		return fmt.Errorf("%s\nbecomes ill-typed: %w", text, err)
	}
	q, err := p.WithBody(body)
	if err != nil {
		return fmt.Errorf("%s\nbecomes ill-typed: %w", text, err)
	}
	inputs := []lift.Value{randomValue(r, p.Inputs[0].Type), randomValue(r, p.Inputs[1].Type), randomValue(r, p.Inputs[2].Type)}
	opt := lift.EvalOptions{Reorder: r}
	a, errA := lift.Eval(p, nil, inputs, opt)
	b, errB := lift.Eval(q, nil, inputs, opt)
	if errA != nil && errB != nil {
		return errSkip
	}
	if errA != nil || errB != nil {
		return fmt.Errorf("%s\nbecomes\n%s\n%v, %v", text, q, errA, errB)
	}
	if p.Body.Ops().Has(lift.Reorder) || q.Body.Ops().Has(lift.Reorder) {
		a, b = sorted(a, fr.nest), sorted(b, fr.nest)
	}
	if err := lift.Same(a, b, 0); err != nil {
		return fmt.Errorf("%s\nbecomes\n%s\n%w", text, q, err)
	}
	return nil
}

// sorted forgets the order of the array at a depth.
func sorted(v lift.Value, depth int) lift.Value {
	xs := slices.Clone(v.(lift.Values))
	if depth > 0 {
		for i := range xs {
			xs[i] = sorted(xs[i], depth-1)
		}
		return xs
	}
	slices.SortFunc(xs, func(a, b lift.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return xs
}

func randomValue(r *rand.Rand, t *lift.Type) lift.Value {
	switch t.Kind {
	case lift.ScalarType:
		if t.DType.IsInteger() {
			return lift.Exact(int64(r.Intn(21)-10), 1)
		}
		return lift.Num{Rat: big.NewRat(int64(r.Intn(41)-20), int64(1+r.Intn(3)))}
	case lift.ArrayType:
		n, _ := t.Len.Const()
		out := make(lift.Values, n)
		for i := range out {
			out[i] = randomValue(r, t.Elem)
		}
		return out
	}
	elems := t.Elems
	if t.Kind == lift.VectorType {
		elems = slices.Repeat([]*lift.Type{lift.Scalar(t.DType)}, t.Width)
	}
	out := make(lift.Values, len(elems))
	for i, e := range elems {
		out[i] = randomValue(r, e)
	}
	return out
}

// sample applies the rule to random instances until it was accepted often enough.
func sample(rule *rules.Rule, want, most int) (accepted, refused int, err error) {
	r := rand.New(rand.NewSource(int64(len(rule.Name)) * 7919))
	left := rule.Left
	if l, ok := leftOf[rule.Name]; ok {
		left = l
	}
	for i := 0; i < most && accepted < want; i++ {
		err := try(r, rule, left)
		var no *rules.Refused
		switch {
		case err == nil:
			accepted++
		case errors.Is(err, errSkip):
		case errors.As(err, &no):
			refused++
		default:
			return accepted, refused, err
		}
	}
	return accepted, refused, nil
}

// Every rule keeps type and meaning on at least 25 random instances, with LONG=1 on 1000; instances whose sizes do not divide, whose functions
// have not the properties, or whose context is another, are refused.
func TestRulesHold(t *testing.T) {
	want := 25
	if os.Getenv("LONG") != "" {
		want = 1000
	}
	for _, rule := range rules.All() {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			accepted, refused, err := sample(rule, want, 100*want)
			if err != nil {
				t.Fatalf("%s does not hold:\n%v", rule, err)
			}
			if accepted < want {
				t.Errorf("%s: only %d instances, and %d refused", rule, accepted, refused)
			}
			chosen := slices.ContainsFunc(rule.Params, func(p rules.Param) bool { return p.Kind != rules.More }) // any number may be added
			if refused == 0 && (chosen || len(rule.Where) > 0) && !strings.HasPrefix(rule.Name, "reduceUnroll") {
				t.Errorf("%s: no instance was refused", rule)
			}
		})
	}
}
