// out = the brightness of the pixels of an image of h*w pixels with the colours red, green, blue and one more byte, raised by gamma.
inline float brightness(float4 c) { return 0.299f * c.x + 0.587f * c.y + 0.114f * c.z; }

inline float gamma_corrected(float v, float gamma)
{
    if (v <= 0.0f)
        return 0.0f;
    return pow(v, gamma);
}

__kernel void grey(__global const uchar4 *in, __global uchar *out, int w, int h, float gamma)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < w && y < h) {
        float v = brightness(convert_float4(in[y * w + x])) / 255.0f;
        out[y * w + x] = convert_uchar_sat(255.0f * gamma_corrected(v, gamma));
    }
}
