/** What the entries of the activity say, in words. Their data is JSON of the API. */
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../payload/fields.ts'

export interface Activity {
  readonly kind: string
  readonly actor: Readonly<Record<string, unknown>>
  readonly data: Readonly<Record<string, unknown>>
}

export function actorName(actor: Fields): string {
  const label = textOf(actor['label'])
  const type = textOf(actor['type'])
  if (type === 'system') return label === undefined ? 'Sluice' : `Sluice (${label})`
  if (type === 'token') return `Token ${label ?? ''}`.trim()
  if (type === 'command_line') return label ?? 'The command line'
  return label ?? 'Somebody'
}

/** `resolved it in shop@1.4.2`; the name of the actor is before it. */
export function describeActivity({ kind, data }: Activity): string {
  const text = sentenceOf(kind, data)
  const reason = textOf(data['reason'])
  return reason === undefined ? text : `${text}: ${reason}`
}

function sentenceOf(kind: string, data: Fields): string {
  switch (kind) {
    case 'status':
      return statusSentence(data)
    case 'assigned': {
      const to = fieldsOf(data['to'])
      const name = textOf(to['name'])
      if (name === undefined) return 'assigned it to nobody'
      return `assigned it to ${to['type'] === 'team' ? `the team ${name}` : name}`
    }
    case 'priority':
      return `set the priority to ${textOf(data['to']) ?? 'the one of its level'}`
    case 'reviewed':
      return 'marked it as reviewed'
    case 'snoozed': {
      const until = textOf(data['until'])
      return until === undefined ? 'showed it in triage again' : `hid it from triage until ${until}`
    }
    case 'regressed': {
      const release = textOf(data['release'])
      return `saw it again${release === undefined ? '' : ` in ${release}`}, and reopened it`
    }
    case 'escalating':
      return `saw ${count(data['count'])} events in an hour, where ${count(data['expected'])} were expected`
    case 'returned':
      return returnedSentence(data)
    case 'merged':
      return `merged another issue into it (${hashes(data)})`
    case 'merged_into':
      return `merged it into another issue (${hashes(data)})`
    case 'hashes_given':
      return `split off ${hashes(data)}`
    case 'hashes_taken':
      return `moved ${hashes(data)} here`
    case 'comment':
      return 'commented'
    case 'linked':
      return `linked it to ${textOf(data['title']) ?? textOf(data['url']) ?? 'a page'}`
    case 'unlinked':
      return `removed the link to ${textOf(data['title']) ?? textOf(data['url']) ?? 'a page'}`
    default:
      return kind.replaceAll('_', ' ')
  }
}

function statusSentence(data: Fields): string {
  const to = textOf(data['to'])
  if (to === 'unresolved') return 'reopened it'
  if (to === 'ignored') return ignoredSentence(fieldsOf(data['until']))
  const release = textOf(data['release'])
  switch (data['resolved_in']) {
    case 'next_release':
      return 'resolved it in the next release'
    case 'release':
      return `resolved it in ${release ?? 'a release'}`
    case 'commit':
      return `resolved it by commit ${(textOf(data['commit']) ?? '').slice(0, 12)}`
    default:
      return 'resolved it'
  }
}

function ignoredSentence(until: Fields): string {
  const parts = [
    ...(until['escalating'] === true ? ['it escalates'] : []),
    ...(textOf(until['at']) === undefined ? [] : [String(until['at'])]),
    ...(numberOf(until['events']) === undefined ? [] : [`${count(until['events'])} events`]),
    ...(numberOf(until['users']) === undefined ? [] : [`${count(until['users'])} more users`]),
  ]
  return parts.length === 0 ? 'ignored it' : `ignored it until ${parts.join(' or ')}`
}

function returnedSentence(data: Fields): string {
  const which = textOf(data['which'])
  if (which === 'at') return 'reopened it, because its time of being ignored was over'
  return `reopened it, because it had ${count(data['count'])} ${which ?? 'events'} while ignored`
}

function hashes(data: Fields): string {
  const number = listOf(data['hashes']).length
  return `${count(number)} grouping ${number === 1 ? 'hash' : 'hashes'}`
}

function count(value: unknown): string {
  return (numberOf(value) ?? 0).toLocaleString('en', { maximumFractionDigits: 1 })
}
