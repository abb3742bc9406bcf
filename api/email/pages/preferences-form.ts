import type { ReaderNewsletter } from '../../io/reader-store.ts'
import { html, type Markup, type ReaderPage } from './reader-page.ts'

/** The page of `/preferences/{token}`, with a sentence on top about what was just done. */
export function preferencesPage(
  reader: {
    contact: { name: string | null }
    newsletters: readonly ReaderNewsletter[]
  },
  said?: string,
): ReaderPage {
  return {
    title: 'Your newsletters',
    body: html`<h1>Your newsletters</h1>
${said === undefined ? [] : [html`<p role="status"><strong>${said}</strong></p>`]}
<form method="post">
${reader.newsletters.map(choice)}
<label class="field">Your name <input type="text" name="name" maxlength="200" autocomplete="name" value="${reader.contact.name ?? ''}"></label>
<p></p>
<button class="act" name="action" value="save">Save</button>
<button name="action" value="unsubscribe_all">Unsubscribe from all</button>
</form>
<hr>
<h2>Your data</h2>
<p class="soft">For both you get an email with a link that works for one hour.</p>
<form method="post">
<button name="action" value="export">Download everything that is stored about me</button>
<button name="action" value="erase">Erase me: my name, my subscriptions and everything stored with them</button>
</form>`,
  }
}

function choice({ id, name, description, status }: ReaderNewsletter): Markup {
  const suppressed = status === 'bounced' || status === 'complained'
  const notes: Readonly<Record<string, string>> = {
    pending: 'waits for your confirmation',
    bounced: 'cannot be delivered to you',
    complained: 'is not sent since you reported it as spam',
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
