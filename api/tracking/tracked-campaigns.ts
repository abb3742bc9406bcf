/** Caches the links and settings of campaigns, because all emails of one need the same rows. */
import type { Clock } from '#platform/clock.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { Database } from '../database.ts'
import { findTrackedCampaign, type TrackedCampaign } from './tracking-store.ts'

const campaignsKeptMax = 500
const keptMs = 60_000

interface Entry {
  readonly found: Promise<TrackedCampaign | undefined>
  readonly untilMs: number
}

export class TrackedCampaigns {
  readonly #pg: Database
  readonly #clock: Clock
  readonly #entries = new RecentMap<string, Entry>(campaignsKeptMax)

  constructor(context: { pg: Database; clock: Clock }) {
    this.#pg = context.pg
    this.#clock = context.clock
  }

  find(campaignId: string): Promise<TrackedCampaign | undefined> {
    const nowMs = this.#clock.nowMs()
    const known = this.#entries.get(campaignId)
    if (known !== undefined && nowMs < known.untilMs) return known.found
    const found = findTrackedCampaign(this.#pg, campaignId)
    this.#entries.set(campaignId, { found, untilMs: nowMs + keptMs })
    // A failed query is not cached.
    found.catch(() => this.#entries.delete(campaignId))
    return found
  }
}
