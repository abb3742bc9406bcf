/**
 * Takes CPU profiles of the product's processes during a load. Every Node process of the stack is
 * started with profile-on-signal.ts preloaded, starts profiling on SIGWINCH and writes one file per
 * thread on the next.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '#platform/project-root.ts'
import { CpuProfile, type ProfileSummary, summarizeProfiles } from './summarize-profile.ts'

export interface NamedProcess {
  readonly name: string
  readonly pid: number
}

const linesMax = 12
/** Engines that are not Node processes. */
const notNode: readonly string[] = ['postgres', 'nats']
const writeMsMax = 10_000

/** Variables for a stack whose processes are profiled. */
export function profileEnv(profileDir: string): Record<string, string> {
  const preload = new URL('./profile-on-signal.js', import.meta.url)
  preload.searchParams.set('dir', profileDir)
  return {
    NODE_OPTIONS: `--import=${preload.href}`,
    // A digest thread that blocks in Atomics.wait would not receive the message that ends its
    // profile.
    PISCINA_DISABLE_ATOMICS: '1',
  }
}

export interface Profiler {
  begin(): void
  /** For each process, the functions that used the time since `begin`. */
  end(): Promise<Record<string, ProfileSummary>>
}

export function createProfiler(
  processes: () => readonly NamedProcess[],
  profileDir: string,
): Profiler {
  const signal = (): void => {
    for (const { pid } of profiled(processes())) process.kill(pid, 'SIGWINCH')
  }
  return {
    begin: signal,
    async end() {
      signal()
      await filesSettle(profileDir)
      const files = await readdir(profileDir)
      const summaries: Record<string, ProfileSummary> = {}
      for (const { name, pid } of profiled(processes())) {
        const own = files.filter((file) => file.startsWith(`${pid}.`))
        const profiles = await Promise.all(own.map((file) => takeProfile(join(profileDir, file))))
        summaries[name] = summarizeProfiles(profiles, { linesMax, root: projectRoot })
      }
      return summaries
    },
  }
}

/** Deletes the file after reading it, so that the next profile does not find it. */
async function takeProfile(path: string): Promise<CpuProfile> {
  const profile = CpuProfile.parse(JSON.parse(await readFile(path, 'utf8')))
  await rm(path)
  return profile
}

function profiled(processes: readonly NamedProcess[]): NamedProcess[] {
  return processes.filter(({ name }) => !notNode.includes(name))
}

/** Threads write their files when their event loop runs, so wait until no new file appears. */
async function filesSettle(profileDir: string): Promise<void> {
  let before = -1
  for (let waitedMs = 0; waitedMs < writeMsMax; waitedMs += 1_000) {
    await sleep(1_000)
    const files = (await readdir(profileDir)).length
    if (files > 0 && files === before) return
    before = files
  }
}
