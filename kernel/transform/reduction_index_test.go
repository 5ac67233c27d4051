package transform_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/transform"
)

// TestTwoTargets checks what a statement with two targets becomes, as written and realized.
func TestTwoTargets(t *testing.T) {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{"{[i,j]: 0<=i<n and 0<=j<m}"}, DTypes: types("x"), Assumptions: "n >= 1 and m >= 1",
		Instructions: "<> v, at[i] = argmax(j, x[j], j) {id=am}\ny[i] = v {id=use, dep=*am}",
	})
	if err != nil {
		t.Fatal(err)
	}
	statements := func(k *kernel.Kernel) string {
		var lines []string
		for _, s := range k.Statements {
			lines = append(lines, s.String())
		}
		return strings.Join(lines, "\n")
	}
	if got, want := statements(k), strings.Join([]string{
		"v = max(j, x[j])  {id=am, inames=i}",
		"at[i] = argmax(j, x[j], j)  {id=am_index, inames=i}",
		"y[i] = v  {id=use, inames=i, dep=am:am_index}",
	}, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if k, err = transform.Prepare(k); err != nil {
		t.Fatal(err)
	}
	if got, want := statements(k), strings.Join([]string{
		"acc_j = -inf  {id=am_index_j_init, inames=i}",
		"acc_j_0 = -1  {id=am_index_j_index_init, inames=i, dep=am_index_j_init}",
		"item_j = x[j]  {id=am_index_j_item, inames=i:j, dep=am_index_j_index_init:am_index_j_init}",
		"acc_j_0 = j if item_j > acc_j else acc_j_0  {id=am_index_j_index, inames=i:j, dep=am_index_j_index_init:am_index_j_init:am_index_j_item}",
		"acc_j = max(acc_j, item_j)  {id=am_index_j_update, inames=i:j, dep=am_index_j_index:am_index_j_index_init:am_index_j_init:am_index_j_item}",
		"at[i] = acc_j_0  {id=am_index, inames=i, dep=am_index_j_update}",
		"v = acc_j  {id=am, inames=i, dep=am_index}",
		"y[i] = v  {id=use, inames=i, dep=am:am_index}",
	}, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
