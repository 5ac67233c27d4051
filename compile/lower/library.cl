// Functions of mathematics, and quotients, in the instructions that CUDA's compiler and library take for them (CUDA C++ Programming Guide, mathematical
// functions), or about these. A kernel that calls one has its text in it; results are right to about single precision, where nothing says better. __sass_X_Y is the
// instruction X.Y, __word(x, i) one of the two words of a number, __pack(low, high) a number of two words; what if (__rarely(c)) does is out of the usual way.
// What is called where approximations do is own_fast_X. Of functions of integers the ending is the type: i, u, l, ul.
float __sass_FADD_SAT(float, float);
float __sass_FMUL_RZ(float, float);
float __sass_FFMA_SAT(float, float, float);
float __sass_FFMA_RM(float, float, float);
float __sass_MUFU_RCP(float);
float __sass_MUFU_RSQ(float);
float __sass_MUFU_SQRT(float);
float __sass_MUFU_EX2(float);
float __sass_MUFU_LG2(float);
float __sass_MUFU_SIN(float);
float __sass_MUFU_COS(float);
float __sass_MUFU_TANH(float);
float __sass_FRND(float);
float __sass_FRND_FLOOR(float);
float __sass_FRND_CEIL(float);
float __sass_FRND_TRUNC(float);
double __sass_FRND_F64(double);
double __sass_FRND_F64_FLOOR(double);
double __sass_FRND_F64_CEIL(double);
double __sass_FRND_F64_TRUNC(double);
uint __sass_MUFU_RCP64H(uint);
uint __sass_MUFU_RSQ64H(uint);
bool __sass_FCHK(float, float);
uint __sass_LOP3_LUT(uint, uint, uint, uint);
uint __sass_PRMT(uint, uint, uint);
uint __sass_SHF_L_W_U32_HI(uint, uint, uint);
uint __sass_VIMNMX_S16x2(uint, uint, int);
uint __sass_VIMNMX_U16x2(uint, uint, int);
uint __sass_VABSDIFF4_U8(uint, uint, uint);
uint __sass_VABSDIFF4_U8_ACC(uint, uint, uint);
uint __sass_IABS(int);
uint __sass_POPC(uint);
uint __sass_FLO_U32(uint);
uint __sass_FLO_U32_SH(uint);
uint __sass_BREV(uint);
uint __sass_IMAD_HI_U32(uint, uint, ulong);
float __sass_I2FP_F32_S32(int);
float __sass_I2F_U32_RP(uint);
float __sass_I2F_U64_RP(ulong);
float __sass_I2F_U64_RM(ulong);
int __sass_F2I_NTZ(float);
int __sass_F2I_TRUNC_NTZ(float);
uint __sass_F2I_FTZ_U32_TRUNC_NTZ(float);
ulong __sass_F2I_U64_TRUNC(float);
uint __word(ulong, int);
ulong __pack(uint, uint);
bool __rarely(bool);

float own_addf(float x, float y) { return x + y; }
float own_subf(float x, float y) { return x - y; }
float own_mulf(float x, float y) { return x * y; }
float own_saturatef(float x) { return __sass_FADD_SAT(x, -0.0f); }
float own_floorf(float x) { return __sass_FRND_FLOOR(x); }
float own_ceilf(float x) { return __sass_FRND_CEIL(x); }
float own_truncf(float x) { return __sass_FRND_TRUNC(x); }
float own_rintf(float x) { return __sass_FRND(x); }
float own_copysignf(float x, float y) { return as_float(__sass_LOP3_LUT(as_uint(x), 0x80000000u, as_uint(y), 0xb8u)); }
float own_roundf(float x) { return truncf(x + own_copysignf(0.5f, x)); }
int own_isinff(float x) { return fabsf(x) == as_float(0x7f800000); }
int own_isfinitef(float x) { return fabsf(x) < as_float(0x7f800000); }
int own_signbitf(float x) { return as_int(x) < 0; }
float own_ldexpf(float x, int n) // by four powers of two
{
    n = min(max(n, -280), 280);
    int quarter = n >> 2;
    float s = as_float((quarter + 127) << 23);
    return x * s * s * s * as_float((n - 3 * quarter + 127) << 23);
}
float own_clampf(float x, float a, float b) { return fminf(fmaxf(x, a), b); }
float own_rsqrtf(float x)
{
    bool small = fabsf(x) < 1.17549435e-38f;
    float y = __sass_MUFU_RSQ(small ? x * 16777216.0f : x);
    return small ? y * 4096.0f : y;
}
float own_fast_sqrtf(float x)
{
    bool small = fabsf(x) < 1.17549435e-38f;
    float y = __sass_MUFU_SQRT(small ? x * 16777216.0f : x);
    return small ? y * 0.000244140625f : y;
}
float own_sqrtf(float x)
{
    float r = __sass_MUFU_RSQ(x);
    bool odd = as_uint(x) + 0xf3000000u > 0x727fffffu; // for bits of others the short way is exact
    float s = x * r, h = r * 0.5f;
    float y = fmaf(fmaf(-s, s, x), h, s);
    if (__rarely(odd)) {
        y = __sass_MUFU_SQRT(x * 16777216.0f) * 0.000244140625f;
        y = x == 0.0f ? x : y;
    }
    return y;
}
float own_fast_hypotf(float x, float y) { return own_fast_sqrtf(x * x + y * y); }
float own_hypotf(float x, float y) // by numbers that are brought near 1, the greater one by a power of two
{
    float a = fmaxf(fabsf(x), fabsf(y)), b = fminf(fabsf(x), fabsf(y));
    uint e = as_uint(a) & 0xfe000000u;
    float scale = as_float(0x7e800000u - e), c = b * scale, d = a * scale;
    float r = own_sqrtf(fmaf(d, d, c * c)) * as_float(e | 0x00800000u);
    r = b == 0.0f ? a : r;
    return b == as_float(0x7f800000) ? b : r;
}
float own_restf(float a, float b) // of a number by another one, both without signs
{
    if (a >= b) {
        if (__rarely(a > b * 8388608.0f)) // in steps
            a = fmaf(-truncf(own_dividef(a, b)), b, a);
        if (a >= b) {
            bool small = b < 1.17549435e-38f;
            float q = truncf((small ? a * 16777216.0f : a) * __sass_MUFU_RCP(small ? b * 16777216.0f : b));
            float r = fmaf(-q, b, a);
            if (as_uint(r) >= as_uint(b)) { // which negative numbers are, too
                if (r < 0.0f)
                    q = q - 1.0f;
                else
                    q = q + 1.0f;
            }
            a = fmaf(-q, b, a);
        }
    }
    return a;
}
float own_fmodf(float x, float y)
{
    float r = own_restf(fabsf(x), fabsf(y));
    r = fabsf(r) <= as_float(0x7f800000) ? own_copysignf(r, x) : r;
    return r;
}
float own_exp2f(float x)
{
    bool small = x < -126.0f;
    float y = __sass_MUFU_EX2(small ? x * 0.5f : x);
    return small ? y * y : y;
}
float own_exp10f(float x)
{
    float t = __sass_FFMA_SAT(x, 0.01318225410f, 0.5f); // as of own_expf
    t = __sass_FFMA_RM(t, 252.0f, 12582913.0f);
    float u = t + -12583039.0f;
    float v = fmaf(x, 3.32192802429f, -u);
    v = fmaf(x, 7.0595366e-08f, v);
    return as_float(as_int(t) << 23) * __sass_MUFU_EX2(v);
}
float own_fast_expf(float x) { return own_exp2f(x * 1.44269504088896340736f); }
float own_expf(float x)
{
    float t = __sass_FFMA_SAT(x, 0.0057249800302088261f, 0.5f);
    t = __sass_FFMA_RM(t, 252.0f, 12582913.0f); // 1.5 times 2 to the power of 23, and 1: rounds to an integer in the low bits
    float u = t + -12583039.0f;
    float v = fmaf(x, 1.4426950216293335f, -u);
    v = fmaf(x, 1.9259629911266174e-08f, v);
    return as_float(as_int(t) << 23) * __sass_MUFU_EX2(v);
}
float own_fast_log2f(float x)
{
    bool small = fabsf(x) < 1.17549435e-38f;
    float y = __sass_MUFU_LG2(small ? x * 16777216.0f : x);
    return small ? y + -24.0f : y;
}
float own_fast_logf(float x) { return own_fast_log2f(x) * 0.693147180559945309417f; }
float own_fast_log10f(float x) { return own_fast_log2f(x) * 0.301029995663981195214f; }
float own_logs(float x, float one, float base) // the logarithm to a base, of which one is that of e, and another one that of 2
{
    bool small = x < 1.17549435e-38f;
    float y = small ? x * 8388608.0f : x;
    int exponent = (as_int(y) + -0x3f2aaaab) & 0xff800000; // of a rest from 2/3 to 4/3
    float m = as_float(as_int(y) - exponent) + -1.0f;
    float e = fmaf(__sass_I2FP_F32_S32(exponent), 1.1920928955078125e-07f, small ? -23.0f : 0.0f);
    float p = fmaf(m, 0.1f, -0.11111111f);
    p = fmaf(m, p, 0.125f);
    p = fmaf(m, p, -0.14285714f);
    p = fmaf(m, p, 0.16666667f);
    p = fmaf(m, p, -0.2f);
    p = fmaf(m, p, 0.25f);
    p = fmaf(m, p, -0.33333333f);
    p = fmaf(m, p, 0.5f);
    p = fmaf(m * -m, p, m);
    float r = fmaf(e, base, one == 1.0f ? p : p * one);
    r = as_uint(x) > 0x7f7fffffu ? fmaf(x, as_float(0x7f800000), as_float(0x7f800000)) : r;
    return x == 0.0f ? as_float(0xff800000) : r;
}
float own_logf(float x) { return own_logs(x, 1.0f, 0.693147180559945309417f); }
float own_log2f(float x) { return own_logs(x, 1.44269504088896340736f, 1.0f); }
float own_log10f(float x) { return own_logf(x) * 0.434294481903251827651f; }
float own_fast_powf(float x, float y) { return own_exp2f(y * own_fast_log2f(x)); }
float own_powf(float x, float y) // the logarithm to the base 2 in two words, by the series of the inverse hyperbolic tangent
{
    float a = fabsf(x);
    bool small = a < 1.17549435e-38f;
    a = small ? a * 16777216.0f : a;
    int exponent = (as_int(a) + -0x3f3504f3) & 0xff800000;
    float m = as_float(as_int(a) - exponent);
    float e = fmaf(__sass_I2FP_F32_S32(exponent), 1.1920928955078125e-07f, small ? -24.0f : 0.0f);
    float n = m + -1.0f, over = __sass_MUFU_RCP(m + 1.0f), z = over * (n + n), s = z * z;
    float rest = n - z;
    rest = over * fmaf(n, -z, rest + rest); // what z lacks
    float high = fmaf(z, 1.44269504f, e), low = fmaf(z, 1.44269504f, e - high);
    low = fmaf(rest, 1.44269504f, low);
    low = fmaf(z, 1.92596299e-08f, low);
    float p = fmaf(s, 0.0032205f, 0.0180336880f);
    p = fmaf(s, p, 0.120224587f) * s;
    low = fmaf(rest, p * 3.0f, low);
    low = fmaf(z, p, low);
    float sum = high + low, q = y * sum, whole = rintf(q);
    low = low - (sum - high);
    float f = fmaf(y, low, fmaf(y, sum, -q)) + (q - whole);
    float g = fmaf(f, 0.000154035304f, 0.0013333558f);
    g = fmaf(f, g, 0.00961812911f);
    g = fmaf(f, g, 0.0555041087f);
    g = fmaf(f, g, 0.240226507f);
    g = fmaf(f, g, 0.693147181f);
    g = fmaf(f, g, 1.0f);
    int part = whole > 0.0f ? 0 : 0x83000000;
    float r = g * as_float(part + 0x7f000000) * as_float((__sass_F2I_NTZ(q) << 23) - part);
    r = fabsf(q) > 152.0f ? (q < 0.0f ? 0.0f : as_float(0x7f800000)) : r;
    float half = truncf(y * 0.5f), odd = y - (half + half);
    if (__rarely(x < 0.0f)) { // branches stay in loops, also where their conditions and what is before them do not change
        r = fabsf(odd) == 1.0f ? -r : r;
        r = floorf(y) != y ? as_float(0x7fffffff) : r;
    }
    if (__rarely(x == 0.0f || a == as_float(0x7f800000))) {
        r = as_float(as_int(x + x) ^ (y < 0.0f ? 0x7f800000 : 0));
        r = fabsf(odd) == 1.0f ? r : fabsf(r);
    }
    if (__rarely(a > as_float(0x7f800000) || fabsf(y) > as_float(0x7f800000)))
        r = x + y;
    if (__rarely(x == 1.0f || y == 0.0f || x == -1.0f && fabsf(y) == as_float(0x7f800000)))
        r = 1.0f;
    return r;
}
float own_fast_sinf(float x) { return __sass_MUFU_SIN(__sass_FMUL_RZ(x, 0.159154943091895335769f)); }
float own_fast_cosf(float x) { return __sass_MUFU_COS(__sass_FMUL_RZ(x, 0.159154943091895335769f)); }
float own_turnf(float x, int quarters) // what remains of quarters of a turn, and a polynomial for each kind of quarter
{
    int q = __sass_F2I_NTZ(x * 0.636619772367581343076f);
    float f = __sass_I2FP_F32_S32(q);
    float r = fmaf(f, -1.5707962512969970703f, x);
    r = fmaf(f, -7.5497894158615963534e-08f, r);
    r = fmaf(f, -5.3903029534742383927e-15f, r);
    if (__rarely(fabsf(x) > 105615.0f)) // beyond which three constants do not reduce the argument exactly
        r = x * 0.0f;
    q = q + quarters;
    bool odd = (q & 1) != 0;
    float s = r * r;
    float p = odd ? fmaf(s, 2.4433157118e-05f, -0.0013887860113754868507f) : -0.00019574658654164522886f;
    p = fmaf(s, p, odd ? 0.041666727513074874878f : 0.0083327032625675201416f);
    p = fmaf(s, p, odd ? -0.4999999701976776123f : -0.16666662693023681641f);
    float first = odd ? 1.0f : r;
    float y = fmaf(s * first, p, first);
    return (q & 2) != 0 ? -y : y;
}
float own_sinf(float x) { return own_turnf(x, 0); }
float own_cosf(float x) { return own_turnf(x, 1); }
ulong own_sincosf(float x) // both polynomials; the sine in the low word
{
    int q = __sass_F2I_NTZ(x * 0.636619772367581343076f);
    float f = __sass_I2FP_F32_S32(q);
    float r = fmaf(f, -1.5707962512969970703f, x);
    r = fmaf(f, -7.5497894158615963534e-08f, r);
    r = fmaf(f, -5.3903029534742383927e-15f, r);
    if (__rarely(fabsf(x) > 105615.0f))
        r = x * 0.0f;
    float s = r * r;
    float c = fmaf(s, 2.4433157118e-05f, -0.0013887860113754868507f);
    c = fmaf(s, c, 0.041666727513074874878f);
    c = fmaf(s, c, -0.4999999701976776123f);
    c = fmaf(s, c, 1.0f);
    float y = fmaf(s, -0.00019574658654164522886f, 0.0083327032625675201416f);
    y = fmaf(s, y, -0.16666662693023681641f);
    y = fmaf(s * r, y, r);
    bool odd = (q & 1) != 0;
    float sine = odd ? c : y, cosine = odd ? y : c;
    sine = (q & 2) != 0 ? -sine : sine;
    cosine = (q + 1 & 2) != 0 ? -cosine : cosine;
    return __pack(as_uint(sine), as_uint(cosine));
}
float own_fast_tanhf(float x) { return __sass_MUFU_TANH(x); }
float own_tanhf(float x)
{
    float a = fabsf(x), e = __sass_MUFU_EX2(a * 2.8853900817779268f);
    float far = fmaf(__sass_MUFU_RCP(e + 1.0f), -2.0f, 1.0f);
    far = own_copysignf(far, x);
    float s = x * x;
    float p = fmaf(s, 0.01434264425188303f, -0.052303962409496307f);
    p = fmaf(s, p, 0.1331529766321182251f);
    p = fmaf(s, p, -0.33332768082618713f);
    float near = fmaf(s * p, x, x);
    return a >= 0.6f ? far : near;
}
float own_dividef(float x, float y) // to the last place: a reciprocal, Newton's method, and a way of its own for what that does not serve
{
    float r = __sass_MUFU_RCP(y), n = -y;
    bool slow = __sass_FCHK(x, y);
    float s = fmaf(r, fmaf(n, r, 1.0f), r);
    float q = fmaf(x, s, 0.0f);
    q = fmaf(s, fmaf(n, q, x), q);
    if (__rarely(slow))
        q = own_quotientf(x, y);
    return q;
}
float own_cheap_dividef(float x, float y) // within 2 units in the last place: the divisor is brought into the range where the reciprocal is exact enough
{
    float size = fabsf(y);
    float s = size > 8.50705917302346158659e+37f ? 0.25f : 1.0f;
    s = size < 1.17549435e-38f ? 16777216.0f : s;
    return x * s * __sass_MUFU_RCP(y * s);
}

