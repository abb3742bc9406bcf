/**
 * Parses feedback from both kinds of items. `feedback` is an event whose context of that name holds
 * the message; `user_report` (older SDKs) is a small object about an event that may arrive before
 * or after it. Both become one shape.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { normalizeEventId } from '#schemas/ids.ts'
import type { RejectReason } from '#schemas/outcome.ts'
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import { fieldCharactersMax } from '../normalize/field-limits.ts'
import { cutText } from '../normalize/values/clean-text.ts'
import { Notes } from '../normalize/values/notes.ts'
import { parsePayload } from '../normalize/values/parse-payload.ts'
import { type JsonObject, readObject, scalarText } from '../normalize/values/read-value.ts'

export interface Feedback {
  readonly projectId: ProjectId
  /** 32 lowercase hex digits. */
  readonly id: string
  readonly message: StoredText
  readonly type: 'Bug' | 'Other'
  readonly source: 'Widget' | 'Api'
  readonly path: StoredText | null
  readonly version: StoredText | null
  readonly environment: StoredText | null
  readonly component: StoredText | null
  readonly personName: StoredText | null
  readonly personEmail: StoredText | null
  /** Id of the event that the feedback refers to. */
  readonly eventId: string | null
  readonly receivedAtMs: number
}

export interface FeedbackRecord {
  readonly projectId: ProjectId
  readonly recordId: string
  readonly receivedAtMs: number
  readonly payload: Uint8Array
  readonly header: {
    readonly item?: string
    readonly envelope_id?: string
    readonly component?: string
  }
}

export type ParsedFeedback =
  | { readonly kind: 'feedback'; readonly feedback: Feedback }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }

export const messageCharactersMax = 4096
const nameCharactersMax = 128
const emailCharactersMax = 254
const pathCharactersMax = 500

const absent = storedText('')

type Scrub = (payload: JsonObject, notes: Notes) => void

/**
 * @param scrub removes from the payload what the project does not keep, including what people
 * wrote.
 */
export function parseFeedback(record: FeedbackRecord, scrub: Scrub): ParsedFeedback {
  const parsed = parsePayload(record.payload)
  if (parsed.kind === 'rejected') {
    const { reason } = parsed
    return { kind: 'rejected', reason: reason === 'invalid_event' ? 'invalid_feedback' : reason }
  }
  scrub(parsed.object, new Notes())
  const said =
    record.header.item === 'user_report'
      ? ofReport(parsed.object, record)
      : ofFeedbackItem(parsed.object, record)
  if (said.message === '') return { kind: 'rejected', reason: 'invalid_feedback' }
  const { projectId, receivedAtMs, header } = record
  return {
    kind: 'feedback',
    feedback: {
      projectId,
      receivedAtMs,
      ...said,
      type: said.eventId === null ? 'Other' : 'Bug',
      component: header.component === undefined ? null : storedText(header.component),
    },
  }
}

type Said = Omit<Feedback, 'projectId' | 'receivedAtMs' | 'component' | 'type'>

function ofReport(report: JsonObject, { recordId, header }: FeedbackRecord): Said {
  const { event_id, name, email, comments } = report
  return {
    id: recordId,
    message: text(comments, messageCharactersMax),
    source: 'Api',
    path: null,
    version: null,
    environment: null,
    personName: orNull(text(name, nameCharactersMax)),
    personEmail: orNull(text(email, emailCharactersMax)),
    eventId: normalizeEventId(event_id) ?? normalizeEventId(header.envelope_id) ?? null,
  }
}

function ofFeedbackItem(event: JsonObject, { recordId, header }: FeedbackRecord): Said {
  const context = readObject(readObject(event['contexts'])?.['feedback']) ?? {}
  const { message, contact_email, name, url, source, associated_event_id } = context
  const user = readObject(event['user']) ?? {}
  const page =
    text(url, fieldCharactersMax.url) || text(readObject(event['request'])?.['url'], 2048)
  return {
    id: normalizeEventId(event['event_id']) ?? normalizeEventId(header.envelope_id) ?? recordId,
    message: text(message, messageCharactersMax),
    source: source === 'widget' ? 'Widget' : 'Api',
    path: orNull(pathOf(page)),
    version: orNull(text(event['release'], fieldCharactersMax.release)),
    environment: orNull(text(event['environment'], fieldCharactersMax.environment)),
    personName: orNull(
      text(name, nameCharactersMax) ||
        text(user['username'], nameCharactersMax) ||
        text(user['name'], nameCharactersMax),
    ),
    personEmail: orNull(
      text(contact_email, emailCharactersMax) || text(user['email'], emailCharactersMax),
    ),
    eventId: normalizeEventId(associated_event_id) ?? null,
  }
}

/** Keeps only the path: the query may hold personal data, and the host is the project's own. */
export function pathOf(url: string): StoredText {
  if (url === '') return absent
  try {
    return text(new URL(url, 'http://relative.invalid').pathname, pathCharactersMax)
  } catch {
    return absent
  }
}

function text(value: unknown, charactersMax: number): StoredText {
  // Trimmed last, because removing a control character may leave a space at the end.
  return cutText(storedText(storedText(scalarText(value) ?? '').trim()), charactersMax)
}

function orNull(value: StoredText): StoredText | null {
  return value === '' ? null : value
}
