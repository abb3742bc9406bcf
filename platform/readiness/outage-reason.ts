/**
 * Why a dependency is away, in one sentence for the reply of the health check. It names no address
 * and quotes no error, because the reply may be public.
 */
import { TimeLimitError } from './within.ts'

const predicates: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    ECONNREFUSED: 'refuses connections.',
    ECONNRESET: 'closed the connection.',
    EPIPE: 'closed the connection.',
    ENOTFOUND: 'has an unknown host name.',
    EAI_AGAIN: 'has a host name that cannot be resolved now.',
    EHOSTUNREACH: 'has a host that cannot be reached.',
    ENETUNREACH: 'is in a network that cannot be reached.',
    '57P01': 'is shutting down.',
    '57P02': 'is restarting after a crash.',
    '57P03': 'is starting or shutting down.',
    '53300': 'has no free connections.',
    '28P01': 'refuses the password.',
    '28000': 'refuses the login.',
    '3D000': 'does not have the database.',
  }),
)

const timeoutMessages = new Set([
  'Query read timeout',
  'Connection terminated due to connection timeout',
  'timeout expired',
  'Timeout error.',
])

export function outageReason(title: string, error: unknown, limitMs: number): string {
  return `${title} ${predicateOf(error, limitMs)}`
}

function predicateOf(error: unknown, limitMs: number): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  const known = predicates.get((inner as { code?: unknown } | undefined | null)?.code)
  if (known !== undefined) return known
  const isLate =
    inner instanceof TimeLimitError ||
    (inner instanceof Error && timeoutMessages.has(inner.message))
  return isLate ? `did not answer within ${limitMs / 1_000} s.` : 'cannot be used.'
}
