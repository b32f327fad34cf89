// Window mode: the arithmetic of one centre word, for one instruction set (see foreach_isa.hpp).
//
// All B context rows X of a centre meet the same outputs Y (the centre and its K negatives), so a centre is one small matrix
// product X·Yᵀ, one pass of sigmoids and one update of both sides, all from registers: each row that is loaded serves B or
// K+1 times. Rows are padded to whole cache lines with zeros, so no loop over a row has a tail.

typedef float vec __attribute__((vector_size(LANES * 4), may_alias));
typedef int32_t ivec __attribute__((vector_size(LANES * 4), may_alias));

// A tile of dot products keeps CONTEXT_TILE x OUTPUT_TILE accumulators and one side of its rows in registers.
constexpr int CONTEXT_TILE = REGISTERS == 32 ? 4 : 2;

static INLINE vec splat(float value) { return value - vec{}; }  // value + 0 would cost an addition, for the sake of -0

// Halves every item of WIDTH lanes in (a, b), in order: its low half plus its high half.
template <int WIDTH> static INLINE vec halve(vec a, vec b) {
#ifdef __clang__  // has no shuffle by a computed mask, and needs none: it makes shuffles of these moves
    vec low{}, high{};
    for (int i = 0; i < LANES; i++) {
        const int from = i / (WIDTH / 2) * WIDTH + i % (WIDTH / 2);
        low[i] = from < LANES ? a[from] : b[from - LANES];
        high[i] = from + WIDTH / 2 < LANES ? a[from + WIDTH / 2] : b[from + WIDTH / 2 - LANES];
    }
    return low + high;
#else
    ivec low{}, high{};
    for (int i = 0; i < LANES; i++) {
        low[i] = i / (WIDTH / 2) * WIDTH + i % (WIDTH / 2);
        high[i] = low[i] + WIDTH / 2;
    }
    return __builtin_shuffle(a, b, low) + __builtin_shuffle(a, b, high);
#endif
}

// The sums of LANES vectors, each in its own lane: a tree whose nodes are two shuffles and an addition.
static INLINE vec horizontal_sums(vec *a) {
    for (int i = 0; i < LANES / 2; i++) a[i] = halve<LANES>(a[2 * i], a[2 * i + 1]);
    if constexpr (LANES >= 8)
        for (int i = 0; i < LANES / 4; i++) a[i] = halve<LANES / 2>(a[2 * i], a[2 * i + 1]);
    if constexpr (LANES >= 16)
        for (int i = 0; i < LANES / 8; i++) a[i] = halve<LANES / 4>(a[2 * i], a[2 * i + 1]);
    return halve<2>(a[0], a[1]);
}

// Dot products of P context rows with Q output rows: dots[p * pitch + q] for q < 8, of which those from Q on mean nothing.
template <int P, int Q>
static INLINE void dot_tile(float *const *X, float *const *Y, size_t length, float *dots, int pitch) {
    vec sums[P][Q] = {};
    for (size_t j = 0; j < length; j += LANES) {
        vec x[P];
        for (int p = 0; p < P; p++) x[p] = *(const vec *)(X[p] + j);
        for (int q = 0; q < Q; q++) {
            const vec y = *(const vec *)(Y[q] + j);
            for (int p = 0; p < P; p++) sums[p][q] += x[p] * y;
        }
    }
    constexpr int ITEMS = (P * 8 + LANES - 1) / LANES * LANES;
    vec items[ITEMS] = {};
    for (int p = 0; p < P; p++)
        for (int q = 0; q < Q; q++) items[p * 8 + q] = sums[p][q];
    alignas(64) float reduced[ITEMS];
    for (int i = 0; i < ITEMS; i += LANES) *(vec *)(reduced + i) = horizontal_sums(items + i);
    for (int p = 0; p < P; p++) memcpy(dots + p * pitch, reduced + p * 8, 8 * sizeof(float));
}

