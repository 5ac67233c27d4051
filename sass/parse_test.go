package sass_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/sass"
)

func TestErrors(t *testing.T) {
	const function = "Function : f\n"
	for _, c := range []struct{ text, want string }{
		{"", "there is no function in this listing"},
		{"hello\n", "there is no function in this listing"},
		{"/*0000*/ EXIT ;\n", "1:1: an instruction before the name of its function"},
		{function + "/*0000*/ EXIT\n", "2:14: an instruction ends with ;"},
		{function + "  EXIT ;\n", "2:3: this is neither an instruction nor another line of a listing"},
		{function + "/*0010*/ EXIT ;\n/*0010*/ EXIT ;\n", "3:3: address 0010 does not follow 0010"},
		{function + "/*fffffffffffffffff*/ EXIT ;\n", "2:3: the address is out of range"},
		{function + "/*0000*/ @Q0 EXIT ;\n", "2:10: a guard is written as in @P0 or @!UP1"},
		{function + "/*0000*/ @P0 ;\n", "2:10: a guard is written as in @P0 or @!UP1"},
		{function + "/*0000*/ 12 ;\n", "2:10: an opcode is expected"},
		{function + "/*0000*/ MOV- R0, R1 ;\n", `2:13: unexpected character "-" in an opcode`},
		{function + "/*0000*/ LDG R0, [R2.64 ;\n", "2:18: a bracket without its partner"},
		{function + "/*0000*/ LDG R0, R2] ;\n", "2:20: a bracket without its partner"},
		{function + "/*0000*/ EXIT ; /* 0x01 */\n", "2:17: behind ; stands the encoding"},
		{function + "/*0000*/ EXIT ; /* 0x000000000000794d */\n/*0010*/ EXIT ;\n", "3:1: the high word of the encoding is expected"},
		{function + "/*0000*/ EXIT ; /* 0x000000000000794d */", "2:1: the high word of the encoding of the last instruction is missing"},
		{function + "/*0000*/ @P0 BRA 0x40 ;\n/*0010*/ EXIT ;\n", "2:10: function f has no instruction at 0x40, where this branch leads"},
		{function + "/*0000*/ BRA `(.L_x_3) ;\n", "2:10: function f has no instruction at .L_x_3"},
		{function + ".L_x_0:\n.L_x_0:\n/*0000*/ EXIT ;\n", "3:1: label .L_x_0 stands twice"},
	} {
		_, err := sass.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nis not\n%s", c.text, err, c.want)
		}
	}
}

// TestWarnings: what is not understood is named, and the rest is read.
func TestWarnings(t *testing.T) {
	l := parseLines(t, "FROB.X R0, R1", "FROB R2, R3", "BRX R4 -0x10", "EXIT")
	want := []string{
		"f: opcode FROB at 0000 is not known: what it writes, and what it costs, is left out [unknown-code]",
		"f: opcode BRX at 0020 does not tell where it leads, so that the flow graph lacks its edges and loops may be missing; " +
			"`nvdisasm -c` names the targets [unknown-code]",
	}
	if diff := cmp.Diff(want, l.Warnings); diff != "" {
		t.Error(diff)
	}
}

