/** Texts and times as the pages show them: bounded, cleaned and isolated from their direction. */
import { untrustedLine } from '../briefs/untrusted-text.ts'
import { type Html, html } from '../portal/page/html.ts'

const textCharactersMax = 300

/** One line of a text that others wrote. */
export function shownLine(text: string, charactersMax = textCharactersMax): Html {
  return html`<bdi>${untrustedLine(text, charactersMax)}</bdi>`
}

export interface Fact {
  readonly name: string
  readonly value: Html | string | number | null | undefined
}

/** Facts without a value are left out. */
export function factList(facts: readonly Fact[]): Html {
  const rows = facts.flatMap(({ name, value }) => {
    if (value === null || value === undefined || value === '') return []
    const shown = typeof value === 'string' ? shownLine(value) : value
    return [html`<div><dt>${name}</dt><dd>${shown}</dd></div>`]
  })
  return rows.length === 0 ? html`` : html`<dl class="facts">${rows}</dl>`
}

const secondMs = 1_000
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A time in UTC, and how long ago it is. `iso` is a time of ours, or null. */
export function shownTime(iso: string | null, nowMs: number): Html {
  if (iso === null) return html`never`
  const exact = utcMinute(iso)
  return html`<time datetime="${iso}">${exact}</time> <span class="soft">${timeAgo(iso, nowMs)}</span>`
}

/** `2026-11-21 01:30 UTC` */
export function utcMinute(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}

export function timeAgo(iso: string, nowMs: number): string {
  const seconds = Math.round((nowMs - Date.parse(iso)) / secondMs)
  const distance = Math.abs(seconds)
  const [name, size] = units.find(([, length]) => length <= distance) ?? units[3]
  const count = Math.floor(distance / size)
  if (count === 0) return 'just now'
  const text = `${count} ${name}${count === 1 ? '' : 's'}`
  return 0 < seconds ? `${text} ago` : `in ${text}`
}
