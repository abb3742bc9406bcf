/**
 * What an alert email says, before it is written as HTML and as text. Every value is one line of
 * clean text (alert-payload.ts) and still has to be escaped.
 */
import { isolated } from '#schemas/visible-text.ts'
import { type AlertFiring, type AlertPayload, alertLine } from './alert-payload.ts'
import type { FirstFrame } from './first-frame.ts'

export interface EmailContent {
  readonly subject: string
  /** What lists of emails show after the subject. */
  readonly preview: string
  /** Says what happened: "New issue". */
  readonly kicker: string
  readonly tone: Tone
  /** Undefined if the message says it all. */
  readonly title: string | undefined
  readonly culprit: string | undefined
  readonly frame: FirstFrame | undefined
  /** Text of several lines. */
  readonly message: string | undefined
  readonly reason: string | undefined
  readonly facts: readonly (readonly [label: string, value: string])[]
  readonly lines: readonly DigestLine[]
  /** Firings of a digest that have no line. */
  readonly more: number
  readonly link: { readonly label: string; readonly url: string } | undefined
  readonly ruleName: string
  readonly projectName: string
}

export type Tone = 'bad' | 'warning' | 'good' | 'info'

export interface DigestLine {
  readonly title: string
  readonly detail: string
  readonly url: string | undefined
  readonly tone: Tone
}

export interface ContentOptions {
  /** As `SHOP`. */
  readonly shortName: string
  readonly frame: FirstFrame | undefined
}

const subjectCharactersMax = 120
const lineTitleCharactersMax = 120

/** What happened, and the label of the link. */
const kinds: Readonly<Record<string, readonly [happening: string, link: string]>> = {
  'issue.new': ['New issue', 'Open issue'],
  'issue.regression': ['Issue returned', 'Open issue'],
  'issue.escalation': ['Issue escalates', 'Open issue'],
  'issue.first_in_release': ['First event in a release', 'Open issue'],
  'issue.event_count': ['Many events', 'Open issue'],
  'issue.user_count': ['Many users affected', 'Open issue'],
  'monitor.failed': ['Monitor failed', 'Open monitor'],
  'monitor.recovered': ['Monitor recovered', 'Open monitor'],
  'project.crash_free_rate': ['Crash-free rate is low', 'Open project'],
  'project.quota': ['Quota', 'Open project'],
  'project.outcomes': ['Unusual outcomes', 'Open project'],
  'organization.bounce_rate': ['Bounce rate is high', 'Open'],
  'idea.created': ['New idea', 'Open idea'],
  'idea.status_changed': ['Idea changed its status', 'Open idea'],
  'feedback.created': ['New feedback', 'Open feedback'],
  'alert.digest': ['Several alerts', 'Open'],
  'alert.test': ['Test notification', 'Open'],
}

export function emailContent(
  { type, data }: AlertPayload,
  { shortName, frame }: ContentOptions,
): EmailContent {
  const { digest, reason, issue } = data
  const projectName = data.project?.name ?? shortName
  const ruleName = data.rule?.name ?? 'an alert rule'
  const firings = digest?.firings ?? []
  const count = digest?.count ?? firings.length
  const kicker = digest === undefined ? happening(type) : plural(count, 'alert')
  const title = digest === undefined ? titleOf(type, data) : ruleName
  const url = urlOf(data)
  return {
    subject: subjectOf(shortName, kicker, { type, data }, title),
    preview: [issue === undefined ? undefined : kicker, reason].filter(Boolean).join('. '),
    kicker: `${kicker} in ${projectName}`,
    tone: digest === undefined ? toneOf(type, data) : worst(firings),
    title: data.feedback?.message === undefined ? title : undefined,
    culprit: culpritOf(issue?.culprit, frame),
    frame,
    message: data.feedback?.message,
    reason,
    facts: factsOf(type, data),
    lines: firings.map(lineOf),
    more: Math.max(digest?.more ?? 0, count - firings.length, 0),
    link: url === undefined ? undefined : { label: kinds[type]?.[1] ?? 'Open', url },
    ruleName,
    projectName,
  }
}

const happening = (type: string) => kinds[type]?.[0] ?? (type || 'Notification')

/**
 * All emails about one issue have the same subject, because mail programs group by subject and
 * references.
 */
