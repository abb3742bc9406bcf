/**
 * Puts the files of a request into the object store before their records are written, so that an
 * accepted file is never lost. A file that cannot be kept becomes an outcome and never holds up the
 * event it belongs to: the store has some seconds, and after a failure it is left alone for a
 * while.
 */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '#platform/clock.ts'
import { failpoint } from '#platform/failpoint.ts'
import { attachmentKey, dayOf } from '#platform/objects/attachment-key.ts'
import type { ObjectStore } from '#platform/objects/object-store.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { ProjectId } from '#schemas/ids.ts'
import {
  attachmentBytesMax,
  attachmentBytesPerEventMax,
  attachmentsPerEventMax,
  MiB,
} from '#schemas/limits.ts'
import type { OutcomeCount } from '#schemas/outcome.ts'
import type { AttachmentRecord } from '#schemas/wire/attachment.ts'
import { rejectedOne } from '../intake/rejected-one.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import type { ByteQuota } from './byte-quota.ts'
import type { KeptAttachment, PlannedAttachment } from './planned-attachment.ts'

export interface AttachmentKeeperOptions {
  readonly store: ObjectStore
  readonly quota: ByteQuota
  readonly clock: Clock
  /** Called when the store failed, at most every few seconds. */
  onTrouble(error: unknown): void
}

export interface KeptAttachments {
  readonly kept: readonly KeptAttachment[]
  readonly outcomes: readonly OutcomeCount[]
}

/** SDKs wait about ten seconds for a reply. */
const storeMsMax = 6_000
/** After a failure, files are refused at once for this long. */
const pauseMs = 5_000
/** Files that are being stored at a time; others wait for their turn. */
const writesMax = 8
const eventsMax = 10_000
const storedMax = 10_000
/** Hashed at a time, so that other requests are not held up. */
const sliceBytes = MiB

interface EventTotals {
  count: number
  bytes: number
}

export class AttachmentKeeper {
  readonly #options: AttachmentKeeperOptions
  /** What the latest events have already, over several requests. */
  readonly #totals = new RecentMap<string, EventTotals>(eventsMax)
  /** Keys that are in the store. Objects of the present day are never removed. */
  readonly #stored = new RecentMap<string, true>(storedMax)
  readonly #writing = new Map<string, Promise<boolean>>()
  #pausedUntilMs = Number.NEGATIVE_INFINITY

  constructor(options: AttachmentKeeperOptions) {
    this.#options = options
  }

  /** Never rejects. `bytes` must not change meanwhile. */
  async keep(
    key: DsnKey,
    bytes: Buffer,
    attachments: readonly PlannedAttachment[],
  ): Promise<KeptAttachments> {
    const { projectId } = key
    const kept: KeptAttachment[] = []
    const outcomes: OutcomeCount[] = []
    const idsSeen = new Map<string, number>()
    const deadlineMs = this.#options.clock.monotonicMs() + storeMsMax
    for (const planned of attachments) {
      const content = bytes.subarray(planned.start, planned.end)
      const refusal =
        this.#limit(projectId, planned, content.length) ?? (await this.#charge(key, content.length))
      if (refusal !== undefined) {
        outcomes.push(refusal)
        continue
      }
      const sha256 = await hashOf(content)
      const storedOn = dayOf(this.#options.clock.nowMs())
      const isStored = await this.#put(
        attachmentKey({ projectId, storedOn, sha256 }),
        content,
        deadlineMs,
      )
      if (!isStored) {
        outcomes.push(rejectedOne('storage_unavailable', 'attachment'))
        continue
      }
      kept.push(keptOf(planned, { size: content.length, sha256, storedOn }, idsSeen))
    }
    if (kept.length > 0) failpoint('ingest.after_objects')
    return { kept, outcomes }
  }