double own_add(double x, double y) { return x + y; }
double own_sub(double x, double y) { return x - y; }
double own_mul(double x, double y) { return x * y; }
double own_floor(double x) { return __sass_FRND_F64_FLOOR(x); }
double own_ceil(double x) { return __sass_FRND_F64_CEIL(x); }
double own_trunc(double x) { return __sass_FRND_F64_TRUNC(x); }
double own_rint(double x) { return __sass_FRND_F64(x); }
double own_fmin(double x, double y) { return x < y ? x : y; }
double own_fmax(double x, double y) { return x > y ? x : y; }
double own_min(double x, double y) { return x < y ? x : y; }
double own_max(double x, double y) { return x > y ? x : y; }
double own_copysign(double x, double y) { return as_double(__pack(__word(x, 0), __sass_LOP3_LUT(__word(x, 1), 0x80000000u, __word(y, 1), 0xb8u))); }
double own_round(double x) { return own_trunc(fabs(x) < 4503599627370496.0 ? x + own_copysign(0.49999999999999994, x) : x); }
double own_fraction(double x) { return own_copysign(fabs(x) == 1.0 / 0.0 ? 0.0 : x - own_trunc(x), x); }
int own_isinf(double x) { return fabs(x) == 1.0 / 0.0; }
int own_isfinite(double x) { return fabs(x) < 1.0 / 0.0; }
int own_signbit(double x) { return (int) __word(x, 1) < 0; }
double own_rsqrt(double x)
{
    double r = as_double(__pack(0u, __sass_MUFU_RSQ64H(__word(x, 1))));
    double e = fma(x, -(r * r), 1.0);
    double f = fma(e, 0.375, 0.5);
    return fma(f, r * e, r);
}
double own_sqrt(double x)
{
    double r = own_rsqrt(x), s = x * r, h = r * 0.5;
    double y = fma(fma(-s, s, x), h, s);
    return x == 0.0 ? x : y;
}
double own_exp(double x) // a power of two, and a polynomial of degree 11
{
    double t = fma(x, 1.442695040888963407359924681001892137, 6755399441055744.0); // 1.5 times 2 to the power of 52: rounds to an integer in the low bits
    double n = t + -6755399441055744.0;
    double r = fma(n, -0.6931471805599453, x);
    r = fma(n, -2.3190468138462996e-17, r);
    double p = fma(1.0 / 39916800, r, 1.0 / 3628800);
    p = fma(p, r, 1.0 / 362880);
    p = fma(p, r, 1.0 / 40320);
    p = fma(p, r, 1.0 / 5040);
    p = fma(p, r, 1.0 / 720);
    p = fma(p, r, 1.0 / 120);
    p = fma(p, r, 1.0 / 24);
    p = fma(p, r, 1.0 / 6);
    p = fma(p, r, 0.5);
    p = fma(p, r, 1.0);
    p = fma(p, r, 1.0);
    return as_double(__pack(__word(p, 0), __word(p, 1) + (__word(t, 0) << 20)));
}
double own_newton(double x, double y) // a quotient by the reciprocal of the high word, two steps of Newton's method, and a correction
{
    double n = -y, r = as_double(__pack(1u, __sass_MUFU_RCP64H(__word(y, 1))));
    double e = fma(n, r, 1.0);
    e = fma(e, e, e);
    r = fma(r, e, r);
    r = fma(r, fma(n, r, 1.0), r);
    double q = x * r;
    return fma(r, fma(n, q, x), q);
}
double own_divide(double x, double y)
{
    double q = own_newton(x, y);
    if (__rarely((__word(q, 1) & 0x7fffffffu) < 0x00100000u)) // out of range, as the high word tells
        q = x * own_newton(1.0, y);
    return q;
}

