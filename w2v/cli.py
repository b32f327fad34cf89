"""The command line: `w2v`."""

from __future__ import annotations

from typing import Any

import click

from w2v.commands.plan import plan_
from w2v.commands.train import train
from w2v.exits import heeding_ctrl_c


class Group(click.Group):
    """Heeds Ctrl-C before click does; a command that writes files tells more of it."""

    def invoke(self, context: click.Context) -> Any:
        with heeding_ctrl_c():
            return super().invoke(context)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="w2v-compare")
def main() -> None:
    """Learn word vectors from text, many times as fast as gensim.

    \b
    An example, on encyclopedia articles that come with gensim:
      DATA=$(python -c "import gensim.test as t; print(t.__path__[0])")/test_data
      w2v train "$DATA/head500.noblanks.cor" -o vectors.txt
      python -c "from gensim.models import KeyedVectors as K
      print(K.load_word2vec_format('vectors.txt').most_similar('war'))"

    Exit codes: 0 all well, 1 training or writing failed, 2 wrong usage, or a
    file, a setting or a machine that won't do, 130 interrupted, 143 terminated.
    """


main.add_command(train)
main.add_command(plan_)
