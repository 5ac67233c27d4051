package cuda

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gpuperf/device"
	"gpuperf/device/runner"
	"gpuperf/internal/toolkit"
	"gpuperf/samples"
)

func findNVCC() (string, error) {
	if path := toolkit.Find("nvcc"); path != "" {
		return path, nil
	}
	return "", device.Errorf(samples.BuildFailed, "there is no nvcc, which compiles CUDA C with code for the host or with headers of the host's").
		WithHint("install the CUDA toolkit; or leave the kernels alone in the file, with the folders of its headers as include; or name PTX or cubin, compiled elsewhere")
}

// nvcc compiles a source that may have code for the host in it.
func (d *driver) nvcc(s runner.Source) (code []byte, symbols map[string]string, log string, err error) {
	nvcc, err := findNVCC()
	if err != nil {
		return nil, nil, "", err
	}
	dir, err := os.MkdirTemp("", "perf-nvcc-")
	if err != nil {
		return nil, nil, "", err
	}
	defer os.RemoveAll(dir)
	const source, cubin = "kernel.cu", "kernel.cubin"
	if err := os.WriteFile(filepath.Join(dir, source), []byte(s.Text+instances(s.Names)), 0o600); err != nil {
		return nil, nil, "", err
	}
	args := append([]string{"-cubin", "-std=c++17", "-o", cubin}, forArchitecture(d.arch, strings.Fields(s.Options))...)
	cmd := exec.Command(nvcc, append(args, source)...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	log = strings.TrimSpace(said.String())
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		return nil, nil, log, fmt.Errorf("nvcc: the source does not compile")
	}
	if err != nil {
		return nil, nil, log, err
	}
	code, err = os.ReadFile(filepath.Join(dir, cubin))
	return code, nil, log, err
}

// instances are lines of a source that have instances of templates compiled, which name expressions ask for.
func instances(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if strings.Contains(name, "<") {
			fmt.Fprintf(&b, "\nstatic const void *const perf_instance_%d __attribute__((used)) = (const void *) (%s);", i, name)
		}
	}
	return b.String()
}
