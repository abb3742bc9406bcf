/**
 * Meters events per minute, of a project (its spike limit) or of one key. Blocks of units come from
 * the store, so that all processes together respect the limit. Unused units expire with their
 * minute and are not returned. While the store is unavailable, each process applies the limit to
 * itself alone.
 */
import assert from 'node:assert'
import { quotaLeaseUnitsMax } from '#schemas/limits.ts'
import type { Asker } from './ask-queue.ts'
import { minuteAt } from './quota-period.ts'
import type { MinuteGrant, MinuteRequest, MinuteScope } from './quota-store.ts'
import { type BlockUse, sizeBlock } from './size-block.ts'

export interface MinuteMeterHost {
  readonly isAway: boolean
  monotonicMs(): number
  ask(meter: MinuteMeter): void
  onAnswer(meter: MinuteMeter): void
}

const renewShare = 0.8
/** Interval at which an exhausted minute is requested again, in case the limit was raised. */
const exhaustedAskMs = 1_000

export class MinuteMeter implements Asker<MinuteRequest, MinuteGrant> {
  readonly #scope: MinuteScope
  readonly #scopeId: number
  readonly #host: MinuteMeterHost
  /** The limit in the latest answer; undefined when there is none any more. */
  limit: number | undefined
  #minuteMs = -1
  #units = 0
  #charged = 0
  #renewAt = 0
  #grantedAtMs = 0
  #blockUnits = 0
  #chargedBefore = 0
  #before: BlockUse | undefined
  #isExhausted = false
  #wasRefused = false
  #request: MinuteRequest | undefined
  #isAsked = false
  #askedAtMs = Number.NEGATIVE_INFINITY
  #unitsNeeded = 0

  constructor(
    { scope, scopeId, limit }: { scope: MinuteScope; scopeId: number; limit: number },
    host: MinuteMeterHost,
  ) {
    this.#scope = scope
    this.#scopeId = scopeId
    this.limit = limit
    this.#host = host
  }

  isReady(count: number, nowMs: number): boolean {
    this.#follow(nowMs)
    const isDecided = this.limit === undefined || this.#isExhausted || this.#host.isAway
    return isDecided || count <= this.#units - this.#charged
  }

  /** A raised limit is asked for at once. */
  followLimit(limit: number): void {
    if (this.limit !== undefined && this.limit < limit) this.#isExhausted = false
    this.limit = limit
  }

  need(count: number): void {
    this.#unitsNeeded += count
    this.#ask()
  }

  resetNeeds(): void {
    this.#unitsNeeded = 0
  }

  /** Whether one more event may pass in this minute. Charges nothing; `spend` does. */
  hasUnit(nowMs: number): boolean {
    this.#follow(nowMs)
    if (this.limit === undefined || this.#charged < this.#units) return true
    if (!this.#isExhausted && this.#charged < this.limit) return true
    this.#wasRefused = true
    return false
  }

  spend(): void {
    this.#charged += 1
    if (this.#charged >= this.#renewAt && !this.#isExhausted && this.limit !== undefined)
      this.#ask()
  }

  tick(nowMs: number): void {
    if (this.#wasRefused && this.#askedAtMs + exhaustedAskMs <= nowMs) this.#ask()
  }

  request(): MinuteRequest {
    assert(0 <= this.#minuteMs)
    this.#request = {
      scope: this.#scope,
      scopeId: this.#scopeId,
      minuteMs: this.#minuteMs,
      unitsNeeded: Math.min(this.#unitsNeeded, quotaLeaseUnitsMax),
      unitsWanted: sizeBlock(this.#use()),
    }
    return this.#request
  }

  receive(grant: MinuteGrant): void {
    const request = this.#request
    this.#request = undefined
    this.#isAsked = false
    this.limit = grant.limit
    if (request !== undefined && request.minuteMs === this.#minuteMs) {
      this.#wasRefused = false
      this.#isExhausted = grant.units < Math.max(1, request.unitsNeeded)
      this.#before = this.#use()
      // Units that were charged while the store was unavailable stay charged to this process alone.
      this.#units = Math.max(this.#units, this.#charged) + grant.units
      this.#chargedBefore = this.#charged
      this.#blockUnits = grant.units
      this.#renewAt = this.#charged + Math.ceil((this.#units - this.#charged) * renewShare)
      this.#grantedAtMs = this.#host.monotonicMs()
    }
    this.#host.onAnswer(this)
  }

  #ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    this.#askedAtMs = this.#host.monotonicMs()
    this.#host.ask(this)
  }

  #follow(nowMs: number): void {
    const minuteMs = minuteAt(nowMs)
    if (minuteMs === this.#minuteMs) return
    this.#before = this.#use()
    this.#minuteMs = minuteMs
    this.#units = 0
    this.#charged = 0
    this.#renewAt = 0
    this.#blockUnits = 0
    this.#chargedBefore = 0
    this.#isExhausted = false
    this.#wasRefused = false
  }

  #use(): BlockUse | undefined {
    if (this.#blockUnits === 0) return this.#before
    return {
      units: this.#blockUnits,
      charged: this.#charged - this.#chargedBefore,
      elapsedMs: this.#host.monotonicMs() - this.#grantedAtMs,
    }
  }
}
