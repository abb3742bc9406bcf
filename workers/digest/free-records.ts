/**
 * Digests the records that are no events, each kind with its own parser. A record whose payload is
 * rejected is counted, and nothing else of it is stored. The ids of those kinds are kept that would
 * count twice if a copy arrived.
 */
import type { RecordView } from '#schemas/bus/frame.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { Category, RejectReason } from '#schemas/outcome.ts'
import { storedText } from '#schemas/stored-text.ts'
import { parseCheckIn } from '#schemas/wire/check-in.ts'
import { type FreeKind, itemTypeOf } from '#schemas/wire/item-types.ts'
import { type AttachmentRow, attachmentRow } from '../attachments/attachment-row.ts'
import { parseClientReport } from '../client-reports/parse-client-report.ts'
import { type Feedback, parseFeedback } from '../feedback/parse-feedback.ts'
import type { CheckInRecord } from '../monitors/fold-monitor.ts'
import {
  parseSession,
  parseSessionSums,
  type SessionUpdate,
} from '../release-health/parse-sessions.ts'
import { SessionTally } from '../release-health/session-tally.ts'
import type { OutcomeTally } from './outcome-tally.ts'
import type { RulesByProject } from './project-rules.ts'

export type FreeRecord = RecordView & { readonly kind: FreeKind }

/** The id of an accepted record; copies of it are recognised within the deduplication window. */
export interface ItemId {
  readonly projectId: ProjectId
  /** 32 lowercase hex digits. */
  readonly recordId: string
  readonly receivedAtMs: number
}

/** `kept`: the id must be remembered. `idempotent`: a copy of the record would change nothing. */
export type FreeFate =
  | { readonly kind: 'kept' }
  | { readonly kind: 'idempotent' }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }

const kept: FreeFate = { kind: 'kept' }
const idempotent: FreeFate = { kind: 'idempotent' }

/** The outcome category of the item that the record came from. */
export function categoryOf({ kind, header }: RecordView): Category {
  return kind === 'outcomes' ? 'unknown' : itemTypeOf(header.item ?? kind).category
}

export class FreeRecords {
  readonly #tally: OutcomeTally
  readonly #rules: RulesByProject
  readonly #retentionDays: number
  readonly itemIds: ItemId[] = []
  readonly sessions = new SessionTally()
  /** In the order of the stream. */
  readonly checkIns: CheckInRecord[] = []
  readonly feedback: Feedback[] = []
  readonly attachments: AttachmentRow[] = []

  /** @param retentionDays of projects that have not set their own. */
  constructor(tally: OutcomeTally, rules: RulesByProject, retentionDays: number) {
    this.#tally = tally
    this.#rules = rules
    this.#retentionDays = retentionDays
  }

  take(record: FreeRecord): FreeFate {
    const fate = this.#takeByKind(record)
    if (fate.kind === 'kept') {
      const { projectId, recordId, receivedAtMs } = record
      // mutant: keep-item-ids
      this.itemIds.push({ projectId, recordId, receivedAtMs })
    }
    return fate
  }

  #takeByKind(record: FreeRecord): FreeFate {
    switch (record.kind) {
      case 'client_report':
        return this.#takeClientReport(record)
      case 'check_in':
        return this.#takeCheckIn(record)
      case 'session':
        return record.header.item === 'sessions'
          ? this.#takeSessionSums(record)
          : this.#takeSession(record)
      case 'feedback':
        return this.#takeFeedback(record)
      case 'attachment':
        return this.#takeAttachment(record)
    }
  }

  /**
   * An invalid monitor config is rejected, but the check-in still counts for the runs of the job.
   */
  #takeCheckIn(record: FreeRecord): FreeFate {
    const { payload, projectId, dsnKeyNo, receivedAtMs, recordId } = record
    const component = storedText(record.header.component ?? '')
    const sdk = storedText(record.header.sdk ?? '')
    const parsed = parseCheckIn(payload)
    if (parsed.kind === 'rejected') return parsed
    const { checkIn, error } = parsed
    this.checkIns.push({
      ...checkIn,
      projectId,
      dsnKeyNo,
      component,
      sdk,
      receivedAtMs,
      recordId,
      error,
    })
    return error === undefined ? kept : { kind: 'rejected', reason: 'invalid_monitor_config' }
  }

  #takeFeedback(record: FreeRecord): FreeFate {
    const parsed = parseFeedback(record, this.#rules.of(record.projectId).scrub)
    if (parsed.kind === 'rejected') return parsed
    this.feedback.push(parsed.feedback)
    return idempotent
  }

  #takeAttachment(record: FreeRecord): FreeFate {
    const { retentionDays = this.#retentionDays } = this.#rules.of(record.projectId)
    const parsed = attachmentRow(record, retentionDays)
    if (parsed.kind === 'rejected') return parsed
    this.attachments.push(parsed.row)
    return kept
  }

  #takeSession(record: FreeRecord): FreeFate {
    const session = parseSession({ ...record, sentAt: record.header.sent_at })
    if (session.kind === 'rejected') return session
    if (session.kind === 'update') this.#addSession(session.update)
    return idempotent
  }

  #addSession(update: SessionUpdate): void {
    const { retentionDays = this.#retentionDays } = this.#rules.of(update.projectId)
    this.sessions.addUpdate(update, retentionDays)
  }

  #takeSessionSums(record: FreeRecord): FreeFate {
    const sessions = parseSessionSums({ ...record, sentAt: record.header.sent_at })
    if (sessions.kind === 'rejected') return sessions
    if (sessions.kind === 'sums') {
      for (const sum of sessions.sums) this.sessions.addSum(sum)
      for (const user of sessions.users) this.#addSession(user)
    }
    return kept
  }

  #takeClientReport({ payload, projectId, dsnKeyNo, receivedAtMs, header }: FreeRecord): FreeFate {
    const report = parseClientReport(payload)
    if (report.kind === 'rejected') return report
    const { component = '', sdk = '' } = header
    const place = { projectId, dsnKeyNo, receivedAtMs, component, sdk }
    // mutant: count-discards
    for (const { quantity, reason, category } of report.discards) {
      const key = { ...place, reason, category }
      this.#tally.add({ ...key, outcome: 'client_discard' }, quantity)
    }
    return kept
  }
}
