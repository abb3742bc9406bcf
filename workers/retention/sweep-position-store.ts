/**
 * Where a job that walks a whole table goes on, so that a kill, a restart or another process does
 * not make it begin again.
 */
import type { Pool } from '#platform/postgres.ts'

/** The primary key of the last row that was looked at, as text. */
export type SweepPosition = readonly string[]

/** Returns undefined at the beginning of the table. */
export async function readSweepPosition(
  pg: Pool,
  name: string,
): Promise<SweepPosition | undefined> {
  const { rows } = await pg.query<{ position: string[] | null }>(
    'select position from sweep_positions where name = $1',
    [name],
  )
  return rows[0]?.position ?? undefined
}

export async function saveSweepPosition(
  pg: Pool,
  name: string,
  position: SweepPosition | undefined,
): Promise<void> {
  await pg.query(
    `insert into sweep_positions (name, position) values ($1, $2)
     on conflict (name) do update set position = excluded.position, updated_at = now()`,
    [name, position ?? null],
  )
}

/** One page of a walk: what was looked at, and what was deleted or changed. */
export interface SweptPage {
  readonly examined: number
  readonly expired: number
  /** The key of the last row that was looked at; undefined if there was none. */
  readonly last: SweepPosition | undefined
}

export interface Sweep {
  readonly pg: Pool
  readonly name: string
  readonly rowsPerPage: number
  /** Pages of one run; the next run goes on. */
  readonly pagesMax: number
  readonly signal: AbortSignal
  readonly page: (after: SweepPosition | undefined, rowsMax: number) => Promise<SweptPage>
}

/**
 * Walks a table until its end, but at most `pagesMax` pages. The next run begins at the first row
 * again if this one reached the end. Returns how many rows expired.
 */
export async function sweep(options: Sweep): Promise<number> {
  const { pg, name, rowsPerPage, pagesMax, signal } = options
  let after = await readSweepPosition(pg, name)
  let expired = 0
  for (let count = 0; count < pagesMax && !signal.aborted; count += 1) {
    const page = await options.page(after, rowsPerPage)
    expired += page.expired
    // The page may have ended early, so the next run looks at it again.
    if (signal.aborted) break
    const isEnd = page.examined < rowsPerPage
    after = isEnd ? undefined : page.last
    await saveSweepPosition(pg, name, after)
    if (isEnd) break
  }
  return expired
}
