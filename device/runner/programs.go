package runner

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"gpuperf/device"
	"gpuperf/internal/replace"
	"gpuperf/internal/throw"
	"gpuperf/samples"
)

var _ device.Builder = (*Device)(nil)

type program struct {
	Program
	log     string
	took    time.Duration
	learned map[string]learned // of its kernels, by file
}

// keepPrograms bounds the programs in memory. A sweep verifies all its kernels before it times them, and loading a program
// again may compile it again.
const keepPrograms = 512

// KeepPrograms has built programs kept in a folder, as the binaries that the driver gives, and looked up there first.
func (d *Device) KeepPrograms(dir string) {
	d.folder = dir
	if dir != "" {
		replace.Prune(dir, folderLimit, ".program", learnedEnding)
	}
}

// Build builds the program of a job, keeps it in the folder, and loads it once, so that the driver also caches what it
// makes when it loads a program.
func (d *Device) Build(job device.Job) (err error) {
	defer throw.Catch(&err)
	if d.closed {
		return errors.New("the device is closed")
	}
	if d.folder == "" {
		return errors.New("no folder to keep programs in")
	}
	if !job.Keepable() {
		return nil
	}
	file := device.ProgramFile(d.folder, d.info.Fingerprint, job)
	if id, ok := d.load(file, job.Options); ok {
		d.Unload(id)
		return nil
	}
	p := d.buildOrExplain(job)
	defer d.Unload(p.Program)
	d.keep(file, p.Program)
	if kernel, err := d.Kernel(p.Program, job.Entry); err == nil {
		d.learn(context.Background(), job, p, kernel.Compiled(0))()
		kernel.Release()
	}
	if id, ok := d.load(file, job.Options); ok {
		d.Unload(id)
	}
	return nil
}

// program returns the built program of a job: from memory, from the folder, or built now.
func (d *Device) program(job device.Job) program {
	key := strings.Join(append(job.Names(), job.CompilerOptions(), string(job.Compiler), string(job.Image), job.Source), "\x00")
	for _, v := range job.Variables { // a program whose variables are set is no other's
		key += "\x00" + v.Name
	}
	if p, ok := d.programs[key]; ok {
		i := slices.Index(d.order, key)
		d.order = append(slices.Delete(d.order, i, i+1), key)
		return p
	}
	start := time.Now()
	p := program{}
	if d.folder != "" && job.Keepable() {
		if id, ok := d.load(device.ProgramFile(d.folder, d.info.Fingerprint, job), job.Options); ok {
			p = program{id, "", time.Since(start), map[string]learned{}}
		}
	}
	if p.Program == nil {
		p = d.buildOrExplain(job)
	}
	if len(d.order) >= d.MaxPrograms {
		d.Unload(d.programs[d.order[0]].Program)
		delete(d.programs, d.order[0])
		d.order = d.order[1:]
	}
	d.programs[key] = p
	d.order = append(d.order, key)
	return p
}

// buildOrExplain builds a program from its source. The error is a *device.Error.
func (d *Device) buildOrExplain(job device.Job) program {
	start := time.Now()
	id, log, err := d.build(job)
	if err != nil {
		e := d.Verdict(Building, err)
		e.Log = cmp.Or(log, e.Log)
		panic(throw.Of(tooLarge(e)))
	}
	return program{id, log, time.Since(start), map[string]learned{}}
}

func (d *Device) build(job device.Job) (p Program, log string, err error) {
	if job.Image != nil {
		p, err = d.Load(job.Image, job.Options)
		return p, "", err
	}
	return d.Compile(Source{job.Source, job.CompilerOptions(), job.Compiler, job.Names()})
}

// A file of the folder is the checksum of the binary, then the binary: a driver may not survive a broken one.

// keep writes the program's binary to the file, whole or not at all.
func (d *Device) keep(file string, p Program) {
	data, err := d.Binary(p)
	if err != nil {
		panic(throw.Errorf("the program cannot be kept: %w", err))
	}
	sum := sha256.Sum256(data)
	throw.If(replace.Bytes(file, append(sum[:], data...)))
}

// load makes a built program from a file; false means that it must be built from source.
func (d *Device) load(file, options string) (Program, bool) {
	data, err := os.ReadFile(file)
	if err != nil || len(data) <= sha256.Size {
		return nil, false
	}
	code := data[sha256.Size:]
	if sum := sha256.Sum256(code); !bytes.Equal(sum[:], data[:sha256.Size]) {
		os.Remove(file)
		return nil, false
	}
	p, err := d.Load(code, options)
	if err != nil {
		os.Remove(file)
		return nil, false
	}
	now := time.Now()
	os.Chtimes(file, now, now) // replace.Prune drops what was not used for long
	return p, true
}

// folderLimit bounds the bytes of the programs in a folder.
const folderLimit = 1 << 30

// tooLargeMessages are what compilers say when the source is right, but too large for the device.
var tooLargeMessages = []string{"uses too much shared data", "local memory limit exceeded", "too much local memory"}

func tooLarge(e *device.Error) *device.Error {
	for _, m := range tooLargeMessages {
		if strings.Contains(e.Log, m) {
			e.Status = samples.Refused
			e.Msg = "the kernel needs more local memory than the device has: " + lineWith(e.Log, m)
			return e.WithHint("make the local tiles smaller")
		}
	}
	return e
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return strings.TrimSpace(line)
		}
	}
	return part
}
