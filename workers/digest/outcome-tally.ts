/**
 * Sums the outcomes of a range's items by project, key, component, SDK and hour: rows of
 * `outcomes`.
 */
import { z } from 'zod'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { type Category, categories, type Outcome, outcomes } from '#schemas/outcome.ts'
import { storedText } from '#schemas/stored-text.ts'
import { secondOf } from '../dedup/id-window.ts'
import type { RowBinaryWriter } from '../rows/row-binary.ts'

export const outcomeColumns = [
  'project_id',
  'dsn_key_no',
  'component',
  'hour',
  'outcome',
  'reason',
  'category',
  'sdk',
  'quantity',
] as const

export interface OutcomeKey {
  readonly projectId: ProjectId
  readonly dsnKeyNo: DsnKeyNo
  readonly component: string
  /** Empty when unknown. */
  readonly sdk: string
  readonly receivedAtMs: number
  readonly outcome: Outcome
  readonly reason: string
  readonly category: Category
}

const secondsPerHour = 3_600

interface OutcomeSum {
  readonly key: OutcomeKey
  readonly hour: number
  quantity: number
}

export class OutcomeTally {
  readonly #sums = new Map<string, OutcomeSum>()
  /** The sum of the record before, which most likely is that of the next one. */
  #latest: OutcomeSum | undefined

  /** Rows that `write` writes. */
  get size(): number {
    return this.#rows().length
  }

  /** A negative quantity subtracts from what an earlier range counted. */
  add(key: OutcomeKey, quantity: number): void {
    const hour = Math.floor(secondOf(key.receivedAtMs) / secondsPerHour)
    const latest = this.#latest
    if (latest !== undefined && latest.hour === hour && isSame(latest.key, key)) {
      latest.quantity += quantity
      return
    }
    this.#latest = this.#sumOf(key, hour)
    this.#latest.quantity += quantity
  }

  #sumOf(key: OutcomeKey, hour: number): OutcomeSum {
    const { component, sdk } = key
    // Component, SDK and reason come from outside. Two lengths keep different keys different, at a
    // fraction of the cost of JSON.
    const name = `${key.projectId} ${key.dsnKeyNo} ${hour} ${key.outcome} ${key.category} ${component.length} ${sdk.length} ${component}${sdk}${key.reason}`
    let sum = this.#sums.get(name)
    if (sum === undefined) {
      sum = { key, hour, quantity: 0 }
      this.#sums.set(name, sum)
    }
    return sum
  }

  /** In order of first sight, so that the same range always writes the same bytes. */
  write(row: RowBinaryWriter): void {
    for (const { key, hour, quantity } of this.#rows()) {
      row.uint64(key.projectId)
      row.uint32(key.dsnKeyNo)
      row.text(storedText(key.component))
      row.uint32(hour * secondsPerHour)
      row.text(key.outcome)
      row.text(storedText(key.reason))
      row.text(key.category)
      row.text(storedText(key.sdk))
      row.int64(quantity)
    }
  }

  /** The sums, without projects, keys and hours. */
  counts(): { readonly outcome: Outcome; readonly reason: string; readonly quantity: number }[] {
    return this.#rows().map(({ key: { outcome, reason }, quantity }) => ({
      outcome,
      reason,
      quantity,
    }))
  }

  /** Sums of 0 are left out. */
  #rows() {
    return [...this.#sums.values()].filter(({ quantity }) => quantity !== 0)
  }
}

/** In the same hour. */
function isSame(left: OutcomeKey, right: OutcomeKey): boolean {
  return (
    left.projectId === right.projectId &&
    left.dsnKeyNo === right.dsnKeyNo &&
    left.outcome === right.outcome &&
    left.category === right.category &&
    left.component === right.component &&
    left.sdk === right.sdk &&
    left.reason === right.reason
  )
}

const OutcomeCounts = z
  .array(
    z.object({
      outcome: z.enum(outcomes),
      reason: z.string().max(100),
      category: z.enum(categories),
      quantity: z.number().int().positive(),
    }),
  )
  .max(10_000)

/** The counts of a record of kind `outcomes`, which ingest sends. Throws when they are invalid. */
export function parseOutcomeCounts(payload: Uint8Array): z.infer<typeof OutcomeCounts> {
  return OutcomeCounts.parse(JSON.parse(Buffer.from(payload).toString('utf8')))
}
