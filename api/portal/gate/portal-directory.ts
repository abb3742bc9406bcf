/**
 * Cache of portals with their opened secrets. Every reply contains settings of its portal, and
 * reading them for each request would double the cost of a read. Code that saves settings calls
 * `evict`; other processes read them again after `keptMs`. Unknown keys are cached too, so that
 * guesses do not reach the store.
 */
import { RecentMap } from '#platform/recent-map.ts'
import type { ApiContext } from '../../context.ts'
import type { ApiInstance } from '../../http/route.ts'
import { findPortalByKey, type StoredPortal } from '../settings/portal-settings-store.ts'
import { addPagePass } from './page-pass.ts'

export interface PortalProject extends Omit<StoredPortal, 'secrets'> {
  /** Keys of its users' tokens, newest first. */
  readonly tokenKeys: readonly Buffer[]
}

export const enduserSecretPurpose = 'enduser secret'

const keptMs = 3_000
const portalsMax = 10_000

interface Entry {
  readonly portal: Promise<PortalProject | undefined>
  readonly untilMs: number
  /** The portal that was read last; it stays when the entry has expired. */
  last: PortalProject | undefined
}

export class PortalDirectory {
  readonly #ctx: Pick<ApiContext, 'pg' | 'box' | 'clock'>
  readonly #entries = new RecentMap<string, Entry>(portalsMax)

  constructor(ctx: Pick<ApiContext, 'pg' | 'box' | 'clock'>) {
    this.#ctx = ctx
  }

  /** @param projectKey in lower case. */
  find(projectKey: string): Promise<PortalProject | undefined> {
    const nowMs = this.#ctx.clock.monotonicMs()
    const known = this.#entries.get(projectKey)
    if (known !== undefined && nowMs < known.untilMs) return known.portal
    const portal = this.#read(projectKey)
    const entry: Entry = { portal, untilMs: nowMs + keptMs, last: known?.last }
    this.#entries.set(projectKey, entry)
    portal.then(
      (found) => {
        entry.last = found
      },
      () => {
        if (this.#entries.get(projectKey) === entry) this.#entries.delete(projectKey)
      },
    )
    return portal
  }

  /** The portal that the key named when it was last read. Does not query the store. */
  recall(projectKey: string): PortalProject | undefined {
    return this.#entries.get(projectKey)?.last
  }

  /** The next `find` reads the portal from the store. */
  evict(projectKey: string): void {
    this.#entries.delete(projectKey)
  }

  async #read(projectKey: string): Promise<PortalProject | undefined> {
    const stored = await findPortalByKey(this.#ctx.pg, projectKey)
    if (stored === undefined) return undefined
    const { secrets, ...portal } = stored
    const tokenKeys = secrets.map(({ id, sealed }) =>
      Buffer.from(this.#ctx.box.open(enduserSecretPurpose, id, sealed), 'utf8'),
    )
    return { ...portal, tokenKeys }
  }
}

/** Call it once for the whole app: the gate, the hosted page and the settings routes share both. */
export function addPortalDirectory(app: ApiInstance, ctx: ApiContext): void {
  app.decorate('portalDirectory', new PortalDirectory(ctx))
  addPagePass(app)
}

export function portalDirectoryOf(app: ApiInstance): PortalDirectory {
  return app.getDecorator<PortalDirectory>('portalDirectory')
}
