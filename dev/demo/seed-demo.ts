/**
 * Creates the demo organization on the first start. The database stores only hashes of the keys, so
 * the values are written to a file of the data folder before the transaction commits. After a
 * crash, the next start either finds both, or finds a file that does not match the database and
 * replaces it.
 */
import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createLogger } from '#platform/logger.ts'
import { createPool, inTransaction, type PoolClient } from '#platform/postgres.ts'
import { accessScopes } from '#schemas/rest/access-scope.ts'
import { addDefaultRule } from '../../api/alerts/default-rule.ts'
import { addAccessToken, addApiKey } from '../../api/credentials/credential-store.ts'
import { addDsnKey } from '../../api/keys/dsn-key-store.ts'
import { addNewsletterRow } from '../../api/newsletters/organization-newsletter-store.ts'
import { addOrganization } from '../../api/organization/organization-store.ts'
import { addPerson } from '../../api/people/person-store.ts'
import { addProject } from '../../api/projects/project-store.ts'

const DemoSeed = z.object({
  projectId: z.string(),
  dsnId: z.string(),
  projectKey: z.string(),
  publicKeys: z.object({ default: z.string(), worker: z.string(), cli: z.string() }),
  accessToken: z.string(),
  apiKey: z.string(),
  newsletter: z.string(),
  owner: z.object({ email: z.string(), password: z.string() }),
})
export type DemoSeed = z.infer<typeof DemoSeed>

const ownerEmail = 'owner@demo.test'

export async function seedDemo(
  postgresUrl: string,
  dataDir: string,
): Promise<{ seed: DemoSeed; fresh: boolean }> {
  const path = join(dataDir, 'demo-seed.json')
  const pool = createPool(
    { url: postgresUrl, applicationName: 'sluice-seed', connectionsMax: 1 },
    createLogger('seed', 'silent'),
  )
  try {
    const before = await readSeed(path)
    if (before && (await isTrue(pool, before))) return { seed: before, fresh: false }
    const seed = await inTransaction(pool, async (client) => {
      const made = await makeDemo(client)
      await writeFile(`${path}.new`, JSON.stringify(made, null, 2), { mode: 0o600 })
      await rename(`${path}.new`, path)
      return made
    })
    return { seed, fresh: true }
  } finally {
    await pool.end()
  }
}

async function makeDemo(pg: PoolClient): Promise<DemoSeed> {
  const organization = await addOrganization(pg, { name: 'Demo' })
  const organizationId = organization.id
  const taken = await demosBefore(pg)
  // The database may outlive its data folder. The keys of that demo are lost, so a second demo is
  // created.
  const suffix = taken === 0 ? '' : `-${taken + 1}`
  const email = ownerEmail.replace('@', `${suffix}@`)
  const password = randomBytes(12).toString('base64url')
  await addPerson(pg, { organizationId, email, name: 'Demo Owner', password, role: 'owner' })
  const project = await addProject(pg, { organizationId, name: 'Demo' })
  await addDefaultRule(pg, { organizationId, projectId: project.dsnId })
  const key = (label: string | null) => addDsnKey(pg, { projectId: project.id, label })
  const publicKeys = {
    default: (await key(null)).public_key,
    worker: (await key('worker')).public_key,
    cli: (await key('cli')).public_key,
  }
  // All scopes, so that every example of the documentation works with it.
  const token = await addAccessToken(pg, { organizationId, label: 'demo', scopes: accessScopes })
  const apiKey = await addApiKey(pg, { organizationId, label: 'demo' })
  const newsletter = await addNewsletterRow(pg, organizationId, {
    slug: `demo${suffix}`,
    name: 'Demo News',
    from_address: 'news@demo.test',
    confirm_signups: false,
  })
  return {
    projectId: project.id,
    dsnId: String(project.dsnId),
    projectKey: project.projectKey,
    publicKeys,
    accessToken: token.value,
    apiKey: apiKey.value,
    newsletter: newsletter.slug,
    owner: { email, password },
  }
}

async function demosBefore(pg: PoolClient): Promise<number> {
  const { rows } = await pg.query<{ count: number }>(
    "select count(*) from people where email like 'owner%@demo.test'",
  )
  return rows[0]?.count ?? 0
}

async function isTrue(pg: Pick<PoolClient, 'query'>, seed: DemoSeed): Promise<boolean> {
  const { rowCount } = await pg.query('select 1 from dsn_keys where public_key = $1', [
    seed.publicKeys.default,
  ])
  return rowCount === 1
}

async function readSeed(path: string): Promise<DemoSeed | undefined> {
  try {
    return DemoSeed.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}