  /** Counts the file towards its event. */
  #limit(
    projectId: ProjectId,
    { eventId }: PlannedAttachment,
    size: number,
  ): OutcomeCount | undefined {
    if (attachmentBytesMax < size) return rejectedOne('too_large', 'attachment')
    const name = `${projectId} ${eventId}`
    const totals = this.#totals.get(name) ?? { count: 0, bytes: 0 }
    if (attachmentsPerEventMax <= totals.count) return rejectedOne('too_many_items', 'attachment')
    if (attachmentBytesPerEventMax < totals.bytes + size) {
      return rejectedOne('too_large', 'attachment')
    }
    this.#totals.set(name, { count: totals.count + 1, bytes: totals.bytes + size })
    return undefined
  }

  async #charge(key: DsnKey, size: number): Promise<OutcomeCount | undefined> {
    if (this.#isPaused()) return rejectedOne('storage_unavailable', 'attachment')
    const charge = await this.#options.quota.charge(key, size)
    if (charge === 'charged') return undefined
    if (charge === 'unavailable') return rejectedOne('storage_unavailable', 'attachment')
    return overBytes
  }

  /** False: the store did not take it in time. */
  async #put(key: string, content: Buffer, deadlineMs: number): Promise<boolean> {
    if (this.#stored.get(key) === true) return true
    while (!this.#writing.has(key) && this.#writing.size >= writesMax) {
      if (this.#isPaused() || deadlineMs <= this.#options.clock.monotonicMs()) return false
      await Promise.race([...this.#writing.values(), timeout(deadlineMs, this.#options.clock)])
    }
    if (this.#isPaused()) return false
    let writing = this.#writing.get(key)
    if (writing === undefined) {
      writing = this.#write(key, content)
      this.#writing.set(key, writing)
    }
    const isStored = await Promise.race([writing, timeout(deadlineMs, this.#options.clock)])
    if (isStored === 'late') this.#pause(new Error('the object store did not answer in time'))
    return isStored === true
  }

  async #write(key: string, content: Buffer): Promise<boolean> {
    try {
      await this.#options.store.put(key, content)
      this.#stored.set(key, true)
      return true
    } catch (error) {
      this.#pause(error)
      return false
    } finally {
      this.#writing.delete(key)
    }
  }

  #isPaused(): boolean {
    return this.#options.clock.monotonicMs() < this.#pausedUntilMs
  }

  #pause(error: unknown): void {
    if (!this.#isPaused()) this.#options.onTrouble(error)
    this.#pausedUntilMs = this.#options.clock.monotonicMs() + pauseMs
  }
}

const overBytes: OutcomeCount = {
  outcome: 'over_quota',
  reason: 'attachment_bytes',
  category: 'attachment',
  quantity: 1,
}

function timeout(deadlineMs: number, clock: Clock): Promise<'late'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('late'), Math.max(0, deadlineMs - clock.monotonicMs()))
    timer.unref()
  })
}

async function hashOf(content: Buffer): Promise<string> {
  const hash = createHash('sha256')
  for (let start = 0; start < content.length; start += sliceBytes) {
    if (start > 0) await nextTurn()
    hash.update(content.subarray(start, start + sliceBytes))
  }
  return hash.digest('hex')
}

function keptOf(
  { eventId, name, type, contentType }: PlannedAttachment,
  { size, sha256, storedOn }: { size: number; sha256: string; storedOn: string },
  idsSeen: Map<string, number>,
): KeptAttachment {
  const record: AttachmentRecord = {
    event_id: eventId,
    name,
    type,
    ...(contentType === undefined ? {} : { content_type: contentType }),
    size,
    sha256,
    stored_on: storedOn,
  }
  // The day is left out: a request that is repeated after midnight is a duplicate, too.
  const identity = JSON.stringify([eventId, name, type, contentType ?? '', sha256])
  const earlier = idsSeen.get(identity) ?? 0
  idsSeen.set(identity, earlier + 1)
  const id = createHash('sha256').update(`attachment\n${identity}\n${earlier}`).digest()
  return { recordId: id.subarray(0, 16), eventId, payload: Buffer.from(JSON.stringify(record)) }
}
