// One training step, for one instruction set (see include/foreach_isa.hpp): B input rows X meet Q output rows Y.
//
// A step is one small matrix product X·Yᵀ, one pass of sigmoids and one update of both sides, all from registers: each row
// that is loaded serves Q or B times. Rows are padded to whole cache lines with zeros, so no loop over a row has a tail.

typedef float vec __attribute__((vector_size(LANES * 4), may_alias));
typedef int32_t ivec __attribute__((vector_size(LANES * 4), may_alias));
typedef float vec8 __attribute__((vector_size(32), may_alias));
typedef int32_t ivec8 __attribute__((vector_size(32), may_alias));

// A tile of dot products keeps its accumulators in registers, and its input rows: two by PAIR_TILE outputs, or one by ROW_TILE.
constexpr int PAIR_TILE = REGISTERS == 32 ? 8 : 4, ROW_TILE = 2 * PAIR_TILE;

static INLINE vec splat(float value) { return value - vec{}; }  // value + 0 would cost an addition, for the sake of -0

// A value that is loaded once: GCC would load it again for each use, and a tile of dot products waits for its loads.
static INLINE vec in_register(vec value) {
#ifdef __x86_64__
    asm("" : "+v"(value));
#endif
    return value;
}

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

// Dot products of P inputs with Q outputs: dots[p * pitch + q] for q < Q, and 0 after that up to TILE.
template <int P, int Q, int TILE>
static INLINE void dot_tile(float *const *X, float *const *Y, size_t length, float *dots, int pitch) {
    vec sums[P][Q] = {};
    for (size_t j = 0; j < length; j += LANES) {
        vec x[P];
        for (int p = 0; p < P; p++) x[p] = *(const vec *)(X[p] + j);
        for (int q = 0; q < Q; q++) {
            const vec y = in_register(*(const vec *)(Y[q] + j));
            for (int p = 0; p < P; p++) sums[p][q] += x[p] * y;
        }
    }
    constexpr int ITEMS = (P * TILE + LANES - 1) / LANES * LANES;
    vec items[ITEMS] = {};
    for (int p = 0; p < P; p++)
        for (int q = 0; q < Q; q++) items[p * TILE + q] = sums[p][q];
    alignas(64) float reduced[ITEMS];
    for (int i = 0; i < ITEMS; i += LANES) *(vec *)(reduced + i) = horizontal_sums(items + i);
    for (int p = 0; p < P; p++) memcpy(dots + p * pitch, reduced + p * TILE, TILE * sizeof(float));
}

// Dot products of P inputs with all outputs, tile by tile; OUTPUTS is their number, or 0 for any.
template <int P, int WIDEST, int OUTPUTS>
static INLINE void dot_row(float *const *X, float *const *Y, int outputs, size_t length, float *dots, int pitch) {
    constexpr int REST = OUTPUTS % WIDEST, TILE = (REST + PAIR_TILE - 1) / PAIR_TILE * PAIR_TILE;
    int q = 0;
    for (; q + WIDEST <= outputs; q += WIDEST) dot_tile<P, WIDEST, WIDEST>(X, Y + q, length, dots + q, pitch);
    if constexpr (REST != 0) dot_tile<P, REST, TILE>(X, Y + q, length, dots + q, pitch);
    if constexpr (OUTPUTS == 0)
        for (; q < outputs; q++) dot_tile<P, 1, 1>(X, Y + q, length, dots + q, pitch);
}

// exp(x) within 3e-7 of itself for |x| <= 83, where it stays beyond. exp(x) = 2^n · 2^f with n whole and |f| <= 1/2, and 2^f
// by its Taylor polynomial.
static INLINE vec8 exponential(vec8 x) {
    vec8 t = x * 1.44269504f;  // x / ln 2
    t = t > 120.f ? vec8{} + 120.f : t;
    t = t < -120.f ? vec8{} - 120.f : t;
    const vec8 shifted = t + 12582912.f;  // adding 1.5 · 2^23 rounds to a whole number and leaves it in the low bits
    const vec8 f = t - (shifted - 12582912.f);
    vec8 power = 1.33335581e-3f * f + 9.61812911e-3f;
    power = power * f + 5.55041087e-2f;
    power = power * f + 2.40226507e-1f;
    power = power * f + 6.93147181e-1f;
    power = power * f + 1.f;
    return (vec8)((ivec8)power + ((ivec8)shifted << 23));
}

