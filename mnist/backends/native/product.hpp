// Matrix products on vector registers, for one instruction set (see include/foreach_isa.hpp).
//
// A product C = L R runs over words: what one lane of a register multiplies at once, a number or a pair of small ones.
// L is read word by word, each spread over a register; R by whole registers. Both are read where they lie: at these
// shapes a panel of R stays in the second-level cache, which feeds the multipliers as fast as a packed copy would.

template <class T> struct VectorOf {
    typedef T type __attribute__((vector_size(LANES * sizeof(float)), may_alias));
};
template <class T> using Vec = typename VectorOf<T>::type;
template <class T> constexpr int WIDTH = LANES * sizeof(float) / sizeof(T);

constexpr int TILE_ROWS = 4;  // more would be no faster, and have less that is blank in all
constexpr int TILE_VECTORS = REGISTERS == 16 ? 3 : 4;

// What the tiles of a product sum over: all words, whatever their rows.
struct All {
    const int words;
    All at(int /*row*/) const { return *this; }
    bool none() const { return !words; }
    template <class Visit> INLINE void each(Visit visit) const {
        for (int k = 0; k < words; k++) visit(k);
    }
};

template <class N> using Words = Matrix<typename N::Word>;

// A tile of C: store(row, column, sums) gets ROWS x VECTORS registers, unless there is nothing to sum over. TURNED: L
// is stored with its words in rows. Not inlined, since the loops around it would take registers that the sums need.
template <class N, bool TURNED, int ROWS, int VECTORS, class Terms, class Store>
static NOINLINE void tile(Words<N> L, Words<N> R, int row, int column, const Terms &terms, const Store &store) {
    using Word = typename N::Word;
    using Real = typename N::Real;
    if (terms.none()) return;
    Vec<Real> sums[ROWS][VECTORS];
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int j = 0; j < VECTORS; j++) sums[i][j] = Vec<Real>{};
    const Word *l = TURNED ? L.row(0) + row : L.row(row), *r = R.row(0) + column;
    const size_t next_row = TURNED ? 1 : L.stride, next_word = TURNED ? L.stride : 1;
    terms.each([&](int k) {
        Vec<Word> right[VECTORS];
        UNROLL for (int j = 0; j < VECTORS; j++) right[j] = ((const Vec<Word> *)(r + k * R.stride))[j];
        UNROLL for (int i = 0; i < ROWS; i++)
            UNROLL for (int j = 0; j < VECTORS; j++)
                N::multiply_add(sums[i][j], l[k * next_word + i * next_row], right[j]);
    });
    UNROLL for (int i = 0; i < ROWS; i++)
        UNROLL for (int j = 0; j < VECTORS; j++) store(row + i, column + j * WIDTH<Real>, sums[i][j]);
}

// The tiles of C that cover `rows` in the columns of VECTORS registers.
template <class N, bool TURNED, int VECTORS, class Terms, class Store>
static void panel(Words<N> L, Words<N> R, Range rows, int column, const Terms &terms, const Store &store) {
    int row = rows.begin;
    for (; row + TILE_ROWS <= rows.end; row += TILE_ROWS)
        tile<N, TURNED, TILE_ROWS, VECTORS>(L, R, row, column, terms.at(row), store);
    for (; row + 2 <= rows.end; row += 2) tile<N, TURNED, 2, VECTORS>(L, R, row, column, terms.at(row), store);
    if (row < rows.end) tile<N, TURNED, 1, VECTORS>(L, R, row, column, terms.at(row), store);
}

// C = L R, or L' R if TURNED, in `rows` and `columns` of C; columns begin at a whole register, and the last one is
// finished. terms.at(row): what the tile of that row sums over.
template <class N, bool TURNED, class Terms, class Store>
static void product(Words<N> L, Words<N> R, Range rows, Range columns, const Terms &terms, const Store &store) {
    constexpr int width = WIDTH<typename N::Real>;
    int column = columns.begin;
    for (; column + (TILE_VECTORS - 1) * width < columns.end; column += TILE_VECTORS * width)
        panel<N, TURNED, TILE_VECTORS>(L, R, rows, column, terms, store);
    if (TILE_VECTORS > 2)
        for (; column + width < columns.end; column += 2 * width)
            panel<N, TURNED, 2>(L, R, rows, column, terms, store);
    for (; column < columns.end; column += width) panel<N, TURNED, 1>(L, R, rows, column, terms, store);
}
