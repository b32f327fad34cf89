// The operations of a training step (see mnist.model), for steps that a CUDA graph repeats. REAL is float or double.
//
// A step of this network is so little work that starting kernels takes longer than running them, so everything around a
// matrix product is done inside it: the gather of images and their conversion, bias, ReLU and its gradient, and the update,
// which needs no gradient in memory. A bias is the weight row of an input that is always 1. A network with one hidden layer
// takes 7 kernels a step. `Epoch.place` moves on by itself, so that the same graph trains every batch, a smaller last one
// included.

constexpr int TILE = 32;  // a block computes TILE x TILE results, with TILE x ROWS threads
constexpr int ROWS = 8;
constexpr int PIXELS = 784;
constexpr int CLASSES = 10;

struct Epoch {
    double loss;  // summed over examples
    int examples, place;
};

static __device__ int batch_length(const Epoch *epoch, int batch_size) {
    return min(batch_size, epoch->examples - epoch->place);
}

// store(i, j, sum over k < depth of a(i, k) * b(k, j)) for one tile of the (rows, columns) results.
template <class A, class B, class Store>
static __device__ void product(int rows, int columns, int depth, A a, B b, Store store) {
    extern __shared__ float4 dynamic_shared[];
    REAL(*left)[TILE + 1] = (REAL(*)[TILE + 1]) dynamic_shared;  // one wider, so that columns lie in different banks
    REAL(*right)[TILE + 1] = left + TILE;
    const int across = (columns + TILE - 1) / TILE;
    const int top = blockIdx.x / across * TILE, from = blockIdx.x % across * TILE;
    if (top >= rows) return;
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    REAL sums[TILE / ROWS] = {};
    for (int k0 = 0; k0 < depth; k0 += TILE) {
        for (int r = y; r < TILE; r += ROWS) {
            left[r][x] = top + r < rows && k0 + x < depth ? a(top + r, k0 + x) : 0;
            right[r][x] = k0 + r < depth && from + x < columns ? b(k0 + r, from + x) : 0;
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            for (int r = 0; r < TILE / ROWS; r++) sums[r] += left[y + r * ROWS][k] * right[k][x];
        __syncthreads();
    }
    for (int r = 0; r < TILE / ROWS; r++)
        if (top + y + r * ROWS < rows && from + x < columns) store(top + y + r * ROWS, from + x, sums[r]);
}

// What enters the first layer: pixels of the batch's images as mnist.model.pixels has them.
struct Images {
    const unsigned char *images;
    const long long *order;
    __device__ REAL operator()(int example, int pixel) const {
        return images[order[example] * PIXELS + pixel] * (1.f / 255);
    }
};
// What enters the others: the activations A (batch, width).
struct Activations {
    const REAL *A;
    int width;
    __device__ REAL operator()(int example, int unit) const { return A[example * width + unit]; }
};

// out (batch, units) = inputs W + b, and ReLU of it in hidden layers.
template <class Inputs>
static __device__ void forward(Inputs inputs, int width, const REAL *W, const REAL *b, int units, bool hidden, int rows,
                               REAL *out) {
    product(rows, units, width, inputs, [=](int k, int j) { return W[k * units + j]; },
            [=](int i, int j, REAL sum) {
                const REAL z = sum + b[j];
                out[i * units + j] = hidden && !(z > 0) ? 0 : z;
            });
}
extern "C" __global__ void forward_images(const unsigned char *images, const long long *order, const Epoch *epoch,
                                          int batch_size, const REAL *W, const REAL *b, int units, REAL *out) {
    forward(Images{images, order + epoch->place}, PIXELS, W, b, units, true, batch_length(epoch, batch_size), out);
}
extern "C" __global__ void forward_layer(const REAL *A, int width, const Epoch *epoch, int batch_size, const REAL *W,
                                         const REAL *b, int units, int hidden, REAL *out) {
    forward(Activations{A, width}, width, W, b, units, hidden, batch_length(epoch, batch_size), out);
}

// Z (batch, 10), the logits, become the gradient of the mean loss by them; the loss is added to the epoch's.
extern "C" __global__ void loss_gradient(const unsigned char *labels, const long long *order, Epoch *epoch, int batch_size,
                                         REAL *Z) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, batch = batch_length(epoch, batch_size);
    if (i >= batch) return;
    REAL *z = Z + i * CLASSES, most = z[0], sum = 0;
    const int label = labels[order[epoch->place + i]];
    for (int c = 1; c < CLASSES; c++) most = max(most, z[c]);
    for (int c = 0; c < CLASSES; c++) sum += exp(z[c] - most);
    atomicAdd(&epoch->loss, (double)(log(sum) - (z[label] - most)));
    for (int c = 0; c < CLASSES; c++) z[c] = (exp(z[c] - most) / sum - (c == label)) / batch;
}

// dA (batch, width) = dZ W', where A, the layer's ReLU input, was positive.
extern "C" __global__ void back(const REAL *dZ, int units, const Epoch *epoch, int batch_size, const REAL *W, const REAL *A,
                                int width, REAL *dA) {
    product(batch_length(epoch, batch_size), width, units, Activations{dZ, units},
            [=](int k, int j) { return W[j * units + k]; },
            [=](int i, int j, REAL sum) { dA[i * width + j] = A[i * width + j] > 0 ? sum : 0; });
}

// W -= rate * inputs' dZ, and b with it.
template <class Inputs>
static __device__ void update(Inputs inputs, int width, const REAL *dZ, int units, int batch, REAL rate, REAL *W, REAL *b) {
    product(width + 1, units, batch, [=](int i, int k) { return i < width ? inputs(k, i) : 1; }, Activations{dZ, units},
            [=](int i, int j, REAL sum) { (i < width ? W[i * units + j] : b[j]) -= rate * sum; });
}
extern "C" __global__ void update_images(const unsigned char *images, const long long *order, const Epoch *epoch,
                                         int batch_size, const REAL *dZ, int units, REAL rate, REAL *W, REAL *b) {
    update(Images{images, order + epoch->place}, PIXELS, dZ, units, batch_length(epoch, batch_size), rate, W, b);
}
extern "C" __global__ void update_layer(const REAL *A, int width, const Epoch *epoch, int batch_size, const REAL *dZ,
                                        int units, REAL rate, REAL *W, REAL *b) {
    update(Activations{A, width}, width, dZ, units, batch_length(epoch, batch_size), rate, W, b);
}

extern "C" __global__ void advance(Epoch *epoch, int batch_size) { epoch->place += batch_length(epoch, batch_size); }
