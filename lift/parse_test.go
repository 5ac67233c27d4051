package lift

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/internal/lex"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
)

// Editors may begin a file with a byte order mark, and end lines in their own way.
func TestParseFilesOfEditors(t *testing.T) {
	p, err := Parse("\ufeffprogram p\r\nsize n\r\nfun(xs: [float32]n => map(abs) $ xs)\r\n")
	if err != nil || p.Name != "p" {
		t.Errorf("%v, %v", p, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, at, want string }{
		{"fun(xs: [float32]n => xs)", "1:5", "size symbol n is not declared"},
		{"size n\nfun(xs: [float32]n => map(foo) $ xs)", "2:27", "unknown name foo"},
		{"size n\nfun(xs: [float32]n => map(abs) o join $ xs)", "2:34", "join: it works on an array of arrays, not on [float32]n"},
		{"size n\nfun(xs: [float32]n => reduce(+, 0.5) $ map(fun(x => at(0, x))) $ xs)", "2:53", "at: it works on an array, not on float32"},
		{"size n, m\nfun(xs: [float32]n, ys: [float32]m => zip(xs, ys))", "2:39", "lengths n and m"},
		{"size n\nfun(xs: [int32]n => map(sqrt) $ xs)", "2:25", "sqrt works on floating-point numbers, not on int32"},
		{"size n\nfun(xs: [float32]n => split(3, 4, xs))", "2:35", "too many arguments"},
		{"size n\nfun(xs: [float32]n => split() $ xs)", "2:23", "argument 1 of split is missing"},
		{"fun(xs: [float32]10 => split(3) $ xs)", "1:24", "3 | 10 never holds"},
		{"fun(xs: [float32]10 => xs", "1:4", "the bracket is never closed"},
		{"fun(x: float32 => fun(y => y))", "1:19", "is a function, but a value is expected"},
		{"fun(x: float32 => x(x))", "1:19", "a function is expected, but this is a value of type float32"},
		{"fun(x: floaty => x)", "1:8", "unknown type floaty"},
		{"def f(x: float32): float32 = x + y\nfun(x: float32 => f(x))", "1:5", "y is no parameter"},
		{"def f(x: float32): float32 = x + * 2\nfun(x: float32 => f(x))", "1:34", "a value is missing between"},
		{"def f(x: float32): float32 = sum(k, x)\nfun(x: float32 => f(x))", "1:5", "a definition cannot contain a reduction"},
		{"def f(x: float32): float32 = x associative\nfun(x: float32 => f(x))", "", ""},
		{"def f(x: float32): float32 = x\nassociative\nfun(x: float32 => f(x))", "1:5", "two parameters"},
		{"def f(x: float32): float32\nfun(x: float32 => f(x))", "1:5", "neither an expression nor a body"},
		{"def f(x: float32): float32 = x\nfun(x: int32 => f(x))", "2:17", "parameter x of f is float32, but the argument is int32"},
		{"size n\nassume n 4\nfun(x: int32 => x)", "2:10", "expected | or >="},
		{"size n\nassume 3 | 4\nfun(x: int32 => x)", "2:8", "never holds"},
		{"fun(map: int32 => map)", "1:5", "already has a meaning"},
		{"fun(x: int32 => let(f = fun(y => f(y)), f(x)))", "1:34", "unknown name f"},
		{"fun(x: int32 => @)", "1:17", "unexpected character '@'"},
		{"fun(xs: [float32]4 => mapGlb(3, abs) $ xs)", "1:23", "dimension is 0, 1 or 2"},
		{`fun(xs: [float32]4 => gather(index("j")) $ xs)`, "1:30", "size symbol j is not declared"},
		{"", "1:1", "expected a declaration"},
		{"size n\nfun(xs: [int32]n => map(fun(x => x % 2)) $ xs)", "2:36", "% stands in functions on numbers"},
		{"size n\nfun(xs: [int32]n => map(fun(x => x if x > 2 else 0)) $ xs)", "2:36", "if stands in functions on numbers"},
		{"size n\nfun(xs: [int32]n => map(fun(x => 1 + pow(x, 2))) $ xs)", "2:38", "pow stands in functions on numbers"},
		{"size n\nfun(xs: [float32]n => mpa(abs) $ xs)", "2:23", "did you mean map?"},
		{"size n\nfun(xs: [float32]n => map(abs) $ ys)", "2:34", "did you mean xs?"},
		{"size n\nfun(xs: [float32]n => frobnicate $ xs)", "2:23", "patterns are append asScalar asVector at"},
		{"size n\nfun(xs: [float32]n => map(abs, abs) $ xs)", "2:23", "map(f, xs)"},
		{"fun(() => 1)", "1:5", "an input has a name and a type"},
		{"fun((): float32 => 1)", "1:5", "an input has a name and a type"},
		{"program a\nprogram b\nfun(x: int32 => x)", "2:1", "named a already"},
		{"size n\nfun(xs: [float32]n => map(abs $ xs)", "2:4", "never closed"},
		{"fun(xs: [float32]0 => xs)", "1:5", "0 >= 1 never holds"},
		{"fun(xs: [float32](2 - 6) => xs)", "1:5", "-4 >= 1 never holds"},
		{"size n\nfun(xs: [bool]n => xs)", "2:5", "inputs must be numbers"},
		{"size n\nfun(xs: [float32x4]n => xs)", "2:10", "unknown type float32x4"},
		{"fun(x: int32 => x + 2147483648)", "1:19", "2147483648 does not fit int32"},
		{"fun(x: uint8 => x + -1)", "1:19", "-1 does not fit uint8"},
		{"def f(x: float32): float32 = f(x)\nfun(x: float32 => f(x))", "1:5", "a definition calls f"},
		{"def f(x: float32): float32 = pow(x)\nfun(x: float32 => f(x))", "1:5", "pow takes 2 arguments, not 1"},
		{"def f(p: (int32, int32)): int32 = p[2]\nfun(x: int32 => x)", "1:5", "p[2] is no component of (int32, int32)"},
		{"def f(p: (int32, int32), i: int32): int32 = p[i]\nfun(x: int32 => x)", "1:5", "p[i] is no component"},
		{"def f(p: (int32, int32)): int32 = p\nfun(x: int32 => x)", "1:5", "p is the tuple"},
		{"def f(x: int32): int32 = x[0]\nfun(x: int32 => x)", "1:5", "x is a number"},
		{"def f(x: int32): int32 = y\n    where y = x\n    where y = x\nfun(x: int32 => x)", "1:5", "two values are named y"},
		{"def sin(x: float32): float32 = x\nfun(x: float32 => x)", "1:5", "a function of OpenCL C"},
		{"def f(x: float32): float32 = x\n    ops float32 foo 3\nfun(x: float32 => x)", "2:17", "unknown operation foo"},
		{"size n\nfun(xs: [float32]n => gather(index(\"i %\")) $ xs)", "2:40", "a value is missing after"},
		{"size n, n\nfun(x: int32 => x)", "1:9", "size n is declared twice"},
		{"def f(x: int32): int32 = x\ndef f(x: int32): int32 = 2*x\nfun(x: int32 => f(x))", "2:1", "function f is defined twice"},
		{"fun(x: int32 => x)\nsize n", "2:1", "expected the end"},
		{"program 3\nfun(x: int32 => x)", "1:9", "expected the name of the program"},
		{"def f(x: int32): int32 = x\nfun(f: int32 => f)", "2:5", "f is declared already"},
		{"def f x: int32): int32 = x\nfun(x: int32 => x)", "1:7", "expected \"(\""},
		{"def f(x: int32) = x\nfun(x: int32 => x)", "1:17", "expected \":\""},
		{"def f(x: int32): int32 =\nfun(x: int32 => x)", "2:1", "a value is missing between \"=\" and \"fun\""},
		{"def f(x: int32): int32 = x where y 3\nfun(x: int32 => x)", "1:28", "unexpected \"where\""},
		{"def f(x: int32): int32 = x\n where y 3\nfun(x: int32 => x)", "2:10", "expected ="},
		{"def f(x: int32): int32\n c return\nfun(x: int32 => x)", "2:4", "the body in OpenCL C, in quotes"},
		{"def f(x: int32): int32 = x\n ops int32\nfun(x: int32 => x)", "3:1", "unknown operation fun"},
		{"def f(x: [int32]4): int32 = 1\nfun(x: int32 => x)", "1:5", "not a scalar, a vector or a tuple"},
		{"def f(x: int32): (int32, int32) = x\nfun(x: int32 => x)", "1:5", "1 expressions define a result of 2 components"},
		{"def f(x: int32, x: int32): int32 = x\nfun(x: int32 => x)", "1:17", "two parameters are named x"},
		{"def f(x: int32): (int32, int32)\n c \"return x;\"\nfun(x: int32 => x)", "1:5", "cannot give the tuple"},
		{"def f(x: int32, y: int32): int32 = x\n neutral 0.5f\nfun(x: int32 => x)", "1:5", "the neutral element 0.5f is float32"},
		{"def f(x: int32): int32 = x\nfun(x: int32 => f(x, x))", "2:17", "f takes 1 arguments, not 2"},
		{"size n\nfun(xs: [float32]n => \"text\")", "2:23", "a text is no value"},
		{"fun(x: int32 => x^2)", "1:18", "^ is allowed only in sizes"},
		{"fun(x: int32 => abs())", "1:17", "abs is applied to nothing"},
		{"size n\nfun(xs: [float32]n => xs + xs)", "2:26", "+ works on scalars"},
		{"size n\nfun(xs: [float32]n => map(fun(x, y => x)) $ xs)", "2:27", "this fun has 2 parameters, but is given 1"},
		{"size n\nfun(xs: [float32]n => map(fun(x: int32 => x)) $ xs)", "2:31", "parameter x is given float32, not int32"},
		{"size n\nfun(xs: [float32]n => map(fun((x, y) => x)) $ xs)", "2:31", "a tuple of 2 is expected"},
		{"fun(x: int32 => float32(x))", "1:25", "this is no number"},
		{"fun(x: int32 => abs(abs))", "1:21", "abs is a function, but a value is expected"},
		{"fun(x: int32 => vec(4))", "1:17", "vec takes a width and a number"},
		{"fun(x: int32 => vec(3, 1))", "1:17", "the width of a vector is 2, 4, 8 or 16, not 3"},
		{"size n\nfun(xs: [float32]n => get(n, xs))", "2:27", "a whole number is expected"},
		{"size n\nfun(xs: [float32]n => pad(1, 1, around) $ xs)", "2:33", "the mode is one of clamp, mirror, wrap, any"},
		{"size n\nfun(xs: [float32]n => gather(backwards) $ xs)", "2:30", "the index function is reverse"},
		{"size n\nfun(xs: [float32]n => n)", "2:23", "n is a size, but a value is expected"},
		{"size n\nfun(xs: [float32]n => map(abs))", "2:23", "map is a function, but a value is expected"},
		{"size n\nfun(xs: [float32]n => reduce(+, 0.0f, fun(x => x)))", "2:23", "reduce works on a value, but is given the function"},
		{"fun(xs: [float32]4, => xs)", "1:21", "expected the name of a variable"},
		{"fun(xs [float32]4 => xs)", "1:8", "after a parameter"},
		{"fun xs", "1:5", "expected \"(\""},
		{"fun(x: int32 => map(fun(=> 1)))", "1:21", "a fun has parameters"},
		{"fun(x: int32 => let y = x, y))", "1:21", "expected \"(\""},
		{"fun(x: int32 => let(y x, y))", "1:23", "expected \"=\""},
		{"fun(x: [int32 => x)", "1:15", "expected \"]\""},
		{"fun(x: <float32>3 => x)", "1:17", "the width of a vector is 2, 4, 8 or 16, not 3"},
		{"fun(x: (float32) => x)", "1:8", "a tuple has two components or more"},
		{"fun(x: [float32]* => x)", "1:17", "expected a size"},
		{"fun(x: [float32]1.5 => x)", "1:17", "1.5 is not a size"},
		{"size n\nfun(x: [float32](4/(n + 1)) => x)", "2:19", "cannot be divided"},
		{"size n\nfun(x: [float32](n^99) => x)", "2:19", "the exponent is a number up to 64"},
		{"size n\nfun(x: [float32](abs(n)) => x)", "2:18", "this is not a size"},
		{"fun(x: int32 => (x + 1 x))", "1:24", "expected \")\""},
		{"fun(x: int32 => 2 +)", "1:20", "a value is missing"},
		{"fun(x: int32 => x + 1.5)", "1:19", "float64"},
		{"size n\nfun(xs: [float32]n => asVector(3) $ xs)", "2:23", "the width of a vector"},
		{"size n\nfun(xs: [float32]n => filter(abs) $ xs)", "2:23", "filter: its function returns float32"},
		{"size n\nfun(xs: [float32]n => put(xs) $ xs)", "2:23", "put: it takes pairs"},
		{"size n\nfun(xs: [float32]n => reduceSegments(+, 0.0f, xs) $ xs)", "2:23", "the starts of the segments"},
		{"size n\nfun(xs: [float32]n => map(fun(x => x + 1)) o unzip $ xs)", "2:46", "unzip: it works on an array of tuples"},
		{"size n\nfun(xs: [float32]n => reduce(+, 0) $ map(fun(x => 1)) $ zip(xs, 3))", "2:57", "zip: it works on arrays"},
		{"size n\nfun(xs: [float32]n => reduceSeq(fun(a, x => vec(2, 1.0f)), 0.0f) $ xs)", "2:23", "its function returns <float32>2"},
	} {
		_, err := Parse(c.text)
		if c.want == "" && c.at == "" {
			if err == nil {
				t.Errorf("%q parses", c.text)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.at+":") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q:\n%v\nwant %s: … %s", c.text, err, c.at, c.want)
			continue
		}
		if place := (*source.Error)(nil); !errors.As(err, &place) || place.Hint == "" {
			t.Errorf("%q: the error does not say what would be right:\n%v", c.text, err)
		}
	}
}

// The program of the package comment.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var program strings.Builder
	for line := range strings.Lines(string(text)) {
		if code, ok := strings.CutPrefix(line, "//\t"); ok {
			program.WriteString(code)
		}
	}
	p, err := Parse(program.String())
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Type(); got != Array(Float32, Nat(1)) {
		t.Errorf("type %s", got)
	}
}

