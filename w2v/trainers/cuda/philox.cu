// Philox4x32-10 (Salmon et al. 2011, "Parallel Random Numbers: As Easy as 1, 2, 3"): 128 random bits from a key and a
// counter, with no state. What a word draws depends on the seed and on its place alone, not on who draws it or when.
static __device__ uint4 philox(uint4 counter, unsigned key0, unsigned key1) {
    for (int round = 0; round < 10; round++) {
        const unsigned low0 = 0xD2511F53u * counter.x, high0 = __umulhi(0xD2511F53u, counter.x);
        const unsigned low1 = 0xCD9E8D57u * counter.z, high1 = __umulhi(0xCD9E8D57u, counter.z);
        counter = make_uint4(high1 ^ counter.y ^ key0, low1, high0 ^ counter.w ^ key1, low0);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

// The counter's second word says what the numbers are for.
enum Purpose : unsigned { KEEP, REACH, NOISE };

static __device__ uint4 draw(unsigned long long seed, unsigned index, Purpose purpose, unsigned repeat = 0) {
    return philox(make_uint4(index, purpose, repeat, 0), (unsigned)seed, (unsigned)(seed >> 32));
}