// Dot products of B contexts with Q outputs.
template <int Q> static INLINE void dot_rows(float *const *X, int B, float *const *Y, size_t length, float *dots, int pitch) {
    int p = 0;
    for (; p + CONTEXT_TILE <= B; p += CONTEXT_TILE) dot_tile<CONTEXT_TILE, Q>(X + p, Y, length, dots + p * pitch, pitch);
    if (CONTEXT_TILE > 2 && B - p >= 2) {
        dot_tile<2, Q>(X + p, Y, length, dots + p * pitch, pitch);
        p += 2;
    }
    if (p < B) dot_tile<1, Q>(X + p, Y, length, dots + p * pitch, pitch);
}

typedef float vec8 __attribute__((vector_size(32), may_alias));
typedef int32_t ivec8 __attribute__((vector_size(32), may_alias));

// 1 / (1 + exp(-x)) within 3e-7. exp(-x) = 2^n · 2^f with n whole and |f| <= 1/2, and 2^f by its Taylor polynomial.
static INLINE vec8 sigmoid(vec8 x) {
    vec8 t = x * -1.44269504f;  // -x / ln 2
    t = t > 120.f ? vec8{} + 120.f : t;
    t = t < -120.f ? vec8{} - 120.f : t;
    const vec8 shifted = t + 12582912.f;  // adding 1.5 · 2^23 rounds to a whole number and leaves it in the low bits
    const vec8 f = t - (shifted - 12582912.f);
    vec8 power = 1.33335581e-3f * f + 9.61812911e-3f;
    power = power * f + 5.55041087e-2f;
    power = power * f + 2.40226507e-1f;
    power = power * f + 6.93147181e-1f;
    power = power * f + 1.f;
    return 1.f / (1.f + (vec8)((ivec8)power + ((ivec8)shifted << 23)));
}

// From dot products to steps, in place: alpha · weight · (label - sigmoid). The first output of a centre is the true one.
static INLINE void steps_from_dots(float *dots, int B, int pitch, const float *weights, float alpha) {
    for (int q = 0; q < pitch; q += 8) {
        const vec8 label = q == 0 ? vec8{1.f} : vec8{};
        const vec8 rate = alpha * *(const vec8 *)(weights + q);
        for (int p = 0; p < B; p++) {
            vec8 *slot = (vec8 *)(dots + p * pitch + q);
            *slot = rate * (label - sigmoid(*slot));
        }
    }
}

static INLINE void prefetch_lines(float *const *rows, int count, size_t j) {
    if (j % FLOATS_PER_LINE == 0)
        for (int r = 0; r < count; r++) __builtin_prefetch(rows[r] + j, 1);
}

// X += steps·Y and Y += stepsᵀ·X in one pass, contexts in order, from Y's old rows. Q outputs and their changes stay in
// registers. The rows that a later centre needs are asked for on the way, a line of each at a time: asked for all at once,
// they fill the queue of outstanding misses and stall the loads behind them (measured: 1.2 times slower).
template <int Q>
static INLINE void update_rows(float *const *X, int B, float *const *Y, size_t length, const float *steps, int pitch,
                               float *const *ahead, int ahead_count) {
    for (size_t j = 0; j < length; j += LANES) {
        prefetch_lines(ahead, ahead_count, j);
        vec y[Q], change[Q];
        for (int q = 0; q < Q; q++) {
            y[q] = *(const vec *)(Y[q] + j);
            change[q] = vec{};
        }
        for (int p = 0; p < B; p++) {
            vec *slot = (vec *)(X[p] + j);
            const vec x = *slot;
            vec updated = x;
            for (int q = 0; q < Q; q++) {
                const vec step = splat(steps[p * pitch + q]);
                updated += step * y[q];
                change[q] += step * x;
            }
            *slot = updated;
        }
        for (int q = 0; q < Q; q++) *(vec *)(Y[q] + j) = y[q] + change[q];
    }
}

