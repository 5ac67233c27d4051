package opencl

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"gpuperf/device"
	"gpuperf/samples"
)

var _ device.Builder = (*Device)(nil)

type program struct {
	id   object
	log  string
	took time.Duration
}

// keepPrograms bounds the programs in memory. A sweep verifies all its kernels before it times them, and loading a program
// again may compile it again.
const keepPrograms = 512

// KeepPrograms has built programs kept in a folder, as the binaries that the driver gives, and looked up there first.
func (d *Device) KeepPrograms(dir string) {
	d.folder = dir
	if dir != "" {
		prune(dir, folderLimit)
	}
}

// Build builds the program of a job, keeps it in the folder, and loads it once, so that the driver also caches what it
// makes when it loads a program.
func (d *Device) Build(job device.Job) error {
	if d.queue == 0 {
		return errors.New("the device is closed")
	}
	if d.folder == "" {
		return errors.New("no folder to keep programs in")
	}
	file := device.ProgramFile(d.folder, d.info.Fingerprint, job)
	if id, ok := d.load(file, job.Options); ok {
		d.release(releaseProgram, id)
		return nil
	}
	p, err := d.buildOrExplain(job)
	if err != nil {
		return err
	}
	defer d.release(releaseProgram, p.id)
	if err := d.keep(file, p.id); err != nil {
		return err
	}
	if id, ok := d.load(file, job.Options); ok {
		d.release(releaseProgram, id)
	}
	return nil
}

// program returns the built program of a job: from memory, from the folder, or built now.
func (d *Device) program(job device.Job) (program, error) {
	key := job.Options + "\x00" + job.Source
	if p, ok := d.programs[key]; ok {
		i := slices.Index(d.order, key)
		d.order = append(slices.Delete(d.order, i, i+1), key)
		return p, nil
	}
	start := time.Now()
	p := program{}
	if d.folder != "" {
		if id, ok := d.load(device.ProgramFile(d.folder, d.info.Fingerprint, job), job.Options); ok {
			p = program{id: id, took: time.Since(start)}
		}
	}
	if p.id == 0 {
		var err error
		if p, err = d.buildOrExplain(job); err != nil {
			return program{}, err
		}
	}
	if len(d.order) >= d.most {
		d.release(releaseProgram, d.programs[d.order[0]].id)
		delete(d.programs, d.order[0])
		d.order = d.order[1:]
	}
	d.programs[key] = p
	d.order = append(d.order, key)
	return p, nil
}

// buildOrExplain builds a program from its source. The error is a *device.Error.
func (d *Device) buildOrExplain(job device.Job) (program, error) {
	start := time.Now()
	id, log, err := d.build(job.Source, job.Options)
	if err != nil {
		e := failed(building, err)
		e.Log = log
		return program{}, tooLarge(e)
	}
	return program{id, log, time.Since(start)}, nil
}

// build compiles a program. The log comes also with an error, and is also there when the compiler only warned.
func (d *Device) build(source, options string) (id object, log string, err error) {
	if strings.ContainsRune(source+options, 0) {
		return 0, "", device.Errorf(samples.BuildFailed, "the source or its options contain a zero byte")
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	text := cString(&pin, source)
	texts, lengths := []*byte{text}, []uintptr{uintptr(len(source))}
	id, err = d.create(createProgramWithSource, uintptr(d.context), 1,
		uintptr(unsafe.Pointer(&texts[0])), uintptr(unsafe.Pointer(&lengths[0])))
	if err != nil {
		return 0, "", err
	}
	return d.finishBuild(id, options)
}

// finishBuild builds a program that was created, and releases it when that fails.
func (d *Device) finishBuild(id object, options string) (object, string, error) {
	const buildLog = 0x1183
	var pin runtime.Pinner
	defer pin.Unpin()
	devices, log := []object{d.id}, ""
	err := d.call(buildProgram, uintptr(id), 1, uintptr(unsafe.Pointer(&devices[0])), uintptr(unsafe.Pointer(cString(&pin, options))), 0, 0)
	if b, logErr := d.query(getProgramBuildInfo, buildLog, id, d.id); logErr == nil {
		log = strings.TrimSpace(strings.TrimRight(string(b), "\x00"))
	}
	if err != nil {
		d.release(releaseProgram, id)
		return 0, log, err
	}
	return id, log, nil
}

// binary returns what the driver made of a built program for this device: machine code, or, from NVIDIA's, PTX.
func (d *Device) binary(id object) ([]byte, error) {
	const binarySizes, binaries, limit = 0x1165, 0x1166, 1 << 30
	b, err := d.query(getProgramInfo, binarySizes, id)
	if err != nil {
		return nil, err
	}
	sizes := words(b)
	if len(sizes) != 1 || sizes[0] <= 0 || sizes[0] > limit {
		return nil, fmt.Errorf("the driver gives binaries of %d bytes for one device", sizes)
	}
	data := make([]byte, sizes[0])
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&data[0])
	places := []*byte{&data[0]}
	err = d.call(getProgramInfo, uintptr(id), binaries, unsafe.Sizeof(places[0]), uintptr(unsafe.Pointer(&places[0])), 0)
	return data, err
}

// A file of the folder is the checksum of the binary, then the binary: a driver may not survive a broken one.

// keep writes the program's binary to the file, whole or not at all.
func (d *Device) keep(file string, id object) error {
	data, err := d.binary(id)
	if err != nil {
		return fmt.Errorf("the program cannot be kept: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "*.part")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	_, err = f.Write(append(sum[:], data...))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// load makes a built program from a file; false means that it must be built from source.
func (d *Device) load(file, options string) (object, bool) {
	data, err := os.ReadFile(file)
	if err != nil || len(data) <= sha256.Size {
		return 0, false
	}
	code := data[sha256.Size:]
	if sum := sha256.Sum256(code); !bytes.Equal(sum[:], data[:sha256.Size]) {
		os.Remove(file)
		return 0, false
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&code[0])
	places, lengths, devices, status := []*byte{&code[0]}, []uintptr{uintptr(len(code))}, []object{d.id}, new(int32)
	id, err := d.create(createProgramWithBinary, uintptr(d.context), 1, uintptr(unsafe.Pointer(&devices[0])),
		uintptr(unsafe.Pointer(&lengths[0])), uintptr(unsafe.Pointer(&places[0])), uintptr(unsafe.Pointer(status)))
	if err == nil {
		id, _, err = d.finishBuild(id, options)
	}
	if err != nil {
		os.Remove(file)
		return 0, false
	}
	now := time.Now()
	os.Chtimes(file, now, now) // prune drops what was not used for long
	return id, true
}

// folderLimit bounds the bytes of the programs in a folder.
const folderLimit = 1 << 30

// prune removes the files that were used longest ago until half of the limit is left, if there is more than the limit.
func prune(dir string, limit int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && filepath.Ext(e.Name()) == ".program" {
			files = append(files, info)
			total += info.Size()
		}
	}
	if total <= limit {
		return
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if total <= limit/2 {
			return
		}
		if os.Remove(filepath.Join(dir, f.Name())) == nil {
			total -= f.Size()
		}
	}
}
