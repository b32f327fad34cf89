// Training as mnist/model.py specifies it, for one instruction set (see include/foreach_isa.hpp).
//
// Each thread owns a share of every hidden layer's units: it computes their activations and gradients for all examples,
// and updates the weights of the first layer that lead to them and those of later layers that leave them. So the large
// weights stay in its core's cache, every sum has the same order for any number of threads, and they meet only where a
// layer needs all units of another. The output's few units are computed for a share of the examples instead. Batches
// are cut into chunks whose activations stay in the cache; with several, gradients add up until the last.
#include "product.hpp"

constexpr int CHUNK = 128;  // examples
constexpr int64_t WORTH_A_THREAD = 200'000;  // a batch's multiply-adds, forward; for fewer, meeting takes longer

// The weights between two layers, or those columns of them that lead to some units.
template <class N> class Weights {
    using Real = typename N::Real;
    const Table<Real> value_table, gradient_table;

  public:
    const Matrix<Real> values, gradient;
    const typename N::Right right;

    // columns: begins at a cache line; values.row(i)[n] is the weight of unit n
    Weights(int inputs, Range columns)
        : value_table(inputs, columns.size()), gradient_table(inputs, columns.size()),
          values(value_table, -columns.begin), gradient(gradient_table, -columns.begin),
          right(values, inputs, columns) {}
};

// What all threads share of a layer.
template <class N> struct Layer {
    using Real = typename N::Real;

    const int inputs, units;
    const Weights<N> W;       // empty in the first layer, where every thread keeps its own
    const Table<Real> Wt;     // W transposed, for the gradient of the layer below
    const Table<Real> b, db;  // one row each
    const Table<Real> A, dZ;  // (CHUNK, units): activations; the gradient of the loss before the ReLU
    const typename N::Right Wt_right, dZ_right, A_turned;
    const typename N::Left A_left, dZ_left;

    Layer(int inputs, int units, bool first)
        : inputs(inputs), units(units), W(first ? 0 : inputs, {0, units}), Wt(first ? 0 : units, inputs), b(1, units),
          db(1, units), A(CHUNK, units), dZ(CHUNK, units), Wt_right(Wt, first ? 0 : units, {0, inputs}),
          dZ_right(dZ, CHUNK, {0, units}), A_turned(A, CHUNK, {0, units}), A_left(A, CHUNK, {0, units}),
          dZ_left(dZ, CHUNK, {0, units}) {}
};

template <class N> using Network = std::deque<Layer<N>>;

