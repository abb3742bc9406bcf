/**
 * Measures the CPU time that the running product spends per record: bodies over keep-alive
 * connections to ingest, from a separate process, and the CPU time of the ingest process. It
 * includes HTTP, decompression, the filter, the write-ahead log and the response.
 */
import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { BenchStack } from '../bench-stack.ts'
import { readProcessUsage } from '../report/process-usage.ts'
import { otlpPayload } from './otlp-payload.ts'

export interface WireCase {
  readonly recordsPerBody: number
  readonly compression: 'none' | 'gzip'
}

export interface WireResult extends WireCase {
  readonly recordsPerSecond: number
  /** Undefined if the system does not report it. */
  readonly cpuUsPerRecord: number | undefined
}

export const wireCases: readonly WireCase[] = [100, 1000].flatMap((recordsPerBody) =>
  (['none', 'gzip'] as const).map((compression) => ({ recordsPerBody, compression })),
)

const connections = 32
const warmUpShare = 0.25

export async function measureWire(
  bench: BenchStack,
  one: WireCase,
  options: { readonly recordCount: number; monotonicMs(): number },
): Promise<WireResult> {
  const plain = otlpPayload(one.recordsPerBody, 0).protobuf
  const target: Target = {
    bench,
    agent: new Agent({ keepAlive: true, maxSockets: connections }),
    body: one.compression === 'gzip' ? gzipSync(plain) : plain,
    encoding: one.compression === 'gzip' ? 'gzip' : 'identity',
  }
  const bodies = Math.ceil(options.recordCount / one.recordsPerBody)
  await sendAll(target, Math.ceil(bodies * warmUpShare))
  const before = ingestCpuMs(bench)
  const startMs = options.monotonicMs()
  await sendAll(target, bodies)
  const elapsedMs = options.monotonicMs() - startMs
  const after = ingestCpuMs(bench)
  target.agent.destroy()
  const records = bodies * one.recordsPerBody
  return {
    ...one,
    recordsPerSecond: (records * 1000) / elapsedMs,
    cpuUsPerRecord:
      before === undefined || after === undefined ? undefined : ((after - before) * 1000) / records,
  }
}

interface Target {
  readonly bench: BenchStack
  readonly agent: Agent
  readonly body: Buffer
  readonly encoding: string
}

function ingestCpuMs(bench: BenchStack): number | undefined {
  const pid = bench.processes().find(({ name }) => name === 'ingest')?.pid
  return pid === undefined ? undefined : readProcessUsage(pid)?.cpuMs
}

async function sendAll(target: Target, bodies: number): Promise<void> {
  let left = bodies
  const sender = async () => {
    while (left > 0) {
      left -= 1
      await send(target)
    }
  }
  await Promise.all(Array.from({ length: connections }, sender))
}

function send({ bench, agent, body, encoding }: Target): Promise<void> {
  const { stack, host, port, dsnId } = bench
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/x-protobuf',
      'content-encoding': encoding,
      'content-length': body.length,
      'x-sentry-auth': `sentry sentry_key=${new URL(stack.demo.dsn).username}`,
    }
    const path = `/api/${dsnId}/otlp/v1/logs`
    const sent = request({ host, port, path, method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`a body was answered ${answer.statusCode}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
