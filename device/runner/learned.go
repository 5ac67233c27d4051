package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/internal/replace"
	"gpuperf/samples"
	"gpuperf/sass"
)

// learned is what is found out once of the first kernel of a job, and kept beside the built program: a driver may tell the registers only
// when it compiles, and disassemblers take their time.
type learned struct {
	Registers int64         `json:"registers,omitempty"`
	Code      *samples.Code `json:"code,omitempty"`
}

// fewTrials are those of jobs that are to take little time: no machine code is looked into for them.
const fewTrials = 5

// codeLimit is how long a disassembler may take, and how large the machine code may be.
const (
	codeLimit = 5 * time.Second
	codeBytes = 4 << 20
)

// learn begins to find out what is not known yet of the first kernel of a job, by what the driver has told of it. The function that
// it returns waits for the answer.
func (d *Device) learn(ctx context.Context, job device.Job, p program, told samples.Compiled) func() learned {
	file := d.learnedFile(job)
	known, ok := p.learned[file]
	if !ok {
		known = readLearned(file)
	}
	now := learned{cmp.Or(told.Registers, known.Registers), cmp.Or(job.Code, known.Code)}
	var image []byte
	var symbol string
	if trials := job.Policy.WithDefaults().Trials; now.Code == nil && trials > fewTrials {
		image, symbol = d.MachineCode(p.Program, job.Entry)
	}
	found := make(chan *samples.Code, 1)
	go func() { found <- cmp.Or(now.Code, d.disassembled(ctx, image, symbol, now.Registers, job.Arrays())) }()
	return func() learned {
		now.Code = <-found
		p.learned[file] = now
		if now != known {
			keepLearned(file, now)
		}
		return now
	}
}

// disassembled is what a kernel of machine code holds; nil where no disassembler is at hand, or none understands it. PTX is assembled as
// drivers do it: where that gives other registers, it is not what they run.
func (d *Device) disassembled(ctx context.Context, image []byte, symbol string, registers int64, arrays []string) *samples.Code {
	if len(image) == 0 || len(image) > codeBytes {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, codeLimit)
	defer cancel()
	if sass.IsPTX(image) {
		cubin, err := sass.Assemble(ctx, image, d.info.Architecture)
		if err != nil {
			return nil
		}
		image = cubin
	}
	if !sass.IsCubin(image) {
		return nil
	}
	listing, err := sass.ReadCubin(ctx, symbol, image, false, symbol)
	if err != nil {
		return nil
	}
	for _, f := range listing.Functions {
		if f.Name == symbol && int64(f.Registers) == registers {
			return f.Code(arrays)
		}
	}
	return nil
}

// learnedFile is where what is learned of a job's first kernel is kept; "" where what the compiler reads is not known.
func (d *Device) learnedFile(job device.Job) string {
	if d.folder == "" || len(job.Include) > 0 {
		return ""
	}
	image := sha256.Sum256(job.Image)
	key := append([]string{device.ProgramFile("", d.info.Fingerprint, job), hex.EncodeToString(image[:]), string(job.Compiler), job.Entry}, job.Arrays()...)
	sum := sha256.Sum256([]byte(strings.Join(key, "\x00")))
	return filepath.Join(d.folder, hex.EncodeToString(sum[:16])+learnedEnding)
}

const learnedEnding = ".kernel"

// readLearned reads a file, or knows nothing.
func readLearned(file string) (l learned) {
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &l) != nil {
		return learned{}
	}
	return l
}

// keepLearned writes a file. Where that fails, it is found out again.
func keepLearned(file string, l learned) {
	text, err := json.Marshal(l)
	if file == "" || err != nil {
		return
	}
	replace.Bytes(file, text)
}
