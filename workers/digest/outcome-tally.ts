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

export class OutcomeTally {
  readonly #sums = new Map<string, { key: OutcomeKey; hour: number; quantity: number }>()

  /** Rows that `write` writes. */
  get size(): number {
    return this.#rows().length
  }

  /** A negative quantity subtracts from what an earlier range counted. */
  add(key: OutcomeKey, quantity: number): void {
    const hour = Math.floor(secondOf(key.receivedAtMs) / secondsPerHour)
    const { component, sdk } = key
    // Component, SDK and reason come from outside. Two lengths keep different keys different, at a
    // fraction of the cost of JSON.
    const name = `${key.projectId} ${key.dsnKeyNo} ${hour} ${key.outcome} ${key.category} ${component.length} ${sdk.length} ${component}${sdk}${key.reason}`
    const sum = this.#sums.get(name)
    if (sum === undefined) this.#sums.set(name, { key, hour, quantity })
    else sum.quantity += quantity
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
