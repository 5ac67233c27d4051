package exec

import (
	"math"
	"slices"
	"testing"

	"gpuperf/device"
)

// TestMeetings lets two sub-groups, of which the second has R1=1, meet at barriers, and compares which instructions they execute in which order.
func TestMeetings(t *testing.T) {
	for name, tt := range map[string]struct {
		code []string
		want []string // sub-group and instruction, those of letters alone
		mark []int    // instructions that are told
	}{
		"the barrier of the cluster waits for all that have not left": {
			code: []string{
				"S2R R1, SR_TID.X", "ISETP.GE.AND P0, PT, R1, 0x20, PT", "UCGABAR_ARV", "@P0 BRA `(.L_second)", "UCGABAR_WAIT", "MOV R9, 0x1", "EXIT",
				".L_second: MOV R9, 0x2", "UCGABAR_WAIT", "EXIT",
			},
			mark: []int{5, 7}, want: []string{"1:7", "0:5"},
		},
		"a barrier to which all come without waiting opens, too": {
			code: []string{
				"S2R R1, SR_TID.X", "ISETP.GE.AND P0, PT, R1, 0x20, PT", "@!P0 BAR.ARV 0x1, 0x20", "@P0 BRA `(.L_second)", "BAR.SYNC 0x1, 0x40", "MOV R9, 0x1", "EXIT",
				".L_second: MOV R9, 0x2", "BAR.ARV 0x1, 0x40", "EXIT",
			},
			mark: []int{5, 7}, want: []string{"1:7", "0:5"},
		},
	} {
		l, err := New(listing(t, tt.code...), device.Job{Global: []int64{64}, Local: []int64{64}}, Assumptions{})
		if err != nil {
			t.Fatal(err)
		}
		g := l.Group([3]uint32{})
		var got []string
		for went := true; went; {
			went = false
			for i, w := range g.Warps {
				for w.State() == Ready {
					s := w.Step()
					went = true
					if slices.Contains(tt.mark, s.Index) {
						got = append(got, string(rune('0'+i))+":"+string(rune('0'+s.Index)))
					}
				}
			}
		}
		if !slices.Equal(got, tt.want) || !g.Ended() {
			t.Errorf("%s: %v, want %v; ended %v", name, got, tt.want, g.Ended())
		}
	}
}

// TestClusterWords multiplies numbers of groups as code does that looks which cluster a group is in.
func TestClusterWords(t *testing.T) {
	for n := int64(1); n <= 16; n++ {
		words := clusterWords(&device.Attributes{Cluster: []int64{n, 1, 1}})
		for group := range uint32(4096) {
			if got := uint32(float32(group) * math.Float32frombits(words[4])); got != group/uint32(n) {
				t.Fatalf("group %d is in cluster %d of %d, got %d", group, group/uint32(n), n, got)
			}
		}
	}
	if words := clusterWords(nil); words[0] != 0 || words[1] != 1 {
		t.Error("without clusters:", words)
	}
}
