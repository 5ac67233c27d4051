// Package datafile opens files with the elements of buffers: of NumPy, or the bare elements.
package datafile

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/source"
)

// Data is a file with the elements of a buffer.
type Data struct {
	DType string // "" where the file does not say
	Bytes int64  // of elements
	File  device.File
}

// Suffix ends the names of files of NumPy, which say what their elements are.
const Suffix = ".npy"

// Open opens a file. What is wrong with one of NumPy is an *Error.
func Open(path string) (d Data, err error) {
	in, err := source.Open(path)
	if err != nil {
		return d, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return d, err
	}
	d.Bytes = info.Size()
	if d.File.Path, err = filepath.Abs(path); err != nil {
		return d, err
	}
	if strings.HasSuffix(path, Suffix) {
		if err := d.header(in); err != nil {
			return d, err
		}
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return d, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return d, err
	}
	d.File.Hash = hex.EncodeToString(h.Sum(nil))
	return d, nil
}

// Error is what is wrong with a file in NumPy's format.
type Error struct{ msg string }

func (e *Error) Error() string { return e.msg }

func npyf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

var (
	npyMagic = "\x93NUMPY"
	npyType  = regexp.MustCompile(`'descr':\s*'([<>|=]?)([a-z])(\d+)'`)
	npyOrder = regexp.MustCompile(`'fortran_order':\s*True`)
	npyShape = regexp.MustCompile(`'shape':\s*\(([0-9, ]*)\)`)
)

// npyKinds are the letters of types.
var npyKinds = map[string]string{"f": "float", "i": "int", "u": "uint", "b": "uint"}

// header reads the header of a file of NumPy (numpy.lib.format, versions 1 to 3).
func (d *Data) header(file *os.File) error {
	in := bufio.NewReader(file)
	start := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(in, start); err != nil || string(start[:len(npyMagic)]) != npyMagic {
		return npyf("it is not in the format of NumPy")
	}
	length, word := int64(0), make([]byte, 4)
	if start[len(npyMagic)] == 1 {
		word = word[:2]
	}
	if _, err := io.ReadFull(in, word); err != nil {
		return npyf("its header is not complete")
	}
	length = int64(binary.LittleEndian.Uint32(append(word, 0, 0)))
	const limit = 1 << 20 // bytes: headers of arrays have some hundred
	text := make([]byte, min(length, limit))
	if _, err := io.ReadFull(in, text); err != nil || length > limit {
		return npyf("its header is not complete")
	}
	d.File.Offset = int64(len(start)+len(word)) + length
	d.Bytes -= d.File.Offset
	return d.elements(string(text))
}

// elements reads from the header what the elements are, and checks that they are there.
func (d *Data) elements(header string) error {
	m, shape := npyType.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if m == nil || shape == nil {
		return npyf("its elements are not plain numbers")
	}
	bytes, err := strconv.ParseInt(m[3], 10, 64)
	if err != nil || bytes > 8 || npyKinds[m[2]] == "" {
		return npyf("elements of type %s%s are not supported", m[2], m[3])
	}
	d.DType = npyKinds[m[2]] + strconv.FormatInt(8*bytes, 10)
	count := int64(1)
	for _, part := range strings.FieldsFunc(shape[1], func(c rune) bool { return c == ',' || c == ' ' }) {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n != 0 && count > math.MaxInt64/8/n {
			return npyf("its shape is too large")
		}
		count *= n
	}
	switch {
	case device.DTypeSize(d.DType) == 0:
		return npyf("elements of type %s%s are not supported", m[2], m[3])
	case m[1] == ">":
		return npyf("its elements are big-endian")
	case npyOrder.MatchString(header):
		return npyf("its elements are in the order of Fortran; save it by numpy.ascontiguousarray")
	case d.Bytes != count*bytes:
		return npyf("it has %d bytes of elements, and its shape stands for %d", d.Bytes, count*bytes)
	}
	return nil
}
