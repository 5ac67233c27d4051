package counters

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"

	"gpuperf/samples"
)

// Instruction is one of a kernel's machine code, and what the hardware has counted of it in a launch.
type Instruction struct {
	Address int64   `json:"address"` // bytes from the start of the kernel
	Text    string  `json:"text"`
	Warps   int64   `json:"warps"`             // executions by sub-groups
	Items   int64   `json:"items"`             // by work-items, of which the guard holds
	Ways    float64 `json:"ways,omitempty"`    // wavefronts of local memory for each execution
	Sectors int64   `json:"sectors,omitempty"` // of global memory, of all executions
}

// Mnemonic is the opcode with its modifiers.
func (in *Instruction) Mnemonic() string {
	text := in.Text
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	name, _, _ := strings.Cut(text, " ")
	return name
}

// Name is the opcode without modifiers.
func (in *Instruction) Name() string {
	name, _, _ := strings.Cut(in.Mnemonic(), ".")
	return name
}

// executed is how often sub-groups execute instructions of a name.
func executed(code []Instruction, name string) (sum float64) {
	for i := range code {
		if code[i].Name() == name {
			sum += float64(code[i].Warps)
		}
	}
	return sum
}

// Columns of the page "source" of ncu.
const (
	nameColumn    = "Kernel Name"
	addressColumn = "Address"
	textColumn    = "Source"
	warpsColumn   = "Instructions Executed"
	itemsColumn   = "Predicated-On Thread Instructions Executed"
	waysColumn    = "L1 Conflicts Shared N-Way"
	sectorsColumn = "L2 Theoretical Sectors Global"
)

// parseCode reads the page: for each launch a row with its name, a header, and a row for each instruction.
func parseCode(text string) (all [][]Instruction, err error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = -1
	at := map[string]int{}
	start := int64(0)
	for {
		row, err := reader.Read()
		switch {
		case err == io.EOF:
			for i := range all {
				all[i] = trimmed(all[i])
			}
			return all, nil
		case err != nil:
			return nil, err
		case row[0] == nameColumn:
			all, at, start = append(all, nil), nil, -1
			continue
		case len(all) == 0:
			continue // what ncu says before
		case at == nil:
			at = map[string]int{}
			for i, name := range row {
				at[name] = i
			}
			for _, name := range []string{addressColumn, textColumn, warpsColumn, itemsColumn, waysColumn, sectorsColumn} {
				if _, ok := at[name]; !ok {
					return nil, fmt.Errorf("the source page of ncu has no column %q", name)
				}
			}
			continue
		}
		address, err := strconv.ParseInt(row[at[addressColumn]], 0, 64)
		if err != nil {
			return nil, err
		}
		if start < 0 {
			start = address
		}
		number := func(column string) float64 {
			v, _ := strconv.ParseFloat(strings.ReplaceAll(row[at[column]], ",", ""), 64) // "-" where there is none
			return v
		}
		last := len(all) - 1
		all[last] = append(all[last], Instruction{
			Address: address - start, Text: relative(strings.Join(strings.Fields(row[at[textColumn]]), " "), start),
			Warps: int64(number(warpsColumn)), Items: int64(number(itemsColumn)), Ways: number(waysColumn), Sectors: int64(number(sectorsColumn)),
		})
	}
}

// trimmed leaves out what follows the last instruction that was executed.
func trimmed(code []Instruction) []Instruction {
	for len(code) > 0 && code[len(code)-1].Warps == 0 {
		code = code[:len(code)-1]
	}
	return code
}

var absolute = regexp.MustCompile(`\b0x[0-9a-f]{9,}\b`)

// relative writes the targets of jumps as addresses from the start.
func relative(text string, start int64) string {
	return absolute.ReplaceAllStringFunc(text, func(s string) string {
		v, err := strconv.ParseInt(s, 0, 64)
		if err != nil {
			return s
		}
		return fmt.Sprintf("%#x", v-start)
	})
}

// CodeFile is the file beside a samples file that has the code of its kernels.
func CodeFile(path string) string { return samples.Beside(path, "code") }

// codeLine is the code of a kernel at its sizes.
type codeLine struct {
	Kernel samples.Identity `json:"kernel"`
	Code   []Instruction    `json:"code"`
}

func writeCode(w io.Writer, c Counted) error {
	if c.Code == nil {
		return nil
	}
	return json.NewEncoder(w).Encode(codeLine{c.Record.Kernel, c.Code})
}

// loadCode reads a file of code; there need not be one.
func loadCode(path string) (map[string][]Instruction, error) {
	all := map[string][]Instruction{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for lines := json.NewDecoder(in); ; {
		var l codeLine
		if err := lines.Decode(&l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all[l.Kernel.Key()] = l.Code
	}
}
