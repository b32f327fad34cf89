// Merging a thread's copy of a row with the shared one, for one instruction set (see include/foreach_isa.hpp).

// Adds `share` of what the thread has learnt, own - base, to the shared row, and takes that for its copy.
static void merge_row(float *shared, float *own, float *base, size_t stride, float share) {
    for (size_t j = 0; j < stride; j += LANES) {
        const vec learnt = *(const vec *)(own + j) - *(const vec *)(base + j);
        *(vec *)(shared + j) = *(vec *)(own + j) = *(vec *)(base + j) = *(const vec *)(shared + j) + splat(share) * learnt;
    }
}
