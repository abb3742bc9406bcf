import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/**
 * JSON lines on standard output: a stable `code`, ids as fields, one sentence as the message. Never an
 * event, an address or a key.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}
