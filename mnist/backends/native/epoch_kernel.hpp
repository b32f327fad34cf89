// Training as mnist/model.py specifies it, for one instruction set (see include/foreach_isa.hpp).
//
// Each thread owns a share of every hidden layer's units: it computes their activations and gradients for all examples,
// and updates the weights of the first layer that lead to them and those of later layers that leave them. So the large
// weights stay in its core's cache, every sum has the same order for any number of threads, and they meet only where a
// layer needs all units of another. The output's few units are computed for a share of the examples instead. Batches
// are cut into chunks whose activations stay in the cache; each adds its part to the batch's update. The first layer's
// products leave out what is blank in the images.
#include "product.hpp"

#include "network.hpp"
#include "ink.hpp"
#include "plain.hpp"

constexpr int64_t WORTH_A_THREAD = 200'000;  // multiply-adds of a batch, forward, for each; for fewer, meeting takes longer

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
    const Ink<N::GROUP> ink;
    const Units<N> X;  // everyone's own; to convert a pixel costs less than to fetch it from a core

  public:
    Member(const Epoch<Real> &epoch, Network<N> &network, Team &team, int index)
        : epoch(epoch), layers(network), team(team), index(index),
          first_W(epoch.sizes[0] + 1, own_units(epoch.sizes[1]), epoch.batch > CHUNK),
          ink(epoch.sizes[0]), X(epoch.sizes[0]) {
        X.end_in(1 / N::IMAGE_SCALE);
        X.pack({0, CHUNK}, {0, epoch.sizes[0] + 1});
    }

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
            forward(order + begin, examples);
            loss += output(order + begin, examples, batch);
            backward(examples);
            for (size_t l = 0; l < layers.size(); l++) learn(l, examples);
        }
        for (size_t l = 0; l < layers.size(); l++) publish_weights(l);
        return loss;
    }

    Range own_units(int units) const { return team.share(index, units, UNITS_A_LINE); }

    const Weights<N> &weights(size_t l) const { return l ? layers[l].W : first_W; }
    const Units<N> &inputs(size_t l) const { return l ? layers[l - 1].A : X; }

    // The weights that this thread trains: those from `own_inputs` to `own_outputs`.
    Range own_inputs(size_t l) const {
        const int inputs = layers[l].inputs;
        const Range own = l ? own_units(inputs) : Range{0, inputs};
        return {own.begin, own.end + (own.end == inputs)};  // the biases go with the last
    }
    Range own_outputs(size_t l) const { return l ? Range{0, layers[l].units} : own_units(layers[l].units); }

    // Calls copy(own, given, bytes) for each piece of this thread's weights and biases.
    template <class Copy> void copy_weights(Copy copy) const {
        Real *given = epoch.weights;
        for (size_t l = 0; l < layers.size(); l++) {
            const Range rows = own_inputs(l), columns = own_outputs(l);
            const int units = layers[l].units;
            for (int i = rows.begin; i < rows.end; i++)
                copy(weights(l).values.row(i) + columns.begin, given + (size_t)i * units + columns.begin,
                     columns.size() * sizeof(Real));
            given += (size_t)(layers[l].inputs + 1) * units;
        }
    }

    // What products read of this thread's weights becomes what they are now.
    void publish_weights(size_t l) const {
        const Range columns = own_outputs(l), units = own_units(layers[l].inputs);
        const Matrix<Real> W = weights(l).values, Wt = layers[l].Wt;
        weights(l).before.pack(own_inputs(l), columns);
        if (!l) return;
        for (int n = columns.begin; n < columns.end; n++)
            for (int i = units.begin; i < units.end; i++) Wt.row(n)[i] = W.row(i)[n];
        layers[l].Wt_right.pack(columns, units);
    }

    static constexpr All words(int numbers) { return {(numbers + N::GROUP - 1) / N::GROUP}; }

    void load(const int64_t *order, int examples) const {
        const int pixels = epoch.sizes[0];
        for (int i = 0; i < examples; i++) {
            const uint8_t *__restrict image = epoch.images + order[i] * pixels;
            Real *__restrict x = X.values.row(i);
            for (int p = 0; p < pixels; p++) x[p] = image[p] * N::PIXEL;
            ink.mark(i, image);
        }
        ink.finish(examples);
        X.pack({0, examples}, {0, pixels});
    }

    // Asks for the image of an example that a later chunk trains on, if there is one.
    void fetch(const int64_t *example) const {
        if (example < epoch.order + epoch.examples)
            for (int p = 0; p < epoch.sizes[0]; p += LINE)
                __builtin_prefetch(epoch.images + *example * epoch.sizes[0] + p, 0, 2);
    }

    void forward(const int64_t *order, int examples) const {
        for (size_t l = 0; l + 1 < layers.size(); l++) {
            const Range own = own_units(layers[l].units);
            const Matrix<Real> A = layers[l].A.values;
            const Real scale = l ? 1 : N::IMAGE_SCALE;
            const auto multiply = [&](auto terms) {
                product<N, false>(inputs(l).left.words, weights(l).before.words, {0, examples}, own, terms,
                                  [=](int i, int n, Vec<Real> sum) {
                                      const Vec<Real> z = sum * scale;
                                      *(Vec<Real> *)(A.row(i) + n) = z < 0 ? Vec<Real>{} : z;  // a NaN stays one
                                      if (l == 0 && n == own.begin) fetch(order + examples + i);
                                  });
            };
            if (l)
                multiply(words(layers[l].inputs + 1));
            else
                multiply(ink.in_pixels());
            if (own.end == layers[l].units) layers[l].A.end_in(1);  // products fill whole registers
            layers[l].A.pack({0, examples}, own_inputs(l + 1));
            team.meet();
        }
    }

    // The output layer for a share of the examples: their losses and dZ.
    double output(const int64_t *order, int examples, int64_t batch) const {
        const Layer<N> &layer = layers.back();
        const Range own = team.share(index, examples, TILE_ROWS), all{0, layer.units};
        const Matrix<Real> dZ = layer.dZ.values;
        product<N, false>(inputs(layers.size() - 1).left.words, layer.W.before.words, own, all,
                          words(layer.inputs + 1),
                          [=](int i, int n, Vec<Real> sum) { *(Vec<Real> *)(dZ.row(i) + n) = sum; });
        double loss = 0;
        for (int i = own.begin; i < own.end; i++)
            loss += softmax_gradient(dZ.row(i), layer.units, epoch.labels[order[i]], batch);
        layer.dZ.pack(own, all);
        team.meet();
        return loss;
    }

    // Turns an example's logits z into the gradient of its share of the mean loss; returns its loss.
    static double softmax_gradient(Real *z, int classes, int label, int64_t batch) {
        Real largest = z[0], sum = 0;
        for (int c = 1; c < classes; c++) largest = std::max(largest, z[c]);
        const Real shifted = z[label] - largest;
        for (int c = 0; c < classes; c++) sum += z[c] = std::exp(z[c] - largest);
        for (int c = 0; c < classes; c++) z[c] = (z[c] / sum - (c == label)) / batch;
        return std::log(sum) - shifted;
    }

    void backward(int examples) const {
        for (size_t l = layers.size() - 1; l > 0; l--) {
            const Layer<N> &above = layers[l], &layer = layers[l - 1];
            const Range own = own_units(layer.units);
            const Matrix<Real> A = layer.A.values, dZ = layer.dZ.values;
            product<N, false>(above.dZ.left.words, above.Wt_right.words, {0, examples}, own, words(above.units),
                              [=](int i, int n, Vec<Real> sum) {
                                  const Vec<Real> a = *(Vec<Real> *)(A.row(i) + n);
                                  *(Vec<Real> *)(dZ.row(i) + n) = a > 0 ? sum : Vec<Real>{};
                              });
            layer.dZ.pack({0, examples}, own);
            if (l > 1) team.meet();  // the first layer's gradient needs no unit of another thread
        }
    }

    // This chunk's part of the update.
    void learn(size_t l, int examples) const {
        const Matrix<Real> W = weights(l).values;
        const Real rate = epoch.learning_rate * (l ? 1 : N::IMAGE_SCALE);
        const auto multiply = [&](auto terms) {
            product<N, true>(inputs(l).right.words, layers[l].dZ.right.words, own_inputs(l), own_outputs(l), terms,
                             [=](int i, int n, Vec<Real> sum) { *(Vec<Real> *)(W.row(i) + n) -= rate * sum; });
        };
        if (l)
            multiply(words(examples));
        else
            multiply(ink.in_images(examples));
    }
};

