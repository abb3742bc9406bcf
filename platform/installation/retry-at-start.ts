/**
 * Retries at start: a process waits for databases that are still starting, or for a machine that is
 * too busy to reply in time. Each failed attempt is logged, and the total time is bounded.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../clock.ts'
import type { Logger } from '../logger.ts'

export interface RetryOptions {
  readonly clock?: Clock
  readonly sleep?: (ms: number) => Promise<unknown>
}

export const startRetryMsMax = 60_000
const delayMinMs = 250
const delayMaxMs = 5_000

/** Repeats `work` while `what` cannot be reached. Throws any other error immediately. */
export async function retryAtStart<T>(
  log: Logger,
  what: string,
  work: () => Promise<T>,
  options: RetryOptions = {},
): Promise<T> {
  const clock = options.clock ?? systemClock
  const deadlineMs = clock.monotonicMs() + startRetryMsMax
  for (let delayMs = delayMinMs; ; delayMs = Math.min(delayMs * 2, delayMaxMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isUnreachable(error)) throw error
      const reason = reasonOf(error)
      if (deadlineMs <= clock.monotonicMs() + delayMs) {
        throw new Error(
          `${what} could not be reached within ${startRetryMsMax / 1000} s: ${reason}`,
          { cause: error },
        )
      }
      log.warn(
        { code: 'start_waits', what, reason, retryMs: delayMs },
        `${what} could not be reached; retrying.`,
      )
      await (options.sleep ?? sleep)(delayMs)
    }
  }
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_SOCKET_CONNECTION_TIMEOUT',
])
/**
 * Postgres is starting, stopping or restarting after a crash, has too many connections, or a
 * statement timed out.
 */
const postgresCodes = new Set(['57P01', '57P02', '57P03', '57014', '53300'])
const postgresConnectionClass = /^08...$/
/** Errors of the Postgres, ClickHouse and NATS clients that have no code. */
const messages = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'the connection is lost or hangs',
  'Query read timeout',
  'timeout expired',
  'Timeout error.',
  'socket hang up',
])
/** Error classes of the NATS client. */
const names = new Set([
  'TimeoutError',
  'ConnectionError',
  'NoRespondersError',
  'JetStreamNotEnabled',
])

/**
 * Whether the error means that the server is unreachable or too slow, rather than that the request
 * is wrong.
 */
export function isUnreachable(error: unknown): boolean {
  for (let depth = 0; depth < causesMax && error instanceof Error; depth += 1) {
    if (error instanceof AggregateError && error.errors.some(isUnreachable)) return true
    const { code } = error as { code?: unknown }
    if (typeof code === 'string') {
      if (code === protocolViolation) return false
      if (networkCodes.has(code) || postgresCodes.has(code)) return true
      if (postgresConnectionClass.test(code)) return true
    }
    if (messages.has(error.message) || names.has(error.name)) return true
    error = error.cause
  }
  return false
}

const causesMax = 5
/** No retry helps. PgBouncer refuses a startup parameter with it. */
const protocolViolation = '08P01'

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return error.errors.map(reasonOf).join('; ')
  }
  return error instanceof Error ? error.message : String(error)
}