int own_clampi(int x, int a, int b) { return min(max(x, a), b); }
uint own_clampu(uint x, uint a, uint b) { return min(max(x, a), b); }
long own_clampl(long x, long a, long b) { return min(max(x, a), b); }
ulong own_clampul(ulong x, ulong a, ulong b) { return min(max(x, a), b); }
long own_minl(long x, long y) { return x < y ? x : y; }
long own_maxl(long x, long y) { return x > y ? x : y; }
ulong own_minul(ulong x, ulong y) { return x < y ? x : y; }
ulong own_maxul(ulong x, ulong y) { return x > y ? x : y; }
uint own_absu(int x) { return __sass_IABS(x); }
long own_absul(long x) { return x < 0 ? 0 - x : x; }
int own_sadi(int x, int y, int z) { return max(x, y) - min(x, y) + z; }
uint own_sadu(uint x, uint y, uint z) { return max(x, y) - min(x, y) + z; }
uint own_madu(uint x, uint y, uint z) { return x * y + z; }
ulong own_madul(ulong x, ulong y, ulong z) { return x * y + z; }
int own_haddi(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
uint own_haddu(uint x, uint y) { return (x & y) + ((x ^ y) >> 1); }
int own_rhaddi(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
uint own_rhaddu(uint x, uint y) { return (x | y) - ((x ^ y) >> 1); }
long own_haddl(long x, long y) { return (x & y) + ((x ^ y) >> 1); }
ulong own_haddul(ulong x, ulong y) { return (x & y) + ((x ^ y) >> 1); }
long own_rhaddl(long x, long y) { return (x | y) - ((x ^ y) >> 1); }
ulong own_rhaddul(ulong x, ulong y) { return (x | y) - ((x ^ y) >> 1); }
uint own_popcountu(uint x) { return __sass_POPC(x); }
uint own_popcountul(ulong x) { return __sass_POPC(__word(x, 0)) + __sass_POPC(__word(x, 1)); }
uint own_clzu(uint x) { return 31u - __sass_FLO_U32(x); }
uint own_clzul(ulong x) { return __word(x, 1) == 0u ? own_clzu(__word(x, 0)) + 32u : own_clzu(__word(x, 1)); }
uint own_ffsu(uint x) { return __sass_FLO_U32_SH(__sass_BREV(x)) + 1u; }
uint own_ffsul(ulong x)
{
    uint low = own_ffsu(__word(x, 0)), high = own_ffsu(__word(x, 1));
    high = high == 0u ? high : high + 32u;
    return low == 0u ? high : low;
}
uint own_ctzu(uint x) { return x == 0u ? 32u : __sass_FLO_U32_SH(__sass_BREV(x)); }
uint own_ctzul(ulong x) { return __word(x, 0) == 0u ? own_ctzu(__word(x, 1)) + 32u : own_ctzu(__word(x, 0)); }
uint own_rotateu(uint x, uint n) { return __sass_SHF_L_W_U32_HI(x, n, x); }
ulong own_rotateul(ulong x, ulong n)
{
    uint by = __word(n, 0);
    bool far = (by & 32u) != 0u;
    uint low = far ? __word(x, 1) : __word(x, 0), high = far ? __word(x, 0) : __word(x, 1);
    return __pack(__sass_SHF_L_W_U32_HI(high, by, low), __sass_SHF_L_W_U32_HI(low, by, high));
}
uint own_add_satu(uint x, uint y) { return x + y < x ? 0xffffffffu : x + y; }
uint own_sub_satu(uint x, uint y) { return max(x, y) - y; }
int own_add_sati(int x, int y)
{
    int s = x + y;
    return ((x ^ s) & (y ^ s)) < 0 ? (x >> 31) ^ 0x7fffffff : s;
}
int own_sub_sati(int x, int y)
{
    int s = x - y;
    return ((x ^ y) & (x ^ s)) < 0 ? (x >> 31) ^ 0x7fffffff : s;
}
ulong own_add_satul(ulong x, ulong y) { return x + y < x ? 0xfffffffffffffffful : x + y; }
ulong own_sub_satul(ulong x, ulong y) { return x > y ? x - y : 0ul; }
long own_add_satl(long x, long y)
{
    long s = x + y;
    return ((x ^ s) & (y ^ s)) < 0l ? (x >> 63) ^ 0x7fffffffffffffffl : s;
}
long own_sub_satl(long x, long y)
{
    long s = x - y;
    return ((x ^ y) & (x ^ s)) < 0l ? (x >> 63) ^ 0x7fffffffffffffffl : s;
}
int own_mad_hii(int x, int y, int z) { return mul_hi(x, y) + z; }
uint own_mad_hiu(uint x, uint y, uint z) { return mul_hi(x, y) + z; }
uint own_mad_satu(uint x, uint y, uint z)
{
    ulong p = (ulong) x * y + z;
    return __word(p, 1) != 0u ? 0xffffffffu : __word(p, 0);
}
int own_mad_sati(int x, int y, int z)
{
    long p = (long) x * y + z;
    int low = (int) p, high = (int) (p >> 32);
    return low >> 31 == high ? low : (high >> 31) ^ 0x7fffffff;
}
uint own_abs_diffi(int x, int y) { return max(x, y) - min(x, y); }
uint own_abs_diffu(uint x, uint y) { return max(x, y) - min(x, y); }
ulong own_abs_diffl(long x, long y) { return x < y ? (ulong) y - (ulong) x : (ulong) x - (ulong) y; }
ulong own_abs_difful(ulong x, ulong y) { return x < y ? y - x : x - y; }
int own_min3i(int x, int y, int z) { return min(min(x, y), z); }
uint own_min3u(uint x, uint y, uint z) { return min(min(x, y), z); }
int own_max3i(int x, int y, int z) { return max(max(x, y), z); }
uint own_max3u(uint x, uint y, uint z) { return max(max(x, y), z); }
int own_median3i(int x, int y, int z) { return max(min(x, y), min(max(x, y), z)); }
uint own_median3u(uint x, uint y, uint z) { return max(min(x, y), min(max(x, y), z)); }
uint own_bfeu(uint x, uint from, uint width) { return width == 0u ? 0u : x << (32u - from - width) >> (32u - width); }
uint own_bfmu(uint width, uint from) { return ((1u << width) - 1u) << from; }
// Of the bytes or halves of words; h has their highest bits.
uint own_vfilled(uint x, uint h) { return __sass_PRMT(x, h == 0x80808080u ? 0xba98u : 0xbb99u, 0u); } // all bits of those whose highest is set
uint own_vadd(uint x, uint y, uint h) { return ((x & ~h) + (y & ~h)) ^ ((x ^ y) & h); }
uint own_vsub(uint x, uint y, uint h) { return ((x | h) - (y & ~h)) ^ ((x ^ ~y) & h); }
uint own_vcmplt(uint x, uint y, uint h) { return own_vfilled((~x & y) | (~(x ^ y) & own_vsub(x, y, h)), h); }
uint own_vcmple(uint x, uint y, uint h) { return ~own_vcmplt(y, x, h); }
uint own_vcmpne(uint x, uint y, uint h) { return own_vfilled((((x ^ y) & ~h) + ~h) | (x ^ y), h); }
uint own_vcmpeq(uint x, uint y, uint h) { return ~own_vcmpne(x, y, h); }
uint own_vneg(uint x, uint h) { return own_vsub(0u, x, h); }
uint own_vabs(uint x, uint h) { return own_vsub(x ^ own_vfilled(x, h), own_vfilled(x, h), h); }
uint own_vabsss(uint x, uint h)
{
    uint r = own_vabs(x, h);
    return r - ((r & h) >> (h == 0x80808080u ? 7u : 15u));
}
uint own_vaddus(uint x, uint y, uint h)
{
    uint s = own_vadd(x, y, h);
    return s | own_vfilled((x & y) | ((x | y) & ~s), h);
}
uint own_vsubus(uint x, uint y, uint h) { return own_vsub(x, y, h) & ~own_vcmplt(x, y, h); }
uint own_vchosen(uint a, uint b, uint by) { return (a & by) | (b & ~by); }
uint own_vaddss(uint x, uint y, uint h)
{
    uint s = own_vadd(x, y, h);
    return own_vchosen(own_vfilled(x, h) ^ ~h, s, own_vfilled(~(x ^ y) & (x ^ s), h));
}
uint own_vsubss(uint x, uint y, uint h)
{
    uint s = own_vsub(x, y, h);
    return own_vchosen(own_vfilled(x, h) ^ ~h, s, own_vfilled((x ^ y) & (x ^ s), h));
}
uint own_vnegss(uint x, uint h) { return own_vsubss(0u, x, h); }
uint own_vhaddu(uint x, uint y, uint h) { return (x & y) + (((x ^ y) >> 1) & ~h); }
uint own_vavgu(uint x, uint y, uint h) { return (x | y) - (((x ^ y) >> 1) & ~h); }
uint own_vavgs(uint x, uint y, uint h) { return own_vavgu(x ^ h, y ^ h, h) ^ h; }
uint own_vmaxu(uint x, uint y, uint h) { return own_vchosen(y, x, own_vcmplt(x, y, h)); }
uint own_vminu(uint x, uint y, uint h) { return own_vchosen(x, y, own_vcmplt(x, y, h)); }
uint own_vmaxs(uint x, uint y, uint h) { return own_vchosen(y, x, own_vcmplt(x ^ h, y ^ h, h)); }
uint own_vmins(uint x, uint y, uint h) { return own_vchosen(x, y, own_vcmplt(x ^ h, y ^ h, h)); }
uint own_vmaxu2(uint x, uint y) { return __sass_VIMNMX_U16x2(x, y, 1); }
uint own_vminu2(uint x, uint y) { return __sass_VIMNMX_U16x2(x, y, 0); }
uint own_vmaxs2(uint x, uint y) { return __sass_VIMNMX_S16x2(x, y, 1); }
uint own_vmins2(uint x, uint y) { return __sass_VIMNMX_S16x2(x, y, 0); }
uint own_vabsdiffu4(uint x, uint y) { return __sass_VABSDIFF4_U8(x, y, 0u); }
uint own_vsadu4(uint x, uint y) { return __sass_VABSDIFF4_U8_ACC(x, y, 0u); }
uint own_vabsdiffs4(uint x, uint y) { return __sass_VABSDIFF4_U8(x ^ 0x80808080u, y ^ 0x80808080u, 0u); }
uint own_vsads4(uint x, uint y) { return __sass_VABSDIFF4_U8_ACC(x ^ 0x80808080u, y ^ 0x80808080u, 0u); }
uint own_vabsdiffu2(uint x, uint y) { return own_vmaxu2(x, y) - own_vminu2(x, y); }
uint own_vabsdiffs2(uint x, uint y) { return own_vsub(own_vmaxs2(x, y), own_vmins2(x, y), 0x80008000u); }
uint own_vsadu2(uint x, uint y) { return (own_vabsdiffu2(x, y) & 0xffffu) + (own_vabsdiffu2(x, y) >> 16); }
uint own_vsads2(uint x, uint y) { return (own_vabsdiffs2(x, y) & 0xffffu) + (own_vabsdiffs2(x, y) >> 16); }
uint own_brevu(uint x) { return __sass_BREV(x); }
ulong own_brevul(ulong x) { return __pack(__sass_BREV(__word(x, 1)), __sass_BREV(__word(x, 0))); }
uint own_byte_permu(uint x, uint y, uint s) { return __sass_PRMT(x, s & 0x7777u, y); }
ulong own_mul_hiul(ulong a, ulong b)
{
    ulong low = (ulong) __word(a, 0) * (ulong) __word(b, 0);
    ulong first = (ulong) __word(a, 1) * (ulong) __word(b, 0) + (ulong) __word(low, 1);
    ulong second = (ulong) __word(a, 0) * (ulong) __word(b, 1) + (ulong) __word(first, 0);
    return (ulong) __word(a, 1) * (ulong) __word(b, 1) + (ulong) __word(first, 1) + (ulong) __word(second, 1);
}
long own_mul_hil(long a, long b)
{
    long high = own_mul_hiul(a, b);
    high = high - (a < 0 ? b : 0);
    return high - (b < 0 ? a : 0);
}
long own_mad_hil(long x, long y, long z) { return own_mul_hil(x, y) + z; }
ulong own_mad_hiul(ulong x, ulong y, ulong z) { return own_mul_hiul(x, y) + z; }
ulong own_mad_satul(ulong x, ulong y, ulong z)
{
    ulong low = x * y, s = low + z;
    return own_mul_hiul(x, y) != 0ul || s < low ? 0xfffffffffffffffful : s;
}
long own_mad_satl(long x, long y, long z)
{
    ulong low = (ulong) x * (ulong) y, s = low + (ulong) z;
    long high = own_mul_hil(x, y) + (z >> 63) + (s < low ? 1l : 0l);
    return (long) s >> 63 == high ? (long) s : (high >> 63) ^ 0x7fffffffffffffffl;
}
uint own_wholeu(uint x, uint y) // a reciprocal in floating point, one step of Newton's method in integers, two corrections
{
    uint e = __sass_F2I_FTZ_U32_TRUNC_NTZ(as_float(as_uint(__sass_MUFU_RCP(__sass_I2F_U32_RP(y))) + 0x0ffffffeu)); // four units of the last place less, at 2 to the power of 32 times
    uint left = (0u - e) * y;
    e = __sass_IMAD_HI_U32(e, left, __pack(0u, e));
    uint q = mul_hi(e, x), r = x + (0u - q) * y;
    bool more = r >= y;
    q = more ? q + 1u : q;
    r = more ? r - y : r;
    more = r >= y;
    return more ? q + 1u : q;
}
uint own_divideu(uint x, uint y)
{
    uint q = own_wholeu(x, y);
    return y == 0u ? 0xffffffffu : q;
}
int own_dividei(int x, int y)
{
    int q = own_wholeu(__sass_IABS(x), __sass_IABS(y));
    q = (x ^ y) < 0 ? 0 - q : q;
    return y == 0 ? -1 : q;
}
ulong own_partsul(ulong x, ulong y) // the sum of quotients in single precision of what remains, each of 20 bits and from below, the last one of a number below 16
{
    float inverse = __sass_MUFU_RCP(__sass_I2F_U64_RP(y)), below = as_float(0x3f7ffff8); // what errors of the reciprocal are at most
    ulong part = __sass_F2I_U64_TRUNC(__sass_I2F_U64_RM(x) * inverse * below), q = 0ul + part, r = x - part * y;
    part = __sass_F2I_U64_TRUNC(__sass_I2F_U64_RM(r) * inverse * below);
    q = q + part;
    r = r - part * y;
    part = __sass_F2I_U64_TRUNC(__sass_I2F_U64_RM(r) * inverse * below);
    q = q + part;
    r = r - part * y;
    part = __sass_F2I_U64_TRUNC(__sass_I2F_U64_RM(r) * inverse * below);
    q = q + part;
    r = r - part * y;
    return r >= y ? q + 1ul : q;
}
ulong own_divideul(ulong x, ulong y) // numbers that fit in words are divided as words
{
    ulong q;
    if ((__word(x, 1) | __word(y, 1)) == 0u)
        q = own_divideu(__word(x, 0), __word(y, 0));
    else
        q = own_partsul(x, y);
    return q;
}
long own_dividel(long x, long y)
{
    long q = own_divideul(x < 0 ? 0 - x : x, y < 0 ? 0 - y : y);
    return (x ^ y) < 0 ? 0 - q : q;
}

float own_turned(float x, bool cotangent)
{
    float q = rintf(x * 0.636619772f);
    float r = fmaf(q, -1.57079601f, x);
    r = fmaf(q, -3.13916473e-7f, r);
    float s = r * r;
    float p = fmaf(s, 9.38540185e-3f, 3.11992232e-3f);
    p = fmaf(s, p, 2.44301354e-2f);
    p = fmaf(s, p, 5.34112807e-2f);
    p = fmaf(s, p, 1.33387994e-1f);
    p = fmaf(s, p, 3.33331568e-1f);
    float t = fmaf(s * p, r, r);
    return ((int) q & 1) != cotangent ? __fdividef(-1.0f, t) : t;
}
float own_tanf(float x) { return own_turned(x, false); }
float own_atanf(float x)
{
    float t = fabsf(x);
    float r = t > 1.0f ? __fdividef(1.0f, t) : t;
    float s = r * r;
    float p = fmaf(s, 2.78569828e-3f, -1.58660226e-2f);
    p = fmaf(s, p, 4.24722321e-2f);
    p = fmaf(s, p, -7.49753043e-2f);
    p = fmaf(s, p, 1.06448799e-1f);
    p = fmaf(s, p, -1.42070308e-1f);
    p = fmaf(s, p, 1.99934542e-1f);
    p = fmaf(s, p, -3.33331466e-1f);
    r = fmaf(p * s, r, r);
    return copysignf(t > 1.0f ? 1.57079637f - r : r, x);
}
float own_atan2f(float y, float x)
{
    float a = fabsf(x), b = fabsf(y);
    float r = own_atanf(fminf(a, b) / fmaxf(a, b));
    r = b > a ? 1.57079637f - r : r;
    r = x < 0.0f ? 3.14159274f - r : r;
    return copysignf(a == 0.0f && b == 0.0f ? 0.0f : r, y);
}
float own_asinf(float x)
{
    float t = fabsf(x);
    float h = fmaf(-0.5f, t, 0.5f);
    bool far = t > 0.5f;
    float s = far ? h : t * t;
    float r = far ? sqrtf(h) : t;
    float p = fmaf(s, 4.21631990e-2f, 2.41813110e-2f);
    p = fmaf(s, p, 4.54700260e-2f);
    p = fmaf(s, p, 7.49530027e-2f);
    p = fmaf(s, p, 1.66667525e-1f);
    r = fmaf(s * p, r, r);
    return copysignf(far ? fmaf(-2.0f, r, 1.57079637f) : r, x);
}
float own_acosf(float x) { return 1.57079637f - own_asinf(x); }
float own_expm1f(float x)
{
    float q = rintf(x * 1.44269502f);
    q = fabsf(x) < 0.4f ? 0.0f : q;
    float f = fmaf(q, -6.93145752e-1f, x);
    f = fmaf(q, -1.42860677e-06f, f);
    float p = fmaf(f, 1.39892172e-3f, 8.39338824e-3f);
    p = fmaf(f, p, 4.16661687e-2f);
    p = fmaf(f, p, 1.66665524e-1f);
    p = fmaf(f, p, 0.5f);
    p = fmaf(f * p, f, f);
    float top = q == 128.0f ? q - 1.0f : q, s = own_exp2f(top);
    float r = fmaf(p, s, s - 1.0f);
    r = q == 128.0f ? r + r : r;
    r = top > 128.0f ? as_float(0x7f800000) : r;
    r = top < -25.0f ? -1.0f : r;
    return x == 0.0f ? x + x : r;
}
float own_log1pf(float x)
{
    float u = x + 1.0f;
    return logf(u) + __fdividef(x - (u - 1.0f), u);
}
float own_sinhf(float x)
{
    float e = own_expm1f(fabsf(x));
    return copysignf(0.5f * (e + __fdividef(e, e + 1.0f)), x);
}
float own_coshf(float x)
{
    float e = expf(fabsf(x) - 0.693147182f);
    return fmaf(0.25f, __fdividef(1.0f, e), e);
}
float own_asinhf(float x)
{
    float t = fabsf(x);
    return copysignf(own_log1pf(fmaf(t, __fdividef(t, 1.0f + sqrtf(fmaf(t, t, 1.0f))), t)), x);
}
float own_acoshf(float x)
{
    float t = x - 1.0f;
    return own_log1pf(t + sqrtf(fmaf(t, t, 2.0f * t)));
}
float own_atanhf(float x) { return 0.5f * own_log1pf(__fdividef(2.0f * x, 1.0f - x)); }
float own_cbrtf(float x)
{
    float t = fabsf(x);
    bool small = t < 1.17549435e-38f;
    float u = small ? t * 16777216.0f : t; // the third power of 256
    float r = __sass_MUFU_EX2(__sass_MUFU_LG2(u) * 0.333333343f);
    r = fmaf(fmaf(u, __sass_MUFU_RCP(r * r), -r), 0.333333343f, r);
    r = small ? r * 0.00390625f : r;
    r = t == 0.0f || t == as_float(0x7f800000) ? t : r;
    return copysignf(r, x);
}
float own_beyond(float t)
{
    float s = t * t;
    float r = fmaf(-1.72853470e-5f, t, 3.83197126e-4f);
    float u = fmaf(-3.88396438e-3f, t, 2.42546219e-2f);
    r = fmaf(r, s, u);
    r = fmaf(r, t, -1.06777877e-1f);
    r = fmaf(r, t, -6.34846687e-1f);
    r = fmaf(r, t, -1.28717512e-1f);
    return exp2f(1.44269502f * fmaf(r, t, -t));
}
float own_erff(float x) // one polynomial of chosen coefficients
{
    float t = fabsf(x);
    bool far = t > 0.921875f;
    float s = far ? t : x * x;
    float p = far ? 1.72853470e-5f : 0.0f;
    p = fmaf(s, p, far ? -3.83197126e-4f : -5.96761703e-4f);
    p = fmaf(s, p, far ? 3.88396438e-3f : 4.99119423e-3f);
    p = fmaf(s, p, far ? -2.42546219e-2f : -2.67681349e-2f);
    p = fmaf(s, p, far ? 1.06777877e-1f : 1.12819925e-1f);
    p = fmaf(s, p, far ? 6.34846687e-1f : -3.76125336e-1f);
    p = fmaf(s, p, far ? 1.28717512e-1f : 1.28379166e-1f);
    float base = far ? -t : x, r = fmaf(p, base, base);
    return far ? own_copysignf(1.0f - __sass_MUFU_EX2(1.44269502f * r), x) : r;
}
float own_scalederfcf(float a) // exp(a^2) erfc(a) of a positive number: (1 + 2 a) times that by a polynomial in (a - 2) / (a + 2)
{
    float r = __sass_MUFU_RCP(a + 2.0f), q = (a - 2.0f) * r, d = 1.0f + 2.0f * a, w = __sass_MUFU_RCP(d);
    q = fmaf(fmaf(-q, a + 2.0f, a - 2.0f), r, q);
    float p = fmaf(1.60803582e-4f, q, -1.83654437e-4f);
    p = fmaf(p, q, -1.39570695e-3f);
    p = fmaf(p, q, 1.04314458e-3f);
    p = fmaf(p, q, 8.68915966e-3f);
    p = fmaf(p, q, -7.9427217e-3f);
    p = fmaf(p, q, -5.42119585e-2f);
    p = fmaf(p, q, 1.6403584e-1f);
    p = fmaf(p, q, -1.66031096e-1f);
    p = fmaf(p, q, -9.2763082e-2f);
    p = fmaf(p, q, 1.27697839f);
    float v = p * w;
    return fmaf(fmaf(-v, d, p), w, v);
}
float own_erfcxf(float x)
{
    float r = own_scalederfcf(fabsf(x));
    if (__rarely(x < 0.0f)) {
        r = fmaf(2.0f, expf(x * x), -r);
    }
    return r;
}
float own_erfcf(float x)
{
    float a = fabsf(x), s = -a * a, e = fmaf(-a, a, -s), t = expf(s), r = own_scalederfcf(a) * fmaf(t, e, t);
    r = a > 10.05f ? 0.0f : r;
    return x < 0.0f ? 2.0f - r : r;
}
float own_normcdff(float x)
{
    float a = -0.707106781f * x, low = fmaf(x, -0.707106781f, -a), c = own_erfcf(fminf(fmaxf(a, -10.26f), 10.26f));
    return 0.5f * (a < 0.0f ? c : fmaf(-2.0f * a * low, c, c));
}
float own_logbf(float x)
{
    uint e = as_uint(fabsf(x)) >> 23, leading = 31u - own_clzu(as_uint(x) & 0x7fffffu);
    float r = as_float(0x4b400000u + e) - 12583039.0f; // by the last bits of a sum
    r = e == 0u ? (float) ((int) leading - 149) : r;
    r = x == 0.0f ? -as_float(0x7f800000) : r;
    return e == 255u ? x * x : r;
}
float own_ilogbf(float x) { return own_logbf(x); }
float own_mantissaf(float x) // from 1/2 to 1
{
    bool small = fabsf(x) < 1.17549435e-38f;
    uint b = as_uint(small ? x * 16777216.0f : x);
    return x == 0.0f || fabsf(x) >= as_float(0x7f800000) ? x + x : as_float(__sass_LOP3_LUT(b, 0x807fffffu, 0x3f000000u, 0xeau));
}
int own_exponentf(float x)
{
    bool small = fabsf(x) < 1.17549435e-38f;
    int e = (int) (as_uint(fabsf(small ? x * 16777216.0f : x)) >> 23) - (small ? 150 : 126);
    return x == 0.0f || fabsf(x) >= as_float(0x7f800000) ? 0 : e;
}
float own_fractionf(float x) { return own_copysignf(fabsf(x) == as_float(0x7f800000) ? 0.0f : x - truncf(x), x); }
float own_partf(float x) { return fminf(x - floorf(x), as_float(0x3f7fffff)); }
float own_nextafterf(float x, float y)
{
    uint a = as_uint(x), b = as_uint(y);
    bool away = (x < y) == (x > 0.0f);
    uint r = x == 0.0f ? __sass_LOP3_LUT(b, 0x80000000u, 1u, 0xeau) : away ? a + 1u : a - 1u;
    return x != x || y != y ? x + y : x == y ? y : as_float(r);
}
float own_halvedf(float x, int quarters)
{
    float q = rintf(x + x);
    float r = fmaf(q, -0.5f, x) * 3.14159274f, s = r * r;
    int k = (int) q + quarters;
    bool cosine = k & 1;
    float p = cosine ? fmaf(s, 2.44331571e-5f, -1.38873162e-3f) : -1.95152959e-4f;
    p = fmaf(s, p, cosine ? 4.16666456e-2f : 8.33216087e-3f);
    p = fmaf(s, p, cosine ? -0.5f : -1.66666546e-1f);
    float y = cosine ? fmaf(s, p, 1.0f) : fmaf(s * p, r, r);
    return k & 2 ? -y : y;
}
float own_sinpif(float x) { return own_halvedf(x, 0); }
float own_cospif(float x) { return own_halvedf(x, 1); }
float own_fdimf(float x, float y) { return x > y ? x - y : 0.0f; }
float own_rcbrtf(float x) { return __fdividef(1.0f, own_cbrtf(x)); }
float own_degreesf(float x) { return 57.2957802f * x; }
float own_radiansf(float x) { return 1.74532924e-2f * x; }
float own_mixf(float x, float y, float a) { return fmaf(a, y - x, x); }
float own_stepf(float e, float x) { return x < e ? 0.0f : 1.0f; }
float own_smoothstepf(float a, float b, float x)
{
    float t = __saturatef((x - a) / (b - a));
    return t * t * fmaf(-2.0f, t, 3.0f);
}
float own_signf(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x; }
float own_lgammaf(float x)
{
    float a = fabsf(x);
    if (a >= 3.0f) {
        float r = __fdividef(1.0f, a), s = r * r;
        float p = fmaf(s, fmaf(s, 7.77830669e-4f, -2.77765538e-3f), 8.33332729e-2f);
        return fmaf(a - 0.5f, logf(a), fmaf(p, r, 0.918938533f - a));
    }
    float t = a < 1.0f ? a : a - 1.0f;
    float p = fmaf(t, 0.000185998698f, -0.00227147571f);
    p = fmaf(t, p, 0.0124851167f);
    p = fmaf(t, p, -0.0414077135f);
    p = fmaf(t, p, 0.0949507871f);
    p = fmaf(t, p, -0.167458943f);
    p = fmaf(t, p, 0.256063412f);
    p = fmaf(t, p, -0.397426644f);
    p = fmaf(t, p, 0.822076437f);
    p = fmaf(t, p, -0.577196821f);
    p = fmaf(t, p, -1.54622898e-07f);
    return a < 1.0f ? p - logf(a) : p;
}
float own_tgammaf(float x) { return expf(own_lgammaf(x)); }
float own_nearinvf(float w) // of the inverse of erf, by w = -log(1 - x^2)
{
    float p = fmaf(w, 2.26059778e-08f, -1.09894846e-07f);
    p = fmaf(w, p, -5.48766581e-06f);
    p = fmaf(w, p, 7.25781085e-05f);
    p = fmaf(w, p, -0.000176159183f);
    p = fmaf(w, p, -0.00228678285f);
    p = fmaf(w, p, 0.0115254312f);
    p = fmaf(w, p, 0.232018183f);
    return fmaf(w, p, 0.886226786f);
}
float own_erfinvf(float x)
{
    float w = -logf(fmaf(-x, x, 1.0f));
    if (w < 5.0f)
        return own_nearinvf(w) * x;
    float s = sqrtf(w);
    float p = fmaf(s, -0.000231735075f, 0.00566145262f);
    p = fmaf(s, p, -0.0591004178f);
    p = fmaf(s, p, 0.340507091f);
    p = fmaf(s, p, -1.15946374f);
    p = fmaf(s, p, 2.27776035f);
    p = fmaf(s, p, -2.16948292f);
    p = fmaf(s, p, 1.16820846f);
    p = fmaf(s, p, 0.750530211f);
    return p * x;
}
float own_erfcinvf(float y) // beyond w = 5 by a polynomial in the inverse of its root
{
    float x = 1.0f - y, w = -logf(y * (1.0f + x));
    if (w < 5.0f)
        return own_nearinvf(w) * x;
    float t = rsqrtf(w);
    float p = fmaf(t, -95.8057333f, 180.057873f);
    p = fmaf(t, p, -134.505813f);
    p = fmaf(t, p, 51.4131275f);
    p = fmaf(t, p, -9.98784724f);
    p = fmaf(t, p, 0.72167172f);
    p = fmaf(t, p, -0.163755672f);
    p = fmaf(t, p, 1.00425f);
    return p * w * t * x;
}
float own_normcdfinvf(float x) { return -1.41421356f * own_erfcinvf(x + x); }
float own_remainderf(float x, float y)
{
    float b = fabsf(y), r = own_restf(fabsf(x), b), twice = r + r;
    if (twice >= b) { // halves go to what is even
        float q = truncf(fabsf(x) * __sass_MUFU_RCP(b));
        bool odd = ((int)q & 1) != 0;
        if (twice > b || odd)
            r = r - b;
    }
    return as_float(as_int(r) ^ (as_int(x) & 0x80000000));
}
float own_tanpif(float x) { return __fdividef(own_sinpif(x), own_cospif(x)); }
float own_asinpif(float x) { return own_asinf(x) * 0.318309886f; }
float own_acospif(float x) { return own_acosf(x) * 0.318309886f; }
float own_atanpif(float x) { return own_atanf(x) * 0.318309886f; }
float own_atan2pif(float y, float x) { return own_atan2f(y, x) * 0.318309886f; }
float own_rootnf(float x, float n)
{
    float r = own_powf(fabsf(x), 1.0f / n);
    bool odd = n * 0.5f != truncf(n * 0.5f);
    return x < 0.0f ? (odd ? -r : as_float(0x7fffffff)) : r;
}
float own_maxmagf(float x, float y) { return fabsf(x) > fabsf(y) ? x : fabsf(y) > fabsf(x) ? y : fmaxf(x, y); }
float own_minmagf(float x, float y) { return fabsf(x) < fabsf(y) ? x : fabsf(y) < fabsf(x) ? y : fminf(x, y); }
float own_min3f(float x, float y, float z) { return fminf(fminf(x, y), z); }
float own_max3f(float x, float y, float z) { return fmaxf(fmaxf(x, y), z); }
float own_median3f(float x, float y, float z) { return fmaxf(fminf(x, y), fminf(fmaxf(x, y), z)); }
float own_squaresf(float x, float y, float z, float most) // the sum of squares of numbers that are brought near 1
{
    float scale = as_float(0x7e800000u - (as_uint(most) & 0xfe000000u));
    x = x * scale;
    y = y * scale;
    z = z * scale;
    return fmaf(x, x, fmaf(y, y, z * z));
}
float own_norm3df(float x, float y, float z)
{
    float most = fmaxf(fmaxf(fabsf(x), fabsf(y)), fabsf(z));
    float r = own_sqrtf(own_squaresf(x, y, z, most)) * as_float((as_uint(most) & 0xfe000000u) | 0x00800000u);
    return most == 0.0f || most == as_float(0x7f800000) ? most : r;
}
float own_norm4df(float x, float y, float z, float w)
{
    float most = fmaxf(fmaxf(fmaxf(fabsf(x), fabsf(y)), fabsf(z)), fabsf(w)), scale = as_float(0x7e800000u - (as_uint(most) & 0xfe000000u)), last = w * scale;
    float r = own_sqrtf(fmaf(last, last, own_squaresf(x, y, z, most))) * as_float((as_uint(most) & 0xfe000000u) | 0x00800000u);
    return most == 0.0f || most == as_float(0x7f800000) ? most : r;
}
float own_rnorm3df(float x, float y, float z) { return own_rsqrtf(fmaf(x, x, fmaf(y, y, z * z))); }
float own_rnorm4df(float x, float y, float z, float w) { return own_rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, w * w)))); }
int own_isorderedf(float x, float y) { return !isunordered(x, y); }
int own_isnormalf(float x) { return fabsf(x) >= 1.17549435e-38f && fabsf(x) < as_float(0x7f800000); }
int own_quotientsf(float x, float y) // of remainderf, with the low bits of its number
{
    float q = rintf(fabsf(x) / fabsf(y));
    int n = (int) fmaf(-8.0f, truncf(q * 0.125f), q);
    return (as_int(x) ^ as_int(y)) < 0 ? -n : n;
}
int own_gammasignf(float x) { return x < 0.0f && truncf(x * 0.5f) * 2.0f == floorf(x) + 1.0f ? -1 : 1; }
float own_rhypotf(float x, float y) { return rsqrtf(fmaf(x, x, y * y)); }

