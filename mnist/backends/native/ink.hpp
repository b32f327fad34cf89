// Where the images of a chunk have ink, for one instruction set. A pixel that is blank in all images of a tile adds
// nothing to its sums, and neither does an image to those of pixels that are blank in it: the products leave both out.
// As long as all weights are finite this changes no bit of what comes out. Of an MNIST image four fifths are blank.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes are marked eight at a time");
static_assert(8 % TILE_ROWS == 0, "a byte has the marks of whole tiles");

// The words that hold a marked number.
template <int GROUP> class Marked {
    const Matrix<uint64_t> marks;  // row k / 64, a column for each tile: bit k % 64 marks number k
    const int tile, numbers;

  public:
    Marked(Matrix<uint64_t> marks, int tile, int numbers) : marks(marks), tile(tile), numbers(numbers) {}
    template <class Visit> INLINE void each(Visit visit) const {
        for (int begin = 0; begin < numbers; begin += 64)
            for (uint64_t left = marks.row(begin / 64)[tile]; left; left &= left - 1)
                visit((begin + __builtin_ctzll(left)) / GROUP);
    }
    bool none() const {
        uint64_t any = 0;
        for (int begin = 0; begin < numbers; begin += 64) any |= marks.row(begin / 64)[tile];
        return !any;
    }
};

// GROUP: numbers in a word, 1 or 2.
template <int GROUP> class Ink {
    const int columns;             // pixels, and the ones after them, which count as ink
    const Table<uint8_t> marks;    // row i / 8, column p: bit i % 8 tells whether image i has ink in pixel p
    const Table<uint64_t> pixels;  // row p / 64, column i / TILE_ROWS: bit p % 64, whether one of the tile's images has
    const Table<uint64_t> images;  // row i / 64, column p / TILE_ROWS: bit i % 64, whether it has in one of its pixels

    struct Tiles {
        const Matrix<uint64_t> marks;
        const int numbers;
        Marked<GROUP> at(int row) const { return {marks, row / TILE_ROWS, numbers}; }
    };

    // A group's mark is that of its first number.
    static uint64_t grouped(uint64_t marks) { return GROUP == 1 ? marks : (marks | marks >> 1) & 0x5555555555555555; }

    // Bit j tells whether byte j is not zero.
    static uint64_t nonzero(uint64_t bytes) {
        constexpr uint64_t low = 0x7f7f7f7f7f7f7f7f;
        const uint64_t high = (((bytes & low) + low) | bytes) & ~low;
        return (high >> 7) * 0x0102040810204080 >> 56;
    }

    void mark_pixels(int i) const {
        const uint64_t of_tile = (((1 << TILE_ROWS) - 1) << i % 8) * 0x0101010101010101u;
        for (int p = 0; p < columns; p += 64) {
            uint64_t bits = 0;
            for (int j = 0; j < 64; j += 8) {
                uint64_t eight;
                memcpy(&eight, marks.row(i / 8) + p + j, 8);
                bits |= nonzero(eight & of_tile) << j;
            }
            pixels.row(p / 64)[i / TILE_ROWS] = grouped(bits);
        }
    }

    void mark_images(int i) const {
        const uint8_t *__restrict of_eight = marks.row(i / 8);
        uint64_t *__restrict of_tiles = images.row(i / 64);
        for (int tile = 0; tile * TILE_ROWS < columns; tile++) {
            uint8_t bits = 0;
            UNROLL for (int r = 0; r < TILE_ROWS; r++) bits |= of_eight[tile * TILE_ROWS + r];
            of_tiles[tile] = (i % 64 ? of_tiles[tile] : 0) | grouped(bits) << i % 64;
        }
    }

  public:
    explicit Ink(int pixels)
        : columns(pixels + 1), marks(CHUNK / 8, columns), pixels((columns + 63) / 64, CHUNK / TILE_ROWS),
          images((CHUNK + 63) / 64, (columns + TILE_ROWS - 1) / TILE_ROWS) {}

    // Example i of the chunk, one after the other.
    void mark(int i, const uint8_t *__restrict image) const {
        uint8_t *__restrict of_eight = marks.row(i / 8), bit = 1 << i % 8;
        const int pixels = columns - 1;
        if (i % 8 == 0) memset(of_eight, 0, columns);
        for (int p = 0; p < pixels; p++) of_eight[p] |= -(image[p] != 0) & bit;  // a condition would be a jump
        of_eight[pixels] |= bit;
    }

    // After the last.
    void finish(int examples) const {
        for (int i = 0; i < examples; i += TILE_ROWS) mark_pixels(i);
        for (int i = 0; i < examples; i += 8) mark_images(i);
    }

    // What tiles of images sum over, and what tiles of pixels do.
    Tiles in_pixels() const { return {pixels, columns}; }
    Tiles in_images(int examples) const { return {images, examples}; }
};
