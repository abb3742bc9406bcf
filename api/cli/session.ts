/** The dependencies of commands: Postgres, ClickHouse, public URLs and secrets. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { type TargetSettings, targetSettings } from '#platform/http/safe-request/target-url.ts'
import {
  checkPostgresMigrations,
  MigrationsError,
} from '#platform/installation/check-migrations.ts'
import {
  checkSecret,
  SecretError,
  storeSecretFingerprint,
} from '#platform/installation/check-secret.ts'
import {
  ForeignInstallationError,
  type Installation,
  readInstallation,
} from '#platform/installation/installation.ts'
import { checkClickHouse } from '#platform/installation/open-installation.ts'
import { isUnreachable } from '#platform/installation/retry-at-start.ts'
import { createLogger } from '#platform/logger.ts'
import { connectNats, type NatsConnection } from '#platform/nats/nats.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { SecretBox } from '#platform/secret-box.ts'
import type { AddressName } from '#platform/warn-unset-addresses.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { Composer } from '../compose/composer.ts'
import { ComposePool } from '../compose/pool/compose-pool.ts'
import {
  type ClickHouse,
  createClickHouseReader,
  createPostgres,
  type Postgres,
} from '../database.ts'
import { listOrganizations } from '../organization/organization-store.ts'
import { listOrganizationProjects } from '../projects/project-store.ts'
import type { EngineUrls } from '../reconcile/open-reconcile-store.ts'
import { findProduct } from './find-product.ts'
import { readOrUsageError } from './read-or-usage-error.ts'
import { UsageError } from './usage-error.ts'

export interface Session {
  readonly pg: Postgres
  /** Used by the few commands that report on events. */
  readonly clickhouse: ClickHouse
  readonly clock: Clock
  readonly composer: Composer
  /** INGEST_URL, for DSNs. Reading it throws a UsageError when nothing says what it is. */
  readonly ingestUrl: string
  /** API_URL, for links. Reading it throws a UsageError when nothing says what it is. */
  readonly apiUrl: string
  /** The SPF terms that authorize our mail servers. */
  readonly mailSpf: string
  /** Whether a From address of an unverified domain is a warning instead of an error. */
  readonly allowUnverifiedFrom: boolean
  /** Which addresses webhooks may have (WEBHOOK_ALLOWED_NETWORKS). */
  readonly targetSettings: TargetSettings
  /** Name servers for the check of sending domains (DNS_SERVERS). */
  readonly dnsServers: readonly string[]
  /** Encrypts secrets. Reads SLUICE_SECRET, or the secret in the data folder, on first use. */
  readonly box: () => Promise<SecretBox>
  /**
   * Stores that SLUICE_SECRET is the secret of the installation, once everything is sealed with it.
   */
  readonly recordSecret: () => Promise<void>
  /** Connects to the broker; the caller closes the connection. */
  readonly connectNats: () => Promise<NatsConnection>
  readonly installation: Installation
  /** The engines, for the few commands that open connections of their own. */
  readonly engineUrls: () => EngineUrls
}

export async function withSession<T>(
  env: NodeJS.ProcessEnv,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { postgresUrl, clickhouseUrl, natsUrl, ingestUrl, apiUrl, ...product } =
    await findProduct(env)
  const mail = readOrUsageError(env, [
    'MAIL_SPF',
    'MAIL_ALLOW_UNVERIFIED_FROM',
    'WEBHOOK_ALLOWED_NETWORKS',
    'DNS_SERVERS',
  ])
  const options = { url: postgresUrl, applicationName: 'sluice-admin', connectionsMax: 2 }
  const pool = createPool(options, createLogger('admin', 'silent'))
  const rows = clickhouseUrl === undefined ? undefined : createClickHouse(clickhouseUrl, 'admin')
  const clickhouse = rows === undefined ? unknownClickHouse : createClickHouseReader(rows)
  const composing = new ComposePool()
  try {
    const installation = await findInstallation(pool)
    return await work({
      pg: createPostgres(pool),
      clickhouse: rows === undefined ? clickhouse : checkedFirst(rows, clickhouse, installation),
      clock: systemClock,
      composer: new Composer((task, owner) => composing.run(task, owner)),
      get ingestUrl() {
        return ingestUrl ?? refuseAddress('INGEST_URL')
      },
      get apiUrl() {
        return apiUrl ?? refuseAddress('API_URL')
      },
      mailSpf: mail.MAIL_SPF,
      allowUnverifiedFrom: env['MAIL_ALLOW_UNVERIFIED_FROM']
        ? mail.MAIL_ALLOW_UNVERIFIED_FROM
        : product.allowUnverifiedFrom,
      targetSettings: targetSettings(mail.WEBHOOK_ALLOWED_NETWORKS),
      dnsServers: mail.DNS_SERVERS,
      box: () => findBox(env, pool, installation),
      recordSecret: async () =>
        storeSecretFingerprint(pool, installation.id, await findSecret(env)),
      connectNats: () => findNats(natsUrl),
      installation,
      engineUrls: () => {
        if (clickhouseUrl !== undefined && natsUrl !== undefined) {
          return { postgres: postgresUrl, clickhouse: clickhouseUrl, nats: natsUrl }
        }
        throw new UsageError(
          'This needs all engines: set CLICKHOUSE_URL and NATS_URL beside POSTGRES_URL.',
        )
      },
    })
  } finally {
    await Promise.all([composing.close(), pool.end(), rows?.close()])
  }
}

const addressMeanings: Readonly<Record<AddressName, string>> = {
  INGEST_URL: 'the address at which SDKs reach ingest, as in https://errors.example.com',
  API_URL:
    'the address at which people and scripts reach the API, as in https://sluice.example.com',
}

