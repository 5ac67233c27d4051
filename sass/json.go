package sass

// JSON is the listing as an object.
func (l *Listing) JSON() any {
	functions := []functionJSON{}
	for _, f := range l.Functions {
		functions = append(functions, f.json())
	}
	return map[string]any{"functions": functions, "warnings": append([]string{}, l.Warnings...)}
}

type functionJSON struct {
	Name   string      `json:"name"`
	Target string      `json:"target,omitempty"`
	Facts  Facts       `json:"facts"`
	Blocks []blockJSON `json:"blocks"`
}

type blockJSON struct {
	Address      int64             `json:"address"`
	Label        string            `json:"label,omitempty"`
	Next         []int64           `json:"next"`
	Calls        []int64           `json:"calls,omitempty"`
	Loop         *int64            `json:"loop,omitempty"` // the address of the innermost loop's header
	Instructions []instructionJSON `json:"instructions"`
}

type instructionJSON struct {
	Address int64        `json:"address"`
	Text    string       `json:"text"`
	Guard   string       `json:"guard,omitempty"`
	Opcode  string       `json:"opcode"`
	Class   Class        `json:"class"`
	Pipe    Pipe         `json:"pipe,omitempty"`
	Latency Latency      `json:"latency,omitempty"`
	Defines []string     `json:"defines"`
	Uses    []string     `json:"uses"`
	Control *controlJSON `json:"control,omitempty"`
	File    string       `json:"file,omitempty"`
	Line    int          `json:"line,omitempty"`
}

type controlJSON struct {
	Stall        int   `json:"stall"`
	Yield        bool  `json:"yield"`
	WriteBarrier *int  `json:"write_barrier,omitempty"`
	ReadBarrier  *int  `json:"read_barrier,omitempty"`
	Wait         []int `json:"wait"`
	Reuse        []int `json:"reuse"`
}

func (f *Function) json() functionJSON {
	out := functionJSON{Name: f.Name, Target: f.Target, Facts: f.Facts(), Blocks: []blockJSON{}}
	for _, b := range f.Blocks {
		object := blockJSON{Address: f.address(b), Label: b.Label, Next: f.addresses(b.Next), Calls: f.addresses(b.Calls), Instructions: []instructionJSON{}}
		if b.Loop != nil {
			at := f.address(f.Blocks[b.Loop.Header])
			object.Loop = &at
		}
		for i := b.From; i < b.To; i++ {
			object.Instructions = append(object.Instructions, f.Instructions[i].json())
		}
		out.Blocks = append(out.Blocks, object)
	}
	return out
}

func (in *Instruction) json() instructionJSON {
	out := instructionJSON{
		Address: in.Address, Text: in.Text, Guard: in.Guard.String(), Opcode: in.Mnemonic(), Class: in.Class(),
		Defines: names(in.Defines()), Uses: names(in.Uses()), File: in.Source.File, Line: in.Source.Line,
	}
	if row := in.Opcode; row != nil {
		out.Pipe, out.Latency = row.Pipe, row.Latency
	}
	if in.Code != nil {
		c := in.Code.Control()
		out.Control = &controlJSON{
			Stall: c.Stall, Yield: c.Yield, WriteBarrier: scoreboard(c.WriteBarrier), ReadBarrier: scoreboard(c.ReadBarrier),
			Wait: members(c.Wait), Reuse: members(c.Reuse),
		}
	}
	return out
}

func scoreboard(n int) *int {
	if n == None {
		return nil
	}
	return &n
}

// members lists the bits of a set.
func members(set int) []int {
	list := []int{}
	for i := 0; set>>i != 0; i++ {
		if set>>i&1 != 0 {
			list = append(list, i)
		}
	}
	return list
}

func names(registers []Register) []string {
	list := []string{}
	for _, r := range registers {
		list = append(list, r.String())
	}
	return list
}

// address is where a block begins.
func (f *Function) address(b Block) int64 { return f.Instructions[b.From].Address }

func (f *Function) addresses(blocks []int) []int64 {
	list := []int64{}
	for _, b := range blocks {
		list = append(list, f.address(f.Blocks[b]))
	}
	return list
}