// TestFlow: blocks by the address of their first instruction, with the depth of their loop and the edges.
func TestFlow(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"straight", []string{"NOP", "EXIT"}, "0000:"},
		{"padding", []string{"EXIT", "BRA 0x10", "NOP"}, "0000: 0010:>0010 0020:"},
		{"guarded exit", []string{"@P0 EXIT", "EXIT"}, "0000:>0010 0010:"},
		{"if", []string{"@P0 BRA 0x20", "NOP", "EXIT"}, "0000:>0010,0020 0010:>0020 0020:"},
		{"condition", []string{"BRA.DIV UR4, 0x20", "NOP", "EXIT"}, "0000:>0010,0020 0010:>0020 0020:"},
		{"loop", []string{"NOP", "NOP", "@P0 BRA 0x10", "EXIT"}, "0000:>0010 0010/1:>0030,0010 0030:"},
		{"loop of one", []string{"@P0 BRA 0x0", "EXIT"}, "0000/1:>0010,0000 0010:"},
		{
			"nested",
			[]string{"NOP", "NOP", "NOP", "@P0 BRA 0x20", "NOP", "@P1 BRA 0x10", "EXIT"},
			"0000:>0010 0010/1:>0020 0020/2:>0040,0020 0040/1:>0060,0010 0060:",
		},
		{
			"one header, two ways back",
			[]string{"NOP", "@P0 BRA 0x30", "@P1 BRA 0x0", "@P2 BRA 0x0", "EXIT"},
			"0000/1:>0020,0030 0020/1:>0030,0000 0030/1:>0040,0000 0040:",
		},
		{
			"siblings",
			[]string{"@P0 BRA 0x0", "@P1 BRA 0x10", "EXIT"},
			"0000/1:>0010,0000 0010/1:>0020,0010 0020:",
		},
		{
			"two entries make no loop",
			[]string{"@P0 BRA 0x20", "NOP", "@P1 BRA 0x10", "EXIT"},
			"0000:>0010,0020 0010:>0020 0020:>0030,0010 0030:",
		},
		{
			"subroutine with a loop",
			[]string{"CALL.REL.NOINC 0x20", "EXIT", "@P0 BRA 0x20", "RET.REL.NODEC R2 0x0"},
			"0000:>0010c0020 0010: 0020/1:>0030,0020 0030:",
		},
		{
			"convergence",
			[]string{"BSSY B0, `(.L_x_0)", "@P0 BRA 0x0", "NOP", ".L_x_0:", "BSYNC B0", "EXIT"},
			"0000/1:>0020,0000 0020:>0040 0040:",
		},
		{
			"table",
			[]string{"BRX R4 -0x10 (*\"BRANCH_TARGETS .L_x_0,.L_x_1\"*)", ".L_x_0:", "EXIT", ".L_x_1:", "EXIT"},
			"0000:>0020,0040 0020: 0040:",
		},
	} {
		f := parseLines(t, c.lines...).Functions[0]
		if diff := cmp.Diff(c.want, flowText(f)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// addressOf is where a block begins.
func addressOf(f *sass.Function, b sass.Block) int64 { return f.Instructions[b.From].Address }

// flowText is the flow graph in one line.
func flowText(f *sass.Function) string {
	var parts []string
	for _, b := range f.Blocks {
		text := fmt.Sprintf("%04x", addressOf(f, b))
		if b.Loop != nil {
			text += fmt.Sprintf("/%d", b.Loop.Depth)
		}
		text += ":"
		separator := ">"
		for _, to := range b.Next {
			text += fmt.Sprintf("%s%04x", separator, addressOf(f, f.Blocks[to]))
			separator = ","
		}
		for _, to := range b.Calls {
			text += fmt.Sprintf("c%04x", addressOf(f, f.Blocks[to]))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// FuzzParse: what Parse reads can be printed, and the graph leads to blocks that there are.
func FuzzParse(f *testing.F) {
	f.Add("Function : f\n/*0000*/ @!P0 BRA 0x0 ; /* 0x0000000000007947 */\n/* 0x000fc0000383ffff */\n/*0010*/ EXIT ;\n")
	f.Add(".section .text.f,\"ax\"\n.L_x_0:\n/*0000*/ LDG.E.64 R2, desc[UR4][R2.64+0x8] ;\n/*0010*/ BRA `(.L_x_0) ;\n")
	f.Add("Function : f\n/*0000*/ BRX R4 -0x10 (*\"BRANCH_TARGETS .L_1\"*) ;\n.L_1:\n/*0010*/ HGMMA.64x128x16.F32 R24, gdesc[UR4], R24 ;\n")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := sass.Parse(text)
		if err != nil {
			return
		}
		if err := l.Write(new(strings.Builder)); err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(l.JSON()); err != nil {
			t.Fatal(err)
		}
		for _, f := range l.Functions {
			for b, block := range f.Blocks {
				if block.From >= block.To || b > 0 && f.Blocks[b-1].To != block.From {
					t.Fatalf("block %d is from %d to %d", b, block.From, block.To)
				}
				for _, to := range block.Next {
					if to >= len(f.Blocks) {
						t.Fatalf("block %d leads to %d, of %d", b, to, len(f.Blocks))
					}
				}
			}
		}
	})
}

// TestInlined: an instruction of an inlined function is of the innermost line that no library has.
func TestInlined(t *testing.T) {
	const shuffle = `//## File "/cuda/include/sm_30_intrinsics.hpp", line 440`
	for _, c := range []struct {
		lines string
		want  sass.Place
	}{
		{`//## File "a.cu", line 7`, sass.Place{"a.cu", 7}},
		{shuffle + ` inlined at "a.cu", line 8` + "\n" + `//## File "a.cu", line 8`, sass.Place{"a.cu", 8}},
		{`//## File "util.cuh", line 3 inlined at "a.cu", line 8` + "\n" + `//## File "a.cu", line 8`, sass.Place{"util.cuh", 3}},
		{shuffle + ` inlined at "util.cuh", line 3` + "\n" + `//## File "util.cuh", line 3 inlined at "a.cu", line 8` + "\n" + `//## File "a.cu", line 8`, sass.Place{"util.cuh", 3}},
		{shuffle, sass.Place{"/cuda/include/sm_30_intrinsics.hpp", 440}},
		{`//## File "util.cuh", line 3 inlined at "a.cu", line 8` + "\n" + `//## File "a.cu", line 8` + "\n" + `//## File "a.cu", line 9`, sass.Place{"a.cu", 9}},
	} {
		l, err := sass.Parse(".target sm_90\n.section .text.f,\"ax\"\n" + c.lines + "\n        /*0000*/                   EXIT ;  /* 0x000000000000794d */\n        /* 0x000fea0003800000 */\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Functions[0].Instructions[0].Source; got != c.want {
			t.Errorf("%s\nis of %v, want %v", c.lines, got, c.want)
		}
	}
}
