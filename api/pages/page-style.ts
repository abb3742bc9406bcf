/** The only style of the pages. It is in the page, so that the page loads nothing. */
export const pageStyle = `
:root { color-scheme: light dark; --page: #f6f6f4; --card: #fff; --ink: #1b1b19; --soft: #5d5d57; --line: #deded8; --act: #1d4ed8; --on-act: #fff; --bad: #b42318; --good: #1a7f37; --code: #f3f3f0; --now: #fff1c9 }
@media (prefers-color-scheme: dark) { :root { --page: #141413; --card: #1e1e1c; --ink: #ebebe8; --soft: #a5a59e; --line: #3a3a36; --act: #8ab4ff; --on-act: #10203f; --bad: #ff9c8f; --good: #6fd68b; --code: #272725; --now: #46390f } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; -webkit-text-size-adjust: 100% }
.top, main { max-width: 1240px; margin: 0 auto; padding: 0 16px }
.top { display: flex; justify-content: space-between; align-items: center; gap: 12px; min-height: 48px }
.top form { display: flex; align-items: center; gap: 12px; min-width: 0; margin: 0 }
.brand { font-weight: 700 }
.who { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
main { padding-bottom: 48px; overflow-wrap: anywhere }
h1 { margin: 2px 0 4px; font-size: 1.3rem; line-height: 1.25 }
h2 { margin: 0 0 8px; font-size: .95rem }
h3 { margin: 14px 0 6px; font: 600 .9rem/1.4 ui-monospace, monospace }
h3:first-of-type { margin-top: 0 }
p { margin: 0 0 8px }
ul, ol { margin: 0; padding: 0; list-style: none }
.soft { color: var(--soft); font-size: .87rem }
.state { font-weight: 600 }
.state.bad { color: var(--bad) }
.state.good { color: var(--good) }
.culprit { margin: 0; font: .87rem/1.4 ui-monospace, monospace; color: var(--soft) }
.sum { margin: 6px 0 0 }
.head { margin: 4px 0 14px }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; align-items: start }
.stack { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px }
@media (min-width: 900px) { .columns { grid-template-columns: minmax(0, 1fr) 21rem; grid-template-rows: auto 1fr } .columns > .side { grid-column: 2 } .columns > .wide { grid-column: 1; grid-row: 1 / span 2 } }
.card { padding: 14px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--card) }
.card > :last-child { margin-bottom: 0 }
.narrow { max-width: 26rem; margin: 8vh auto 0; padding: 24px }
.done, .problem { padding: 10px 12px; border: 1px solid; border-radius: 8px; font-weight: 600 }
.done { margin-bottom: 12px; color: var(--good) }
.problem { color: var(--bad) }
.facts { margin: 0 }
.facts > div { display: flex; gap: 12px; padding: 4px 0; border-top: 1px solid var(--line) }
.facts > div:first-child { border-top: 0 }
.facts dt { flex: 0 0 7rem; color: var(--soft) }
.facts dd { min-width: 0; margin: 0 }
time, time + .soft { display: inline-block }
.bars { display: block; width: 100%; height: 36px; margin: 8px 0 2px; color: var(--act) }
.decide { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 8px; margin: 0 }
button { min-height: 44px; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: inherit; font: inherit; font-weight: 600; line-height: 1.2; cursor: pointer }
button.act { border-color: var(--act); background: var(--act); color: var(--on-act) }
button.link { min-height: 44px; padding: 0; border: 0; background: none; color: var(--act); font-weight: 400; text-decoration: underline; white-space: nowrap }
.narrow button.link { margin-left: 12px }
button:focus-visible, input:focus-visible, textarea:focus-visible, summary:focus-visible, a:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
a { color: var(--act) }
label { display: block; margin: 0 0 12px; font-weight: 600 }
input:not([type=hidden]), textarea { display: block; width: 100%; margin-top: 4px; padding: 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--page); color: inherit; font: inherit; font-size: 16px }
textarea { min-height: 5.5rem; resize: vertical }
.frames > li { border-top: 1px solid var(--line) }
.frames > li:first-child { border-top: 0 }
.frames > li > .place, summary { padding: 7px 0; font: .84rem/1.4 ui-monospace, monospace }
summary { cursor: pointer }
.own { font-weight: 600 }
.mark { display: inline-block; margin-left: 6px; padding: 0 5px; border: 1px solid var(--line); border-radius: 4px; color: var(--soft); font: .75rem/1.4 system-ui, sans-serif }
pre { margin: 0 0 10px; padding: 6px 0; border-radius: 6px; background: var(--code); overflow-x: auto; font: .82rem/1.5 ui-monospace, monospace; tab-size: 2 }
pre span { display: block; width: max-content; min-width: 100%; padding: 0 12px 0 0 }
pre span.now { background: var(--now) }
pre i { display: inline-block; width: 3.8em; padding-right: 1em; color: var(--soft); font-style: normal; text-align: right; user-select: none }
.lines > li { padding: 3px 0; border-top: 1px solid var(--line); font: .82rem/1.45 ui-monospace, monospace }
.lines > li:first-child { border-top: 0 }
.tags { display: flex; flex-wrap: wrap; gap: 6px }
.tags > li { max-width: 100%; padding: 2px 8px; border: 1px solid var(--line); border-radius: 6px; font-size: .87rem }
.events > li { padding: 8px 0; border-top: 1px solid var(--line) }
.events > li:first-child { padding-top: 0; border-top: 0 }
.events > li:last-child { padding-bottom: 0 }
.text { margin: 4px 0 0; white-space: pre-wrap }
`
