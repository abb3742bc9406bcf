import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

export interface LineWriter {
  readonly write: (line: string) => void
}

/**
 * JSON lines on standard output, unless another destination is given: a stable `code`, ids as
 * fields, one sentence as the message. Never logs an event, an address or a key.
 */
export function createLogger(
  service: string,
  level: string,
  destination: LineWriter = standardOutput(),
): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
}

/**
 * Pino's own destination retries a broken pipe forever, sleeping on the main thread: a service
 * whose supervisor was killed could neither drain nor end. This one drops its output instead. All
 * loggers share one.
 */
function standardOutput(): LineWriter {
  destination ??= openStandardOutput()
  return destination
}

let destination: ReturnType<typeof openStandardOutput> | undefined

function openStandardOutput() {
  let isBroken = false
  process.stdout.on('error', () => {
    isBroken = true
  })
  return {
    write: (line: string) => {
      if (!isBroken) process.stdout.write(line)
    },
  }
}
