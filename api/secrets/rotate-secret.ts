/**
 * Re-seals every sealed value of the installation with the current SLUICE_SECRET, in batches of one
 * transaction each. Values that the current secret opens are left unchanged, so a run continues
 * where an interrupted one stopped.
 */
import type { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { type SealPurpose, sealedColumns } from '#schemas/sealed-columns.ts'
import type { Postgres } from '../database.ts'
import { lockSealedValues, setSealedValue } from './sealed-value-store.ts'

const rowsPerBatchMax = 100

export interface ColumnReport {
  readonly table: string
  readonly column: string
  /** Values that were sealed with the previous secret until now. */
  readonly resealed: number
  /** Values that were sealed with the current secret already. */
  readonly current: number
  /** Values that neither secret opens. They are left unchanged. */
  readonly unreadable: number
}

export interface RotationContext {
  readonly pg: Pick<Postgres, 'transaction'>
  readonly box: Pick<SecretBox, 'reseal'>
  /** Stores that the current secret is the secret of the installation. */
  readonly recordSecret: () => Promise<void>
}

/** Belongs to the whole installation, so no organization has an audit entry of it. */
export async function rotateSecret(ctx: RotationContext): Promise<ColumnReport[]> {
  const reports: ColumnReport[] = []
  for (const purpose of Object.keys(sealedColumns) as SealPurpose[]) {
    reports.push(await resealColumn(ctx.pg, ctx.box, purpose))
  }
  const unreadable = reports.filter((report) => 0 < report.unreadable)
  if (0 < unreadable.length) {
    const where = unreadable.map(
      ({ table, column, unreadable: count }) => `${count} in ${table}.${column}`,
    )
    throw new CodedError('conflict', {
      message: `Some values open with neither SLUICE_SECRET nor SLUICE_SECRET_PREVIOUS: ${where.join(', ')}. They were left unchanged and all others are re-sealed. Run this again with the secret that sealed them as SLUICE_SECRET_PREVIOUS.`,
    })
  }
  // From now on a process that knows only the previous secret refuses to start.
  await ctx.recordSecret()
  return reports
}

async function resealColumn(
  pg: Pick<Postgres, 'transaction'>,
  box: Pick<SecretBox, 'reseal'>,
  purpose: SealPurpose,
): Promise<ColumnReport> {
  const counts = { resealed: 0, current: 0, unreadable: 0 }
  let afterId: string | undefined
  do {
    afterId = await pg.transaction(async (client) => {
      const values = await lockSealedValues(client, { purpose, afterId, rowsMax: rowsPerBatchMax })
      for (const { id, sealed } of values) {
        const result = box.reseal(purpose, id, sealed)
        if (result.kind === 'resealed') {
          await setSealedValue(client, { purpose, id, sealed: result.sealed })
        }
        counts[result.kind] += 1
      }
      return values.length < rowsPerBatchMax ? undefined : values.at(-1)?.id
    })
  } while (afterId !== undefined)
  return { ...sealedColumns[purpose], ...counts }
}
