package sass

import (
	"regexp"
	"strconv"
	"strings"

	"gpuperf/internal/source"
	"gpuperf/internal/warning"
)

// Parse reads a listing of `cuobjdump -sass` or `nvdisasm`. Errors are *source.Error.
func Parse(text string) (*Listing, error) {
	p := &parser{text: text, operands: map[string]Operand{}, room: make([]Instruction, 0, strings.Count(text, " ;"))}
	for line := range strings.SplitSeq(text, "\n") {
		p.number++
		if err := p.line(strings.TrimSuffix(line, "\r")); err != nil {
			return nil, err
		}
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	if len(p.listing.Functions) == 0 {
		return nil, failure("there is no function in this listing").
			WithHint("listings are made by `cuobjdump -sass FILE.cubin`, or `nvdisasm -hex -c FILE.cubin`; " +
				"a source is compiled where a launch file names it")
	}
	return &p.listing, nil
}

// parser reads a listing line by line.
type parser struct {
	text    string
	number  int // of the line
	listing Listing

	target  string // the architecture of what follows
	source  Place  // of what follows
	inlined bool   // source was inlined at the line that comes next
	open    *Function
	labels  map[string]int64 // of the open function
	pending []string         // labels of the next instruction
	half    bool             // the high word of the last instruction is missing

	operands map[string]Operand // by their texts: most stand many times in a listing
	room     []Instruction      // that of all functions: a list that grows leaves the lists before it, of five times its size, to be collected
}

// err is an error at a column of the line, from 0.
func (p *parser) err(column int, format string, args ...any) *source.Error {
	return source.At("", p.text, source.Pos{Line: p.number, Column: column + 1}, format, args...)
}

// The lines that mean something. All others between functions are skipped, and in a function those that skipped matches.
var (
	functionLine = regexp.MustCompile(`^\s*Function : (\S+)`)
	sectionLine  = regexp.MustCompile(`^\s*\.section\s+(?:\.text\.([^,\s]+))?`)
	targetLine   = regexp.MustCompile(`^\s*(?:code for |\.target\s+|arch = )(sm_\w+)`)
	flagsLine    = regexp.MustCompile(`^\s*\.headerflags\s.*EF_CUDA_SM(\d+)`)
	countLine    = regexp.MustCompile(`^\s*\.sectioninfo\s+@"SHI_REGISTERS=(\d+)"`)
	sourceLine   = regexp.MustCompile(`^\s*//## File "([^"]*)", line (\d+)( inlined at )?`)
	library      = regexp.MustCompile(`(?:^|/)(?:crt|cooperative_groups|triton/language)/|(?:^|/)(?:sm_\w+_intrinsics|cuda_\w*fp\w+|device_\w*functions|math_functions|mma|cooperative_groups)\.\w+$`)
	labelLine    = regexp.MustCompile(`^\s*([.$\w]+):\s*(?://.*)?$`)
	instruction  = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/(\s+)`)
	skipped      = regexp.MustCompile(`^\s*(?:$|//|\.[a-z]|[-=.]{3,})`)
	directive    = regexp.MustCompile(`^\.[a-z]`) // at an address
	ends         = regexp.MustCompile(`^\s*\.{3,}\s*$`)
)

// space are the characters that \s matches.
const space = " \t\n\f\r"

// line reads a line. Most are instructions, which no other expression is matched with.
func (p *parser) line(line string) error {
	if p.half {
		return p.highWord(line)
	}
	if strings.HasPrefix(strings.TrimLeft(line, space), "/*") {
		return p.addressed(line)
	}
	if m := functionLine.FindStringSubmatch(line); m != nil {
		return p.begin(m[1])
	}
	if m := sectionLine.FindStringSubmatch(line); m != nil {
		if m[1] != "" {
			return p.begin(m[1])
		}
		return p.end()
	}
	if p.note(line) || p.open == nil {
		return nil
	}
	switch m := labelLine.FindStringSubmatch(line); {
	case ends.MatchString(line):
		return p.end()
	case m != nil:
		return p.label(m[1], line)
	case skipped.MatchString(line):
		return nil
	}
	return p.strange(line)
}

// addressed reads a line that begins with an address, or with another comment.
func (p *parser) addressed(line string) error {
	m := instruction.FindStringSubmatchIndex(line)
	switch {
	case m != nil && directive.MatchString(line[m[1]:]):
		return nil
	case p.open == nil && m != nil:
		return p.err(m[2]-2, "an instruction before the name of its function")
	case p.open == nil:
		return nil
	case m == nil:
		return p.strange(line)
	}
	return p.instruction(line, m)
}

func (p *parser) strange(line string) error {
	return p.err(len(line)-len(strings.TrimLeft(line, " \t")), "this is neither an instruction nor another line of a listing").
		WithHint("an instruction is written as in /*0010*/ IADD3 R0, R1, R2, RZ ;")
}

// note keeps what a line says about the lines that follow; false for lines that say nothing of the kind.
func (p *parser) note(line string) bool {
	if m := targetLine.FindStringSubmatch(line); m != nil {
		p.target = m[1]
	} else if m := flagsLine.FindStringSubmatch(line); m != nil {
		if p.target == "" {
			p.target = "sm_" + m[1]
		}
		if p.open != nil && p.open.Target == "" {
			p.open.Target = p.target
		}
	} else if m := countLine.FindStringSubmatch(line); m != nil && p.open != nil {
		p.open.Registers, _ = strconv.Atoi(m[1])
	} else if m := sourceLine.FindStringSubmatch(line); m != nil {
		p.place(m[1], m[2], m[3] != "")
	} else {
		return false
	}
	return true
}

// place notes where the next instructions come from. Where a function was inlined, its line comes first and that of its caller
// follows: the innermost line is taken that is not of a library, so that an instruction of __shfl_sync is of the line that calls it.
func (p *parser) place(file, line string, inlined bool) {
	if !p.inlined || library.MatchString(p.source.File) {
		p.source.File = file
		p.source.Line, _ = strconv.Atoi(line)
	}
	p.inlined = inlined
}

// begin opens a function.
func (p *parser) begin(name string) error {
	if err := p.end(); err != nil {
		return err
	}
	p.open = &Function{Name: name, Target: p.target, Instructions: p.room}
	p.labels, p.pending, p.source = map[string]int64{}, nil, Place{}
	p.inlined = false
	return nil
}

// end closes the open function. One without instructions is left out.
func (p *parser) end() error {
	f := p.open
	p.open = nil
	if p.half {
		return p.err(0, "the high word of the encoding of the last instruction is missing")
	}
	if f == nil || len(f.Instructions) == 0 {
		return nil
	}
	if n := len(f.Instructions); n <= cap(p.room) {
		f.Instructions, p.room = f.Instructions[:n:n], p.room[n:n]
	}
	if err := f.flow(p); err != nil {
		return err
	}
	if len(f.Blocks) <= mostBlocks {
		f.Loops = f.findLoops()
	} else {
		p.listing.Warnings = append(p.listing.Warnings, warning.UnknownCode.About(f.Name, "loops are not looked for among its %d basic blocks", len(f.Blocks)))
	}
	p.listing.Functions = append(p.listing.Functions, f)
	p.warn(f)
	return nil
}

// warn names the opcodes that are not in the table, each once, and the jumps whose targets are not known.
func (p *parser) warn(f *Function) {
	seen := map[string]bool{}
	for i := range f.Instructions {
		in := &f.Instructions[i]
		switch {
		case in.Opcode == nil && !seen[in.Name]:
			seen[in.Name] = true
			p.doubt(f, in, "is not known: what it writes, and what it costs, is left out")
		case in.jump() == Indirect && len(in.jumpsTo()) == 0:
			p.doubt(f, in, "does not tell where it leads, so that the flow graph lacks its edges and loops may be missing; `nvdisasm -c` names the targets")
		}
	}
}

func (p *parser) doubt(f *Function, in *Instruction, what string) {
	p.listing.Warnings = append(p.listing.Warnings, warning.UnknownCode.About(f.Name, "opcode %s at %04x %s", in.Name, in.Address, what))
}

// label keeps a label for the next instruction.
func (p *parser) label(name, line string) error {
	if _, ok := p.labels[name]; ok {
		return p.err(strings.Index(line, name), "label %s stands twice in function %s", name, p.open.Name)
	}
	p.labels[name] = -1
	p.pending = append(p.pending, name)
	return nil
}

// instruction reads a line with an instruction, from where its expression matches.
func (p *parser) instruction(line string, m []int) error {
	in := Instruction{Source: p.source, line: p.number, column: m[1]}
	address, err := strconv.ParseInt(line[m[2]:m[3]], 16, 64)
	if err != nil {
		return p.err(m[2], "the address is out of range")
	}
	in.Address = address
	if n := len(p.open.Instructions); n > 0 && address <= p.open.Instructions[n-1].Address {
		return p.err(m[2], "address %s does not follow %04x, that of the instruction before", line[m[2]:m[3]], p.open.Instructions[n-1].Address)
	}
	at := m[1]
	stop := strings.IndexByte(line[at:], ';')
	if stop < 0 {
		return p.err(len(strings.TrimRight(line, " \t")), "an instruction ends with ;")
	}
	body := line[at : at+stop]
	rest := line[at+stop+1:]
	if err := p.read(&in, body, at); err != nil {
		return err
	}
	if low, ok := wordIn(rest); ok {
		in.Code, p.half = &Encoding{Low: low}, true
	} else if text := strings.TrimSpace(rest); text != "" && !strings.HasPrefix(text, "//") {
		return p.err(at+stop+1+strings.Index(rest, text), "behind ; stands the encoding, as in /* 0x00000a00ff017b82 */, or nothing")
	}
	for _, name := range p.pending {
		p.labels[name] = in.Address
	}
	p.pending = nil
	p.open.Instructions = append(p.open.Instructions, in)
	return nil
}

// guard and opcode stand before the operands.
var (
	guard  = regexp.MustCompile(`^@(!?)(UP|P)(\d|T)\s+`)
	opcode = regexp.MustCompile(`^[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*`)
)

// read reads guard, opcode and operands, which stand at a column of the line.
func (p *parser) read(in *Instruction, body string, at int) error {
	body = strings.TrimRight(body, " \t")
	if strings.HasPrefix(body, "@") {
		m := guard.FindStringSubmatch(body)
		if m == nil {
			return p.err(at, "a guard is written as in @P0 or @!UP1")
		}
		r, _ := registerNamed(m[2], m[3])
		in.Guard = Guard{Register: r, Negated: m[1] != ""}
		body, at = body[len(m[0]):], at+len(m[0])
	}
	name := opcode.FindString(body)
	if name == "" {
		return p.err(at, "an opcode is expected")
	}
	in.Text = body
	words := strings.Split(name, ".")
	in.Name, in.Modifiers = words[0], words[1:]
	in.Opcode = Find(name)
	rest := body[len(name):]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return p.err(at+len(name), "unexpected character %q in an opcode", rest[:1])
	}
	if column := unbalanced(rest); column >= 0 {
		return p.err(at+len(name)+column, "a bracket without its partner")
	}
	for _, text := range splitOperands(rest) {
		o, known := p.operands[text]
		if !known {
			o = operand(text)
			p.operands[text] = o
		}
		in.Operands = append(in.Operands, o)
	}
	return nil
}

// unbalanced is the column of the first bracket without a partner, or -1.
func unbalanced(text string) int {
	var open []int
	partner := map[byte]byte{']': '[', ')': '(', '}': '{'}
	for i := range len(text) {
		switch c := text[i]; c {
		case '[', '(', '{':
			open = append(open, i)
		case ']', ')', '}':
			if len(open) == 0 || text[open[len(open)-1]] != partner[c] {
				return i
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return -1
}

// highWord reads the second line of an instruction.
func (p *parser) highWord(line string) error {
	high, rest, ok := word(strings.TrimLeft(line, space))
	if rest = strings.TrimLeft(rest, space); !ok || rest != "" && !strings.HasPrefix(rest, "//") {
		return p.err(0, "the high word of the encoding is expected, as in /* 0x000fea0003800000 */").
			WithHint("listings of architectures before sm_70 have none, and are not read")
	}
	p.open.Instructions[len(p.open.Instructions)-1].Code.High = high
	p.half = false
	return nil
}

// wordIn is the first word of an encoding in a text.
func wordIn(text string) (value uint64, ok bool) {
	for at := strings.Index(text, "/*"); at >= 0; at = strings.Index(text, "/*") {
		if value, _, ok = word(text[at:]); ok {
			return value, true
		}
		text = text[at+1:]
	}
	return 0, false
}

// word reads a word of an encoding, as in /* 0x000fea0003800000 */, and returns what follows.
func word(text string) (value uint64, rest string, ok bool) {
	const digits = 16 // of 64 bits
	text, opened := strings.CutPrefix(text, "/*")
	text, marked := strings.CutPrefix(strings.TrimLeft(text, space), "0x")
	if !opened || !marked || len(text) < digits || strings.Trim(text[:digits], "0123456789abcdef") != "" {
		return 0, "", false
	}
	value, err := strconv.ParseUint(text[:digits], 16, 64)
	rest, closed := strings.CutPrefix(strings.TrimLeft(text[digits:], space), "*/")
	return value, rest, closed && err == nil
}

// failure is an error of a file as a whole.
func failure(format string, args ...any) *source.Error {
	return source.At("", "", source.Pos{}, format, args...)
}