// The same for any number of outputs, whose changes go through memory.
static INLINE void update_many_rows(float *const *X, int B, float *const *Y, int outputs, size_t length, const float *steps,
                                    int pitch, float *const *ahead, int ahead_count, float *changes) {
    vec *change = (vec *)changes;
    for (size_t j = 0; j < length; j += LANES) {
        prefetch_lines(ahead, ahead_count, j);
        for (int q = 0; q < outputs; q++) change[q] = vec{};
        for (int p = 0; p < B; p++) {
            vec *slot = (vec *)(X[p] + j);
            const vec x = *slot;
            vec updated = x;
            for (int q = 0; q < outputs; q++) {
                const vec step = splat(steps[p * pitch + q]);
                updated += step * *(const vec *)(Y[q] + j);
                change[q] += step * x;
            }
            *slot = updated;
        }
        for (int q = 0; q < outputs; q++) *(vec *)(Y[q] + j) += change[q];
    }
}

// Trains the centres of a block in turn. OUTPUTS is their number of outputs, or 0 for any.
template <int OUTPUTS>
static INLINE void train_centres(const Windows &windows, const Block &block, const Rows &syn0, const Rows &syn1neg, float alpha,
                                 Scratch &scratch) {
    const int outputs = OUTPUTS ? OUTPUTS : block.outputs, pitch = block.pitch;
    const size_t length = syn0.stride;
    float **Y = scratch.outputs.data(), **ahead = scratch.ahead.data();
    float *steps = scratch.steps.data();
    for (int i = block.begin; i < block.end; i++) {
        float **X = scratch.contexts.data();
        int B = 0, ahead_count = 0;
        for (int j = windows.first[i]; j < windows.last[i]; j++)
            if (j != i) X[B++] = syn0[windows.tokens[j]];
        for (int q = 0; q < outputs; q++) Y[q] = syn1neg[block.id(i, q)];
        if (const int later = i + PREFETCH_DISTANCE; later < block.end) {
            for (int q = 0; q < outputs; q++) ahead[ahead_count++] = syn1neg[block.id(later, q)];
            ahead[ahead_count++] = syn0[windows.tokens[windows.last[later] - 1]];
        }
        for (; B > 0; X += CONTEXT_BATCH, B -= CONTEXT_BATCH, ahead_count = 0) {
            const int batch = std::min(B, CONTEXT_BATCH);
            int q = 0;
            for (; q + OUTPUT_TILE <= outputs; q += OUTPUT_TILE)
                dot_rows<OUTPUT_TILE>(X, batch, Y + q, length, steps + q, pitch);
            if constexpr (OUTPUTS % OUTPUT_TILE != 0)
                dot_rows<OUTPUTS % OUTPUT_TILE>(X, batch, Y + q, length, steps + q, pitch);
            if constexpr (OUTPUTS == 0)
                for (; q < outputs; q++) dot_rows<1>(X, batch, Y + q, length, steps + q, pitch);
            steps_from_dots(steps, batch, pitch, block.weights_of(i), alpha);
            if constexpr (OUTPUTS != 0)
                update_rows<OUTPUTS>(X, batch, Y, length, steps, pitch, ahead, ahead_count);
            else
                update_many_rows(X, batch, Y, outputs, length, steps, pitch, ahead, ahead_count, scratch.changes.data());
        }
    }
}

// The usual numbers of negatives, up to 5 and 10, have code of their own.
static void train_block(const Windows &windows, const Block &block, const Rows &syn0, const Rows &syn1neg, float alpha,
                        Scratch &scratch) {
    switch (block.outputs) {
    case 2: return train_centres<2>(windows, block, syn0, syn1neg, alpha, scratch);
    case 3: return train_centres<3>(windows, block, syn0, syn1neg, alpha, scratch);
    case 4: return train_centres<4>(windows, block, syn0, syn1neg, alpha, scratch);
    case 5: return train_centres<5>(windows, block, syn0, syn1neg, alpha, scratch);
    case 6: return train_centres<6>(windows, block, syn0, syn1neg, alpha, scratch);
    case 11: return train_centres<11>(windows, block, syn0, syn1neg, alpha, scratch);
    default: return train_centres<0>(windows, block, syn0, syn1neg, alpha, scratch);
    }
}
