/** An issue and one event of it in some lines of Markdown, to paste into a ticket. */
import { isOwn } from './group-frames.ts'
import { headingOf, placeOf } from './raw-trace.ts'
import { type EventException, readEvent } from './read-event.ts'

interface TicketEvent {
  readonly id: string
  readonly title: string
  readonly culprit: string
  readonly level: string
  readonly release: string | null
  readonly environment: string | null
  readonly timestamp: string
  readonly payload: unknown
}

interface TicketIssue {
  readonly short_id: string
  readonly count: number
  readonly user_count: number
  readonly first_seen: string
  readonly last_seen: string
}

interface Ticket {
  readonly issue: TicketIssue | undefined
  readonly event: TicketEvent
  /** Of the page. */
  readonly address: string
}

const framesMax = 8
const textCharactersMax = 500

export function ticketText({ issue, event, address }: Ticket): string {
  const { exceptions, message } = readEvent(event.payload)
  const main = exceptions.at(-1)
  const facts = [
    ...(issue === undefined
      ? []
      : [
          `- Seen: ${issue.count} times, ${issue.user_count} users, from ${issue.first_seen} to ${issue.last_seen}`,
        ]),
    `- Level: ${event.level}`,
    ...(event.release === null ? [] : [`- Release: ${inline(event.release)}`]),
    ...(event.environment === null ? [] : [`- Environment: ${inline(event.environment)}`]),
    `- Event: ${event.id}, ${event.timestamp}`,
    `- ${address}`,
  ]
  const trace = main === undefined ? message?.text.slice(0, textCharactersMax) : traceOf(main)
  const name = issue === undefined ? '' : `${issue.short_id}: `
  const head = `**${name}${inline(event.title)}**`
  const body = trace === undefined ? [] : [fenced(trace)]
  return `${[head, facts.join('\n'), ...body].join('\n\n')}\n`
}

function traceOf(exception: EventException): string {
  const frames = exception.stack?.frames ?? []
  const own = frames.filter((frame, index) => index === 0 || isOwn(frame, frames))
  const lines = own.slice(0, framesMax).map((frame) => `    at ${placeOf(frame)}`)
  return [headingOf(exception).slice(0, textCharactersMax), ...lines].join('\n')
}

/** One line that cannot end the text around it. */
function inline(text: string): string {
  const line = text.replace(/\s+/g, ' ').slice(0, textCharactersMax)
  return line.replace(/[\\`*_[\]<>#]/g, '\\$&')
}

/** The fence is longer than any row of backticks in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((row) => row.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
