"""One 784 -> hidden -> 10 network for MNIST, trained the same way by every backend.

`mnist.model` is the specification, `mnist.data` the examples and their order, `mnist.backends` the ways to
train.
"""
