package ptx_test

import (
	"testing"

	"gpuperf/cfront/ptx"
)

func TestC(t *testing.T) {
	operands := []ptx.Operand{{"=r", "a"}, {"=f", "b"}, {"l", "p + i"}, {"f", "v"}, {"r", "u"}, {"n", "16"}}
	for text, want := range map[string]string{
		"ld.global.f32 %1, [%2];":                            "{ (b) = *(const float *)(p + i); }",
		"ld.global.nc.L1::no_allocate.b32 %1, [%2+4];":       "{ (b) = ((const float *)(p + i))[1]; }",
		"ld.global.v2.f32 {%1, %3}, [%2+4];":                 "{ { float2 loaded__ = *(const float2 *)((char *)(p + i) + 4); (b) = loaded__.x; (v) = loaded__.y; } }",
		"ld.volatile.shared.u8 %0, [ %2 ];":                  "{ (a) = *(const uchar *)(p + i); }",
		"ld.global.v2.f32 {%1, %3}, [%2 + %5];":              "{ { float2 loaded__ = ((const float2 *)(p + i))[2]; (b) = loaded__.x; (v) = loaded__.y; } }",
		"st.global.cs.f32 [%2], %3;":                         "{ *(float *)(p + i) = (v); }",
		"{ st.global.v2.u32 [%2], {%4, %4}; membar.gl; }":    "{ *(uint2 *)(p + i) = make_uint2((u), (u)); __threadfence(); }",
		"mov.u32 %0, %laneid;":                               "{ (a) = (((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32); }",
		"mov.u32 %0, %%ctaid.y;":                             "{ (a) = blockIdx.y; }",
		"mov.b32 %0, %4;":                                    "{ (a) = (u); }",
		"atom.global.add.u32 %0, [%2], %4;":                  "{ (a) = atomicAdd(&*(uint *)(p + i), (u)); }",
		"red.relaxed.gpu.global.add.f32 [%2], %3;":           "{ atomicAdd(&*(float *)(p + i), (v)); }",
		"bar.sync 0;":                                        "{ __syncthreads(); }",
		"mov.b32 %0, %3;":                                    "", // it keeps the bits
		"mov.u32 %0, %smid;":                                 "",
		"mov.b64 %0, {%4, %4};":                              "",
		"bar.sync 1, 64;":                                    "",
		"ld.global.v4.f32 {%1, %3}, [%2];":                   "",
		"ld.param.f32 %1, [%2];":                             "",
		"ld.global.f32 %1, [%9];":                            "",
		"add.u32 %0, %4, %4;":                                "",
		"@p ld.global.f32 %1, [%2];":                         "",
		"fence.proxy.async;":                                 "",
		"cp.async.cg.shared.global.L2::128B [%4], [%2], 16;": "{ *(uint4 *)(u) = *(const uint4 *)(p + i); }",
		"cp.async.ca.shared.global [%4+16], [%2], 8, %0;":    "{ if ((int)(a) > 0) ((uint2 *)(u))[2] = *(const uint2 *)(p + i); else ((uint2 *)(u))[2] = make_uint2(0, 0); }",
		"cp.async.commit_group; cp.async.wait_group 1;":      "{ ; ; }",
		".reg .pred p; setp.ne.b32 p, %0, 0; @p ld.global.f32 %1, [%2]; @!p mov.u32 %0, 7;": "{ if ((int)(a) != (int)0) { (b) = *(const float *)(p + i); } if (!((int)(a) != (int)0)) { (a) = 7; } }",
		"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %4, %0, %4}, [%4];": `{ { uint4 loaded__ = *(const uint4 *)(u); asm volatile("ldmatrix" : "=r"((a)), "=r"((u)), "=r"((a)), "=r"((u)) : ` +
			`"r"(loaded__.x), "r"(loaded__.y), "r"(loaded__.z), "r"(loaded__.w)); } }`,
		"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0, %4}, [%4];": "",
		"ldmatrix.sync.aligned.m8n8.x1":                            "",
		"cp.async.ca.shared.global [%4], [%2], %0;":                "",
		"cp.async.bulk.shared.global [%4], [%2], 16;":              "",
		"": "",
	} {
		got, ok := ptx.C(text, operands)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
