/** Where links lead and what is counted, remembered for a while: a campaign's letters all ask for the same few rows. */
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

  constructor(parts: { pg: Database; clock: Clock }) {
    this.#pg = parts.pg
    this.#clock = parts.clock
  }

  find(campaignId: string): Promise<TrackedCampaign | undefined> {
    const nowMs = this.#clock.nowMs()
    const known = this.#entries.get(campaignId)
    if (known !== undefined && nowMs < known.untilMs) return known.found
    const found = findTrackedCampaign(this.#pg, campaignId)
    this.#entries.set(campaignId, { found, untilMs: nowMs + keptMs })
    // A store that was away is asked again.
    found.catch(() => this.#entries.delete(campaignId))
    return found
  }
}