function subjectOf(
  shortName: string,
  kicker: string,
  { type, data }: AlertPayload,
  title: string,
): string {
  const about = (): string => {
    const { issue, monitor, idea, feedback, digest } = data
    if (digest !== undefined) return `${kicker}: ${title}`
    if (issue !== undefined) return title
    if (monitor !== undefined) {
      return type === 'monitor.recovered' ? `Monitor ${title} recovered` : `Monitor ${title} failed`
    }
    if (idea !== undefined && type === 'idea.status_changed') {
      return `Idea is now ${idea.status ?? 'changed'}: ${title}`
    }
    if (idea !== undefined || feedback !== undefined) return `${kicker}: ${title}`
    return kicker
  }
  return `[${shortName}] ${isolated(alertLine(about(), subjectCharactersMax) ?? kicker)}`
}

function titleOf(type: string, { issue, monitor, idea, feedback }: AlertFiring): string {
  const title = issue?.title ?? monitor?.slug ?? idea?.title
  if (title !== undefined) return title
  if (feedback?.message !== undefined) return alertLine(feedback.message, 80) ?? 'Feedback'
  return happening(type)
}

function urlOf({ issue, monitor, idea, feedback }: AlertFiring): string | undefined {
  return issue?.url ?? monitor?.url ?? idea?.url ?? feedback?.url
}

/** The culprit is left out where the frame says the same and more. */
function culpritOf(culprit: string | undefined, frame: FirstFrame | undefined) {
  if (culprit === undefined || frame === undefined) return culprit
  const words = culprit.split(/ in |[\s():]+/).filter(Boolean)
  return words.every((word) => frame.place.includes(word)) ? undefined : culprit
}

const toneOfLevel: Readonly<Record<string, Tone>> = {
  fatal: 'bad',
  error: 'bad',
  warning: 'warning',
}

function toneOf(type: string, { issue }: AlertFiring): Tone {
  if (issue !== undefined) return toneOfLevel[issue.level ?? 'error'] ?? 'info'
  if (type === 'monitor.recovered') return 'good'
  if (type === 'monitor.failed') return 'bad'
  return type.startsWith('project.') || type.startsWith('organization.') ? 'warning' : 'info'
}

const tones: readonly Tone[] = ['bad', 'warning', 'info', 'good']

function worst(firings: readonly AlertFiring[]): Tone {
  const found = new Set(firings.map((firing) => toneOf(firing.type ?? '', firing)))
  return tones.find((tone) => found.has(tone)) ?? 'info'
}

function factsOf(type: string, data: AlertPayload['data']): (readonly [string, string])[] {
  const { issue, event, monitor, idea } = data
  const counts = issue && countsText(issue.count, issue.user_count)
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Issue', issue?.short_id],
    ['Events', counts],
    ['Level', issue?.level],
    ['Release', event?.release],
    ['Environment', event?.environment ?? monitor?.environment],
    ['First seen', type === 'issue.new' ? undefined : minuteOf(issue?.first_seen)],
    ['Status', idea?.status],
  ]
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))
}

function countsText(events: number | undefined, users: number | undefined): string | undefined {
  if (events === undefined) return undefined
  const counted = events.toLocaleString('en-US')
  if (users === undefined || users === 0) return counted
  return `${counted} from ${plural(users, 'user')}`
}

function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

/** `2026-11-23 08:00 UTC`. */
function minuteOf(time: string | undefined): string | undefined {
  return time === undefined ? undefined : `${time.slice(0, 16).replace('T', ' ')} UTC`
}

function lineOf(firing: AlertFiring): DigestLine {
  const { issue, reason, type = '' } = firing
  const counts = issue?.count === undefined ? undefined : plural(issue.count, 'event')
  const users = issue?.user_count ? plural(issue.user_count, 'user') : undefined
  const title = titleOf(type, firing)
  const why = (reason ?? happening(type)).replace(/\.$/, '')
  return {
    title:
      alertLine(
        firing.monitor === undefined ? title : `Monitor ${title}`,
        lineTitleCharactersMax,
      ) ?? title,
    detail: [issue?.short_id, why, counts, users].filter(Boolean).join(' · '),
    url: urlOf(firing),
    tone: toneOf(type, firing),
  }
}
