/** Asks every process whether it is ready, as a balancer does, and adds up how long it was not. */
import { systemClock } from '#platform/clock.ts'
import type { DrillStack } from './drill-stack.ts'

interface Look {
  readonly atMs: number
  readonly isReady: boolean
}

const everyMs = 250
/** Longer than the second within which a process answers. */
const answerMsMax = 2_000

export class ReadinessWatch {
  readonly #urls: ReadonlyMap<string, string>
  readonly #looks = new Map<string, Look[]>()
  #timer: NodeJS.Timeout | undefined

  constructor(stack: DrillStack) {
    const { metricsUrls } = stack.stack.demo
    this.#urls = new Map(
      Object.entries(metricsUrls).map(([name, url]) => [name, new URL('/health/ready', url).href]),
    )
    for (const name of this.#urls.keys()) this.#looks.set(name, [])
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), everyMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async allReady(): Promise<boolean> {
    const answers = await Promise.all([...this.#urls.values()].map(isReady))
    return answers.every(Boolean)
  }

  /** Such as `workers 3.2 s, mailer 1.0 s`, since the given time. */
  describe(sinceMs: number): string {
    const parts: string[] = []
    for (const [name, looks] of this.#looks) {
      const red = looks.filter(({ atMs, isReady }) => atMs >= sinceMs && !isReady)
      if (red.length > 0) parts.push(`${name} ${((red.length * everyMs) / 1000).toFixed(1)} s`)
    }
    return parts.join(', ')
  }

  async #look(): Promise<void> {
    await Promise.all(
      [...this.#urls].map(async ([name, url]) => {
        const atMs = systemClock.monotonicMs()
        this.#looks.get(name)?.push({ atMs, isReady: await isReady(url) })
      }),
    )
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMsMax) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