// log(1 + e) within 3e-7 for 0 <= e <= 1: a Chebyshev fit of log(1 + e) / e.
static INLINE vec8 log_one_plus(vec8 e) {
    vec8 ratio = -8.574676205e-3f * e + 4.421419234e-2f;
    ratio = ratio * e - 1.078536792e-1f;
    ratio = ratio * e + 1.775702399e-1f;
    ratio = ratio * e - 2.449961172e-1f;
    ratio = ratio * e + 3.327617657e-1f;
    ratio = ratio * e - 4.999744938e-1f;
    ratio = ratio * e + 9.999998102e-1f;
    return ratio * e;
}

// What a step trains. Pair (p, q) stands for `weights[p * weights_pitch + q]` equal examples, each of which says that input p
// goes with output q (labels[q] = 1) or does not (0). Where rows of Q end, they go on to a multiple of 8; that weighs nothing.
struct Step {
    float *const *X, *const *Y;
    int B, Q;
    size_t length;  // floats a row
    float alpha;
    const float *weights, *labels;
    int weights_pitch;       // 0 if all inputs share their weights
    float *dots;             // (B, pitch_of(Q)): room for the dot products, then for the steps
    float *changes;          // (Q, LANES): room for what the outputs learn, where registers don't do
    float *const *ahead;     // rows that a later step needs
    int ahead_count;
    double *loss;            // adds up -log(likelihood) of the examples, or null
};

static INLINE double loss_of(const Step &step, int pitch) {
    vec8 sum{};
    for (int q = 0; q < pitch; q += 8)
        for (int p = 0; p < step.B; p++) {
            const vec8 dot = *(const vec8 *)(step.dots + p * pitch + q);
            const vec8 label = *(const vec8 *)(step.labels + q);
            const vec8 weight = *(const vec8 *)(step.weights + p * step.weights_pitch + q);
            const vec8 margin = (2.f * label - 1.f) * dot, wrong = margin < 0.f ? -margin : vec8{};
            const vec8 size = margin < 0.f ? -margin : margin;
            sum += weight * (wrong + log_one_plus(exponential(-size)));  // weight · log(1 + exp(-margin))
        }
    double total = 0;
    for (int lane = 0; lane < 8; lane++) total += sum[lane];
    return total;
}

// From dot products to steps, in place: alpha · weight · (label - sigmoid).
static INLINE void steps_from_dots(const Step &step, int pitch) {
    for (int q = 0; q < pitch; q += 8) {
        const vec8 label = *(const vec8 *)(step.labels + q);
        for (int p = 0; p < step.B; p++) {
            vec8 *slot = (vec8 *)(step.dots + p * pitch + q);
            const vec8 rate = step.alpha * *(const vec8 *)(step.weights + p * step.weights_pitch + q);
            *slot = rate * (label - 1.f / (1.f + exponential(-*slot)));
        }
    }
}

// The rows that a later step needs are asked for on the way, a line of each at a time: asked for all at once, they fill the
// queue of outstanding misses and stall the loads behind them (measured: 1.2 times slower).
static INLINE void prefetch_lines(const Step &step, size_t j) {
    if (j % FLOATS_PER_LINE == 0)
#pragma GCC unroll 4  // rolled, the loop's own instructions cost a twentieth of all speed
        for (int r = 0; r < step.ahead_count; r++) __builtin_prefetch(step.ahead[r] + j, 1);
}