// A program that repeats itself exponentially is refused and not read for ever.
func TestParseIsBounded(t *testing.T) {
	text := "fun(x: float32 => fun(y => y + y) $ " + strings.Repeat("fun(y => y + y) $ ", 40) + "x)"
	if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("2^40 additions: %v", err)
	}
	deep := "fun(x: float32 => " + strings.Repeat("(", 100000) + "x"
	if _, err := Parse(deep); err == nil || !strings.Contains(err.Error(), "nested more than") {
		t.Errorf("100000 brackets: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(examples, "*.lift"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("size n\nassume 4 | n\ndef g(x: float32, y: float32): float32 = x*y c \"return x*y;\" ops float32 mul 1\nneutral 1\nfun(xs: [<float32>4](n/4 + 1) => scatter(shift(1)) o mapSeq(fun(v => mapVec(g, v, vec(4, -1e-3f)))) $ xs)")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		if again.Body != p.Body || again.String() != p.String() {
			t.Fatalf("%s\nbecame\n%s", p, again)
		}
	})
}

func FuzzSize(f *testing.F) {
	for _, s := range []string{"n", "n/4 + 1", "3*n*m/(2*k) - 1", "(n + 2)*(n - 2)/(n + 2)", "n^2", "-n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSize(text)
		if err != nil {
			return
		}
		if again, err := parseSize(s.String()); err != nil || again != s {
			t.Fatalf("%s became %s, %v", s, again, err)
		}
	})
}

// parseTerm reads an expression in which the size symbols stand and that has no inputs.
func parseTerm(text string, sizeSymbols ...string) (t *Term, err error) {
	e, err := newElaborator(text)
	if err != nil {
		return nil, err
	}
	defer throw.Catch(&err)
	for _, s := range sizeSymbols {
		e.sizes[s] = true
	}
	n := e.expr()
	if e.Tok().Kind != lex.End {
		e.expected("the end", "")
	}
	if n.kind == nodeFun {
		f, _ := e.typedFun(n)
		return f, nil
	}
	return e.term(n.at, e.elab(n, nil), nil), nil
}

// parseSize reads a size.
func parseSize(text string) (s Size, err error) {
	e, err := newElaborator(text)
	if err != nil {
		return Size{}, err
	}
	defer throw.Catch(&err)
	s = e.size(e.expr())
	if e.Tok().Kind != lex.End {
		e.expected("the end", "")
	}
	return s, nil
}
