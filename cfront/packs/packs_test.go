package packs_test

import (
	"maps"
	"strings"
	"testing"

	"gpuperf/cfront/cpp"
	"gpuperf/cfront/packs"
)

func TestExpand(t *testing.T) {
	for text, want := range map[string]string{
		"f(a...)":                          "f ( a__0 , a__1 )",
		"f(1, z..., 2)":                    "f ( 1 , 2 )",
		"f(z..., 2)":                       "f ( 2 )",
		"f(z...)":                          "f ( )",
		"void f(T &&... x) { g(x...); }":   "void f ( T__0 && x__0 , T__1 && x__1 ) { g ( x__0 , x__1 ) ; }",
		"void f(int n, Z... x) { g(x...)}": "void f ( int n ) { g ( ) }",
		"f(std::forward<T>(a)...)":         "f ( std :: forward < T__0 > ( a__0 ) , std :: forward < T__1 > ( a__1 ) )",
		"g(f(a...) + a...)":                "g ( f ( a__0 , a__1 ) + a__0 , f ( a__0 , a__1 ) + a__1 )",
		"t<w<T>...> x":                     "t < w < T__0 > , w < T__1 > > x",
		"t<w<v<T>>...>":                    "t < w < v < T__0 >> , w < v < T__1 >> >",
		"sizeof...(T) - 1":                 "2 - 1",
		"(a + ...)":                        "( a__0 + a__1 )",
		"(c - ...)":                        "( c__0 - ( c__1 - c__2 ) )",
		"(... - c)":                        "( ( c__0 - c__1 ) - c__2 )",
		"(c * 2 + ... + 1)":                "( c__0 * 2 + ( c__1 * 2 + ( c__2 * 2 + 1 ) ) )",
		"(1 + ... + c)":                    "( ( ( 1 + c__0 ) + c__1 ) + c__2 )",
		"((y[i] = a), ...)":                "( ( y [ i ] = a__0 ) , ( y [ i ] = a__1 ) )",
		"(z && ...)":                       "( true )",
		"(f(z), ...)":                      "( 0 )",
		"((a < n) && ...)":                 "( ( a__0 < n ) && ( a__1 < n ) )",
		"p.a + q->a":                       "p . a + q -> a",
		"f(p.a + a...)":                    "f ( p . a + a__0 , p . a + a__1 )",
		"[a...] {}":                        "[ a__0 , a__1 ] { }",
		"template <class... U> f(U... u)":  "template < class ... U > f ( U ... u )",
		"printf(const char *, ...)":        "printf ( const char * , ... )",
		"int v[] = {a...};":                "int v [ ] = { a__0 , a__1 } ;",
		"struct s : T... { }":              "struct s : T__0 , T__1 { }",
		"f(c + a...)":                      "packs of 3 and 2 elements stand in one expression",
		"(z + ...)":                        "a pack without elements has no + of all",
	} {
		tokens := cpp.Lex("", text)
		out, err := packs.Expand(tokens[:len(tokens)-1], maps.Clone(map[string]int{"a": 2, "T": 2, "c": 3, "z": 0, "Z": 0}))
		var words []string
		for _, x := range out {
			words = append(words, x.Text)
		}
		got := strings.Join(words, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
