import { framePage, type PortalFrame } from './frame.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'
import type { Language } from './words/words.ts'

/** A page of an error without a portal: default colours, no links. */
export function barePage(
  { words, locale, direction }: Language,
  text: { title: string; text: string; css: string },
): string {
  return `<!doctype html>\n${
    html`<html lang="${locale}" dir="${direction}" data-theme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${text.css}">
</head>
<body><div class="page"><main class="empty problem"><h1 class="empty-title">${text.title}</h1><p>${text.text}</p></main>
<p class="fine">${words.poweredBy}</p></div></body>
</html>`.markup
  }\n`
}

/** A page of an error of a portal, with a link to its list. */
export function problemPage(
  frame: PortalFrame,
  problem: { title: string; text: string; canonical: string },
): string {
  const main = html`<div class="empty problem"><h1 class="empty-title">${problem.title}</h1><p>${problem.text}</p>
<a class="button" href="${frame.base}">${icon('back')}<span>${frame.language.words.back}</span></a></div>`
  return framePage(frame, { title: problem.title, canonical: problem.canonical, main })
}
