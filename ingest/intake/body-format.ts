/**
 * What a path takes: how its body becomes a plan. An endpoint is one of these and a route; who may send, how much, in which
 * encoding, and what a plan costs is the same for all of them.
 */
import type { IngestContext } from '../context.ts'
import type { Reply } from '../http/replies.ts'
import type { DsnKey } from '../keys/key-cache.ts'
import type { RequestHead } from './intake-request.ts'
import type { IntakePlan } from './plan-intake.ts'

export interface BodyFormat {
  /** The body may name its sender: it begins with the header of an envelope, where a `dsn` may stand. */
  readonly mayHoldDsn: boolean
  /** One that is refused is counted already; of one that takes longer nothing is. */
  plan(
    ctx: IngestContext,
    head: RequestHead,
    key: DsnKey,
    bytes: Buffer,
  ): PlannedBody | RefusedBody | UnfinishedBody
  /** The answer as the path's own protocol says it, where that is another. */
  inOwnWords?(reply: Reply): Reply
}

export interface PlannedBody {
  readonly kind: 'planned'
  readonly plan: IntakePlan
  /** What the plan's events and items are ranges of. */
  readonly bytes: Buffer
}

/** More work than fits into one turn. */
export interface UnfinishedBody {
  readonly kind: 'unfinished'
  /** Goes on, giving way in between. The body's bytes must stay until it is done. */
  finish(): Promise<PlannedBody | RefusedBody>
}

export interface RefusedBody {
  readonly kind: 'refused'
  readonly reply: Reply
}
