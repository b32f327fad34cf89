// Window mode: which rows meet in each step, for one instruction set (see include/foreach_isa.hpp).
//
// Negative sampling takes neighbouring centres together, as a group: their windows overlap, so the rows of all their contexts
// meet the rows of all their true words and of one set of negatives in a single step. A context that lies in the windows of m
// of the centres counts m times against the negatives, and once against each of those centres.
// Hierarchical softmax takes a centre at a time: its outputs are the inner nodes on the path to it.
// CBOW does the same with one input row a centre, the sum or mean of its contexts.

#include "step_kernel.hpp"
#include "merge_kernel.hpp"

typedef uint8_t bytes8 __attribute__((vector_size(8)));

static const ivec8 FIRST_LANES = {0, 1, 2, 3, 4, 5, 6, 7};

// What the trainers of a block need at hand.
struct Batch {
    const Model &model;
    const Windows &windows;
    const Block &block;
    const Tables &tables;
    const float alpha;
    Scratch &scratch;
    double *const loss;

    bool in_window(int centre, int position) const {
        return (windows.first[centre] <= position) & (position < windows.last[centre]) & (position != centre);
    }
    // The row that a window of full width meets first at this centre: each row comes once, whatever the width of its windows.
    float *next_context(int centre) const {
        return tables.syn0[windows.tokens[std::min(centre + model.window, windows.size() - 1)]];
    }
};

// Whether a word may join the inputs of a step, which `words` are: up to CONTEXT_BATCH of them, all different.
static INLINE bool may_join(const Step &step, const int32_t *words, int32_t word) {
    return step.B < CONTEXT_BATCH && std::find(words, words + step.B, word) == words + step.B;
}

// The share of its updates that an input row learns; 1 for all if nothing is locked.
static INLINE float lock_of(const Batch &batch, int32_t word) { return batch.model.lockf ? batch.model.lockf[word] : 1; }

// Trains a step whose inputs are the rows of some words, of which those with a lock learn their share only.
static INLINE void train_words(const Batch &batch, const Step &step, const int32_t *words) {
    if (!batch.model.lockf) return train_step(step);
    float *before = batch.scratch.before.data();
    for (int p = 0; p < step.B; p++) memcpy(before + p * step.length, step.X[p], step.length * sizeof(float));
    train_step(step);
    for (int p = 0; p < step.B; p++) {
        const float lock = lock_of(batch, words[p]), *old = before + p * step.length;
        for (size_t j = 0; j < step.length; j++) step.X[p][j] = old[j] + lock * (step.X[p][j] - old[j]);
    }
}

// Calls `body(vectors, column)` for columns of a row that together cover it: 8 vectors at a time, then those that are left,
// their number as a constant, so that they stay in registers.
template <int MOST, class Body> static INLINE void rest_of_columns(size_t vectors, size_t column, Body body) {
    if constexpr (MOST > 0) {
        if (vectors == MOST) return body(std::integral_constant<int, MOST>(), column);
        rest_of_columns<MOST - 1>(vectors, column, body);
    }
}
template <class Body> static INLINE void for_columns(size_t length, Body body) {
    size_t j = 0;
    for (; j + 8 * LANES <= length; j += 8 * LANES) body(std::integral_constant<int, 8>(), j);
    rest_of_columns<7>((length - j) / LANES, j, body);
}

// CBOW's input of a centre: a row of its own, which is the sum of its contexts, or their mean.
struct Hidden {
    int centre, count;
    float **contexts, *row, *before;
};

static INLINE Hidden gather_contexts(const Batch &batch, int centre, int slot) {
    const Rows &syn0 = batch.tables.syn0;
    const size_t length = syn0.stride;
    Hidden hidden{centre, 0, &batch.scratch.contexts[slot * batch.scratch.most_contexts],
                  batch.scratch.hidden.data() + slot * length, batch.scratch.before.data() + slot * length};
    for (int j = batch.windows.first[centre]; j < batch.windows.last[centre]; j++) {
        hidden.contexts[hidden.count] = syn0[batch.windows.tokens[j]];
        hidden.count += j != centre;  // a branch here would be mispredicted often
    }
    const vec scale = splat(batch.model.cbow_mean ? 1.f / (float)std::max(hidden.count, 1) : 1.f);
    for_columns(length, [&](auto vectors, size_t column) {
        vec sums[vectors()] = {};
        for (int p = 0; p < hidden.count; p++) {
            const vec *context = (const vec *)(hidden.contexts[p] + column);
            for (int v = 0; v < vectors(); v++) sums[v] += context[v];
        }
        vec *row = (vec *)(hidden.row + column), *before = (vec *)(hidden.before + column);
        for (int v = 0; v < vectors(); v++) row[v] = before[v] = sums[v] * scale;
    });
    return hidden;
}

