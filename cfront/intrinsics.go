package cfront

import "gpuperf/kernel/expr"

// intrinsicTable lists functions as name or name:IR, by what they do and what type their value has. Sources: OpenCL C 3.0, 6.15; CUDA C++
// Programming Guide 12, 10 (language extensions); CUDA Math API 12.
var intrinsicTable = []struct {
	kind   Kind
	result rule
	fixed  expr.DType
	names  string
}{
	{Math, floatResult, "", `sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh
		atanh fabs floor ceil round trunc rint erf erfc tgamma lgamma pow atan2 fmin fmax fmod hypot fdim copysign fma mad
		sinpi cospi tanpi asinpi acospi atanpi atan2pi powr:pow nextafter remainder nearbyint:rint logb degrees radians sign mix step
		smoothstep clamp:clamp normalize cross maxmag minmag rhypot norm3d rnorm3d norm4d rnorm4d rcbrt erfinv erfcinv erfcx
		normcdf normcdfinv saturate:saturate
		native_sqrt:sqrt native_rsqrt:rsqrt native_exp:native_exp native_exp2:native_exp2 native_exp10:native_exp10 native_log:native_log native_log2:native_log2
		native_log10:native_log10 native_sin:native_sin native_cos:native_cos native_tan:native_tan native_powr:native_powr half_sqrt:sqrt half_rsqrt:rsqrt half_exp:exp
		half_exp2:exp2 half_exp10:exp10 half_log:log half_log2:log2 half_log10:log10 half_sin:sin half_cos:cos half_tan:tan
		half_powr:pow pown:pow rootn:rootn ldexp:ldexp scalbn:ldexp scalbln:ldexp j0 j1 y0 y1`},
	{Outputs, floatResult, "", `sincos:sin,cos sincospi:sinpi,cospi fract:fract, modf:modf, frexp:frexp, remquo:remquo, lgamma_r:lgamma,`},
	{Outputs, singleResult, "", `sincosf:sin,cos __sincosf:native_sin,native_cos sincospif:sinpi,cospi modff:modf, frexpf:frexp, remquof:remquo,`},
	{Math, laneResult, "", `dot length fast_length:length distance fast_distance:distance`},
	{Math, floatResult, "", `fast_normalize:normalize`},
	{Math, singleResult, "", `__expf:native_exp __exp10f:native_exp10 __logf:native_log __log2f:native_log2 __log10f:native_log10 __sinf:native_sin __cosf:native_cos __tanf:native_tan __powf:native_powr
		__tanhf:tanh __fsqrt_rn:sqrt __fsqrt_rz:sqrt __fsqrt_ru:sqrt __fsqrt_rd:sqrt __frsqrt_rn:rsqrt __fmaf_rn:fma __fmaf_rz:fma
		__fmaf_ru:fma __fmaf_rd:fma __fmaf_ieee_rn:fma __saturatef:saturate`},
	{Math, commonResult, "", `abs min max clamp mul_hi:mul_hi hadd rhadd rotate add_sat sub_sat mad_hi mad_sat abs_diff select:select
		bitselect popcount clz ctz amd_min3:min3 amd_max3:max3 amd_median3:median3 amd_bitalign:funnelshift amd_bytealign:funnelshift`},
	{Math, firstResult, "", `amd_bfe:bfe amd_bfm:bfm`},
	{Math, widerResult, "", `upsample`},
	{Math, shuffledResult, "", `shuffle shuffle2`},
	{Math, fixedResult, expr.Uint32, `amd_pack:bits`},
	{Math, fixedResult, expr.Float32, `amd_unpack0:bits amd_unpack1:bits amd_unpack2:bits amd_unpack3:bits`},
	{Math, fixedResult, expr.Int32, `__mulhi:mul_hi __rhadd:rhadd __double2hiint:bits __double2loint:bits`},
	{Math, fixedResult, expr.Uint32, `umin:min umax:max __umulhi:mul_hi __sad:sad __usad:sad __brev:brev __byte_perm:byte_perm __uhadd:hadd __urhadd:rhadd
		__funnelshift_l:funnelshift __funnelshift_r:funnelshift __funnelshift_lc:funnelshift __funnelshift_rc:funnelshift
		__nv_cvt_float4_to_fp8x4:bits __curand_skip:curand_skip __curand_poisson:curand_poisson`},
	{Math, fixedResult, expr.Float64, `__hiloint2double:bits`},
	{Math, fixedResult, expr.Uint8, `__nv_cvt_float_to_fp8:bits __nv_cvt_double_to_fp8:bits __nv_cvt_halfraw_to_fp8:bits __nv_cvt_bfloat16raw_to_fp8:bits`},
	{Math, fixedResult, expr.Uint16, `__nv_cvt_float2_to_fp8x2:bits __nv_cvt_halfraw2_to_fp8x2:bits`},
	{Math, fixedResult, expr.Float32, `__nv_cvt_fp8_to_float:bits`},
	{Math, fixedResult, expr.Float16, `__nv_cvt_fp8_to_halfraw:bits`},
	{Math, fixedResult, "float16x2", `__nv_cvt_fp8x2_to_halfraw2:bits`},
	{Math, fixedResult, "float32x2", `__nv_cvt_fp8x2_to_float2:bits`},
	{Math, fixedResult, "float32x4", `__nv_cvt_fp8x4_to_float4:bits`},
	{Math, fixedResult, expr.Int64, `labs:abs llabs:abs llmin:min llmax:max __mul64hi:mul_hi`},
	{Math, fixedResult, expr.Uint64, `ullmin:min ullmax:max __umul64hi:mul_hi __brevll:brev`},
	{Math, commonResult, "", `mad24:mad __dp4a:dp4a __hfma:fma __hfma2:fma __hfma_sat:fma_sat __hfma2_sat:fma_sat __hfma_relu:fma_relu __hfma2_relu:fma_relu
		__hadd_rn:add __hadd2_rn:add __hsub_rn:sub __hsub2_rn:sub __hmul_rn:mul __hmul2_rn:mul __hadd_sat:add_to1 __hadd2_sat:add_to1
		__hsub_sat:sub_to1 __hsub2_sat:sub_to1 __hmul_sat:mul_to1 __hmul2_sat:mul_to1
		hsqrt:sqrt h2sqrt:sqrt hrsqrt:rsqrt h2rsqrt:rsqrt hexp:exp h2exp:exp hexp2:exp2 h2exp2:exp2 hexp10:exp10 h2exp10:exp10
		hlog:log h2log:log hlog2:log2 h2log2:log2 hlog10:log10 h2log10:log10 hsin:sin h2sin:sin hcos:cos h2cos:cos htanh:tanh h2tanh:tanh
		hfloor:floor h2floor:floor hceil:ceil h2ceil:ceil htrunc:trunc h2trunc:trunc hrint:rint h2rint:rint
		__hmin:fmin __hmax:fmax __hmin2:fmin __hmax2:fmax __hmin_nan:fmin __hmax_nan:fmax __hmin2_nan:fmin __hmax2_nan:fmax
		__habs:fabs __habs2:fabs`},
	{Math, commonResult, "", `__heq2:eq __hne2:ne __hlt2:lt __hle2:le __hgt2:gt __hge2:ge __hequ2:eq __hneu2:ne __hltu2:lt __hleu2:le __hgtu2:gt
		__hgeu2:ge`}, // their values are numbers, 0 or 1
	{Math, singleResult, "", `__fadd_rn:add __fadd_rz:add __fadd_ru:add __fadd_rd:add __fsub_rn:sub __fsub_rz:sub __fsub_ru:sub __fsub_rd:sub
		__fmul_rn:mul __fmul_rz:mul __fmul_ru:mul __fmul_rd:mul`},
	{Math, fixedResult, expr.Float64, `__dadd_rn:add __dadd_rz:add __dadd_ru:add __dadd_rd:add __dsub_rn:sub __dsub_rz:sub __dsub_ru:sub
		__dsub_rd:sub __dmul_rn:mul __dmul_rz:mul __dmul_ru:mul __dmul_rd:mul`},
	{Math, integerResult, "", `__popc:popcount __popcll:popcount __clz:clz __clzll:clz __ffs:ffs __ffsll:ffs ilogb ilogbf:ilogb lrintf:rint lroundf:round
		lrint:rint lround:round`},
	{Math, booleanResult, "", `isnan isinf isfinite isnormal signbit islessgreater isordered isunordered __hisnan:isnan
		__hisinf:isinf`},
	{Math, fixedResult, expr.Int32, `any all`},
	{Operator, commonResult, "", `native_divide:/ half_divide:/ native_recip:/ half_recip:/ mul24:* __mul24:* __umul24:* __hadd:+ __hadd2:+
		__hsub:- __hsub2:- __hmul:* __hmul2:* __hdiv:/ __h2div:/ __hneg:- __hneg2:- hrcp:/ h2rcp:/`},
	{Operator, booleanResult, "", `__heq:== __hne:!= __hlt:< __hle:<= __hgt:> __hge:>= __hequ:== __hneu:!= __hltu:< __hleu:<= __hgtu:> __hgeu:>=
		isequal:== isnotequal:!= isgreater:> isgreaterequal:>= isless:< islessequal:<=`},
	{Operator, singleResult, "", `__fdividef:/ fdividef:/ __fdiv_rn:/ __fdiv_rz:/ __fdiv_ru:/ __fdiv_rd:/ __frcp_rn:/ __frcp_rz:/ __frcp_ru:/
		__frcp_rd:/`},
	{Operator, fixedResult, expr.Float64, `__ddiv_rn:/ __ddiv_rz:/ __ddiv_ru:/ __ddiv_rd:/ __drcp_rn:/ __drcp_rz:/ __drcp_ru:/ __drcp_rd:/`},
	{Math, fixedResult, expr.Float64, `__dsqrt_rn:sqrt __dsqrt_rz:sqrt __dsqrt_ru:sqrt __dsqrt_rd:sqrt __fma_rn:fma __fma_rz:fma __fma_ru:fma
		__fma_rd:fma`},
	{WorkItem, fixedResult, expr.Uint64, `get_global_id get_local_id get_group_id get_global_size get_local_size get_num_groups
		get_global_offset get_enqueued_local_size get_global_linear_id get_local_linear_id`},
	{WorkItem, fixedResult, expr.Uint32, `get_work_dim get_sub_group_id get_sub_group_local_id get_sub_group_size get_num_sub_groups
		get_max_sub_group_size`},
	{Barrier, fixedResult, "", `wait_group_events:barrier barrier work_group_barrier:barrier __syncthreads:barrier`},
	{Barrier, fixedResult, expr.Int32, `__syncthreads_count:barrier_count __syncthreads_and:barrier_and __syncthreads_or:barrier_or __grid_sync:barrier_of_grid`},
	{SubgroupBarrier, fixedResult, "", `sub_group_barrier __syncwarp:sub_group_barrier`},
	{Fence, fixedResult, "", `mem_fence read_mem_fence:mem_fence write_mem_fence:mem_fence atomic_work_item_fence:mem_fence
		__threadfence:mem_fence __threadfence_block:mem_fence __threadfence_system:mem_fence`},
	{Atomic, pointeeResult, "", `atomic_add:add atomic_sub:sub atomic_xchg:xchg atomic_inc:inc atomic_dec:dec atomic_cmpxchg:cmpxchg
		atomic_min:min atomic_max:max atomic_and:and atomic_or:or atomic_xor:xor atom_add:add atom_sub:sub atom_xchg:xchg atom_inc:inc
		atom_dec:dec atom_cmpxchg:cmpxchg atom_min:min atom_max:max atom_and:and atom_or:or atom_xor:xor
		atomic_fetch_add:add atomic_fetch_sub:sub atomic_fetch_min:min atomic_fetch_max:max atomic_fetch_and:and atomic_fetch_or:or
		atomic_fetch_xor:xor atomic_exchange:xchg atomic_load:load
		atomic_fetch_add_explicit:add atomic_fetch_sub_explicit:sub atomic_fetch_min_explicit:min atomic_fetch_max_explicit:max
		atomic_fetch_and_explicit:and atomic_fetch_or_explicit:or atomic_fetch_xor_explicit:xor atomic_exchange_explicit:xchg
		atomic_load_explicit:load
		atomicAdd:add atomicSub:sub atomicExch:xchg atomicInc:inc atomicDec:dec atomicCAS:cmpxchg atomicMin:min atomicMax:max
		atomicAnd:and atomicOr:or atomicXor:xor
		atomicAdd_block:add atomicSub_block:sub atomicExch_block:xchg atomicMin_block:min atomicMax_block:max atomicCAS_block:cmpxchg
		atomicAdd_system:add atomicSub_system:sub atomicExch_system:xchg atomicMin_system:min atomicMax_system:max
		atomicCAS_system:cmpxchg`},
	{Atomic, fixedResult, "", `atomic_store:store atomic_store_explicit:store atomic_init:store atomic_flag_clear:clear atomic_flag_clear_explicit:clear`},
	{Atomic, fixedResult, expr.Int32, `atomic_flag_test_and_set:set atomic_flag_test_and_set_explicit:set`},
	{AsyncCopy, fixedResult, expr.Uint64, `async_work_group_copy async_work_group_strided_copy`},
	{Shuffle, secondResult, "", `__shfl_sync:shfl __shfl_up_sync:shfl_up __shfl_down_sync:shfl_down __shfl_xor_sync:shfl_xor`},
	{Shuffle, firstResult, "", `__shfl:shfl __shfl_up:shfl_up __shfl_down:shfl_down __shfl_xor:shfl_xor sub_group_shuffle:shfl
		sub_group_shuffle_up:shfl_up sub_group_shuffle_down:shfl_down sub_group_shuffle_xor:shfl_xor sub_group_broadcast:shfl intel_sub_group_shuffle:shfl
		intel_sub_group_shuffle_up:shfl_up intel_sub_group_shuffle_down:shfl_down intel_sub_group_shuffle_xor:shfl_xor sub_group_non_uniform_broadcast:shfl
		sub_group_broadcast_first:shfl sub_group_shuffle_relative_up:shfl_up sub_group_shuffle_relative_down:shfl_down
		work_group_broadcast:broadcast`},
	{Vote, fixedResult, expr.Uint32, `__ballot_sync:ballot __ballot:ballot __activemask:active __match_any_sync:match`},
	{Vote, fixedResult, "uint32x4", `sub_group_ballot:ballot`},
	{Vote, fixedResult, expr.Int32, `__any_sync:any __all_sync:all __any:any __all:all sub_group_any:any sub_group_all:all work_group_any:any work_group_all:all`},
	{Reduction, firstResult, "", `sub_group_reduce_add:reduce_add sub_group_reduce_min:reduce_min sub_group_reduce_max:reduce_max
		sub_group_scan_inclusive_add:scan_inclusive_add sub_group_scan_exclusive_add:scan_exclusive_add
		sub_group_scan_inclusive_min:scan_inclusive_min sub_group_scan_inclusive_max:scan_inclusive_max
		sub_group_scan_exclusive_min:scan_exclusive_min sub_group_scan_exclusive_max:scan_exclusive_max
		work_group_reduce_add:reduce_add work_group_reduce_min:reduce_min work_group_reduce_max:reduce_max
		work_group_scan_inclusive_add:scan_inclusive_add work_group_scan_exclusive_add:scan_exclusive_add`},
	{Reduction, secondResult, "", `__reduce_add_sync:reduce_add __reduce_min_sync:reduce_min __reduce_max_sync:reduce_max
		__reduce_and_sync:reduce_and __reduce_or_sync:reduce_or __reduce_xor_sync:reduce_xor`},
	{Load, pointeeResult, "", `__ldg:load __ldcg:load __ldca:load __ldcs:load __ldlu:load __ldcv:load`},
	{Load, fixedResult, "", `prefetch`},
	{Store, fixedResult, "", `__stcg:store __stcs:store __stwb:store __stwt:store`},
	{Convert, fixedResult, expr.Float32, `__low2float:x __high2float:y`},
	{Convert, fixedResult, "float16x2", `__floats2half2_rn:pack __halves2half2:pack __half2half2:splat __float2half2_rn:splat __low2half2:xx
		__high2half2:yy __lowhigh2highlow:yx __lows2half2:x,x __highs2half2:y,y`},
	{Convert, fixedResult, expr.BFloat16, `__float2bfloat16:splat __float2bfloat16_rn:splat __float2bfloat16_rz:splat __float2bfloat16_ru:splat
		__float2bfloat16_rd:splat __double2bfloat16:splat __int2bfloat16_rn:splat __uint2bfloat16_rn:splat __low2bfloat16:x __high2bfloat16:y`},
	{Convert, fixedResult, expr.Float32, `__bfloat162float:splat`},
	{Convert, fixedResult, "float32x2", `__bfloat1622float2:splat`},
	{Convert, fixedResult, "bfloat16x2", `__floats2bfloat162_rn:pack __halves2bfloat162:pack __bfloat162bfloat162:splat __float22bfloat162_rn:splat`},
	{Convert, fixedResult, expr.Float16, `__low2half:x __high2half:y`},
	{Image, fixedResult, "float32x4", `read_imagef`},
	{Image, fixedResult, "int32x4", `read_imagei`},
	{Image, fixedResult, "uint32x4", `read_imageui`},
	{Image, fixedResult, "float16x4", `read_imageh`},
	{Image, fixedResult, "", `write_imagef write_imagei write_imageui write_imageh`},
	{Image, fixedResult, expr.Int32, `get_image_width get_image_height get_image_depth get_image_channel_data_type get_image_channel_order get_image_num_mip_levels`},
	{Image, fixedResult, expr.Uint64, `get_image_array_size`},
	{Image, fixedResult, "int32x2", `get_image_dim`},
	{Image, textureResult, "", `tex1D tex2D tex3D tex1Dfetch tex1DLayered tex2DLayered tex1DLod tex2DLod tex3DLod tex1DGrad tex2DGrad tex3DGrad texCubemap
		tex2Dgather surf1Dread surf2Dread surf3Dread surf1DLayeredread surf2DLayeredread surfCubemapread`},
	{Image, fixedResult, "", `surf1Dwrite surf2Dwrite surf3Dwrite surf1DLayeredwrite surf2DLayeredwrite surfCubemapwrite`},
	{Print, fixedResult, expr.Int32, `printf`},
	{Print, fixedResult, "", `cudaGraphSetConditional`},
	{Trap, fixedResult, "", `__trap __builtin_trap __builtin_unreachable __assume __builtin_assume`},
	{Sleep, fixedResult, "", `__nanosleep`},
	{Clock, fixedResult, expr.Int64, `clock clock64`},
}
