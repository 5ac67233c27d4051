package constraints_test

import (
	"strings"
	"testing"

	"gpuperf/cfront/constraints"
	"gpuperf/cfront/cpp"
)

// TestRewrite: constraints are conditions that older C++ has; what is no constraint stays.
func TestRewrite(t *testing.T) {
	const enabled = "std :: enable_if_t < ( "
	const declared = "template < class T > constexpr bool N = n < T > ; "
	for in, want := range map[string]string{
		"template <class T> concept N = n<T>;":                                                                 declared,
		"template <class T> concept N = n<T>; template <N T> void f(T);":                                       declared + "template < typename T , " + enabled + "N < T > ) , int > = 0 > void f ( T ) ;",
		"template <class T> concept N = n<T>; template <N<int> T, int m> void f(T);":                           declared + "template < typename T , int m , " + enabled + "N < T , int > ) , int > = 0 > void f ( T ) ;",
		"template <class T> concept N = n<T>; void f(N auto x);":                                               declared + "void f ( auto x ) ;",
		"template <class T> concept N = n<T>; template <N... T> void f(T...);":                                 declared + "template < typename ... T > void f ( T ... ) ;",
		"template <std::integral T> void f(T);":                                                                "template < typename T , " + enabled + "std :: integral < T > ) , int > = 0 > void f ( T ) ;",
		"template <class T> requires (a<T>) || b<T>::value && c void f(T);":                                    "template < class T , " + enabled + "( a < T > ) || b < T > :: value && c ) , int > = 0 > void f ( T ) ;",
		"template <class T> void f(T) requires a<T> { if (x) { } }":                                            "template < class T , " + enabled + "a < T > ) , int > = 0 > void f ( T ) { if ( x ) { } }",
		"template <class T> struct s { void f() requires a<T>; template <class U> void g() requires b<U> ; };": "template < class T > struct s { void f ( ) requires a < T > ; template < class U , " + enabled + "b < U > ) , int > = 0 > void g ( ) ; } ;",
		"template <class T> void f(T x) requires requires { x + x; } ;":                                        "template < class T , " + enabled + "requires { x + x ; } ) , int > = 0 > void f ( T x ) ;",
		"int requires = 3; float integral = 4 * requires; int concept;":                                        "int requires = 3 ; float integral = 4 * requires ; int concept ;",
		"template <std::integral":                                                                              "template < std :: integral",
		"template <class T> requires":                                                                          "template < class T > requires",
	} {
		tokens, err := cpp.Run(t.Context(), cpp.Config{}, "a.cu", in)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, x := range constraints.Rewrite(tokens) {
			words = append(words, x.Text)
		}
		if got := strings.TrimSpace(strings.Join(words, " ")); got != strings.TrimSpace(want) {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}
