// float32 and float64 products: a word is a number, so an operand is the matrix itself, unless it is to stay as it was.

template <class T> struct Plain {
    using Real = T;
    using Word = T;
    static constexpr int GROUP = 1;              // numbers in a word
    static constexpr float PIXEL = 1 / 255.f;    // what a grey value is multiplied by before the products
    static constexpr float IMAGE_SCALE = 1;      // and their sums after them

    class Operand {
        const Table<T> copy;
        const Matrix<T> source;
        const bool copied;

      public:
        const Matrix<T> words;
        Operand(Matrix<T> source, int rows, Range columns, bool copied = false)
            : copy(copied ? rows : 0, columns.size()), source(source), copied(copied),
              words(copied ? Matrix<T>(copy, -columns.begin) : source) {}
        void pack(Range rows, Range columns) const {
            if (copied)
                for (int i = rows.begin; i < rows.end; i++)
                    std::copy_n(source.row(i) + columns.begin, columns.size(), words.row(i) + columns.begin);
        }
    };
    using Left = Operand;
    using Right = Operand;

    static INLINE void multiply_add(Vec<T> &sum, T left, Vec<T> right) { sum += left * right; }
};
