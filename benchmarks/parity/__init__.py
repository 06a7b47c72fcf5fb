"""Our CosyVoice3 against golden numbers, stage by stage; run by ``python -m benchmarks.cosyvoice3_parity``.

Each module has ``stages(fixture)``, which yields a ``Result`` for each quantity of each case.
"""
