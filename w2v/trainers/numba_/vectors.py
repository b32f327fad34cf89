"""Vectors of float32 as values in Numba loops, which LLVM keeps in registers.

LLVM's own vectorising takes one loop over a row at a time, so that what it adds up goes through memory once for every
row. With vectors as values a loop says what stays in registers: a `Vectors` of TILE has one of each of as many rows.
`+` and `*` are element by element; a single vector meets each vector of a tile. Rows are given by their addresses.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model, type_callable

LANES = 16 if binding.get_host_cpu_features().get("avx512f") else 8
TILE = 8  # outputs at a time

FLOAT, INT32 = ir.FloatType(), ir.IntType(32)
VECTOR = ir.VectorType(FLOAT, LANES)
FUSED = ("contract",)  # a product that is added becomes a fused multiply-add


class Vectors(types.Type):
    """`count` vectors of LANES float32."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(f"{count} vectors of {LANES} float32")


@register_model(Vectors)
class _VectorsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vectors: Vectors) -> None:
        super().__init__(manager, vectors, ir.ArrayType(VECTOR, vectors.count))


ROW, ROWS = Vectors(1), Vectors(TILE)
ADDRESSES, FLOATS, TABLE = types.int64[::1], types.float32[::1], types.float32[:, ::1]


def instruction(result: types.Type, *arguments: types.Type) -> Callable[[Callable], Any]:
    """Make of a function that emits LLVM's instructions one that compiled loops can call.

    The function gets the builder, then the operands: of arrays the pointer to their first element, of `Vectors` a list.
    """

    def define(emit: Callable) -> Any:
        def name(*operands: Any) -> Any:
            raise NotImplementedError("for compiled loops only")

        class Typed(AbstractTemplate):
            key = name

            def generic(self, given: Sequence[types.Type], named: Any) -> Any:
                return signature(result, *arguments) if len(given) == len(arguments) else None

        infer_global(name, types.Function(Typed))

        @lower_builtin(name, *arguments)
        def lowered(context: Any, builder: ir.IRBuilder, signature: Any, operands: Sequence[ir.Value]) -> Any:
            def operand(kind: types.Type, value: ir.Value) -> Any:
                if isinstance(kind, types.Array):
                    return context.make_array(kind)(context, builder, value).data
                return _unpacked(builder, value) if isinstance(kind, Vectors) else value

            emitted = emit(builder, *map(operand, signature.args, operands))
            return cgutils.pack_array(builder, emitted, VECTOR) if isinstance(result, Vectors) else emitted

        name.__doc__ = emit.__doc__
        return name

    return define


