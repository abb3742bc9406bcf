/**
 * A client that calls one endpoint at a fixed rate during a drill, and says afterwards what it saw:
 * which answers, for how long, and how slow the slowest was. Calls are not delayed by earlier calls
 * that are still open, as clients of a real installation would not wait for each other.
 */
import { systemClock } from '#platform/clock.ts'

export interface Sample {
  readonly startedMs: number
  readonly ms: number
  /** A status code, or a word such as `refused` for a request without an answer. */
  readonly answer: string
}

export interface ProbeOptions {
  readonly name: string
  readonly everyMs: number
  /** The answer of a service that works. */
  readonly good: string
  readonly call: (signal: AbortSignal) => Promise<string>
}

/** Longer than every time limit of the product for an answer. */
const callMsMax = 15_000
const openMax = 400

export class Probe {
  readonly name: string
  readonly good: string
  readonly samples: Sample[] = []
  readonly #options: ProbeOptions
  readonly #open = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: ProbeOptions) {
    this.name = options.name
    this.good = options.good
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#open.size >= openMax) return
      const call = this.#call().finally(() => this.#open.delete(call))
      this.#open.add(call)
    }, this.#options.everyMs)
  }

  /** Resolves when every open call has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#open)
  }

  async #call(): Promise<void> {
    const startedMs = systemClock.monotonicMs()
    const answer = await this.#options
      .call(AbortSignal.timeout(callMsMax))
      .catch((error: unknown) => nameFailure(error))
    this.samples.push({ startedMs, ms: systemClock.monotonicMs() - startedMs, answer })
  }
}

/**
 * One cell of the table, such as `200; 503 for 3.2 s; slowest 1.4 s`. The time of an answer is from
 * its first to its last request, and counts the answers that are not good.
 */
export function describeSamples(samples: readonly Sample[], good: string): string {
  if (samples.length === 0) return 'no request'
  const parts: string[] = []
  const groups = groupByAnswer(samples)
  if (groups.has(good)) parts.push(groups.size === 1 ? `${good} throughout` : good)
  for (const [answer, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (answer === good) continue
    const times = group.map(({ startedMs }) => startedMs)
    const seconds = (Math.max(...times) - Math.min(...times)) / 1000
    parts.push(`${answer} × ${group.length} within ${Math.max(0.1, seconds).toFixed(1)} s`)
  }
  const slowest = Math.max(...samples.map(({ ms }) => ms))
  parts.push(
    `slowest ${slowest < 1000 ? `${Math.round(slowest)} ms` : `${(slowest / 1000).toFixed(1)} s`}`,
  )
  return parts.join('; ')
}

function groupByAnswer(samples: readonly Sample[]): Map<string, Sample[]> {
  const groups = new Map<string, Sample[]>()
  for (const sample of samples) {
    const group = groups.get(sample.answer)
    if (group === undefined) groups.set(sample.answer, [sample])
    else group.push(sample)
  }
  return groups
}

function nameFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = (cause as { code?: unknown })?.code
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer'
  if (code === 'ECONNREFUSED') return 'refused'
  if (code === 'ECONNRESET' || code === 'UND_ERR_SOCKET') return 'reset'
  return typeof code === 'string' ? code : 'failed'
}
