// What a network is kept in, for one instruction set. A layer's biases are the last row of its weights, and what enters
// the layer ends in a column of ones.

constexpr int CHUNK = 128;  // examples

// A number for each example of a chunk and each unit.
template <class N> class Units {
    using Real = typename N::Real;
    const Table<Real> table;
    const int units;

  public:
    const Matrix<Real> values;
    const typename N::Left left;
    const typename N::Right right;

    explicit Units(int units)
        : table(CHUNK, units + 1), units(units), values(table), left(table, CHUNK, {0, units + 1}),
          right(table, CHUNK, {0, units + 1}) {}

    // Fills the column beyond the units.
    void end_in(Real one) const {
        for (int i = 0; i < CHUNK; i++) values.row(i)[units] = one;
    }

    // Brings the operands up to date.
    void pack(Range examples, Range units) const {
        left.pack(examples, units);
        right.pack(examples, units);
    }
};

// The weights of a layer, or those columns of them that lead to some units.
template <class N> class Weights {
    using Real = typename N::Real;
    const Table<Real> table;

  public:
    const Matrix<Real> values;       // values.row(i)[n] leads to unit n; every chunk trains them
    const typename N::Right before;  // as they were before the batch, which is what its products read

    // columns: begins at a cache line. chunked: a batch may have several chunks
    Weights(int rows, Range columns, bool chunked)
        : table(rows, columns.size()), values(table, -columns.begin), before(values, rows, columns, chunked) {}
};

// What all threads share of a layer.
template <class N> struct Layer {
    using Real = typename N::Real;

    const int inputs, units;
    const Weights<N> W;    // empty in the first layer, where every thread keeps its own
    const Table<Real> Wt;  // W transposed, as before the batch, for the gradient of the layer below
    const typename N::Right Wt_right;
    const Units<N> A, dZ;  // activations; the gradient of the loss before the ReLU

    Layer(int inputs, int units, bool first, bool chunked)
        : inputs(inputs), units(units), W(first ? 0 : inputs + 1, {0, units}, chunked),
          Wt(first ? 0 : units, inputs), Wt_right(Wt, first ? 0 : units, {0, inputs}), A(units), dZ(units) {}
};

template <class N> using Network = std::deque<Layer<N>>;
