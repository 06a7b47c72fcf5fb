"""The ``voicepress`` command.

Contract: ``--help`` answers at once, so nothing heavy is imported before a command needs it. Results go to standard
output, talk and progress to standard error. Exit codes: 0 done, 1 an error the user can mend (one block, no
traceback), 2 bad usage, 130 stopped by Ctrl-C, 143 by SIGTERM. Anything else is a bug and shows its traceback.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import click

from common.errors import VoicepressError, plain
from common.files import from_system
from flows.cli_review import review


class _Commands(click.Group):
    """Turns errors that a user can mend into one block on standard error."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of the work, as they stand below

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # a terminal of ASCII alone shows 天 as \\u5929, and no error
                stream.reconfigure(errors="backslashreplace")
        stopped = _listen_for_stops()
        try:
            return super().invoke(ctx)
        except VoicepressError as error:
            _show(ctx, error)
        except BrokenPipeError:  # `voicepress voices | head`
            _forget_output()
            ctx.exit(0)
        except (Exception, KeyboardInterrupt) as error:
            if stopped or isinstance(error, KeyboardInterrupt):
                # Compiled code wraps a KeyboardInterrupt in errors of its own, so that its type alone does not tell.
                click.echo("\nstopped; the same command goes on where this one was", err=True)
                ctx.exit(128 + (stopped[0] if stopped else signal.SIGINT))
            if isinstance(error, OSError) and (found := from_system(error)) is not None:
                _show(ctx, found)
            raise


def _listen_for_stops() -> list[int]:
    """From now on Ctrl-C and SIGTERM raise KeyboardInterrupt; the list tells which came. What a caller has set to be
    ignored (nohup) stays ignored."""
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_name in ("cb", "__del__"):
            # Python drops what is raised in finalizers and in importlib's callbacks, and the run would go on.
            again = threading.Timer(0.05, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        came.append(number)
        raise KeyboardInterrupt

    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if threading.current_thread() is threading.main_thread() and signal.getsignal(number) == usual:
            signal.signal(number, stop)
    return came


def _show(ctx: click.Context, error: VoicepressError) -> None:
    try:
        sys.stdout.flush()
    except OSError:  # standard output is on the full disk itself
        _forget_output()
    click.echo(error.render(), err=True)
    ctx.exit(error.exit_code)


def _forget_output() -> None:
    # Python would try to write what is left at its end, fail again and say so.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(text: str) -> None:
    """Print what a command found; it may quote what strangers wrote."""
    click.echo(plain(text, rows=True))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="voicepress", prog_name="voicepress")
def main() -> None:
    """Prints books in voices: a manuscript becomes a finished audiobook.

    \b
    A book is a folder with a book.yaml; docs/tutorial.md makes one from nothing.
      voicepress plan manuscripts/ferry      what would happen
      voicepress make manuscripts/ferry      make it; a second run does only what is missing
    """


@main.command(short_help="Make one book or several.")
@click.argument("books", nargs=-1, required=True, metavar="BOOK...")
@click.option("--engine", default="", help="Use this engine instead of the book's ('tone' rehearses without speech).")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def make(books: tuple[str, ...], engine: str, quiet: bool) -> None:
    """Make one book or several, one after the other. BOOK is a book.yaml or the folder that holds it."""
    from flows.make import make_books

    ctx = click.get_current_context()
    ctx.exit(make_books([Path(book) for book in books], engine=engine, terminal=not quiet))


