// Functions of mathematics in about the instructions that CUDA's library takes for them (CUDA C++ Programming Guide, mathematical functions), where
// expressions of their own do not say it shorter. A kernel that calls one has its text in it; results are right to about single precision.
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
    float f = fmaf(q, -6.93147182e-1f, x);
    float p = fmaf(f, 1.39892172e-3f, 8.39338824e-3f);
    p = fmaf(f, p, 4.16661687e-2f);
    p = fmaf(f, p, 1.66665524e-1f);
    p = fmaf(f, p, 0.5f);
    p = fmaf(f * p, f, f);
    float s = exp2f(q);
    return fmaf(p, s, s - 1.0f);
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
    float r = exp2f(log2f(t) * 0.333333343f);
    r = fmaf(__fdividef(fmaf(-r * r, r, t), 3.0f * r * r), 1.0f, r);
    return copysignf(t == 0.0f ? t : r, x);
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
float own_erff(float x)
{
    float t = fabsf(x), s = x * x;
    float p = fmaf(s, -5.96761703e-4f, 4.99119423e-3f);
    p = fmaf(s, p, -2.67681349e-2f);
    p = fmaf(s, p, 1.12819925e-1f);
    p = fmaf(s, p, -3.76125336e-1f);
    p = fmaf(s, p, 1.28379166e-1f);
    p = fmaf(p, x, x);
    return t > 0.921875f ? copysignf(1.0f - own_beyond(t), x) : p;
}
float own_erfcf(float x)
{
    float r = own_beyond(fabsf(x));
    float far = x < 0.0f ? 2.0f - r : r;
    return fabsf(x) > 0.921875f ? far : 1.0f - own_erff(x);
}
float own_normcdff(float x) { return 0.5f * own_erfcf(-0.707106781f * x); }
float own_sinpif(float x) { return sinf(3.14159274f * (x - 2.0f * rintf(0.5f * x))); }
float own_cospif(float x) { return cosf(3.14159274f * (x - 2.0f * rintf(0.5f * x))); }
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
double own_pow(double x, double y)
{
    double t = fabs(x), l = own_log(t);
    double error = fma(-1.0, l, own_log(t * 1.0)); // the low word of the logarithm
    double r = exp(fma(l, y, error * y));
    bool odd = trunc(y) == y && trunc(0.5 * y) != 0.5 * y;
    r = x < 0.0 && odd ? -r : r;
    return y == 0.0 ? 1.0 : t == 0.0 ? (y > 0.0 ? 0.0 : 1.0 / t) : r;
}
double own_quarter(double r, bool cosine)
{
    double s = r * r;
    double p = cosine ? fma(s, -1.136781730462628422e-11, 2.087588337859780049e-9) : fma(s, 1.58962301576546568e-10, -2.50507477628578072e-8);
    p = fma(s, p, cosine ? -2.755731554299955694e-7 : 2.75573136213857246e-6);
    p = fma(s, p, cosine ? 2.480158729418648e-5 : -1.98412698295895386e-4);
    p = fma(s, p, cosine ? -1.388888888880667e-3 : 8.33333333332211858e-3);
    p = fma(s, p, cosine ? 4.166666666666600e-2 : -1.66666666666666307e-1);
    return cosine ? fma(s, fma(s, p, -0.5), 1.0) : fma(s * p, r, r);
}
double own_turn(double x, int quarters)
{
    double q = rint(x * 0.6366197723675814);
    double r = fma(q, -1.5707963267948966, x);
    r = fma(q, -6.123233995736766e-17, r);
    r = fma(q, 1.4973849048591833e-33, r);
    int k = (int) q + quarters;
    double y = own_quarter(r, k & 1);
    return k & 2 ? -y : y;
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