// Gives what CBOW's input of a centre has learnt to each of its contexts: all of it for a mean, its share for a sum.
static INLINE void scatter_change(const Batch &batch, const Hidden hidden) {
    const float share = batch.model.cbow_mean ? 1.f : 1.f / (float)hidden.count;
    const int32_t *before_centre = &batch.windows.tokens[batch.windows.first[hidden.centre]];
    const int centre = hidden.centre - batch.windows.first[hidden.centre];
    const float *lockf = batch.model.lockf;
    for_columns(batch.tables.syn0.stride, [=](auto vectors, size_t column) {  // by value: loaded once, not after each store
        const vec *row = (const vec *)(hidden.row + column), *before = (const vec *)(hidden.before + column);
        vec changes[vectors()];
        for (int v = 0; v < vectors(); v++) changes[v] = row[v] - before[v];
        for (int p = 0; p < hidden.count; p++) {
            const vec scale = splat(lockf ? share * lockf[before_centre[p + (p >= centre)]] : share);
            vec *context = (vec *)(hidden.contexts[p] + column);
            for (int v = 0; v < vectors(); v++) context[v] += scale * changes[v];
        }
    });
}

// Hierarchical softmax of one centre. Turns to the left, code 0, are the true ones.
static INLINE void train_path(const Batch &batch, int centre) {
    const Model &model = batch.model;
    const Windows &windows = batch.windows;
    const Rows &syn0 = batch.tables.syn0, &syn1 = batch.tables.syn1;
    Scratch &scratch = batch.scratch;
    const Path path = model.tree.path(windows.tokens[centre]);
    float **X = scratch.inputs.data(), **Y = scratch.outputs.data(), **ahead = scratch.ahead.data();
    float *labels = scratch.labels.data(), *weights = scratch.weights.data();
    for (int q = 0; q < path.length; q++) Y[q] = syn1[path.nodes[q]];
    for (int q = 0; q < path.length; q += 8) {  // the codes end in 7 more than there are
        bytes8 codes;
        memcpy(&codes, path.codes + q, sizeof codes);
        *(vec8 *)(labels + q) = 1.f - __builtin_convertvector(codes, vec8);
        *(vec8 *)(weights + q) = __builtin_convertvector(FIRST_LANES < path.length - q, vec8) * -1.f;
    }
    int ahead_count = 0;
    if (const int later = centre + 2 * PREFETCH_CENTRES; later < batch.block.end) {
        const Path wanted = model.tree.path(windows.tokens[later]);
        __builtin_prefetch(wanted.nodes);
        __builtin_prefetch(wanted.nodes + FLOATS_PER_LINE);
        __builtin_prefetch(wanted.codes);
    }
    if (const int later = centre + PREFETCH_CENTRES; later < batch.block.end) {
        const Path wanted = model.tree.path(windows.tokens[later]);
        for (int q = 1; q <= PREFETCH_NODES; q++) ahead[ahead_count++] = syn1[wanted.nodes[std::max(wanted.length - q, 0)]];
        ahead[ahead_count++] = batch.next_context(later);
    }
    Step step{X, Y, 0, path.length, syn0.stride, batch.alpha, weights, labels, 0, scratch.dots.data(),
              scratch.changes.data(), ahead, ahead_count, batch.loss};
    if (!model.skip_gram) {
        const Hidden hidden = gather_contexts(batch, centre, 0);
        if (!hidden.count) return;
        X[0] = hidden.row;
        step.B = 1;
        train_step(step);
        return scatter_change(batch, hidden);
    }
    int32_t *words = scratch.words.data();
    for (int j = windows.first[centre]; j < windows.last[centre];) {
        for (step.B = 0; j < windows.last[centre]; j++) {
            if (j == centre) continue;
            if (!may_join(step, words, windows.tokens[j])) break;
            words[step.B] = windows.tokens[j];
            X[step.B++] = syn0[windows.tokens[j]];
        }
        train_words(batch, step, words);
        step.ahead_count = 0;
    }
}

