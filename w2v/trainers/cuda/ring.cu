// What a warp has in shared memory, and the ring of input rows there.

constexpr int RING = 2 * WINDOW + 1;
constexpr int CONTEXT_BATCH = 16;  // contexts that meet the same outputs at once: more would add up and overshoot
constexpr int EXAMPLES = CBOW ? 1 : min_of(CONTEXT_BATCH, 2 * WINDOW);  // that are predicted from at once

// What a warp keeps in shared memory.
struct alignas(16) Warp {
    float ring[RING][2][ROW];  // each slot's row, as it is now and as it was loaded
    float hidden[CBOW ? ROW : 4];
    float steps[EXAMPLES][(MOST_OUTPUTS + 3) / 4 * 4];
    float labels[MOST_OUTPUTS];
    float output_damping[MOST_OUTPUTS];
    int outputs[MOST_OUTPUTS];  // rows, -1 for one that is passed over
    int contexts[2 * WINDOW];   // slots
    int words[RING];            // in each slot, -1 for none
    int latest[RING];           // the last position whose word is in each slot
    int slots[RING];            // of position p: slots[p % RING], -1 for a sentence end
    float lockf[RING];
    float damping[RING];
};
static_assert(sizeof(Warp) == WARP_BYTES, "plan.py and train.cu disagree about the shared memory of a warp");

// The input rows in reach of the warp, by slot.
struct Ring {
    Warp &my;
    float *const syn0;
    const float *const lockf, *const damping;
    const int *const tokens;
    const int lane;
    int entered;  // position up to which words have entered
    using Row = Share<PER_LANE>;

    __device__ void clear() {
        for (int slot = lane; slot < RING; slot += LANES) my.words[slot] = my.slots[slot] = -1;
        __syncwarp();
    }
    __device__ float *row_of(int word) const { return syn0 + (size_t)word * ROW; }

    // Adds to the table what was learnt since the row was loaded, as much of it as other warps leave room for.
    __device__ void publish(int slot) {
        Row row, loaded;
        row.read(my.ring[slot][0], lane);
        loaded.read(my.ring[slot][1], lane);
        row.add(-1, loaded);
        row.add_to(row_of(my.words[slot]), lane, my.damping[slot]);
    }
    __device__ void load(int slot, int word) {
        Row row;
        row.load(row_of(word), lane);
        row.write(my.ring[slot][0], lane);
        row.write(my.ring[slot][1], lane);
    }
    // Takes in the word at a position, in place of the one RING before it. A word that is there already keeps its slot, for all
    // its positions are one row; but it is published and read anew, lest a hot word stay for ever.
    __device__ void enter(int position) {
        const int word = tokens[position];
        int present = -1, empty = -1;
        for (int base = 0; base < RING; base += LANES) {
            const int slot = base + lane, held = slot < RING ? my.words[slot] : -2;
            const unsigned same = __ballot_sync(ALL, word >= 0 && held == word), none = __ballot_sync(ALL, held == -1);
            if (same) present = base + __ffs(same) - 1;
            if (none) empty = base + __ffs(none) - 1;
        }
        const int old = my.slots[position % RING];
        const bool leaves = old >= 0 && my.latest[old] == position - RING;
        if (leaves) publish(old);
        if (present >= 0 && !(leaves && present == old)) publish(present);
        const int slot = word < 0 ? -1 : present >= 0 ? present : leaves ? old : empty;
        if (slot >= 0) load(slot, word);
        __syncwarp();
        if (lane == 0) {
            if (leaves) my.words[old] = -1;
            my.slots[position % RING] = slot;
            if (slot >= 0) {
                my.words[slot] = word;
                my.latest[slot] = position;
                my.lockf[slot] = lockf ? lockf[word] : 1;
                my.damping[slot] = damping[word];
            }
        }
        __syncwarp();
    }
    // Lets words enter up to `last`, and lists the slots of the context of a centre.
    __device__ void surround(int centre, int first, int last) {
        for (; entered < last; entered++) enter(entered);
        for (int c = lane; c < last - first - 1; c += LANES)
            my.contexts[c] = my.slots[(first + c + (first + c >= centre)) % RING];
        __syncwarp();
    }
    __device__ void publish_all() {
        for (int slot = 0; slot < RING; slot++)
            if (my.words[slot] >= 0) publish(slot);
    }
};
