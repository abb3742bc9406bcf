/**
 * Sends the due deliveries of one target, one after the other. Receivers get each delivery at least
 * once: after a crash between the request and its record, it is sent again with the same id. There
 * is exactly one record of it, because attempts are entries of its row.
 */
import { v4 as uuidv4 } from 'uuid'
import type { Clock } from '#platform/clock.ts'
import { failpoint } from '#platform/failpoint.ts'
import type { RequestResult, SafeRequest } from '#platform/http/safe-request/safe-request.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { ChannelUrls } from '../notifications/channels/channel.ts'
import { channelRequest } from '../notifications/channels/channel-request.ts'
import { shownNotification } from '../notifications/shown-notification.ts'
import type { SendAlertEmail } from './alert-email.ts'
import { openMsAfter } from './circuit-breaker.ts'
import {
  type Attempt,
  type AttemptResult,
  type DueDelivery,
  failPending,
  type Lease,
  type LeasedTarget,
  leaseTarget,
  nextDueDelivery,
  recordAttempt,
  releaseTarget,
  waitForLease,
} from './delivery-store.ts'
import { hideSecrets } from './hide-secrets.ts'
import { judgeResult, type Verdict } from './judge-result.ts'
import { type OpenedTarget, openTarget } from './open-target.ts'
import { OrganizationSlots } from './organization-slots.ts'
import { nextAttemptMs } from './retry-schedule.ts'

export interface DeliveryContext {
  readonly pg: Pool
  readonly box: Pick<SecretBox, 'open'>
  readonly request: SafeRequest
  readonly urls: ChannelUrls
  readonly sendAlertEmail: SendAlertEmail
  readonly clock: Clock
  readonly log: Logger
  /** Counts an attempt by type of the target. */
  readonly count: (type: string, end: 'delivered' | 'retry' | 'failed') => void
  /** No delivery begins after it is aborted. */
  readonly signal: AbortSignal
}

/** After these, deliveries to other targets come first. */
const deliveriesPerRunMax = 20
const runMsMax = 20_000
/** Of the response, in the log of deliveries. */
const responseCharactersMax = 1_024

/** @param slots places of the process that sends; those of a call alone by default. */
export async function deliverToTarget(
  ctx: DeliveryContext,
  targetId: string,
  slots = new OrganizationSlots(),
): Promise<void> {
  const lease: Lease = { targetId, leaseId: uuidv4() }
  const target = await leaseTarget(ctx.pg, lease)
  // Without a lease it is being sent to, or was deleted with its deliveries.
  if (target === undefined) return waitForLease(ctx.pg, targetId)
  const slot = slots.enter(target.organization_id, ctx.clock.monotonicMs())
  if (slot.kind === 'busy') {
    const openUntil = new Date(ctx.clock.nowMs() + slot.waitMs)
    return releaseTarget(ctx.pg, lease, { openUntil, hasMore: false })
  }
  try {
    await sendAndRelease(ctx, lease, target)
  } finally {
    slot.leave()
  }
}

async function sendAndRelease(
  ctx: DeliveryContext,
  lease: Lease,
  target: LeasedTarget,
): Promise<void> {
  const { targetId } = lease
  const end = await sendDue(ctx, lease, target)
  if (end.kind === 'disabled') {
    const now = new Date(ctx.clock.nowMs())
    const failed = await failPending(ctx.pg, targetId, { error: end.error, now })
    for (let index = 0; index < failed; index += 1) ctx.count(target.type, 'failed')
  }
  const openUntil = end.kind === 'open' ? end.until : null
  await releaseTarget(ctx.pg, lease, { openUntil, hasMore: end.kind === 'more' })
}

type RunEnd =
  | { readonly kind: 'done' }
  /** The target has given way to others. */
  | { readonly kind: 'more' }
  | { readonly kind: 'open'; readonly until: Date }
  | { readonly kind: 'disabled'; readonly error: string }

async function sendDue(ctx: DeliveryContext, lease: Lease, target: LeasedTarget): Promise<RunEnd> {
  const { pg, clock, signal } = ctx
  if (target.disabled_at !== null) return disabled(target.disabled_reason)
  if (target.open_until !== null && clock.nowMs() < target.open_until.getTime()) {
    return { kind: 'open', until: target.open_until }
  }
  const startedMs = clock.monotonicMs()
  let { failures } = target
  for (let sent = 0; sent < deliveriesPerRunMax; sent += 1) {
    if (signal.aborted || runMsMax < clock.monotonicMs() - startedMs) break
    const due = await nextDueDelivery(pg, lease.targetId, new Date(clock.nowMs()))
    if (due === undefined) return { kind: 'done' }
    const opened = openTarget(ctx.box, target, clock.nowMs())
    const { attempt, verdict } = await attemptDelivery(ctx, { target, opened, due })
    const result = resultOf({ attempt, verdict, due, failures, nowMs: clock.nowMs() })
    failures = result.target.failures
    failpoint('deliveries.after_request')
    const isOurs = await recordAttempt(pg, lease, result, new Date(clock.nowMs()))
    ctx.count(target.type, result.state === 'pending' ? 'retry' : result.state)
    const { disabledReason, openUntil } = result.target
    if (disabledReason !== null) {
      ctx.log.info(
        { code: 'target_disabled', target: target.id, type: target.type },
        'A notification target was disabled: its receiver wants no more notifications.',
      )
      return disabled(disabledReason)
    }
    if (openUntil !== null) return { kind: 'open', until: openUntil }
    if (!isOurs) return { kind: 'done' }
  }
  return { kind: 'more' }
}