// X += steps·Y and Y += stepsᵀ·X in one pass, inputs in order, from Y's old rows; the new ones stay in registers. The rows'
// addresses are copied, for the compiler would load those of `step` again after each store.
template <int Q> static INLINE void update(const Step &step, int pitch) {
    const Step my = step;
    float *Y[Q];
    std::copy_n(my.Y, Q, Y);
    for (size_t j = 0; j < my.length; j += LANES) {
        prefetch_lines(my, j);
        vec y[Q], learnt[Q];
        for (int q = 0; q < Q; q++) y[q] = learnt[q] = *(const vec *)(Y[q] + j);
        for (int p = 0; p < my.B; p++) {
            vec *slot = (vec *)(my.X[p] + j);
            const vec x = *slot;
            vec updated = x;
            const float *steps = my.dots + (size_t)p * pitch;  // else each address is computed anew
            for (int q = 0; q < Q; q++) {
                const vec size = splat(steps[q]);
                updated += size * y[q];
                learnt[q] += size * x;
            }
            *slot = updated;
        }
        for (int q = 0; q < Q; q++) *(vec *)(Y[q] + j) = learnt[q];
    }
}

// The same for one input, whose steps stay in registers.
template <int Q> static INLINE void update_one(const Step &step) {
    const Step my = step;
    float *X = my.X[0], *Y[Q];
    std::copy_n(my.Y, Q, Y);
    vec size[Q];
    for (int q = 0; q < Q; q++) size[q] = splat(my.dots[q]);
    for (size_t j = 0; j < my.length; j += LANES) {
        prefetch_lines(my, j);
        const vec x = *(const vec *)(X + j);
        vec learnt[2] = {x, vec{}};  // two sums, for one would wait for itself
        for (int q = 0; q < Q; q++) {
            vec *slot = (vec *)(Y[q] + j);
            const vec y = *slot;
            learnt[q % 2] += size[q] * y;
            *slot = y + size[q] * x;
        }
        *(vec *)(X + j) = learnt[0] + learnt[1];
    }
}

// The same for any number of outputs: what Y learns goes through memory.
static INLINE void update_many(const Step &step, int pitch) {
    vec *change = (vec *)step.changes;
    for (size_t j = 0; j < step.length; j += LANES) {
        prefetch_lines(step, j);
        for (int q = 0; q < step.Q; q++) change[q] = vec{};
        for (int p = 0; p < step.B; p++) {
            vec *slot = (vec *)(step.X[p] + j);
            const vec x = *slot;
            vec updated = x;
            for (int q = 0; q < step.Q; q++) {
                const vec size = splat(step.dots[p * pitch + q]);
                updated += size * *(const vec *)(step.Y[q] + j);
                change[q] += size * x;
            }
            *slot = updated;
        }
        for (int q = 0; q < step.Q; q++) *(vec *)(step.Y[q] + j) += change[q];
    }
}

// A step of OUTPUTS outputs, or of any number for 0.
template <int OUTPUTS> static void train_step_of(const Step &step) {
    const int outputs = OUTPUTS ? OUTPUTS : step.Q, pitch = pitch_of(outputs);
    int p = 0;
    for (; p + 2 <= step.B; p += 2)
        dot_row<2, PAIR_TILE, OUTPUTS>(step.X + p, step.Y, outputs, step.length, step.dots + p * pitch, pitch);
    if (p < step.B)
        dot_row<1, ROW_TILE, OUTPUTS>(step.X + p, step.Y, outputs, step.length, step.dots + p * pitch, pitch);
    if (step.loss) *step.loss += loss_of(step, pitch);
    steps_from_dots(step, pitch);
    if constexpr (OUTPUTS == 0)
        update_many(step, pitch);
    else if (step.B == 1)
        update_one<OUTPUTS>(step);
    else
        update<OUTPUTS>(step, pitch);
}

template <size_t... OUTPUTS> static INLINE void train_step_among(const Step &step, std::index_sequence<OUTPUTS...>) {
    static constexpr void (*FOR_OUTPUTS[])(const Step &) = {train_step_of<OUTPUTS>...};
    FOR_OUTPUTS[step.Q < (int)sizeof...(OUTPUTS) ? step.Q : 0](step);
}

// Up to 24 outputs have code of their own, in which what they learn fits in registers, where there are 32.
static INLINE void train_step(const Step &step) { train_step_among(step, std::make_index_sequence<25>()); }
