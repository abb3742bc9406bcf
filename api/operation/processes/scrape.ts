/**
 * Reads the metrics and the readiness of one process. It never rejects, and each request has a
 * limit on time and size, so that a process that hangs delays no other and fills no memory.
 */
import { z } from 'zod'
import { printable } from '../text/printable.ts'
import { type Metrics, parsePrometheus } from './prometheus-text.ts'
import type { Target } from './target.ts'

export type Readiness =
  /** A process may be ready without a dependency: `reasons` names what it lacks. */
  | { readonly state: 'ready' | 'not ready'; readonly reasons: readonly string[] }
  /** The process has no such path, or did not answer it in time. */
  | { readonly state: 'unknown'; readonly reason: string }

export interface Scrape {
  readonly target: Target
  readonly atMs: number
  /** Undefined if the process did not answer. */
  readonly metrics: Metrics | undefined
  readonly readiness: Readiness
  /** Why there are no metrics. */
  readonly error: string | undefined
}

export const requestMsMax = 1_500
const metricsBytesMax = 8 * 1024 * 1024
const readyBytesMax = 64 * 1024
const reasonsMax = 8

export async function scrape(
  target: Target,
  nowMs: () => number,
  msMax = requestMsMax,
): Promise<Scrape> {
  const [metrics, readiness] = await Promise.all([
    readMetrics(target.metricsUrl, msMax),
    readReadiness(readyUrlOf(target.metricsUrl), msMax),
  ])
  return { target, atMs: nowMs(), readiness, ...metrics }
}

/** `/health/ready` beside `/metrics`, also behind a prefix. */
function readyUrlOf(metricsUrl: string): string {
  const url = new URL(metricsUrl)
  url.pathname = url.pathname.replace(/\/metrics\/?$|\/?$/, '/health/ready')
  url.search = ''
  return url.href
}

async function readMetrics(url: string, msMax: number): Promise<Pick<Scrape, 'metrics' | 'error'>> {
  try {
    const { status, text } = await get(url, { bytesMax: metricsBytesMax, msMax })
    if (status !== 200) return { metrics: undefined, error: `status ${status}` }
    return { metrics: parsePrometheus(text), error: undefined }
  } catch (error) {
    return { metrics: undefined, error: reasonOf(error, msMax) }
  }
}

const Dependency = z.object({ ok: z.boolean(), reason: z.string().optional() })
const ReadyReply = z.object({
  dependencies: z.record(z.string(), Dependency).optional(),
  missing: z.array(z.string()).optional(),
})

async function readReadiness(url: string, msMax: number): Promise<Readiness> {
  try {
    const { status, text } = await get(url, { bytesMax: readyBytesMax, msMax })
    if (status !== 200 && status !== 503) return { state: 'unknown', reason: `status ${status}` }
    return { state: status === 200 ? 'ready' : 'not ready', reasons: reasonsOf(text) }
  } catch (error) {
    return { state: 'unknown', reason: reasonOf(error, msMax) }
  }
}

/** Understands the reply of this version and of earlier ones (`missing`). */
function reasonsOf(text: string): string[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  const reply = ReadyReply.safeParse(value)
  if (!reply.success) return []
  const lacking = Object.entries(reply.data.dependencies ?? {})
    .filter(([, { ok }]) => !ok)
    .map(([name, { reason }]) => (reason === undefined ? name : `${name}: ${reason}`))
  return [...lacking, ...(reply.data.missing ?? [])]
    .slice(0, reasonsMax)
    .map((reason) => printable(reason))
}

async function get(
  url: string,
  { bytesMax, msMax }: { readonly bytesMax: number; readonly msMax: number },
): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(msMax)
  const response = await fetch(url, { redirect: 'error', signal })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Error(`the reply is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return { status: response.status, text: Buffer.concat(chunks).toString('utf8') }
}

function reasonOf(error: unknown, msMax: number): string {
  if (!(error instanceof Error)) return 'it failed'
  if (error.name === 'TimeoutError') return `no answer within ${msMax / 1000} s`
  const { code } = (error.cause ?? {}) as { code?: unknown }
  if (code === 'ECONNREFUSED') return 'nothing listens there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name has no address'
  const cause = error.cause instanceof Error ? error.cause.message : error.message
  return printable(typeof code === 'string' ? code : cause)
}
