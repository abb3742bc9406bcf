import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

export interface LineWriter {
  readonly write: (line: string) => void
}

/**
 * Writes JSON lines to standard output, unless another destination is given. Each has a stable
 * `code`, ids as fields and one sentence as the message. Never log events, addresses or keys.
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
 * Pino's own destination retries a broken pipe forever and blocks the main thread, so a service
 * whose supervisor was killed could neither drain nor end. This one drops the output instead. All
 * loggers share it.
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
