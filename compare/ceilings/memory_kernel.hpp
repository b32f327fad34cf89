// What rows of a table and long arrays can be moved at, for one instruction set (see include/foreach_isa.hpp).

typedef float vec __attribute__((vector_size(LANES * 4), may_alias));
typedef int32_t bits __attribute__((vector_size(LANES * 4), may_alias));

constexpr size_t STRETCH = 32;  // floats between two steps of a loop over a row: no row is shorter
constexpr size_t VECTORS = STRETCH / LANES;
constexpr size_t AHEAD = 8;  // rows between asking for a row and using it, as a trainer that knows its samples would

template <bool WRITE> static inline void prefetch(const float *row, size_t length) {
    for (size_t j = 0; j < length; j += FLOATS_PER_LINE) __builtin_prefetch(row + j, WRITE);
}

// Reads the rows `rows` (n), each of `length` floats. Exclusive or is the cheapest way to need every bit.
static float gather(const float *table, const int32_t *rows, size_t n, size_t length) {
    bits seen[VECTORS] = {};
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) prefetch<false>(table + (size_t)rows[i + AHEAD] * length, length);
        const float *row = table + (size_t)rows[i] * length;
        for (size_t j = 0; j < length; j += STRETCH)
            for (size_t v = 0; v < VECTORS; v++) seen[v] ^= *(const bits *)(row + j + v * LANES);
    }
    int32_t all = 0;
    for (const bits &each : seen)
        for (size_t lane = 0; lane < LANES; lane++) all ^= each[lane];
    return (float)all;
}

// Adds `step` to the rows `rows` (n): each is read and written.
static void update(float *table, const int32_t *rows, size_t n, size_t length, float step) {
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) prefetch<true>(table + (size_t)rows[i + AHEAD] * length, length);
        float *row = table + (size_t)rows[i] * length;
        for (size_t j = 0; j < length; j += LANES) *(vec *)(row + j) += step;
    }
}

// STREAM's triad, a = b + factor * c, over n floats, a multiple of STRETCH.
static void triad(float *a, const float *b, const float *c, size_t n, float factor) {
    for (size_t i = 0; i < n; i += LANES) *(vec *)(a + i) = *(const vec *)(b + i) + factor * *(const vec *)(c + i);
}
