// Trains a chunk example by example, for one instruction set (see foreach_isa.hpp). Rows are padded with zeros to whole
// cache lines, so no loop over a row has a tail.

typedef float vec __attribute__((vector_size(LANES * 4), may_alias));
typedef float quad __attribute__((vector_size(16)));

// The most outputs taken at once: their sums, an input and a product still fit in 16 registers.
constexpr int GROUP = 6;

INLINE vec &at(float *row, int64_t column) { return *(vec *)(row + column); }
INLINE vec at(const float *row, int64_t column) { return *(const vec *)(row + column); }

INLINE float sum(vec v) {
    quad parts[LANES / 4], total = {};
    memcpy(parts, &v, sizeof v);
    for (quad part : parts) total += part;
    return (total[0] + total[1]) + (total[2] + total[3]);
}

// Trains `hidden` against outputs [begin, begin + count), at most T and all different, and adds its step to `change`.
// gensim takes one output after the other, but as `hidden` stays what it is until the example's end, the dot products
// don't depend on each other.
template <int T>
INLINE void train_group(const Outputs &outputs, int begin, int count, const float *hidden, int64_t stride, float alpha,
                        float *change, double *loss) {
    if constexpr (T > 1)
        if (count < T) return train_group<T - 1>(outputs, begin, count, hidden, stride, alpha, change, loss);
    float *rows[T], scores[T], steps[T];
    vec sums[T] = {};
    for (int t = 0; t < T; t++) rows[t] = outputs.table + outputs.rows[begin + t] * stride;
    for (int64_t c = 0; c < stride; c += LANES)
        for (int t = 0; t < T; t++) sums[t] += at(hidden, c) * at(rows[t], c);
    for (int t = 0; t < T; t++) scores[t] = sum(sums[t]);
    for (int t = 0; t < T; t++) steps[t] = SIGMOID.step(scores[t], 1 - outputs.codes[begin + t], alpha);
    if (loss)
        for (int t = 0; t < T; t++) *loss += log_loss(scores[t], outputs.codes[begin + t]);
    for (int64_t c = 0; c < stride; c += LANES) {
        const vec x = at(hidden, c);
        vec total = at(change, c);
        for (int t = 0; t < T; t++) {
            const vec y = at(rows[t], c);
            total += steps[t] * y;
            at(rows[t], c) = y + steps[t] * x;
        }
        at(change, c) = total;
    }
}

// How many of the first rows, at most GROUP, are all different.
INLINE int count_distinct(const int32_t *rows, int count) {
    for (int n = 1; n < count && n < GROUP; n++)
        for (int t = 0; t < n; t++)
            if (rows[t] == rows[n]) return n;
    return count < GROUP ? count : GROUP;
}

// The mean of the inputs, or their sum; of one input, as always in skip-gram, its row itself.
INLINE const float *gather(const Model &model, const int32_t *words, const Example &example, float scale, float *mean) {
    const int64_t only = example.first + (example.first == example.centre);
    if (example.inputs() == 1) return model.syn0 + words[only] * model.stride;
    for (int64_t c = 0; c < model.stride; c += LANES) {
        vec total{};  // in a register: through memory, each row would wait for the one before
        for (int64_t i = example.first; i < example.last; i++)
            if (i != example.centre) total += at(model.syn0 + words[i] * model.stride, c);
        at(mean, c) = total * scale;
    }
    return mean;
}

// Adds the step, times `scale`, to every input.
INLINE void scatter(const Model &model, const int32_t *words, const Example &example, float scale,
                    const float *change) {
    for (int64_t i = example.first; i < example.last; i++) {
        if (i == example.centre) continue;
        float *row = model.syn0 + words[i] * model.stride;
        const float factor = model.lockf ? scale * model.lockf[words[i]] : scale;
        for (int64_t c = 0; c < model.stride; c += LANES) at(row, c) += factor * at(change, c);
    }
}

INLINE void train_head(const Model &model, const int32_t *words, const Example &example, const Outputs &outputs,
                       float alpha, Scratch &scratch, double *loss) {
    float *change = scratch.change[0].values;
    const float share = 1.f / (float)example.inputs();
    const float *hidden = gather(model, words, example, model.cbow_mean ? share : 1, scratch.mean[0].values);
    for (int64_t c = 0; c < model.stride; c += LANES) at(change, c) = vec{};
    for (int done = 0, count; done < outputs.count; done += count) {
        count = outputs.count - done;
        if (count > GROUP) count = GROUP;
        if (!outputs.distinct) count = count_distinct(outputs.rows + done, count);  // a word that comes again must find
        train_group<GROUP>(outputs, done, count, hidden, model.stride, alpha, change, loss);  // its row updated
    }
    scatter(model, words, example, model.cbow_mean ? 1 : share, change);
}

INLINE Outputs path_of(const Tree &tree, int32_t word) {
    const int64_t begin = tree.offsets[word];
    return {tree.syn1, tree.points + begin, tree.codes + begin, (int)(tree.offsets[word + 1] - begin), true};
}

INLINE void train_example(const Model &model, const int32_t *words, const Example &example, float alpha,
                          Scratch &scratch, Totals &totals) {
    if (example.inputs() == 0) return;  // a word without context, or the queue is not full yet
    double *loss = model.compute_loss ? &totals.loss : nullptr;
    if (model.tree.syn1) {
        const Outputs path = path_of(model.tree, words[example.centre]);
        train_head(model, words, example, path, alpha, scratch, loss);
    }
    if (model.syn1neg) {
        const Outputs targets{model.syn1neg, example.targets.data(), scratch.codes.data(), example.count, false};
        train_head(model, words, example, targets, alpha, scratch, loss);
    }
    totals.examples += model.compute_loss;
}

INLINE void prefetch(const float *row, int64_t stride) {
    for (int64_t c = 0; c < stride; c += CACHE_LINE / sizeof(float)) __builtin_prefetch(row + c, 1);
}

INLINE void draw_targets(const Model &model, int32_t centre, Random &random, Example &example) {
    example.targets[0] = centre;  // its row is at hand: all examples of a centre share it
    example.count = 1;
    for (int n = 0; n < model.negative; n++) {
        const int32_t word = model.noise->draw(random);
        if (word == centre) continue;
        example.targets[example.count++] = word;
        prefetch(model.syn1neg + word * model.stride, model.stride);
    }
}

// queue: AHEAD empty examples.
static void train_chunk(const Model &model, const Chunk &chunk, float alpha, Random random, Example *queue,
                        Scratch &scratch, Totals &totals) {
    int64_t examples = 0, begin = 0;
    for (int64_t s = 0; s < chunk.sentences; begin = chunk.ends[s++]) {
        const int64_t end = chunk.ends[s];
        for (int64_t centre = begin; centre < end; centre++) {
            const int64_t reach = model.window - chunk.reduced_windows[centre];
            const int64_t first = centre - reach > begin ? centre - reach : begin;
            const int64_t last = centre + reach < end ? centre + reach + 1 : end;
            const int64_t inputs = model.sg ? 1 : last - first;
            for (int64_t i = first; i < last; i += inputs) {
                if (model.sg && i == centre) continue;
                Example &example = queue[examples++ % AHEAD];
                train_example(model, chunk.words, example, alpha, scratch, totals);
                example.first = i, example.last = i + inputs, example.centre = centre;
                prefetch(model.syn0 + chunk.words[example.last - 1] * model.stride, model.stride);
                draw_targets(model, chunk.words[centre], random, example);
            }
        }
    }
    for (int rest = 0; rest < AHEAD; rest++)
        train_example(model, chunk.words, queue[examples++ % AHEAD], alpha, scratch, totals);
}
