// The arithmetic of one window: what its context is to predict, by one head (hierarchical softmax or negative sampling).

// How N outputs are held: whole rows in registers if those suffice, else SLICE of each lane's floats at a time.
template <int N> struct Tiling {
    static __device__ constexpr int slice() {
        int floats = VECTOR;
        for (int i = VECTOR; i <= PER_LANE; i += VECTOR)
            if (PER_LANE % i == 0 && i * N <= LANE_FLOATS) floats = i;
        return floats;
    }
    static constexpr int SLICE = slice(), SLICES = PER_LANE / SLICE;
    static constexpr bool RESIDENT = SLICES == 1 && N <= LANES;
    static constexpr int OUTPUTS = RESIDENT ? N : min_of(N, LANES / EXAMPLES);  // of up to 32 dot products at a time
    static constexpr int INPUTS = min_of(EXAMPLES, LANES / OUTPUTS);
    static constexpr int DOTS = power_of_two(INPUTS * OUTPUTS);
    using Part = Share<SLICE>;
};

// One head's outputs of a centre: `count` rows of a table, N at most, which `my.outputs`, `my.labels` and
// `my.output_damping` tell of.
template <int N> struct Head {
    using T = Tiling<N>;
    using Part = typename T::Part;
    Warp &my;
    float *const table;
    const int count, lane;
    Part y[N];

    __device__ Head(Warp &my, float *table, int count, int lane) : my(my), table(table), count(count), lane(lane) {
        if constexpr (T::RESIDENT) load<N>(0, 0);
    }
    // A slice of the output rows from q on.
    template <int NUMBER> __device__ void load(int q, int slice) {
#pragma unroll
        for (int i = 0; i < NUMBER; i++) {
            const int row = q + i < count ? my.outputs[q + i] : -1;
            y[i] = Part{};
            if (row >= 0) y[i].load(table + (size_t)row * ROW + slice * T::SLICE * LANES, lane);
        }
    }
    __device__ float *input(const int *contexts, int example) const {
        return CBOW ? my.hidden : my.ring[contexts[example]][0];
    }

    // Fills my.steps with alpha * (label - sigmoid(input . output)). Returns this lane's part of the loss.
    __device__ float predict(const int *contexts, int examples, float alpha) {
        float loss = 0;
        for (int q0 = 0; q0 < count; q0 += T::OUTPUTS)
            for (int e0 = 0; e0 < examples; e0 += T::INPUTS) {
                float dots[T::DOTS] = {};
                for (int slice = 0; slice < T::SLICES; slice++) {
                    if constexpr (!T::RESIDENT) load<T::OUTPUTS>(q0, slice);
#pragma unroll
                    for (int e = 0; e < T::INPUTS; e++) {
                        if (e0 + e < examples) {
                            Part x;
                            x.read(input(contexts, e0 + e) + slice * T::SLICE * LANES, lane);
#pragma unroll
                            for (int q = 0; q < T::OUTPUTS; q++) dots[e * T::OUTPUTS + q] += x.dot(y[q]);
                        }
                    }
                }
                const float score = warp_sums(dots, lane);
                const int mine = lane / (LANES / T::DOTS), e = e0 + mine / T::OUTPUTS, q = q0 + mine % T::OUTPUTS;
                if (lane % (LANES / T::DOTS) == 0 && mine < T::INPUTS * T::OUTPUTS && e < examples && q < count) {
                    const bool counts = my.outputs[q] >= 0;
                    const float label = my.labels[q];
                    my.steps[e][q] = counts ? alpha * (label - __fdividef(1, 1 + __expf(-score))) : 0;
                    if (LOSS && counts) loss += fmaxf(score, 0) + log1pf(__expf(-fabsf(score))) - label * score;
                }
            }
        __syncwarp();
        return loss;
    }

    // Both sides' changes, from the outputs as they were: input += step . outputs, output += step * input.
    __device__ void update(const int *contexts, int examples, int context_count) {
        for (int slice = 0; slice < T::SLICES; slice++) {
            if constexpr (!T::RESIDENT) load<N>(0, slice);
            const int offset = slice * T::SLICE * LANES;
            Part change[N] = {};
            for (int e = 0; e < examples; e++) {
                Part x, error{};
                x.read(input(contexts, e) + offset, lane);
#pragma unroll
                for (int q0 = 0; q0 < N; q0 += 4) {
                    if (q0 >= count) break;
                    const float4 four = *(const float4 *)&my.steps[e][q0];
                    const float step[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
                    for (int q = q0; q < min_of(N, q0 + 4); q++) {
                        if (q >= count) break;
                        error.add(step[q - q0], y[q]);
                        change[q].add(step[q - q0], x);
                    }
                }
                if constexpr (CBOW) {
                    const float share = CBOW_MEAN ? 1 : __fdividef(1, context_count);
                    for (int c = 0; c < context_count; c++) add_to_ring(contexts[c], offset, share, error);
                } else {
                    add_to_ring(contexts[e], offset, 1, error);
                }
            }
#pragma unroll
            for (int q = 0; q < N; q++) {
                if (q >= count) break;
                if (my.outputs[q] >= 0) {
                    float *const row = table + (size_t)my.outputs[q] * ROW + offset;
                    change[q].add_to(row, lane, my.output_damping[q]);
                }
            }
        }
        __syncwarp();
    }
    __device__ void add_to_ring(int slot, int offset, float share, const Part &error) {
        Part row;
        row.read(my.ring[slot][0] + offset, lane);
        row.add(share * my.lockf[slot], error);
        row.write(my.ring[slot][0] + offset, lane);
    }

    // Trains the window of `context_count` words in my.contexts.
    __device__ float train(int context_count, float alpha) {
        float loss = 0;
        if constexpr (CBOW) {
            sum_contexts(context_count);
            loss = predict(my.contexts, 1, alpha);
            update(my.contexts, 1, context_count);
        } else {
            for (int c = 0, examples; c < context_count; c += examples) {
                if constexpr (T::RESIDENT)
                    if (c > 0) load<N>(0, 0);
                examples = different(my.contexts + c, min(CONTEXT_BATCH, context_count - c));
                loss += predict(my.contexts + c, examples, alpha);
                update(my.contexts + c, examples, context_count);
            }
        }
        return loss;
    }
    // How many of `most` slots, at most a warp, come before one that repeats.
    __device__ int different(const int *slots, int most) const {
        bool repeats = false;
        for (int earlier = 0; earlier < most; earlier++)
            repeats |= earlier < lane && lane < most && slots[earlier] == slots[lane];
        const unsigned repeating = __ballot_sync(ALL, repeats);
        return repeating ? __ffs(repeating) - 1 : most;
    }
    __device__ void sum_contexts(int context_count) {
        const float share = CBOW_MEAN ? __fdividef(1, context_count) : 1;
        Ring::Row sum{}, row;
        for (int c = 0; c < context_count; c++) {
            row.read(my.ring[my.contexts[c]][0], lane);
            sum.add(share, row);
        }
        sum.write(my.hidden, lane);
    }
};
