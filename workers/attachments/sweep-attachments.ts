/**
 * Removes objects that no row names. There are two kinds: objects whose rows were deleted, which a
 * trigger lists, and objects of requests that were killed before their record was written, which
 * are found by listing a day. Ingest writes only objects of the present day, so an object is safe
 * to remove when its day is over and every record of that day is committed. The objects of a
 * deleted project go at once, because its records are dropped.
 */
import { type AttachmentObject, dayOf } from '#platform/objects/attachment-key.ts'

const dayMs = 86_400_000
/** Today's objects are being written, and yesterday's records may be a moment old. */
const daysAfter = 2
/** Days that are looked at when nothing was swept before. */
const firstDays = 8
const batchMax = 500

export interface SweepPorts {
  /** The last day that was swept; undefined when none was. */
  readonly lastSwept: () => Promise<string | undefined>
  /** Whether every record that was received until the end of the day is committed. */
  readonly hasPassed: (day: string) => Promise<boolean>
  readonly listDay: (day: string) => AsyncIterable<AttachmentObject>
  /** Those of the objects that no row names. */
  readonly withoutRow: (objects: readonly AttachmentObject[]) => Promise<AttachmentObject[]>
  readonly removeObject: (object: AttachmentObject) => Promise<void>
  readonly finishDay: (day: string) => Promise<void>
  /** Objects whose rows were deleted: of deleted projects, and of days up to `sweptUntil`. */
  readonly listRemovals: (
    sweptUntil: string | undefined,
    limit: number,
  ) => Promise<AttachmentObject[]>
  readonly finishRemovals: (objects: readonly AttachmentObject[]) => Promise<void>
  readonly nowMs: () => number
  /** Throws when the process drains; the next run continues. */
  readonly throwIfDraining: () => void
}

/** Returns the number of removed objects. */
export async function sweepAttachments(ports: SweepPorts): Promise<number> {
  let removed = 0
  let swept = await ports.lastSwept()
  for (const day of daysToSweep(swept, ports.nowMs())) {
    if (!(await ports.hasPassed(day))) break
    removed += await sweepDay(ports, day)
    await ports.finishDay(day)
    swept = day
  }
  while (true) {
    ports.throwIfDraining()
    const objects = await ports.listRemovals(swept, batchMax)
    if (objects.length === 0) return removed
    removed += await removeAll(ports, await ports.withoutRow(objects))
    await ports.finishRemovals(objects)
  }
}

export function daysToSweep(lastSwept: string | undefined, nowMs: number): string[] {
  const end = dayOf(nowMs - daysAfter * dayMs)
  const days: string[] = []
  let ms =
    lastSwept === undefined
      ? Date.parse(end) - (firstDays - 1) * dayMs
      : Date.parse(lastSwept) + dayMs
  for (; dayOf(ms) <= end; ms += dayMs) days.push(dayOf(ms))
  return days
}

async function sweepDay(ports: SweepPorts, day: string): Promise<number> {
  let removed = 0
  let batch: AttachmentObject[] = []
  const flush = async () => {
    ports.throwIfDraining()
    removed += await removeAll(ports, await ports.withoutRow(batch))
    batch = []
  }
  for await (const object of ports.listDay(day)) {
    batch.push(object)
    if (batch.length >= batchMax) await flush()
  }
  if (batch.length > 0) await flush()
  return removed
}

async function removeAll(ports: SweepPorts, objects: readonly AttachmentObject[]): Promise<number> {
  for (const object of objects) await ports.removeObject(object)
  return objects.length
}
