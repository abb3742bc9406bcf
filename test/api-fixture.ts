/**
 * The API over real engines, called without a socket, and short ways to put issues, events and
 * credentials where the workers and people would have put them. The clock stands still.
 */
import { createHash } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { CodedError } from '#schemas/error-codes.ts'
import { dashed } from '#schemas/ids.ts'
import type { AccessScope } from '#schemas/rest/access-scope.ts'
import { buildApp } from '../api/app.ts'
import { loginCookieName, loginLifeMs } from '../api/auth/login-cookie.ts'
import { makeToken } from '../api/auth/secret.ts'
import type { ApiContext } from '../api/context.ts'
import { inlineComposer } from '../api/email/compose/composer.ts'
import type { ApiInstance } from '../api/http/route.ts'
import {
  createAccessToken,
  createOrganization,
  createProject,
  type NewProject,
} from '../api/io/account-store.ts'
import { createClickHouseReader, createPostgres } from '../api/io/database.ts'
import { addLogin, type Role } from '../api/io/login-store.ts'
import { startStores, type TestStores } from './stores.ts'

export const fixtureNowMs = Date.parse('2026-11-21T01:30:00.000Z')
/** No test leaves the machine: whoever needs DNS or the web hands in what they say. */
export const noOutside: Pick<
  ApiContext,
  'resolver' | 'fetchText' | 'mailSpf' | 'allowUnverifiedFrom'
> = {
  // Domains of tests end in .test and have no DNS; what an unverified one may not do has tests of its own.
  allowUnverifiedFrom: true,
  resolver: { txt: async () => [], mx: async () => [] },
  mailSpf: 'include:relay.test',
  fetchText: (url) => Promise.reject(new Error(`${url} is out of reach`)),
}
export const fixtureSecret = 'a secret of the tests, of enough characters'
/** Events of the fixture must outlive the day on which a test runs, whichever it is. */
const retentionDays = 18_000

export interface Tenant {
  readonly organizationId: string
  readonly project: NewProject
  readonly tokenId: string
  readonly token: string
}

/** What a browser of a person who is logged in sends along. */
export interface PersonLogin {
  readonly personId: string
  readonly email: string
  readonly cookie: string
  readonly csrf: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into replies and says itself what it expects there.
  readonly body: any
}

export interface Call {
  readonly method?: 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE'
  readonly token?: string
  readonly login?: PersonLogin
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The peer's address; 127.0.0.1 when left out. */
  readonly address?: string
}

const startMsMax = 60_000
/** A cursor that leads in a circle fails the test instead of hanging it. */
const pagesMax = 50

/** Call at the top of a test file; what it returns is there once the tests and later hooks run. */
export function apiOfThisFile(): () => ApiFixture {
  let api: ApiFixture | undefined
  beforeAll(async () => {
    api = await ApiFixture.start()
  }, startMsMax)
  afterAll(() => api?.stop())
  return () => {
    if (api === undefined) throw new Error('the API has not started')
    return api
  }
}

/** For what needs no store: none of them answers. */
export function appWithoutStores(parts: Partial<ApiContext> = {}): Promise<ApiInstance> {
  const away = () => Promise.reject(new CodedError('unavailable'))
  return buildApp({
    pg: { query: away, transaction: away },
    clickhouse: { select: away },
    clock: systemClock,
    composer: inlineComposer(),
    log: createLogger('test', 'silent'),
    box: new SecretBox(fixtureSecret),
    ...noOutside,
    trustedProxies: 0,
    apiUrl: 'http://127.0.0.1:8031',
    mailFrom: 'Sluice <sluice@sluice.test>',
    ingestUrl: 'https://errors.example.test',
    mailboxDir: undefined,
    ...parts,
  })
}

export class ApiFixture {
  readonly stores: TestStores
  readonly pool: Pool
  readonly clickhouse: ClickHouseClient
  readonly ctx: ApiContext
  readonly app: ApiInstance
  readonly time: { nowMs: number }

  private constructor(
    parts: Pick<ApiFixture, 'stores' | 'pool' | 'clickhouse' | 'ctx' | 'app' | 'time'>,
  ) {
    this.stores = parts.stores
    this.pool = parts.pool
    this.clickhouse = parts.clickhouse
    this.ctx = parts.ctx
    this.app = parts.app
    this.time = parts.time
  }

