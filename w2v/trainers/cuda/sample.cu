// Draws the samples of a piece of the corpus: the same arrays that `w2v.trainers.reference.Windows` holds.
//
// `lay_out` makes one stream of the piece's sentences. `count_kept` and `compact` subsample it into `tokens`, without gaps, so
// that windows reach over removed words as in word2vec.c; `draw_windows` bounds the windows and draws the negatives.
// Together they move about 50 bytes a word, against 7,000 of `train` (d = 100).

constexpr int SENTENCE_END = -1;
constexpr int TILE_WORDS = 1024;  // of the stream, subsampled by one warp

static __device__ bool kept(int word, int index, const unsigned *thresholds, unsigned long long seed) {
    return word == SENTENCE_END || draw(seed, index, KEEP).x <= thresholds[word];
}

// stream: int32, the sentences of a piece, SENTENCE_END after each; a warp lays out one at a time. ids: int32, their words;
// offsets: int64 (sentences + 1,), where each begins in the corpus.
extern "C" __global__ void lay_out(const int *ids, const long long *offsets, int sentences, int *stream) {
    const int lane = threadIdx.x % LANES, warps = gridDim.x * blockDim.x / LANES;
    for (int s = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; s < sentences; s += warps) {
        const int from = (int)(offsets[s] - offsets[0]), length = (int)(offsets[s + 1] - offsets[s]);
        for (int i = lane; i <= length; i += LANES) stream[from + s + i] = i < length ? ids[from + i] : SENTENCE_END;
    }
}

// counts: int32 (tiles,), what each tile keeps. thresholds: uint32 (V,), a word stays if 32 random bits are at most this.
extern "C" __global__ void count_kept(const int *stream, int length, const unsigned *thresholds, unsigned long long seed,
                                      int *counts) {
    const int lane = threadIdx.x % LANES, tile = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    int count = 0;
    for (int base = tile * TILE_WORDS; base < min(length, (tile + 1) * TILE_WORDS); base += LANES) {
        const int i = base + lane;
        count += __popc(__ballot_sync(ALL, i < length && kept(stream[i], i, thresholds, seed)));
    }
    if (lane == 0 && tile * TILE_WORDS < length) counts[tile] = count;
}

// tokens: int32 (length,), of which the kept ones are written; tally->tokens says how many.
extern "C" __global__ void compact(const int *stream, int length, const unsigned *thresholds, unsigned long long seed,
                                   const int *counts, int *tokens, Tally *tally) {
    const int lane = threadIdx.x % LANES, tile = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    if (tile * TILE_WORDS >= length) return;
    int place = 0;  // a launch's few thousand counts are summed faster than another kernel is started
    for (int i = lane; i < tile; i += LANES) place += counts[i];
    place = warp_sum(place);
    int words = 0;
    for (int base = tile * TILE_WORDS; base < min(length, (tile + 1) * TILE_WORDS); base += LANES) {
        const int i = base + lane;
        const int word = i < length ? stream[i] : SENTENCE_END;
        const bool stays = i < length && kept(word, i, thresholds, seed);
        const unsigned votes = __ballot_sync(ALL, stays);
        if (stays) tokens[place + __popc(votes & ((1u << lane) - 1))] = word;
        place += __popc(votes);
        words += __popc(__ballot_sync(ALL, stays && word != SENTENCE_END));
    }
    if (lane == 0) {
        atomicAdd(&tally->kept_words, (unsigned long long)words);
        if ((tile + 1) * TILE_WORDS >= length) tally->tokens = place;
    }
}

// A word by the alias method (Walker 1977): slots: (threshold, alias) of each word.
static __device__ int draw_noise(const uint2 *slots, unsigned vocabulary, unsigned bits, unsigned coin) {
    const int i = (int)__umulhi(bits, vocabulary);
    const uint2 slot = slots[i];
    return coin <= slot.x ? i : (int)slot.y;
}

// first, last: int32 (tokens,); negatives: int32 (tokens, NEGATIVE). shrink: whether windows reach 1 to WINDOW words.
extern "C" __global__ void draw_windows(const int *tokens, const Tally *tally, const uint2 *noise, unsigned vocabulary,
                                        int shrink, unsigned long long seed, int *first, int *last, int *negatives) {
    const int count = tally->tokens;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int reach = shrink ? 1 + (int)__umulhi(draw(seed, i, REACH).x, WINDOW) : WINDOW;
        if (tokens[i] == SENTENCE_END) reach = 0;
        int begin = i, end = i + 1;
        while (begin > 0 && i - begin < reach && tokens[begin - 1] != SENTENCE_END) begin--;
        while (end < count && end - i <= reach && tokens[end] != SENTENCE_END) end++;
        first[i] = begin;
        last[i] = end;
        for (int k = 0; k < NEGATIVE; k += 2) {
            const uint4 bits = draw(seed, i, NOISE, k / 2);
            negatives[(size_t)i * NEGATIVE + k] = draw_noise(noise, vocabulary, bits.x, bits.y);
            if (k + 1 < NEGATIVE) negatives[(size_t)i * NEGATIVE + k + 1] = draw_noise(noise, vocabulary, bits.z, bits.w);
        }
    }
}
