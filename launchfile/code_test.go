package launchfile

import (
	"strings"
	"testing"

	"gpuperf/device"
)

// TestUnsupportedCode: what the kernel or a function of the device needs that is not supported is found, but not in comments, in other
// kernels or in code for the host.
func TestUnsupportedCode(t *testing.T) {
	for code, want := range map[string]string{
		"__global__ void k() { l<<<1, 1>>>(); }":                                         "k.cu:3:24: a launch from within a kernel",
		"__global__ void __launch_bounds__(8) k(cudaTextureObject_t t) {}":               "k.cu:3:40: a texture",
		"__device__ float f(cudaSurfaceObject_t s) { return 0; }":                        "k.cu:3:20: a surface",
		"__global__ void k(const __grid_constant__ CUtensorMap m) {}":                    "k.cu:3:43: a tensor map",
		"__global__ void k() { auto g = this_grid(); { g.sync(); } }":                    "k.cu:3:32: the kernel waits for the whole grid",
		"__global__ void k() { auto g = this_grid(); g.size(); }":                        "",
		"__global__ void other(cudaTextureObject_t t) {}\n__global__ void k();":          "",
		"void f() { k<<<1, 1>>>(); cudaTextureObject_t t; }\n__device__ int x = {1};":    "",
		"__global__ void k() { const char *s = \"<<<\"; } // tex2D<float>(t, 0, 0)":      "",
		"__global__ void k() { if (1) { } }\nvoid f(cudaTextureObject_t t) { tex2D(); }": "",
	} {
		_, err := job(t, map[string]string{"k.cu": "/* k<<<1\n */\n" + code}, cuda, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", code, err, want)
		}
	}
}

func TestUnsupportedPTX(t *testing.T) {
	text := strings.NewReplacer("k.cu", "k.ptx", "k<float>", "k", "define: {TILE: 16, FAST: }\n", "", "options: [-use_fast_math, \"-w -lineinfo\"]\n", "").Replace(cuda)
	for code, want := range map[string]string{
		".entry other() { tex.2d; }\n.entry k() {\n\tsuld.b.1d.b32 }":    "k.ptx:3:2: a surface is not supported",
		".entry k() { cp.async.bulk.tensor.2d }":                         "a tensor map",
		".entry k() { cp.async.bulk.prefetch.tensor.2d }":                "a tensor map",
		".entry k() { call.uni (r), cudaLaunchDeviceV2, (a); }":          "a launch from within a kernel",
		".entry k() { vertex.x; }\n.visible .entry last() { txq.depth }": "",
	} {
		_, err := job(t, map[string]string{"k.ptx": code}, text, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", code, err, want)
		}
	}
}

// TestCompiler: code for the host, and headers that are in no folder of the file, are for nvcc.
func TestCompiler(t *testing.T) {
	for _, c := range []struct {
		code, compiler string
		want           device.Compiler
		err            string
	}{
		{"__global__ void k() {}", "", device.Online, ""},
		{"__global__ void k() {}", "auto", device.Online, ""},
		{"__global__ void k() {}", "nvcc", device.NVCC, ""},
		{"// main()\n__global__ void k() { main(); }", "", device.Online, ""},
		{"__global__ void k() {}\nint main() {}", "", device.NVCC, ""},
		{"__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }", "auto", device.NVCC, ""},
		{"__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }", "nvrtc", "", "k.cu:2:13: the source has code for the host in it"},
		{"#include <cstdio>\n__global__ void k() {}", "", device.NVCC, ""},
		{"#include <cstdio>\n__global__ void k() {}", "nvrtc", device.Online, ""},
		{"#include <near.h>\n__global__ void k() {}", "", device.Online, ""},
		{"#include \"none.h\"\n__global__ void k() {}", "", device.Online, ""},
	} {
		text := cuda
		if c.compiler != "" {
			text += "compiler: " + c.compiler + "\n"
		}
		got, err := job(t, map[string]string{"k.cu": c.code, "near.h": ""}, text, nil)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, want %q", c.code, err, c.err)
		}
		if err == nil && (got.Compiler != c.want || got.Expect.Job.Compiler != c.want) {
			t.Errorf("%q, %q: %q, want %q", c.code, c.compiler, got.Compiler, c.want)
		}
	}
}

func TestAttributes(t *testing.T) {
	got, err := job(t, sources, strings.Replace(cuda, "block: [256]\n", "block: [256]\nattributes: {cluster: [n / 500, 1, 3], cooperative: true, carveout: 0}\n", 1), nil)
	if err == nil {
		t.Errorf("clusters of 3 in a grid of 1: %+v", got.Attributes)
	}
	got, err = job(t, sources, strings.Replace(cuda, "block: [256]\n", "block: [256]\nattributes: {cluster: [n / 500, m], carveout: 0}\n", 1), nil)
	if err == nil {
		t.Error("the reference has one work-group, and the cluster has more")
	}
	text := strings.NewReplacer("block: [256]\n", "block: [256]\nattributes: {cluster: [n / 500, m], cooperative: true, carveout: 0}\n",
		"block: [1],", "block: [1], attributes: {},").Replace(cuda)
	if got, err = job(t, sources, text, nil); err != nil {
		t.Fatal(err)
	}
	a := got.Attributes
	if a == nil || len(a.Cluster) != 2 || a.Cluster[0] != 2 || a.Cluster[1] != 3 || !a.Cooperative || a.Carveout == nil || *a.Carveout != 0 {
		t.Errorf("%+v", a)
	}
	if got.Expect.Job.Attributes != nil {
		t.Errorf("the reference has %+v", got.Expect.Job.Attributes)
	}
}