  static async start(given?: TestStores): Promise<ApiFixture> {
    const stores = given ?? (await startStores())
    const log = createLogger('test', 'silent')
    const options = { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 4 }
    // A test asks for more at a time than a slow machine has connections for.
    const pool = createPool({ ...options, connectionTimeoutMs: 15_000 }, log)
    const clickhouse = createClickHouse(stores.clickhouseUrl, 'test')
    const time = { nowMs: fixtureNowMs }
    const clock: Clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs }
    const ctx: ApiContext = {
      pg: createPostgres(pool),
      clickhouse: createClickHouseReader(clickhouse),
      clock,
      composer: inlineComposer(),
      log,
      box: new SecretBox(fixtureSecret),
      ...noOutside,
      trustedProxies: 0,
      apiUrl: 'http://127.0.0.1:8031',
      mailFrom: 'Sluice <sluice@sluice.test>',
      ingestUrl: 'https://errors.example.test',
      mailboxDir: undefined,
    }
    return new ApiFixture({ stores, pool, clickhouse, ctx, app: await buildApp(ctx), time })
  }

  async stop(): Promise<void> {
    await this.app.close()
    await Promise.all([this.pool.end(), this.clickhouse.close()])
    await this.stores.stop()
  }

  async tenant(name: string, scopes?: readonly AccessScope[]): Promise<Tenant> {
    const { id: organizationId } = await createOrganization(this.pool, { name })
    const project = await createProject(this.pool, { organizationId, name })
    const chosen = scopes === undefined ? {} : { scopes }
    const token = await createAccessToken(this.pool, { organizationId, label: 'test', ...chosen })
    return { organizationId, project, tokenId: token.id, token: token.value }
  }

  /** A new person of the tenant, logged in; without a password, whose hash would only take time. */
  async login(tenant: Tenant, role: Role = 'owner'): Promise<PersonLogin> {
    const { organizationId } = tenant
    const personId = uuidv7()
    const email = `${role}-${personId}@people.test`
    await this.pool.query(
      `with person as (insert into people (id, email, name) values ($1, $2, $3) returning id)
       insert into memberships (organization_id, person_id, role) select $4, id, $3 from person`,
      [personId, email, role, organizationId],
    )
    const token = makeToken()
    const csrf = makeToken().value
    await addLogin(this.pool, {
      personId,
      organizationId,
      tokenHash: token.hash,
      csrfToken: csrf,
      userAgent: null,
      ip: null,
      now: new Date(this.time.nowMs),
      expiresAt: new Date(this.time.nowMs + loginLifeMs),
    })
    return { personId, email, cookie: `${loginCookieName}=${token.value}`, csrf }
  }

  async call(path: string, call: Call = {}, app: ApiInstance = this.app): Promise<Answer> {
    const token = call.token === undefined ? {} : { 'x-api-key': call.token }
    const { login } = call
    const person = login ? { cookie: login.cookie, 'x-csrf-token': login.csrf } : {}
    const response = await app.inject({
      method: call.method ?? 'GET',
      url: path,
      headers: { ...token, ...person, ...call.headers },
      ...(call.address === undefined ? {} : { remoteAddress: call.address }),
      ...(call.body === undefined ? {} : { payload: call.body as object }),
    })
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? response.json() : response.body,
    }
  }

  /** A route below the tenant's project, with the tenant's token. */
  async of(tenant: Tenant, path: string, call: Call = {}): Promise<Answer> {
    return this.call(`/api/v1/projects/${tenant.project.id}${path}`, {
      token: tenant.token,
      ...call,
    })
  }

  /** A list page by page, each one asked for with the cursor of the one before. */
  async pages(tenant: Tenant, path: string): Promise<Answer[]> {
    const pages: Answer[] = []
    let cursor: string | null = ''
    while (cursor !== null && pages.length < pagesMax) {
      const page: Answer = await this.of(tenant, cursor === '' ? path : `${path}&cursor=${cursor}`)
      pages.push(page)
      cursor = page.body.next_cursor
    }
    return pages
  }

  async addIssue(tenant: Tenant, issue: NewIssue): Promise<string> {
    const id = issue.id ?? uuidv7()
    const { dsnId } = tenant.project
    const { rows } = await this.pool.query<{ last_no: number }>(
      `insert into issue_numbers (project_id, last_no) values ($1, coalesce($2, 1)) on conflict (project_id)
       do update set last_no = coalesce($2, issue_numbers.last_no + 1) returning last_no`,
      [dsnId, issue.shortNo],
    )
    await this.pool.query(
      `insert into issues (id, project_id, short_no, title, culprit, level, platform, status, substatus,
         count, first_seen, last_seen, first_release, last_release)
       values ($1, $2, $3, $4, $5, $6, 'node', $7, $8, $9, $10, $11, $12, $12)`,
      [
        id,
        dsnId,
        rows[0]?.last_no,
        issue.title ?? 'Error: it broke',
        issue.culprit ?? 'main',
        issue.level ?? 'error',
        issue.status ?? 'unresolved',
        issue.substatus ?? null,
        issue.count ?? 1,
        issue.firstSeen ?? at(-60),
        issue.lastSeen ?? at(-1),
        issue.release ?? null,
      ],
    )
    for (const name of issue.hashes ?? []) {
      await this.pool.query(
        `insert into issue_hashes (project_id, hash, issue_id, explanation, created_at)
         values ($1, $2, $3, $4, $5)`,
        [dsnId, dashed(hex(name)), id, issue.explanation ?? {}, issue.firstSeen ?? at(-60)],
      )
    }
    const [first] = issue.hashes ?? []
    if (first !== undefined) {
      // All that the issue counts came with its first hash.
      await this.pool.query(
        `insert into hash_sums select project_id, $2, count, sampled_count, first_seen, last_seen,
           first_release, last_release, title, culprit, level, platform from issues where id = $1`,
        [id, dashed(hex(first))],
      )
    }
    return id
  }

  async addEvents(tenant: Tenant, events: readonly NewEvent[]): Promise<void> {
    const values = events.map(({ id, hash, receivedAt, ...columns }) => ({
      project_id: tenant.project.dsnId,
      event_id: dashed(hex(id)),
      fingerprint: dashed(hex(hash)),
      occurred_at: (receivedAt ?? at(-1)).replace('Z', ''),
      received_at: (receivedAt ?? at(-1)).replace('Z', ''),
      level: 'error',
      platform: 'node',
      title: 'Error: it broke',
      culprit: 'main',
      grouping: '{"algorithm":"g1"}',
      payload: '{}',
      retention_days: retentionDays,
      ...columns,
    }))
    await this.clickhouse.insert({ table: 'events', format: 'JSONEachRow', values })
  }

  /** Heard of first and last so many minutes from now. */
  async addRelease(
    tenant: Tenant,
    release: { version: string; first: number; last: number },
  ): Promise<void> {
    await this.pool.query(
      `insert into releases (project_id, version, first_event_at, last_event_at, event_count)
       values ($1, $2, $3, $4, 5)`,
      [tenant.project.dsnId, release.version, at(release.first), at(release.last)],
    )
  }

  async addOutcomes(tenant: Tenant, rows: readonly Record<string, unknown>[]): Promise<void> {
    const project_id = tenant.project.dsnId
    const values = rows.map((row) => ({ project_id, dsn_key_no: 0, component: '', ...row }))
    await this.clickhouse.insert({ table: 'outcomes', format: 'JSONEachRow', values })
  }
}

export interface NewIssue {
  readonly id?: string
  readonly shortNo?: number
  readonly title?: string
  readonly culprit?: string
  readonly level?: string
  readonly status?: string
  readonly substatus?: string
  readonly count?: number
  readonly firstSeen?: string
  readonly lastSeen?: string
  readonly release?: string
  /** Names, made into hashes by `hex`. */
  readonly hashes?: readonly string[]
  readonly explanation?: unknown
}

export interface NewEvent {
  readonly id: string
  readonly hash: string
  readonly receivedAt?: string
  readonly title?: string
  readonly level?: string
  readonly release?: string
  readonly environment?: string
  readonly component?: string
  readonly user_id?: string
  readonly user_email?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly payload?: string
  readonly grouping?: string
  readonly sampled_ids?: readonly string[]
}

/** 32 hex digits that stand for a name. */
export function hex(name: string): string {
  return createHash('md5').update(name).digest('hex')
}

/** Minutes from the fixture's now. */
export function at(minutes: number): string {
  return new Date(fixtureNowMs + minutes * 60_000).toISOString()
}
