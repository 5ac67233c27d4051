package features

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gpuperf/internal/source"
)

func TestParseID(t *testing.T) {
	for _, want := range []ID{
		{text: "f_op_float32_madd", Class: OpClass, DType: "float32", Op: "madd"},
		{text: "f_op_float64_func:exp", Class: OpClass, DType: "float64", Op: "func:exp"},
		{text: "f_mem_access", Class: MemClass},
		{text: "f_mem_access_tag:aLD", Class: MemClass, Tag: "aLD"},
		{text: "f_mem_access_tag:global_global", Class: MemClass, Tag: "global", Space: "global"},
		{text: "f_mem_access_local_float32", Class: MemClass, Space: "local", DType: "float32"},
		{text: "f_mem_access_global_float32_store", Class: MemClass, Space: "global", DType: "float32", Direction: "store"},
		{text: "f_mem_access_load", Class: MemClass, Direction: "load"},
		{
			text:  "f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:16}_afr:>1",
			Class: MemClass, Space: "global", DType: "float32", Direction: "load", LStrides: "0:1;1:>15", GStrides: "0:16", AFR: ">1",
		},
		{text: "f_mem_access_lstrides:{0:<n,1:>=16*n_el}", Class: MemClass, LStrides: "0:<n;1:>=16*n_el"},
		{text: "f_mem_access_gstrides:{0:>1;0:<=n + 2}_afr:<=1.5", Class: MemClass, GStrides: "0:>1;0:<=n + 2", AFR: "<=1.5"},
		{
			text:  "f_mem_access_tag:t1_local_int8_store_lstrides:{2:0}_gstrides:{2:-1}_afr:1",
			Class: MemClass, Tag: "t1", Space: "local", DType: "int8", Direction: "store", LStrides: "2:0", GStrides: "2:-1", AFR: "1",
		},
		{text: "f_mem_lines", Class: LinesClass},
		{text: "f_mem_sectors_tag:aLD_global_load_lstrides:{0:1}", Class: SectorsClass, Tag: "aLD", Space: "global", Direction: "load", LStrides: "0:1"},
		{text: "f_mem_access_lstrides:{0:?;1:!?}", Class: MemClass, LStrides: "0:?;1:!?"},
		{text: "f_mem_footprint_local", Class: FootprintClass, Space: "local"},
		{text: "f_sync_barrier_local", Class: SyncClass, Op: "barrier_local"},
		{text: "f_sync_barrier_global", Class: SyncClass, Op: "barrier_global"},
		{text: "f_sync_kernel_launch", Class: SyncClass, Op: "kernel_launch"},
		{text: "f_thread_groups", Class: GroupsClass},
		{text: "f_sub_groups", Class: SubGroupsClass},
		{text: "f_local_bytes", Class: LocalBytesClass},
		{text: "f_loop_trips", Class: LoopTripsClass},
		{text: "f_loop_size_iname:k_inner", Class: LoopSizeClass, Iname: "k_inner"},
		{text: "f_loop_path_float32_func:exp_iname:k", Class: LoopPathClass, DType: "float32", Op: "func:exp", Iname: "k"},
		{text: "f_loop_path_global", Class: LoopPathClass, Space: "global"},
		{text: "f_loop_carried_float64_madd_iname:j", Class: LoopCarriedClass, DType: "float64", Op: "madd", Iname: "j"},
		{text: "f_static_wavefronts", Class: StaticClass, Op: "wavefronts"},
		{text: "f_cl_wall_time", Class: TimeClass},
		{text: "f_cl_wall_time_nvidia_geforce", Class: TimeClass, Platform: "nvidia", Device: "geforce"},
	} {
		got, err := ParseID(want.text)
		if err != nil {
			t.Errorf("%s: %v", want.text, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateComparable(ID{})); diff != "" {
			t.Errorf("%s: %s", want.text, diff)
		}
		if got.String() != want.text {
			t.Errorf("%s prints as %s", want.text, got)
		}
	}
}

func TestParseIDErrors(t *testing.T) {
	for _, test := range []struct {
		text   string
		column int
		says   []string
	}{
		{"", 1, []string{"starts with f_"}},
		{"p_madd", 1, []string{"starts with f_"}},
		{"f_", 3, []string{"unknown class"}},
		{"f_ops_float32_madd", 3, []string{"unknown class", "the classes are f_op"}},
		{"f_mem_acess_local", 3, []string{"unknown class"}},
		{"f_op_flot32_madd", 6, []string{`unknown dtype "flot32"`, "did you mean float32?"}},
		{"f_op_float32", 13, []string{"the operation is missing", "madd"}},
		{"f_op_float32_mad", 14, []string{`unknown operation "mad"`, "did you mean madd?"}},
		{"f_op_float32_sub", 14, []string{`unknown operation "sub"`}},
		{"f_op_float32_func:", 19, []string{"a function needs a name"}},
		{"f_sync_barier_local", 8, []string{"did you mean barrier_local?"}},
		{"f_static_wavefront", 10, []string{`unknown total "wavefront"`, "did you mean wavefronts?"}},
		{"f_static", 9, []string{"unknown total", "wavefronts"}},
		{"f_thread_groups_2", 16, []string{"takes nothing after it"}},
		{"f_loop_trips_k", 13, []string{"nothing after it but an iname", "f_loop_trips_iname:k"}},
		{"f_loop_size_iname:", 12, []string{"nothing after it but an iname"}},
		{"f_loop_path_float32_mad_iname:k", 21, []string{`unknown operation "mad"`, "did you mean madd?"}},
		{"f_loop_carried_iname:k", 15, []string{"unknown dtype"}},
		{"f_cl_wall_time_nvidia", 15, []string{"a platform and a device"}},
		{"f_mem_access_load_global", 19, []string{"global is out of order", "f_mem_access_global_load"}},
		{"f_mem_access_gstrides:{0:1}_lstrides:{0:1}_tag:x", 29, []string{"out of order", "f_mem_access_tag:x_lstrides:{0:1}_gstrides:{0:1}"}},
		{"f_mem_sectors_load_global", 20, []string{"global is out of order", "f_mem_sectors_global_load"}},
		{"f_mem_lines_local", 13, []string{"local memory has no lines and sectors", "f_mem_access_local"}},
		{"f_mem_access_float32_float64", 22, []string{"a second dtype"}},
		{"f_mem_access_lode", 14, []string{`unknown part "lode"`, "did you mean load?"}},
		{"f_mem_access_", 14, []string{`unknown part ""`}},
		{"f_mem_access_tag:a_b", 20, []string{`unknown part "b"`}},
		{"f_mem_access_tag:1a", 18, []string{"a letter first"}},
		{"f_mem_access_lstrides:0:1", 23, []string{"in braces"}},
		{"f_mem_access_lstrides:{0:1", 23, []string{"in braces"}},
		{"f_mem_access_lstrides:{}", 24, []string{"braces hold constraints"}},
		{"f_mem_access_lstrides:{0:1;}", 24, []string{"braces hold constraints"}},
		{"f_mem_access_lstrides:{0:1;3:2}", 28, []string{"axis 0, 1 or 2"}},
		{"f_mem_access_lstrides:{0:>}", 26, []string{"lacks its value"}},
		{"f_mem_access_lstrides:{0:1;1:1.5}", 30, []string{"not an integer expression"}},
		{"f_mem_access_lstrides:{0:>?}", 26, []string{"not an expression", "? or !? for strides that"}},
		{"f_mem_access_lstrides:{0:exp(n)}", 26, []string{"not an integer expression"}},
		{"f_mem_access_afr:>n", 18, []string{"afr takes a number"}},
		{"f_mem_access_afr:", 18, []string{"afr takes a number"}},
	} {
		_, err := ParseID(test.text)
		var at *source.Error
		if !errors.As(err, &at) {
			t.Errorf("%q: error %v", test.text, err)
			continue
		}
		if at.Pos.Column != test.column {
			t.Errorf("%q: column %d, want %d: %v", test.text, at.Pos.Column, test.column, err)
		}
		for _, says := range test.says {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%q: error %v, want one with %q", test.text, err, says)
			}
		}
	}
}

// Whatever parses prints back and can be resolved for a kernel.
func FuzzParseID(f *testing.F) {
	for _, text := range []string{
		"f_op_float32_madd", "f_op_float32_func:exp", "f_thread_groups", "f_sync_kernel_launch", "f_cl_wall_time_nvidia_geforce",
		"f_mem_lines_tag:aLD_afr:>1", "f_mem_sectors_store", "f_mem_access_tag:aLD_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:<n,1:16*n // 3 % 2}_afr:>1.5",
	} {
		f.Add(text)
	}
	s, err := Count(tiledMatmul(f), Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ParseID(text)
		if err != nil {
			var at *source.Error
			if !errors.As(err, &at) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if id.String() != text {
			t.Fatalf("%q prints as %q", text, id)
		}
		if again, err := ParseID(text); err != nil || again != id {
			t.Fatalf("%q: %v, %v", text, again, err)
		}
		s.Explain(id)
		_, _ = s.Value(id, map[string]int64{"n": 64})
	})
}