function refuseAddress(name: AddressName): never {
  throw new UsageError(
    `${name} is not set: set it to ${addressMeanings[name]}, because this command prints or stores it.`,
  )
}

/** Throws a UsageError, before a command changes anything, when an address is unknown. */
export function requireAddresses(session: Session, names: readonly AddressName[]): void {
  for (const name of names) void (name === 'INGEST_URL' ? session.ingestUrl : session.apiUrl)
}

/** The session with further fields. Spreading it would read every address. */
export function sessionWith<Fields extends object>(
  session: Session,
  fields: Fields,
): Omit<Session, keyof Fields> & Fields {
  return Object.assign(Object.create(session), fields)
}

/** Throws a UsageError when the database lacks migrations or is of a newer version. */
async function findInstallation(pool: Pool): Promise<Installation> {
  try {
    await checkPostgresMigrations(pool)
    return await readInstallation(pool)
  } catch (error) {
    if (error instanceof MigrationsError)
      throw new UsageError(`${error.message}.`, { cause: error })
    if (isUnreachable(error)) throw new CodedError('unavailable', { cause: error })
    throw error
  }
}

/** Checks ClickHouse on the first query, because few commands read from it. */
function checkedFirst(
  client: ClickHouseClient,
  reader: ClickHouse,
  installation: Installation,
): ClickHouse {
  let checked: Promise<void> | undefined
  return {
    select: async (sql, parameters) => {
      checked ??= checkClickHouse(client, installation).catch((error: unknown) => {
        const isOurs = error instanceof MigrationsError || error instanceof ForeignInstallationError
        if (isOurs) throw new UsageError(`${error.message}.`, { cause: error })
        // If ClickHouse does not respond, the query reports it.
      })
      await checked
      return reader.select(sql, parameters)
    },
  }
}

const unknownClickHouse: ClickHouse = {
  select: () => {
    throw new UsageError('This needs ClickHouse as well: set CLICKHOUSE_URL beside POSTGRES_URL.')
  },
}

async function findNats(natsUrl: string | undefined): Promise<NatsConnection> {
  if (natsUrl === undefined) {
    throw new UsageError('This needs the broker as well: set NATS_URL beside POSTGRES_URL.')
  }
  try {
    return await connectNats(natsUrl, 'sluice-admin')
  } catch (cause) {
    throw new UsageError('NATS does not answer: see NATS_URL.', { cause })
  }
}

const StoredSecret = z.object({ sluice: z.string().min(32) })

async function findBox(
  env: NodeJS.ProcessEnv,
  pool: Pool,
  { id }: Installation,
): Promise<SecretBox> {
  const { SLUICE_SECRET_PREVIOUS: previous } = readOrUsageError(env, ['SLUICE_SECRET_PREVIOUS'])
  const secret = await findSecret(env)
  try {
    await checkSecret(pool, id, previous === undefined ? [secret] : [secret, previous])
  } catch (error) {
    if (error instanceof SecretError) throw new UsageError(`${error.message}.`, { cause: error })
    throw error
  }
  return new SecretBox(secret, previous)
}

async function findSecret(env: NodeJS.ProcessEnv): Promise<string> {
  if (env['SLUICE_SECRET']) return readOrUsageError(env, ['SLUICE_SECRET']).SLUICE_SECRET
  const { SLUICE_DATA_DIR: dataDir } = readOrUsageError(env, ['SLUICE_DATA_DIR'])
  try {
    const text = await readFile(join(dataDir, 'secrets.json'), 'utf8')
    return StoredSecret.parse(JSON.parse(text)).sluice
  } catch (cause) {
    throw new UsageError('This needs the secret of the product: set SLUICE_SECRET.', { cause })
  }
}

/** The organization that is named by id or name. Without a name, the only organization. */
export async function chooseOrganization(pg: Postgres, named: string | undefined): Promise<string> {
  const organizations = await listOrganizations(pg)
  if (named === undefined) {
    const [only, ...others] = organizations
    if (only === undefined) {
      throw new UsageError(
        'There is no organization yet: create the first one with `setup`, or one with `organization create --name N`.',
      )
    }
    if (others.length === 0) return only.id
    const names = organizations.slice(0, 10).map((organization) => organization.name)
    throw new UsageError(
      `There are several organizations (${names.join(', ')}): name one with --organization.`,
    )
  }
  const matches = organizations.filter(
    ({ id, name }) => id === named.toLowerCase() || name === named,
  )
  if (matches.length === 1) return matches[0]!.id
  const what = matches.length === 0 ? 'No organization is' : 'Several organizations are'
  throw new UsageError(`${what} called ${named}: see \`organization list\`.`)
}

/** The project that is named by UUID, DSN number or name. Without a name, the only project. */
export async function chooseProject(
  pg: Postgres,
  choice: { organizationId: string; named: string | undefined },
) {
  const { organizationId, named } = choice
  const projects = await listOrganizationProjects(pg, organizationId)
  if (named === undefined) {
    if (projects.length === 1) return projects[0]!
    const what = projects.length === 0 ? 'There is no project yet' : 'There are several projects'
    throw new UsageError(`${what}: name one with --project, see \`project list\`.`)
  }
  const matches = projects.filter(
    ({ id, dsn_id, name }) =>
      id === named.toLowerCase() || String(dsn_id) === named || name === named,
  )
  if (matches.length === 1) return matches[0]!
  const what = matches.length === 0 ? 'No project is' : 'Several projects are'
  throw new UsageError(`${what} called ${named}: see \`project list\`.`)
}
