/** Opens each screen some times and takes the time of all its requests. */
import { systemClock } from '#platform/clock.ts'
import type { Sample, Screen } from './screens.ts'

export interface Timing {
  readonly p50Ms: number
  readonly p95Ms: number
  /** CPU time of the API and its engines for one opening; undefined where it is not known. */
  readonly cpuMs: number | undefined
  /** Rounds with a reply other than 200, such as 503 for a query that took too long. */
  readonly failed: number
}

export interface FilledProject {
  readonly name: string
  readonly base: string
  readonly sample: Sample
}

export interface ScreenOptions {
  readonly rounds: number
  /** A screen is opened no more often after this time. */
  readonly secondsMax: number
  /** Each is used in turn, because requests of a token are limited. */
  readonly tokens: readonly string[]
  /** Total CPU time of the processes that answer. */
  readonly readCpuMs: () => number | undefined
}

/** Waits this long at most for one reply. */
const replyMsMax = 60_000
const roundsMin = 3

class MissingScreen extends Error {}
class RefusedRequest extends Error {}

/** Undefined for a screen that the build does not have. */
export async function measureScreen(
  screen: Screen,
  project: FilledProject,
  options: ScreenOptions,
): Promise<Timing | undefined> {
  const times: number[] = []
  let failed = 0
  const startedMs = systemClock.monotonicMs()
  let cpuBeforeMs: number | undefined
  // The first round is a warm-up.
  for (let round = 0; round <= options.rounds; round += 1) {
    const beganMs = systemClock.monotonicMs()
    if (round === 1) cpuBeforeMs = options.readCpuMs()
    if (round > roundsMin && beganMs - startedMs > options.secondsMax * 1000) break
    try {
      await screen.open((path) => get(project, path, options.tokens), project.sample, round)
    } catch (error) {
      if (error instanceof MissingScreen && screen.mayBeMissing) return undefined
      if (!(error instanceof RefusedRequest)) throw error
      failed += 1
    }
    if (round > 0) times.push(systemClock.monotonicMs() - beganMs)
  }
  const cpuAfterMs = options.readCpuMs()
  const cpuMs =
    cpuBeforeMs === undefined || cpuAfterMs === undefined
      ? undefined
      : (cpuAfterMs - cpuBeforeMs) / times.length
  times.sort((a, b) => a - b)
  const quantile = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { p50Ms: quantile(0.5), p95Ms: quantile(0.95), cpuMs, failed }
}

let sent = 0

export async function get(
  { base }: FilledProject,
  path: string,
  tokens: readonly string[],
): Promise<unknown> {
  sent += 1
  const reply = await fetch(`${base}${path}`, {
    headers: { 'x-api-key': tokens[sent % tokens.length]! },
    signal: AbortSignal.timeout(replyMsMax),
  })
  const text = await reply.text()
  if (reply.status === 404) throw new MissingScreen(`${path} answered 404`)
  if (reply.status === 503) throw new RefusedRequest(path)
  if (reply.status !== 200) {
    throw new Error(`${path} answered ${reply.status}: ${text.slice(0, 300)}`)
  }
  return JSON.parse(text)
}
