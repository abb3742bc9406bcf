/**
 * Exports everything of an organization as JSON Lines: a header, one line for each row, and a
 * trailer with counts, so that a file that was cut off is recognised.
 */
import type { Readable } from 'node:stream'
import { CodedError } from '#schemas/error-codes.ts'
import { installationTables, postgresTables } from '#schemas/stored-data/postgres-tables.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { findOrganization } from '../organization/organization-store.ts'
import { listOrganizationProjects } from '../projects/project-store.ts'
import { exportStream, type Pace, type WriteLine } from './export-stream.ts'
import {
  beginSnapshot,
  clickHouseRows,
  type ExportedRow,
  postgresRows,
} from './organization-rows-store.ts'

type Context = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>

const formatVersion = 1
/** Each export holds a connection of the process to Postgres. */
const exportsMax = 1
let exportsRunning = 0

/** Tables that no export contains, each with its reason. */
export const notExported: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    postgresTables.flatMap(({ name, notExported: reason }) =>
      reason === undefined ? [] : [[name, reason]],
    ),
  ),
  person_links: 'It holds secrets only.',
  login_networks: 'It belongs to people, who may have other organizations.',
  ...Object.fromEntries(
    Object.keys(installationTables).map((name) => [name, 'It belongs to the installation.']),
  ),
}

/** Writes the audit entry, and begins to read. Destroying the stream ends the export. */
export async function exportOrganization(
  ctx: Context,
  actor: Actor,
  pace?: Pace,
): Promise<Readable> {
  const { organizationId } = actor
  const organization = found(await findOrganization(ctx.pg, organizationId))
  const end = beginAlone()
  try {
    await addAudit(ctx.pg, actor, {
      action: 'organization.exported',
      subjectType: 'organization',
      subjectId: organizationId,
    })
  } catch (error) {
    end()
    throw error
  }
  return exportStream((write) => writeExport(ctx, organization, write).finally(end), pace)
}

/** Returns what ends it. */
function beginAlone(): () => void {
  if (exportsRunning >= exportsMax) {
    const message = 'Another export is running. Retry when it has ended.'
    throw new CodedError('unavailable', { message, retryAfterSeconds: 60 })
  }
  exportsRunning += 1
  return () => {
    exportsRunning -= 1
  }
}

async function writeExport(
  { pg, clickhouse, clock }: Context,
  organization: { readonly id: string; readonly name: string },
  write: WriteLine,
): Promise<void> {
  const counts: Record<string, number> = {}
  const writeRow = async ({ table, row }: ExportedRow) => {
    counts[table] = (counts[table] ?? 0) + 1
    await write({ type: 'row', table, row })
  }
  const until = new Date(clock.nowMs())
  const scope = await pg.transaction(async (client) => {
    await beginSnapshot(client)
    await write({
      type: 'header',
      format: 'sluice-organization',
      version: formatVersion,
      organization: { id: organization.id, name: organization.name },
      exported_at: until.toISOString(),
      left_out: { tables: notExported, columns: leftOutColumns },
    })
    const projects = await listOrganizationProjects(client, organization.id)
    const wanted = {
      organizationId: organization.id,
      projectIds: projects.map(({ id }) => id),
      projectNumbers: projects.map(({ dsn_id }) => dsn_id),
    }
    for await (const row of postgresRows(client, wanted)) await writeRow(row)
    return wanted
  })
  for await (const row of clickHouseRows(clickhouse, scope, until)) await writeRow(row)
  await write({ type: 'trailer', rows: counts })
}

const leftOutColumns: Readonly<Record<string, readonly string[]>> = {
  people: ['password_hash'],
  'clickhouse.sessions': ['user_hash'],
  ...Object.fromEntries(
    postgresTables.flatMap(({ name, secrets }) => (secrets === undefined ? [] : [[name, secrets]])),
  ),
}
