// Trains a chunk pair by pair, for one instruction set (see foreach_isa.hpp). Rows are padded with zeros to whole cache
// lines, so no loop over a row has a tail.

typedef float vec __attribute__((vector_size(LANES * 4), may_alias));
typedef float quad __attribute__((vector_size(16)));

// The most targets taken at once: their sums, an input and a product still fit in 16 registers.
constexpr int GROUP = 6;

INLINE vec &at(float *row, int64_t column) { return *(vec *)(row + column); }

INLINE float sum(vec v) {
    quad parts[LANES / 4], total = {};
    memcpy(parts, &v, sizeof v);
    for (quad part : parts) total += part;
    return (total[0] + total[1]) + (total[2] + total[3]);
}

// Trains an input row against `count` output rows, at most T and all different; the first has the label `label`. gensim
// takes one row after the other, but as the input row changes only at the end of a pair, by what `work` has gathered,
// the dot products don't depend on each other.
template <int T>
INLINE void train_group(const Model &model, float *input, const int32_t *targets, int count, float label, float alpha,
                        float *work) {
    if constexpr (T > 1)
        if (count < T) return train_group<T - 1>(model, input, targets, count, label, alpha, work);
    float *rows[T], steps[T];
    vec sums[T] = {};
    for (int t = 0; t < T; t++) rows[t] = model.syn1neg + targets[t] * model.stride;
    for (int64_t c = 0; c < model.stride; c += LANES)
        for (int t = 0; t < T; t++) sums[t] += at(input, c) * at(rows[t], c);
    for (int t = 0; t < T; t++) steps[t] = SIGMOID.step(sum(sums[t]), t == 0 ? label : 0, alpha);
    for (int64_t c = 0; c < model.stride; c += LANES) {
        const vec x = at(input, c);
        vec change = at(work, c);
        for (int t = 0; t < T; t++) {
            const vec y = at(rows[t], c);
            change += steps[t] * y;
            at(rows[t], c) = y + steps[t] * x;
        }
        at(work, c) = change;
    }
}

// How many of the first targets, at most GROUP, are all different.
INLINE int count_distinct(const int32_t *targets, int count) {
    for (int n = 1; n < count && n < GROUP; n++)
        for (int t = 0; t < n; t++)
            if (targets[t] == targets[n]) return n;
    return count < GROUP ? count : GROUP;
}

INLINE void train_pair(const Model &model, const Pair &pair, float alpha, float *work) {
    if (pair.count == 0) return;  // the queue is not full yet
    float *input = model.syn0 + pair.input * model.stride;
    for (int64_t c = 0; c < model.stride; c += LANES) at(work, c) = vec{};
    for (int done = 0, count; done < pair.count; done += count) {
        const int32_t *targets = pair.targets + done;
        count = count_distinct(targets, pair.count - done);  // a word that comes again must find its row updated
        train_group<GROUP>(model, input, targets, count, done == 0, alpha, work);
    }
    for (int64_t c = 0; c < model.stride; c += LANES) at(input, c) += at(work, c);
}

INLINE void prefetch(const float *row, int64_t stride) {
    for (int64_t c = 0; c < stride; c += CACHE_LINE / sizeof(float)) __builtin_prefetch(row + c, 1);
}

INLINE void draw_pair(const Model &model, int32_t input, int32_t centre, Random &random, Pair &pair) {
    pair.input = input;
    prefetch(model.syn0 + input * model.stride, model.stride);
    pair.targets[0] = centre;  // its row is at hand: all pairs of a centre share it
    pair.count = 1;
    for (int n = 0; n < model.negative; n++) {
        const int32_t word = model.noise.draw(random);
        if (word == centre) continue;
        pair.targets[pair.count++] = word;
        prefetch(model.syn1neg + word * model.stride, model.stride);
    }
}

// queue: AHEAD empty pairs; work: room for one row.
static void train_chunk(const Model &model, const Chunk &chunk, float alpha, Random random, Pair *queue,
                        float *work) {
    int64_t pairs = 0, begin = 0;
    for (int64_t s = 0; s < chunk.sentences; begin = chunk.ends[s++]) {
        const int64_t end = chunk.ends[s];
        for (int64_t centre = begin; centre < end; centre++) {
            const int64_t reach = model.window - chunk.reduced_windows[centre];
            const int64_t first = centre - reach > begin ? centre - reach : begin;
            const int64_t last = centre + reach < end ? centre + reach : end - 1;
            for (int64_t context = first; context <= last; context++) {
                if (context == centre) continue;
                Pair &pair = queue[pairs++ % AHEAD];
                train_pair(model, pair, alpha, work);
                draw_pair(model, chunk.words[context], chunk.words[centre], random, pair);
            }
        }
    }
    for (int rest = 0; rest < AHEAD; rest++) train_pair(model, queue[pairs++ % AHEAD], alpha, work);
}
