package launches

import (
	"strings"
	"testing"

	"gpuperf/cfront/cpp"
)

// TestClosures makes structures of the closures that are for the device.
func TestClosures(t *testing.T) {
	for in, want := range map[string]string{
		"void f(float *y, int n) { k<<<1, 1>>>([=] __device__(int i) { y[i] = n; }); }":                                                    "struct closure_1_39 { float * y ; int n ; __device__ auto operator ( ) ( int i ) const { y [ i ] = n ; } } ;",
		"template <class T> void f(const T *x) { run<float>(x); auto g = [=] __host__ __device__ { h(x); }; }\nvoid u() { f<double>(p); }": "struct closure_1_65 { double * x ; __device__ auto operator ( ) ( ) const { h ( x ) ; } } ;",
		"void f(Tensor t) { auto y = t.data_ptr<float>(); k([=] __device__(int i) { y[i] = a.y; }); }":                                     "struct closure_1_52 { float * y ; __device__ auto operator ( ) ( int i ) const { y [ i ] = a . y ; } } ;",
		"void f(Tensor t) { auto y = t.unknown(); k([=] __device__(int i) { y[i] = 1; }); }":                                               "",
		"void f(float *y) { sort([=](int i) { y[i] = 1; }); }":                                                                             "",
		"void f() { k([=] __device__(int i) ; }":                                                                                           "",
		"] __device__ (":                                                                                                                   "",
	} {
		tokens, err := cpp.Run(t.Context(), cpp.Config{}, "a.cu", in)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, x := range Closures(tokens) {
			words = append(words, x.Text)
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}