// The weights of a context's pairs are the sum, over the windows that it lies in, of what each window's centre weighs: 1 for
// the centre's own output, and what the negatives weigh.
struct GroupWeights {
    static constexpr float UNITS[MOST_IN_GROUP][8] = {{1}, {0, 1}};
    const float *negatives;  // (pitch,), 0 for the true words
    vec8 centres[MOST_IN_GROUP];

    GroupWeights(const Block &block, int g, const int32_t *tokens, int centres_in_group) : negatives(block.weights_of(g)) {
        for (int k = 0; k < centres_in_group; k++) {
            int output = k;
            if (block.id(g, k) < 0)  // the word was a centre of this group before
                output = (int)(std::find(tokens, tokens + k, tokens[k]) - tokens);
            memcpy(&centres[k], UNITS[output], sizeof(vec8));
        }
    }
    INLINE void write(vec8 of_centres, float windows, float *weights, int pitch) const {
        *(vec8 *)weights = of_centres + windows * *(const vec8 *)negatives;
        for (int q = 8; q < pitch; q += 8) *(vec8 *)(weights + q) = windows * *(const vec8 *)(negatives + q);
    }
};

// Negative sampling of one group of centres.
static INLINE void train_group(const Batch &batch, int g) {
    const Windows &windows = batch.windows;
    const Block &block = batch.block;
    const Rows &syn0 = batch.tables.syn0, &syn1neg = batch.tables.syn1neg;
    Scratch &scratch = batch.scratch;
    const int begin = block.begin + g * block.group, centres = std::min(block.group, block.end - begin);
    float **X = scratch.inputs.data(), **Y = scratch.outputs.data(), **ahead = scratch.ahead.data();
    float *weights = scratch.weights.data();
    const GroupWeights group(block, g, &windows.tokens[begin], centres);
    for (int q = 0; q < block.outputs; q++) Y[q] = syn1neg[block.id(g, q)];
    int ahead_count = 0;
    if (const int later = g + PREFETCH_CENTRES / block.group; later < block.groups - 1) {
        for (int q = 0; q < block.outputs; q++) ahead[ahead_count++] = syn1neg[block.id(later, q)];
        for (int k = 0; k < block.group; k++)
            ahead[ahead_count++] = batch.next_context(block.begin + later * block.group + k);
    }
    Step step{X, Y, 0, block.outputs, syn0.stride, batch.alpha, weights, scratch.group_labels.data(), block.pitch,
              scratch.dots.data(), scratch.changes.data(), ahead, ahead_count, batch.loss};
    if (!batch.model.skip_gram) {
        Hidden hidden[MOST_IN_GROUP];
        for (int k = 0; k < centres; k++) {
            hidden[step.B] = gather_contexts(batch, begin + k, step.B);
            if (!hidden[step.B].count) continue;
            group.write(group.centres[k], 1, weights + step.B * block.pitch, block.pitch);
            X[step.B] = hidden[step.B].row;
            step.B++;
        }
        train_step(step);
        for (int p = 0; p < step.B; p++) scatter_change(batch, hidden[p]);
        return;
    }
    int first = windows.first[begin], last = windows.last[begin];
    for (int k = 1; k < centres; k++) {
        first = std::min(first, windows.first[begin + k]);
        last = std::max(last, windows.last[begin + k]);
    }
    int32_t *words = scratch.words.data();
    for (int j = first; j < last; step.ahead_count = 0) {
        for (step.B = 0; j < last; j++) {
            vec8 of_centres{};
            float in_windows = 0;
            for (int k = 0; k < centres; k++) {
                const float in = batch.in_window(begin + k, j);
                of_centres += in * group.centres[k];
                in_windows += in;
            }
            if (in_windows == 0) continue;
            if (!may_join(step, words, windows.tokens[j])) break;
            group.write(of_centres, in_windows, weights + step.B * block.pitch, block.pitch);
            words[step.B] = windows.tokens[j];
            X[step.B++] = syn0[windows.tokens[j]];
        }
        train_words(batch, step, words);
    }
}

// Trains the centres of a block in turn; adds to `loss` unless it is null.
static void train_block(const Model &model, const Windows &windows, const Block &block, const Tables &tables, float alpha,
                        Scratch &scratch, double *loss) {
    const Batch batch{model, windows, block, tables, alpha, scratch, loss};
    for (int g = 0; g < block.groups; g++) {
        if (model.tree)
            for (int i = block.begin + g * block.group; i < std::min(block.begin + (g + 1) * block.group, block.end); i++)
                train_path(batch, i);
        if (model.drawn) train_group(batch, g);
    }
}
