// bfloat16 products with float32 sums: a word is a pair of neighbours along the dimension that is summed over. Weights,
// activations and gradients stay float32; operands are rounded copies of them.

struct BFloat16 {
    using Real = float;
    using Word = uint32_t;
    static constexpr int GROUP = 2;
    static constexpr float PIXEL = 1, IMAGE_SCALE = 1 / 255.f;  // grey values 0..255 are exact in bfloat16

    // Pairs along rows: word k of row i holds columns 2k and 2k + 1.
    class Left {
        const Matrix<float> source;
        const Table<uint32_t> table;

      public:
        const Matrix<uint32_t> words;
        Left(Matrix<float> source, int rows, Range columns)
            : source(source), table(rows, (columns.size() + 1) / 2), words(table) {}
        void pack(Range rows, Range columns) const {
            for (int i = rows.begin; i < rows.end; i++)
                for (int n = columns.begin; n < columns.end; n += 16)
                    *(__m256bh *)(words.row(i) + n / 2) = _mm512_cvtneps_pbh(_mm512_load_ps(source.row(i) + n));
        }
    };

    // Pairs along columns: row k holds rows 2k and 2k + 1.
    class Right {
        const Matrix<float> source;
        const Table<uint32_t> table;

      public:
        const Matrix<uint32_t> words;
        Right(Matrix<float> source, int rows, Range columns, bool /*copied*/ = true)
            : source(source), table((rows + 1) / 2, columns.size()), words(table, -columns.begin) {}
        // rows must begin at an even one; if they end at an odd number, zeros make the pair.
        void pack(Range rows, Range columns) const {
            const __m512i evens_odds = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,
                                                        23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
            for (int k = rows.begin; k < rows.end; k += 2)
                for (int n = columns.begin; n < columns.end; n += 16) {
                    const __m512 even = _mm512_load_ps(source.row(k) + n);
                    const __m512 odd = k + 1 < rows.end ? _mm512_load_ps(source.row(k + 1) + n) : _mm512_setzero_ps();
                    const __m512i both = (__m512i)_mm512_cvtne2ps_pbh(odd, even);
                    _mm512_store_si512(words.row(k / 2) + n, _mm512_permutexvar_epi16(evens_odds, both));
                }
        }
    };

    static INLINE void multiply_add(Vec<float> &sum, uint32_t left, Vec<uint32_t> right) {
        sum = (Vec<float>)_mm512_dpbf16_ps((__m512)sum, (__m512bh)_mm512_set1_epi32((int)left), (__m512bh)right);
    }
};
