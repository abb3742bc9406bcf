/**
 * The live connections of one API process. One poller reads for all of them, once a second and only
 * while somebody is connected: first who may still listen, then the versions of what they watch
 * (version-store.ts). Nothing is sent unless both succeeded, so that nobody is told more than they
 * may. When Postgres does not respond, connections stay, and what changed meanwhile follows.
 */
import { randomBytes } from 'node:crypto'
import { CodedError } from '#schemas/error-codes.ts'
import type { LiveChange, LiveTopic } from '#schemas/rest/live.ts'
import type { ApiContext } from '../context.ts'
import { loginIdleMs } from '../logins/login-cookie.ts'
import type { Role } from '../logins/login-store.ts'
import { findActiveLogins, findActiveTokens, findExistingProjects } from './holder-store.ts'
import { LiveStream } from './live-stream.ts'
import { ofInstallation, readVersions, type Versions } from './version-store.ts'
import { Watch } from './watch.ts'

/** Tabs of one login, and connections of one access token. */
export const streamsPerHolderMax = 20
export const streamsPerProcessMax = 2_000
/** Projects and organizations that one read covers; more take turns. */
const watchesPerReadMax = 50
/** After the last connection ends, changes are still collected for clients that come back. */
const lingerMs = 60_000

export type Holder =
  | { readonly type: 'login'; readonly id: string; readonly role: Role }
  | { readonly type: 'token'; readonly id: string }

export interface LiveListener {
  readonly holder: Holder
  readonly organizationId: string
  readonly project: { readonly id: string; readonly dsnId: number | string } | undefined
  readonly topics: ReadonlySet<LiveTopic>
  /** Where an earlier connection ended. */
  readonly lastCursor: string | undefined
}

interface Connection extends LiveListener {
  readonly stream: LiveStream
  readonly watches: readonly Watch[]
}

type HubContext = Pick<ApiContext, 'pg' | 'clock'>

export class LiveHub {
  readonly #ctx: HubContext
  readonly #connections = new Set<Connection>()
  readonly #watches = new Map<string, Watch>()
  readonly #leftAtMs = new Map<Watch, number>()
  /** Cursors are positions in the changes of this process. */
  readonly #processId = randomBytes(6).toString('base64url')
  #position = 0
  #turn = 0
  #isClosed = false

  constructor(ctx: HubContext) {
    this.#ctx = ctx
  }

  get size(): number {
    return this.#connections.size
  }

