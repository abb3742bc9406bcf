import { html, type Markup } from '../http/html-document.ts'
import type { ContactPage } from './contact-page.ts'
import type { ContactNewsletter } from './preferences-store.ts'
import type { PageLanguage } from './words/page-words.ts'
import type { PageWords } from './words/page-words-en.ts'

/** The page of `/preferences/{token}`. `said`: a sentence on top about the last change. */
export function preferencesPage(
  contact: {
    contact: { name: string | null }
    newsletters: readonly ContactNewsletter[]
    text: PageLanguage
  },
  said?: string,
): ContactPage {
  const { words, ...language } = contact.text
  return {
    ...language,
    title: words.preferencesTitle,
    body: html`<h1>${words.preferencesTitle}</h1>
${said === undefined ? [] : [html`<p role="status"><strong>${said}</strong></p>`]}
<form method="post">
${contact.newsletters.map((newsletter) => choice(newsletter, words))}
<label class="field">${words.yourName} <input type="text" name="name" maxlength="200" autocomplete="name" value="${contact.contact.name ?? ''}"></label>
<p></p>
<button class="act" name="action" value="save">${words.saveButton}</button>
<button name="action" value="unsubscribe_all">${words.leaveAllButton}</button>
</form>
<hr>
<h2>${words.yourData}</h2>
<p class="soft">${words.dataByEmail}</p>
<form method="post">
<button name="action" value="export">${words.exportWish}</button>
<button name="action" value="erase">${words.eraseWish}</button>
</form>`,
  }
}

function choice({ id, name, description, status }: ContactNewsletter, words: PageWords): Markup {
  const suppressed = status === 'bounced' || status === 'complained'
  const notes: Readonly<Record<string, string>> = {
    pending: words.notePending,
    bounced: words.noteBounced,
    complained: words.noteComplained,
  }
  const note = status === null ? undefined : notes[status]
  const gets = status === 'subscribed' || status === 'pending'
  const box = suppressed
    ? html`<input type="checkbox" disabled>`
    : gets
      ? html`<input type="checkbox" name="newsletter" value="${id}" checked>`
      : html`<input type="checkbox" name="newsletter" value="${id}">`
  return html`<label>${box}<span>${name}${note === undefined ? '' : ` (${note})`}${description === null ? [] : [html`<br><span class="soft">${description}</span>`]}</span></label>
`
}