@main.command(short_help="Write a book's script and say what making it would take.")
@click.argument("book", type=click.Path(path_type=Path))
@click.option("--engine", default="", help="Plan for this engine instead of the book's.")
@click.option(
    "--measure/--no-measure",
    default=True,
    help="If this machine's speed is not known yet, record a few lines to measure it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plan(book: Path, engine: str, measure: bool, as_json: bool) -> None:
    """Say what making BOOK would do: chapters, lines, voices, hours of audio and of work, disk.

    Nothing is recorded. The script files are written, so that you can edit them before recording.
    """
    from flows.plan import plan_book, render

    found = plan_book(book, engine=engine, measure=measure)
    _print(found.to_json() if as_json else render(found))


@main.command(short_help="Say how a book will be read, and settle what is not sure.")
@click.argument("book", type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Show everything, also where only a neutral tone is in doubt.")
@click.option("--limit", type=click.IntRange(0), default=20, show_default=True, help="How much of each kind to show.")
@click.option("--lines", "word", default="", metavar="WORD", help="Show the lines that an entry or a word touches.")
@click.option(
    "--set", "answers", multiple=True, metavar="WORD=READING", help="Write an answer into the book's lexicon."
)
@click.option("--ask", is_flag=True, help="Be asked one by one.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def readings(
    book: Path, everything: bool, limit: int, word: str, answers: tuple[str, ...], ask: bool, as_json: bool
) -> None:
    """List the readings of BOOK that are not sure, its names, and words no dictionary has, the most frequent first.

    Nothing is recorded. An answer goes into the book's lexicon; the next make records the lines that it changes:

    \b
      voicepress readings BOOK --set '单雄信=shan4 xiong2 xin4' --set 'Siobhan=SH IH0 V AO1 N'
    """
    if sum(map(bool, (word, answers, ask))) > 1:
        raise click.UsageError("--lines, --set and --ask are three different things; give one of them at a time")
    from flows.readings import command

    shown = command(book, limit=None if everything else limit, word=word, answers=answers, ask=ask, as_json=as_json)
    _print(shown)


@main.command(short_help="Say who is in a book, and propose voices for them.")
@click.argument("book", type=click.Path(path_type=Path))
@click.option("--unsure", is_flag=True, help="List the lines whose speaker is not sure, and how to settle them.")
@click.option("--lines", "speaker", default="", metavar="NAME", help="List the lines of one speaker.")
@click.option(
    "--write",
    default=None,
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Add those who are in no cast to the book's cast, or to FILE, as proposed; nothing is overwritten.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cast(book: Path, unsure: bool, speaker: str, write: str | None, as_json: bool) -> None:
    """Say who is in BOOK, how much they say, and which voice speaks for them or is proposed to.

    Nothing is recorded. The script files are written, as 'plan' does. Name BOOK before --write.
    """
    from flows import casting, casting_page

    if sum((unsure, bool(speaker), write is not None)) > 1:
        raise click.UsageError("--unsure, --lines and --write are asked one at a time")
    found = casting.Casting.open(book)
    if unsure:
        doubtful = found.unsure()
        _print(
            casting_page.unsure_json(doubtful)
            if as_json
            else casting_page.render_unsure(doubtful, found.job.cast.unsure_below)
        )
    elif speaker:
        lines = found.lines_of(speaker)
        _print(casting_page.lines_json(lines) if as_json else casting_page.render_lines(speaker, lines))
    elif write is not None:
        from flows.castwrite import write as write_cast

        _print(write_cast(found, found.report().characters, Path(write) if write else None).render())
    else:
        report = found.report()
        _print(report.to_json() if as_json else casting_page.render(report))


@main.command(short_help="Check a book's files, and list everything to mend.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="BOOK|FILE...")
@click.option("--engine", default="", help="Check for this engine instead of the book's.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def lint(files: tuple[Path, ...], engine: str, as_json: bool) -> None:
    """Check a book, or one of its files: book.yaml, cast, lexicon, series, styles, script files.

    All errors and warnings are listed at once. Nothing is recorded and nothing is written. Ends with 1 if there are errors.
    """
    from flows.lint import lint as check
    from flows.make import shown
    from flows.problems import render, to_json

    found = check(files, engine)
    _print(to_json(found) if as_json else render(found, shown))
    click.get_current_context().exit(1 if any(one.level == "error" for one in found) else 0)


@main.command(short_help="Show what is understood of a manuscript.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--encoding", default="", help="The file's encoding, if the guess is wrong.")
@click.option("--why", is_flag=True, help="Show why each line that looks like a heading is or is not one.")
def inspect(file: Path, encoding: str, why: bool) -> None:
    """Show what is understood of a manuscript: encoding, chapters, and what is left out and why."""
    from common.files import require_file
    from tasks.read.inspect import render, report
    from tasks.read.manuscript import read_manuscript

    require_file(file, "the manuscript")
    for line in render(report(read_manuscript(file, encoding=encoding)), why=why):
        _print(line)


_MODEL_DIR = click.option(
    "--model-dir",
    type=click.Path(path_type=Path),
    default=None,
    help="The released model's directory, for cosyvoice3.  [default: $VOICEPRESS_COSYVOICE3]",
)


@main.group(invoke_without_command=True, short_help="List the voices, and hear them.")
@click.pass_context
def voices(ctx: click.Context) -> None:
    """List the voices; 'voicepress voices audition ID' lets you hear one."""
    if ctx.invoked_subcommand is None:
        from flows.voices import listing

        _print(listing())


@voices.command()
@click.argument("voice", metavar="ID")
@click.option("--text", default="", help="What to say (default: a sentence in the voice's language).")
@click.option("--style", default="", help="A style in plain language, such as 用悲伤的语气说.")
@click.option("--speed", default=1.0, type=click.FloatRange(0.5, 2.0), show_default=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="The WAV file to write.  [default: outputs/auditions/ID.wav, with the style in its name]",
)
@click.option("--book", type=click.Path(path_type=Path), default=None, help="Look among this book's voices, too.")
@_MODEL_DIR
def audition(
    voice: str, text: str, style: str, speed: float, out: Path | None, book: Path | None, model_dir: Path | None
) -> None:
    """Say a sentence in one voice and write it as a WAV file."""
    from flows.voices import audition as speak

    _print(speak(voice, text=text, style=style, speed=speed, out=out, book=book, model_dir=model_dir))


@voices.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="CLIP")
@click.option("--id", "voice_id", required=True, help="What the cast will call the voice.")
@click.option("--text", default="", help="What is said in the clip, word for word.")
@click.option("--name", default="", help="A name for people.")
@click.option("--language", default="", help="The clip's language.  [default: by --text, zh or en]")
@click.option("--gender", type=click.Choice(["female", "male", "neutral"]), default=None)
@click.option("--description", default="", help="A few words on how the voice sounds.")
@click.option("--book", type=click.Path(path_type=Path), default=None, help="Make it a voice of this book alone.")
@_MODEL_DIR
@click.option("--replace", is_flag=True, help="Replace a voice of the same id.")
def add(
    file: Path,
    voice_id: str,
    text: str,
    name: str,
    language: str,
    gender: str | None,
    description: str,
    book: Path | None,
    model_dir: Path | None,
    replace: bool,
) -> None:
    """Make a voice for cosyvoice3 of CLIP: 3-12 s of one person, 16 kHz or more, without noise.

    The clip is copied beside the new profile. Use only voices whose owners agree.
    """
    from flows.voice_add import add as make_voice

    made = make_voice(
        file, voice_id=voice_id, text=text, name=name, language=language, gender=gender or "",
        description=description, book=book, model_dir=model_dir, replace=replace,
    )  # fmt: skip
    _print(made)


@main.command(short_help="Measure finished audio against a mastering preset.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE_OR_FOLDER...")
@click.option(
    "--preset", default="", help="A mastering preset, or the path of one.  [default: the book's, else audiobook]"
)
@click.option("--second-meter", is_flag=True, help="Measure with ffmpeg's own filters, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(paths: tuple[Path, ...], preset: str, second_meter: bool, as_json: bool) -> None:
    """Decode audio files and measure loudness, peaks, noise floor, head and tail: is it what a preset asks?

    Any audio will do, not only what voicepress made. Exit code 1 if a file does not pass.
    """
    from flows.verify import render, to_json
    from flows.verify import verify as measure

    mastering, rows = measure(paths, preset, second_meter)
    _print(to_json(mastering, rows) if as_json else render(mastering, rows))
    click.get_current_context().exit(0 if all(row.good for row in rows) else 1)


main.add_command(review)


@main.command(short_help="Compare two receipts.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--exit-code", is_flag=True, help="End with 1 if the books differ.")
def diff(a: Path, b: Path, as_json: bool, exit_code: bool) -> None:
    """Say what is different between the receipts A and B: chapters, lines, levels, errors heard, engine, versions, times.

    A and B are a receipt.json, a folder that holds one, or a book that has been made.
    """
    from flows.diff import diff as compare
    from flows.diff import render, to_json

    found = compare(a, b)
    _print(to_json(found) if as_json else render(found))
    click.get_current_context().exit(1 if exit_code and not found.same else 0)


@main.command(short_help="Look at this machine and say what to mend.")
@click.option("--engine", default="", help="The engine to look at.  [default: kokoro; cosyvoice3 with --model-dir]")
@click.option("--book", type=click.Path(path_type=Path), default=None, help="Look at what this book needs, too.")
@_MODEL_DIR
def doctor(engine: str, book: Path | None, model_dir: Path | None) -> None:
    """Look at engine, models, ffmpeg, GPU, Prefect and disk, and say what to do about each finding."""
    from flows.doctor import examine, render

    findings = examine(engine, book, model_dir)
    _print(render(findings))
    click.get_current_context().exit(1 if any(finding.level == "fail" for _, finding in findings) else 0)


@main.command(short_help="Make every book that is not finished.")
@click.argument("library", type=click.Path(path_type=Path), default=Path("manuscripts"))
@click.option("--engine", default="", help="Use this engine instead of each book's.")
def night(library: Path, engine: str) -> None:
    """Make every waiting book under LIBRARY (default: manuscripts/); one that fails does not stop the others."""
    from flows.make import make_night

    click.get_current_context().exit(make_night(library, engine=engine))


@main.command(short_help="Run a Prefect server, to watch and schedule runs.")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=4200, show_default=True, type=click.IntRange(1, 65535))
def server(host: str, port: int) -> None:
    """Run a Prefect server with this house's settings, until Ctrl-C. It calls no other host."""
    from flows.server import serve_forever

    serve_forever(host, port)


if __name__ == "__main__":
    main()
