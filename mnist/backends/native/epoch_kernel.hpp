// Training as mnist/model.py specifies it, for one instruction set (see simd/foreach_isa.hpp).
//
// Each thread owns a share of every hidden layer's units: it computes their activations and gradients for all examples, and
// updates the weights of the first layer that lead to them and those of later layers that leave them. So the large weights
// stay in its core's cache, every sum has the same order for any number of threads, and they meet only where a layer needs
// all units of another. The output's few units are computed for a share of the examples instead.
// Batches are cut into chunks whose activations stay in the cache; with several, gradients add up until the last.
#include "product.hpp"

constexpr int CHUNK = 128;  // examples

template <class N> struct Layer {
    using Real = typename N::Real;

    const int inputs, units;
    const Table<Real> W, dW, b, db;
    const Table<Real> Wt;     // W transposed, for the gradient of the layer below; empty in the first
    const Table<Real> A, dZ;  // (CHUNK, units): activations; the gradient of the loss before the ReLU
    const typename N::Right W_right, Wt_right, dZ_right, A_turned;
    const typename N::Left A_left, dZ_left;

    Layer(int inputs, int units, bool first)
        : inputs(inputs), units(units), W(inputs, units), dW(inputs, units), b(1, units), db(1, units),
          Wt(first ? 0 : units, inputs), A(CHUNK, units), dZ(CHUNK, units), W_right(W, inputs, units),
          Wt_right(Wt, first ? 0 : units, inputs), dZ_right(dZ, CHUNK, units), A_turned(A, CHUNK, units),
          A_left(A, CHUNK, units), dZ_left(dZ, CHUNK, units) {}
};

template <class N> struct Network {
    std::deque<Layer<N>> layers;  // never moved: members refer to each other

    explicit Network(const Epoch<typename N::Real> &epoch) {
        for (size_t l = 0; l + 1 < epoch.sizes.size(); l++) layers.emplace_back(epoch.sizes[l], epoch.sizes[l + 1], l == 0);
        for_each_row(epoch.weights, [](auto *row, auto *flat, size_t bytes) { memcpy(row, flat, bytes); });
    }

    void copy_to(typename N::Real *weights) const {
        for_each_row(weights, [](auto *row, auto *flat, size_t bytes) { memcpy(flat, row, bytes); });
    }

  private:
    template <class Copy> void for_each_row(typename N::Real *flat, Copy copy) const {
        for (const auto &layer : layers)
            for (int i = 0; i <= layer.inputs; i++, flat += layer.units)
                copy(i < layer.inputs ? layer.W.row(i) : layer.b.row(0), flat, layer.units * sizeof(*flat));
    }
};

