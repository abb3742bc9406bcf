import { framePage, type PortalFrame } from './frame.ts'
import { html } from './html.ts'
import { icon } from './icons.ts'

/** What is shown in place of a page: one sentence, and a way on. */
export function problemPage(
  frame: PortalFrame,
  problem: { title: string; text: string; canonical: string },
): string {
  const main = html`<div class="empty problem"><h1 class="empty-title">${problem.title}</h1><p>${problem.text}</p>
<a class="button" href="${frame.base}">${icon('back')}<span>${frame.language.words.back}</span></a></div>`
  return framePage(frame, { title: problem.title, canonical: problem.canonical, main })
}
