/**
 * Keeps the slow receivers of one organization from occupying every place of the process that sends
 * notifications: some places stay free of it in any case, and few of them are for requests that
 * take long. A target that finds no place tries again later, those of one organization one after
 * the other, so that a thousand of them make no busy loop.
 */

export interface SlotLimits {
  /** Targets of one organization that are sent to at a time. */
  readonly targetsMax: number
  /** Of those, how many may take longer than `slowMs` before no other one begins. */
  readonly slowMax: number
  readonly slowMs: number
  /** Time between the next tries of targets that found no place. */
  readonly spacingMs: number
  readonly waitMsMax: number
}

/** Of the sixteen places of a process (delivery-jobs.ts). */
export const slotLimits: SlotLimits = {
  targetsMax: 12,
  slowMax: 4,
  slowMs: 1_000,
  spacingMs: 250,
  waitMsMax: 60_000,
}

export type Slot =
  | { readonly kind: 'free'; readonly leave: () => void }
  | { readonly kind: 'busy'; readonly waitMs: number }

interface Places {
  readonly startsMs: number[]
  /** When the target that was put off last tries again. */
  lastTryMs: number
}

export class OrganizationSlots {
  readonly #limits: SlotLimits
  /** Organizations that are sent to now. */
  readonly #places = new Map<string, Places>()

  constructor(limits: SlotLimits = slotLimits) {
    this.#limits = limits
  }

  enter(organizationId: string, nowMs: number): Slot {
    const { targetsMax, slowMax, slowMs, spacingMs, waitMsMax } = this.#limits
    const places = this.#places.get(organizationId) ?? { startsMs: [], lastTryMs: nowMs }
    const { startsMs } = places
    const slow = startsMs.filter((startMs) => startMs + slowMs <= nowMs).length
    if (targetsMax <= startsMs.length || slowMax <= slow) {
      const nextMs = Math.max(places.lastTryMs, nowMs + slowMs) + spacingMs
      places.lastTryMs = nextMs <= nowMs + waitMsMax ? nextMs : nowMs + slowMs
      return { kind: 'busy', waitMs: places.lastTryMs - nowMs }
    }
    this.#places.set(organizationId, places)
    startsMs.push(nowMs)
    return { kind: 'free', leave: () => this.#leave(organizationId, nowMs) }
  }

  #leave(organizationId: string, startMs: number): void {
    const places = this.#places.get(organizationId)
    if (places === undefined) return
    places.startsMs.splice(places.startsMs.indexOf(startMs), 1)
    if (places.startsMs.length === 0) this.#places.delete(organizationId)
  }
}
