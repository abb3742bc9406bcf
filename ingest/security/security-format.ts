/**
 * The format of `POST /api/{project_id}/security/`: reports that browsers send to a site's
 * `report-uri` or `report-to`. Security reports become events and are charged as events; reports of
 * other kinds are counted as unsupported.
 */
import type { EventId } from '#schemas/ids.ts'
import { eventBytesMax, securityReportsPerRequestMax } from '#schemas/limits.ts'
import type { OutcomeCount, RejectReason } from '#schemas/outcome.ts'
import type { IngestContext } from '../context.ts'
import { type Reply, replyEmpty, replyFailure, replyTaken, replyTooLarge } from '../http/replies.ts'
import type {
  BodyFormat,
  PlannedBody,
  PlannedEvent,
  RefusedBody,
  Sender,
} from '../intake/body-format.ts'
import { refuseBody } from '../intake/count-rejected.ts'
import { rejectedOne } from '../intake/rejected-one.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import { type ReadReport, readSecurityReports } from './read-security-reports.ts'

export interface SecurityHead {
  readonly contentType: string
  readonly userAgent: string
  readonly referrer: string
  readonly query: string
}

export function securityFormat(head: SecurityHead): BodyFormat {
  return {
    mayHoldDsn: false,
    plan: (ctx, sender, bytes) => planReports(ctx, sender, head, bytes),
  }
}

const takenTypes: ReadonlySet<string> = new Set([
  '',
  'application/csp-report',
  'application/json',
  'application/reports+json',
  'application/expect-ct-report',
  'application/expect-ct-report+json',
  'application/expect-staple-report',
  'application/expect-staple-report+json',
])

const unknownType = replyFailure(415, 'the Content-Type is not supported', [
  'use application/csp-report, application/reports+json or application/json',
])
const tooLarge = replyTooLarge('security report', eventBytesMax)

function planReports(
  ctx: IngestContext,
  sender: Sender,
  { contentType, query, userAgent, referrer }: SecurityHead,
  body: Buffer,
): PlannedBody | RefusedBody {
  const refuse = (reason: RejectReason, reply: Reply): RefusedBody =>
    refuseBody(ctx, sender, { reason, category: 'security', reply })
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!takenTypes.has(type)) return refuse('bad_encoding', unknownType)
  if (eventBytesMax < body.length) return refuse('too_large', tooLarge)
  const parameters = new URLSearchParams(query)
  const read = readSecurityReports({
    body,
    userAgent,
    referrer,
    release: parameters.get('sentry_release') ?? undefined,
    environment: parameters.get('sentry_environment') ?? undefined,
    receivedAtMs: ctx.clock.nowMs(),
  })
  if (read.kind === 'invalid') {
    return refuse('invalid_json', replyFailure(400, 'invalid security report', [read.cause]))
  }
  return planRead(ctx, sender.key, read.reports)
}

function planRead(
  { newEventId, unsupportedTypes }: IngestContext,
  key: DsnKey,
  reports: readonly ReadReport[],
): PlannedBody {
  const events: PlannedEvent[] = []
  const outcomes: OutcomeCount[] = []
  const pieces: Buffer[] = []
  let start = 0
  for (const report of reports) {
    if (report.kind === 'unsupported') {
      const reason = unsupportedTypes.reasonFor(key.projectId, report.type)
      outcomes.push({ outcome: 'unsupported', reason, category: 'security', quantity: 1 })
    } else if (securityReportsPerRequestMax <= events.length) {
      outcomes.push(rejectedOne('too_many_items', 'security'))
    } else {
      const bytes = Buffer.from(JSON.stringify(report.fields))
      if (eventBytesMax < bytes.length) {
        outcomes.push(rejectedOne('too_large', 'security'))
        continue
      }
      events.push({ eventId: newEventId(), start, end: start + bytes.length })
      pieces.push(bytes)
      start += bytes.length
    }
  }
  const firstId: EventId | undefined = events[0]?.eventId
  return {
    kind: 'planned',
    bytes: Buffer.concat(pieces),
    plan: {
      events,
      freeItems: [],
      outcomes,
      envelopeId: undefined,
      sentAt: undefined,
      sdk: undefined,
      reply: firstId === undefined ? replyEmpty : replyTaken(firstId),
    },
  }
}
