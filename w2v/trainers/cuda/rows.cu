// Rows of the tables in the hands of a warp. A row is ROW floats; each lane has the same VECTOR of every 32 * VECTOR of
// them, in memory, shared memory and registers alike, so lanes never wait for each other over a row.

constexpr int LANES = 32;
constexpr unsigned ALL = 0xffffffffu;

static __device__ constexpr int min_of(int a, int b) { return a < b ? a : b; }
static __device__ constexpr int max_of(int a, int b) { return a > b ? a : b; }
static __device__ constexpr int power_of_two(int at_least) {
    int power = 1;
    while (power < at_least) power *= 2;
    return power;
}

constexpr int PER_LANE = ROW / LANES;
constexpr int MOST_OUTPUTS = max_of(DEPTH, NEGATIVE ? NEGATIVE + 1 : 0);
constexpr int LANE_FLOATS = 64;  // of output rows that a lane holds in registers, and as many of their changes
constexpr int VECTOR = ROW % 128 == 0 && MOST_OUTPUTS * 4 <= LANE_FLOATS ? 4 : MOST_OUTPUTS * 2 <= LANE_FLOATS ? 2 : 1;
static_assert(ROW % 64 == 0 && MOST_OUTPUTS <= LANE_FLOATS);
// What a launch did: added up by `compact` and `train`.
struct Tally {
    unsigned long long kept_words, examples;
    double loss;
    int tokens;  // of this piece, sentence ends included
};

template <class T> static __device__ T warp_sum(T value) {
    for (int bits = LANES / 2; bits; bits /= 2) value += __shfl_xor_sync(ALL, value, bits);
    return value;
}

// Sums each of N values (a power of two, up to 32) over the warp, in N - 1 + log2(32 / N) shuffles: half the lanes keep half of
// the values and swap the others for theirs, and so on. Afterwards lane l has the sum of values[l / (32 / N)].
template <int N, int BITS = LANES / 2> static __device__ float warp_sums(const float (&values)[N], int lane) {
    if constexpr (N == 1) {
        float sum = values[0];
#pragma unroll
        for (int bits = BITS; bits; bits /= 2) sum += __shfl_xor_sync(ALL, sum, bits);
        return sum;
    } else {
        const bool upper = lane & BITS;
        float sums[N / 2];
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            const float low = values[i], high = values[i + N / 2];
            sums[i] = (upper ? high : low) + __shfl_xor_sync(ALL, upper ? low : high, BITS);
        }
        return warp_sums<N / 2, BITS / 2>(sums, lane);
    }
}

// A lane's share of COUNT * 32 floats of a row.
template <int COUNT> struct Share {
    float value[COUNT];

    static __device__ int place(int i, int lane) { return i * LANES + lane * VECTOR; }  // of value[i], i a multiple of VECTOR

    // From a table, past L1, which would not see what other multiprocessors add.
    __device__ void load(const float *row, int lane) {
#pragma unroll
        for (int i = 0; i < COUNT; i += VECTOR) {
            if constexpr (VECTOR == 4) {
                const float4 v = __ldcg((const float4 *)(row + place(i, lane)));
                value[i] = v.x, value[i + 1] = v.y, value[i + 2] = v.z, value[i + 3] = v.w;
            } else if constexpr (VECTOR == 2) {
                const float2 v = __ldcg((const float2 *)(row + place(i, lane)));
                value[i] = v.x, value[i + 1] = v.y;
            } else {
                value[i] = __ldcg(row + place(i, lane));
            }
        }
    }
    // To a table, times `scale`: added where it lies, so that no warp's change is lost. Architecture 9.0 adds whole vectors.
    __device__ void add_to(float *row, int lane, float scale) const {
#pragma unroll
        for (int i = 0; i < COUNT; i += VECTOR) {
            float *const address = row + place(i, lane);
            Vector v;
#pragma unroll
            for (int j = 0; j < VECTOR; j++) v.value[j] = scale * value[i + j];
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
            if constexpr (VECTOR == 4)
                atomicAdd((float4 *)address, make_float4(v.value[0], v.value[1], v.value[2], v.value[3]));
            else if constexpr (VECTOR == 2)
                atomicAdd((float2 *)address, make_float2(v.value[0], v.value[1]));
            else
#endif
#pragma unroll
                for (int j = 0; j < VECTOR; j++) atomicAdd(address + j, v.value[j]);
        }
    }
    // From and to shared memory.
    __device__ void read(const float *row, int lane) {
#pragma unroll
        for (int i = 0; i < COUNT; i += VECTOR) {
            const Vector v = *(const Vector *)(row + place(i, lane));
#pragma unroll
            for (int j = 0; j < VECTOR; j++) value[i + j] = v.value[j];
        }
    }
    __device__ void write(float *row, int lane) const {
#pragma unroll
        for (int i = 0; i < COUNT; i += VECTOR) {
            Vector v;
#pragma unroll
            for (int j = 0; j < VECTOR; j++) v.value[j] = value[i + j];
            *(Vector *)(row + place(i, lane)) = v;
        }
    }
    __device__ float dot(const Share &other) const {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < COUNT; i++) sum += value[i] * other.value[i];
        return sum;
    }
    __device__ void add(float scale, const Share &other) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) value[i] += scale * other.value[i];
    }

  private:
    struct alignas(4 * VECTOR) Vector {
        float value[VECTOR];
    };
};
