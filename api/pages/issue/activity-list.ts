/** Who did what to an issue, newest first. */
import type { IssueActivity } from '#schemas/rest/issue.ts'
import { cleanUntrusted, cutText, untrustedLine } from '../../briefs/untrusted-text.ts'
import { type Html, html } from '../../portal/page/html.ts'
import { shownLine, shownTime } from '../shown-text.ts'

const activitiesMax = 30
const commentCharactersMax = 10_000
const valueCharactersMax = 200

export function activityList(activity: readonly IssueActivity[], nowMs: number): Html {
  if (activity.length === 0) return html`<p class="soft">Nothing yet.</p>`
  const entries = activity.slice(0, activitiesMax).map((entry) => entryOf(entry, nowMs))
  const more = activity.length - entries.length
  const rest = more === 0 ? null : html`<p class="soft">Older entries are left out.</p>`
  return html`<ul class="events">${entries}</ul>${rest}`
}

function entryOf({ kind, actor, data, at }: IssueActivity, nowMs: number): Html {
  const { label, type } = actor as { label?: unknown; type: string }
  const who = shownLine(typeof label === 'string' ? label : type, valueCharactersMax)
  const text = kind === 'comment' ? textOf(data['text']) : textOf(data['reason'])
  return html`<li><strong>${who}</strong> ${shownLine(sentenceOf(kind, data))}
<div class="soft">${shownTime(at, nowMs)}</div>
${text === undefined ? null : html`<p class="text" dir="auto">${text}</p>`}</li>`
}

type Data = Readonly<Record<string, unknown>>

const sentences: Readonly<Record<string, (data: Data) => string>> = {
  comment: () => 'commented',
  reviewed: () => 'marked it as reviewed',
  status: (data) => `changed the state to ${word(data['to'])}${how(data)}`,
  assigned: ({ to }) => (to ? `assigned it to ${nameIn(to)}` : 'assigned it to nobody'),
  priority: ({ to }) => `changed the priority to ${word(to)}`,
  snoozed: ({ until }) => (until ? `snoozed it until ${word(until)}` : 'ended its snoozing'),
  regressed: ({ release }) =>
    `reopened it: it came back${release ? ` in the release ${word(release)}` : ''}`,
  escalating: ({ count, expected }) =>
    `put it into triage: ${word(count)} events in an hour, ${word(expected)} expected`,
  returned: ({ which, count }) =>
    `ended its ignoring (${word(which)}${count ? `: ${word(count)}` : ''})`,
  merged: () => 'merged another issue into it',
  merged_into: () => 'merged it into another issue',
  hashes_given: () => 'split grouping hashes off',
  hashes_taken: () => 'gave it grouping hashes',
}

function sentenceOf(kind: string, data: Data): string {
  return Object.hasOwn(sentences, kind) ? sentences[kind]!(data) : kind
}

/** In what an issue was resolved, or until when it is ignored. */
function how({ resolved_in, release, commit, until }: Data): string {
  if (resolved_in === 'next_release') return ' in the next release'
  if (resolved_in === 'release') return ` in the release ${word(release)}`
  if (resolved_in === 'commit') return ` by the commit ${word(commit)}`
  if (typeof until !== 'object' || until === null) return ''
  const ends = Object.entries(until).map(([name, value]) =>
    name === 'escalating' ? 'it escalates' : `${name}: ${word(value)}`,
  )
  return ends.length === 0 ? '' : `, until ${ends.join(' or ')}`
}

function nameIn(to: unknown): string {
  const { name } = to as { name?: unknown }
  return word(name)
}

function word(value: unknown): string {
  if (typeof value === 'string') return untrustedLine(value, valueCharactersMax)
  return typeof value === 'number' ? String(value) : 'unknown'
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return cutText(cleanUntrusted(value.slice(0, 4 * commentCharactersMax)), commentCharactersMax)
}
