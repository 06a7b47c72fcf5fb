"""``voicepress doctor``: look at everything a book will need, and say what to do about each finding."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import engines
from common import places
from common.errors import VoicepressError
from engines.base import EngineOptions, Finding
from flows.config import load_book
from flows.console import size
from flows.workspace import Workspace

Findings = list[tuple[str, Finding]]
ENOUGH_BYTES = 5e9


def examine(engine_name: str, book: Path | None, model_dir: Path | None = None) -> Findings:
    """Every finding with the part of the house it is about. Loads no model and changes nothing.

    ``model_dir`` is a model directory to look at; it belongs to cosyvoice3 unless ``engine_name`` says otherwise.
    """
    findings: Findings = [("python", _python())]
    options = EngineOptions(model_dir=model_dir, device="auto") if model_dir else None
    engine_name = engine_name or ("cosyvoice3" if model_dir else "kokoro")
    if book is not None:
        try:
            job = load_book(book)
            engine_name, options = job.engine, job.options
            if model_dir:
                options = replace(options, model_dir=model_dir)
            findings.append(("book", Finding("ok", f"{job.title}: {job.path}")))
            findings += [("voices", finding) for finding in _voices_of(job.path)]
        except VoicepressError as error:
            findings.append(("book", Finding("fail", error.what, f"{error.where}: {error.hint}")))
    try:
        findings += [("engine", finding) for finding in engines.load(engine_name, options).doctor()]
    except VoicepressError as error:
        findings.append(("engine", Finding("fail", error.what, error.hint)))
    findings += [("ffmpeg", _ffmpeg()), ("gpu", _gpu()), ("prefect", _prefect())]
    findings += [("disk", finding) for finding in _disk()]
    return findings


def render(findings: Findings) -> str:
    """One line a finding, its remedy under it."""
    marks = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL"}
    rows = []
    for part, finding in findings:
        rows.append(f"{marks[finding.level]}  {part:8} {finding.what}")
        if finding.todo:
            rows.append(f"               to do: {finding.todo}")
    worst = [finding.level for _, finding in findings]
    if "fail" in worst:
        rows.append(f"\n{worst.count('fail')} to mend before a book can be made")
    else:
        rows.append("\nready" + (f", {worst.count('warn')} to look at" if "warn" in worst else ""))
    return "\n".join(rows)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("ok", f"Python {version}, {len(_cores())} cores usable")


def _cores() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def _voices_of(path: Path) -> list[Finding]:
    from flows.desk import Desk

    try:
        Desk.open(load_book(path))
    except VoicepressError as error:
        return [Finding("fail", error.what, error.hint)]
    return [Finding("ok", "every voice of the cast is there and the engine can use it")]


def _ffmpeg() -> Finding:
    from tasks.publish import ffmpeg

    try:
        path = ffmpeg.find()
        said = subprocess.run(
            [path, "-hide_banner", "-version"], capture_output=True, text=True, timeout=20, check=True
        )
    except VoicepressError as error:
        return Finding("fail", error.what, error.hint)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("fail", f"ffmpeg does not run: {error}", "let VOICEPRESS_FFMPEG name one that works")
    return Finding("ok", f"{said.stdout.splitlines()[0].split(' Copyright')[0]}, at {path}")


def _gpu() -> Finding:
    program = shutil.which("nvidia-smi")
    if program is None:
        return Finding("ok", "no NVIDIA GPU here; the embedded engine needs none")
    query = [program, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding(
            "warn",
            f"nvidia-smi fails ({type(error).__name__})",
            "mend the NVIDIA driver, or work on the CPU (device: cpu)",
        )
    return Finding("ok", "; ".join(said.stdout.strip().splitlines()) or "no GPU is visible")


def _prefect() -> Finding:
    from flows.server import configured_url, tune

    tune()
    import prefect

    url = configured_url()
    if not url:
        return Finding("ok", f"Prefect {prefect.__version__}; no server configured: each run brings its own")
    import httpx

    try:
        httpx.get(f"{url.rstrip('/')}/health", timeout=5).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return Finding(
            "fail",
            f"Prefect {prefect.__version__}; the server at {url} does not answer ({type(error).__name__})",
            "start it with 'voicepress server', or unset PREFECT_API_URL",
        )
    return Finding("ok", f"Prefect {prefect.__version__}, server at {url} answers")


def _disk() -> list[Finding]:
    findings = []
    for what, folder in (("outputs", Workspace.of("x").takes.parent), ("cache", places.cache())):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        free = shutil.disk_usage(existing).free
        if not os.access(existing, os.W_OK):
            variable = "VOICEPRESS_OUTPUTS" if what == "outputs" else "VOICEPRESS_CACHE"
            findings.append(
                Finding(
                    "fail", f"{what}: {folder} cannot be written to", f"set {variable} to a folder you can write to"
                )
            )
        elif free < ENOUGH_BYTES:
            findings.append(
                Finding(
                    "warn",
                    f"{what}: {size(free)} free at {folder}",
                    "an hour of audio takes about 0.5 GB while it is made; 'voicepress plan' says what a book needs",
                )
            )
        else:
            findings.append(Finding("ok", f"{what}: {size(free)} free at {folder}"))
    return findings
