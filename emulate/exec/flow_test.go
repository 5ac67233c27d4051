package exec

import (
	"fmt"
	"strings"
	"testing"
)

// trace runs a sub-group to its end and gives the instructions that it executed, by their letters, and the registers that it used last.
func trace(w *Warp, letters string) (order string, last *file) {
	var b strings.Builder
	for n := 0; w.State() == Ready && n < 1000; n++ {
		last = w.path.file
		if s := w.Step(); s.Lanes != 0 && s.Index < len(letters) && letters[s.Index] != '.' {
			b.WriteByte(letters[s.Index])
		}
	}
	return b.String(), last
}

// TestFlow runs small programs, and compares the order of what they execute, what they leave in R9 of lanes 0 and 31, and the doubts.
func TestFlow(t *testing.T) {
	for name, tt := range map[string]struct {
		code    []string
		letters string // of the instructions; a dot for those that are left out
		before  string
		assume  Assumptions
		order   string
		after   string // R9 of lanes 0 and 31
		doubts  []string
	}{
		"lanes part and meet again": {
			code: []string{
				"BSSY B0, `(.L_end)", "ISETP.LT.AND P0, PT, R1, 0x10, PT", "@P0 BRA `(.L_then)",
				"MOV R9, 0x1", "BRA `(.L_sync)", ".L_then: MOV R9, 0x2", ".L_sync: BSYNC B0", ".L_end: VIADD R9, R9, 0x10", "EXIT",
			},
			letters: "...a.b.c.", before: "R1=lane", order: "abc", after: "0x12 0x11",
		},
		"a half of a register that nobody has written": {
			code:    []string{"PRMT R9, R1, 0x7610, R9", "IMAD R9, R9, 0x3, R9", "LOP3.LUT R9, R9, 0xffff, RZ, 0xc0, !PT", "EXIT"},
			letters: "....", before: "R1=lane", after: "0x0 0x7c",
		},
		"a loop of as many turns as the lane": {
			code: []string{
				"MOV R9, RZ", "BSSY B0, `(.L_end)", ".L_loop: VIADD R9, R9, 0x1", "ISETP.LT.AND P0, PT, R9, R1, PT", "@P0 BRA `(.L_loop)",
				"BSYNC B0", ".L_end: VIADD R9, R9, 0x100", "EXIT",
			},
			letters: "..a...b.", before: "R1=lane", order: strings.Repeat("a", 31) + "b", after: "0x101 0x11f",
		},
		"lanes leave a barrier": {
			code: []string{
				"BSSY B0, `(.L_end)", "MOV R9, 0x1", "ISETP.LT.AND P0, PT, R1, 0x10, PT", "@P0 BREAK B0", "@P0 BRA `(.L_out)",
				"BSYNC B0", ".L_end: MOV R9, 0x2", ".L_out: EXIT",
			},
			letters: ".....sa.", before: "R1=lane", order: "sa", after: "0x1 0x2",
		},
		"lanes leave a barrier on two conditions": {
			code: []string{
				"BSSY B0, `(.L_end)", "MOV R9, 0x1", "ISETP.LT.AND P0, PT, R1, 0x10, PT", "ISETP.GE.AND P1, PT, R1, 0x8, PT", "@P0 BREAK !P1, B0", "@P0 BRA !P1, `(.L_out)",
				"@P0 BRA `(.L_sync)", "MOV R8, 0x1", ".L_sync: BSYNC B0", ".L_end: MOV R9, 0x2", ".L_out: EXIT",
			},
			letters: "........sa.", before: "R1=lane", order: "ssa", after: "0x1 0x2",
		},
		"a barrier waits for those alone that have not left": {
			code: []string{
				"BSSY B0, `(.L_end)", "ISETP.LT.AND P0, PT, R1, 0x10, PT", "@P0 BRA `(.L_out)", "MOV R9, 0x1", "BRA `(.L_sync)",
				".L_out: MOV R9, 0x7", "EXIT", ".L_sync: BSYNC B0", ".L_end: MOV R9, 0x2", "EXIT",
			},
			letters: "...a.b..c.", before: "R1=lane", order: "abc", after: "0x7 0x2",
		},
		"both ways of an unknown branch": {
			code: []string{
				"@P0 BRA `(.L_else)", "MOV R9, 0x1", "MOV R8, 0x5", "BRA `(.L_meet)", ".L_else: MOV R9, 0x2", "MOV R8, 0x5", ".L_meet: VIADD R7, R8, 0x1", "MOV R9, R9", "EXIT",
			},
			letters: ".a..b.c..", before: "P0=?", order: "abc", after: "? ?", doubts: []string{"0000 both ways are taken 1"},
		},
		"what both ways agree on is known": {
			code: []string{
				"@P0 BRA `(.L_else)", "MOV R9, 0x5", "BRA `(.L_meet)", ".L_else: MOV R9, 0x5", ".L_meet: VIADD R9, R9, 0x1", "EXIT",
			},
			letters: ".a.bc.", before: "P0=?", order: "abc", after: "0x6 0x6", doubts: []string{"0000 both ways are taken 1"},
		},
		"an unknown branch within a convergence barrier": {
			code: []string{
				"BSSY B0, `(.L_end)", "@P0 BRA `(.L_sync)", "MOV R9, 0x1", ".L_sync: BSYNC B0", ".L_end: MOV R8, R9", "EXIT",
			},
			letters: "..as.e", before: "P0=? R9=1", order: "ase", after: "0x1 0x1", doubts: []string{"0010 both ways are taken 1"},
		},
		"no unknown end, trap or slow path": {
			code: []string{
				"MOV R9, 0x3", "@P0 EXIT", "@P0 BRA `(.L_go)", "BPT.TRAP 0x1", ".L_go: @!P0 BRA `(.L_fast)", "MOV R4, 0x70",
				"CALL.REL.NOINC `($__internal_0_$__cuda_sm20_div_s64)", "MOV R9, 0x4", ".L_fast: VIADD R9, R9, 0x10", "EXIT",
				"$__internal_0_$__cuda_sm20_div_s64: MOV R9, 0x5", "RET.REL.NODEC R4 `(k)",
			},
			letters: "...t....fx..", before: "P0=? R5=0", order: "fx", after: "0x13 0x13",
			doubts: []string{
				"0010 is not taken 1", "0020 is not taken, as it leads to a trap or to a slow path 1", "0040 is not taken, as it leads to a trap or to a slow path 1",
			},
		},
		"by the rule of the paper, all of them": {
			code: []string{
				"MOV R9, 0x3", "@P0 EXIT", "@P0 BRA `(.L_go)", "BPT.TRAP 0x1", ".L_go: @!P0 BRA `(.L_fast)", "MOV R4, 0x70",
				"CALL.REL.NOINC `($__internal_0_$__cuda_sm20_div_s64)", "MOV R9, 0x4", ".L_fast: VIADD R9, R9, 0x10", "EXIT",
				"$__internal_0_$__cuda_sm20_div_s64: MOV R9, 0x5", "RET.REL.NODEC R4 `(k)",
			},
			letters: "...t.c.efxs.", before: "P0=? R5=0", assume: Assumptions{Paper: true}, order: "tcsefx", after: "? ?",
			doubts: []string{
				"0010 is not taken 1", "0020 both ways are taken 1", "0030 is a trap, which ends the program with an error 1", "0040 both ways are taken 1",
			},
		},
		"a call on an unknown condition by that rule": {
			code: []string{
				"MOV R9, 0x3", "MOV R4, 0x30", "@P0 CALL.REL.NOINC `($k$sub)", "VIADD R8, R9, 0x1", "EXIT", "$k$sub: MOV R9, 0x5", "RET.REL.NODEC R4 `(k)",
			},
			letters: "...a.s.", before: "P0=? R5=0", assume: Assumptions{Paper: true}, order: "sa", after: "? ?",
			doubts: []string{"0020 both ways are taken 1"},
		},
		"and otherwise": {
			code: []string{
				"MOV R9, 0x3", "MOV R4, 0x30", "@P0 CALL.REL.NOINC `($k$sub)", "VIADD R8, R9, 0x1", "EXIT", "$k$sub: MOV R9, 0x5", "RET.REL.NODEC R4 `(k)",
			},
			letters: "...a.s.", before: "P0=? R5=0", order: "a", after: "0x3 0x3", doubts: []string{"0020 is not taken 1"},
		},
		"a subroutine": {
			code: []string{
				"MOV R4, 0x20", "CALL.REL.NOINC `($k$sub)", "VIADD R9, R9, 0x1", "EXIT", "$k$sub: MOV R5, RZ", "MOV R9, 0x41", "RET.REL.NODEC R4 `(k)",
			},
			letters: "..c..s.", order: "sc", after: "0x42 0x42",
		},
		"a loop with an unknown end runs once": {
			code:    []string{"MOV R9, RZ", ".L_loop: VIADD R9, R9, 0x1", "@P0 BRA `(.L_loop)", "EXIT"},
			letters: ".a..", before: "P0=?", order: "a", after: "0x1 0x1", doubts: []string{"0020 is taken as often as the default says 1"},
		},
		"or as often as is said": {
			code:    []string{"MOV R9, RZ", ".L_loop: VIADD R9, R9, 0x1", "@P0 BRA `(.L_loop)", "EXIT"},
			letters: ".a..", before: "P0=?", assume: Assumptions{Loops: map[int]float64{1: 4}}, order: "aaaa", after: "0x4 0x4",
			doubts: []string{"0020 is taken as often as was assumed 4"},
		},
		"a condition at the top is executed once more": {
			code:    []string{"MOV R9, RZ", ".L_loop: MOV R8, RZ", "@P0 BRA `(.L_out)", "VIADD R9, R9, 0x1", "BRA `(.L_loop)", ".L_out: EXIT"},
			letters: ".t.a..", before: "P0=?", assume: Assumptions{Loops: map[int]float64{1: 3}}, order: "tatatat", after: "0x3 0x3",
			doubts: []string{"0020 is taken as often as was assumed 4"},
		},
		"a loop that ends at its top alone": {
			code:    []string{"MOV R9, RZ", ".L_loop: MOV R8, RZ", "@P0 BRA `(.L_out)", "VIADD R9, R9, 0x1", "BRA `(.L_loop)", ".L_out: EXIT"},
			letters: ".t.a..", before: "P0=?", order: "tat", after: "0x1 0x1", doubts: []string{"0020 is taken as often as the default says 2"},
		},
		"an unknown end beside a known one is not taken": {
			code: []string{
				"MOV R9, RZ", ".L_loop: VIADD R9, R9, 0x1", "@P1 BRA `(.L_out)", "ISETP.LT.AND P0, PT, R9, 0x3, PT", "@P0 BRA `(.L_loop)", ".L_out: EXIT",
			},
			letters: ".a....", before: "P1=?", order: "aaa", after: "0x3 0x3",
			doubts: []string{"0020 is not taken 2", "0020 is taken as often as the default says 1"},
		},
		"half of the lanes take a branch": {
			code:    []string{"MOV R9, RZ", "@P0 BRA `(.L_out)", "MOV R9, 0x1", ".L_out: VOTE.ANY R8, PT, PT", "POPC R9, R8", "EXIT"},
			letters: "..a.p.", before: "P0=?", assume: Assumptions{Branches: map[int]float64{1: 0.5}}, order: "app", after: "0x10 0x10",
			doubts: []string{"0010 is taken as often as was assumed 1"},
		},
		"one of several targets": {
			code: []string{
				"MOV R5, RZ", "BRX R4 -0x20 (*\"BRANCH_TARGETS .L_a,.L_b\"*)", ".L_a: MOV R9, 0x1", "BRA `(.L_out)", ".L_b: MOV R9, 0x2", ".L_out: EXIT",
			},
			letters: "..a.b.", before: "R4=0x40", order: "b", after: "0x2 0x2",
		},
		"uniform values in turn, until all lanes have had theirs": {
			code: []string{
				"MOV R9, RZ", "LOP3.LUT R2, R1, 0x1, RZ, 0xc0, !PT", "PLOP3.LUT P1, PT, PT, PT, PT, 0x80, 0x0", "PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0",
				".L_turn: VIADD R9, R9, 0x1", "@P1 R2UR P0, UR4, R2", "@P1 R2UR.OR P0, UR5, R2", "@P1 PLOP3.LUT P1, PT, P0, PT, PT, 0x80, 0x0", "@P1 BRA.U.ANY `(.L_turn)", "EXIT",
			},
			letters: "....a.....", before: "R1=lane", order: "aa", after: "0x2 0x2",
		},
		"all of several targets": {
			code: []string{
				"MOV R5, RZ", "BRX R4 -0x20 (*\"BRANCH_TARGETS .L_a,.L_b\"*)", ".L_a: MOV R9, 0x1", "BRA `(.L_out)", ".L_b: MOV R9, 0x1", ".L_out: VIADD R9, R9, 0x1", "EXIT",
			},
			letters: "..a.bc.", before: "R4=?", order: "abc", after: "0x2 0x2", doubts: []string{"0010 both ways are taken 1"},
		},
		"lanes end under a guard and a condition": {
			code: []string{
				"ISETP.LT.AND P0, PT, R1, 0x10, PT", "ISETP.LT.AND P1, PT, R1, RZ, PT", "MOV R9, 0x1", "@P0 EXIT P1", "ISETP.GT.AND P1, PT, R1, 0xf, PT", "MOV R9, 0x2", "EXIT P1",
				"MOV R9, 0x3", "EXIT",
			},
			letters: ".....a.b.", before: "R1=lane", order: "ab", after: "0x3 0x2",
		},
		"a mask that is saved and restored": {
			code: []string{
				"BSSY B0, `(.L_end)", "BMOV.32.CLEAR R6, B0", "BSSY B0, `(.L_in)", "MOV R9, 0x1", "BSYNC B0", ".L_in: BMOV.32 B0, R6",
				"ISETP.LT.AND P0, PT, R1, 0x10, PT", "@P0 BRA `(.L_sync)", "MOV R9, 0x2", ".L_sync: BSYNC B0", ".L_end: VIADD R9, R9, 0x10", "EXIT",
			},
			letters: "...a....b.c.", before: "R1=lane", order: "abc", after: "0x11 0x12",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, w := start(t, tt.assume, tt.code...)
			put(t, w.path.file, tt.before)
			order, f := trace(w, tt.letters)
			if order != tt.order || w.State() != Ended {
				t.Errorf("%s, state %d, and it should be %s", order, w.State(), tt.order)
			}
			r9 := settings(t, "R9=0")[0].register
			if after := get(f, r9, 0) + " " + get(f, r9, 31); after != tt.after {
				t.Errorf("R9 is %s, and should be %s", after, tt.after)
			}
			var doubts []string
			for _, d := range l.Doubts() {
				doubts = append(doubts, fmt.Sprintf("%04x %s %d", d.Index*instructionSize, d.Kind, d.Times))
			}
			if strings.Join(doubts, "; ") != strings.Join(tt.doubts, "; ") {
				t.Errorf("doubts %q, and they should be %q", doubts, tt.doubts)
			}
		})
	}
}

