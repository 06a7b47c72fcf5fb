"""The room ``script``: Manuscript -> Script, and the script as files that a person edits.

``write`` is the pure function (``write_script``), ``scribe`` the whole room in one call, ``task`` its Prefect task,
``coverage`` the proof that nothing was lost. What a text says: ``normalize`` with ``marks``, ``numerals``,
``rules_zh``, ``rules_zh_table``, ``rules_en`` and ``wet``. Where lines end: ``split``, ``words``, ``speakable``. Who speaks and how:
``quotes``, ``pieces``, ``names``, ``tags_zh``, ``tags_en``, ``attribute``, ``style``. How it is read: ``readings``,
``phrases``, ``rules``, ``sandhi``, ``surnames``, ``pinyin``, ``lexicon``, ``inline``. Files: ``store``, ``parse``,
``format``, ``patch``, ``merge``, ``base``, ``orphans``, ``journal``, ``ids``. Nothing is imported here: jieba, wetext
and pypinyin load only when a text needs them.
"""

__all__ = ["coverage", "inline", "lexicon", "readings", "scribe", "store", "task", "write"]