double own_log(double x)
{
    long b = __double_as_longlong(x);
    int high = (int) (b >> 32);
    int e = (high - 0x3fe6a09e) >> 20;
    double m = __longlong_as_double(b - ((long) e << 52));
    double f = m - 1.0, s = f / (m + 1.0);
    double z = s * s;
    double p = fma(z, 0.1532076988502701353, 0.1525629051003428716);
    p = fma(z, p, 0.1818605932937785996);
    p = fma(z, p, 0.2222214519839380009);
    p = fma(z, p, 0.2857142932794299317);
    p = fma(z, p, 0.3999999999635251990);
    p = fma(z, p, 0.6666666666667333541);
    double r = fma(s * z, p, 2.0 * s);
    r = fma((double) e, 0.6931471805599453, r);
    return x > 0.0 ? r : x == 0.0 ? -1.0 / 0.0 : 0.0 / 0.0;
}
double own_log2(double x) { return own_log(x) * 1.4426950408889634; }
double own_log10(double x) { return own_log(x) * 0.4342944819032518; }
double own_log1p(double x)
{
    double u = x + 1.0;
    return own_log(u) + (x - (u - 1.0)) / u;
}
double own_exp2(double x) { return exp(x * 0.6931471805599453); }
double own_exp10(double x) { return exp(x * 2.302585092994046); }
double own_expm1(double x)
{
    double small = x * fma(x, fma(x, fma(x, fma(x, fma(x, 1.0 / 720, 1.0 / 120), 1.0 / 24), 1.0 / 6), 0.5), 1.0);
    return fabs(x) < 0.01 ? small : exp(x) - 1.0;
}
double own_apart(double x) { { return own_log(x); } } // whose instructions do not serve another logarithm
double own_pow(double x, double y)
{
    double t = fabs(x), l = own_apart(t);
    double error = fma(-1.0, l, own_log(t * 1.0)); // the low word of the logarithm
    double r = exp(fma(l, y, error * y));
    bool odd = trunc(y) == y && trunc(0.5 * y) != 0.5 * y;
    r = x < 0.0 && odd ? -r : r;
    return y == 0.0 ? 1.0 : t == 0.0 ? (y > 0.0 ? 0.0 : 1.0 / t) : r;
}
global double own_quarters[16] = { // coefficients of sines and of cosines, which lie in memory there, too
    -2.50507477628578072e-8, 2.75573136213857246e-6, -1.98412698295895386e-4, 8.33333333332211858e-3, -1.66666666666666307e-1, 0.0, 0.0, 0.0,
    2.087588337859780049e-9, -2.755731554299955694e-7, 2.480158729418648e-5, -1.388888888880667e-3, 4.166666666666600e-2, -0.5, 0.0, 0.0,
};
double own_quarter(double r, int k)
{
    global const double2 *c = (global const double2 *) (own_quarters + (k * 8 & 8));
    double s = r * r;
    double p = fma(s, k & 1 ? -1.136781730462628422e-11 : 1.58962301576546568e-10, c[0].x);
    p = fma(s, p, c[0].y);
    p = fma(s, p, c[1].x);
    p = fma(s, p, c[1].y);
    p = fma(s, p, c[2].x);
    p = fma(s, p, c[2].y);
    double y = k & 1 ? fma(s, p, 1.0) : fma(p, r, r);
    return k & 2 ? -y : y;
}
double own_turn(double x, int quarters)
{
    int k = convert_int_rte(x * 0.6366197723675814);
    double q = k;
    double r = fma(q, -1.5707963267948966, x);
    r = fma(q, -6.123233995736766e-17, r);
    r = fma(q, 1.4973849048591833e-33, r);
    if (fabs(x) >= 2147483648.0) { r = x * 0.0; k = 0; }
    return own_quarter(r, k + quarters);
}
double own_sin(double x) { return own_turn(x, 0); }
double own_cos(double x) { return own_turn(x, 1); }
double own_tan(double x) { return own_turn(x, 0) / own_turn(x, 1); }
double own_sinh(double x)
{
    double e = own_expm1(fabs(x));
    return copysign(0.5 * (e + e / (e + 1.0)), x);
}
double own_cosh(double x)
{
    double e = exp(fabs(x));
    return 0.5 * e + 0.5 / e;
}
double own_tanh(double x)
{
    double e = own_expm1(2.0 * fabs(x));
    return copysign(fabs(x) > 20.0 ? 1.0 : e / (e + 2.0), x);
}
double own_atan(double x)
{
    double t = fabs(x), r = t > 1.0 ? 1.0 / t : t, s = r * r;
    double p = fma(s, -2.0258553044340116e-5, 2.2302240345710764e-4);
    p = fma(s, p, -1.1640717779912220e-3);
    p = fma(s, p, 3.8559749383656407e-3);
    p = fma(s, p, -9.1845592187222681e-3);
    p = fma(s, p, 1.6978035834594660e-2);
    p = fma(s, p, -2.5826796814492296e-2);
    p = fma(s, p, 3.4067811082715810e-2);
    p = fma(s, p, -4.0926382420509999e-2);
    p = fma(s, p, 4.6739496199158334e-2);
    p = fma(s, p, -5.2392330054601366e-2);
    p = fma(s, p, 5.8773077721790683e-2);
    p = fma(s, p, -6.6658603633512892e-2);
    p = fma(s, p, 7.6922129305867892e-2);
    p = fma(s, p, -9.0909012354005267e-2);
    p = fma(s, p, 1.1111110678749421e-1);
    p = fma(s, p, -1.4285714271334810e-1);
    p = fma(s, p, 1.9999999999755005e-1);
    p = fma(s, p, -3.3333333333331838e-1);
    r = fma(s * p, r, r);
    return copysign(t > 1.0 ? 1.5707963267948966 - r : r, x);
}
double own_atan2(double y, double x)
{
    double a = fabs(x), b = fabs(y);
    double r = own_atan(b > a ? a / b : b / a);
    r = b > a ? 1.5707963267948966 - r : r;
    r = x < 0.0 ? 3.141592653589793 - r : r;
    return copysign(a == 0.0 && b == 0.0 ? 0.0 : r, y);
}
double own_asin(double x) { return own_atan(x / sqrt(fma(-x, x, 1.0))); }
double own_acos(double x) { return 1.5707963267948966 - own_asin(x); }
double own_cbrt(double x)
{
    double t = fabs(x), r = (double) exp2f(log2f((float) t) * 0.333333343f);
    r = fma((t / (r * r) - r), 1.0 / 3, r);
    r = fma((t / (r * r) - r), 1.0 / 3, r);
    return copysign(t == 0.0 ? 0.0 : r, x);
}
double own_hypot(double x, double y) { return sqrt(fma(x, x, y * y)); }
double own_fmod(double x, double y) { return fma(-trunc(x / y), y, x); }
double own_fdim(double x, double y) { return x > y ? x - y : 0.0; }
double own_erfc(double x)
{
    double a = fabs(x);
    double q = (a - 4.0) / (a + 4.0);
    double p = fma(q, 5.6212237491113924e-10, 6.3089881017227574e-08);
    p = fma(q, p, 1.1530578755503199e-08);
    p = fma(q, p, -7.5668183595979311e-07);
    p = fma(q, p, 3.9131444394394701e-07);
    p = fma(q, p, 5.6537076819494765e-06);
    p = fma(q, p, -1.1304397836147307e-05);
    p = fma(q, p, -2.43697390977039e-05);
    p = fma(q, p, 0.00015066330422152288);
    p = fma(q, p, -0.00019926783640719699);
    p = fma(q, p, -0.00075778633457918498);
    p = fma(q, p, 0.0050319731043621521);
    p = fma(q, p, -0.016197731529219123);
    p = fma(q, p, 0.037167514934502162);
    p = fma(q, p, -0.06633036610253823);
    p = fma(q, p, 0.093732835066725737);
    p = fma(q, p, -0.10103906601853947);
    p = fma(q, p, 0.068097054251072792);
    p = fma(q, p, 0.015379652102166734);
    p = fma(q, p, -0.13962111684050693);
    p = fma(q, p, 1.2329951186255548);
    double r = a > 27.3 ? 0.0 : p / fma(2.0, a, 1.0) * exp(-a * a);
    return x < 0.0 ? 2.0 - r : r;
}
double own_erf(double x)
{
    double a = fabs(x);
    if (a < 1.0) {
        double s = x * x;
        double p = fma(s, 9.4593019447984567e-09, -1.5203405396120066e-07);
        p = fma(s, p, 1.6313524646909211e-06);
        p = fma(s, p, -1.4913668861427999e-05);
        p = fma(s, p, 0.00012054707829426975);
        p = fma(s, p, -0.00085483060099504182);
        p = fma(s, p, 0.005223977185126725);
        p = fma(s, p, -0.026866170591587173);
        p = fma(s, p, 0.11283791670627775);
        p = fma(s, p, -0.37612638903176471);
        p = fma(s, p, 0.12837916709551225);
        return fma(p, x, x);
    }
    double t = fmin(a, 6.0);
    double p = fma(t, 2.0818185479811868e-14, -1.2495956521487694e-12);
    p = fma(t, p, 3.4176056729104841e-11);
    p = fma(t, p, -5.5812815544325018e-10);
    p = fma(t, p, 5.9346251561833623e-09);
    p = fma(t, p, -4.0834361997263398e-08);
    p = fma(t, p, 1.4716719048456498e-07);
    p = fma(t, p, 3.0205911591402781e-07);
    p = fma(t, p, -8.2962515988396846e-06);
    p = fma(t, p, 6.3605393408992772e-05);
    p = fma(t, p, -0.0003110270532745772);
    p = fma(t, p, 0.0010565957072950895);
    p = fma(t, p, -0.0022710283748729413);
    p = fma(t, p, 0.00073943086021706578);
    p = fma(t, p, 0.018772638552084966);
    p = fma(t, p, -0.1026085257397668);
    p = fma(t, p, -0.63666623123710364);
    p = fma(t, p, -1.1283730855895551);
    return copysign(1.0 - exp(p * t), x);
}
double own_normcdf(double x) { return 0.5 * own_erfc(-0.7071067811865475 * x); }
double own_lgamma(double x)
{
    double a = fabs(x);
    if (a >= 3.0) {
        double r = 1.0 / a, s = r * r;
        double p = fma(s, -1.9175269175269176e-3, 8.4175084175084175e-4);
        p = fma(s, p, -5.9523809523809524e-4);
        p = fma(s, p, 7.9365079365079365e-4);
        p = fma(s, p, -2.7777777777777778e-3);
        p = fma(s, p, 8.3333333333333333e-2);
        return fma(a - 0.5, own_log(a), fma(p, r, 0.91893853320467274 - a));
    }
    double t = a < 1.0 ? a : a - 1.0;
    double p = fma(t, -1.36567253795745e-06, 2.6098844641102611e-05);
    p = fma(t, p, -0.00023180800568452082);
    p = fma(t, p, 0.0012739176770406482);
    p = fma(t, p, -0.0048718079931928462);
    p = fma(t, p, 0.013855879951116007);
    p = fma(t, p, -0.030699322361682206);
    p = fma(t, p, 0.055125894027130952);
    p = fma(t, p, -0.083526158109855905);
    p = fma(t, p, 0.11174254415497058);
    p = fma(t, p, -0.13876875597123861);
    p = fma(t, p, 0.16804255888480676);
    p = fma(t, p, -0.20707470775543646);
    p = fma(t, p, 0.27053778454946192);
    p = fma(t, p, -0.40068195576847676);
    p = fma(t, p, 0.82246686538717517);
    p = fma(t, p, -0.57721566182381434);
    p = fma(t, p, -9.4725681319720283e-12);
    return a < 1.0 ? p - own_log(a) : p;
}
double own_tgamma(double x) { return exp(own_lgamma(x)); }
double own_halved(double x, int quarters)
{
    double q = rint(x + x);
    return own_quarter(fma(q, -0.5, x) * 3.141592653589793, (int) q + quarters);
}
double own_sinpi(double x) { return own_halved(x, 0); }
double own_cospi(double x) { return own_halved(x, 1); }
double own_asinh(double x)
{
    double t = fabs(x);
    return copysign(own_log1p(fma(t, t / (1.0 + sqrt(fma(t, t, 1.0))), t)), x);
}
double own_acosh(double x)
{
    double t = x - 1.0;
    return own_log1p(t + sqrt(fma(t, t, 2.0 * t)));
}
double own_atanh(double x) { return 0.5 * own_log1p(2.0 * x / (1.0 - x)); }
double own_tanpi(double x) { return own_sinpi(x) / own_cospi(x); }
double own_asinpi(double x) { return own_asin(x) * 0.3183098861837907; }
double own_acospi(double x) { return own_acos(x) * 0.3183098861837907; }
double own_atanpi(double x) { return own_atan(x) * 0.3183098861837907; }
double own_atan2pi(double y, double x) { return own_atan2(y, x) * 0.3183098861837907; }
double own_rootn(double x, double n)
{
    double r = own_pow(fabs(x), 1.0 / n);
    bool odd = n * 0.5 != trunc(n * 0.5);
    return x < 0.0 ? (odd ? -r : 0.0 / 0.0) : r;
}
double own_maxmag(double x, double y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : own_fmax(x, y); }
double own_minmag(double x, double y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : own_fmin(x, y); }
double own_norm3d(double x, double y, double z) { return own_sqrt(fma(x, x, fma(y, y, z * z))); }
double own_norm4d(double x, double y, double z, double w) { return own_sqrt(fma(x, x, fma(y, y, fma(z, z, w * w)))); }
double own_rnorm3d(double x, double y, double z) { return own_rsqrt(fma(x, x, fma(y, y, z * z))); }
double own_rnorm4d(double x, double y, double z, double w) { return own_rsqrt(fma(x, x, fma(y, y, fma(z, z, w * w)))); }
int own_isordered(double x, double y) { return !isunordered(x, y); }
int own_isnormal(double x) { return fabs(x) >= 2.2250738585072014e-308 && fabs(x) < 1.0 / 0.0; }
double own_degrees(double x) { return 57.29577951308232 * x; }
double own_radians(double x) { return 0.017453292519943295 * x; }
double own_mix(double x, double y, double a) { return fma(a, y - x, x); }
double own_step(double e, double x) { return x < e ? 0.0 : 1.0; }
double own_smoothstep(double a, double b, double x)
{
    double t = own_fmin(own_fmax((x - a) / (b - a), 0.0), 1.0);
    return t * t * fma(-2.0, t, 3.0);
}
double own_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }
double own_clamp(double x, double a, double b) { return own_fmin(own_fmax(x, a), b); }
double own_logb(double x)
{
    int e = (int) (__word(x, 1) >> 20 & 0x7ffu);
    if (__rarely(e == 0))
        e = (int) (__word(x * 18014398509481984.0, 1) >> 20 & 0x7ffu) - 54; // of 2 to the power of 54 times that
    double r = (double) (e - 1023);
    r = x == 0.0 ? -1.0 / 0.0 : r;
    return e == 2047 ? x * x : r;
}
double own_ilogb(double x) { return own_logb(x); }
double own_mantissa(double x) // from 1/2 to 1
{
    uint high = __word(fabs(x) < 2.2250738585072014e-308 ? x * 18014398509481984.0 : x, 1);
    uint low = __word(fabs(x) < 2.2250738585072014e-308 ? x * 18014398509481984.0 : x, 0);
    return x == 0.0 || fabs(x) >= 1.0 / 0.0 ? x + x : as_double(__pack(low, (high & 0x800fffffu) | 0x3fe00000u));
}
int own_exponent(double x)
{
    bool small = fabs(x) < 2.2250738585072014e-308;
    int e = (int) (__word(small ? x * 18014398509481984.0 : x, 1) >> 20 & 0x7ffu) - (small ? 1076 : 1022);
    return x == 0.0 || fabs(x) >= 1.0 / 0.0 ? 0 : e;
}
double own_part(double x) { return own_fmin(x - own_floor(x), 0.99999999999999989); }
double own_ldexp(double x, int n) // by four powers of two
{
    n = min(max(n, -2200), 2200);
    int quarter = n >> 2;
    double s = as_double(__pack(0u, (uint) (quarter + 1023) << 20));
    return x * s * s * s * as_double(__pack(0u, (uint) (n - 3 * quarter + 1023) << 20));
}
double own_nextafter(double x, double y)
{
    ulong a = as_ulong(x);
    bool away = (x < y) == (x > 0.0);
    ulong r = x == 0.0 ? (as_ulong(y) & 0x8000000000000000ul) | 1ul : away ? a + 1ul : a - 1ul;
    return isunordered(x, y) ? x + y : x == y ? y : as_double(r);
}
double own_erfinv(double x) // a step of Newton's method behind single precision
{
    double r = (double) own_erfinvf((float) x);
    return fma((x - own_erf(r)) * 0.88622692545275801, exp(r * r), r);
}
double own_erfcinv(double y)
{
    double r = (double) own_erfcinvf((float) y);
    return fma((own_erfc(r) - y) * 0.88622692545275801, exp(r * r), r);
}
double own_normcdfinv(double x) { return -1.4142135623730951 * own_erfcinv(x + x); }
double own_erfcx(double x) { return exp(x * x) * own_erfc(x); }
int own_quotients(double x, double y)
{
    double q = rint(fabs(x) / fabs(y));
    int n = (int) fma(-8.0, trunc(q * 0.125), q);
    return (x < 0.0) != (y < 0.0) ? -n : n;
}
int own_gammasign(double x) { return x < 0.0 && trunc(x * 0.5) * 2.0 == floor(x) + 1.0 ? -1 : 1; }
double own_rcbrt(double x) { return 1.0 / own_cbrt(x); }
double own_rhypot(double x, double y) { return rsqrt(fma(x, x, y * y)); }
double own_remainder(double x, double y) { return fma(-rint(x / y), y, x); }
double own_near_j0(double s)
{
    double p = fma(s, 4.185091226313235e-36, -2.0475827342631265e-33);
    p = fma(s, p, 7.3905960634042328e-31);
    p = fma(s, p, -4.0392359584924373e-28);
    p = fma(s, p, 2.6012322057181207e-25);
    p = fma(s, p, -1.4955312059903985e-22);
    p = fma(s, p, 7.2413611762353662e-20);
    p = fma(s, p, -2.8968531124513731e-17);
    p = fma(s, p, 9.3859489492602713e-15);
    p = fma(s, p, -2.4028071096555612e-12);
    p = fma(s, p, 4.7095027233147657e-10);
    p = fma(s, p, -6.7816840193744235e-08);
    p = fma(s, p, 6.7816840271477407e-06);
    p = fma(s, p, -0.00043402777777484661);
    p = fma(s, p, 0.015624999999992402);
    p = fma(s, p, -0.24999999999999128);
    p = fma(s, p, 0.999999999999998);
    return p;
}
double own_near_y0(double s)
{
    double p = fma(s, 8.500275765807628e-36, -3.6595287442411782e-33);
    p = fma(s, p, 7.0886605710218189e-32);
    p = fma(s, p, 6.5010726945905039e-28);
    p = fma(s, p, -5.1781112942609009e-25);
    p = fma(s, p, 2.9775674098598817e-22);
    p = fma(s, p, -1.403413184968822e-19);
    p = fma(s, p, 5.4309005163498265e-17);
    p = fma(s, p, -1.6932674069264617e-14);
    p = fma(s, p, 4.1435649702490746e-12);
    p = fma(s, p, -7.6930797994487162e-10);
    p = fma(s, p, 1.035847602443655e-07);
    p = fma(s, p, -9.4950052046857405e-06);
    p = fma(s, p, 0.00053860266685984827);
    p = fma(s, p, -0.016073968025935581);
    p = fma(s, p, 0.17760601686906613);
    p = fma(s, p, -0.073804295108687704);
    return p;
}
double own_far0(double a, int quarters)
{
    double r = 8.0 / a, s = r * r, turned = a - 0.78539816339744831;
    double u = fma(s, 2.6258068111125485e-09, -1.4618063523128968e-08);
    u = fma(s, u, 4.2272800965129159e-08);
    u = fma(s, u, -1.0698817767360128e-07);
    u = fma(s, u, 3.6631110987987723e-07);
    u = fma(s, u, -2.1856686502506498e-06);
    u = fma(s, u, 2.7381248636361711e-05);
    u = fma(s, u, -0.0010986328483254847);
    u = fma(s, u, 1.0000000000012075);
    double v = fma(s, 5.0415291019765645e-07, -2.2629297437954423e-06);
    v = fma(s, v, 4.2234609540217534e-06);
    v = fma(s, v, -4.2189222800440371e-06);
    v = fma(s, v, 2.3273557741068424e-06);
    v = fma(s, v, -3.6600006686380687e-08);
    v = fma(s, v, -6.766336164752661e-06);
    v = fma(s, v, 0.0001430357437749467);
    v = fma(s, v, -0.015624999492558309);
    double first = own_turn(turned, quarters + 1), second = own_turn(turned, quarters);
    return sqrt(0.63661977236758138 / a) * (u * first - v * r * second);
}
double own_near_j1(double s)
{
    double p = fma(s, 6.5530243475435953e-36, -3.1649787938521428e-33);
    p = fma(s, p, 6.981330858503262e-31);
    p = fma(s, p, -1.0146223403569618e-28);
    p = fma(s, p, 1.7454236707397273e-26);
    p = fma(s, p, -6.6761892072524839e-24);
    p = fma(s, p, 3.3105383886614071e-21);
    p = fma(s, p, -1.4490137225949937e-18);
    p = fma(s, p, 5.2145467735776036e-16);
    p = fma(s, p, -1.5017565083153117e-13);
    p = fma(s, p, 3.3639307411433827e-11);
    p = fma(s, p, -5.6514033653411662e-09);
    p = fma(s, p, 6.7816840277991889e-07);
    p = fma(s, p, -5.4253472221977298e-05);
    p = fma(s, p, 0.0026041666666654965);
    p = fma(s, p, -0.062499999999998473);
    p = fma(s, p, 0.50000000000000033);
    return p;
}
double own_near_y1(double s)
{
    double p = fma(s, -1.0115754298249976e-37, 1.173303828364996e-35);
    p = fma(s, p, -1.4526431940402575e-32);
    p = fma(s, p, 2.4073572625064474e-29);
    p = fma(s, p, -2.0049963563479586e-26);
    p = fma(s, p, 1.2554482185848311e-23);
    p = fma(s, p, -6.4731282446559289e-21);
    p = fma(s, p, 2.7614969478210264e-18);
    p = fma(s, p, -9.5914455561879394e-16);
    p = fma(s, p, 2.6494806447286695e-13);
    p = fma(s, p, -5.648024424319247e-11);
    p = fma(s, p, 8.9318796083646107e-09);
    p = fma(s, p, -9.9267406185727513e-07);
    p = fma(s, p, 7.1642687499393545e-05);
    p = fma(s, p, -0.002955305336079077);
    p = fma(s, p, 0.054348688160509598);
    p = fma(s, p, -0.19605709064623889);
    return p;
}
double own_far1(double a, int quarters)
{
    double r = 8.0 / a, s = r * r, turned = a - 2.3561944901923449;
    double u = fma(s, -2.9111599872146979e-09, 1.6209227962838725e-08);
    u = fma(s, u, -4.6838722425727611e-08);
    u = fma(s, u, 1.1902406162232318e-07);
    u = fma(s, u, -4.1547052393819073e-07);
    u = fma(s, u, 2.5830811139690619e-06);
    u = fma(s, u, -3.5204426363750821e-05);
    u = fma(s, u, 0.0018310547299222554);
    u = fma(s, u, 0.99999999999857159);
    double v = fma(s, -6.1635406951993738e-07, 2.7668065503033155e-06);
    v = fma(s, v, -5.1650963017435254e-06);
    v = fma(s, v, 5.1638969828433374e-06);
    v = fma(s, v, -2.8633479127428232e-06);
    v = fma(s, v, 1.0103805494680983e-07);
    v = fma(s, v, 8.2699665989380193e-06);
    v = fma(s, v, -0.00020025277934837123);
    v = fma(s, v, 0.046874999379766039);
    double first = own_turn(turned, quarters + 1), second = own_turn(turned, quarters);
    return sqrt(0.63661977236758138 / a) * (u * first - v * r * second);
}
double own_j0(double x)
{
    double a = fabs(x);
    return a < 8.0 ? own_near_j0(a * a) : own_far0(a, 0);
}
double own_y0(double x) { return x < 8.0 ? fma(0.63661977236758138 * own_log(x), own_near_j0(x * x), own_near_y0(x * x)) : own_far0(x, -1); }
double own_j1(double x)
{
    double a = fabs(x);
    return copysign(1.0, x) * (a < 8.0 ? a * own_near_j1(a * a) : own_far1(a, 0));
}
double own_y1(double x)
{
    return x < 8.0 ? fma(0.63661977236758138, own_log(x) * x * own_near_j1(x * x) - 1.0 / x, x * own_near_y1(x * x)) : own_far1(x, -1);
}
float own_quotientf(float x, float y)
{
    uint a = as_uint(x), b = as_uint(y), sign = (a ^ b) & 0x80000000u, m = a & 0x7fffffffu, n = b & 0x7fffffffu;
    float r = as_float(sign);
    bool plain = true;
    if (m - 0x00800000u > 0x7effffffu || n - 0x00800000u > 0x7effffffu) {
        if (m > 0x7f800000u || n > 0x7f800000u) {
            r = x + y;
            plain = false;
        } else if (m == n && (m == 0 || m == 0x7f800000u)) {
            r = as_float(0x7fffffffu);
            plain = false;
        } else if (m == 0x7f800000u || n == 0) {
            r = as_float(sign | 0x7f800000u);
            plain = false;
        } else if (m == 0 || n == 0x7f800000u)
            plain = false;
    }
    if (plain) {
        int shift = 0;
        if (m < 0x00800000u) {
            m = as_uint(as_float(m) * 18446744073709551616.0f);
            shift = -64;
        }
        if (n < 0x00800000u) {
            n = as_uint(as_float(n) * 18446744073709551616.0f);
            shift += 64;
        }
        int e = (int) (m >> 23) - (int) (n >> 23) + shift;
        float f = as_float((m & 0x007fffffu) | 0x3f800000u), g = as_float((n & 0x007fffffu) | 0x3f800000u);
        float t = __fdividef(1.0f, g);
        t = fmaf(fmaf(-g, t, 1.0f), t, t);
        float q = f * t;
        q = fmaf(fmaf(-g, q, f), t, q);
        float left = fmaf(-g, q, f);
        q = fmaf(left, t, q);
        uint w = as_uint(q);
        e += (int) (w >> 23);
        if (e > 0 && e < 255)
            r = as_float(sign | ((uint) e << 23) | (w & 0x007fffffu));
        else if (e >= 255)
            r = as_float(sign | 0x7f800000u);
        else if (e > -24) {
            uint s = (uint) (1 - e), whole = (w & 0x007fffffu) | 0x00800000u, half_ = 1u << (s - 1), low = whole & ((half_ << 1) - 1u), up = whole >> s;
            left = fmaf(-g, q, f);
            if (low > half_ || low == half_ && (left > 0.0f || left == 0.0f && (up & 1u)))
                up = up + 1u;
            r = as_float(sign | up);
        }
    }
    return r;
}

float own_unscaledf(float root, float most) // a length by that of its greatest lane
{
    float length = most * root;
    if (__rarely(most == 0.0f || most == as_float(0x7f800000)))
        length = most;
    return length;
}

float own_divisorf(float length)
{
    return length == 0.0f ? 1.0f : length;
}

float own_inversef(float squares)
{
    return squares > 0.0f ? rsqrt(squares) : 0.0f;
}

double own_unscaled(double root, double most)
{
    double length = most * root;
    if (__rarely(most == 0.0 || most == as_double(0x7ff0000000000000L)))
        length = most;
    return length;
}

double own_divisor(double length)
{
    return length == 0.0 ? 1.0 : length;
}

double own_inverse(double squares)
{
    return squares > 0.0 ? rsqrt(squares) : 0.0;
}

float own_pownf(float x, float n)
{
    float r = x * x;
    if (n != 2.0f) {
        r = r * x;
        if (n != 3.0f)
            r = own_powf(x, n);
    }
    return r;
}

double own_pown(double x, double n)
{
    double r = x * x;
    if (n != 2.0) {
        r = r * x;
        if (n != 3.0)
            r = own_pow(x, n);
    }
    return r;
}
