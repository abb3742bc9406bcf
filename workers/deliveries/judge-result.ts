/**
 * What follows from the result of a request: 2xx is success, 410 the end of the target, and the
 * rest are failures, as Standard Webhooks recommends. Services with a documented format are not
 * asked again after they have called a request invalid.
 */
import { z } from 'zod'
import type { RequestResult } from '#platform/http/safe-request/safe-request.ts'
import type { AlertTargetType } from '#schemas/rest/alerts/target.ts'
import { readRetryAfterMs } from './retry-schedule.ts'

export type Verdict =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'retry'
      readonly error: string
      readonly retryAfterMs: number | undefined
      /** The receiver asked for fewer requests, which is no fault of it. */
      readonly isThrottled: boolean
    }
  /** This delivery can never succeed. */
  | { readonly kind: 'failed'; readonly error: string }
  /** The target can never succeed again. */
  | { readonly kind: 'gone'; readonly error: string }

/** Without `Retry-After`, a target that answers 429 is left alone for this long. */
const throttledMs = 5_000

/** Statuses of a request that the service will never accept. */
const invalidStatuses: ReadonlySet<number> = new Set([400, 413, 422])

export function judgeResult(type: AlertTargetType, result: RequestResult, nowMs: number): Verdict {
  if (result.kind !== 'response') return retry(result.reason)
  const { status, body } = result
  if (200 <= status && status < 300) return { kind: 'delivered' }
  const error = `The receiver answered ${status}.`
  if (status === 410 || isGone(type, status, body)) return { kind: 'gone', error }
  const retryAfterMs = readRetryAfterMs(result.retryAfter ?? retryAfterIn(type, body), nowMs)
  if (status === 429) {
    const waitMs = Math.max(retryAfterMs ?? 0, retryAfterMs === undefined ? throttledMs : 0)
    return { kind: 'retry', error, retryAfterMs: waitMs, isThrottled: true }
  }
  // Teams answers 400 while a workflow is switched off, and a webhook's answers mean anything.
  const mayEnd = type !== 'webhook' && !(type === 'teams' && status === 400)
  if (mayEnd && invalidStatuses.has(status)) return { kind: 'failed', error }
  return { ...retry(error), retryAfterMs }
}

function retry(error: string): Extract<Verdict, { kind: 'retry' }> {
  return { kind: 'retry', error, retryAfterMs: undefined, isThrottled: false }
}

/** Webhooks that were deleted in their service, which documents other statuses than 410. */
function isGone(type: AlertTargetType, status: number, body: string): boolean {
  if (status !== 404) return false
  if (type === 'slack') return /^no_(?:service|team|active_hooks)\b/.test(body)
  return type === 'discord' && fieldsOf(body).code === unknownWebhook
}
const unknownWebhook = 10_015

/** Seconds that Telegram and Discord name in the body. */
function retryAfterIn(type: AlertTargetType, body: string): string | undefined {
  if (type !== 'telegram' && type !== 'discord') return undefined
  const { retry_after, parameters } = fieldsOf(body)
  return (retry_after ?? parameters?.retry_after)?.toString()
}

const seconds = z.number().min(0).max(1e9)
const Fields = z.object({
  code: z.number().optional().catch(undefined),
  retry_after: seconds.optional().catch(undefined),
  parameters: z
    .object({ retry_after: seconds.optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

function fieldsOf(body: string): z.infer<typeof Fields> {
  try {
    return Fields.safeParse(JSON.parse(body)).data ?? {}
  } catch {
    return {}
  }
}
