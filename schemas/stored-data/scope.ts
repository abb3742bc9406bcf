/**
 * The part of the installation that a deletion, an erasure or an export covers, and the SQL
 * conditions that select its rows. All values are written into the SQL as literals: they are UUIDs
 * and integers of our own tables, and are checked here again.
 */
import assert from 'node:assert'

export interface Scope {
  /** Undefined when only projects are meant. */
  readonly organizationId?: string | undefined
  readonly projectIds: readonly string[]
  /** The numbers of the same projects (`projects.dsn_id`). */
  readonly projectNumbers: readonly number[]
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function uuidLiteral(id: string): string {
  assert(uuidPattern.test(id), 'not a UUID')
  return `'${id}'::uuid`
}

/** Every id of our own that is a number: of projects, keys, rows. */
function integerLiteral(number: number): string {
  assert(Number.isSafeInteger(number), 'not an integer')
  return String(number)
}

/** The projects of the scope by number, as an array of Postgres. */
export function numbersOf({ projectNumbers }: Scope): string {
  return `'{${projectNumbers.map(integerLiteral).join(',')}}'::bigint[]`
}

/** The projects of the scope by UUID, as an array of Postgres. */
export function idsOf({ projectIds }: Scope): string {
  for (const id of projectIds) uuidLiteral(id)
  return `'{${projectIds.join(',')}}'::uuid[]`
}

/** The organization of the scope; `null`, which equals nothing, without one. */
export function organizationOf({ organizationId }: Scope): string {
  return organizationId === undefined ? 'null::uuid' : uuidLiteral(organizationId)
}

/** The condition of the rows in ClickHouse, whose tables all name the project by number. */
export function clickHouseScope({ projectNumbers }: Scope): string {
  if (projectNumbers.length === 0) return 'false'
  return `project_id in (${projectNumbers.map(integerLiteral).join(', ')})`
}
