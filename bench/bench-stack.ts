/** The product as the benches run it: a stack of its own, in a temporary folder, on free ports. */
import assert from 'node:assert'
import { type Stack, startStack } from '../dev/stack.ts'
import type { ServiceName } from '../dev/stack-settings.ts'
import { profileEnv } from './profile-processes.ts'
import type { WorkloadKind, WorkloadOptions } from './workload.ts'

export interface NamedProcess {
  readonly name: string
  readonly pid: number
}

export interface BenchStack {
  readonly stack: Stack
  readonly host: string
  readonly port: number
  readonly dsnId: number
  /** Those that run now; a service that was brought back has another number. */
  processes(): NamedProcess[]
  workload(
    kind: WorkloadKind,
    options: { seed: number; nowMs: number; runId: string },
  ): WorkloadOptions
}

export interface BenchStackOptions {
  readonly services: readonly ServiceName[]
  readonly onProgress: (sentence: string) => void
  /** Where CPU profiles are written; without it nothing is profiled. */
  readonly profileDir?: string
}

export async function startBenchStack(options: BenchStackOptions): Promise<BenchStack> {
  const { profileDir, onProgress } = options
  const stack = await startStack({
    services: options.services,
    env: profileDir === undefined ? {} : profileEnv(profileDir),
    report: {
      progress: onProgress,
      line: () => {},
      exited: (name, how) => onProgress(`${name} ended: ${how}`),
      broughtBack: (name) => onProgress(`${name} is back`),
    },
  })
  const { hostname, port } = new URL(stack.urls.ingest)
  const publicKey = new URL(stack.demo.dsn).username
  const dsnId = Number(stack.demo.dsnId)
  assert(Number.isSafeInteger(dsnId))
  return {
    stack,
    host: hostname,
    port: Number(port),
    dsnId,
    processes: () =>
      Object.entries({ ...stack.services, ...stack.engines }).flatMap(([name, { pid }]) =>
        pid === undefined || name === 'smtp' || name === 'api' ? [] : [{ name, pid }],
      ),
    workload: (kind, { seed, nowMs, runId }) => ({
      kind,
      seed,
      nowMs,
      runId,
      host: hostname,
      projectId: stack.demo.dsnId,
      publicKey,
    }),
  }
}
