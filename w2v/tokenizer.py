"""The tokenizer: compiled, or, where there was no C++ compiler, in plain Python."""

try:
    from w2v._tokenizer import Tokenizer, keep_indexed, through_last_space
except ModuleNotFoundError:
    from w2v.plain_tokenizer import Tokenizer, keep_indexed, through_last_space  # type: ignore[assignment]

__all__ = ["Tokenizer", "keep_indexed", "through_last_space"]
