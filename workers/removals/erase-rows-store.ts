/** Erases a person from the tables of one organization in Postgres, in bounded transactions. */
import { erasePersonData } from '#platform/person-data/erase-address-store.ts'
import {
  foundIn,
  patternSql,
  type SearchedTable,
} from '#platform/person-data/searched-columns-store.ts'
import { tablePages } from '#platform/person-data/table-pages.ts'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import { erasedText, personPatterns, spellingsOf } from '#platform/text/person-pattern.ts'
import type { PersonSubject } from '#schemas/stored-data/person-subject.ts'
import { idsOf, numbersOf, type Scope } from '#schemas/stored-data/scope.ts'
import { addCount } from './deletion-row-store.ts'
import type { Removal } from './remove-rows-store.ts'

export interface Erasure extends Removal {
  readonly subject: PersonSubject
}

/** Contacts, emails to the address, and what else hangs on it. */
export async function eraseAddress(pg: Pool, erasure: Erasure): Promise<void> {
  const { subject, scope, deletionId } = erasure
  const { organizationId } = scope
  if (subject.email === undefined || organizationId === undefined) return
  await inTransaction(pg, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'select id from addresses where organization_id = $1 and email_key = $2 for update',
      [organizationId, subject.email],
    )
    for (const { id } of rows) {
      const { contacts } = await erasePersonData(client, { organizationId, addressId: id })
      await addCount(client, deletionId, { table: 'addresses', rows: 1 })
      await addCount(client, deletionId, { table: 'contacts', rows: contacts })
    }
  })
}

interface PortalStep {
  readonly table: string
  readonly sql: (scope: Scope) => string
}

/** $1: spellings of the email address or null, $2: the user id or null. */
const isUser = '(lower(email) = any($1) or lower(enduser_id) = any($1) or enduser_id = $2)'

/**
 * Portal users keep their row, so that votes stay counted. What they wrote stays, anonymous. $1 and
 * $2 as in `isUser`; every statement names both.
 */
const portalSteps: readonly PortalStep[] = [
  {
    table: 'comments',
    sql: (scope) =>
      `update comments set author_email = null, author_name = null
       where project_id = any(${idsOf(scope)})
         and (author_email is not null or author_name is not null)
         and (lower(author_email) = any($1) or author_id in (${usersOf(scope)}))`,
  },
  {
    table: 'ideas',
    sql: (scope) =>
      `update ideas set author_email = null
       where project_id = any(${idsOf(scope)}) and author_email is not null
         and (lower(author_email) = any($1) or author_id in (${usersOf(scope)}))`,
  },
  {
    table: 'votes',
    sql: (scope) =>
      `update votes set email = null
       where email is not null and (lower(email) = any($1) or enduser_id in (${usersOf(scope)}))
         and idea_id in (select id from ideas where project_id = any(${idsOf(scope)}))`,
  },
  {
    table: 'endusers',
    sql: (scope) =>
      `update endusers set enduser_id = 'erased:' || id, email = null, email_source = null,
         name = null, trusted = false
       where id in (${usersOf(scope)})`,
  },
  {
    table: 'feedback',
    sql: (scope) =>
      `update feedback set person_name = null, person_email = null, enduser_id = null
       where project_id = any(${numbersOf(scope)})
         and (lower(person_email) = any($1) or lower(enduser_id) = any($1) or enduser_id = $2)`,
  },
  {
    table: 'portal_notices',
    sql: (scope) =>
      `delete from portal_notices where project_id = any(${idsOf(scope)})
         and (email_key = any($1) or lower(email) = any($1) or $2::text is null and false)`,
  },
  {
    table: 'portal_optouts',
    sql: (scope) =>
      `delete from portal_optouts where project_id = any(${idsOf(scope)})
         and (email_key = any($1) or $2::text is null and false)`,
  },
]

function usersOf(scope: Scope): string {
  return `select id from endusers where project_id = any(${idsOf(scope)}) and ${isUser}`
}

export async function erasePortalUsers(pg: Pool, erasure: Erasure): Promise<void> {
  const { subject, scope, deletionId } = erasure
  const { email, user_id: userId } = subject
  const values = [email === undefined ? null : spellingsOf(email), userId ?? null]
  await inTransaction(pg, async (client) => {
    for (const { table, sql } of portalSteps) {
      const { rowCount } = await client.query(sql(scope), values)
      await addCount(client, deletionId, { table, rows: rowCount ?? 0 })
    }
  })
}

/** Replaces the addresses of the person in every text of the table. */
export async function eraseInTable(
  pg: Pool,
  searched: SearchedTable,
  erasure: Erasure,
): Promise<void> {
  const { subject, scope, deletionId } = erasure
  const patterns = personPatterns(subject)
  if (patterns.length === 0) return
  const sql = patternSql(patterns, erasedText)
  const { table, columns } = searched
  const found = foundIn(searched, scope, sql)
  const changes = columns.map((column) => `${column.name} = ${sql.erased(column)}`).join(', ')
  for await (const pages of tablePages(pg, table.name)) {
    erasure.throwIfDraining()
    await inTransaction(pg, async (client) => {
      const { rowCount } = await client.query(
        `update ${table.name} set ${changes} where ${pages} and ${found}`,
        [...sql.values],
      )
      await addCount(client, deletionId, { table: table.name, rows: rowCount ?? 0 })
    })
  }
}

/**
 * Kinds of errors are part of a key, so their counts are deleted. They only limit how many new
 * issues a project gets in the current hour.
 */
export async function eraseNewIssueCounts(pg: Pool, erasure: Erasure): Promise<void> {
  const sql = patternSql(personPatterns(erasure.subject), erasedText)
  const matches = sql.matches({ name: 'kind', type: 'text' })
  const scope = `project_id = any(${numbersOf(erasure.scope)})`
  if (matches.length === 0) return
  await counted(pg, erasure, 'new_issue_counts', (client) =>
    client.query(
      `delete from new_issue_counts where ${scope} and ${sql.named} and (${matches.join(' or ')})`,
      [...sql.values],
    ),
  )
}

async function counted(
  pg: Pool,
  { deletionId }: Erasure,
  table: string,
  change: (client: PoolClient) => Promise<{ readonly rowCount: number | null }>,
): Promise<void> {
  await inTransaction(pg, async (client) => {
    const { rowCount } = await change(client)
    await addCount(client, deletionId, { table, rows: rowCount ?? 0 })
  })
}
