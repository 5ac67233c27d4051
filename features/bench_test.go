package features

import "testing"

// The kernel of the paper's section 2.1, from the transformed kernel to all symbolic counts.
func BenchmarkCount(b *testing.B) {
	k := tiledMatmul(b)
	for b.Loop() {
		if _, err := Count(k, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCountFootprint(b *testing.B) {
	k := tiledMatmul(b)
	for b.Loop() {
		if _, err := Count(k, Options{Footprint: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// Evaluation of a feature at a new size.
func BenchmarkValue(b *testing.B) {
	s, err := Count(tiledMatmul(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, feature := range []string{
		"f_op_float32_madd", "f_mem_access_local_float32", "f_mem_access_tag:aLD_lstrides:{1:<n}_afr:>1",
		"f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:16}", "f_thread_groups",
	} {
		id, err := ParseID(feature)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(feature, func(b *testing.B) {
			sizes := map[string]int64{"n": 16}
			for b.Loop() {
				sizes["n"] = sizes["n"]%8192 + 16
				if _, err := s.Value(id, sizes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseID(b *testing.B) {
	for b.Loop() {
		if _, err := ParseID("f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:16}_afr:>1"); err != nil {
			b.Fatal(err)
		}
	}
}