template <class N> double train_with(const Epoch<typename N::Real> &epoch) {
    Network<N> network;
    for (size_t l = 0; l + 1 < epoch.sizes.size(); l++)
        network.emplace_back(epoch.sizes[l], epoch.sizes[l + 1], l == 0, epoch.batch > CHUNK);
    const int widest = *std::max_element(epoch.sizes.begin() + 1, epoch.sizes.end() - 1);
    const int64_t lines = (widest * sizeof(typename N::Real) + LINE - 1) / LINE;  // more threads would own no unit
    int64_t multiply_adds = 0;
    for (const auto &layer : network) multiply_adds += epoch.batch * layer.inputs * layer.units;
    Team team(std::max<int64_t>(1, std::min({(int64_t)epoch.threads, lines, multiply_adds / WORTH_A_THREAD})));
    std::vector<double> losses(team.size);
    std::vector<std::exception_ptr> failures(team.size);
    team.run([&](int index) {
        std::optional<Member<N>> member;
        try {
            member.emplace(epoch, network, team, index);  // by its own thread, whose memory is the nearest
        } catch (...) {
            failures[index] = std::current_exception();
        }
        team.meet();
        if (std::count(failures.begin(), failures.end(), nullptr) == team.size) losses[index] = member->train();
    });
    for (const auto &failure : failures)
        if (failure) std::rethrow_exception(failure);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

template <class Real> double train_plain(const Epoch<Real> &epoch) { return train_with<Plain<Real>>(epoch); }
