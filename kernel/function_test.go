package kernel_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// TestVectorShapes: shapes see all elements of a vector.
func TestVectorShapes(t *testing.T) {
	k, err := kernel.Make(kernel.Spec{Domains: []string{"{[i]: 0<=i<8}"}, Instructions: "y[4*i; 4] = x[i; 4] + 1", DTypes: map[string]expr.DType{"x": "float32"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"y": "32", "x": "11"} {
		if got := k.Array(name).Shape[0].String(); got != want {
			t.Errorf("%s has %s elements, want %s", name, got, want)
		}
	}
}

// TestCheckBody: no body speaks to the preprocessor, in any of the spellings that C has.
func TestCheckBody(t *testing.T) {
	for _, text := range []string{
		"#include \"/etc/passwd\"\nreturn x;", "\n  #  include </etc/passwd>\nreturn x;", "\t#define return", "return x;\n#pragma once", "#if 1\nreturn x;\n#endif",
		"/* a */ #include </etc/passwd>\nreturn x;", "/*\n*/#include </etc/passwd>\nreturn x;", "// a \\\n\n#include </etc/passwd>", "return x; /* \n */ # include </etc/passwd>",
		"\\\n#include </etc/passwd>\nreturn x;", "\\\r\n#include </etc/passwd>", "\\ \t\n#include </etc/passwd>", "??/\n#include </etc/passwd>", "#inc\\\nlude </etc/passwd>",
		"??=include </etc/passwd>\nreturn x;", "?\\\n?=include </etc/passwd>", "??\\\n=include </etc/passwd>", "??\\\r=include </etc/passwd>",
		"%:include </etc/passwd>\nreturn x;", "%\\\n:include </etc/passwd>", "%??/\n:include </etc/passwd>", "%??/ \r\n:include </etc/passwd>", "%:%: x",
		"_Pragma(\"once\") return x;", "_Pra\\\ngma(\"once\")", "__pragma(once)", "\v#include </etc/passwd>", "\f#include </etc/passwd>", "\r#include </etc/passwd>", "return x;#",
		"%\\\n\\\n:include </etc/passwd>", "??\\\n\\ \n=include </etc/passwd>",
	} {
		if err := kernel.CheckBody(text); err == nil || !strings.Contains(err.Error(), "preprocessor") {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "return x;", "return x % 3 ? a : b;", "int y = x > 0 ? x%2 : 7;\nreturn y; // (a ?? b)", "return x / 2; \\\n // more", "return pragma;"} {
		if err := kernel.CheckBody(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := kernel.Make(kernel.Spec{
		Domains: []string{"{[i]: 0<=i<n}"}, Instructions: "y[i] = f(x[i])",
		Functions: []*kernel.Function{{Name: "f", Params: []kernel.FunctionParam{{Name: "x", DType: "float32"}}, Result: "float32", Body: "\n#include </etc/passwd>\nreturn x;"}},
	})
	if err == nil || !strings.Contains(err.Error(), "function f: the body has #") {
		t.Error(err)
	}
}