function disabled(reason: string | null): RunEnd {
  return { kind: 'disabled', error: `The target is disabled. ${reason ?? ''}`.trim() }
}

interface Attempted {
  readonly attempt: Attempt
  readonly verdict: Verdict
}

async function attemptDelivery(
  ctx: DeliveryContext,
  options: {
    readonly target: LeasedTarget
    readonly opened: OpenedTarget
    readonly due: DueDelivery
  },
): Promise<Attempted> {
  const { target, opened, due } = options
  const { clock } = ctx
  const atMs = clock.nowMs()
  const startedMs = clock.monotonicMs()
  const attempted = (verdict: Verdict, response?: RequestResult): Attempted => ({
    verdict,
    attempt: {
      at: new Date(atMs).toISOString(),
      status: response?.kind === 'response' ? response.status : null,
      latency_ms: Math.round(clock.monotonicMs() - startedMs),
      error: verdict.kind === 'delivered' ? null : verdict.error,
      response: response?.kind === 'response' ? shownAnswer(response.body, opened) : null,
    },
  })
  if (opened.kind === 'unreadable') {
    ctx.log.error(
      { code: 'target_unreadable', target: target.id, reason: opened.error },
      'The settings of a notification target cannot be read; its deliveries are retried.',
    )
    return attempted(failedAttempt(opened.error))
  }
  if (opened.target.type === 'email') {
    return attempted(await queueEmails(ctx, { target, to: opened.target, due }))
  }
  const message = {
    id: due.id,
    atMs,
    payload: due.payload,
    shown: shownNotification(due.payload),
    secrets: opened.secrets,
    urls: ctx.urls,
  }
  let request: ReturnType<typeof channelRequest>
  try {
    request = channelRequest(opened.target, message)
  } catch (error) {
    ctx.log.error(
      { code: 'request_not_written', target: target.id, type: target.type, err: error },
      'Writing the request of a notification failed.',
    )
    return attempted({ kind: 'failed', error: 'The request could not be written.' })
  }
  const response = await ctx.request(request)
  return attempted(judgeResult(opened.target.type, response, clock.nowMs()), response)
}

async function queueEmails(
  ctx: DeliveryContext,
  options: {
    readonly target: LeasedTarget
    readonly to: Parameters<SendAlertEmail>[1]
    readonly due: DueDelivery
  },
): Promise<Verdict> {
  const { target, to, due } = options
  const delivery = {
    id: due.id,
    organizationId: target.organization_id,
    ruleId: target.rule_id,
    payload: due.payload,
    isTest: due.is_test,
  }
  try {
    const result = await ctx.sendAlertEmail(delivery, to)
    return result.kind === 'queued'
      ? { kind: 'delivered' }
      : { kind: 'failed', error: result.reason }
  } catch (error) {
    ctx.log.warn(
      { code: 'alert_email_failed', delivery: due.id, err: error },
      'Queueing the emails of a notification failed; it is retried.',
    )
    return failedAttempt('The emails could not be queued.')
  }
}

function failedAttempt(error: string): Verdict {
  return { kind: 'retry', error, retryAfterMs: undefined, isThrottled: false }
}

function shownAnswer(body: string, opened: OpenedTarget): string {
  if (opened.kind !== 'ok' || opened.target.type === 'email') return ''
  return hideSecrets(body, opened.target).slice(0, responseCharactersMax)
}

function resultOf(
  options: Attempted & {
    readonly due: DueDelivery
    readonly failures: number
    readonly nowMs: number
  },
): AttemptResult {
  const { attempt, verdict, due, failures, nowMs } = options
  const base = { deliveryId: due.id, attempt, nextAttemptAt: null }
  const target = { failures, openUntil: null, disabledReason: null }
  switch (verdict.kind) {
    case 'delivered':
      return { ...base, state: 'delivered', target: { ...target, failures: 0 } }
    case 'failed':
      return { ...base, state: 'failed', target }
    case 'gone':
      return { ...base, state: 'failed', target: { ...target, disabledReason: verdict.error } }
    case 'retry': {
      const { retryAfterMs, isThrottled } = verdict
      const inRow = isThrottled ? failures : failures + 1
      const openMs = Math.max(retryAfterMs ?? 0, isThrottled ? 0 : openMsAfter(inRow))
      const next = nextAttemptMs({
        id: due.id,
        attemptCount: due.attempt_count + 1,
        nowMs,
        sinceMs: due.since.getTime(),
        retryAfterMs,
      })
      return {
        ...base,
        state: next === undefined ? 'failed' : 'pending',
        nextAttemptAt: next === undefined ? null : new Date(next),
        target: {
          ...target,
          failures: inRow,
          openUntil: openMs > 0 ? new Date(nowMs + openMs) : null,
        },
      }
    }
  }
}
