/** An alert rule as sentences, so that a person sees what it does without reading its fields. */
import { formatExact } from '../../../../design/content/format.ts'
import type { DraftCondition, DraftTarget, Filter, QuietHours, RuleDraft } from './draft.ts'
import { durationWords, filterUse, joinWords, outcomeLabels } from './rule-words.ts'

/** The first one says when and what, the others how noise is limited. */
export function ruleSentences(draft: RuleDraft): readonly string[] {
  const what = `When ${joinWords(draft.when.map(conditionWords), 'or')}${filterWords(draft)}, ${
    draft.then.length === 0 ? 'nothing is sent' : joinWords(draft.then.map(targetWords), 'and')
  }.`
  return [what, ...noiseSentences(draft)]
}

export function ruleSentence(draft: RuleDraft): string {
  return ruleSentences(draft)[0] ?? ''
}

function conditionWords({ type, fields }: DraftCondition): string {
  const number = (name: string) => {
    const value = fields[name]
    return typeof value === 'number' && Number.isFinite(value) ? value.toLocaleString('en') : '…'
  }
  const window = () => durationWords(fields['window_seconds'] as number | undefined)
  const list = (name: string) => (Array.isArray(fields[name]) ? (fields[name] as string[]) : [])
  switch (type) {
    case 'new_issue':
      return 'a new issue appears'
    case 'regression':
      return 'a resolved issue returns'
    case 'escalation':
      return 'an issue escalates'
    case 'first_in_release':
      return 'an issue occurs first in a release'
    case 'event_count':
    case 'user_count': {
      const [verb, unit] = type === 'event_count' ? ['has', 'events'] : ['affects', 'users']
      return fields['compared_to'] === 'previous_window'
        ? `an issue ${verb} ${number('threshold')} % more ${unit} in ${window()} than in the ${window()} before`
        : `an issue ${verb} more than ${number('threshold')} ${unit} in ${window()}`
    }
    case 'monitor_failed':
      return monitorWords(list('kinds'))
    case 'monitor_recovered':
      return 'a monitor recovers'
    case 'crash_free_rate':
      return `less than ${number('below_percent')} % of at least ${number('sessions_min')} sessions in ${window()} are crash-free${fields['of'] === 'users' ? ', by users' : ''}`
    case 'quota': {
      const percents = list('percents').map((percent) => `${percent} %`)
      return `${joinWords(percents, 'or') || '…'} of the monthly events are used`
    }
    case 'outcomes': {
      const names = list('outcomes').map((name) => outcomeLabels[name] ?? name)
      return `more than ${number('percent')} % of at least ${number('items_min')} items in ${window()} are ${joinWords(names, 'or') || '…'}`
    }
    case 'bounce_rate':
      return fields['of'] === 'complaints'
        ? `more than ${number('above_percent')} % of at least ${number('emails_min')} emails in ${window()} are complained about`
        : `more than ${number('above_percent')} % of at least ${number('emails_min')} emails in ${window()} bounce`
    case 'new_idea':
      return 'a new idea arrives'
    case 'idea_status': {
      const to = list('to')
      return `the status of an idea changes${to.length === 0 ? '' : ` to ${joinWords(to, 'or')}`}`
    }
    case 'new_feedback':
      return 'new feedback arrives'
  }
}

const kindWords: Readonly<Record<string, string>> = {
  missed: 'is missed',
  error: 'fails',
  overrunning: 'overruns',
}

function monitorWords(kinds: readonly string[]): string {
  const words = (kinds.length === 0 ? Object.keys(kindWords) : kinds).map(
    (kind) => kindWords[kind] ?? kind,
  )
  return `a run of a monitor ${joinWords(words, 'or')}`
}

function filterWords({ when, if: filter }: RuleDraft): string {
  const use = filterUse(when.map(({ type }) => type))
  const parts = [
    ...(use === 'none' ? [] : environmentWords(filter)),
    ...(use === 'all' ? issueWords(filter) : []),
  ]
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}

function environmentWords({ environment }: Filter): readonly string[] {
  return environment === undefined || environment.length === 0
    ? []
    : [`in ${joinWords(environment, 'or')}`]
}

function issueWords(filter: Filter): readonly string[] {
  const listed = (name: string, values: readonly string[] | undefined) =>
    values === undefined || values.length === 0 ? [] : [`${name} ${joinWords(values, 'or')}`]
  return [
    ...listed('level', filter.level),
    ...listed('component', filter.component),
    ...listed('release', filter.release),
    ...Object.entries(filter.tags ?? {}).flatMap(([key, values]) => listed(`tag ${key}`, values)),
    ...(filter.query === undefined || filter.query === '' ? [] : [`matching ${filter.query}`]),
    ...(filter.unresolved === true ? ['not resolved or ignored'] : []),
  ]
}

export function targetWords({ type, fields, stored }: DraftTarget): string {
  const host = (value: unknown) => {
    const text = String(value ?? '')
    return URL.canParse(text) ? new URL(text).host : ''
  }
  const shown = stored !== undefined && 'url' in stored ? stored.url : undefined
  switch (type) {
    case 'email': {
      const to = Array.isArray(fields['to']) ? (fields['to'] as string[]) : []
      return `email ${joinWords(to.map(recipientWords), 'and') || '…'}`
    }
    case 'webhook':
      return `post to the webhook ${host(fields['url'] || shown) || '…'}`
    case 'slack':
      return 'post to Slack'
    case 'discord':
      return 'post to Discord'
    case 'teams':
      return 'post to Microsoft Teams'
    case 'telegram':
      return `message ${String(fields['chat_id'] ?? '') || '…'} on Telegram`
    case 'ntfy':
      return `publish to ${host(fields['url'] || shown) || 'ntfy'}`
    case 'pagerduty':
      return 'trigger PagerDuty'
    case 'opsgenie':
      return 'alert Opsgenie'
  }
}

function recipientWords(recipient: string): string {
  if (recipient === 'owners') return 'the owners'
  if (recipient === 'assignee') return 'the assignee'
  return recipient.startsWith('team:') ? `the team ${recipient.slice('team:'.length)}` : recipient
}

const dayNames = [
  'Mondays',
  'Tuesdays',
  'Wednesdays',
  'Thursdays',
  'Fridays',
  'Saturdays',
  'Sundays',
]

function noiseSentences(draft: RuleDraft): readonly string[] {
  const { when, cooldown_seconds: cooldown, digest_seconds: digest } = draft
  const isAboutIssues = filterUse(when.map(({ type }) => type)) === 'all'
  return [
    ...(!isAboutIssues || cooldown === 0
      ? []
      : [`About the same issue at most once in ${durationWords(cooldown)}.`]),
    `After a notification, those of the next ${durationWords(digest)} are sent as one digest.`,
    ...(draft.quiet_hours === null ? [] : [quietWords(draft.quiet_hours)]),
    ...(draft.muted_until === null || !(Date.parse(draft.muted_until) > Date.now())
      ? []
      : [`Muted until ${formatExact(draft.muted_until)}.`]),
    ...(draft.enabled ? [] : ['The rule is off.']),
  ]
}

function quietWords({ from, to, timezone, days }: QuietHours): string {
  const on =
    days === undefined || days.length === 7
      ? ''
      : ` on ${joinWords(
          [...days].sort((a, b) => a - b).map((day) => dayNames[day - 1] ?? ''),
          'and',
        )}`
  return `Held back from ${from} to ${to}${on}, ${timezone}, and then sent as one digest.`
}
