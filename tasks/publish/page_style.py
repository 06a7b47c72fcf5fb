"""The style sheet of the receipt's page: light and dark, a phone's width and a desk's, and paper."""

STYLE = """
:root{color-scheme:light dark;--ink:#1f1e1b;--soft:#6b675f;--paper:#faf9f6;--card:#fff;--rule:#e6e2da;--grid:#eeebe4;
--bar:#46708f;--band:#46708f1f;--good:#5f8d6a;--mid:#c98a2b;--bad:#b4483c;--warn:#8f5400;--warn-paper:#fff5e2}
@media(prefers-color-scheme:dark){:root{--ink:#e8e5de;--soft:#a39e94;--paper:#161513;--card:#1e1d1a;--rule:#35322d;
--grid:#2a2824;--bar:#86b3d3;--band:#86b3d326;--good:#86b894;--mid:#e0a750;--bad:#e07a6c;--warn:#ffc66e;
--warn-paper:#31270f}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);line-height:1.55;-webkit-text-size-adjust:100%;
font-family:system-ui,-apple-system,"Segoe UI","Noto Sans","PingFang SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
main{max-width:64rem;margin:0 auto;padding:2.6rem 1.25rem 5rem}
h1{font-size:2rem;line-height:1.25;font-weight:650;letter-spacing:-.01em;margin:0 0 .2rem;overflow-wrap:anywhere}
h2{font-size:1.08rem;font-weight:620;margin:2.6rem 0 .7rem}
p{margin:.3rem 0}.soft{color:var(--soft);font-weight:400}p.soft{font-size:.9rem}section>p.soft{margin-top:.5rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.2rem,1fr));gap:1px;margin:1.7rem 0 0;padding:0;
background:var(--card);border:1px solid var(--rule);border-radius:.5rem;overflow:hidden}
.figures div{background:var(--card);outline:1px solid var(--grid);padding:.7rem .9rem .75rem}
.figures dt{color:var(--soft);font-size:.8rem}
.figures dd{margin:.05rem 0 0;font-size:1.3rem;font-weight:560;font-variant-numeric:tabular-nums;white-space:nowrap}
.figures .warn{background:var(--warn-paper);position:relative}.figures .warn dd{color:var(--warn)}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--rule);border-radius:.5rem}
table{border-collapse:collapse;width:100%;font-size:.91rem}
th,td{text-align:left;padding:.42rem .8rem;border-top:1px solid var(--grid);vertical-align:baseline}
thead th{border-top:0;border-bottom:1px solid var(--rule);color:var(--soft);font-weight:500;font-size:.8rem;white-space:nowrap}
tbody tr:first-child td{border-top:0}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.t{min-width:11rem;overflow-wrap:anywhere}.warn-text{color:var(--warn)}.good-text{color:var(--good)}
.why{display:block;color:var(--warn);font-size:.93em}.heard{display:block;color:var(--soft)}.heard b{font-weight:400;font-size:.86em}
td mark{background:var(--warn-paper);color:inherit;border-bottom:2px solid var(--mid);padding:0}
.bar{display:inline-block;width:6rem;height:.5rem}.bar rect{fill:var(--bar)}
summary{cursor:pointer;color:var(--soft);font-size:.9rem;padding:.2rem 0 .5rem}
.plots{display:grid;grid-template-columns:1fr 1fr;gap:1rem}
.plot{display:flex;flex-direction:column;justify-content:space-between;margin:0;background:var(--card);border:1px solid var(--rule);border-radius:.5rem;padding:.75rem 1rem .6rem;min-width:0}
.plot:first-child{grid-column:1/-1}
.plot figcaption{font-size:.88rem;line-height:1.4;margin-bottom:.9rem}.plot b{font-weight:600}
.plot figcaption span span{white-space:nowrap;margin-left:.6rem}
.plot i{display:inline-block;width:.62rem;height:.62rem;border-radius:.12rem;margin-right:.3rem}
i.healed{background:var(--good)}i.flagged{background:var(--mid)}i.failed{background:var(--bad)}
.area{display:grid;grid-template-columns:2.3rem 1fr;grid-template-rows:9rem 1.6rem;margin-right:.4rem}
.area svg{width:100%;height:100%;display:block;overflow:visible}
.y,.x{position:relative;color:var(--soft);font-size:.74rem;font-variant-numeric:tabular-nums;line-height:1}
.y span{position:absolute;right:.6rem;transform:translateY(50%)}
.x{grid-column:2}.x span{position:absolute;top:.55rem;transform:translateX(-50%);white-space:nowrap}
.plot path{fill:none;vector-effect:non-scaling-stroke}
.grid{stroke:var(--grid);stroke-width:1}.aim{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 4}
.line{stroke:var(--bar);stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}
.dots{stroke:var(--bar);stroke-width:6.5;stroke-linecap:round}.dots.small{stroke-width:3}
.band{fill:var(--band)}
.plot path.healed{fill:var(--good)}.plot path.flagged{fill:var(--mid)}.plot path.failed{fill:var(--bad)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:0 1.4rem;align-items:start}
ul{margin:.3rem 0;padding-left:1.2rem}li{overflow-wrap:anywhere;margin:.15rem 0;font-size:.93rem}
abbr{text-decoration:none}a{color:inherit;text-decoration-color:var(--soft);text-underline-offset:.15em}
code{font-size:.88em;overflow-wrap:anywhere;font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
@media(max-width:44rem){main{padding:1.5rem .8rem 3rem}h1{font-size:1.6rem}.plots{grid-template-columns:minmax(0,1fr)}
th,td{padding:.4rem .6rem}.t{min-width:9rem}.bar{width:4rem}.many .b{display:none}.figures dd{font-size:1.15rem}.figures div{padding:.55rem .7rem}}
@media print{body{background:#fff}.scroll,.plot{break-inside:avoid;overflow:visible}details{display:block}}
"""