template <class N> class Member {
    using Real = typename N::Real;
    static constexpr int UNITS_A_LINE = LINE / sizeof(Real);

    const Epoch<Real> &epoch;
    Network<N> &layers;
    Team &team;
    const int index;
    // The first layer's weights to the own units lie by themselves: where other threads' lines are between one's own,
    // the processor fetches those too, and takes them from their core.
    const Weights<N> first_W;
    const Table<Real> X;  // (CHUNK, pixels): everyone's own; to convert a pixel costs less than to fetch it from a core
    const typename N::Left X_left;
    const typename N::Right X_turned;

  public:
    Member(const Epoch<Real> &epoch, Network<N> &network, Team &team, int index)
        : epoch(epoch), layers(network), team(team), index(index), first_W(epoch.sizes[0], own_units(epoch.sizes[1])),
          X(CHUNK, epoch.sizes[0]), X_left(X, CHUNK, {0, epoch.sizes[0]}), X_turned(X, CHUNK, {0, epoch.sizes[0]}) {}

    // Returns the sum of the losses of this member's share of the examples.
    double train() const {
        copy_weights([](Real *own, Real *given, size_t bytes) { memcpy(own, given, bytes); });
        for (size_t l = 0; l < layers.size(); l++) publish_weights(l);
        double loss = 0;
        for (int64_t begin = 0; begin < epoch.examples; begin += epoch.batch)
            loss += train_batch(epoch.order + begin, std::min(epoch.batch, epoch.examples - begin));
        copy_weights([](Real *own, Real *given, size_t bytes) { memcpy(given, own, bytes); });
        return loss;
    }

  private:
    double train_batch(const int64_t *order, int64_t batch) const {
        const int64_t chunks = (batch + CHUNK - 1) / CHUNK;
        double loss = 0;
        for (int64_t c = 0; c < chunks; c++) {
            const int64_t begin = batch * c / chunks;
            const int examples = (int)(batch * (c + 1) / chunks - begin);
            load(order + begin, examples);
            forward(examples);
            loss += output(order + begin, examples, batch);
            backward(examples);
            for (size_t l = 0; l < layers.size(); l++) learn(l, examples, c == 0, c == chunks - 1);
        }
        return loss;
    }

    Range own_units(int units) const { return team.share(index, units, UNITS_A_LINE); }

    const Weights<N> &weights(size_t l) const { return l ? layers[l].W : first_W; }

    // The weights that this thread updates: those from `own_inputs` to `own_outputs`.
    Range own_inputs(size_t l) const { return l ? own_units(layers[l].inputs) : Range{0, layers[l].inputs}; }
    Range own_outputs(size_t l) const { return l ? Range{0, layers[l].units} : own_units(layers[l].units); }

    // Calls copy(own, given, bytes) for each piece of this thread's weights and biases.
    template <class Copy> void copy_weights(Copy copy) const {
        Real *given = epoch.weights;
        for (size_t l = 0; l < layers.size(); l++) {
            const int inputs = layers[l].inputs, units = layers[l].units;
            const Range rows = own_inputs(l), columns = own_outputs(l), biases = own_units(units);
            for (int i = rows.begin; i < rows.end; i++)
                copy(weights(l).values.row(i) + columns.begin, given + (size_t)i * units + columns.begin,
                     columns.size() * sizeof(Real));
            given += (size_t)inputs * units;
            copy(layers[l].b.row(0) + biases.begin, given + biases.begin, biases.size() * sizeof(Real));
            given += units;
        }
    }

    static constexpr int words(int numbers) { return (numbers + N::GROUP - 1) / N::GROUP; }

    void load(const int64_t *order, int examples) const {
        constexpr int AHEAD = 4;
        const int pixels = epoch.sizes[0];
        const int64_t left = epoch.order + epoch.examples - order;  // later batches' included
        for (int i = 0; i < examples; i++) {
            if (i + AHEAD < left)
                for (int p = 0; p < pixels; p += LINE) __builtin_prefetch(epoch.images + order[i + AHEAD] * pixels + p);
            const uint8_t *__restrict image = epoch.images + order[i] * pixels;
            Real *__restrict x = X.row(i);
            for (int p = 0; p < pixels; p++) x[p] = image[p] * N::PIXEL;
        }
        X_left.pack({0, examples}, {0, pixels});
        X_turned.pack({0, examples}, {0, pixels});
    }

    void forward(int examples) const {
        for (size_t l = 0; l + 1 < layers.size(); l++) {
            const Layer<N> &layer = layers[l];
            const Range own = own_units(layer.units);
            const Matrix<Real> A = layer.A, b = layer.b;
            const Real scale = l ? 1 : N::IMAGE_SCALE;
            product<N, false>(l ? layers[l - 1].A_left.words : X_left.words, weights(l).right.words, {0, examples}, own,
                              words(layer.inputs), [=](int i, int n, Vec<Real> sum) {
                                  const Vec<Real> z = sum * scale + *(Vec<Real> *)(b.row(0) + n);
                                  *(Vec<Real> *)(A.row(i) + n) = z < 0 ? Vec<Real>{} : z;  // a NaN stays one
                              });
            layer.A_left.pack({0, examples}, own);
            layer.A_turned.pack({0, examples}, own);
            team.meet();
        }
    }

    // The output layer for a share of the examples: their losses and dZ.
    double output(const int64_t *order, int examples, int64_t batch) const {
        const Layer<N> &layer = layers.back();
        const Range own = team.share(index, examples, TILE_ROWS), all{0, layer.units};
        const Matrix<Real> dZ = layer.dZ, b = layer.b;
        product<N, false>(layers[layers.size() - 2].A_left.words, layer.W.right.words, own, all, words(layer.inputs),
                          [=](int i, int n, Vec<Real> sum) {
                              *(Vec<Real> *)(dZ.row(i) + n) = sum + *(Vec<Real> *)(b.row(0) + n);
                          });
        double loss = 0;
        for (int i = own.begin; i < own.end; i++)
            loss += softmax_gradient(dZ.row(i), layer.units, epoch.labels[order[i]], batch);
        layer.dZ_left.pack(own, all);
        layer.dZ_right.pack(own, all);
        team.meet();
        return loss;
    }

    // Turns an example's logits z into the gradient of its share of the mean loss; returns its loss.
    static double softmax_gradient(Real *z, int classes, int label, int64_t batch) {
        const Real largest = *std::max_element(z, z + classes), shifted = z[label] - largest;
        Real sum = 0;
        for (int c = 0; c < classes; c++) sum += z[c] = std::exp(z[c] - largest);
        for (int c = 0; c < classes; c++) z[c] = (z[c] / sum - (c == label)) / batch;
        return std::log(sum) - shifted;
    }

    void backward(int examples) const {
        for (size_t l = layers.size() - 1; l > 0; l--) {
            const Layer<N> &above = layers[l], &layer = layers[l - 1];
            const Range own = own_units(layer.units);
            const Matrix<Real> A = layer.A, dZ = layer.dZ;
            product<N, false>(above.dZ_left.words, above.Wt_right.words, {0, examples}, own, words(above.units),
                              [=](int i, int n, Vec<Real> sum) {
                                  const Vec<Real> a = *(Vec<Real> *)(A.row(i) + n);
                                  *(Vec<Real> *)(dZ.row(i) + n) = a > 0 ? sum : Vec<Real>{};
                              });
            layer.dZ_left.pack({0, examples}, own);
            layer.dZ_right.pack({0, examples}, own);
            if (l > 1) team.meet();  // the first layer's gradient needs no unit of another thread
        }
    }

    // Adds this chunk to the gradient; after the last, updates the weights that this thread owns.
    void learn(size_t l, int examples, bool first_chunk, bool last_chunk) const {
        const Layer<N> &layer = layers[l];
        const Real rate = epoch.learning_rate, scale = l ? 1 : N::IMAGE_SCALE;
        const auto add = [=](Real *gradient, Real *weight, Vec<Real> sum) {
            Vec<Real> &total = *(Vec<Real> *)gradient;
            if (!first_chunk) sum += total;
            if (last_chunk) *(Vec<Real> *)weight -= rate * sum;
            else total = sum;
        };
        const Matrix<Real> W = weights(l).values, dW = weights(l).gradient;
        product<N, true>(
            l ? layers[l - 1].A_turned.words : X_turned.words, layer.dZ_right.words, own_inputs(l), own_outputs(l),
            words(examples), [=](int i, int n, Vec<Real> sum) { add(dW.row(i) + n, W.row(i) + n, sum * scale); });

        const Range biases = own_units(layer.units);
        for (int n = biases.begin; n < biases.end; n += WIDTH<Real>) {
            Vec<Real> sum{};
            for (int i = 0; i < examples; i++) sum += *(Vec<Real> *)(layer.dZ.row(i) + n);
            add(layer.db.row(0) + n, layer.b.row(0) + n, sum);
        }
        if (last_chunk) publish_weights(l);
    }

    // Brings the operands made of this thread's weights up to date.
    void publish_weights(size_t l) const {
        const Range rows = own_inputs(l), columns = own_outputs(l);
        const Matrix<Real> W = weights(l).values, Wt = layers[l].Wt;
        weights(l).right.pack(rows, columns);
        if (!l) return;
        for (int n = columns.begin; n < columns.end; n++)
            for (int i = rows.begin; i < rows.end; i++) Wt.row(n)[i] = W.row(i)[n];
        layers[l].Wt_right.pack(columns, rows);
    }
};

template <class N> double train_with(const Epoch<typename N::Real> &epoch) {
    Network<N> network;
    for (size_t l = 0; l + 1 < epoch.sizes.size(); l++)
        network.emplace_back(epoch.sizes[l], epoch.sizes[l + 1], l == 0);
    const int widest = *std::max_element(epoch.sizes.begin() + 1, epoch.sizes.end() - 1);
    const int64_t lines = (widest * sizeof(typename N::Real) + LINE - 1) / LINE;  // more threads would own no unit
    int64_t multiply_adds = 0;
    for (const auto &layer : network) multiply_adds += epoch.batch * layer.inputs * layer.units;
    Team team(std::max<int64_t>(1, std::min({(int64_t)epoch.threads, lines, multiply_adds / WORTH_A_THREAD})));
    std::vector<double> losses(team.size);
    team.run([&](int index) { losses[index] = Member<N>(epoch, network, team, index).train(); });
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

template <class Real> double train_plain(const Epoch<Real> &epoch) { return train_with<Plain<Real>>(epoch); }
