/** The product as benchmarks run it: a separate stack in a temporary folder on free ports. */
import assert from 'node:assert'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Stack, startStack } from '../dev/stack.ts'
import type { ServiceName } from '../dev/stack-settings.ts'
import type { WorkloadKind, WorkloadOptions } from './load/workload.ts'
import {
  createProfiler,
  type NamedProcess,
  type Profiler,
  profileEnv,
} from './report/profile-processes.ts'

export interface BenchStack {
  readonly stack: Stack
  readonly host: string
  readonly port: number
  readonly dsnId: number
  /** Undefined unless profiles were requested. */
  readonly profiler: Profiler | undefined
  /** The running processes. A service that was restarted has a new pid. */
  processes(): NamedProcess[]
  workload(
    kind: WorkloadKind,
    options: { seed: number; nowMs: number; runId: string },
  ): WorkloadOptions
  stop(): Promise<void>
}

export interface BenchStackOptions {
  readonly services: readonly ServiceName[]
  readonly onProgress: (sentence: string) => void
  /** Starts the processes so that they can be profiled. */
  readonly profile: boolean
}

/** Processes that the measurements do not involve. */
const unmeasured: readonly string[] = ['smtp', 'api']

export async function startBenchStack(options: BenchStackOptions): Promise<BenchStack> {
  const { onProgress } = options
  const profileDir = options.profile ? await mkdtemp(join(tmpdir(), 'sluice-profile-')) : undefined
  const stack = await startStack({
    services: options.services,
    answersFirst: true,
    env: profileDir === undefined ? {} : profileEnv(profileDir),
    report: {
      progress: onProgress,
      line: () => {},
      exited: (name, how) => onProgress(`${name} ended: ${how}`),
      broughtBack: (name) => onProgress(`${name} is running again`),
    },
  })
  const { hostname, port } = new URL(stack.urls.ingest)
  const publicKey = new URL(stack.demo.dsn).username
  const dsnId = Number(stack.demo.dsnId)
  assert(Number.isSafeInteger(dsnId))
  const processes = (): NamedProcess[] =>
    Object.entries({ ...stack.services, ...stack.engines }).flatMap(([name, { pid }]) =>
      pid === undefined || unmeasured.includes(name) ? [] : [{ name, pid }],
    )
  return {
    stack,
    host: hostname,
    port: Number(port),
    dsnId,
    processes,
    profiler: profileDir === undefined ? undefined : createProfiler(processes, profileDir),
    workload: (kind, { seed, nowMs, runId }) => ({
      kind,
      seed,
      nowMs,
      runId,
      host: hostname,
      projectId: stack.demo.dsnId,
      publicKey,
    }),
    async stop() {
      await stack.stop()
      if (profileDir !== undefined) await rm(profileDir, { recursive: true, force: true })
    },
  }
}

/** Stops the stack on Ctrl-C, so that no process and no folder remains. */
export function stopOnInterrupt(bench: BenchStack): () => void {
  const interrupt = (): void => {
    process.off('SIGTERM', interrupt)
    // A second Ctrl-C ends a stop that hangs; 130 is the exit code of shells for SIGINT.
    void bench.stop().finally(() => process.exit(130))
    process.once('SIGINT', () => {
      bench.stack.killNow()
      process.exit(130)
    })
  }
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  return () => {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}
