/** Parts of several pages: vote button, status, tags, times. */
import type { Idea, IdeaStatus } from '#schemas/rest/portal/idea.ts'
import type { PortalFrame } from './frame.ts'
import { around, type Html, html } from './html.ts'
import { icon } from './icons.ts'
import type { Language } from './words/words.ts'

/** The vote button, a form that works without a script. */
export function voteForm(frame: PortalFrame, idea: Idea, back: string): Html {
  const { words, locale } = frame.language
  const voted = idea.user_has_voted === true
  const count = shortNumber(idea.vote_count, locale)
  return html`<form class="vote" method="post" action="${frame.base}/ideas/${idea.id}/vote">
<input type="hidden" name="back" value="${back}"><input type="hidden" name="want" value="${voted ? 'unvote' : 'vote'}">
<button type="submit" class="vote-button" aria-pressed="${voted ? 'true' : 'false'}" data-idea="${idea.id}" data-count="${idea.vote_count}" title="${frame.needsToken ? words.signIn : words.votes(idea.vote_count)}"${
    frame.needsToken && html` aria-disabled="true"`
  }>${icon('up')}<span class="hidden">${around(words.vote, idea.title)}</span><span class="vote-count">${count}</span></button>
</form>`
}

export function statusBadge(status: IdeaStatus, { words }: Language): Html {
  return html`<span class="status status-${status.toLowerCase()}">${words.status[status]}</span>`
}

export function pendingBadge({ words }: Language, note = words.pendingNote): Html {
  return html`<span class="status status-pending" title="${note}">${icon('clock')}${words.pending}</span>`
}

export function tagLinks(frame: PortalFrame, tags: Idea['tags']): Html {
  return html`${tags.map(
    ({ slug, name }) =>
      html`<a class="tag tag-${slug}" href="${frame.base}?tag=${encodeURIComponent(slug)}" dir="auto">${name}</a>`,
  )}`
}

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** The age of a time, with the date as title. */
export function timeAgo(iso: string, frame: PortalFrame): Html {
  const { locale } = frame.language
  const atMs = Date.parse(iso)
  const seconds = Math.max(0, (frame.nowMs - atMs) / 1000)
  const [unit, length] = units.find(([, size]) => size <= seconds) ?? (['minute', 60] as const)
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(
    -Math.floor(seconds / length),
    unit,
  )
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(atMs)
  return html`<time datetime="${iso}" title="${date}">${ago}</time>`
}

export function shortNumber(count: number, locale: string): string {
  return new Intl.NumberFormat(locale, {
    notation: count < 10_000 ? 'standard' : 'compact',
    maximumFractionDigits: 1,
  }).format(count)
}
