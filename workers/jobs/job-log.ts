/** The lines that graphile-worker logs, in the log of this process. */
import type { LogFunctionFactory } from 'graphile-worker'
import { isUnreachable } from '#platform/installation/retry-at-start.ts'
import type { Logger } from '#platform/logger.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'

type WriteLine = ReturnType<LogFunctionFactory>

/**
 * Returns the function that graphile-worker calls with each of its lines. A line may follow an
 * outage unless it carries an error that Postgres answered or a task threw: of a lost connection,
 * some lines have the error ("Failed to reset locked"), and some have nothing ("Worker exited").
 */
export function writeLineTo(log: Pick<Logger, 'warn' | 'error'>): WriteLine {
  return (level, message, meta) => {
    const write = levels[level]
    if (write === undefined || message.includes(fewConnections)) return
    const { error: raised, fatalError } = (meta ?? {}) as { error?: unknown; fatalError?: unknown }
    const error = raised ?? fatalError
    const mark = error === undefined || isUnreachable(error) ? mayFollowOutage : {}
    log[write]({ code: 'job', detail: message, ...mark }, 'The job runner reported a problem.')
  }
}

/** Life cycle messages are dropped; failed jobs are logged. */
const levels: Readonly<Partial<Record<string, 'warn' | 'error'>>> = {
  error: 'error',
  warning: 'warn',
}

/** More jobs than connections is intended: a job that sends holds none while it waits. */
const fewConnections = 'maxPoolSize'
