import { type LogFn, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/** Decides what happens with a line that is about to be written, like the hook of pino. */
export type LogMethod = (
  logger: Logger,
  args: Parameters<LogFn>,
  method: LogFn,
  level: number,
) => void

export interface LoggerOptions {
  readonly destination?: LineWriter
  readonly logMethod?: LogMethod
}

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
  { destination = standardOutput(), logMethod }: LoggerOptions = {},
): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...(logMethod === undefined
        ? {}
        : {
            hooks: {
              logMethod(args: Parameters<LogFn>, method: LogFn, number: number) {
                logMethod(this, args, method, number)
              },
            },
          }),
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
