// Trains windows (see `w2v.trainers.reference`, whose arithmetic this is) with a warp for each stretch of text.
//
// Why it looks like this. With d = 100, window 5, negative 5 a word has 6 contexts on average and costs 36 dot products and as
// many updates of both sides, 22,000 floating-point operations. Pair by pair it would move 84 rows to or from memory, 42 kB. So:
//
//   * Rows live on the chip while they are used. Input rows enter a ring in shared memory when the text reaches them and leave
//     it 2 * WINDOW + 1 words later (FULL-W2V: Randall et al. 2021, arXiv:2312.07743): one load and one addition of a row for
//     all windows it is in. The output rows of a centre are held in registers. That leaves 2 * (1 + 6) rows of traffic a word,
//     7 kB, of which hot rows hit L2.
//   * Additions, not stores, bring changes back, so none is lost; the ring keeps each row as loaded to know its change.
//   * A warp works alone, by shuffles and __syncwarp: no block-wide barrier. 32 dot products are reduced together in 31 shuffles
//     (`warp_sums`), where one by one each would take 5, and one sigmoid serves all 32.
//   * A row's load takes 600 to 800 cycles, a window's arithmetic about 1,000 instructions. Some 16 warps a multiprocessor hide
//     the one behind the other; that many fit by shared memory (11.9 kB a warp at d = 100, 227 kB in all on sm_90) and by
//     registers (96 a thread).
//
// The price is staleness: a warp doesn't see what others add to a row while the row is in its ring or its registers. All warps
// together hold copies of warps * (2 * WINDOW + 1) input rows, and of the output rows of as many windows as there are warps. What
// so many learn of a frequent row, each for itself, would overshoot if added up: so changes are damped on their way to the
// table, by factors of each row (damping.py), and `Plan` in plan.py bounds how many copies of one row there may be.
//
// Compile-time constants: ROW (floats, a multiple of 64), WINDOW, NEGATIVE (0 to 63; 0 turns negative sampling off), DEPTH (the
// longest path of the tree, up to 64; 0 turns hierarchical softmax off), CBOW, CBOW_MEAN, LOSS (0 or 1), WARP_BYTES, MOST_WARPS,
// MIN_STRETCH (words: a shorter stretch would spend its time on filling the ring).

// syn0, syn1neg: float32 (V, ROW); syn1: float32 (V - 1, ROW); lockf: float32 (V,) or null. points, codes, paths: the tree of
// w2v.huffman, paths its offsets. *_damping: float32 (rows,), what each row's changes are multiplied by. tokens, first, last,
// negatives: as in w2v.trainers.reference.Windows. tally: `tokens` says how many windows there are; loss and examples are added
// to it.
extern "C" __global__ void __launch_bounds__(MOST_WARPS * LANES)
    train(float *syn0, float *syn1neg, float *syn1, const float *lockf, const float *syn0_damping,
          const float *syn1neg_damping, const float *syn1_damping, const int *points, const unsigned char *codes,
          const long long *paths, const int *tokens, const int *first, const int *last, const int *negatives, float alpha,
          Tally *tally) {
    extern __shared__ float4 dynamic_shared[];
    const int lane = threadIdx.x % LANES, warps = gridDim.x * blockDim.x / LANES;
    const int stretch = max(MIN_STRETCH, (tally->tokens + warps - 1) / warps);
    const int begin = (blockIdx.x * blockDim.x + threadIdx.x) / LANES * stretch, end = min(tally->tokens, begin + stretch);
    if (begin >= end) return;

    Warp &my = ((Warp *)dynamic_shared)[threadIdx.x / LANES];
    Ring ring{my, syn0, lockf, syn0_damping, tokens, lane, max(0, begin - WINDOW)};
    ring.clear();
    double loss = 0;  // of a whole stretch
    unsigned long long examples = 0;
    for (int i = begin; i < end; i++) {
        const int centre = tokens[i], context_count = last[i] - first[i] - 1;
        if (context_count == 0) continue;
#if DEPTH > 0
        {
            const int length = (int)(paths[centre + 1] - paths[centre]);
            for (int q = lane; q < length; q += LANES) {
                const int node = points[paths[centre] + q];
                my.outputs[q] = node;
                my.output_damping[q] = syn1_damping[node];
                my.labels[q] = 1 - codes[paths[centre] + q];
            }
            __syncwarp();
            Head<DEPTH> head(my, syn1, length, lane);  // its rows are on their way while others enter the ring
            ring.surround(i, first[i], last[i]);
            loss += head.train(context_count, alpha);
        }
#endif
#if NEGATIVE > 0
        {
            for (int q = lane; q <= NEGATIVE; q += LANES) {
                const int word = q == 0 ? centre : negatives[(size_t)i * NEGATIVE + q - 1];
                my.outputs[q] = q > 0 && word == centre ? -1 : word;
                my.output_damping[q] = syn1neg_damping[word];
                my.labels[q] = q == 0;
            }
            __syncwarp();
            Head<NEGATIVE + 1> head(my, syn1neg, NEGATIVE + 1, lane);
            ring.surround(i, first[i], last[i]);
            loss += head.train(context_count, alpha);
        }
#endif
        examples += CBOW ? 1 : context_count;
    }
    ring.publish_all();
    if (LOSS) {
        loss = warp_sum(loss);
        if (lane == 0) {
            atomicAdd(&tally->loss, loss);
            atomicAdd(&tally->examples, examples);
        }
    }
}