  async open(listener: LiveListener): Promise<LiveStream> {
    this.#admit(listener)
    const { organizationId, project, lastCursor } = listener
    const watches = [this.#watch(organizationId, undefined)]
    if (project !== undefined) watches.push(this.#watch(project.id, project.dsnId))
    // What changes from now on is announced.
    await this.#read(watches.filter(({ isRead }) => !isRead))
    this.#admit(listener)
    const stream = new LiveStream(this.#cursor())
    const connection = { ...listener, watches, stream }
    this.#connections.add(connection)
    for (const watch of watches) this.#leftAtMs.delete(watch)
    stream.once('close', () => this.#forget(connection))
    if (lastCursor !== undefined) this.#send(connection, this.#missed(connection, lastCursor))
    return stream
  }

  /** One round of the poller. */
  async poll(): Promise<void> {
    this.#dropUnused()
    if (this.#watches.size === 0) return
    await this.#endFormerHolders()
    const watches = [...this.#watches.values()]
    const from = this.#turn % watches.length
    this.#turn = from + watchesPerReadMax
    await this.#read(
      [...watches.slice(from), ...watches.slice(0, from)].slice(0, watchesPerReadMax),
    )
  }

  keepAlive(): void {
    const nowMs = this.#ctx.clock.monotonicMs()
    for (const { stream } of this.#connections) stream.keepAlive(nowMs, this.#cursor())
  }

  /** Ends all connections. Their clients come back to another process. */
  close(): void {
    this.#isClosed = true
    for (const { stream } of this.#connections) stream.end()
  }

  #admit({ holder }: LiveListener): void {
    if (this.#isClosed) throw new CodedError('unavailable')
    if (this.#connections.size >= streamsPerProcessMax) throw new CodedError('streams_full')
    let count = 0
    for (const { holder: other } of this.#connections) if (other.id === holder.id) count += 1
    if (count >= streamsPerHolderMax) throw new CodedError('too_many_streams')
  }

  #watch(id: string, dsnId: number | string | undefined): Watch {
    const known = this.#watches.get(id)
    if (known !== undefined) return known
    const watch = new Watch(id, dsnId)
    this.#watches.set(id, watch)
    this.#leftAtMs.set(watch, this.#ctx.clock.monotonicMs())
    return watch
  }

  async #read(watches: readonly Watch[]): Promise<void> {
    if (watches.length === 0) return
    const rows = await readVersions(this.#ctx.pg, {
      projects: watches.flatMap(({ id, dsnId }) => (dsnId === undefined ? [] : [{ id, dsnId }])),
      organizationIds: watches.flatMap(({ id, dsnId }) => (dsnId === undefined ? [id] : [])),
    })
    // A cursor from before says nothing about what is read for the first time.
    if (watches.some(({ isRead }) => !isRead)) this.#position += 1
    const byOwner = new Map<string, Versions[]>()
    for (const row of rows) {
      const known = byOwner.get(row.owner)
      if (known === undefined) byOwner.set(row.owner, [row])
      else known.push(row)
    }
    const common = byOwner.get(ofInstallation) ?? []
    for (const watch of watches) {
      const changes = watch.read([...(byOwner.get(watch.id) ?? []), ...common], this.#position)
      if (changes.length > 0) this.#announce(watch, changes)
    }
  }

  #announce(watch: Watch, changes: readonly LiveChange[]): void {
    this.#position += 1
    watch.keep(changes, this.#position)
    for (const connection of this.#connections) {
      if (connection.watches.includes(watch)) this.#send(connection, changes)
    }
  }

  #send({ stream, topics }: Connection, changes: readonly LiveChange[]): void {
    const allowed = changes.filter(({ topic }) => topics.has(topic))
    if (allowed.length > 0) stream.announce(allowed, this.#cursor())
  }

  #missed({ watches, topics }: Connection, lastCursor: string): readonly LiveChange[] {
    const [processId, position] = lastCursor.split('.', 2)
    const after = Number(position)
    const isOurs = processId === this.#processId && Number.isInteger(after)
    const known = isOurs ? watches.map((watch) => watch.changesAfter(after)) : [undefined]
    if (!known.includes(undefined)) return known.flatMap((changes) => changes ?? [])
    return [...topics].map((topic) => ({ topic, ids: null }))
  }

  #cursor(): string {
    return `${this.#processId}.${this.#position}`
  }

  async #endFormerHolders(): Promise<void> {
    const { pg, clock } = this.#ctx
    const now = new Date(clock.nowMs())
    const usedSince = new Date(clock.nowMs() - loginIdleMs)
    const connections = [...this.#connections]
    const idsOf = (type: Holder['type']) => [
      ...new Set(connections.flatMap(({ holder }) => (holder.type === type ? [holder.id] : []))),
    ]
    const [loginIds, tokenIds] = [idsOf('login'), idsOf('token')]
    const projectIds = [...new Set(connections.flatMap(({ project }) => project?.id ?? []))]
    const none = Promise.resolve([])
    const [logins, tokens, projects] = await Promise.all([
      loginIds.length === 0 ? none : findActiveLogins(pg, { ids: loginIds, now, usedSince }),
      tokenIds.length === 0 ? none : findActiveTokens(pg, { ids: tokenIds, now }),
      projectIds.length === 0 ? none : findExistingProjects(pg, projectIds),
    ])
    const loginOf = new Map(logins.map((login) => [login.id, login]))
    for (const { holder, organizationId, project, stream } of connections) {
      const login = loginOf.get(holder.id)
      const isHeld =
        holder.type === 'token'
          ? tokens.includes(holder.id)
          : login?.organizationId === organizationId && login.role === holder.role
      if (!isHeld || (project !== undefined && !projects.includes(project.id))) stream.end()
    }
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection)
    const watched = new Set([...this.#connections].flatMap(({ watches }) => watches))
    const nowMs = this.#ctx.clock.monotonicMs()
    for (const watch of connection.watches) {
      if (!watched.has(watch)) this.#leftAtMs.set(watch, nowMs)
    }
  }

  #dropUnused(): void {
    const nowMs = this.#ctx.clock.monotonicMs()
    for (const [watch, leftAtMs] of this.#leftAtMs) {
      if (nowMs - leftAtMs < lingerMs) continue
      this.#leftAtMs.delete(watch)
      this.#watches.delete(watch.id)
    }
  }
}
