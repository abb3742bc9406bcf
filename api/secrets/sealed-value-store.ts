/**
 * Reads and writes sealed values. Tables and columns come from `sealedColumns`, never from input.
 */
import { type SealPurpose, sealedColumns } from '#schemas/sealed-columns.ts'
import type { Database } from '../database.ts'

export interface SealedValue {
  readonly id: string
  readonly sealed: Buffer
}

/** Ordered by id, and locked until the transaction ends. Rows without a value are left out. */
export async function lockSealedValues(
  pg: Database,
  {
    purpose,
    afterId,
    rowsMax,
  }: { purpose: SealPurpose; afterId: string | undefined; rowsMax: number },
): Promise<SealedValue[]> {
  const { table, column } = sealedColumns[purpose]
  const { rows } = await pg.query<SealedValue>(
    `select id, ${column} as sealed from ${table}
      where ${column} is not null and ($1::uuid is null or id > $1) order by id limit $2 for no key update`,
    [afterId ?? null, rowsMax],
  )
  return rows
}

export async function setSealedValue(
  pg: Database,
  { purpose, id, sealed }: SealedValue & { readonly purpose: SealPurpose },
): Promise<void> {
  const { table, column } = sealedColumns[purpose]
  await pg.query(`update ${table} set ${column} = $2 where id = $1`, [id, sealed])
}
