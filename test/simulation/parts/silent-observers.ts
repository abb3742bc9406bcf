/** Loggers and counters of simulated processes: what they say goes into the trace, what they count is not looked at. */
import type { SimProcess } from './sim-process.ts'

/** The part of a pino logger that the product uses. */
export function silentLogger(process: SimProcess) {
  const write = (level: string) => (fields: Readonly<Record<string, unknown>>, text: string) => {
    const { err, code, ...rest } = fields
    const cause = err === undefined ? '' : ` (${err instanceof Error ? err.message : String(err)})`
    process.note(`${level} ${code} ${JSON.stringify(rest)} ${text}${cause}`)
  }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** Any counter, gauge or histogram of any name, however deep. */
export const silentMetrics: object = new Proxy(() => undefined, {
  get: () => silentMetrics,
  apply: () => undefined,
})