template <class N> class Member {
    using Real = typename N::Real;
    static constexpr int UNITS_A_LINE = LINE / sizeof(Real);

    const Epoch<Real> &epoch;
    std::deque<Layer<N>> &layers;
    Team &team;
    const int index;
    const Table<Real> X;  // (CHUNK, pixels): every thread's own, since to convert a pixel costs less than to fetch it from a core
    const typename N::Left X_left;
    const typename N::Right X_turned;

  public:
    Member(const Epoch<Real> &epoch, Network<N> &network, Team &team, int index)
        : epoch(epoch), layers(network.layers), team(team), index(index), X(CHUNK, epoch.sizes[0]),
          X_left(X, CHUNK, epoch.sizes[0]), X_turned(X, CHUNK, epoch.sizes[0]) {}

    // Returns the sum of the losses of this member's share of the examples.
    double train() const {
        for (size_t l = 0; l < layers.size(); l++) publish_weights(l);
        double loss = 0;
        for (int64_t begin = 0; begin < epoch.examples; begin += epoch.batch)
            loss += train_batch(epoch.order + begin, std::min(epoch.batch, epoch.examples - begin));
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

    static constexpr int words(int numbers) { return (numbers + N::GROUP - 1) / N::GROUP; }

    void load(const int64_t *order, int examples) const {
        const int pixels = epoch.sizes[0];
        for (int i = 0; i < examples; i++) {
            const uint8_t *image = epoch.images + order[i] * pixels;
            Real *x = X.row(i);
            for (int p = 0; p < pixels; p++) x[p] = image[p] * N::PIXEL;
        }
        X_left.pack({0, examples}, {0, pixels});
        X_turned.pack({0, examples}, {0, pixels});
    }

    void forward(int examples) const {
        for (size_t l = 0; l + 1 < layers.size(); l++) {
            const Layer<N> &layer = layers[l];
            const Range own = own_units(layer.units);
            const Real scale = l ? 1 : N::IMAGE_SCALE;
            product<N, false>(l ? layers[l - 1].A_left.words : X_left.words, layer.W_right.words, {0, examples}, own,
                              words(layer.inputs), [&](int i, int n, Vec<Real> sum) {
                                  const Vec<Real> z = sum * scale + *(Vec<Real> *)(layer.b.row(0) + n);
                                  *(Vec<Real> *)(layer.A.row(i) + n) = z < 0 ? Vec<Real>{} : z;  // a NaN stays one
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
        product<N, false>(layers[layers.size() - 2].A_left.words, layer.W_right.words, own, all, words(layer.inputs),
                          [&](int i, int n, Vec<Real> sum) {
                              *(Vec<Real> *)(layer.dZ.row(i) + n) = sum + *(Vec<Real> *)(layer.b.row(0) + n);
                          });
        double loss = 0;
        for (int i = own.begin; i < own.end; i++)
            loss += softmax_gradient(layer.dZ.row(i), layer.units, epoch.labels[order[i]], batch);
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
            product<N, false>(above.dZ_left.words, above.Wt_right.words, {0, examples}, own, words(above.units),
                              [&](int i, int n, Vec<Real> sum) {
                                  const Vec<Real> a = *(Vec<Real> *)(layer.A.row(i) + n);
                                  *(Vec<Real> *)(layer.dZ.row(i) + n) = a > 0 ? sum : Vec<Real>{};
                              });
            layer.dZ_left.pack({0, examples}, own);
            layer.dZ_right.pack({0, examples}, own);
            if (l > 1) team.meet();  // the first layer's gradient needs no unit of another thread
        }
    }

    // Adds this chunk to the gradient; after the last, updates the weights that this thread owns.
    void learn(size_t l, int examples, bool first_chunk, bool last_chunk) const {
        const Layer<N> &layer = layers[l];
        const Range inputs = l ? own_units(layer.inputs) : Range{0, layer.inputs};
        const Range units = l ? Range{0, layer.units} : own_units(layer.units);
        const Real rate = epoch.learning_rate, scale = l ? 1 : N::IMAGE_SCALE;

        auto add = [&](Real *gradient, Real *weight, Vec<Real> sum) {
            Vec<Real> &total = *(Vec<Real> *)gradient;
            if (!first_chunk) sum += total;
            if (last_chunk) *(Vec<Real> *)weight -= rate * sum;
            else total = sum;
        };
        product<N, true>(l ? layers[l - 1].A_turned.words : X_turned.words, layer.dZ_right.words, inputs, units, words(examples),
                         [&](int i, int n, Vec<Real> sum) { add(layer.dW.row(i) + n, layer.W.row(i) + n, sum * scale); });

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
        const Layer<N> &layer = layers[l];
        if (!l) return layer.W_right.pack({0, layer.inputs}, own_units(layer.units));
        const Range own = own_units(layer.inputs);
        layer.W_right.pack(own, {0, layer.units});
        for (int n = 0; n < layer.units; n++)
            for (int i = own.begin; i < own.end; i++) layer.Wt.row(n)[i] = layer.W.row(i)[n];
        layer.Wt_right.pack({0, layer.units}, own);
    }
};

template <class N> double train_with(const Epoch<typename N::Real> &epoch) {
    Network<N> network(epoch);
    const int lines = (*std::max_element(epoch.sizes.begin() + 1, epoch.sizes.end() - 1) * sizeof(typename N::Real) + LINE - 1) / LINE;
    Team team(std::max(1, std::min(epoch.threads, lines)));
    std::vector<double> losses(team.size);
    team.run([&](int index) { losses[index] = Member<N>(epoch, network, team, index).train(); });
    network.copy_to(epoch.weights);
    double loss = 0;
    for (double each : losses) loss += each;
    return loss;
}

template <class Real> double train_plain(const Epoch<Real> &epoch) { return train_with<Plain<Real>>(epoch); }