def _elementwise(operation: Callable, name: str) -> None:
    """Make `operation` on vectors the LLVM instruction of that name."""

    @type_callable(operation)
    def typed(context: Any) -> Callable:
        def result(a: types.Type, b: types.Type) -> types.Type | None:
            if isinstance(a, Vectors) and isinstance(b, Vectors):
                return max(a, b, key=lambda vectors: vectors.count)
            return None

        return result

    @lower_builtin(operation, Vectors, Vectors)
    def lowered(context: Any, builder: ir.IRBuilder, signature: Any, operands: Sequence[ir.Value]) -> ir.Value:
        a, b = (_unpacked(builder, operand) for operand in operands)
        count = max(len(a), len(b))
        pairs = zip(a * (count // len(a)), b * (count // len(b)), strict=True)
        return cgutils.pack_array(builder, [getattr(builder, name)(x, y, flags=FUSED) for x, y in pairs], VECTOR)


_elementwise(operator.add, "fadd")
_elementwise(operator.iadd, "fadd")
_elementwise(operator.mul, "fmul")


@instruction(types.int64, TABLE)
def address_of(builder: ir.IRBuilder, table: ir.Value) -> ir.Value:
    """Where row 0 of a table begins."""
    return builder.ptrtoint(table, ir.IntType(64))


@instruction(ROW, types.int64, types.int64)
def load_row(builder: ir.IRBuilder, address: ir.Value, column: ir.Value) -> list[ir.Value]:
    """LANES columns of a row, from `column` on."""
    return [builder.load(_place(builder, address, column), align=4)]


@instruction(types.void, types.int64, types.int64, ROW)
def store_row(builder: ir.IRBuilder, address: ir.Value, column: ir.Value, row: list[ir.Value]) -> None:
    """Store LANES columns of a row, from `column` on."""
    builder.store(row[0], _place(builder, address, column), align=4)


@instruction(ROWS, ADDRESSES, types.int64, types.int64)
def load_rows(builder: ir.IRBuilder, addresses: ir.Value, first: ir.Value, column: ir.Value) -> list[ir.Value]:
    """LANES columns of each of the rows at addresses[first : first + TILE]."""
    rows = _tile_of(builder, addresses, first)
    return [builder.load(_place(builder, address, column), align=4) for address in rows]


@instruction(types.void, ADDRESSES, types.int64, types.int64, ROWS)
def store_rows(
    builder: ir.IRBuilder, addresses: ir.Value, first: ir.Value, column: ir.Value, rows: list[ir.Value]
) -> None:
    """Store LANES columns of each of the rows at addresses[first : first + TILE]."""
    for address, row in zip(_tile_of(builder, addresses, first), rows, strict=True):
        builder.store(row, _place(builder, address, column), align=4)


@instruction(ROW, types.float32)
def splat(builder: ir.IRBuilder, value: ir.Value) -> list[ir.Value]:
    """A vector of one value."""
    return [_splat(builder, value)]


@instruction(ROWS, FLOATS, types.int64)
def splats(builder: ir.IRBuilder, values: ir.Value, first: ir.Value) -> list[ir.Value]:
    """A vector of each of values[first : first + TILE]."""
    return [_splat(builder, value) for value in _tile_of(builder, values, first)]


@instruction(ROWS)
def no_rows(builder: ir.IRBuilder) -> list[ir.Value]:
    """A tile of zeros."""
    return TILE * [ir.Constant(VECTOR, None)]


@instruction(ROW, ROWS)
def total(builder: ir.IRBuilder, rows: list[ir.Value]) -> list[ir.Value]:
    """The sum of a tile's rows."""
    row, *others = rows
    for other in others:
        row = builder.fadd(row, other, flags=FUSED)
    return [row]


@instruction(types.void, FLOATS, types.int64, ROWS)
def store_sums(builder: ir.IRBuilder, values: ir.Value, first: ir.Value, rows: list[ir.Value]) -> None:
    """Store into values[first : first + TILE] the sum of each row's elements.

    By a tree whose nodes are two shuffles and an addition: it halves two vectors and makes one of both.
    """
    width = LANES
    while width > 1:
        width //= 2
        rows = rows * 2 if len(rows) == 1 else rows
        rows = [_halved(builder, a, b, width) for a, b in zip(rows[::2], rows[1::2], strict=True)]
    sums = builder.shuffle_vector(rows[0], rows[0], _mask(range(TILE)))
    place = builder.bitcast(builder.gep(values, [first]), sums.type.as_pointer())
    builder.store(sums, place, align=4)


@instruction(types.void, types.int64, types.int64)
def prefetch(builder: ir.IRBuilder, address: ir.Value, column: ir.Value) -> None:
    """Ask for the cache line of a row's `column`, to write to it."""
    kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, INT32, INT32, INT32])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    place = builder.bitcast(_place(builder, address, column), cgutils.voidptr_t)
    for_writing, into_all_caches, of_data = INT32(1), INT32(3), INT32(1)
    builder.call(function, [place, for_writing, into_all_caches, of_data])


def _unpacked(builder: ir.IRBuilder, vectors: ir.Value) -> list[ir.Value]:
    return [builder.extract_value(vectors, i) for i in range(vectors.type.count)]


def _place(builder: ir.IRBuilder, address: ir.Value, column: ir.Value) -> ir.Value:
    """The pointer to LANES columns of the row at an address."""
    row = builder.inttoptr(address, FLOAT.as_pointer())
    return builder.bitcast(builder.gep(row, [column]), VECTOR.as_pointer())


def _tile_of(builder: ir.IRBuilder, items: ir.Value, first: ir.Value) -> list[ir.Value]:
    """items[first : first + TILE]."""
    begin = builder.gep(items, [first])
    return [builder.load(builder.gep(begin, [INT32(i)])) for i in range(TILE)]


def _mask(lanes: Sequence[int]) -> ir.Constant:
    return ir.Constant(ir.VectorType(INT32, len(lanes)), list(lanes))


def _splat(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    nothing = ir.Constant(VECTOR, ir.Undefined)
    return builder.shuffle_vector(builder.insert_element(nothing, value, INT32(0)), nothing, _mask(LANES * [0]))


def _halved(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, width: int) -> ir.Value:
    """Halve every item of 2 * width lanes in (a, b), in order: its low half plus its high half."""
    low = [lane for lane in range(2 * LANES) if lane % (2 * width) < width]
    high = [lane + width for lane in low]
    return builder.fadd(builder.shuffle_vector(a, b, _mask(low)), builder.shuffle_vector(a, b, _mask(high)))
