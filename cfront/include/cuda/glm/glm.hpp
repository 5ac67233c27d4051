// Vectors and matrices of glm 1.0 (glm/glm.hpp, gtc/type_ptr.hpp) whose numbers are float: what each operation computes, member by member. A matrix holds its columns.
#pragma once
namespace glm {
struct vec2 {
  float x, y;
  __device__ vec2() {}
  __device__ explicit vec2(float a) : x(a), y(a) {}
  __device__ vec2(float x_, float y_) : x(x_), y(y_) {}
  __device__ explicit vec2(const struct vec3 &v);
  __device__ float &operator[](int i) { return i == 0 ? x : y; }
  __device__ float operator[](int i) const { return i == 0 ? x : y; }
  __device__ vec2 &operator+=(const vec2 &v) { x += v.x; y += v.y; return *this; }
  __device__ vec2 &operator+=(float v) { x += v; y += v; return *this; }
  __device__ vec2 &operator-=(const vec2 &v) { x -= v.x; y -= v.y; return *this; }
  __device__ vec2 &operator-=(float v) { x -= v; y -= v; return *this; }
  __device__ vec2 &operator*=(const vec2 &v) { x *= v.x; y *= v.y; return *this; }
  __device__ vec2 &operator*=(float v) { x *= v; y *= v; return *this; }
  __device__ vec2 &operator/=(const vec2 &v) { x /= v.x; y /= v.y; return *this; }
  __device__ vec2 &operator/=(float v) { x /= v; y /= v; return *this; }
};
__device__ inline vec2 operator+(const vec2 &a, const vec2 &b) { return vec2(a.x + b.x, a.y + b.y); }
__device__ inline vec2 operator+(const vec2 &a, float b) { return vec2(a.x + b, a.y + b); }
__device__ inline vec2 operator+(float a, const vec2 &b) { return vec2(a + b.x, a + b.y); }
__device__ inline vec2 operator-(const vec2 &a, const vec2 &b) { return vec2(a.x - b.x, a.y - b.y); }
__device__ inline vec2 operator-(const vec2 &a, float b) { return vec2(a.x - b, a.y - b); }
__device__ inline vec2 operator-(float a, const vec2 &b) { return vec2(a - b.x, a - b.y); }
__device__ inline vec2 operator*(const vec2 &a, const vec2 &b) { return vec2(a.x * b.x, a.y * b.y); }
__device__ inline vec2 operator*(const vec2 &a, float b) { return vec2(a.x * b, a.y * b); }
__device__ inline vec2 operator*(float a, const vec2 &b) { return vec2(a * b.x, a * b.y); }
__device__ inline vec2 operator/(const vec2 &a, const vec2 &b) { return vec2(a.x / b.x, a.y / b.y); }
__device__ inline vec2 operator/(const vec2 &a, float b) { return vec2(a.x / b, a.y / b); }
__device__ inline vec2 operator/(float a, const vec2 &b) { return vec2(a / b.x, a / b.y); }
__device__ inline vec2 operator-(const vec2 &a) { return vec2(-a.x, -a.y); }
__device__ inline float dot(const vec2 &a, const vec2 &b) { return a.x * b.x + a.y * b.y; }
__device__ inline float length(const vec2 &a) { return sqrtf(dot(a, a)); }
__device__ inline float distance(const vec2 &a, const vec2 &b) { return length(b - a); }
__device__ inline vec2 normalize(const vec2 &a) { return a * (1.0f / sqrtf(dot(a, a))); }
__device__ inline vec2 min(const vec2 &a, const vec2 &b) { return vec2(fminf(a.x, b.x), fminf(a.y, b.y)); }
__device__ inline vec2 min(const vec2 &a, float b) { return vec2(fminf(a.x, b), fminf(a.y, b)); }
__device__ inline vec2 max(const vec2 &a, const vec2 &b) { return vec2(fmaxf(a.x, b.x), fmaxf(a.y, b.y)); }
__device__ inline vec2 max(const vec2 &a, float b) { return vec2(fmaxf(a.x, b), fmaxf(a.y, b)); }
__device__ inline vec2 clamp(const vec2 &a, float low, float high) { return min(max(a, low), high); }
__device__ inline vec2 abs(const vec2 &a) { return vec2(fabsf(a.x), fabsf(a.y)); }
__device__ inline vec2 sqrt(const vec2 &a) { return vec2(sqrtf(a.x), sqrtf(a.y)); }
__device__ inline vec2 exp(const vec2 &a) { return vec2(expf(a.x), expf(a.y)); }
__device__ inline vec2 floor(const vec2 &a) { return vec2(floorf(a.x), floorf(a.y)); }
__device__ inline vec2 mix(const vec2 &a, const vec2 &b, float t) { return a * (1.0f - t) + b * t; }
struct vec3 {
  float x, y, z;
  __device__ vec3() {}
  __device__ explicit vec3(float a) : x(a), y(a), z(a) {}
  __device__ vec3(float x_, float y_, float z_) : x(x_), y(y_), z(z_) {}
  __device__ vec3(const vec2 &v, float z_) : x(v.x), y(v.y), z(z_) {}
  __device__ explicit vec3(const struct vec4 &v);
  __device__ float &operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  __device__ float operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  __device__ vec3 &operator+=(const vec3 &v) { x += v.x; y += v.y; z += v.z; return *this; }
  __device__ vec3 &operator+=(float v) { x += v; y += v; z += v; return *this; }
  __device__ vec3 &operator-=(const vec3 &v) { x -= v.x; y -= v.y; z -= v.z; return *this; }
  __device__ vec3 &operator-=(float v) { x -= v; y -= v; z -= v; return *this; }
  __device__ vec3 &operator*=(const vec3 &v) { x *= v.x; y *= v.y; z *= v.z; return *this; }
  __device__ vec3 &operator*=(float v) { x *= v; y *= v; z *= v; return *this; }
  __device__ vec3 &operator/=(const vec3 &v) { x /= v.x; y /= v.y; z /= v.z; return *this; }
  __device__ vec3 &operator/=(float v) { x /= v; y /= v; z /= v; return *this; }
};
__device__ inline vec3 operator+(const vec3 &a, const vec3 &b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline vec3 operator+(const vec3 &a, float b) { return vec3(a.x + b, a.y + b, a.z + b); }
__device__ inline vec3 operator+(float a, const vec3 &b) { return vec3(a + b.x, a + b.y, a + b.z); }
__device__ inline vec3 operator-(const vec3 &a, const vec3 &b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ inline vec3 operator-(const vec3 &a, float b) { return vec3(a.x - b, a.y - b, a.z - b); }
__device__ inline vec3 operator-(float a, const vec3 &b) { return vec3(a - b.x, a - b.y, a - b.z); }
__device__ inline vec3 operator*(const vec3 &a, const vec3 &b) { return vec3(a.x * b.x, a.y * b.y, a.z * b.z); }
__device__ inline vec3 operator*(const vec3 &a, float b) { return vec3(a.x * b, a.y * b, a.z * b); }
__device__ inline vec3 operator*(float a, const vec3 &b) { return vec3(a * b.x, a * b.y, a * b.z); }
__device__ inline vec3 operator/(const vec3 &a, const vec3 &b) { return vec3(a.x / b.x, a.y / b.y, a.z / b.z); }
__device__ inline vec3 operator/(const vec3 &a, float b) { return vec3(a.x / b, a.y / b, a.z / b); }
__device__ inline vec3 operator/(float a, const vec3 &b) { return vec3(a / b.x, a / b.y, a / b.z); }
__device__ inline vec3 operator-(const vec3 &a) { return vec3(-a.x, -a.y, -a.z); }
__device__ inline float dot(const vec3 &a, const vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline float length(const vec3 &a) { return sqrtf(dot(a, a)); }
__device__ inline float distance(const vec3 &a, const vec3 &b) { return length(b - a); }
__device__ inline vec3 normalize(const vec3 &a) { return a * (1.0f / sqrtf(dot(a, a))); }
__device__ inline vec3 min(const vec3 &a, const vec3 &b) { return vec3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)); }
__device__ inline vec3 min(const vec3 &a, float b) { return vec3(fminf(a.x, b), fminf(a.y, b), fminf(a.z, b)); }
__device__ inline vec3 max(const vec3 &a, const vec3 &b) { return vec3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)); }
__device__ inline vec3 max(const vec3 &a, float b) { return vec3(fmaxf(a.x, b), fmaxf(a.y, b), fmaxf(a.z, b)); }
__device__ inline vec3 clamp(const vec3 &a, float low, float high) { return min(max(a, low), high); }
__device__ inline vec3 abs(const vec3 &a) { return vec3(fabsf(a.x), fabsf(a.y), fabsf(a.z)); }
__device__ inline vec3 sqrt(const vec3 &a) { return vec3(sqrtf(a.x), sqrtf(a.y), sqrtf(a.z)); }
__device__ inline vec3 exp(const vec3 &a) { return vec3(expf(a.x), expf(a.y), expf(a.z)); }
__device__ inline vec3 floor(const vec3 &a) { return vec3(floorf(a.x), floorf(a.y), floorf(a.z)); }
__device__ inline vec3 mix(const vec3 &a, const vec3 &b, float t) { return a * (1.0f - t) + b * t; }
struct vec4 {
  float x, y, z, w;
  __device__ vec4() {}
  __device__ explicit vec4(float a) : x(a), y(a), z(a), w(a) {}
  __device__ vec4(float x_, float y_, float z_, float w_) : x(x_), y(y_), z(z_), w(w_) {}
  __device__ vec4(const vec3 &v, float w_) : x(v.x), y(v.y), z(v.z), w(w_) {}
  __device__ float &operator[](int i) { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  __device__ float operator[](int i) const { return i == 0 ? x : i == 1 ? y : i == 2 ? z : w; }
  __device__ vec4 &operator+=(const vec4 &v) { x += v.x; y += v.y; z += v.z; w += v.w; return *this; }
  __device__ vec4 &operator+=(float v) { x += v; y += v; z += v; w += v; return *this; }
  __device__ vec4 &operator-=(const vec4 &v) { x -= v.x; y -= v.y; z -= v.z; w -= v.w; return *this; }
  __device__ vec4 &operator-=(float v) { x -= v; y -= v; z -= v; w -= v; return *this; }
  __device__ vec4 &operator*=(const vec4 &v) { x *= v.x; y *= v.y; z *= v.z; w *= v.w; return *this; }
  __device__ vec4 &operator*=(float v) { x *= v; y *= v; z *= v; w *= v; return *this; }
  __device__ vec4 &operator/=(const vec4 &v) { x /= v.x; y /= v.y; z /= v.z; w /= v.w; return *this; }
  __device__ vec4 &operator/=(float v) { x /= v; y /= v; z /= v; w /= v; return *this; }
};
__device__ inline vec4 operator+(const vec4 &a, const vec4 &b) { return vec4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ inline vec4 operator+(const vec4 &a, float b) { return vec4(a.x + b, a.y + b, a.z + b, a.w + b); }
__device__ inline vec4 operator+(float a, const vec4 &b) { return vec4(a + b.x, a + b.y, a + b.z, a + b.w); }
__device__ inline vec4 operator-(const vec4 &a, const vec4 &b) { return vec4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
__device__ inline vec4 operator-(const vec4 &a, float b) { return vec4(a.x - b, a.y - b, a.z - b, a.w - b); }
__device__ inline vec4 operator-(float a, const vec4 &b) { return vec4(a - b.x, a - b.y, a - b.z, a - b.w); }
__device__ inline vec4 operator*(const vec4 &a, const vec4 &b) { return vec4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__device__ inline vec4 operator*(const vec4 &a, float b) { return vec4(a.x * b, a.y * b, a.z * b, a.w * b); }
__device__ inline vec4 operator*(float a, const vec4 &b) { return vec4(a * b.x, a * b.y, a * b.z, a * b.w); }
__device__ inline vec4 operator/(const vec4 &a, const vec4 &b) { return vec4(a.x / b.x, a.y / b.y, a.z / b.z, a.w / b.w); }
__device__ inline vec4 operator/(const vec4 &a, float b) { return vec4(a.x / b, a.y / b, a.z / b, a.w / b); }
__device__ inline vec4 operator/(float a, const vec4 &b) { return vec4(a / b.x, a / b.y, a / b.z, a / b.w); }
__device__ inline vec4 operator-(const vec4 &a) { return vec4(-a.x, -a.y, -a.z, -a.w); }
__device__ inline float dot(const vec4 &a, const vec4 &b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__device__ inline float length(const vec4 &a) { return sqrtf(dot(a, a)); }
__device__ inline float distance(const vec4 &a, const vec4 &b) { return length(b - a); }
__device__ inline vec4 normalize(const vec4 &a) { return a * (1.0f / sqrtf(dot(a, a))); }
__device__ inline vec4 min(const vec4 &a, const vec4 &b) { return vec4(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w)); }
__device__ inline vec4 min(const vec4 &a, float b) { return vec4(fminf(a.x, b), fminf(a.y, b), fminf(a.z, b), fminf(a.w, b)); }
__device__ inline vec4 max(const vec4 &a, const vec4 &b) { return vec4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z), fmaxf(a.w, b.w)); }
__device__ inline vec4 max(const vec4 &a, float b) { return vec4(fmaxf(a.x, b), fmaxf(a.y, b), fmaxf(a.z, b), fmaxf(a.w, b)); }
__device__ inline vec4 clamp(const vec4 &a, float low, float high) { return min(max(a, low), high); }
__device__ inline vec4 abs(const vec4 &a) { return vec4(fabsf(a.x), fabsf(a.y), fabsf(a.z), fabsf(a.w)); }
__device__ inline vec4 sqrt(const vec4 &a) { return vec4(sqrtf(a.x), sqrtf(a.y), sqrtf(a.z), sqrtf(a.w)); }
__device__ inline vec4 exp(const vec4 &a) { return vec4(expf(a.x), expf(a.y), expf(a.z), expf(a.w)); }
__device__ inline vec4 floor(const vec4 &a) { return vec4(floorf(a.x), floorf(a.y), floorf(a.z), floorf(a.w)); }
__device__ inline vec4 mix(const vec4 &a, const vec4 &b, float t) { return a * (1.0f - t) + b * t; }
inline __device__ vec2::vec2(const vec3 &v) : x(v.x), y(v.y) {}
inline __device__ vec3::vec3(const vec4 &v) : x(v.x), y(v.y), z(v.z) {}
__device__ inline vec3 cross(const vec3 &a, const vec3 &b) { return vec3(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y); }
struct mat2 {
  vec2 column[2];
  __device__ mat2() {}
  __device__ explicit mat2(float a) {
    column[0] = vec2(a, 0.0f);
    column[1] = vec2(0.0f, a);
  }
  __device__ mat2(float a0, float a1, float b0, float b1) {
    column[0] = vec2(a0, a1);
    column[1] = vec2(b0, b1);
  }
  __device__ mat2(const vec2 &a, const vec2 &b) {
    column[0] = a;
    column[1] = b;
  }
  __device__ vec2 &operator[](int i) { return column[i]; }
  __device__ const vec2 &operator[](int i) const { return column[i]; }
};
__device__ inline vec2 operator*(const mat2 &m, const vec2 &v) {
  return vec2(m.column[0].x * v.x + m.column[1].x * v.y, m.column[0].y * v.x + m.column[1].y * v.y);
}
__device__ inline vec2 operator*(const vec2 &v, const mat2 &m) {
  return vec2(dot(m.column[0], v), dot(m.column[1], v));
}
__device__ inline mat2 operator*(const mat2 &a, const mat2 &b) { return mat2(a * b.column[0], a * b.column[1]); }
__device__ inline mat2 operator+(const mat2 &a, const mat2 &b) { return mat2(a.column[0] + b.column[0], a.column[1] + b.column[1]); }
__device__ inline mat2 operator-(const mat2 &a, const mat2 &b) { return mat2(a.column[0] - b.column[0], a.column[1] - b.column[1]); }
__device__ inline mat2 operator*(const mat2 &a, float b) { return mat2(a.column[0] * b, a.column[1] * b); }
__device__ inline mat2 operator*(float a, const mat2 &b) { return mat2(a * b.column[0], a * b.column[1]); }
__device__ inline mat2 transpose(const mat2 &m) {
  return mat2(m.column[0].x, m.column[1].x, m.column[0].y, m.column[1].y);
}
struct mat3 {
  vec3 column[3];
  __device__ mat3() {}
  __device__ explicit mat3(float a) {
    column[0] = vec3(a, 0.0f, 0.0f);
    column[1] = vec3(0.0f, a, 0.0f);
    column[2] = vec3(0.0f, 0.0f, a);
  }
  __device__ mat3(float a0, float a1, float a2, float b0, float b1, float b2, float c0, float c1, float c2) {
    column[0] = vec3(a0, a1, a2);
    column[1] = vec3(b0, b1, b2);
    column[2] = vec3(c0, c1, c2);
  }
  __device__ mat3(const vec3 &a, const vec3 &b, const vec3 &c) {
    column[0] = a;
    column[1] = b;
    column[2] = c;
  }
  __device__ explicit mat3(const struct mat4 &m);
  __device__ vec3 &operator[](int i) { return column[i]; }
  __device__ const vec3 &operator[](int i) const { return column[i]; }
};
__device__ inline vec3 operator*(const mat3 &m, const vec3 &v) {
  return vec3(m.column[0].x * v.x + m.column[1].x * v.y + m.column[2].x * v.z, m.column[0].y * v.x + m.column[1].y * v.y + m.column[2].y * v.z, m.column[0].z * v.x + m.column[1].z * v.y + m.column[2].z * v.z);
}
__device__ inline vec3 operator*(const vec3 &v, const mat3 &m) {
  return vec3(dot(m.column[0], v), dot(m.column[1], v), dot(m.column[2], v));
}
__device__ inline mat3 operator*(const mat3 &a, const mat3 &b) { return mat3(a * b.column[0], a * b.column[1], a * b.column[2]); }
__device__ inline mat3 operator+(const mat3 &a, const mat3 &b) { return mat3(a.column[0] + b.column[0], a.column[1] + b.column[1], a.column[2] + b.column[2]); }
__device__ inline mat3 operator-(const mat3 &a, const mat3 &b) { return mat3(a.column[0] - b.column[0], a.column[1] - b.column[1], a.column[2] - b.column[2]); }
__device__ inline mat3 operator*(const mat3 &a, float b) { return mat3(a.column[0] * b, a.column[1] * b, a.column[2] * b); }
__device__ inline mat3 operator*(float a, const mat3 &b) { return mat3(a * b.column[0], a * b.column[1], a * b.column[2]); }
__device__ inline mat3 transpose(const mat3 &m) {
  return mat3(m.column[0].x, m.column[1].x, m.column[2].x, m.column[0].y, m.column[1].y, m.column[2].y, m.column[0].z, m.column[1].z, m.column[2].z);
}
struct mat4 {
  vec4 column[4];
  __device__ mat4() {}
  __device__ explicit mat4(float a) {
    column[0] = vec4(a, 0.0f, 0.0f, 0.0f);
    column[1] = vec4(0.0f, a, 0.0f, 0.0f);
    column[2] = vec4(0.0f, 0.0f, a, 0.0f);
    column[3] = vec4(0.0f, 0.0f, 0.0f, a);
  }
  __device__ mat4(float a0, float a1, float a2, float a3, float b0, float b1, float b2, float b3, float c0, float c1, float c2, float c3, float d0, float d1, float d2, float d3) {
    column[0] = vec4(a0, a1, a2, a3);
    column[1] = vec4(b0, b1, b2, b3);
    column[2] = vec4(c0, c1, c2, c3);
    column[3] = vec4(d0, d1, d2, d3);
  }
  __device__ mat4(const vec4 &a, const vec4 &b, const vec4 &c, const vec4 &d) {
    column[0] = a;
    column[1] = b;
    column[2] = c;
    column[3] = d;
  }
  __device__ vec4 &operator[](int i) { return column[i]; }
  __device__ const vec4 &operator[](int i) const { return column[i]; }
};
__device__ inline vec4 operator*(const mat4 &m, const vec4 &v) {
  return vec4(m.column[0].x * v.x + m.column[1].x * v.y + m.column[2].x * v.z + m.column[3].x * v.w, m.column[0].y * v.x + m.column[1].y * v.y + m.column[2].y * v.z + m.column[3].y * v.w, m.column[0].z * v.x + m.column[1].z * v.y + m.column[2].z * v.z + m.column[3].z * v.w, m.column[0].w * v.x + m.column[1].w * v.y + m.column[2].w * v.z + m.column[3].w * v.w);
}
__device__ inline vec4 operator*(const vec4 &v, const mat4 &m) {
  return vec4(dot(m.column[0], v), dot(m.column[1], v), dot(m.column[2], v), dot(m.column[3], v));
}
__device__ inline mat4 operator*(const mat4 &a, const mat4 &b) { return mat4(a * b.column[0], a * b.column[1], a * b.column[2], a * b.column[3]); }
__device__ inline mat4 operator+(const mat4 &a, const mat4 &b) { return mat4(a.column[0] + b.column[0], a.column[1] + b.column[1], a.column[2] + b.column[2], a.column[3] + b.column[3]); }
__device__ inline mat4 operator-(const mat4 &a, const mat4 &b) { return mat4(a.column[0] - b.column[0], a.column[1] - b.column[1], a.column[2] - b.column[2], a.column[3] - b.column[3]); }
__device__ inline mat4 operator*(const mat4 &a, float b) { return mat4(a.column[0] * b, a.column[1] * b, a.column[2] * b, a.column[3] * b); }
__device__ inline mat4 operator*(float a, const mat4 &b) { return mat4(a * b.column[0], a * b.column[1], a * b.column[2], a * b.column[3]); }
__device__ inline mat4 transpose(const mat4 &m) {
  return mat4(m.column[0].x, m.column[1].x, m.column[2].x, m.column[3].x, m.column[0].y, m.column[1].y, m.column[2].y, m.column[3].y, m.column[0].z, m.column[1].z, m.column[2].z, m.column[3].z, m.column[0].w, m.column[1].w, m.column[2].w, m.column[3].w);
}
inline __device__ mat3::mat3(const mat4 &m) {
  column[0] = vec3(m.column[0]);
  column[1] = vec3(m.column[1]);
  column[2] = vec3(m.column[2]);
}
typedef mat2 mat2x2;
typedef mat3 mat3x3;
typedef mat4 mat4x4;
__device__ inline float max(float a, float b) { return fmaxf(a, b); }
__device__ inline float min(float a, float b) { return fminf(a, b); }
__device__ inline float clamp(float a, float low, float high) { return fminf(fmaxf(a, low), high); }
}