// A difference carries where it is not negative, also where nothing is subtracted.
func TestDifferenceCarries(t *testing.T) {
	for _, tt := range []struct{ code, before, want string }{
		{"LEA R9, P0, -R1, R2, 0x1e", "R1=0 R2=0x1000", "0x1000 true"},
		{"LEA R9, P0, -R1, R2, 0x1e", "R1=4 R2=7", "0x7 true"},
		{"LEA R9, P0, -R1, R2, 0x2", "R1=2 R2=7", "0xffffffff false"},
		{"LEA R9, P0, -R1, R2, 0x2", "R1=2 R2=8", "0x0 true"},
		{"LEA R9, P0, R1, R2, 0x2", "R1=0 R2=8", "0x8 false"},
	} {
		_, w := start(t, Assumptions{}, tt.code, "EXIT")
		put(t, w.path.file, tt.before)
		w.Step()
		carry := guard{index: reads(settings(t, "P0=0")[0].register)}.read(w.path.file).value&1 != 0
		if got := fmt.Sprint(get(w.path.file, settings(t, "R9=0")[0].register, 0), " ", carry); got != tt.want {
			t.Errorf("%s after %s: %s, and it should be %s", tt.code, tt.before, got, tt.want)
		}
	}
}

// TestCalled: a subroutine is part of the loops that call it, and of no others.
func TestCalled(t *testing.T) {
	l, _ := start(
		t, Assumptions{}, "MOV R9, RZ", ".L_a: VIADD R9, R9, 0x1", "MOV R4, 0x40", "CALL.REL.NOINC `($k$sub)", "@P0 BRA `(.L_a)", ".L_b: VIADD R9, R9, 0x1", "@P0 BRA `(.L_b)", "EXIT",
		"$k$sub: MOV R5, RZ", "@P1 BRA `(.L_c)", "MOV R9, 0x41", ".L_c: RET.REL.NODEC R4 `(k)",
	)
	f := l.Function
	var got strings.Builder
	for i := range f.Instructions {
		fmt.Fprint(&got, " ")
		for loop := 1; loop <= len(f.Loops); loop++ {
			if l.Inside(i, loop) {
				fmt.Fprint(&got, f.Instructions[f.Blocks[f.Loops[loop-1].Header].From].Address/16)
			}
		}
	}
	if want := "  1 1 1 1 5 5  1 1 1 1"; got.String() != want {
		t.Errorf("instructions are in the loops that begin at\n%s, want\n%s", got.String(), want)
	}
}
