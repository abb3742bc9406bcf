/**
 * Re-seals every sealed value of the installation under the current SLUICE_SECRET. It goes through each column in batches, a
 * transaction each, so a run that is cut short is continued by the next one: what is under the current secret already is left alone.
 */
import type { SecretBox } from '#platform/secret-box.ts'
import { type SealPurpose, sealedColumns } from '#schemas/sealed-columns.ts'
import type { Postgres } from '../database.ts'
import { lockSealedValues, setSealedValue } from './sealed-value-store.ts'

const rowsPerBatchMax = 100

export interface ColumnReport {
  readonly table: string
  readonly column: string
  /** Values that are under the current secret now and were under the previous one. */
  readonly resealed: number
  /** Values that were under the current secret already. */
  readonly current: number
  /** Values that neither secret opens. They stay as they are. */
  readonly unreadable: number
}

export async function resealAll(
  pg: Pick<Postgres, 'transaction'>,
  box: Pick<SecretBox, 'reseal'>,
): Promise<ColumnReport[]> {
  const reports: ColumnReport[] = []
  for (const purpose of Object.keys(sealedColumns) as SealPurpose[]) {
    reports.push(await resealColumn(pg, box, purpose))
  }
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
